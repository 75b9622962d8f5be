"""The checkers object to what is wrong: a check that cannot fail proves nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.dispatch import call
from tensorlite.core.op import REGISTRY, Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.graph.trace import trace
from tests.checks import check_gradient, run_graph

X = np.linspace(0.5, 1.5, 6).reshape(2, 3)
Z = X + 1j * X[::-1]


class _Planted(Op, abstract=True):
    """x * y, with a gradient that is said to be wrong in some way."""

    def infer(self, x: TensorSpec, y: TensorSpec) -> TensorSpec:
        return x

    def kernel(self, xp: Any, x: Any, y: Any) -> Any:
        return x * y


class _Right(_Planted, abstract=True):
    def grad(self, call: Any, dy: Any) -> Any:
        x, y = call.inputs
        return dy * tl.conj(y), dy * tl.conj(x)


class _WrongFactor(_Planted, abstract=True):
    def grad(self, call: Any, dy: Any) -> Any:
        x, y = call.inputs
        return dy * y * 1.001, dy * x


class _WrongSecondOperand(_Planted, abstract=True):
    def grad(self, call: Any, dy: Any) -> Any:
        y = call.inputs[1]
        return dy * y, dy * y


class _NoGradient(_Planted, abstract=True):
    def grad(self, call: Any, dy: Any) -> Any:
        return dy * call.inputs[1], None


class _WrongSecondOrder(_Planted, abstract=True):
    """The first gradient is right, but holds y for a constant."""

    def grad(self, call: Any, dy: Any) -> Any:
        x, y = call.inputs
        return dy * tl.asarray(y.numpy()), dy * x


class _WrongShape(_Planted, abstract=True):
    def grad(self, call: Any, dy: Any) -> Any:
        x, y = call.inputs
        return tl.sum(dy * y), dy * x


class _NotConjugated(_Planted, abstract=True):
    def grad(self, call: Any, dy: Any) -> Any:
        x, y = call.inputs
        return dy * y, dy * x


def test_right_gradient_passes() -> None:
    check_gradient(lambda x, y: call(_Right(), x, y), X, X + 1)
    check_gradient(lambda x, y: call(_Right(), x, y), Z, Z[::-1].copy())


@pytest.mark.parametrize(
    "op",
    [_WrongFactor(), _WrongSecondOperand(), _NoGradient(), _WrongShape()],
    ids=repr,
)
def test_wrong_first_gradient_is_found(op: Op) -> None:
    with pytest.raises(AssertionError, match=r"^gradient"):
        check_gradient(lambda x, y: call(op, x, y), X, X + 1, order=1)


def test_wrong_second_gradient_is_found() -> None:
    def function(x: Tensor, y: Tensor) -> Tensor:
        return call(_WrongSecondOrder(), x, y)

    check_gradient(function, X, X + 1, order=1)
    with pytest.raises(AssertionError, match=r"^second gradient"):
        check_gradient(function, X, X + 1)


def test_gradient_that_is_not_conjugated_is_found() -> None:
    def function(x: Tensor, y: Tensor) -> Tensor:
        return call(_NotConjugated(), x, y)

    check_gradient(function, X, X + 1)
    with pytest.raises(AssertionError, match=r"^gradient"):
        check_gradient(function, Z, Z + 1)


def test_integer_operands_rest() -> None:
    check_gradient(lambda x, n: x * tl.astype(n, tl.float64), X, np.arange(3))


def test_function_without_differentiable_output_is_refused() -> None:
    with pytest.raises(AssertionError, match="no output is differentiable"):
        check_gradient(lambda n: n * 2, np.arange(3))


def test_zero_size_and_scalars_pass() -> None:
    check_gradient(lambda x, y: x * y, np.asarray(3.0), np.zeros((0,)))


def test_planted_operators_stay_out_of_the_registry() -> None:
    assert not any("Wrong" in name for name in REGISTRY)


def test_graph_is_run_node_by_node() -> None:
    traced = trace(
        lambda x: [x * 2.0 + 1.0, tl.sum(x)], [TensorSpec((None,), tl.float32)]
    )
    doubled, total = run_graph(traced.graph, [np.asarray([1.0, 2.0], np.float32)])
    assert doubled.tolist() == [3.0, 5.0]
    assert float(total) == 3.0
