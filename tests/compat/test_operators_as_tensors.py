"""Linear operators are values of several tensors: functions, loops and tapes take them as these."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1, v2
from tensorlite.graph_mode.graph import mode

old: Any = v1
tf: Any = v2
MATRIX = np.array([[2.0, 0.0], [1.0, 4.0]], np.float32)


@pytest.fixture(autouse=True)
def _eager() -> Iterator[None]:
    before = mode.eager, mode.plain_sizes, mode.graph
    mode.eager, mode.plain_sizes = True, False
    yield
    mode.eager, mode.plain_sizes, mode.graph = before


def _made() -> dict[str, Any]:
    linalg = tf.linalg
    lower = linalg.LinearOperatorLowerTriangular(MATRIX)
    diagonal = linalg.LinearOperatorDiag([2.0, 3.0])
    return {
        "lower": lower,
        "diag": diagonal,
        "full": linalg.LinearOperatorFullMatrix(MATRIX),
        "scaled": linalg.LinearOperatorScaledIdentity(2, 3.0),
        "identity": linalg.LinearOperatorIdentity(2),
        "inverse": linalg.LinearOperatorInversion(diagonal),
        "adjoint": linalg.LinearOperatorAdjoint(lower),
        "composition": linalg.LinearOperatorComposition([diagonal, lower]),
        "blocks": linalg.LinearOperatorBlockDiag([diagonal, lower]),
        "rows": linalg.LinearOperatorBlockLowerTriangular([[lower], [lower, lower]]),
        "kronecker": linalg.LinearOperatorKronecker([diagonal, lower]),
        "update": linalg.LinearOperatorLowRankUpdate(diagonal, [[1.0], [2.0]]),
        "reflection": linalg.LinearOperatorHouseholder([1.0, 2.0]),
        "permutation": linalg.LinearOperatorPermutation([1, 0]),
        "toeplitz": linalg.LinearOperatorToeplitz([1.0, 2.0], [1.0, 3.0]),
        "tridiagonal": linalg.LinearOperatorTridiag([[[1.0, 0], [2, 3], [0, 4]]]),
    }


@pytest.mark.parametrize("kind", list(_made()))
def test_functions_take_operators_and_return_them(kind: str) -> None:
    operator = _made()[kind]
    dense = operator.to_dense().numpy()
    returned = tf.function(lambda x: x)(operator)
    assert type(returned) is type(operator)
    np.testing.assert_allclose(returned.to_dense(), dense)
    made = tf.function(lambda: _made()[kind])()
    np.testing.assert_allclose(made.to_dense(), dense)
    again = type(operator)(**operator.parameters)
    np.testing.assert_allclose(again.to_dense(), dense)
    spec = tf.type_spec_from_value(operator)
    assert spec.value_type is type(operator)
    assert spec == tf.type_spec_from_value(again)
    assert spec.is_compatible_with(operator)


def test_operators_are_taken_apart_and_put_together() -> None:
    operator = tf.linalg.LinearOperatorComposition(
        [
            tf.linalg.LinearOperatorDiag([1.0, 2.0]),
            tf.linalg.LinearOperatorIdentity(2),
        ]
    )
    assert isinstance(operator, tf.__internal__.CompositeTensor)
    assert tf.nest.flatten(operator) == [operator]
    (diag,) = tf.nest.flatten(operator, expand_composites=True)
    assert diag.numpy().tolist() == [1, 2]
    twice = tf.nest.map_structure(lambda x: 2 * x, operator, expand_composites=True)
    assert twice.to_dense().numpy().tolist() == [[2, 0], [0, 4]]
    assert twice.parameters["operators"][0].diag.numpy().tolist() == [2, 4]
    assert operator.to_dense().numpy().tolist() == [[1, 0], [0, 2]]
    scaled = tf.linalg.LinearOperatorScaledIdentity(2, 3.0)
    (five,) = [tf.nest.pack_sequence_as(scaled, [5.0], expand_composites=True)]
    assert five.parameters["multiplier"] == 5.0


def test_gradients_by_operators_are_operators() -> None:
    diag = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(diag)
        operator = tf.linalg.LinearOperatorDiag(diag)
        y = tf.reduce_sum(operator.matmul([[3.0], [4.0]]))
    assert tape.gradient(y, operator).diag.numpy().tolist() == [3, 4]


def test_loops_carry_operators() -> None:
    def power(operator: Any, times: Any) -> Any:
        for _ in tf.range(times):
            operator = tf.linalg.LinearOperatorDiag(2.0 * operator.diag)
        return operator.to_dense()

    first = tf.linalg.LinearOperatorDiag([1.0, 3.0])
    assert tf.function(power)(first, 2).numpy().tolist() == [[4, 0], [0, 12]]


def test_programs_own_operators_are_of_their_parameters() -> None:
    class Twice(tf.linalg.LinearOperator):  # type: ignore[misc]
        def __init__(self, diag: Any, label: str = "") -> None:
            self._diag = tf.convert_to_tensor(diag)
            super().__init__(self._diag.dtype)

        def _shape(self) -> Any:
            return self._diag.shape.concatenate(self._diag.shape[-1:])

        def _matmul(
            self, x: Any, adjoint: bool = False, adjoint_arg: bool = False
        ) -> Any:
            return 2.0 * self._diag[:, None] * x

    made = tf.function(lambda x: x)(Twice([1.0, 2.0], "a"))
    assert made.matmul([[1.0], [1.0]]).numpy().tolist() == [[2], [4]]
    assert made.parameters["label"] == "a"


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("Inversion", MATRIX),
        ("Householder", MATRIX[0]),
        ("Permutation", np.array([1, 0])),
        ("Tridiag", np.array([[1.0, 0], [2, 3], [0, 4]], np.float32)),
    ],
)
def test_sizes_of_operators_are_told_where_no_shape_is_known(
    kind: str, value: Any
) -> None:
    with tf.Graph().as_default(), old.Session() as session:
        x = old.placeholder_with_default(value, None)
        if kind == "Inversion":
            inner = tf.linalg.LinearOperatorFullMatrix(x)
            operator = tf.linalg.LinearOperatorInversion(inner)
        else:
            operator = getattr(tf.linalg, f"LinearOperator{kind}")(x)
        assert session.run(operator.shape_tensor()).tolist() == [2, 2]


def test_norms_of_complex_numbers_are_complex() -> None:
    # As TensorFlow 2.21 gives them; norms by other orders are real.
    x = tf.constant([[3 + 4j, 0], [0, 12]], tf.complex64)
    euclidean = tf.norm(x)
    assert (euclidean.dtype, complex(euclidean)) == (tf.complex64, 13)
    assert tf.norm(x, axis=-1).numpy().tolist() == [5, 12]
    assert tf.norm(x, 1).dtype == tf.float32
