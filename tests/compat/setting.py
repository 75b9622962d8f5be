"""What the expressions of functions.jsonl are about: tensors of a graph, made by either library."""

from __future__ import annotations

from typing import Any

import numpy as np

FED = np.array([[0.5, 1.0, 2.0], [3.0, 4.0, 9.0]], np.float32)


def names(tf: Any) -> dict[str, Any]:
    """Return the names that expressions use, by the graph being built."""
    return {
        "tf": tf,
        "np": np,
        "X": tf.placeholder(tf.float32, [None, 3], name="X"),
        "A": tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], name="A"),
        "I": tf.constant([1, 2, 3, 4], name="I"),
        "N": tf.constant([-7, 7, -3, 3], name="N"),
        "F": tf.constant([-1.5, 0.5, 1.5, 2.7], name="F"),
        "B": tf.constant([[True, False], [True, True]], name="B"),
        "S": tf.constant(["ab", "c"], name="S"),
        "C": tf.constant(
            np.array([[1 + 2j, 3 - 1j], [1j, 2]], np.complex64), name="C"
        ),
        "T": tf.constant(np.arange(12, dtype=np.float32).reshape(2, 2, 3), name="T"),
        "Q": tf.constant(
            [[4.0, 1.0, 0.5], [1.0, 5.0, 1.0], [0.5, 1.0, 6.0]], name="Q"
        ),
        "IMG": tf.constant(
            np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1), name="IMG"
        ),
        "RGB": tf.constant(
            (np.arange(24) / 30).astype(np.float32).reshape(1, 2, 4, 3), name="RGB"
        ),
        "SP": tf.SparseTensor([[0, 1], [1, 2]], [5.0, 6.0], [2, 3]),
        "V": tf.constant([1.0, 2.0], name="V"),
    }


def flat(result: Any) -> list[Any]:
    """Return the tensors of a result."""
    if type(result).__name__ == "SparseTensor":
        return [result.indices, result.values, result.dense_shape]
    if type(result).__name__ == "IndexedSlices":
        return [result.values, result.indices]
    if isinstance(result, (list, tuple)):
        return [x for part in result for x in flat(part)]
    return [result]


def told(value: Any) -> dict[str, Any]:
    """Return a value as JSON has it: dtype, shape, elements."""
    if isinstance(value, bytes):
        value = np.asarray(value, object)
    array = np.asarray(value)
    if array.dtype == object:
        elements: list[Any] = [x.decode("latin1") for x in array.ravel()]
    elif array.dtype.kind == "c":
        elements = np.stack([array.real, array.imag], -1).ravel().tolist()
    else:
        elements = array.ravel().tolist()
    kept = [float(f"{x:.7g}") if isinstance(x, float) else x for x in elements]
    return {"dtype": array.dtype.name, "shape": list(array.shape), "elements": kept}


def answers(tf: Any, expression: str) -> list[dict[str, Any]]:
    """Return what an expression gives: for each tensor its name, known shape and value."""
    with tf.Graph().as_default():
        known = names(tf)
        tensors = flat(eval(expression, known))  # noqa: S307  # of a file beside this one
        with tf.Session() as session:
            values = session.run(tensors, {known["X"]: FED})
    return [
        {
            "name": x.name,
            "static": None if x.shape.ndims is None else x.shape.as_list(),
            **told(y),
        }
        for x, y in zip(tensors, values)  # noqa: B905  # Python 3.7 runs it, too
    ]
