"""Arguments of a wrong kind: the library's own errors, with what was given and is allowed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import tensorlite.compat.v1 as tf1
import tensorlite.compat.v2 as tf2
from tensorlite.core.errors import TensorliteError
from tensorlite.graph_mode.graph import mode

X = [[1.0, 2.0], [3.0, 4.0]]
IMAGE = [[[[1.0], [2.0]], [[3.0], [4.0]]]]


class Odd:
    """Something that no function takes."""

    def __repr__(self) -> str:
        return "<Odd>"


ODD = Odd()

CALLS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "reshape to no shape": (lambda tf: tf.reshape(X, ODD), r"shape=<Odd>.*integers"),
    "reshape to a fraction": (lambda tf: tf.reshape(X, 2.5), r"shape=2\.5.*integers"),
    "sizes beyond integers": (lambda tf: tf.fill([10**30], 1.0), "do not fit"),
    "axis that is a text": (
        lambda tf: tf.stack([X, X], axis="0"),
        "axis='0'.*integers",
    ),
    "axis that is a fraction": (lambda tf: tf.stack([X, X], axis=0.5), "axis=0.5"),
    "axis that is None": (lambda tf: tf.unstack(X, axis=None), "axis=None.*integers"),
    "axes in lists of lists": (
        lambda tf: tf.reduce_sum(X, [0, [1, 2]]),
        "axis=.*integers",
    ),
    "axes to squeeze": (
        lambda tf: tf.squeeze(X, [0, [1, 2]]),
        "squeeze: axis=.*integers",
    ),
    "an axis to put in": (
        lambda tf: tf.expand_dims(X, [0, [1]]),
        "expand_dims: axis=",
    ),
    "an order of axes": (lambda tf: tf.transpose(X, ODD), "axes=<Odd>.*each axis"),
    "tensors that are none": (lambda tf: tf.stack(ODD), "values=<Odd>.*tensors"),
    "parts as bytes": (lambda tf: tf.split(X, b"x"), "num_or_sizes=b'x'.*integers"),
    "gather along a text": (lambda tf: tf.gather(X, 0, axis="a"), "gather: axis='a'"),
    "softmax along a text": (
        lambda tf: tf.nn.softmax(X, axis="a"),
        "axis='a'.*integers",
    ),
    "an equation": (lambda tf: tf.einsum(ODD, X), "equation=<Odd>.*'ij,jk->ik'"),
    "axes of products": (lambda tf: tf.tensordot(X, X, ODD), "axes=<Odd>.*two lists"),
    "three lists of axes": (
        lambda tf: tf.tensordot(X, X, [[0], [1], [1]]),
        "two lists",
    ),
    "a mode of padding": (
        lambda tf: tf.pad(X, [[0, 0], [1, 1]], ODD),
        "mode: <Odd>.*REFLECT",
    ),
    "strides of a window": (
        lambda tf: tf.nn.conv2d(IMAGE, [[[[1.0]]]], strides="1", padding="SAME"),
        "'1'; allowed are integers",
    ),
    "a padding": (
        lambda tf: tf.nn.conv2d(IMAGE, [[[[1.0]]]], strides=1, padding=ODD),
        "padding=<Odd>.*'SAME'",
    ),
    "a seed": (lambda tf: tf.random.uniform([2], seed="1"), "seed='1'.*integers"),
    "a branch": (
        lambda tf: tf.cond(tf.constant(True), ODD, ODD),
        "true_fn must be callable",
    ),
    "pairs of cases": (lambda tf: tf.case(ODD), "pred_fn_pairs=<Odd>.*condition"),
    "cases that are no pairs": (
        lambda tf: tf.case([(1, 2, 3)]),
        "pairs of a condition",
    ),
    "a condition": (lambda tf: tf.while_loop(ODD, lambda i: i, [0]), "cond.*=<Odd>"),
    "variables of loops": (
        lambda tf: tf.while_loop(lambda i: i < 1, lambda i: i, ODD),
        "loop_vars=<Odd>.*list",
    ),
    "gradients to clip": (
        lambda tf: tf.clip_by_global_norm(ODD, 1.0),
        "t_list=<Odd>.*list",
    ),
}


@pytest.fixture(params=["graph", "eager"])
def tf(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Yield TensorFlow 1 while a graph is built, and TensorFlow 2."""
    before = mode.eager
    mode.eager = request.param == "eager"
    if mode.eager:
        yield tf2
    else:
        with tf1.Graph().as_default():
            yield tf1
    mode.eager = before


@pytest.mark.parametrize("case", CALLS)
def test_an_argument_of_a_wrong_kind(case: str, tf: Any) -> None:
    call, said = CALLS[case]
    with pytest.raises(TensorliteError, match=rf"(?s){said}"):
        call(tf)


def test_a_name_that_is_no_text() -> None:
    name: Any = ODD
    with tf1.Graph().as_default() as graph:
        with pytest.raises(TensorliteError, match=r"name=<Odd>.*text"):
            tf1.placeholder(tf1.float32, [2], name)
        with pytest.raises(TensorliteError, match=r"name=<Odd>.*text"):
            tf1.name_scope(name).__enter__()
        assert graph.get_operations() == []
