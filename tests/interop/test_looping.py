"""Loops of primitives are read: their shapes, what they forget, what comes behind them."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite as tl
from tests.interop.graphdefs import Program, counter


def test_a_loop_of_primitives_runs() -> None:
    made = Program()
    counter(made)
    session = made.session()
    for n in (0, 1, 7):
        assert session.run(["i/Exit:0", "s/Exit:0"], {"n:0": n}) == [
            n,
            n * (n - 1) / 2,
        ]


def growing(made: Program) -> None:
    """Add a loop whose vector becomes twice as long in each of three turns."""
    counter(made)
    frame: dict[str, Any] = {"frame_name": "loop", "parallel_iterations": 10}
    made.floats("v", 1.0, 2.0)
    made.node("Enter", "v/Enter", "v", T=tl.float32, is_constant=False, **frame)
    made.node("Merge", "v/Merge", "v/Enter", "v/Next", N=2, T=tl.float32)
    made.node("Switch", "v/Switch", "v/Merge", "cond", T=tl.float32)
    made.node("Exit", "v/Exit", "v/Switch", T=tl.float32)
    made.const("axis", np.int32(0), control=["v/Switch"])
    twice = ("v/Switch:1", "v/Switch:1", "axis")
    made.node("ConcatV2", "v/twice", *twice, N=2, T=tl.float32, Tidx=tl.int32)
    made.node("NextIteration", "v/Next", "v/twice", T=tl.float32)
    made.const("eights", np.ones(8, np.float32))
    made.node("Mul", "product", "v/Exit", "eights", T=tl.float32)


def test_shapes_behind_a_loop_need_not_be_those_of_its_first_turn() -> None:
    made = Program()
    growing(made)
    np.testing.assert_array_equal(
        made.session().run("product:0", {"n:0": 2}), [1, 2] * 4
    )


def test_a_loop_may_forget_what_it_was_given() -> None:
    made = Program()
    frame: dict[str, Any] = {"frame_name": "loop", "parallel_iterations": 10}
    made.const("four", np.int32(4))
    made.node("Enter", "enter", "four", T=tl.int32, is_constant=False, **frame)
    made.node("Merge", "merge", "enter", "next", N=2, T=tl.int32)
    made.const("five", np.int32(5), control=["merge"])
    made.node("Less", "less", "merge", "five", T=tl.int32)
    made.node("LoopCond", "cond", "less")
    made.node("Switch", "switch", "merge", "cond", T=tl.int32)
    made.node("Identity", "inside", "switch:1", T=tl.int32)
    made.const("ten", np.int32(10), control=["inside"])
    made.node("NextIteration", "next", "ten", T=tl.int32)
    made.node("Exit", "exit", "switch", T=tl.int32)
    assert made.session().run("exit:0") == 10
