"""Gradients of a program's own in SavedModels: written, read, and taken.

TensorFlow 2.21 loads such models and takes the same gradients, of first and second order, but for
those of branches and loops that use what is made within: it takes none of these from its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
import tensorlite.compat.v2 as tf
from tensorlite.core.errors import GradientError, LostGradientWarning
from tensorlite.graph_mode.graph import mode
from tensorlite.interop.tensorflow import load_saved_model, save_saved_model
from tensorlite.interop.tensorflow.stored.models import saved_model_class

PAIR = tl.TensorSpec((2,), tl.float32, name="x")
X = np.array([0.3, 0.4], np.float32)


@pytest.fixture(autouse=True, scope="module")
def _eager() -> Iterator[None]:
    """Let names of TensorFlow 2 compute at once, whatever was imported before."""
    before, mode.eager = mode.eager, True
    yield
    mode.eager = before


def written(folder: Path) -> Any:
    """Return what is written, as a message."""
    data = (folder / "saved_model.pb").read_bytes()
    return saved_model_class().FromString(data)


class Own(tl.Module):
    """Functions with gradients of their own, which use what they find."""

    def __init__(self) -> None:
        self.w = tl.Variable([2.0, 3.0])

    @tl.function(input_signature=[PAIR])
    def read(self, x: Any) -> Any:
        """Read a variable, whose gradient is given too."""

        @tl.custom_gradient
        def own(a: Any) -> Any:
            raised = tl.exp(a)

            def pull(dy: Any, variables: Any) -> Any:
                return dy * 7.0 * a * raised, [
                    dy * 11.0 * tl.sin(x * 1.0) for x in variables
                ]

            return a * self.w, pull

        return own(x)

    @tl.function(input_signature=[PAIR])
    def several(self, x: Any) -> Any:
        """Have two results, an operator with several, and a gradient with one of its own."""
        inner = tl.custom_gradient(lambda d: (d * 3.0, lambda e: e * 1000.0))

        @tl.custom_gradient
        def first(a: Any) -> Any:
            _, places = tl.top_k(a, 2)
            return (
                a * 2.0,
                lambda dy: (
                    dy * tl.astype(places + 3, tl.float32) * tl.asarray([5.0, 6.0])
                ),
            )

        @tl.custom_gradient
        def both(a: Any, b: Any) -> Any:
            return (a * b, a + b), lambda p, q: (inner(p) * q * a, p - q)

        y, z = both(first(x), x)
        return y + 3.0 * z

    @tl.function(input_signature=[PAIR])
    def branch(self, x: Any) -> Any:
        """Use in a branch what is made around it."""
        around = tl.exp(x)

        @tl.custom_gradient
        def own(a: Any) -> Any:
            def pull(dy: Any, variables: Any) -> Any:
                return dy * 100.0 * around, [dy * 13.0 for _ in variables]

            return a * 2.0 * tl.sum(self.w), pull

        return tl.cond(tl.sum(x) > 0, lambda: own(x), lambda: x + around)

    @tl.function(input_signature=[PAIR])
    def turn(self, x: Any) -> Any:
        """Use in a loop what it makes."""

        @tl.custom_gradient
        def own(a: Any) -> Any:
            raised = tl.exp(a)
            return a * 2.0, lambda dy: dy * 1.5 * raised

        return tl.while_loop(
            lambda i, _: i < 2, lambda i, y: (i + 1, own(y)), (0, x)
        )[1]


def gradients(function: Any, w: Any) -> list[Any]:
    """Return the gradients of a function at X, by X and a variable, and that of the first."""
    x = tl.asarray(X)
    with tl.GradientTape() as outer:
        outer.watch(x)
        with tl.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        dx, dw = tape.gradient(y, [x, w])
    found = [y, dx, dw, outer.gradient(dx, x)]
    return [None if one is None else one.numpy() for one in found]


A = np.exp(X)
WANTED: dict[str, list[Any]] = {
    "read": [
        X * [2.0, 3.0],
        7 * X * A,
        11 * np.sin([2.0, 3.0]),
        49 * X * A * A * (1 + X),
    ],
    "several": [[2.88, 3.92], [106.0, 127.6], None, [3600.0, 2916.0]],
    "branch": [X * 10, 100 * A, [13.0, 13.0], None],
    "turn": [X * 4, 2.25 * A * np.exp(2 * X), None, None],
}
"""By hand, and, of `several`, as TensorFlow 2.21 has them."""


def check(model: Any, name: str) -> None:
    """Assert that a function's value and gradients are as they should be."""
    found = gradients(getattr(model, name), model.w)
    for one, wanted in zip(found[:3], WANTED[name][:3], strict=True):
        if wanted is None:
            assert one is None
        else:
            np.testing.assert_allclose(one, wanted, rtol=1e-5)


