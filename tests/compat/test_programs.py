"""Programs return under tensorlite what they return under TensorFlow 1.15: values and names."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf
from tensorlite.graph_mode.graph import mode
from tests.compat.record import FOLDER, plain, program

NAMES = sorted(path.stem for path in (FOLDER / "programs").glob("[a-z]*.py"))


@pytest.fixture(autouse=True)
def _graph_mode() -> Iterator[None]:
    before = mode.eager
    mode.eager = False
    yield
    mode.eager = before


def same(found: Any, recorded: Any, where: str) -> None:
    """Compare values; numbers may differ by rounding."""
    if isinstance(recorded, dict):
        assert sorted(found) == sorted(recorded), where
        for key, value in recorded.items():
            same(found[key], value, f"{where}.{key}")
    elif isinstance(recorded, list):
        assert len(found) == len(recorded), (where, found, recorded)
        for i, value in enumerate(recorded):
            same(found[i], value, f"{where}[{i}]")
    elif isinstance(recorded, float):
        assert found == pytest.approx(recorded, 1e-4, 1e-5), where
    else:
        assert found == recorded, where


@pytest.mark.parametrize("name", NAMES)
def test_a_program_returns_what_it_does_under_tensorflow(name: str) -> None:
    recorded = json.loads((FOLDER / "recorded" / f"{name}.json").read_text())
    with np.errstate(
        all="ignore"
    ):  # densities are infinite or none at the ends of some
        found = plain(program(name)(tf))
    same(found, recorded, name)
