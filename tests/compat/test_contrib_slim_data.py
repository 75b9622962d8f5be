"""slim's data: records that readers gather, what they are decoded to, summaries and queues."""

from __future__ import annotations

import io
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.core.errors import DTypeError, InvalidArgumentError, OutOfRangeError
from tensorlite.graph_mode.graph import mode, reset_default_graph

tf: Any = v1
slim = tf.contrib.slim
decoders = slim.tfexample_decoder


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    reset_default_graph()
    yield
    mode.eager = before


def example(**features: Any) -> bytes:
    """Return the bytes of a tf.train.Example; keys have "_" in the place of "/"."""

    def feature(values: Any) -> Any:
        if isinstance(values[0], bytes):
            return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
        if isinstance(values[0], float):
            return tf.train.Feature(float_list=tf.train.FloatList(value=values))
        return tf.train.Feature(int64_list=tf.train.Int64List(value=values))

    told = {key.replace("_", "/"): feature(x) for key, x in features.items()}
    made = tf.train.Example(features=tf.train.Features(feature=told))
    return bytes(made.SerializeToString())


def decoded(handler: Any, features: Any, **given: Any) -> Any:
    """Return the item that a handler makes of an Example, in a graph with its table alone."""
    if not isinstance(handler, decoders.LookupTensor):
        reset_default_graph()
    decoder = decoders.TFExampleDecoder(features, {"item": handler})
    (item,) = decoder.decode(tf.constant(example(**given)))
    with tf.Session() as session:
        session.run(tf.tables_initializer())
        return session.run(item)


def varying(kind: Any, *keys: str) -> Any:
    return {key: tf.VarLenFeature(kind) for key in keys}


