"""What sessions refuse: each has an error of its own, and the next run works."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import (
    DTypeError,
    FailedPreconditionError,
    InvalidArgumentError,
    KernelError,
    NotFoundError,
    ShapeError,
    TensorliteError,
)

HERE = r"test_session_refusals\.py:\d+"


class Small:
    """A graph with a placeholder, what comes of it, and a session."""

    def __init__(self) -> None:
        self.graph = tl.Graph("small")
        with self.graph.as_default():
            self.x = tl.placeholder(tl.TensorSpec((None, 2), tl.float32, name="x"))
            self.n = tl.placeholder(tl.TensorSpec((), tl.int32, name="n"))
            self.y = self.x + 1.0
            self.v = tl.Variable([1.0, 2.0])
            self.constant = tl.constant(5.0)
        self.other = tl.Graph("other")
        with self.other.as_default():
            self.foreign = tl.placeholder(tl.float32, ())
        self.session = tl.Session(self.graph)
        self.feed = {self.x: [[1.0, 2.0]]}


Refused = tuple[Callable[[Small], Any], type[TensorliteError], str]
FETCHES: dict[str, Refused] = {
    "nothing fed": (
        lambda s: s.session.run(s.y),
        InvalidArgumentError,
        rf"feed a value for placeholder tensor 'x' with dtype float32 and shape \[\?,2\].*{HERE}",
    ),
    "a foreign tensor": (
        lambda s: s.session.run(s.foreign),
        InvalidArgumentError,
        rf"fetches is Placeholder:0, made at .*{HERE}.*'other'.*'small'",
    ),
    "a callable fed no list": (
        lambda s: s.session.make_callable(s.y, cast("Any", s.x)),
        DTypeError,
        "make_callable: feed_list=.*give a list of tensors",
    ),
    "parts fed no list": (
        lambda s: s.session.partial_run_setup([s.y], cast("Any", s.x)),
        DTypeError,
        "partial_run_setup: feeds=.*give a list of tensors",
    ),
    "a foreign node": (
        lambda s: s.session.run([s.y, s.foreign.node], s.feed),
        InvalidArgumentError,
        r"fetches\[1\] is Placeholder, .*'other'",
    ),
    "None": (
        lambda s: s.session.run({"loss": [s.y, None]}, s.feed),
        DTypeError,
        r"fetches\['loss'\]\[1\] is None",
    ),
    "a number": (
        lambda s: s.session.run([3.0]),
        DTypeError,
        r"fetches\[0\] is 3.0 of type float",
    ),
    "an eager tensor": (
        lambda s: s.session.run(tl.ones(1)),
        DTypeError,
        "type EagerTensor, which cannot be fetched",
    ),
    "an array": (lambda s: s.session.run(np.ones(2)), DTypeError, "type ndarray"),
    "an unknown name": (
        lambda s: s.session.run("AddV3"),
        NotFoundError,
        "no node 'AddV3'; with a name like it: AddV2",
    ),
    "an unknown output": (
        lambda s: s.session.run("AddV2:1"),
        NotFoundError,
        "AddV2 has 1 outputs",
    ),
    "a handle": (
        lambda s: s.session.run(handle(s)),
        InvalidArgumentError,
        "a handle or a list",
    ),
}
FEEDS: dict[str, Refused] = {
    "a wrong shape": (
        lambda s: s.session.run(s.y, {s.x: np.zeros((2, 3), np.float32)}),
        ShapeError,
        rf"x:0 .*{HERE}.* has shape \[\?, 2\]",
    ),
    "a wrong rank": (
        lambda s: s.session.run(s.y, {s.x: 1.0}),
        ShapeError,
        r"shape \[\]",
    ),
    "a wide dtype": (
        lambda s: s.session.run(s.y, {s.x: np.zeros((1, 2))}),
        DTypeError,
        rf"x:0 .*{HERE}.*float64\[1, 2\].*astype\(np.float32\)",
    ),
    "a float for an integer": (
        lambda s: s.session.run(s.n, {s.n: 1.5}),
        DTypeError,
        "n:0 .*1.5 is float32",
    ),
    "too large an integer": (
        lambda s: s.session.run(s.n, {s.n: 2**40}),
        InvalidArgumentError,
        "n:0 .* does not fit",
    ),
    "a string": (lambda s: s.session.run(s.n, {s.n: "1"}), DTypeError, "is string"),
    "an object": (
        lambda s: s.session.run(s.n, {s.n: object()}),
        DTypeError,
        "object cannot become a tensor",
    ),
    "lists of different lengths": (
        lambda s: s.session.run(s.y, {s.x: [[1.0], [1.0, 2.0]]}),
        InvalidArgumentError,
        "different lengths",
    ),
    "a tensor of the graph": (
        lambda s: s.session.run(s.y, {s.x: s.y}),
        DTypeError,
        "AddV2:0, a tensor of a graph; feed a value",
    ),
    "a list with a tensor of the graph in it": (
        lambda s: s.session.run(s.y, {s.x: [s.constant, 1.0]}),
        DTypeError,
        "x:0",
    ),
    "for a foreign tensor": (
        lambda s: s.session.run(s.y, s.feed | {s.foreign: 1.0}),
        InvalidArgumentError,
        "'other'; the session runs 'small'",
    ),
    "for a constant": (
        lambda s: s.session.run(s.y, s.feed | {s.constant: 1.0}),
        InvalidArgumentError,
        "is a constant and cannot be fed",
    ),
    "for a variable": (
        lambda s: s.session.run(s.y, s.feed | {s.v: [1.0, 2.0]}),
        InvalidArgumentError,
        "what reads it",
    ),
    "for a handle": (
        lambda s: s.session.run(s.y, s.feed | {handle(s): 1.0}),
        InvalidArgumentError,
        "a resource or a list, which cannot be fed",
    ),
    "for an eager tensor": (
        lambda s: s.session.run(s.y, s.feed | {tl.ones(1): 1.0}),
        InvalidArgumentError,
        "EagerTensor",
    ),
    "for a number": (
        lambda s: s.session.run(s.y, {3: 1.0}),
        InvalidArgumentError,
        "3 cannot be fed",
    ),
    "for an unknown name": (
        lambda s: s.session.run(s.y, {"z:0": 1.0}),
        NotFoundError,
        "no node 'z'",
    ),
    "for a node's name": (
        lambda s: s.session.run(s.y, {"x": 1.0}),
        InvalidArgumentError,
        "'x' names no tensor",
    ),
    "twice": (
        lambda s: s.session.run(s.y, s.feed | {"x:0": [[1.0, 2.0]]}),
        InvalidArgumentError,
        "x:0 is fed twice",
    ),
    "no dict": (
        lambda s: s.session.run(s.y, [(s.x, 1.0)]),  # type: ignore[arg-type]
        DTypeError,
        "give a dict",
    ),
}


def handle(small: Small) -> tl.Tensor:
    """Return the graph's own name for its variable's handle."""
    with small.graph.as_default():
        small.v.value()
    return next(iter(small.graph.captured))


@pytest.mark.parametrize("case", [*FETCHES, *FEEDS])
def test_what_cannot_be_run_is_refused_and_the_next_run_works(case: str) -> None:
    small = Small()
    run, error, match = (FETCHES | FEEDS)[case]
    for _ in range(2):
        with pytest.raises(error, match=match):
            run(small)
    assert small.session.run(small.y, small.feed).tolist() == [[2, 3]]


def test_a_closed_session_runs_nothing() -> None:
    small = Small()
    with small.session as session:
        assert session.run(small.y, small.feed).tolist() == [[2, 3]]
    with pytest.raises(FailedPreconditionError, match="closed"):
        session.run(small.y, small.feed)
    with pytest.raises(FailedPreconditionError, match="closed"), session:
        pass
    with pytest.raises(FailedPreconditionError, match="closed"):
        session.make_callable(small.y, [small.x])
    assert repr(session) == "<Session of 'small', closed>"
    session.close()
    assert tl.Session(small.graph).run(small.y, small.feed).tolist() == [[2, 3]]


def test_a_session_needs_a_graph_that_is_not_empty() -> None:
    with pytest.raises(FailedPreconditionError, match="there is none here"):
        tl.Session()
    with pytest.raises(DTypeError, match=r"a session runs a tl\.Graph"):
        tl.Session("graph")  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="target='grpc"):
        tl.Session(tl.Graph(), target="grpc://localhost:1")
    with pytest.raises(InvalidArgumentError, match="runner='fast'"):
        tl.Session(tl.Graph(), runner="fast")
    with pytest.raises(FailedPreconditionError, match="'graph' is empty"):
        tl.Session(tl.Graph()).run([])


def test_a_kernel_that_fails_says_where_it_was_made() -> None:
    small = Small()

    def fail(_: tl.Tensor) -> tl.Tensor:
        raise ZeroDivisionError("on purpose")

    with small.graph.as_default():
        bad = tl.py_function(fail, [small.x], tl.float32)
        change = small.v.assign_add([1.0, 1.0])
    with pytest.raises(KernelError, match="on purpose") as caught:
        small.session.run([bad, small.y], small.feed)
    assert any("EagerPyFunc" in note for note in caught.value.__notes__)
    assert small.session.run(small.y, small.feed).tolist() == [[2, 3]]
    assert small.session.run(change).tolist() == [2, 3]


def test_an_interrupt_leaves_all_usable() -> None:
    small, interrupts = Small(), [True, False]

    def maybe(x: tl.Tensor) -> tl.Tensor:
        if interrupts.pop(0):
            raise KeyboardInterrupt
        return x

    with small.graph.as_default():
        slow = tl.py_function(maybe, [small.x], tl.float32)
    with pytest.raises(KeyboardInterrupt):
        small.session.run(slow, small.feed)
    assert small.session.run(slow, small.feed).tolist() == [[1, 2]]


def test_a_group_takes_tensors_and_nodes() -> None:
    small = Small()
    with small.graph.as_default():
        with pytest.raises(DTypeError, match="neither a tensor nor a node"):
            tl.group(3)
        with pytest.raises(InvalidArgumentError, match="no node of small"):
            tl.group(small.foreign)


def test_gradients_go_through_primitives() -> None:
    small, raw = Small(), tl.raw_ops
    with small.graph.as_default():
        no, yes = raw.Switch(data=small.x * 2.0, pred=tl.sum(small.x) > 0.0)
        alone = tl.gradients(yes, small.x)
        merged, _ = raw.Merge(inputs=[no + 1.0, yes])
        assert tl.gradients(merged, small.v) is None
        dx = tl.gradients(merged, small.x)
    assert small.session.run([merged, dx], small.feed)[0].tolist() == [[2, 4]]
    assert small.session.run(dx, small.feed).tolist() == [[2, 2]]
    assert small.session.run(alone, small.feed).tolist() == [[2, 2]]


def test_minimize_without_a_tape_is_for_graphs() -> None:
    with pytest.raises(DTypeError, match="GradientTape"):
        tl.optimizers.SGD(0.1).minimize(tl.ones(()), [tl.Variable(1.0)])
