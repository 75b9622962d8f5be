"""tf.train.init_from_checkpoint and warm_start: variables that begin with those of a checkpoint."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tensorlite.compat.views import in_graph, plain
from tensorlite.core.dispatch import constant
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import get_default_graph
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.interop.tensorflow.stored.checkpoints import CheckpointReader
from tensorlite.interop.tensorflow.stored.objects import keys_by_full_name
from tensorlite.interop.tensorflow.stored.starting import (
    begin_from,
    begin_with,
    prefix_of,
)


def _named(variables: Iterable[Any]) -> dict[str, list[Any]]:
    """Return variables by their names, the parts of one in a list."""
    found: dict[str, list[Any]] = {}
    for variable in variables:
        part = getattr(variable, "save_slice", None)
        name = variable.op.name if part is None else part.full_name
        found.setdefault(name, []).append(variable)
    return found


def init_from_checkpoint(ckpt_dir_or_file: Any, assignment_map: Any) -> None:
    """Let variables begin with tensors of a checkpoint, by their names or by those of scopes."""
    prefix = prefix_of(ckpt_dir_or_file)
    known = _named(get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES))
    stored = CheckpointReader(prefix)
    items = (
        assignment_map.items()
        if isinstance(assignment_map, Mapping)
        else assignment_map
    )
    pairs: list[tuple[str, Any]] = []
    for source, target in items:
        if not isinstance(target, str):
            pairs.append((source, target))
        elif target in known:
            pairs.append((source, known[target]))
        else:
            pairs += _of_scope(source, target, known, stored)
    begin_from(prefix, pairs)


def _of_scope(
    source: str, target: str, known: Mapping[str, Any], stored: Any
) -> list[tuple[str, Any]]:
    if not source.endswith("/"):
        raise InvalidArgumentError(
            f"Assignment map with scope only name {target.rstrip('/')} should map to scope only "
            f"{source}. Should be 'scope/': 'other_scope/'."
        )
    scope = "" if target == "/" else f"{target.rstrip('/')}/"
    first = "" if source == "/" else source
    names = [name for name in sorted(known) if name.startswith(scope)]
    found = [(first + name.removeprefix(scope), known[name]) for name in names]
    for name, variable in found:
        if not stored.has_tensor(name):
            raise InvalidArgumentError(
                f"Tensor {name} ({variable[0].name} in {source}) is not found in the checkpoint"
            )
    return found


class VocabInfo(NamedTuple):
    """The words of the rows of a variable, now and in the checkpoint that it begins with."""

    new_vocab: str
    new_vocab_size: int
    num_oov_buckets: int
    old_vocab: str
    old_vocab_size: int = -1
    backup_initializer: Callable[..., Any] | None = None
    axis: int = 0


def warm_start(
    ckpt_to_initialize_from: Any,
    vars_to_warm_start: Any = ".*",
    var_name_to_vocab_info: Mapping[str, VocabInfo] | None = None,
    var_name_to_prev_var_name: Mapping[str, str] | None = None,
) -> None:
    """Let variables begin with those of a checkpoint, rows being found by their words."""
    prefix = prefix_of(ckpt_to_initialize_from)
    words, before = var_name_to_vocab_info or {}, var_name_to_prev_var_name or {}
    chosen = _chosen(vars_to_warm_start)
    unknown = [name for name in {*words, *before} if name not in chosen]
    if unknown:
        raise InvalidArgumentError(
            f"warm_start: {sorted(unknown)} are not among the variables to be warm-started, "
            f"{sorted(chosen)}"
        )
    stored = CheckpointReader(prefix)
    keys = {**keys_by_full_name(stored), **before}
    whole = [
        (keys.get(name, name), x) for name, x in chosen.items() if name not in words
    ]
    begin_from(prefix, whole)
    for name, info in words.items():
        old = stored.get_tensor(keys.get(name, name))
        (variable,) = chosen[name]
        _begin(variable, _remapped(info, old, list(variable.spec.dims)))


def _begin(variable: Any, value: Any) -> None:
    in_graph(
        lambda: begin_with(variable, constant(value, variable.dtype)), "warm_start"
    )


def _chosen(asked: Any) -> dict[str, list[Any]]:
    """Return the variables to begin so: those that are trained, by an expression or by a list."""
    graph = get_default_graph()
    if asked is None:
        return {}
    if isinstance(asked, str):
        return _named(_matching(graph, GraphKeys.TRAINABLE_VARIABLES, [asked]))
    if all(isinstance(x, str) for x in asked):
        return _named(_matching(graph, GraphKeys.GLOBAL_VARIABLES, asked))
    return _named(asked)


def _matching(graph: Any, key: str, patterns: Iterable[str]) -> list[Any]:
    """Return the variables of a collection whose names, ":0" included, a pattern matches."""
    return [
        x
        for x in graph.get_collection(key)
        if any(re.match(pattern, x.name) for pattern in patterns)
    ]


def _remapped(info: VocabInfo, old: Any, shape: list[int]) -> Any:
    """Return a table for new words, of which the old ones have their rows."""
    make = info.backup_initializer
    found = np.zeros(shape, old.dtype) if make is None else _drawn(make, shape)
    before = {
        word: i for i, word in enumerate(_words(info.old_vocab, info.old_vocab_size))
    }
    now = _words(info.new_vocab, info.new_vocab_size)
    pairs = [(i, before[word]) for i, word in enumerate(now) if word in before]
    target = np.moveaxis(found, info.axis, 0)
    source = np.moveaxis(old, info.axis, 0)
    for new, previous in pairs:
        target[new] = source[previous]
    return found


def _drawn(make: Callable[..., Any], shape: list[int]) -> Any:
    made = plain(make(shape))
    known = made.spec.constant()
    if known is None:
        raise InvalidArgumentError(
            "VocabInfo: backup_initializer must give values that are known as the graph is built, "
            "as tf.zeros_initializer() and tf.constant_initializer() do"
        )
    return np.array(known)


def _words(file: str, count: int) -> list[bytes]:
    lines = Path(file).read_bytes().splitlines()
    return lines if count < 0 else lines[:count]
