"""Tables in checkpoints of objects, as TensorFlow 2.21 has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tensorlite.compat import v1, v2
from tensorlite.interop.tensorflow.stored.objects import (
    TABLE,
    Pieces,
    Tracked,
    save_objects,
)

tf: Any = v2
tf1: Any = v1


def table_of(checkpoint: bool = True) -> Any:
    return tf.lookup.experimental.MutableHashTable(
        tf.string, tf.int64, -1, checkpoint=checkpoint
    )


def found_in(table: Any) -> dict[bytes, int]:
    keys, values = table.export()
    return dict(zip(keys.numpy().tolist(), values.numpy().tolist(), strict=True))


def test_tables_are_saved_and_restored(tmp_path: Path) -> None:
    table = table_of()
    table.insert(["a", "b"], tf.constant([1, 2], tf.int64))
    path = tf.train.Checkpoint(table=table).write(str(tmp_path / "x"))
    reader = tf.train.load_checkpoint(path)
    key = "table/.ATTRIBUTES/table-"
    assert sorted(reader.get_tensor(f"{key}keys")) == [b"a", b"b"]
    assert sorted(reader.get_tensor(f"{key}values")) == [1, 2]
    table.insert(["c"], tf.constant([3], tf.int64))
    tf.train.Checkpoint(table=table).read(path).assert_consumed()
    assert found_in(table) == {b"a": 1, b"b": 2}


def test_tables_of_modules_are_among_what_is_saved(tmp_path: Path) -> None:
    class Words(tf.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.known = table_of()
            self.others = {"a": [table_of()]}

    saved = Words()
    saved.known.insert(["a"], tf.constant([7], tf.int64))
    saved.others["a"][0].insert(["b"], tf.constant([8], tf.int64))
    path = tf.train.Checkpoint(words=saved).save(str(tmp_path / "x"))
    other = Words()
    tf.train.Checkpoint(words=other).restore(path).assert_consumed()
    assert found_in(other.known) == {b"a": 7}
    assert found_in(other.others["a"][0]) == {b"b": 8}


def test_tables_may_be_left_out(tmp_path: Path) -> None:
    first = tf.lookup.KeyValueTensorInitializer(["a"], tf.constant([1], tf.int64))
    static = tf.lookup.StaticHashTable(first, -1)
    whole = tf.train.Checkpoint(table=table_of(checkpoint=False), static=static)
    path = whole.write(str(tmp_path / "x"))
    names = [name for name, _ in tf.train.list_variables(path)]
    assert names == ["_CHECKPOINTABLE_OBJECT_GRAPH"]


def test_tables_of_graphs_are_saved_and_restored_in_sessions(tmp_path: Path) -> None:
    with tf1.Graph().as_default(), tf1.Session() as session:
        table = table_of()
        session.run(table.insert(["a"], tf1.constant([5], tf1.int64)))
        whole = tf.train.Checkpoint(table=table)
        whole.restore(None).initialize_or_restore()
        path = whole.save(str(tmp_path / "x"), session=session)
        session.run(table.insert(["b"], tf1.constant([6], tf1.int64)))
        whole.restore(path).run_restore_ops()
        assert session.run(table.export()[0]).tolist() == [b"a"]
    eager = table_of()
    tf.train.Checkpoint(table=eager).restore(path).assert_consumed()
    assert found_in(eager) == {b"a": 5}


def test_dense_tables_take_tensorflows_buckets(tmp_path: Path) -> None:
    keys = np.array([[-1], [4], [-2], [9]], np.int64)
    values = np.array([[0, 0], [1, 2], [0, 0], [3, 4]], np.float32)
    saved = Pieces({"-keys": keys, "-values": values})
    path = str(tmp_path / "x")
    save_objects(path, Tracked({"table": Tracked(values={TABLE: saved})}))
    table = tf.lookup.experimental.DenseHashTable(
        tf.int64, tf.float32, [0.0, 0.0], empty_key=-1, deleted_key=-2
    )
    tf.train.Checkpoint(table=table).read(path)
    found = table.lookup(tf.constant([9, 4, 5], tf.int64)).numpy()
    assert found.tolist() == [[3.0, 4.0], [1.0, 2.0], [0.0, 0.0]]
    assert int(table.size()) == 2
    written = tf.train.Checkpoint(table=table).write(str(tmp_path / "y"))
    shapes = dict(tf.train.list_variables(written))
    assert shapes["table/.ATTRIBUTES/table-keys"] == [4, 1]
    assert shapes["table/.ATTRIBUTES/table-values"] == [4, 2]
