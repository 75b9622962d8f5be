"""What a library makes of small programs: names of results, what graphs collect, and all nodes.

It runs under TensorFlow 1.15 and its Python 3.7, too, and so knows nothing of either library.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent
CHOICE = re.compile(r"\{([^{}]*)\}")

PLACES: dict[str, Any] = {
    "X": ("float32", [4, 3]),
    "Y": ("float32", [4, 3]),
    "U": ("float32", [None, 3]),
    "U1": ("float32", None),
    "U3": ("float32", [None, None, 3]),
    "T": ("float32", [2, 2, 3]),
    "W": ("float32", [3, 2]),
    "W4": ("float32", [4, 2]),
    "Q": ("float32", [3, 3]),
    "V": ("float32", [2]),
    "V3": ("float32", [3]),
    "V4": ("float32", [4]),
    "P": ("float32", []),
    "IMG": ("float32", [2, 4, 4, 1]),
    "RGB": ("float32", [1, 4, 4, 3]),
    "BIG": ("float32", [1, 16, 16, 1]),
    "SOUND": ("float32", [2, 32]),
    "K": ("float32", [2, 2, 1, 2]),
    "K2": ("float32", [2, 2, 2, 1]),
    "N": ("int32", [4]),
    "N4": ("int32", [4]),
    "STEP": ("int32", []),
    "B": ("bool", [4, 3]),
    "P0": ("bool", []),
    "S": ("string", [2]),
    "S0": ("string", []),
}
"""What programs are fed: dtype and shape."""

UNSEEN = ("cond_context", "while_context")
"""What TensorFlow keeps for itself among what programs collect; files of graphs have it."""


MADE: dict[str, Any] = {
    "VAR": lambda tf: tf.Variable(np.ones([3, 2], np.float32), name="VAR"),
    "VAR5": lambda tf: tf.Variable(np.ones([5, 3], np.float32), name="VAR5"),
    "VB": lambda tf: tf.Variable(np.ones([2], np.float32), name="VB"),
    "RES": lambda tf: tf.get_variable("RES", [4, 2], use_resource=True),
    "STEPV": lambda tf: tf.train.get_or_create_global_step(),
    "SP": lambda tf: tf.SparseTensor([[0, 1], [1, 2]], [5.0, 6.0], [2, 3]),
    "SPX": lambda tf: tf.SparseTensor(
        [[0, 1], [1, 2]], tf.placeholder("float32", [2], name="SPX"), [2, 3]
    ),
    "SPI": lambda tf: tf.SparseTensor(
        [[0, 0], [1, 1]], tf.constant([1, 2], tf.int64), [2, 2]
    ),
    "SPS": lambda tf: tf.SparseTensor([[0, 1], [1, 2]], ["a", "b"], [2, 3]),
    "RAG": lambda tf: tf.ragged.constant([[1, 2], [3]]),
}


def given(tf: Any, program: str) -> dict[str, Any]:
    """Return what a program uses: the library, and what it names, made before it."""

    def grad(y: Any, *xs: Any) -> list[Any]:
        return [y, *tf.gradients(y, list(xs))]

    found = {"tf": tf, "np": np, "grad": grad}
    for name in re.findall(r"\b[A-Z][A-Z0-9]*\b", program):
        if name in PLACES and name not in found:
            dtype, shape = PLACES[name]
            found[name] = tf.placeholder(dtype, shape, name=name)
        elif name in MADE and name not in found:
            found[name] = MADE[name](tf)
    return found


def programs(theme: str) -> list[str]:
    """Return a theme's programs; braces in a line stand for each of their parts in turn."""
    lines = (FOLDER / "programs" / f"{theme}.txt").read_text().splitlines()
    found = [x for line in lines if line[:1] not in ("", "#") for x in expanded(line)]
    return list(dict.fromkeys(found))


def expanded(line: str) -> Iterator[str]:
    """Yield a line with each choice among its alternatives."""
    parts = CHOICE.split(line)
    choices = [x.split("|") if i % 2 else [x] for i, x in enumerate(parts)]
    for chosen in itertools.product(*choices):
        yield "".join(chosen)


def told(tf: Any, program: str, unwritten: Any = ()) -> dict[str, list[str]]:
    """Return what a program makes: its results, what its graph collects, and all nodes.

    There are none of these where an error that is `unwritten` says that a graph cannot be written.
    """
    with tf.Graph().as_default() as graph:
        whole = _whole(program)
        known = given(tf, program if whole is None else "")
        if whole is not None:
            exec(whole, known)  # of a file beside this one
            result = known.get("Z", ())
        elif program.startswith("with "):
            exec(program, known)  # of a file beside this one
            result = known["Z"]
        else:
            result = eval(program, known)  # noqa: S307  # of a file beside this one
        collected = [
            f"{key}: {called(x)}"
            for key in sorted(map(str, graph.get_all_collection_keys()))
            if key not in UNSEEN and key[:1] not in "(_"
            for x in graph.get_collection(key)
        ]
        results = [called(x) for x in flat(result)]
        return {
            "results": results,
            "collected": collected,
            "nodes": nodes(graph, unwritten),
        }


def _whole(program: str) -> Any:
    """Return the text of a program of many lines, None for one that is a line itself."""
    kind, _, name = program.partition(" ")
    return (
        (FOLDER / "whole" / (name + ".txt")).read_text() if kind == "whole" else None
    )


def nodes(graph: Any, unwritten: Any) -> list[str]:
    try:
        listed = graph.as_graph_def().node
    except unwritten:
        return []
    return sorted(written(x) for x in listed)


def written(node: Any) -> str:
    """Return a node's name, type and inputs."""
    inputs = ", ".join(x for x in node.input if x[0] != "^")
    return f"{node.name} {node.op}({inputs})"


def flat(result: Any) -> list[Any]:
    """Return the tensors of a result."""
    kind = type(result).__name__
    if kind == "SparseTensor":
        return [result.indices, result.values, result.dense_shape]
    if kind == "IndexedSlices":
        return [result.values, result.indices]
    if kind == "RaggedTensor":
        return [result.flat_values, *result.nested_row_splits]
    if kind == "TensorArray":
        return [result.flow]
    if isinstance(result, dict):
        return [x for key in sorted(result) for x in flat(result[key])]
    if isinstance(result, (list, tuple)):
        return [x for part in result for x in flat(part)]
    return [result]


def called(x: Any) -> str:
    """Return the name that a library gives to a value, or its kind."""
    name = getattr(x, "name", None)
    return name if isinstance(name, str) else type(x).__name__
