"""tf.einsum of version 1 is made of TensorFlow 1.15.5's nodes, and gives what NumPy's gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.compat import v1

tf: Any = v1
DRAW = np.random.default_rng(5)
CASES = {
    "ij,jk->ik": "MatMul",
    "ij,kj": "transpose MatMul",
    "ij->ji": "transpose",
    "ijk->ki": "Sum transpose",
    "ii": "Trace/diag_part Trace",
    "i,i->": "Reshape Reshape_1 MatMul Reshape_2",
    "i,j->ij": "ExpandDims ExpandDims_1 Mul",
    "bi,bj->bij": "ExpandDims ExpandDims_1 Mul",
    "ij,jk,kl->il": "MatMul MatMul_1",
    "bij,bjk->bik": "MatMul",
    "bqhd,bkhd->bhqk": "transpose transpose_1 MatMul",
    "bijc,cjk->bik": "transpose Reshape Reshape_1 MatMul Reshape_2",
    "...ij,...jk->...ik": "MatMul",
    "...i,i->...": "Reshape Reshape_1 MatMul Reshape_2",
}
OTHERS = ["ii->i", "i,i,i->", "...i,...i->...i", "iij->j"]
"""What TensorFlow 1.15 refuses, or makes of many more nodes."""


def operands(equation: str) -> list[Any]:
    sizes = dict(zip("ijklbcqhd", (3, 3, 2, 4, 2, 5, 3, 2, 4), strict=True))
    terms = equation.replace("...", "bq").partition("->")[0].split(",")
    return [DRAW.uniform(-1, 1, [sizes[c] for c in term]) for term in terms]


def made(equation: str, xs: list[Any], *, are_known: bool) -> tuple[list[Any], str]:
    """Return the result and its gradients, and the names of the nodes below the call's."""
    with tf.Graph().as_default() as graph, tf.Session() as session:
        shapes = [x.shape if are_known else [None] * x.ndim for x in xs]
        fed = [tf.placeholder(tf.float64, shape) for shape in shapes]
        found = tf.einsum(equation, *fed)
        ops = [
            op
            for op in graph.get_operations()
            if op.type not in ("Const", "Placeholder")
        ]
        names = " ".join(op.name.removeprefix("einsum/") for op in ops)
        slopes = tf.gradients(tf.sin(found), fed)
        return session.run([found, *slopes], dict(zip(fed, xs, strict=True))), names


@pytest.mark.parametrize("are_known", [True, False], ids=["known", "open"])
@pytest.mark.parametrize("equation", [*CASES, *OTHERS])
def test_einsum_gives_numpys_sums_and_a_tapes_gradients(
    equation: str, are_known: bool
) -> None:
    xs = operands(equation)
    found, names = made(equation, xs, are_known=are_known)
    np.testing.assert_allclose(
        found[0], np.einsum(equation, *xs), rtol=1e-10, atol=1e-12
    )
    tensors = [tl.asarray(x) for x in xs]
    with tl.GradientTape() as tape:
        tape.watch(tensors)
        target = tl.sin(tl.einsum(equation, *tensors))
    for slope, wanted in zip(found[1:], tape.gradient(target, tensors), strict=True):
        np.testing.assert_allclose(slope, np.asarray(wanted), rtol=1e-10, atol=1e-12)
    if are_known and equation in CASES:
        assert names == CASES[equation]


def test_einsum_names_and_shapes_are_told() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, None, 3])
        made = tf.einsum("ijk,kl->ijl", x, tf.ones([3, 2]), name="foo")
        assert made.name == "foo/Reshape_1:0"
        assert made.shape.as_list() == [None, None, 2]
        with pytest.raises(ValueError, match="sizes 3 and 4"):
            tf.einsum("ijk,kl->ijl", x, tf.ones([4, 2]))
        with pytest.raises(TypeError, match="keyword"):
            tf.einsum("i->i", x, axis=1)
