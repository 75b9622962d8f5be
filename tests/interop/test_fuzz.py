"""Damaged GraphDefs are read or refused: no crash, no hang, no memory without end."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.interop.fuzzing import fuzz


@pytest.mark.parametrize("seed", range(3))
def test_hundreds_are_read_or_refused(seed: int) -> None:
    found = fuzz(seed, 150)
    assert found["read"] > 0
    assert len(found) > 3
    assert found["an error that says nothing"] == 0


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("seed", range(100, 104))
def test_a_hundred_thousand_are_read_or_refused(seed: int) -> None:
    command = [sys.executable, "-m", "tests.interop.fuzzing", str(seed), "25000"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
