"""What the guides on checkpoints, datasets and modules have shown to be unlike TensorFlow 2's."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

import tensorlite.compat.v2 as tf


def test_iterators_go_on_where_they_were_saved(tmp_path: Path) -> None:
    iterator = iter(tf.data.Dataset.range(9).map(lambda x: x * 10))
    checkpoint = tf.train.Checkpoint(step=tf.Variable(1), iterator=iterator)
    _ = next(iterator), next(iterator)
    path = checkpoint.save(tmp_path / "model")
    assert next(iterator).numpy() == 20
    assert next(iterator).numpy() == 30
    checkpoint.restore(path)
    assert next(iterator).numpy() == 20
    other = iter(tf.data.Dataset.range(9))
    tf.train.Checkpoint(iterator=other).restore(path).expect_partial()
    assert next(other).numpy() == 2
    assert "iterator/.ATTRIBUTES/ITERATOR_STATE" in (
        tf.train.load_checkpoint(path).get_variable_to_shape_map()
    )


def test_a_manager_of_a_relative_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    checkpoint = tf.train.Checkpoint(step=tf.Variable(1))
    manager = tf.train.CheckpointManager(checkpoint, "./saved", max_to_keep=3)
    manager.save()
    assert tf.train.latest_checkpoint("./saved/") == "./saved/ckpt-1"
    assert (
        tf.train.load_checkpoint("./saved/").get_tensor(
            "step/.ATTRIBUTES/VARIABLE_VALUE"
        )
        == 1
    )


class Holder(tf.Module):
    """Has one function with a signature, which returns nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.v = tf.Variable(1.0)
        spec = tf.TensorSpec([], tf.float32)
        self.change = tf.function(self._change, input_signature=[spec])

    def _change(self, value: Any) -> None:
        self.v.assign(value)


def test_what_returns_nothing_is_no_signature(tmp_path: Path) -> None:
    tf.saved_model.save(Holder(), str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    assert len(loaded.signatures) == 0
    loaded.change(tf.constant(5.0))
    assert loaded.v.numpy() == 5.0


def test_texts_of_arrays_are_bytes() -> None:
    told = tf.py_function(lambda: tf.constant(["b"]), [], tf.string)
    joined = tf.concat([tf.constant(["a"]), told], 0)
    assert joined.numpy().tolist() == [b"a", b"b"]


def test_specs_of_sparse_tensors_name_their_class() -> None:
    sparse = tf.data.Dataset.from_tensors(tf.sparse.from_dense([0, 1])).element_spec
    assert sparse.value_type is tf.SparseTensor


def test_profiles_are_written_into_a_folder(tmp_path: Path) -> None:
    tf.profiler.experimental.start(str(tmp_path / "one"))
    tf.constant(1) + 1
    tf.profiler.experimental.stop()
    profiled = tf.profiler.experimental.Profile(str(tmp_path / "two"))
    with profiled, tf.profiler.experimental.Trace("train", step_num=1):
        tf.constant(1) + 1
    written = [x for x in tmp_path.rglob("*") if x.is_file()]
    assert len(written) == 2
    assert all(x.stat().st_size for x in written)


def test_features_are_read_as_rows() -> None:
    train: Any = tf.train

    def example(**lists: list[int]) -> bytes:
        features = {
            key: train.Feature(int64_list=train.Int64List(value=values))
            for key, values in lists.items()
        }
        made = train.Example(features=train.Features(feature=features))
        return bytes(made.SerializeToString())

    batch = [example(x=[1, 2], y=[7]), example(x=[3])]
    spec: dict[str, Any] = {
        "x": tf.io.RaggedFeature(tf.int64),
        "z": tf.io.RaggedFeature(tf.int64, value_key="y", row_splits_dtype=tf.int64),
    }
    read = tf.io.parse_example(batch, spec)
    assert read["x"].to_list() == [[1, 2], [3]]
    assert read["z"].to_list() == [[7], []]
    assert (read["x"].row_splits.dtype, read["z"].row_splits.dtype) == (
        tf.int32,
        tf.int64,
    )
    single = tf.io.parse_single_example(batch[0], spec)
    assert single["x"].numpy().tolist() == [1, 2]
    with pytest.raises(ValueError, match="partitions"):
        tf.io.parse_example(
            batch, {"x": tf.io.RaggedFeature(tf.int64, partitions=[1])}
        )


def test_how_workers_would_share_is_an_option() -> None:
    options = tf.data.Options()
    policy = tf.data.experimental.AutoShardPolicy.DATA
    options.experimental_distribute.auto_shard_policy = policy
    dataset = tf.data.Dataset.range(3).with_options(options)
    assert dataset.options().experimental_distribute.auto_shard_policy == 2


def test_lists_and_dicts_get_what_was_saved_when_they_get_members(
    tmp_path: Path,
) -> None:
    saved: Any = tf.train.Checkpoint()
    saved.listed = [tf.Variable(1.0)]
    saved.listed.append(tf.Variable(2.0))
    saved.mapped = {"one": saved.listed[0], "two": saved.listed[1]}
    path = saved.save(str(tmp_path / "lists"))
    restored: Any = tf.train.Checkpoint()
    restored.restore(path)
    restored.listed = []
    assert repr(restored.listed) == "ListWrapper([])"
    first, second = tf.Variable(0.0), tf.Variable(0.0)
    restored.listed.append(first)
    assert first.numpy() == 1.0
    restored.mapped = {}
    restored.mapped["two"] = second
    assert second.numpy() == 2.0


def test_modules_hold_copies_of_lists() -> None:
    module: Any = tf.Module()
    given = [1, {"a": [2]}]
    module.given = given
    assert module.given == given
    assert module.given is not given
    assert (
        repr(module.given) == "ListWrapper([1, DictWrapper({'a': ListWrapper([2])})])"
    )
    assert copy.deepcopy(module.given) == given
