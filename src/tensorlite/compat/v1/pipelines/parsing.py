"""Parsing of TensorFlow 1: the functions whose arguments come in another order than 2's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.shared import parsing
from tensorlite.compat.v1.functions.sparse_older import sparse_merge
from tensorlite.core.dtypes import int64
from tensorlite.graph_mode.graph import active_graph

__all__ = ["decode_csv", "decode_raw", "parse_example", "parse_single_example"]


def parse_example(
    serialized: Any, features: Any, name: str | None = None, example_names: Any = None
) -> Any:
    """Return the features of a vector of serialized tf.train.Examples, a dict of tensors.

    features tells of each name: FixedLenFeature, VarLenFeature, SparseFeature, ... example_names
    has no effect.
    """
    return _parsed(parsing.parse_example, serialized, features, name)


def parse_single_example(
    serialized: Any, features: Any, name: str | None = None, example_names: Any = None
) -> Any:
    """Return the features of one serialized tf.train.Example, a dict of tensors.

    features tells of each name: FixedLenFeature, VarLenFeature, SparseFeature, ... example_names
    has no effect.
    """
    return _parsed(parsing.parse_single_example, serialized, features, name)


def _parsed(
    parse: Callable[..., Any], serialized: Any, features: Any, name: str | None
) -> Any:
    """Return features, the sparse ones merged in a graph of what says their places and values."""
    placed = {
        key: one
        for key, one in (features.items() if isinstance(features, dict) else ())
        if isinstance(one, parsing.SparseFeature)
    }
    if active_graph() is None or not placed:
        return parse(serialized, features, name=name)
    asked = {key: one for key, one in features.items() if key not in placed}
    for one in placed.values():
        for place in _places(one):
            asked.setdefault(place, parsing.VarLenFeature(int64))
        asked.setdefault(one.value_key, parsing.VarLenFeature(one.dtype))
    read = parse(serialized, asked, name=name)
    found = {key: read[key] for key in features if key not in placed}
    for key in sorted(placed):
        one = placed[key]
        ids = [read[place] for place in _places(one)]
        found[key] = sparse_merge(
            ids, read[one.value_key], one.size, already_sorted=one.already_sorted
        )
    return {key: found[key] for key in sorted(found)}


def _places(feature: Any) -> list[str]:
    key = feature.index_key
    return [key] if isinstance(key, str) else list(key)


def decode_raw(
    input_bytes: Any = None,
    out_type: Any = None,
    little_endian: bool = True,
    name: str | None = None,
    bytes: Any = None,
) -> Any:
    """Return the bytes of strings as numbers of out_type, along a new last axis.

    Strings must be of one length. bytes is the older name of input_bytes.
    """
    given = bytes if input_bytes is None else input_bytes
    return parsing.decode_raw(given, out_type, little_endian, name=name)


def decode_csv(
    records: Any,
    record_defaults: Any,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    name: str | None = None,
    na_value: str = "",
    select_cols: Any = None,
) -> Any:
    """Return a list of columns of lines of CSV, one tensor for each of record_defaults.

    A default gives the column's dtype, and its value where a field is empty or na_value; an empty
    one means that the field is needed. select_cols takes only the columns of these numbers.
    """
    return parsing.decode_csv(
        records,
        record_defaults,
        field_delim,
        use_quote_delim,
        na_value,
        select_cols,
        name,
    )
