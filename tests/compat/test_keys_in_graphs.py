"""Keys of tensors of version 1's graphs make TensorFlow 1.15.5's nodes, and select as NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1

tf: Any = v1
X = np.arange(24.0, dtype=np.float32).reshape(4, 3, 2)
INDEX = "add:AddV2 strided_slice/stack:Pack strided_slice/stack_1:Pack strided_slice:StridedSlice"
PLAIN = "strided_slice:StridedSlice"
CASES: dict[str, tuple[Callable[[Any, Any], Any], str]] = {
    "index": (lambda x, i: x[i], INDEX),
    "second": (lambda x, i: x[:, i], INDEX),
    "last": (lambda x, i: x[..., i - 1], f"sub:Sub {INDEX}"),
    "begin": (
        lambda x, i: x[i:, 1],
        "strided_slice/stack:Pack strided_slice:StridedSlice",
    ),
    "end": (
        lambda x, i: x[None, :i],
        "strided_slice/stack_1:Pack strided_slice:StridedSlice",
    ),
    "step": (
        lambda x, i: x[::i],
        "strided_slice/stack_2:Pack strided_slice:StridedSlice",
    ),
    "numbers": (lambda x, i: x[1:-1, 0, ::-1], PLAIN),
    "from_behind": (lambda x, i: x[-1, ..., -2], PLAIN),
    "all": (lambda x, i: x[:], PLAIN),
    "new": (lambda x, i: x[..., None], PLAIN),
}


@pytest.mark.parametrize("kind", [tf.int32, tf.int64], ids=str)
@pytest.mark.parametrize("what", CASES)
def test_keys_make_tensorflows_nodes(what: str, kind: Any) -> None:
    cut, nodes = CASES[what]
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x, i = tf.placeholder(tf.float32, [4, None, 2]), tf.placeholder(kind, [])
        made = cut(x, i)
        kinds = ("Const", "Placeholder", "Cast")
        ops = [op for op in graph.get_operations() if op.type not in kinds]
        slope = tf.gradients(made, x)
        found, flow = session.run([made, slope], {x: X, i: 1})
        begin = graph.get_tensor_by_name("strided_slice/stack:0")
    np.testing.assert_array_equal(found, cut(X, 1))
    marks = np.zeros_like(X)
    cut(marks, 1)[...] = 1
    np.testing.assert_array_equal(flow[0], marks)
    assert " ".join(f"{op.name}:{op.type}" for op in ops) == nodes
    assert begin.shape.as_list() in ([1], [2], [3])


def test_a_loop_indexes_by_its_counter() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        rows = tf.constant(X)
        _, total = tf.while_loop(
            lambda i, _: i < 4,
            lambda i, total: (i + 1, total + rows[i, 0]),
            [0, tf.zeros([2])],
        )
        slope = tf.gradients(total, rows)[0]
        found, flow = session.run([total, slope])
    np.testing.assert_array_equal(found, X[:, 0].sum(0))
    assert flow[:, 0].min() == 1
    assert flow[:, 1:].max() == 0


def test_what_is_no_number_is_taken_apart_as_before() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        rows = tf.constant(X)
        mask = tf.constant([True, False, True, False])
        found = session.run(rows[mask])
        np.testing.assert_array_equal(found, X[::2])
        with pytest.raises(IndexError):
            _ = rows[4]
