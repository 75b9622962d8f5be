"""GradientTape's interface: what is watched, recorded, answered, and told when there is no path."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import (
    DTypeError,
    GradientError,
    InvalidArgumentError,
    ShapeError,
)
from tests.interpreter import traced

THREE = tl.asarray(3.0)


def recorded(f: Any, *xs: Any, **options: Any) -> tuple[tl.GradientTape, Any]:
    with tl.GradientTape(**options) as tape:
        tape.watch(xs)
        y = f(*xs)
    return tape, y


def test_sources_and_targets_may_be_structures() -> None:
    x, z = tl.asarray(2.0), tl.asarray(5.0)
    tape, y = recorded(lambda x, z: {"a": x * z, "b": [x * x]}, x, z)
    found = tape.gradient(y, {"z": z, "xs": (x, x)})
    assert found["z"].item() == 2.0
    assert [dx.item() for dx in found["xs"]] == [9.0, 9.0]


def test_output_gradients_weigh_the_targets() -> None:
    x = tl.asarray([1.0, 2.0])
    tape, y = recorded(lambda x: x * x, x, persistent=True)
    assert tape.gradient(y, x, tl.asarray([1.0, 10.0])).tolist() == [2.0, 40.0]
    assert tape.gradient([y, y], x, [None, tl.asarray([0.0, 1.0])]).tolist() == [
        0.0,
        4.0,
    ]
    with pytest.raises(ShapeError, match="shaped as its target"):
        tape.gradient(y, x, tl.asarray([1.0, 2.0, 3.0]))
    with pytest.raises(
        InvalidArgumentError, match="2 output gradients for 1 targets"
    ):
        tape.gradient(y, x, [y, y])


def test_a_tape_answers_once_unless_persistent() -> None:
    tape, y = recorded(lambda x: x * x, THREE)
    assert tape.gradient(y, THREE).item() == 6.0
    with pytest.raises(GradientError, match="persistent=True"):
        tape.gradient(y, THREE)
    tape, y = recorded(lambda x: x * x, THREE, persistent=True)
    assert [tape.gradient(y, THREE).item() for _ in range(2)] == [6.0, 6.0]


def test_a_spent_tape_keeps_nothing_alive() -> None:
    tape, y = recorded(lambda x: tl.exp(x) * x, tl.asarray(np.ones(3)))
    middle = weakref.ref(tape._records[0].outputs[0])
    tape.gradient(y, y)
    gc.collect()
    assert middle() is None


def test_unconnected_sources() -> None:
    lone = tl.asarray([1.0, 2.0])
    tape, y = recorded(lambda x, _: x * x, THREE, lone, persistent=True)
    assert tape.gradient(y, lone) is None
    assert tape.gradient(y, lone, unconnected="zero").tolist() == [0.0, 0.0]
    with pytest.raises(GradientError, match="no recorded operator leads"):
        tape.gradient(y, lone, unconnected="error")
    with pytest.raises(
        InvalidArgumentError, match="allowed: 'none', 'zero', 'error'"
    ):
        tape.gradient(y, lone, unconnected="nothing")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("f", "reason"),
    [
        (tl.stop_gradient, "StopGradient passes no gradient on"),
        (lambda x: tl.astype(x, tl.int32), "the target is int32"),
        (lambda x: tl.astype(tl.astype(x, tl.int32), tl.float32), "Cast gives int32"),
        (lambda x: tl.asarray(x.numpy() * 2), "no recorded operator leads"),
        (lambda x: x * 2.0, "there is a path"),
    ],
)
def test_why_none_names_the_break(f: Any, reason: str) -> None:
    tape, y = recorded(f, THREE)
    assert reason in tape.why_none(y, THREE)


def test_why_none_of_a_source_that_is_not_watched() -> None:
    tape, y = recorded(lambda x: x * x, THREE)
    assert "is not watched" in tape.why_none(y, tl.asarray(1.0))


def test_integers_cannot_be_watched() -> None:
    with (
        tl.GradientTape() as tape,
        pytest.raises(DTypeError, match=r"int32.*tl\.astype"),
    ):
        tape.watch(tl.asarray(1))


def test_variables_are_watched_when_read_unless_told_otherwise() -> None:
    w, frozen = tl.Variable(2.0), tl.Variable(2.0, trainable=False)
    for read in (lambda: w * frozen, lambda: traced(lambda x: x * w * frozen)(1.0)):
        with tl.GradientTape() as tape:
            y = read()
        assert [
            None if g is None else g.item() for g in tape.gradient(y, [w, frozen])
        ] == [2, None]
        with tl.GradientTape(watch_accessed_variables=False) as tape:
            y = read()
        assert tape.gradient(y, w) is None


def test_nothing_is_recorded_while_stopped_and_a_tape_can_go_on() -> None:
    x = tl.asarray(2.0)
    with tl.GradientTape() as tape:
        tape.watch(x)
        with tape.stop_recording():
            y = x * x
        z = x * y
    with tape:
        z = z * x
    assert tape.gradient(z, x).item() == 16.0
    with tape, pytest.raises(GradientError, match="recording already"):
        tape.__enter__()


def test_a_gradient_asked_inside_a_persistent_tape_is_recorded() -> None:
    with tl.GradientTape(persistent=True) as tape:
        tape.watch(THREE)
        first = tape.gradient(THREE * THREE * THREE, THREE)
    assert tape.gradient(first, THREE).item() == 18.0


X = tl.asarray(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
W = tl.asarray(np.array([[1.0, -1.0], [2.0, 0.5], [0.0, 3.0]]))


def jacobian(x: Any) -> Any:
    tape, y = recorded(lambda x: (x @ W) ** 2, x)
    return tape.jacobian(y, x)


def batch_jacobian(x: Any) -> Any:
    tape, y = recorded(lambda x: (x @ W) ** 2, x)
    return tape.batch_jacobian(y, x)


def test_jacobians_equal_those_by_hand_also_in_traces() -> None:
    x, w = X.numpy(), W.numpy()
    rows = 2 * (x @ w)[:, :, None] * w.T[None]
    whole = np.einsum("bij,bc->bicj", rows, np.eye(2))
    for f, expected in ((jacobian, whole), (batch_jacobian, rows)):
        np.testing.assert_allclose(f(X).numpy(), expected)
        np.testing.assert_allclose(traced(f)(X).numpy(), expected)


def test_batch_jacobian_needs_a_batch() -> None:
    tape, y = recorded(tl.sum, X)
    with pytest.raises(ShapeError, match="both need a first axis"):
        tape.batch_jacobian(y, X)


def test_jacobian_of_several_sources_and_of_none() -> None:
    lone = tl.asarray(1.0)
    tape, y = recorded(lambda x, z, _: x * z, X, THREE * 1.0, lone, persistent=True)
    by_x, by_lone = tape.jacobian(y, [X, lone])
    assert by_x.shape == (2, 3, 2, 3)
    assert by_lone is None
    nothing = tape.jacobian(y, lone, unconnected="zero")
    np.testing.assert_array_equal(nothing.numpy(), np.zeros((2, 3)))


def test_hessian_and_value_and_grad() -> None:
    def f(x: Any, y: Any = 2.0) -> Any:
        return tl.sum(x * x * x) * y

    x = tl.asarray(np.array([1.0, 2.0]))
    for call in (tl.hessian(f), traced(tl.hessian(f))):
        np.testing.assert_allclose(call(x).numpy(), [[12.0, 0.0], [0.0, 24.0]])
    value, (dx, dy) = tl.value_and_grad(f, argnums=(0, 1))(x, 2.0)
    assert (value.item(), dx.tolist(), dy.item()) == (18.0, [6.0, 24.0], 9.0)
    with pytest.raises(InvalidArgumentError, match="argnums=3 of 1"):
        tl.grad(f, argnums=3)(x)


@tl.custom_gradient
def log1pexp(x: Any) -> Any:
    """The example of TensorFlow's documentation: stable where the plain gradient is not."""
    e = tl.exp(x)
    return tl.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))