def test_tensors_are_shaped_by_what_examples_say() -> None:
    features = {**varying(tf.float32, "x"), **varying(tf.int64, "h", "w")}
    given = {"x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "h": [2], "w": [3]}
    flat = decoded(decoders.Tensor("x"), features, **given)
    assert flat.tolist() == given["x"]
    for handler in (
        decoders.Tensor("x", shape=[2, 3]),
        decoders.Tensor("x", shape_keys=["h", "w"]),
    ):
        assert decoded(handler, features, **given).tolist() == [[1, 2, 3], [4, 5, 6]]
    absent = decoded(decoders.Tensor("y"), varying(tf.float32, "y"), **given)
    assert absent.shape == (0,)
    with pytest.raises(InvalidArgumentError, match="both"):
        decoders.Tensor("x", shape_keys="h", shape=[2])


def test_boxes_are_rows_of_four_sides() -> None:
    sides = varying(tf.float32, "b/ymin", "b/xmin", "b/ymax", "b/xmax")
    found = decoded(
        decoders.BoundingBox(prefix="b/"),
        sides,
        b_ymin=[0.25, 0.5],
        b_xmin=[0.0, 0.125],
        b_ymax=[0.75, 1.0],
        b_xmax=[0.5, 0.625],
    )
    assert found.tolist() == [[0.25, 0, 0.75, 0.5], [0.5, 0.125, 1, 0.625]]
    with pytest.raises(InvalidArgumentError, match="4 keys"):
        decoders.BoundingBox(["a"])


def test_places_and_values_are_a_sparse_tensor() -> None:
    features = {**varying(tf.int64, "indices"), **varying(tf.float32, "values")}
    given = {"indices": [1, 4], "values": [0.5, 0.25]}
    dense = decoders.SparseTensor(shape=[5], densify=True, default_value=-1)
    assert decoded(dense, features, **given).tolist() == [-1, 0.5, -1, -1, 0.25]
    found = decoded(decoders.SparseTensor(shape=[5]), features, **given)
    assert found.indices.tolist() == [[1], [4]]


def test_another_handler_stands_in_for_what_is_not_there() -> None:
    features = varying(tf.int64, "a", "b")
    either = decoders.BackupHandler(decoders.Tensor("a"), decoders.Tensor("b"))
    assert decoded(either, features, a=[1], b=[2]).tolist() == [1]
    assert decoded(either, features, b=[2]).tolist() == [2]
    twice = decoders.ItemHandlerCallback(["a"], lambda x: x["a"].values * 2)
    assert decoded(twice, features, a=[4]).tolist() == [8]
    with pytest.raises(InvalidArgumentError, match="Backup"):
        decoders.BackupHandler(decoders.Tensor("a"), "b")


def test_values_are_looked_up() -> None:
    table = tf.contrib.lookup.index_table_from_tensor(tf.constant(["cat", "dog"]))
    found = decoded(
        decoders.LookupTensor("x", table), varying(tf.string, "x"), x=[b"dog", b"cat"]
    )
    assert found.tolist() == [1, 0]


def image_features() -> Any:
    return {
        "image/encoded": tf.FixedLenFeature([], tf.string),
        "image/format": tf.FixedLenFeature([], tf.string),
    }


def png(pixels: Any) -> bytes:
    with tf.Session() as session:
        return bytes(session.run(tf.image.encode_png(pixels)))


def test_images_are_decoded_by_their_formats() -> None:
    pixels = np.arange(18, dtype=np.uint8).reshape(2, 3, 3)
    handler = decoders.Image(shape=[2, 3, 3])
    for encoded, kind in ((png(pixels), b"png"), (pixels.tobytes(), b"raw")):
        found = decoded(
            handler, image_features(), image_encoded=[encoded], image_format=[kind]
        )
        np.testing.assert_array_equal(found, pixels)
    several = {
        "image/encoded": tf.FixedLenFeature([2], tf.string),
        "image/format": tf.FixedLenFeature([], tf.string),
    }
    both = decoded(
        decoders.Image(repeated=True),
        several,
        image_encoded=[png(pixels), png(pixels + 1)],
        image_format=[b"png"],
    )
    np.testing.assert_array_equal(both, [pixels, pixels + 1])


def records(folder: Path, count: int = 3) -> list[str]:
    """Write files of two records each, and return their names."""
    names = [str(folder / f"numbers-{i}.tfrecord") for i in range(count)]
    for i, name in enumerate(names):
        with tf.python_io.TFRecordWriter(name) as writer:
            for j in range(2):
                writer.write(example(label=[2 * i + j]))
    return names


def told(sources: Any) -> Any:
    """Return what tells of data with one item, a label."""
    features = {"label": tf.FixedLenFeature([1], tf.int64)}
    items = {"label": decoders.Tensor("label", shape=[])}
    decoder = decoders.TFExampleDecoder(features, items)
    return slim.dataset.Dataset(
        sources, tf.TFRecordReader, decoder, 6, {"label": "a number"}, num_classes=2
    )


def all_of(fetches: Any) -> list[Any]:
    found = []
    with tf.Session() as session:
        session.run(
            [tf.global_variables_initializer(), tf.local_variables_initializer()]
        )
        with slim.queues.QueueRunners(session):
            try:
                while True:
                    found.append(session.run(fetches))
            except OutOfRangeError:
                return found
    return found


def test_items_of_a_dataset_are_provided(tmp_path: Path) -> None:
    records(tmp_path)
    dataset = told(str(tmp_path / "numbers-*"))
    assert dataset.num_classes == 2
    provider = slim.dataset_data_provider.DatasetDataProvider(
        dataset, shuffle=False, num_epochs=2
    )
    assert sorted(provider.list_items()) == ["label", "record_key"]
    assert provider.num_samples() == 6
    label, key = provider.get(["label", "record_key"])
    assert label.get_shape().as_list() == []
    found = all_of([label, key])
    assert [int(x) for x, _ in found] == [0, 1, 2, 3, 4, 5] * 2
    assert found[0][1].startswith(bytes(tmp_path / "numbers-0.tfrecord"))
    for wrong in ("label", ["other"]):
        with pytest.raises(InvalidArgumentError):
            provider.get(wrong)
    with pytest.raises(InvalidArgumentError, match="record_key"):
        slim.dataset_data_provider.DatasetDataProvider(dataset, record_key="label")


def test_readers_shuffle_what_they_read_together(tmp_path: Path) -> None:
    records(tmp_path)
    provider = slim.dataset_data_provider.DatasetDataProvider(
        told([str(tmp_path / "numbers-?.*")]), num_readers=2, num_epochs=3
    )
    (label,) = provider.get(["label"])
    names = [x.name for x in tf.get_default_graph().get_operations()]
    assert {"parallel_read/filenames", "parallel_read/common_queue"} <= set(names)
    assert sorted(map(int, all_of(label))) == sorted([*range(6)] * 3)


def test_files_are_read_once_and_in_order(tmp_path: Path) -> None:
    readers = slim.parallel_reader
    names = records(tmp_path)
    _, value = readers.single_pass_read(names, tf.TFRecordReader)
    assert all_of(value) == [example(label=[i]) for i in range(6)]
    with pytest.raises(InvalidArgumentError, match="No data files"):
        readers.get_data_files(str(tmp_path / "none*"))
    with pytest.raises(DTypeError, match="string"):
        readers.ParallelReader(tf.TFRecordReader, tf.FIFOQueue(3, [tf.string]))


def test_batches_are_made_before_they_are_asked_for() -> None:
    number = tf.train.limit_epochs(tf.constant(3.0), 4)
    queue = slim.prefetch_queue.prefetch_queue({"a": number, "b": tf.zeros([2])})
    assert queue.name == "prefetch_queue/fifo_queue"
    taken = queue.dequeue()
    assert taken["b"].get_shape().as_list() == [2]
    assert [float(x["a"]) for x in all_of(taken)] == [3.0] * 4


def test_runners_of_queues_run_in_one_block_at_a_time() -> None:
    nested = pytest.raises(slim.queues.NestedQueueRunnerError)
    runners = slim.queues.QueueRunners
    with tf.Session() as session, runners(session), nested, runners(session):
        pass


def test_summaries_are_under_their_tensors_names(
    capsys: pytest.CaptureFixture[str],
) -> None:
    share = tf.constant([0.0, 1.0, 0.0, 2.0], name="share")
    made = [
        *slim.summaries.add_zero_fraction_summaries([share], prefix="of"),
        slim.summaries.add_scalar_summary(
            tf.constant(7.0, name="n"), print_summary=True
        ),
        *slim.summaries.add_histogram_summaries([share]),
    ]
    assert tf.get_collection(tf.GraphKeys.SUMMARIES) == made
    with tf.Session() as session:
        texts = [tf.Summary.FromString(x).value[0] for x in session.run(made)]
    tags = ["of/share/Fraction_of_Zero_Values", "n_1", "share_1"]
    assert [x.tag for x in texts] == tags  # the names of nodes, as TensorFlow's
    assert [texts[0].simple_value, texts[1].simple_value] == [0.5, 7.0]
    assert "n[7]" in io.StringIO(capsys.readouterr().err).read()


def test_programs_import_the_modules_by_their_paths() -> None:
    inside = "tensorlite.compat.v1.contrib.slim.python.slim"
    for name, kind in (
        ("data.tfexample_decoder", "TFExampleDecoder"),
        ("data.dataset", "Dataset"),
        ("data.parallel_reader", "ParallelReader"),
        ("queues", "QueueRunners"),
    ):
        public = getattr(slim, name.rpartition(".")[2])
        assert getattr(import_module(f"{inside}.{name}"), kind) is getattr(
            public, kind
        )
