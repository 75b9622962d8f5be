"""Datasets of few graphs are read, run and written; expected is what TensorFlow gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.compat import v1
from tensorlite.graph_mode.graph import mode, reset_default_graph
from tensorlite.interop.tensorflow.attributes import Shape
from tests.interop.graphdefs import ANY, Program
from tests.interop.test_sequence_parsing import vector

tf: Any = v1
Dataset: Any = tf.data.Dataset


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    reset_default_graph()
    yield
    mode.eager = before
    reset_default_graph()


def example(**features: list[Any]) -> bytes:
    made = tf.train.Example()
    for key, values in features.items():
        feature = made.features.feature[key]
        for kind, held in (("int64_list", int), ("float_list", float)):
            if isinstance(values[0], held):
                getattr(feature, kind).value.extend(values)
        if isinstance(values[0], bytes):
            feature.bytes_list.value.extend(values)
    found: bytes = made.SerializeToString()
    return found


EXAMPLES = vector(
    example(a=[1, 2], b=[1.5], c=[b"x", b"y"]),
    example(a=[3], c=[b"z"]),
    example(b=[2.5], a=[7]),
)
LAST = [[2.5], [[]]]
SPARSE = [
    [[[0, 0], [0, 1], [1, 0]], [1, 2, 3], [2, 2], [1.5, 9.0], [[b"x", b"y"], [b"z", b"-"]]],
    [[[0, 0]], [7], [1, 1], *LAST],
]  # fmt: skip
RAGGED = [
    [[1, 2, 3], [0, 2, 3], [1.5, 9.0], [[b"x", b"y"], [b"z", b"-"]]],
    [[7], [0, 1], *LAST],
]


def parsing(made: Program, ragged: bool) -> list[str]:
    """Add batches of examples, and return the names of the tensors of their features."""
    made.const("texts", EXAMPLES)
    made.node("TensorSliceDataset", "each", "texts", **elements(tl.string, []))
    made.const("rows", np.int64(2))
    made.const("rest", np.asarray(False))
    batched = {**elements(tl.string, [None])}
    made.node("BatchDatasetV2", "batches", "each", "rows", "rest", **batched)
    made.const("calls", np.int64(1))
    made.floats("b", 9.0)
    made.const("c", np.asarray(b"-", object))
    given: dict[str, Any] = {
        "sparse_keys": () if ragged else ("a",),
        "sparse_types": () if ragged else (tl.int64,),
        "dense_keys": ("c", "b"),
        "Tdense": (tl.string, tl.float32),
        "dense_shapes": (Shape((None,)), Shape(())),
        "output_types": (tl.variant, tl.float32, tl.string),
        "output_shapes": (ANY, Shape((None,)), Shape((None, None))),
    }
    name = "ParseExampleDataset"
    if ragged:
        name = "ParseExampleDatasetV2"
        given |= {"ragged_keys": ("a",), "ragged_value_types": (tl.int64,)}
        given |= {"ragged_split_types": (tl.int32,)}
    made.node(name, "parsed", "batches", "calls", "c", "b", **given)
    specs: dict[str, Any] = {
        key: given[key] for key in ("output_types", "output_shapes")
    }
    made.node("IteratorV2", "iterator", shared_name="", container="", **specs)
    made.node("MakeIterator", "begin", "parsed", "iterator")
    made.node("IteratorGetNext", "next", "iterator", **specs)
    if not ragged:
        kinds: dict[str, Any] = {"dtype": tl.int64, "Tserialized": tl.variant}
        made.node("DeserializeSparse", "a", "next", **kinds)
        return ["a:0", "a:1", "a:2", "next:1", "next:2"]
    own: dict[str, Any] = {
        "input_ragged_rank": -1,
        "output_ragged_rank": 1,
        "Tsplits": tl.int32,
    }
    made.node("RaggedTensorFromVariant", "a", "next", Tvalues=tl.int64, **own)
    return ["a:1", "a:0", "next:1", "next:2"]


def elements(dtype: Any, shape: Any) -> dict[str, Any]:
    kinds = (dtype,)
    told = {"output_types": kinds, "output_shapes": (Shape(tuple(shape)),)}
    return {**told, "Toutput_types": kinds}


def drained(definition: Any, begin: str, names: list[str]) -> list[Any]:
    found: list[Any] = []
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(definition, name="")
        again = graph.as_graph_def()
        with tf.Session() as session:
            session.run(graph.get_operation_by_name(begin))
            while True:
                try:
                    row = session.run(names)
                except tl.errors.OutOfRangeError:
                    break
                found.append([np.asarray(x).tolist() for x in row])
    return [found, again]


@pytest.mark.parametrize(("ragged", "wanted"), [(False, SPARSE), (True, RAGGED)])
def test_examples_are_parsed_in_batches(ragged: bool, wanted: list[Any]) -> None:
    made = Program()
    names = parsing(made, ragged)
    found, again = drained(made.proto, "begin", names)
    assert found == wanted
    assert drained(again, "begin", names)[0] == wanted


def test_rows_and_batches_of_sparse_tensors() -> None:
    x = tf.SparseTensor([[0, 0], [2, 1]], [1.0, 2.0], [3, 4])
    lengths = Dataset.range(1, 4).map(lambda n: tf.fill([n], n))
    batch = tf.data.experimental.dense_to_sparse_batch(2, [4])
    for dataset, wanted in (
        (
            Dataset.from_sparse_tensor_slices(x),
            [[[[0]], [1.0], [4]], [[], [], [4]], [[[1]], [2.0], [4]]],
        ),
        (
            lengths.apply(batch),
            [
                [[[0, 0], [1, 0], [1, 1]], [1, 2, 2], [2, 4]],
                [[[0, 0], [0, 1], [0, 2]], [3, 3, 3], [1, 4]],
            ],
        ),
    ):
        iterator = dataset.make_initializable_iterator()
        names = [part.name for part in tl.nest.flatten(iterator.get_next())]
        begin = iterator.initializer.name
        definition = tf.get_default_graph().as_graph_def()
        assert drained(definition, begin, names)[0] == wanted


def test_elements_that_are_listed_fill_tables() -> None:
    made = Program()
    specs: dict[str, Any] = {
        "output_types": (tl.string, tl.int64),
        "output_shapes": (Shape(()),) * 2,
    }
    for i, word in enumerate((b"a", b"b")):
        made.const(f"k{i}", np.asarray(word, object))
        made.const(f"v{i}", np.int64(i + 1))
    parts = ("k0", "v0", "k1", "v1")
    kinds = (tl.string, tl.int64) * 2
    made.node("ListDataset", "pairs", *parts, Tinput_types=kinds, **specs)
    made.node("WrapDatasetVariant", "inside", "pairs")
    made.node("UnwrapDatasetVariant", "out", "inside")
    own: dict[str, Any] = {
        "key_dtype": tl.string,
        "value_dtype": tl.int64,
        "shared_name": "t",
    }
    made.node("HashTableV2", "table", **own)
    made.node("InitializeTableFromDataset", "fill", "table", "out")
    made.const("asked", vector(b"b", b"q"))
    made.const("none", np.int64(-1))
    given: dict[str, Any] = {"Tin": tl.string, "Tout": tl.int64}
    made.node("LookupTableFindV2", "y", "table", "asked", "none", **given)
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(made.proto, name="")
        again = graph.as_graph_def()
    for definition in (made.proto, again):
        with tf.Graph().as_default() as graph, tf.Session() as session:
            tf.import_graph_def(definition, name="")
            session.run(graph.get_operation_by_name("fill"))
            assert session.run("y:0").tolist() == [2, -1]


def test_groups_by_key_are_written_as_tensorflows_operator() -> None:
    reducer = tf.data.experimental.Reducer(
        lambda _: np.int64(0), lambda total, x: total + x, lambda total: total
    )
    by_key = tf.data.experimental.group_by_reducer(lambda x: x % 3, reducer)
    iterator = Dataset.range(9).apply(by_key).make_initializable_iterator()
    names, begin = [iterator.get_next().name], iterator.initializer.name
    definition = tf.get_default_graph().as_graph_def()
    assert "GeneratorDataset" not in {node.op for node in definition.node}
    assert drained(definition, begin, names)[0] == [[9], [12], [15]]