def test_custom_gradient_of_any_order_eager_traced_and_in_regions() -> None:
    def in_loop(x: Any) -> Any:
        def body(i: Any, y: Any) -> Any:
            return i + 1, tl.cond(i > 0, lambda: log1pexp(y), lambda: log1pexp(y) * x)

        return tl.while_loop(lambda i, y: i < 2, body, (0, x * 1.0))[1]

    def by_hand(x: Any) -> Any:
        return tl.log(1 + tl.exp(tl.log(1 + tl.exp(x)) * x))

    x = tl.asarray(np.float64(0.3))
    for f, g in ((log1pexp, lambda x: tl.log(1 + tl.exp(x))), (in_loop, by_hand)):
        for _ in range(3):
            expected = g(x).item()
            assert f(x).item() == pytest.approx(expected)
            assert traced(f)(x).item() == pytest.approx(expected)
            f, g = tl.grad(f), tl.grad(g)  # noqa: PLW2901
    assert tl.grad(traced(in_loop))(x).item() == pytest.approx(
        tl.grad(by_hand)(x).item()
    )


def test_custom_gradient_with_variables() -> None:
    w = tl.Variable(2.0)

    @tl.custom_gradient
    def scaled(x: Any) -> Any:
        def gradient(dy: Any, variables: Any) -> Any:
            assert len(variables) == 1
            return dy * 100.0, [dy * 1000.0]

        return x * w, gradient

    for call in (scaled, traced(scaled)):
        with tl.GradientTape() as tape:
            tape.watch(THREE)
            y = call(THREE)
        assert [g.item() for g in tape.gradient(y, [THREE, w])] == [100.0, 1000.0]
    careless = tl.custom_gradient(lambda x: (x * w, lambda dy: dy))
    with pytest.raises(GradientError, match="no parameter `variables`"):
        careless(THREE)
    wrong = tl.custom_gradient(lambda x: (x * 2.0, lambda dy: [dy, dy]))
    with pytest.raises(GradientError, match="returned 2 gradients for 1"):
        tl.grad(wrong)(THREE)


def test_recomputed_functions_have_their_gradients_and_run_twice() -> None:
    w = tl.Variable(2.0)
    runs = []

    @tl.recompute_grad
    def f(x: Any, y: Any) -> Any:
        runs.append(1)
        return tl.exp(x) * w * y

    def total(x: Any) -> Any:
        return f(x, x) * x

    def plain(x: Any) -> Any:
        return tl.exp(x) * 2.0 * x * x

    x = tl.asarray(0.5)
    for order in range(3):
        assert total(x).item() == pytest.approx(plain(x).item(), rel=1e-5), order
        assert traced(total)(x).item() == pytest.approx(plain(x).item(), rel=1e-5), (
            order
        )
        total, plain = tl.grad(total), tl.grad(plain)
    runs.clear()
    with tl.GradientTape() as tape:
        y = f(x, x)
    assert len(tape._records) == 1
    assert tape.gradient(y, w).item() == pytest.approx(np.exp(0.5) * 0.5)
    assert len(runs) == 2
