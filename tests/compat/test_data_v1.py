"""Datasets in graphs, by TensorFlow 1's names; what is expected is what TensorFlow 1.15 gives."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.compat import v1
from tensorlite.compat.v1 import data
from tensorlite.graph_mode.graph import mode, reset_default_graph

tf: Any = v1
Dataset: Any = data.Dataset
OutOfRangeError = tl.errors.OutOfRangeError


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    reset_default_graph()
    yield
    mode.eager = before


def drained(session: Any, x: Any) -> list[Any]:
    found: list[Any] = []
    while True:
        try:
            element = session.run(x)
        except OutOfRangeError as end:
            assert "End of sequence" in str(end)  # noqa: PT017  it ends all that went before
            return found
        found.append(tl.nest.map_structure(lambda y: np.asarray(y).tolist(), element))


def values(dataset: Any) -> list[Any]:
    x = dataset.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        found = drained(session, x)
    reset_default_graph()
    return found


def test_one_shot() -> None:
    iterator = (
        Dataset.range(3)
        .map(lambda x: tf.cast(x, tf.float32) * 2)
        .make_one_shot_iterator()
    )
    x = iterator.get_next()
    assert x.name == "IteratorGetNext:0"
    assert (iterator.output_types, iterator.output_shapes) == (tl.float32, x.shape)
    for _ in range(2):  # each session begins anew
        with tf.Session() as session:
            assert drained(session, x) == [0.0, 2.0, 4.0]
    with pytest.raises(ValueError, match="does not have an initializer"):
        _ = iterator.initializer


def test_datasets_of_placeholders_begin_when_they_are_initialized() -> None:
    rows = tf.placeholder(tf.float32, [None, 2])
    size = tf.placeholder(tf.int64, [])
    dataset = Dataset.from_tensor_slices((rows, tf.reduce_sum(rows, 1)))
    iterator = dataset.batch(size).repeat(2).make_initializable_iterator()
    x, y = iterator.get_next()
    fed = np.arange(4.0).reshape(2, 2)
    with tf.Session() as session:
        with pytest.raises(
            tl.errors.FailedPreconditionError, match="has not been initialized"
        ):
            session.run(x)
        session.run(iterator.initializer, {rows: fed, size: 1})
        one = [([[0.0, 1.0]], [1.0]), ([[2.0, 3.0]], [5.0])]
        assert drained(session, (x, y)) == one * 2
        session.run(iterator.initializer, {rows: fed, size: 2})
        assert (
            drained(session, (x, y)) == [([[0.0, 1.0], [2.0, 3.0]], [1.0, 5.0])] * 2
        )
        with pytest.raises(tl.errors.InvalidArgumentError, match="batch_size is 0"):
            session.run(iterator.initializer, {rows: fed, size: 0})


def test_one_iterator_for_several_datasets() -> None:
    train, test = Dataset.range(3), Dataset.range(10, 12)
    iterator = data.Iterator.from_structure(train.output_types, train.output_shapes)
    x = iterator.get_next()
    first, second = iterator.make_initializer(train), iterator.make_initializer(test)
    with tf.Session() as session:
        session.run(first)
        assert drained(session, x) == [0, 1, 2]
        session.run(second)
        assert drained(session, x) == [10, 11]
    with pytest.raises(TypeError, match="the dataset's elements are"):
        iterator.make_initializer(Dataset.from_tensors([1.0]))


def test_iterators_that_are_fed() -> None:
    train, test = Dataset.range(3).repeat(), Dataset.range(10, 12)
    handle = tf.placeholder(tf.string, [])
    x = data.Iterator.from_string_handle(
        handle, train.output_types, train.output_shapes
    ).get_next()
    one, other = train.make_one_shot_iterator(), test.make_initializable_iterator()
    with tf.Session() as session:
        first = session.run(one.string_handle())
        second = session.run(other.string_handle())
        found = [session.run(x, {handle: first}) for _ in range(4)]
        session.run(other.initializer)
        found += [session.run(x, {handle: key}) for key in (second, second, first)]
        assert found == [0, 1, 2, 0, 10, 11, 1]
        with pytest.raises(
            tl.errors.InvalidArgumentError, match="stands for no iterator"
        ):
            session.run(x, {handle: "nothing"})


def test_functions_capture_tensors_of_the_graph() -> None:
    scale = tf.constant(3.0)
    dataset = Dataset.from_tensor_slices(tf.constant([[1.0, 2.0], [3.0, 4.0]]))
    assert values(
        dataset.map(lambda row: tf.reduce_sum(row) * scale).filter(lambda x: x > 10.0)
    ) == [21.0]


def test_functions_that_make_datasets() -> None:
    nested = Dataset.range(4).flat_map(
        lambda i: Dataset.range(i).map(lambda j: i * 10 + j)
    )
    assert values(nested.batch(3)) == [[10, 20, 21], [30, 31, 32]]
    grouped = Dataset.range(6).apply(
        data.experimental.group_by_window(lambda x: x % 2, lambda k, w: w.batch(2), 2)
    )
    assert values(grouped) == [[0, 2], [1, 3], [4], [5]]
    turns = Dataset.range(2).interleave(
        lambda i: Dataset.from_tensors(i).repeat(2), 2
    )
    assert values(turns) == [0, 1, 0, 1]
    lengths = Dataset.range(1, 4).map(lambda n: tf.fill([n], n))
    bucketed = lengths.apply(
        data.experimental.bucket_by_sequence_length(
            lambda x: tf.shape(x)[0], [3], [2, 2]
        )
    )
    assert values(bucketed) == [[[1, 0], [2, 2]], [[3, 3, 3]]]


def test_functions_with_conditions_threads_and_shapes() -> None:
    def fn(x: Any) -> Any:
        y = tf.cond(tf.equal(x % 2, 0), lambda: x * 10, lambda: x)
        y.set_shape([])
        return {"y": y}

    dataset = Dataset.range(4).map(fn, 2).prefetch(2)
    assert values(dataset) == [{"y": y} for y in (0, 1, 20, 3)]
    running = Dataset.range(4).apply(
        data.experimental.scan(np.int64(0), lambda s, x: (s + x, s + x))
    )
    assert values(running) == [0, 1, 3, 6]


def test_generators_and_padded_batches() -> None:
    def generate() -> Iterator[Any]:
        for k in range(3):
            yield np.full(k, k), f"a{k}"

    dataset = Dataset.from_generator(
        generate, (tf.int64, tf.string), (tf.TensorShape([None]), tf.TensorShape([]))
    ).padded_batch(2, (tf.TensorShape([None]), []))
    x, y = dataset.make_one_shot_iterator().get_next()
    assert (x.shape.as_list(), y.shape.as_list()) == ([None, None], [None])
    with tf.Session() as session:
        assert [
            np.asarray(a).tolist() for a, _ in (session.run((x, y)) for _ in range(2))
        ] == [
            [[0], [1]],
            [[2, 2]],
        ]


def test_an_element_serves_all_that_one_run_fetches() -> None:
    x = tf.cast(Dataset.range(3).make_one_shot_iterator().get_next(), tf.float32)
    weight = tf.Variable(2.0)
    product, total = x * weight, x * weight + x
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = [session.run([product, total]) for _ in range(3)]
    assert found == [[0.0, 0.0], [2.0, 3.0], [4.0, 6.0]]


def test_reduce_is_a_tensor_and_loops_are_refused() -> None:
    total = Dataset.range(5).reduce(np.int64(0), lambda a, b: a + b)
    with tf.Session() as session:
        assert session.run(total) == 10
    with pytest.raises(RuntimeError, match="make_one_shot_iterator"):
        iter(Dataset.range(2))


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("1,2\n3,4\n")
    names = tf.placeholder(tf.string, [None])

    def parsed(line: Any) -> Any:
        return tf.stack(tl.io.decode_csv(line, [[0], [0]]))

    iterator = (
        data.TextLineDataset(names).skip(1).map(parsed).make_initializable_iterator()
    )
    x = iterator.get_next()
    with tf.Session() as session:
        session.run(iterator.initializer, {names: [str(path)]})
        assert drained(session, x) == [[3, 4]]
    lines = data.TextLineDataset(str(path))
    assert isinstance(lines, data.Dataset)
    assert len(values(lines.repeat(2))) == 4


def test_shuffles_draw_by_the_graphs_seed() -> None:
    orders = []
    for _ in range(2):
        reset_default_graph()
        tf.set_random_seed(1)
        orders.append(values(Dataset.range(20).shuffle(20).batch(20))[0])
    assert orders[0] == orders[1] != list(range(20))


def test_what_is_shuffled_and_repeated_has_tensorflow_1s_order() -> None:
    tf.set_random_seed(2)
    once = Dataset.range(10).shuffle(4, seed=1)
    first = [2, 4, 0, 6, 3, 8, 1, 5, 7, 9]
    assert values(once) == [2, 4, 0, 1, 3, 8, 6, 7, 9, 5]
    assert values(once.repeat(2)) == [*first, 0, 4, 1, 2, 3, 8, 6, 7, 5, 9]
    tf.set_random_seed(2)
    again = Dataset.range(10).shuffle(4, seed=1, reshuffle_each_iteration=False)
    assert values(again.repeat(2)) == first + first


def test_an_iterator_that_begins_anew_has_the_same_order_again() -> None:
    tf.set_random_seed(2)
    iterator = Dataset.range(10).shuffle(4, seed=1).make_initializable_iterator()
    x = iterator.get_next()
    with tf.Session() as session:
        for _ in range(2):
            session.run(iterator.initializer)
            assert drained(session, x) == [2, 4, 0, 1, 3, 8, 6, 7, 9, 5]


def test_what_is_known_of_sparse_and_ragged_elements() -> None:
    sparse = tf.SparseTensor([[0, 0]], [1.0], [2, 3])
    dataset = Dataset.from_tensors((sparse, tf.ragged.constant([[1], [2, 3]])))
    assert data.get_output_types(dataset) == (tf.float32, tf.int32)
    shapes = [shape.as_list() for shape in data.get_output_shapes(dataset)]
    assert shapes == [[2, 3], [2, None]]
    assert data.get_output_classes(dataset)[0] is tf.SparseTensor
    iterator = data.Iterator.from_structure(
        tf.float32, tf.TensorShape([2, 3]), output_classes=tf.SparseTensor
    )
    assert iterator.output_classes is tf.SparseTensor
    start = iterator.make_initializer(Dataset.from_tensors(sparse))
    with tf.Session() as session:
        session.run(start)
        assert session.run(iterator.get_next()).dense_shape.tolist() == [2, 3]


def test_rows_of_sparse_tensors_in_three_parts() -> None:
    sparse = tf.SparseTensorValue([[0, 1], [2, 0]], [4, 5], [3, 2])
    rows = values(Dataset.from_sparse_tensor_slices(sparse))
    assert rows == [([[1]], [4], [2]), ([], [], [2]), ([[0]], [5], [2])]


def test_texts_fill_up_batches_and_name_files(tmp_path: Path) -> None:
    words = Dataset.from_tensor_slices(["a", "bc"])
    assert values(words.padded_batch(2, [])) == [[b"a", b"bc"]]
    x = words.cache(str(tmp_path / "kept")).make_initializable_iterator()
    element = x.get_next()
    with tf.Session() as session:
        session.run(x.initializer)
        assert drained(session, element) == [b"a", b"bc"]


def test_datasets_are_joined_to_those_of_the_same_dtypes() -> None:
    for other in (Dataset.from_tensors(1.0), Dataset.from_tensors((1, 2))):
        with pytest.raises(TypeError, match="Incompatible dataset elements"):
            Dataset.range(2).concatenate(other)
    joined = Dataset.from_tensors([1, 2]).concatenate(Dataset.from_tensors([3]))
    assert values(joined) == [[1, 2], [3]]


def test_the_element_of_a_dataset_that_has_one() -> None:
    count = tf.placeholder_with_default(tf.constant(3, tf.int64), [])
    numbers = Dataset.range(10).take(count).map(lambda n: (n, n * 2))
    one = data.experimental.get_single_element(numbers.batch(3))
    with tf.Session() as session:
        assert [x.tolist() for x in session.run(one)] == [[0, 1, 2], [0, 2, 4]]
        for wrong, why in ((0, "was empty"), (4, "had more than one")):
            with pytest.raises(tf.errors.InvalidArgumentError, match=why):
                session.run(one, {count: wrong})


def test_elements_of_other_shapes_are_no_batch() -> None:
    rows = tf.data.Dataset.from_generator(
        lambda: iter([[1.0], [2.0], [3.0, 4.0]]), tf.float32, [None]
    )
    element = rows.batch(3).make_one_shot_iterator().get_next()
    message = (
        r"component 0. First element had shape \[1\] and element 2 had shape \[2\]"
    )
    with (
        tf.Session() as session,
        pytest.raises(tf.errors.InvalidArgumentError, match=message),
    ):
        session.run(element)


def test_what_iterators_and_datasets_of_other_kinds_raise() -> None:
    with pytest.raises(TypeError, match="not of the structure of the types"):
        tf.data.Iterator.from_structure((tf.int64, tf.float64), [None])
    iterator = tf.data.Iterator.from_structure((tf.int64, tf.float64), ([None], []))
    numbers = (np.asarray([1, 2]), 4.0)
    with pytest.raises(ValueError, match="of another structure"):
        iterator.make_initializer(Dataset.from_tensors((numbers,)))
    with pytest.raises(TypeError, match="make_initializer"):
        iterator.make_initializer(Dataset.from_tensors(numbers))
    with pytest.raises(TypeError, match="have different types"):
        Dataset.range(2).concatenate(Dataset.from_tensors(1.0))


def test_datasets_take_variables_as_they_are_when_an_iterator_begins(
    tmp_path: Path,
) -> None:
    """TensorFlow 1.15 gives these values for this program."""
    path = tmp_path / "a.tfrecords"
    with tf.python_io.TFRecordWriter(str(path)) as writer:
        for word in (b"a", b"bcd"):
            writer.write(word)
    names = tf.train.match_filenames_once(f"{tmp_path}/*.tfrecords")
    v, size = tf.Variable([1.0, 2.0]), tf.Variable(2, dtype=tf.int64)
    made = [
        tf.data.TFRecordDataset(names).batch(2),
        Dataset.from_tensor_slices({"a": v, "b": v + 1}),
        Dataset.range(5).batch(size),
    ]
    iterators = [x.make_initializable_iterator() for x in made]
    elements = [x.get_next() for x in iterators]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(tf.local_variables_initializer())
        session.run(v.assign([3.0, 4.0]))
        session.run([x.initializer for x in iterators])
        records, rows, numbers = session.run(elements)
    assert records.tolist() == [b"a", b"bcd"]
    assert (rows, numbers.tolist()) == ({"a": 3.0, "b": 4.0}, [0, 1])


def test_tables_of_files_are_mapped_and_shuffled_in_graphs(tmp_path: Path) -> None:
    """TensorFlow 1.15 gives these batches for this program."""
    path = tmp_path / "a.csv"
    rows = [f"{i % 2},{i:.1f},{'First' if i % 3 else 'Third'}" for i in range(40)]
    path.write_text("\n".join(["s,age,cls", *rows]))
    made = tf.data.experimental.make_csv_dataset(
        str(path), batch_size=4, label_name="s", shuffle=False
    )
    mixed = made.cache().repeat().shuffle(10, seed=1).prefetch(1)
    one_shot = tf.data.make_one_shot_iterator
    first = one_shot(mixed).get_next()
    again = made.map(lambda features, labels: features["age"] + 1)
    ages = one_shot(again).get_next()
    with tf.Session() as session:
        features, labels = session.run(first)
        assert features["age"].tolist() == [0.0, 1.0, 2.0, 3.0]
        assert features["cls"].tolist() == [b"Third", b"First", b"First", b"Third"]
        assert labels.tolist() == [0, 1, 0, 1]
        assert [session.run(ages).tolist() for _ in range(2)] == [
            [1.0, 2.0, 3.0, 4.0],
            [5.0, 6.0, 7.0, 8.0],
        ]


def test_files_are_looked_for_when_an_iterator_begins(tmp_path: Any) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        names = tf.data.Dataset.list_files(str(tmp_path / "*.txt"), shuffle=False)
        iterator = tf.data.make_initializable_iterator(names)
        element = iterator.get_next()
        with pytest.raises(tf.errors.InvalidArgumentError, match="No files matched"):
            session.run(iterator.initializer)
        for name in ("b.txt", "a.txt"):
            (tmp_path / name).write_text(name)
        session.run(iterator.initializer)
        found = [session.run(element) for _ in range(2)]
        assert found == [str(tmp_path / x).encode() for x in ("a.txt", "b.txt")]


def test_datasets_are_nodes_of_the_scope_that_they_are_made_in() -> None:
    with tf.Graph().as_default() as graph:
        with tf.name_scope("input"):
            numbers = tf.data.Dataset.range(3)
        with tf.name_scope("run"):
            tf.data.make_one_shot_iterator(numbers.batch(2))
            tf.data.make_initializable_iterator(numbers.batch(2))
        made = {x.name for x in graph.get_operations()}
        assert {"input/RangeDataset", "run/BatchDatasetV2"} <= made


def _of_initialized(dataset: Any) -> list[int]:
    iterator = tf.data.make_initializable_iterator(dataset)
    return _drained(iterator.get_next(), iterator.initializer)


def _of_structure(dataset: Any) -> list[int]:
    iterator = tf.data.Iterator.from_structure(tf.int64, [])
    return _drained(iterator.get_next(), iterator.make_initializer(dataset))


def _drained(element: Any, begin: Any) -> list[int]:
    found: list[int] = []
    with tf.Session() as session:
        session.run(begin)
        with contextlib.suppress(tf.errors.OutOfRangeError):
            while True:
                found.append(int(session.run(element)))
    return found


JOINED = [2, 4, 0, 3, 1, 4, 3, 0, 2, 1]
APART = [0, 4, 3, 1, 2, 3, 1, 0, 4, 2]


def test_shuffles_go_on_with_their_words_where_iterators_join_steps() -> None:
    with tf.Graph().as_default():
        mixed = tf.data.Dataset.range(5).shuffle(5, seed=1).repeat(2)
        within = tf.data.Dataset.range(2).flat_map(lambda _: mixed)
        assert _of_initialized(mixed) == JOINED
        assert _of_structure(mixed) == APART
        assert _of_initialized(within) == JOINED * 2
        assert _of_structure(within) == APART * 2


def test_shuffle_and_repeat_is_one_step_wherever_it_is_read() -> None:
    with tf.Graph().as_default():
        step = tf.data.experimental.shuffle_and_repeat(5, 2, seed=1)
        mixed = tf.data.Dataset.range(5).apply(step)
        assert _of_initialized(mixed) == JOINED
        assert _of_structure(mixed) == JOINED
        kinds = {x.op for x in tf.get_default_graph().as_graph_def().node}
    assert "ShuffleAndRepeatDataset" in kinds
    assert "ShuffleDataset" not in kinds


def test_sizes_and_reductions_of_datasets_are_nodes() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        rows = tf.data.Dataset.range(5).batch(2)
        size = tf.data.experimental.cardinality(rows)
        total = rows.reduce(np.int64(0), lambda a, x: a + tf.reduce_sum(x))
        only = tf.data.experimental.get_single_element(rows.take(1))
        assert session.run([size, total]) == [3, 10]
        np.testing.assert_array_equal(session.run(only), [0, 1])
        assert [x.op.name for x in (size, total, only)] == [
            *("DatasetCardinality", "ReduceDataset", "DatasetToSingleElement"),
        ]
        assert not [x for x in graph.as_graph_def().node if "Call" in x.op]


def test_generators_files_and_joined_steps_are_read_from_graphs(
    tmp_path: Any,
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("1\n2\n3\n")
    twice = tf.data.experimental.parallel_interleave(
        lambda x: tf.data.Dataset.range(x, x + 2), 2
    )
    batches = tf.data.experimental.map_and_batch(lambda x: x + 1, 3)
    makers: list[tuple[Any, list[int]]] = [
        (lambda: Dataset.from_generator(lambda: iter([1, 2]), tf.int64), [1, 2]),
        (lambda: _numbers([path, path]), [1, 2, 3] * 2),
        (lambda: _numbers([path, path], num_parallel_reads=2), [1, 1, 2, 2, 3, 3]),
        (lambda: Dataset.range(3).apply(batches).map(tf.reduce_sum), [6]),
        (lambda: Dataset.range(2).apply(twice), [0, 1, 1, 2]),
    ]
    for make, wanted in makers:
        with tf.Graph().as_default():
            assert _of_initialized(make()) == wanted


def _numbers(paths: list[Path], **how: Any) -> Any:
    lines = tf.data.TextLineDataset([str(x) for x in paths], **how)
    return lines.map(lambda x: tf.string_to_number(x, tf.int64))