@pytest.mark.parametrize("name", sorted(WANTED))
def test_own_gradients_are_taken_from_what_is_saved(
    name: str, tmp_path: Path
) -> None:
    model = Own()
    check(model, name)
    save_saved_model(model, tmp_path / "once")
    once: Any = load_saved_model(tmp_path / "once")
    check(once, name)
    save_saved_model(once, tmp_path / "twice")
    check(load_saved_model(tmp_path / "twice"), name)


def test_second_gradients_of_what_is_saved(tmp_path: Path) -> None:
    save_saved_model(Own(), tmp_path)
    model: Any = load_saved_model(tmp_path)
    np.testing.assert_allclose(
        gradients(model.several, model.w)[3], [3600.0, 2916.0], rtol=1e-5
    )


def test_own_gradients_stand_in_the_library_as_tensorflow_has_them(
    tmp_path: Path,
) -> None:
    save_saved_model(Own(), tmp_path)
    meta = written(tmp_path).meta_graphs[0]
    library = meta.graph_def.library
    kinds = {
        node.attr["_gradient_op_type"].s.decode(): node
        for function in library.function
        for node in function.node_def
        if node.op == "IdentityN" and "_gradient_op_type" in node.attr
    }
    told = {
        x.registered_op_type: x.gradient_func for x in library.registered_gradients
    }
    assert set(told) == set(kinds)
    assert len(told) == 6
    known = {x.signature.name for x in library.function}
    objects = meta.object_graph_def
    for kind, name in told.items():
        assert name in known
        about = objects.concrete_functions[name]
        takes = about.canonicalized_input_signature.tuple_value.values[0].tuple_value
        assert len(takes.values) == len(kinds[kind].input) + 1
        for number in about.bound_inputs:
            captured = objects.nodes[number].captured_tensor
            assert not captured.name or captured.concrete_function in known


def test_a_gradient_that_cannot_be_traced_is_told_of(tmp_path: Path) -> None:
    @tl.function(input_signature=[PAIR])
    def doubled(x: Any) -> Any:
        own = tl.custom_gradient(lambda x: (x * 2.0, lambda dy: dy.numpy() * 100.0))
        return own(x)

    with pytest.warns(LostGradientWarning, match=r"test_own_gradients.py:\d+"):
        save_saved_model(doubled, tmp_path)


def test_own_gradients_may_be_left_out(tmp_path: Path) -> None:
    options = tf.saved_model.SaveOptions(experimental_custom_gradients=False)
    tf.saved_model.save(Own(), str(tmp_path), options=options)
    model: Any = load_saved_model(tmp_path)
    np.testing.assert_allclose(
        gradients(model.turn, model.w)[1], [4.0, 4.0], rtol=1e-6
    )


def test_gradients_in_loops_use_what_is_made_around_them() -> None:
    @tl.function
    def repeated(x: Any) -> Any:
        around = tl.exp(x)
        own = tl.custom_gradient(lambda a: (a * 2.0, lambda dy: dy * 1.5 * around))
        return tl.while_loop(
            lambda i, _: i < 2, lambda i, y: (i + 1, own(y)), (0, x)
        )[1]

    x = tl.asarray(X)
    np.testing.assert_allclose(tl.grad(repeated)(x), 2.25 * A * A, rtol=1e-6)


def test_what_a_gradient_takes_of_another_function_is_out_of_reach(
    tmp_path: Path,
) -> None:
    save_saved_model(Own(), tmp_path)
    proto = written(tmp_path)
    for node in proto.meta_graphs[0].object_graph_def.nodes:
        if node.WhichOneof("kind") == "captured_tensor":
            node.captured_tensor.concrete_function = "another"
    (tmp_path / "saved_model.pb").write_bytes(proto.SerializeToString())
    model: Any = load_saved_model(tmp_path)
    np.testing.assert_allclose(model.read(X), X * [2.0, 3.0], rtol=1e-6)
    with pytest.raises(GradientError, match="of another, which is out of reach"):
        gradients(model.read, model.w)
