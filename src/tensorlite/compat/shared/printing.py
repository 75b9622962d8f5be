"""tf.print: structures with tensors in them as a template, which is filled in when it is run."""

from __future__ import annotations

import pprint
import random
import sys
from collections.abc import Sequence
from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted, named
from tensorlite.compat.shared import nests, strings
from tensorlite.compat.views import plain
from tensorlite.core.dtypes import string
from tensorlite.core.operand import Operand
from tensorlite.core.spec import TensorSpec
from tensorlite.ops.control.effects import PrintV2
from tensorlite.ops.fetchable import effect
from tensorlite.ops.ragged.tensor import RaggedTensor
from tensorlite.ops.sparse.tensor import SparseTensor

_LEVELS = {"info": "info", "warning": "warning", "warn": "warning", "error": "error"}
"""Functions of logging, which stand for a stream."""
_NUMBERS = {20: "info", 30: "warning", 40: "error"}
_SPARSE = "SparseTensor(indices={0}, values={0}, shape={0})"


def print(*inputs: Any, **kwargs: Any) -> Any:
    """Write values, tensors alone or in structures; in a graph return what does it.

    Keywords are `output_stream` (the error stream; or a file:// path, or a level of logging),
    `summarize` (3 elements at each end, all if -1), `sep`, `end` and `name`; ValueError for others.
    """
    stream = _stream(kwargs.pop("output_stream", sys.stderr))
    summarize = kwargs.pop("summarize", 3)
    sep, end = kwargs.pop("sep", " "), kwargs.pop("end", "\n")
    name = kwargs.pop("name", None)
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {kwargs}")
    given = [_text_of_ragged(x, summarize) for x in inputs]
    if len(given) == 1 and _is_a_string(given[0]):
        text = given[0]
    else:
        below = f"{name}_format" if name else None
        text = _filled(given, sep, 3 if summarize is None else summarize, below)
    return _print(text, stream, end, name=name)


def _stream(given: Any) -> Any:
    if given is sys.stderr or given is sys.stdout:
        return "stderr" if given is sys.stderr else "stdout"
    level = _NUMBERS.get(given) if isinstance(given, int) else None
    level = level or _LEVELS.get(getattr(given, "__name__", ""))
    return f"log({level})" if level else given


def _is_a_string(x: Any) -> bool:
    return isinstance(x, Operand) and converted(plain(x)).spec == TensorSpec(
        (), string
    )


def _filled(inputs: Sequence[Any], sep: str, summarize: int, name: str | None) -> Any:
    """Return structures as one text, in which tensors' values stand at their places."""
    bare = nests.map_structure(lambda x: "" if _is_tensor(x) else x, list(inputs))
    mark = _absent_from(" ".join(pprint.pformat(x) for x in bare))
    tensors: list[Any] = []
    texts = [_template(x, mark, tensors) for x in inputs]
    template = sep.join(texts).replace(f"'{mark}'", mark)
    return strings.format(template, tensors, mark, summarize, name=name)


def _is_tensor(x: Any) -> bool:
    return isinstance(x, (Operand, SparseTensor))


def _absent_from(text: str) -> str:
    """Return a placeholder that is nowhere in a text: the one that TensorFlow takes."""
    mark, digits = "{}", random.Random(5)  # noqa: S311  nothing secret
    while mark in text:
        mark += str(digits.randint(0, 9))
    return mark


def _template(value: Any, mark: str, tensors: list[Any]) -> str:
    if isinstance(value, str):
        return value

    def placed(x: Any) -> Any:
        if isinstance(x, SparseTensor):
            tensors.extend([x.indices, x.values, x.dense_shape])
            return _SPARSE.format(mark)
        if isinstance(x, Operand):
            tensors.append(x)
            return mark
        return x

    leaves = [placed(x) for x in nests.flatten(value)]
    return pprint.pformat(nests.pack_sequence_as(value, leaves))


def _text_of_ragged(value: Any, summarize: int | None) -> Any:
    """Return a ragged tensor as a string, what is none as it is."""
    if not isinstance(plain(value), RaggedTensor):
        return value
    return _ragged_to_string(value, -1 if summarize is None else summarize)


@named("AsString")
def _ragged_to_string(value: Any, summarize: int, name: str | None = None) -> Any:
    flat = value.flat_values
    if flat.dtype is string:
        escaped = tl.strings.regex_replace(flat, r"(['\\])", r"\\\1")
        shown = tl.strings.join(["'", escaped, "'"])
    else:
        shown = tl.strings.as_string(flat)
    return _joined(_texts(value.with_flat_values(shown), summarize), summarize)


def _texts(x: Any, count: int) -> Any:
    """Return what is shown for each element along the first axis."""
    if isinstance(x, RaggedTensor):
        inner, ends = _texts(x.values, count), x.row_splits
        rows = tl.arange(tl.shape(ends)[0] - 1)
        return tl.map_fn(lambda i: _joined(inner[ends[i] : ends[i + 1]], count), rows)
    if x.ndim == 1:
        return x
    return tl.map_fn(lambda row: _joined(_texts(row, count), count), x)


def _joined(parts: Any, count: int) -> Any:
    if count >= 0:
        few = tl.shape(parts)[0] <= 2 * count
        parts = tl.cond(few, lambda: parts, lambda: _elided(parts, count))
    inner = tl.strings.reduce_join(parts, separator=", ")
    return tl.strings.join(["[", inner, "]"])


def _elided(parts: Any, count: int) -> Any:
    return tl.concat([parts[:count], tl.asarray([b"..."]), parts[-count:]])


@named("PrintV2")
def _print(text: Any, stream: Any, end: str, name: str | None = None) -> Any:
    return effect(PrintV2(stream, end), converted(text))
