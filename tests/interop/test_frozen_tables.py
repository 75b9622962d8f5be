"""Frozen graphs whose tables are placeholders: they are read, and run on tables that are fed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.compat import v2
from tensorlite.core.errors import DTypeError, GraphDefError, InvalidArgumentError
from tensorlite.graph_mode.graph import mode
from tests.interop.graphdefs import Program

tf: Any = v2


@pytest.fixture(autouse=True)
def _at_once() -> Iterator[None]:
    """Make tables at once, though another module may have imported version 1."""
    before, mode.eager = mode.eager, True
    yield
    mode.eager = before


def frozen() -> Program:
    """Return what is left of a function that looks words up, as TensorFlow 2.21 freezes it."""
    made = Program()
    made.node("Placeholder", "x", dtype=tl.string)
    made.node("Placeholder", "table", dtype=tl.resource)
    made.const("default", tl.asarray(-1, dtype=tl.int64).numpy())
    made.node(
        "LookupTableFindV2",
        *("y", "table", "x", "default"),
        Tin=tl.string,
        Tout=tl.int64,
    )
    made.node("LookupTableSizeV2", "size", "table")
    return made


def table_of(words: list[str], kind: Any = tl.int64) -> Any:
    numbers = tf.constant(range(len(words)), kind)
    first = tf.lookup.KeyValueTensorInitializer(words, numbers)
    return tf.lookup.StaticHashTable(first, tf.constant(-1, kind))


def test_tables_are_fed_to_graphs_that_were_frozen() -> None:
    session = frozen().session()
    words = tl.asarray(["b", "q", "a"])
    for held, wanted in ((["a", "b"], [1, -1, 0]), (["q"], [-1, 0, -1])):
        fed = {"x:0": words, "table:0": table_of(held).resource_handle}
        assert session.run("y:0", fed).tolist() == wanted
        assert int(session.run("size:0", fed)) == len(held)


def test_what_is_no_table_is_refused() -> None:
    session = frozen().session()
    with pytest.raises(InvalidArgumentError, match=r"'table' .* handle of a table"):
        session.run("y:0", {"x:0": tl.asarray(["a"])})
    with pytest.raises(DTypeError, match="resource_handle"):
        session.run("size:0", {"table:0": 3})


@pytest.mark.parametrize(
    ("empty", "deleted", "dtype"),
    [
        (np.int64(0), np.array(b"/device:CPU:0", object), tl.int64),
        (np.zeros(2, np.int64), np.int64(1), tl.int64),
        (np.bool_(False), np.bool_(True), tl.bool),
    ],
    ids=["text", "shape", "truth"],
)
def test_what_could_be_no_key_of_a_dense_table_is_refused(
    empty: Any, deleted: Any, dtype: Any
) -> None:
    made = Program()
    made.const("empty", empty)
    made.const("deleted", deleted)
    kinds = {"key_dtype": dtype, "value_dtype": tl.float32}
    made.node("MutableDenseHashTableV2", "table", "empty", "deleted", **kinds)
    refused = (GraphDefError, InvalidArgumentError)
    with pytest.raises(refused, match=r"as keys are|keys of bool"):
        made.session()
