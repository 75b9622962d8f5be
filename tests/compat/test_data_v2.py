"""tf.data of TensorFlow 2, and the names under which reading is found in both versions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.compat import v1, v2 as tf
from tensorlite.compat.shared.datasets import data_experimental
from tensorlite.compat.shared.datasets.data_specs import OptionalSpec
from tensorlite.compat.v2 import data, io, test
from tensorlite.core.dtypes import variant
from tensorlite.graph_mode.graph import mode

Dataset: Any = data.Dataset


@pytest.fixture(autouse=True)
def eager() -> Iterator[None]:
    before, mode.eager = mode.eager, True
    yield
    mode.eager = before


def values(dataset: Any) -> list[Any]:
    return [np.asarray(x).tolist() for x in dataset]


def test_arguments_are_tensorflows() -> None:
    dataset = Dataset.from_tensor_slices(tensors=np.arange(6), name="rows")
    dataset = dataset.map(map_func=lambda x: x + 1, num_parallel_calls=data.AUTOTUNE)
    dataset = dataset.filter(predicate=lambda x: x != 3, name="kept")
    dataset = dataset.shuffle(buffer_size=1).repeat(count=1).prefetch(data.AUTOTUNE)
    assert values(dataset.batch(2, drop_remainder=False)) == [[1, 2], [4, 5], [6]]
    assert int(Dataset.range(4, output_type=tl.int32).cardinality()) == 4
    assert int(Dataset.range(4).repeat().cardinality()) == data.INFINITE_CARDINALITY
    turns = Dataset.range(2).interleave(
        map_func=lambda x: Dataset.from_tensors(x).repeat(2), cycle_length=2
    )
    assert values(turns) == [0, 1, 0, 1]
    pairs = Dataset.zip((Dataset.range(2), Dataset.range(2)))
    assert [(int(a), int(b)) for a, b in pairs] == [(0, 0), (1, 1)]


def test_training_reads_in_traced_functions() -> None:
    dataset = Dataset.range(5).map(lambda x: tl.astype(x, tl.float32)).batch(2)

    @tl.function
    def total() -> Any:
        result = tl.asarray(0.0)
        for batch in dataset:
            result += tl.sum(batch)
        return result

    assert float(total()) == 10.0
    reader = iter(dataset)
    assert reader.get_next().shape == (2,)


def test_experimental_steps() -> None:
    experimental = data_experimental
    steps = [
        experimental.unbatch(),
        experimental.enumerate_dataset(5),
        experimental.take_while(lambda i, x: i < 7),
    ]
    dataset = Dataset.range(4).batch(2)
    for step in steps:
        dataset = dataset.apply(step)
    assert [(int(i), int(x)) for i, x in dataset] == [(5, 0), (6, 1)]
    mixed = experimental.sample_from_datasets(
        [Dataset.range(2), Dataset.range(2)], seed=1
    )
    assert sorted(values(mixed)) == [0, 0, 1, 1]
    reader = iter(Dataset.range(1))
    first, second = (experimental.get_next_as_optional(reader) for _ in range(2))
    assert (bool(first.has_value()), int(first.get_value())) == (True, 0)
    assert not second.has_value()


def test_records(tmp_path: Path) -> None:
    path = tmp_path / "r"
    with io.TFRecordWriter(str(path), io.TFRecordOptions("ZLIB")) as writer:
        writer.write(b"one")
    dataset = data.TFRecordDataset([path], compression_type="ZLIB")
    assert isinstance(dataset, data.Dataset)
    assert [x.item() for x in dataset.repeat(2)] == [b"one"] * 2
    data_experimental.TFRecordWriter(path).write(
        Dataset.from_tensor_slices([b"a", b"b"])
    )
    assert [x.item() for x in data.TFRecordDataset(path)] == [b"a", b"b"]
    tests: Any = test.TestCase()
    tests.assertAllEqual(io.decode_raw([b"\1"], tl.uint8, fixed_length=2), [[1, 0]])


NAMES = (
    *(
        "FIFOQueue",
        "TextLineReader",
        "WholeFileReader",
        "parse_example",
        "decode_csv",
    ),
    *("read_file", "FixedLenFeature", "get_logger"),
)
OF_TRAIN = ("batch", "shuffle_batch", "start_queue_runners", "string_input_producer")


def test_names_of_tensorflow_1() -> None:
    tf: Any = v1
    assert all(callable(getattr(tf, name)) for name in NAMES)
    assert all(callable(getattr(tf.train, name)) for name in OF_TRAIN)
    assert callable(tf.io.gfile.exists)
    assert not hasattr(tf.io.gfile, "Exists")
    assert tf.python_io.TFRecordWriter is tf.io.TFRecordWriter


def test_messages_and_names_that_are_not_there() -> None:
    tf: Any = v1
    feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[3]))
    example = tf.train.Example(features=tf.train.Features(feature={"x": feature}))
    wanted = {"x": tf.FixedLenFeature([], tl.int64)}
    assert int(io.parse_single_example(example.SerializeToString(), wanted)["x"]) == 3
    for namespace, name, near in (
        (tf.gfile, "Exist", "Exists"),
        (data, "Datasets", "Dataset"),
    ):
        with pytest.raises(AttributeError, match=f"near it are: {near}"):
            getattr(namespace, name)


def test_one_file_is_named_by_itself(tmp_path: Path) -> None:
    (tmp_path / "lines.txt").write_text("one\ntwo\n", encoding="utf-8")
    lines = Dataset.list_files(str(tmp_path / "*.txt"), shuffle=False)
    for found in (
        data.TextLineDataset(str(tmp_path / "lines.txt")),
        data.TextLineDataset(lines),
    ):
        assert values(found) == [b"one", b"two"]


def test_texts_of_elements_are_bytes() -> None:
    tl.config.set_tensorflow_results(True)
    texts = Dataset.from_tensor_slices(["a", "b"])
    assert list(texts.as_numpy_iterator()) == [b"a", b"b"]
    assert [x.numpy() for x in texts] == [b"a", b"b"]
    assert next(texts.batch(2).as_numpy_iterator()).tolist() == [b"a", b"b"]


def test_datasets_are_kept_in_folders(tmp_path: Path) -> None:
    path = str(tmp_path / "saved")
    experimental = data.experimental
    Dataset.range(4).save(path, shard_func=lambda x: x % 2, name="kept")
    for found in (Dataset.load(tl.asarray(path)), experimental.load(path)):
        assert values(found) == [0, 1, 2, 3]
    assert int(Dataset.load(path=path).cardinality()) == 4
    experimental.save(Dataset.range(2), path)
    kept = Dataset.load(path).apply(experimental.snapshot(str(tmp_path / "snap")))
    assert (values(kept), values(kept)) == ([0, 1], [0, 1])
    with v1.Graph().as_default(), pytest.raises(tl.errors.UnimplementedError):
        Dataset.range(4).save(path)


def test_steps_of_the_experimental_namespace() -> None:
    experimental = data.experimental
    pairs = experimental.from_list([(1, "a"), (2, "b")])
    assert [int(n) for n, _ in pairs] == [1, 2]
    counted = pairs.apply(experimental.assert_cardinality(2))
    assert int(counted.cardinality()) == 2
    rows = Dataset.range(1, 3).map(tl.arange)
    (batch,) = rows.apply(experimental.dense_to_sparse_batch(2, [None]))
    assert batch.dense_shape.tolist() == [2, 2]


def test_elements_of_keys_become_one_and_errors_are_left_out() -> None:
    reducer = data.experimental.Reducer(
        lambda key: (key, tl.constant(0, "int64")),
        lambda state, x: (state[0], state[1] + x),
        lambda key, total: key * 100 + total,
    )
    sums = data.Dataset.range(5).apply(
        data.experimental.group_by_reducer(lambda x: x % 2, reducer)
    )
    assert list(sums.as_numpy_iterator()) == [6, 104]
    assert sums.element_spec == tl.TensorSpec((), tl.int64)
    words = data.Dataset.from_tensor_slices(["1", "one", "2"])
    numbers = words.map(tl.strings.to_number)
    for left in (
        numbers.ignore_errors(),
        numbers.apply(data.experimental.ignore_errors()),
    ):
        assert list(left.as_numpy_iterator()) == [1.0, 2.0]


def test_datasets_are_elements_of_datasets() -> None:
    numbers = data.Dataset.range
    several = data.Dataset.from_tensor_slices(([numbers(3), numbers(2)], [5, 6]))
    found = several.flat_map(lambda inner, x: inner.map(lambda y: (x, y)))
    assert [(int(x), int(y)) for x, y in found] == [
        (5, 0),
        (5, 1),
        (5, 2),
        (6, 0),
        (6, 1),
    ]
    windows = numbers(4).window(2)
    joined = windows.concatenate(numbers(1).window(1))
    assert [[int(x) for x in one] for one in joined] == [[0, 1], [2, 3], [0]]
    with pytest.raises(TypeError, match="Incompatible"):
        windows.concatenate(data.Dataset.from_tensors(1.0).window(1))
    again = windows.batch(2).unbatch().flat_map(lambda one: one)
    assert [int(x) for x in again] == [0, 1, 2, 3]


def test_windows_of_sparse_and_ragged_tensors() -> None:
    sparse = data.Dataset.from_tensors(tl.sparse.from_dense([1, 0])).repeat(2)
    (window,) = sparse.window(2)
    dense = [tl.sparse.to_dense(x).tolist() for x in window]
    assert dense == [[1, 0], [1, 0]]
    ragged = data.Dataset.from_tensor_slices(tl.ragged.constant([[1], [2, 3]]))
    (batch,) = ragged.window(2).flat_map(lambda one: one.batch(2))
    assert batch.to_list() == [[1], [2, 3]]


def test_datasets_are_tensors_and_again_datasets() -> None:
    held = data.experimental.to_variant(data.Dataset.range(3))
    assert held.dtype == variant
    spec = tl.TensorSpec((), tl.int64)
    again = data.experimental.from_variant(held, spec)
    assert [int(x) for x in again] == [0, 1, 2]

    @tl.function
    def total() -> Any:
        inner = data.experimental.to_variant(data.Dataset.range(4))
        dataset = data.experimental.from_variant(inner, spec)
        return dataset.reduce(tl.constant(0, "int64"), lambda state, x: state + x)

    assert int(total()) == 6


def test_generators_go_on_behind_what_does_not_fit() -> None:
    signature = tl.TensorSpec([2], tl.int32)
    rows = data.Dataset.from_generator(
        lambda: iter([[1, 2], [3], [4, 5]]), output_signature=signature
    )
    reader = iter(rows)
    assert next(reader).tolist() == [1, 2]
    with pytest.raises((TypeError, tl.errors.InvalidArgumentError)):
        next(reader)
    assert next(reader).tolist() == [4, 5]
    with pytest.raises(tl.errors.InvalidArgumentError, match="step is 0"):
        data.Dataset.range(0, 5, 0)


def test_specs_of_datasets_iterators_and_optionals() -> None:
    numbers = Dataset.range(3)
    spec = data.DatasetSpec.from_value(numbers)
    assert spec == data.DatasetSpec(tl.TensorSpec((), tl.int64))
    assert hash(spec) == hash(data.DatasetSpec(tl.TensorSpec((), tl.int64)))
    assert spec.is_compatible_with(numbers.map(lambda x: x + 1))
    assert not spec.is_compatible_with(numbers.batch(2))
    assert not spec.is_compatible_with(numbers.enumerate())
    rows = data.DatasetSpec(tl.TensorSpec((None,), tl.int64))
    assert rows.is_compatible_with(numbers.batch(3, drop_remainder=True))
    iterator = iter(numbers)
    of_iterator = data.IteratorSpec.from_value(iterator)
    assert of_iterator.element_spec == spec.element_spec
    assert of_iterator.is_compatible_with(data.IteratorSpec(spec.element_spec))
    assert of_iterator != spec
    of_optional = OptionalSpec.from_value(iterator.get_next_as_optional())
    assert of_optional == OptionalSpec(spec.element_spec)
    tl.config.set_tensorflow_results(True)
    leaf = "TensorSpec(shape=(), dtype=tf.int64, name=None)"
    assert repr(spec) == f"DatasetSpec({leaf}, TensorShape([]))"
    assert repr(of_iterator) == f"IteratorSpec({leaf},)"
    assert repr(of_optional) == f"OptionalSpec({leaf},)"


def test_tables_of_datasets() -> None:
    experimental = data.experimental
    keys = Dataset.range(5)
    pairs = Dataset.zip((keys, keys.map(lambda x: tl.strings.as_string(x * 2))))
    table = experimental.table_from_dataset(
        pairs, default_value="n/a", key_dtype=tl.int64
    )
    found = table.lookup(tl.asarray([1, 4, 9], dtype=tl.int64)).numpy().tolist()
    assert [bytes(x) if isinstance(x, bytes) else x.encode() for x in found] == [
        b"2",
        b"8",
        b"n/a",
    ]
    words = Dataset.from_tensor_slices(["a", "b", "c"])
    index = experimental.index_table_from_dataset(words, 1, vocab_size=2)
    assert index.lookup(tl.asarray(["a", "b", "c", "z"])).tolist() == [0, 1, 2, 2]
    nothing = experimental.table_from_dataset(pairs.take(0), default_value="none")
    assert int(nothing.size()) == 0


@pytest.mark.parametrize(
    ("made", "given", "said"),
    [
        (lambda: Dataset.range(2), {}, "in the form"),
        (lambda: Dataset.zip((Dataset.range(2).batch(2),) * 2), {}, "scalar tensors"),
        (lambda: Dataset.range(2).enumerate(), {"num_oov_buckets": -1}, "num_oov_"),
        (lambda: Dataset.range(2).enumerate(), {"vocab_size": 0}, "vocab_size"),
        (
            lambda: Dataset.from_tensor_slices(["a"]).enumerate(),
            {"key_dtype": tl.int64},
            "default_value",
        ),
    ],
)
def test_datasets_that_fill_no_table(made: Any, given: Any, said: str) -> None:
    with pytest.raises(tl.errors.InvalidArgumentError, match=said):
        data.experimental.table_from_dataset(made(), **given)
    with pytest.raises(tl.errors.DTypeError, match="key_dtype"):
        data.experimental.table_from_dataset(
            Dataset.range(2).enumerate(), key_dtype=tl.float32
        )


def test_a_state_of_several_parts_is_finished_by_a_function_of_these() -> None:
    reducer = data_experimental.Reducer(
        lambda _: (0.0, 0.0),
        lambda state, x: (state[0] + tl.astype(x, tl.float32), state[1] + 1.0),
        lambda total, count: total / count,
    )
    odd = data_experimental.group_by_reducer(lambda x: x % 2, reducer)
    means = Dataset.range(6).apply(odd)
    assert [float(x) for x in means] == [2.0, 3.0]


def test_sizes_of_sparse_elements_are_known() -> None:
    """TensorFlow 2.21 knows these sizes."""
    sparse = tf.SparseTensor([[0, 0], [1, 2]], [1, 2], [3, 4])
    one = tf.data.Dataset.from_tensors({"x": sparse})
    rows = tf.data.Dataset.from_tensor_slices(sparse)
    known = [
        one.element_spec["x"],
        one.batch(2).element_spec["x"],
        one.batch(2, drop_remainder=True).element_spec["x"],
        one.map(lambda e: tf.sparse.add(e["x"], e["x"])).element_spec,
        rows.element_spec,
        rows.batch(2).element_spec,
    ]
    assert [spec.shape.as_list() for spec in known] == [
        [3, 4],
        [None, 3, 4],
        [2, 3, 4],
        [3, 4],
        [4],
        [None, 4],
    ]
    grown = one.scan(sparse, lambda s, e: (tf.sparse.concat(0, [s, e["x"]]), s))
    assert [x.shape.as_list() for x in grown.repeat(2)] == [[3, 4], [3, 4]]


def test_counting_may_be_in_another_dtype() -> None:
    numbers = tf.data.Dataset.counter(1, 2, dtype=tf.int32).take(2)
    assert numbers.element_spec == tf.TensorSpec([], tf.int32)
    elements = numbers.as_numpy_iterator()
    assert isinstance(elements, tf.data.NumpyIterator)
    assert [*elements] == [1, 3]
