"""Graphs with datasets and iterators are written and read: they give the same elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.compat import v1
from tensorlite.graph_mode.graph import mode, reset_default_graph

tf: Any = v1
Dataset: Any = tf.data.Dataset
Make = Callable[[], Any]


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    reset_default_graph()
    yield
    mode.eager = before
    reset_default_graph()


def drained(session: Any, names: list[str]) -> list[Any]:
    found: list[Any] = []
    while True:
        try:
            found.append([np.asarray(x).tolist() for x in session.run(names)])
        except tl.errors.OutOfRangeError:
            return found


def names_of(iterator: Any) -> list[str]:
    return [x.name for x in tl.nest.flatten(iterator.get_next())]


def rows() -> Any:
    whole = np.arange(6, dtype=np.int64), np.ones([6, 2], np.float32)
    scale = tf.constant(2.0)
    mapped = Dataset.from_tensor_slices(whole).map(
        lambda n, row: {"n": n + 1, "row": row * scale}, num_parallel_calls=2
    )
    return mapped.filter(lambda x: x["n"] > 2).batch(3).repeat(2)


def padded() -> Any:
    lengths = Dataset.range(1, 6).map(lambda n: (tf.fill([n], n), tf.as_string(n)))
    return lengths.padded_batch(2, ([None], []), (np.int64(-1), b"x"))


def nested() -> Any:
    inner = Dataset.range(4).flat_map(lambda n: Dataset.range(n).map(lambda m: m + n))
    return (
        inner.concatenate(Dataset.range(2))
        .window(2, 1)
        .flat_map(lambda w: w.batch(2))
    )


def turns() -> Any:
    many = Dataset.range(3).interleave(lambda n: Dataset.from_tensors(n).repeat(3), 2)
    return Dataset.zip(
        (many.skip(1).take(6), Dataset.range(20).shard(3, 1))
    ).prefetch(1)


def groups() -> Any:
    return Dataset.range(7).apply(
        tf.data.experimental.group_by_window(
            lambda n: n % 2, lambda k, w: w.batch(2), 2
        )
    )


def sums() -> Any:
    summed = Dataset.range(5).apply(
        tf.data.experimental.scan(np.int64(1), lambda s, n: (s + n, (s, n)))
    )
    return summed.cache().apply(tf.data.experimental.unique()).enumerate(3)


def ordered() -> Any:
    tf.set_random_seed(3)
    drawn = Dataset.range(6).shuffle(4, seed=2).repeat(2)
    return drawn.map(lambda n: (n, tf.random_uniform([], seed=1))).batch(4)


KINDS: list[Make] = [rows, padded, nested, turns, groups, sums, ordered]


@pytest.mark.parametrize("make", KINDS)
@pytest.mark.parametrize("once", [True, False])
def test_what_is_written_and_read_gives_the_same(make: Make, once: bool) -> None:
    if once:
        iterator = tf.data.make_one_shot_iterator(make())
    else:
        iterator = tf.data.make_initializable_iterator(make())
    names, begin = names_of(iterator), [] if once else [iterator.initializer.name]
    with tf.Session() as session:
        session.run(begin)
        wanted = drained(session, names)
    proto = tf.get_default_graph().as_graph_def()
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(proto, name="")
        assert "PythonDataset" not in {node.op for node in proto.node}
        assert graph.as_graph_def().node == proto.node
        with tf.Session() as session:
            session.run(begin)
            assert drained(session, names) == wanted
    assert wanted


def test_nodes_are_tensorflows() -> None:
    tf.data.make_initializable_iterator(Dataset.range(9).shuffle(3, seed=1).batch(2))
    proto = tf.get_default_graph().as_graph_def()
    made = [(x.name, x.op) for x in proto.node if x.op != "Const"]
    assert [x for x in made if not x[0].startswith("seed2/")] == [
        ("RangeDataset", "RangeDataset"),
        ("seed2", "Select"),
        ("ShuffleDataset", "ShuffleDataset"),
        ("BatchDatasetV2", "BatchDatasetV2"),
        ("OptimizeDataset", "OptimizeDataset"),
        ("ModelDataset", "ModelDataset"),
        ("IteratorV2", "IteratorV2"),
        ("IteratorToStringHandle", "IteratorToStringHandle"),
        ("MakeIterator", "MakeIterator"),
    ]
    constants = {node.name for node in proto.node if node.op == "Const"}
    assert {"start", "stop", "step", "buffer_size", "batch_size"} <= constants


def test_a_saver_writes_a_meta_graph_beside_an_iterator(tmp_path: Path) -> None:
    fed = tf.placeholder(tf.float32, [None], name="fed")
    iterator = tf.data.make_initializable_iterator(Dataset.from_tensor_slices(fed))
    v = tf.get_variable("v", initializer=3.0)
    y = tf.multiply(iterator.get_next(), v, name="y")
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        path = saver.save(session, str(tmp_path / "model"))
    begin, name = iterator.initializer.name, y.name
    reset_default_graph()
    again = tf.train.import_meta_graph(f"{path}.meta")
    with tf.Session() as session:
        again.restore(session, path)
        session.run(begin, {"fed:0": [1.0, 2.0]})
        assert drained(session, [name]) == [[3.0], [6.0]]


def test_datasets_of_python_are_written_as_calls_of_their_process() -> None:
    dataset = Dataset.from_generator(lambda: iter([1, 2, 3]), tf.int64, [])
    names = names_of(tf.data.make_one_shot_iterator(dataset.batch(2)))
    graph = tf.get_default_graph()
    proto = graph.as_graph_def()
    functions = [node.op for one in proto.library.function for node in one.node_def]
    assert {"GeneratorDataset", "PyFunc"} <= set(functions)
    with tf.Graph().as_default():
        tf.import_graph_def(proto, name="")
        with tf.Session() as session:
            assert drained(session, names) == [[[1, 2]], [[3]]]
    for function in proto.library.function:
        for node in function.node_def:
            if node.op == "PyFunc":
                node.attr["token"].s = b"of another process"
    with tf.Graph().as_default():
        tf.import_graph_def(proto, name="")
        with (
            tf.Session() as session,
            pytest.raises(tl.errors.InvalidArgumentError, match="is not found"),
        ):
            session.run(names)


def test_tables_are_written() -> None:
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(["a", "b"], np.array([5, 6], np.int64)),
        -1,
    )
    dataset = Dataset.from_tensor_slices(["b", "q", "a"]).map(table.lookup)
    iterator = tf.data.make_initializable_iterator(dataset)
    begin = [tf.tables_initializer().name, iterator.initializer.name]
    names = names_of(iterator)
    proto = tf.get_default_graph().as_graph_def()
    with tf.Graph().as_default():
        tf.import_graph_def(proto, name="")
        with tf.Session() as session:
            for name in begin:
                session.run(name)
            assert drained(session, names) == [[6], [-1], [5]]


def test_each_run_begins_with_its_own_random_numbers() -> None:
    dataset = Dataset.range(3).map(lambda _: tf.random_uniform([], seed=4))
    iterator = tf.data.make_initializable_iterator(dataset)
    names = names_of(iterator)
    with tf.Session() as session:
        session.run(iterator.initializer)
        first = drained(session, names)
        session.run(iterator.initializer)
        assert drained(session, names) == first
    assert len({x for (x,) in first}) == 3
