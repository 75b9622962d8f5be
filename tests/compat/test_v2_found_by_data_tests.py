"""What TensorFlow's tests of datasets found; the values are those that it gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.compat import v1, v2
from tensorlite.compat.v2 import function as traced

tf: Any = v2
tf1: Any = v1


def test_loops_over_iterators_are_traced() -> None:
    @traced
    def total(iterator: Any) -> Any:
        found = np.int64(0)
        for x in iterator:
            found += x
        return found

    assert total(iter(tf.data.Dataset.range(5))).numpy() == 10


def test_loops_that_break_off_read_no_element_more() -> None:
    @traced
    def total(iterator: Any) -> Any:
        found = np.int64(0)
        for x in iterator:
            if x > 2:
                break
            found += x
        return found

    iterator = iter(tf.data.Dataset.range(9))
    assert total(iterator).numpy() == 3
    assert next(iterator).numpy() == 4


def test_elements_that_are_none_go_through_functions() -> None:
    @traced
    def total(dataset: Any) -> Any:
        found = 0
        for x, none in dataset:
            assert none is None
            found += x
        return found

    dataset = tf.data.Dataset.range(5, output_type=tf.int32).map(lambda x: (x, None))
    assert total(dataset).numpy() == 10


def test_loops_that_stay_pythons_end_with_an_error() -> None:
    def endless(dataset: Any) -> None:
        for _ in dataset:
            pass

    with pytest.raises(ValueError, match="autograph=True"):
        tf.function(endless, autograph=False)(tf.data.Dataset.range(10))

    @traced
    def several(iterator: Any) -> Any:
        return sum([next(iterator) for _ in range(40)])

    assert several(iter(tf.data.Dataset.range(50))).numpy() == 780


def test_elements_are_asked_for_by_number() -> None:
    at = tf.data.experimental.at
    numbers = tf.data.Dataset.range(5).map(lambda x: x * x)
    assert [at(numbers, i).numpy().item() for i in (4, 0, tf.constant(2))] == [
        16,
        0,
        4,
    ]
    for index in (-1, 5):
        with pytest.raises(tf.errors.OutOfRangeError):
            at(numbers, index)
    shuffled = tf.data.Dataset.range(20).shuffle(20)
    orders = [[at(shuffled, i).numpy().item() for i in range(20)] for _ in range(2)]
    assert orders[0] == orders[1]
    assert sorted(orders[0]) == list(range(20))
    with tf1.Graph().as_default(), tf1.Session() as session:
        asked = at(tf1.data.Dataset.range(5), 3)
        assert session.run(asked) == 3
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(at(tf1.data.Dataset.range(5), 5))


def test_datasets_are_padded_to_a_number_of_elements() -> None:
    pad = tf.data.experimental.pad_to_cardinality
    given = tf.data.Dataset.from_tensor_slices({"a": [1, 2]})
    padded = given.apply(pad(3))
    assert [
        {x: y.item() for x, y in e.items()} for e in padded.as_numpy_iterator()
    ] == [
        {"a": 1, "valid": True},
        {"a": 2, "valid": True},
        {"a": 0, "valid": False},
    ]
    for wrong in (given.repeat(), given.repeat(2), given.map(lambda e: e["a"])):
        with pytest.raises(ValueError, match="pad_to_cardinality"):
            wrong.apply(pad(3))


def test_values_of_sparse_tensors_are_elements() -> None:
    def sparse(i: Any) -> Any:
        return tf1.SparseTensorValue([[0]], i * [1], [1])

    (batch,) = tf.data.Dataset.range(3).map(sparse).batch(3)
    assert batch.indices.numpy().tolist() == [[0, 0], [1, 0], [2, 0]]
    assert batch.values.numpy().tolist() == [0, 1, 2]
    assert batch.dense_shape.numpy().tolist() == [3, 1]
    value = tf1.SparseTensorValue([[0, 0], [1, 1]], [5, 6], [2, 2])
    rows = list(tf.data.Dataset.from_tensor_slices(value))
    assert [x.values.numpy().tolist() for x in rows] == [[5], [6]]


def test_patterns_that_match_nothing_are_invalid_arguments(tmp_path: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="No files matched"):
        tf.data.Dataset.list_files(str(tmp_path / "*"))


def test_groups_of_endless_datasets_are_endless() -> None:
    endless = tf.data.Dataset.from_tensors([0]).repeat()
    bucketed = endless.bucket_by_sequence_length(tf.size, [2], [1, 1])
    assert bucketed.cardinality() == tf.data.INFINITE_CARDINALITY
    windows = endless.group_by_window(lambda x: x[0], lambda _, group: group, 3)
    assert windows.cardinality() == tf.data.INFINITE_CARDINALITY


def test_one_trace_serves_the_iterators_of_like_elements() -> None:
    @traced
    def total(iterator: Any) -> Any:
        return next(iterator) + iterator.get_next()

    for _ in range(3):
        iterator = iter(tf.data.Dataset.range(5))
        assert [total(iterator).numpy() for _ in range(2)] == [1, 5]
        assert total(iter(tf.data.Dataset.range(10, 20))).numpy() == 21
    assert total.experimental_get_tracing_count() == 1
    pairs = tf.data.Dataset.range(5).map(lambda x: (x, x))
    total(iter(pairs.map(lambda x, y: x + y)))
    assert total.experimental_get_tracing_count() == 1
    total(iter(tf.data.Dataset.from_tensors(1.0).repeat()))
    assert total.experimental_get_tracing_count() == 2


def test_arrays_are_given_eagerly_and_of_tensors() -> None:
    sparse = tf.sparse.from_dense([[1, 0], [0, 2]])
    given = list(tf.data.Dataset.from_tensor_slices(sparse).as_numpy_iterator())
    assert [x.tolist() for x in given] == [[1, 0], [0, 2]]
    ragged = tf.ragged.constant([[[1, 2], [3]]])
    ((one, other),) = tf.data.Dataset.from_tensor_slices(ragged).as_numpy_iterator()
    assert (one.tolist(), other.tolist()) == ([1, 2], [3])
    nothing = tf.data.Dataset.from_tensors((2, None))
    assert list(nothing.as_numpy_iterator()) == [(2, None)]
    with pytest.raises(TypeError, match="is not supported for datasets that"):
        tf.data.Dataset.from_tensors(tf.data.Dataset.range(3)).as_numpy_iterator()
    with tf.Graph().as_default(), pytest.raises(RuntimeError, match="eager mode"):
        tf.data.Dataset.range(3).as_numpy_iterator()


def test_iterators_over_arrays_are_saved(tmp_path: Any) -> None:
    iterator = tf.data.Dataset.range(10).as_numpy_iterator()
    checkpoint = tf.train.Checkpoint(iterator=iterator)
    assert [next(iterator) for _ in range(3)] == [0, 1, 2]
    path, state = checkpoint.save(tmp_path / "ckpt"), iterator.save()
    assert next(iterator) == 3
    checkpoint.restore(path)
    assert next(iterator) == 3
    iterator.restore(state.numpy())
    assert next(iterator) == 3


def test_zipped_datasets_go_on_together_behind_an_error() -> None:
    numbers = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 0.0, 4.0])
    inverse = numbers.map(lambda x: tf.debugging.check_numerics(1.0 / x, "none"))
    pairs = tf.data.Dataset.zip((inverse, numbers)).ignore_errors()
    assert list(pairs.as_numpy_iterator()) == [(1.0, 1.0), (0.5, 2.0), (0.25, 4.0)]


def test_what_was_read_whole_is_kept_before_the_end_is_seen() -> None:
    cached = tf.data.Dataset.range(10).shuffle(10).cache()
    first, again = iter(cached), [int(x) for x in cached.take(0)]
    read = [int(next(first)) for _ in range(10)]
    assert [*again, *[int(x) for x in cached]] == read


@pytest.mark.parametrize("seed", [None, 7])
def test_shuffled_iterators_go_on_where_they_were_saved(
    seed: Any, tmp_path: Any
) -> None:
    def checkpoint() -> tuple[Any, Any]:
        shuffled = tf.data.Dataset.range(40).shuffle(40, seed).repeat(2)
        list(shuffled.take(3))  # a run before
        iterator = iter(shuffled)
        return iterator, tf.train.Checkpoint(iterator=iterator)

    iterator, saved = checkpoint()
    before = [int(next(iterator)) for _ in range(15)]
    path = saved.save(tmp_path / "ckpt")
    rest = [int(x) for x in iterator]
    assert sorted(before + rest[:25]) == list(range(40))
    saved.restore(path)
    assert [int(x) for x in iterator] == rest
    iterator, saved = checkpoint()
    saved.restore(path)
    assert [int(x) for x in iterator] == rest


def test_seeded_numbers_are_the_same_in_each_run_of_a_dataset() -> None:
    numbers = tf.data.Dataset.range(4).map(lambda _: tf.random.uniform((), seed=11))
    runs = [[float(x) for x in numbers] for _ in range(2)]
    # TensorFlow 2.21's
    expected = [0.08955085, 0.26522362, 0.6327181, 0.28387654]
    np.testing.assert_allclose(runs, [expected] * 2, rtol=1e-6)
    ahead = numbers.prefetch(2)
    assert [float(x) for x in ahead] == [float(x) for x in ahead]


def test_choices_are_numbers_of_datasets() -> None:
    choose = tf.data.Dataset.choose_from_datasets
    ones = [tf.data.Dataset.from_tensors(i) for i in range(2)]
    for wrong in (1.0, [1]):
        with pytest.raises(TypeError, match=r"scalar `tf\.int64`"):
            choose(ones, tf.data.Dataset.from_tensors(wrong))
    with pytest.raises(ValueError, match="should not be empty"):
        choose([], tf.data.Dataset.range(1))
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of range"):
        list(choose(ones, tf.data.Dataset.range(2, 3)))
    with tf1.Graph().as_default(), tf1.Session() as session:
        chosen = tf1.data.experimental.choose_from_datasets(
            [tf1.data.Dataset.range(3), tf1.data.Dataset.range(10, 13)],
            tf1.data.Dataset.range(2).repeat(2),
        )
        following = tf1.data.make_one_shot_iterator(chosen).get_next()
        assert [session.run(following) for _ in range(4)] == [0, 10, 1, 11]


def test_matrices_of_numpy_are_arrays() -> None:
    matrix = np.asarray([[1, 2], [3, 4]]).view(np.matrix)
    (element,) = tf.data.Dataset.from_tensors(matrix)
    given = [tf.constant(matrix), tf.convert_to_tensor(matrix), element]
    given += [tl.asarray(matrix), tl.asarray(matrix, copy=False), tl.Variable(matrix)]
    for x in given:
        assert (x * x).tolist() == [[1, 4], [9, 16]]


def test_records_are_written_to_files_that_tensors_name(tmp_path: Any) -> None:
    path = str(tmp_path / "records")
    writer = tf.data.experimental.TFRecordWriter(tf.constant(path))
    writer.write(tf.data.Dataset.from_tensor_slices(["a", "b"]))
    assert list(tf.data.TFRecordDataset(path).as_numpy_iterator()) == [b"a", b"b"]
    with pytest.raises(TypeError, match="Invalid `dataset`"):
        writer.write("whoops")
    for wrong in (0, [["a"]]):
        with pytest.raises(TypeError, match="Expected one of texts"):
            writer.write(tf.data.Dataset.from_tensors(wrong))


def test_seeds_are_taken_away() -> None:
    tf1.set_random_seed(1)
    seeded = tf.random.uniform([3]).numpy()
    tf1.set_random_seed(None)
    assert (tf.random.uniform([3]).numpy() != seeded).any()


def test_columns_of_files_are_as_wide_as_their_numbers(tmp_path: Any) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"a,b,c\n,,\n0,0,0.0\n0,{2**33},3e50\n")
    (batch,) = tf.data.experimental.make_csv_dataset(
        str(path), 3, num_epochs=1, shuffle=False
    )
    assert [x.dtype for x in batch.values()] == [tf.int32, tf.int64, tf.float64]
    assert batch["b"].numpy().tolist() == [0, 0, 2**33]


def test_specs_of_datasets_have_wider_ones() -> None:
    def spec(sizes: Any, shape: Any) -> Any:
        return tf.data.DatasetSpec({"a": tf.TensorSpec(sizes, tf.int32)}, shape)

    some, none = spec([1, None], [5, None, 2]), spec([None, None], [None] * 3)
    full, other = spec([1, 2], [5, 3, 2]), spec([None, 2], [None, 1, None])
    assert all(x.is_subtype_of(none) for x in (some, full, other, none))
    assert not any(none.is_subtype_of(x) for x in (some, full, other))
    assert some.most_specific_common_supertype([]) == some
    assert some.most_specific_common_supertype([full, other]) == none
    plain = tf.data.DatasetSpec(tf.TensorSpec([1, None], tf.int32))
    assert not some.is_subtype_of(plain)
    assert some.most_specific_common_supertype([plain]) is None
    iterators = [tf.data.IteratorSpec(tf.TensorSpec([n])) for n in (2, None)]
    assert iterators[0].is_subtype_of(iterators[1])


def test_texts_are_stacked_to_texts() -> None:
    x = tf.constant("a b")
    assert tf.stack([x, x]).numpy().tolist() == [b"a b", b"a b"]
    assert tf1.string_split([x]).values.numpy().tolist() == [b"a", b"b"]


def test_cases_evaluate_batches_of_sparse_elements_to_their_values() -> None:
    rows = tf.data.Dataset.range(2).map(lambda i: tf.SparseTensor([[0]], [i], [3]))
    found = tf.test.TestCase().evaluate(next(iter(rows.batch(2))))
    assert isinstance(found, tf1.SparseTensorValue)
    assert found.indices.tolist() == [[0, 0], [1, 0]]
    assert found.values.tolist() == [0, 1]


Dataset: Any = v2.data.Dataset


def numbers_of(dataset: Any) -> list[int]:
    return [int(x) for x in dataset.as_numpy_iterator()]


def test_datasets_are_zipped_by_name() -> None:
    both = Dataset.zip(datasets=(Dataset.range(2), Dataset.range(5, 9)))
    assert [(int(a), int(b)) for a, b in both] == [(0, 5), (1, 6)]
    with pytest.raises(TypeError, match="Must pass at least one dataset"):
        Dataset.zip()
    with pytest.raises(TypeError, match="cannot be set"):
        Dataset.zip(Dataset.range(2), datasets=Dataset.range(3))


def test_nobody_needs_to_say_how_much_is_made_ahead() -> None:
    assert numbers_of(Dataset.range(3).prefetch(None)) == [0, 1, 2]


def test_weights_of_each_draw_come_from_a_dataset() -> None:
    three = [Dataset.range(a, a + 5) for a in (0, 10, 20)]
    weights = Dataset.from_tensors([0.5, 0.4, 0.1]).repeat()
    mixed = Dataset.sample_from_datasets(three, weights=weights, seed=4)
    tf.random.set_seed(3)
    mixed = Dataset.sample_from_datasets(three, weights=weights, seed=4)
    assert numbers_of(mixed.take(7)) == [0, 10, 11, 12, 1, 13, 2]
    with pytest.raises(ValueError, match="same length"):
        Dataset.sample_from_datasets(three, weights=[0.5])
    with pytest.raises(ValueError, match="should not be empty"):
        Dataset.sample_from_datasets([])


def test_axes_between_ragged_ones_stay_as_long_as_they_are() -> None:
    cubes = Dataset.range(1, 4).map(lambda n: tf.ones([n, 2, n]))
    batches = cubes.ragged_batch(2)
    assert batches.element_spec.ragged_rank == 3
    assert batches.element_spec.shape.as_list() == [None, None, 2, None]
    first = next(iter(batches))
    assert first.shape.as_list() == [2, None, 2, None]
    assert first.to_list() == [[[[1], [1]]], [[[1, 1], [1, 1]], [[1, 1], [1, 1]]]]


def test_some_batches_in_turn_may_be_empty() -> None:
    rows = Dataset.range(7).batch(4).rebatch([0, 2, 1])
    found = [x.tolist() for x in rows.as_numpy_iterator()]
    assert found == [[], [0, 1], [2], [], [3, 4], [5], [], [6]]


def test_states_of_reductions_may_be_sparse() -> None:
    first = tf.sparse.from_dense([0, 1])

    def added(state: Any, x: Any) -> Any:
        return state.with_values(state.values + tf.cast(x, tf.int32))

    found = Dataset.range(3).reduce(first, added)
    assert found.indices.numpy().tolist() == [[1]]
    assert found.values.numpy().tolist() == [4]


def test_names_of_files_are_texts() -> None:
    for kind in (tf.data.TextLineDataset, tf.data.TFRecordDataset):
        for names in (5, Dataset.range(2), Dataset.from_tensors([["a"]])):
            with pytest.raises(TypeError, match="`filenames` argument must contain"):
                kind(names)


def test_options_of_all_datasets_are_joined() -> None:
    first, second = tf.data.Options(), tf.data.Options()
    first.deterministic = False
    second.threading.private_threadpool_size = 3
    both = Dataset.zip(
        (Dataset.range(2).with_options(first), Dataset.range(3).with_options(second))
    )
    assert both.options().deterministic is False
    assert both.options().threading.private_threadpool_size == 3


def test_batches_without_rows_of_one_number_are_not_taken_apart() -> None:
    with pytest.raises(ValueError, match="matching leading dimension"):
        Dataset.from_tensors((tf.zeros([2]), tf.zeros([3]))).unbatch()
    with pytest.raises(ValueError, match="scalar components"):
        Dataset.range(2).unbatch()
    assert int(Dataset.from_tensors(tf.zeros([3])).unbatch().cardinality()) == 3
    assert int(Dataset.range(6).repeat().batch(3).unbatch().cardinality()) == -1


def test_elements_that_are_larger_than_padded_shapes_lose_data() -> None:
    ranges = Dataset.range(2, 4).map(tf.range)
    with pytest.raises(tf.errors.DataLossError):
        next(iter(ranges.padded_batch(2, padded_shapes=[2])))


def appended(state: Any, x: Any) -> Any:
    return tf.concat([state, [x]], 0)


def test_states_that_grow_are_of_no_known_size() -> None:
    first = tf.zeros([0], tf.int64)

    @traced
    def gathered() -> Any:
        return Dataset.range(3).reduce(first, appended)

    assert gathered().numpy().tolist() == [0, 1, 2]
    assert gathered.get_concrete_function().output_shapes.as_list() == [None]


def test_what_functions_of_growing_states_give_is_of_their_size() -> None:
    first = tf.zeros([0], tf.int64)

    def counted(state: Any, x: Any) -> Any:
        return appended(state, x), tf.size(state)

    def gathered(state: Any, x: Any) -> Any:
        return appended(state, x), appended(state, x)

    @traced
    def totals() -> Any:
        sizes, total = tf.constant(0), tf.constant(0, tf.int64)
        for size in Dataset.range(3).scan(first, counted):
            sizes += size
        for rows in Dataset.range(3).scan(first, gathered):
            total += tf.reduce_sum(rows)
        return sizes, total

    assert [x.numpy() for x in totals()] == [3, 4]
    spec = Dataset.range(3).scan(first, gathered).element_spec
    assert spec.shape.as_list() == [None]


def test_files_take_turns_where_several_threads_read(tmp_path: Any) -> None:
    for name, first in (("a", 0), ("b", 10)):
        with tf.io.TFRecordWriter(str(tmp_path / name)) as writer:
            for x in range(first, first + 3):
                numbers = tf.train.Feature(int64_list=tf.train.Int64List(value=[x]))
                features = tf.train.Features(feature={"x": numbers})
                writer.write(tf.train.Example(features=features).SerializeToString())
    batches = tf.data.experimental.make_batched_features_dataset(
        str(tmp_path / "*"),
        6,
        {"x": tf.io.FixedLenFeature([], tf.int64)},
        num_epochs=1,
        shuffle=False,
        reader_num_threads=2,
    )
    assert next(iter(batches))["x"].numpy().tolist() == [0, 10, 1, 11, 2, 12]


def test_rows_of_tensors_of_which_one_axis_is_open_are_dense_inside() -> None:
    batches = Dataset.range(1, 4).map(lambda n: tf.ones([n, 2])).ragged_batch(2)
    first = next(iter(batches))
    assert (first.ragged_rank, first.shape.as_list()) == (1, [2, None, 2])
    assert first.to_list() == [[[1, 1]], [[1, 1], [1, 1]]]
    assert batches.element_spec.ragged_rank == 1
