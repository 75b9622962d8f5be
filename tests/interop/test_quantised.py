"""Quantised numbers in GraphDefs."""

from __future__ import annotations

from typing import Any

import pytest

import tensorlite as tl
from tensorlite.core.errors import GraphDefError
from tests.interop.graphdefs import Program

QUINT8 = 12


def program(mode: str) -> Program:
    """Return a program that rounds to eight bits and back, by TensorFlow's quint8."""
    made = Program()
    made.floats("x", -1.5, 0.25, 2.0)
    made.floats("low", -1.5)
    made.floats("high", 2.0)
    kept: dict[str, Any] = {"mode": mode, "ensure_minimum_range": 0.01}
    made.node("QuantizeV2", "held", "x", "low", "high", **kept)
    made.node("Dequantize", "back", "held", "held:1", "held:2", mode=mode)
    for node in made.proto.node:
        if node.name in {"held", "back"}:
            node.attr["T"].type = QUINT8
    return made


def test_numbers_are_held_by_eight_bits_and_come_back() -> None:
    held, back = program("MIN_FIRST").session().run(["held:0", "back:0"])
    assert (held.dtype, held.tolist()) == ("uint8", [0, 127, 255])
    assert back.tolist() == pytest.approx([-1.5, 0.25, 2.0], abs=0.02)
    assert tl.asarray(back).dtype is tl.float32


def test_another_mode_is_refused() -> None:
    with pytest.raises(GraphDefError, match="allowed are MIN_COMBINED"):
        program("MIDDLE").session()
