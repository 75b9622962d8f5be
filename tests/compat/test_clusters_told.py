"""Names of clusters and devices: resolvers, device specs; words and numbers by older names."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

import numpy as np
import pytest

v1: Any = import_module("tensorlite.compat.v1")
resolvers: Any = v1.distribute.cluster_resolver


def test_the_environment_tells_of_a_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    told = {
        "cluster": {"worker": ["a:1", "b:2"], "ps": ["c:3"]},
        "task": {"type": "worker", "index": "1"},
    }
    monkeypatch.setenv("TF_CONFIG", json.dumps(told))
    found = resolvers.TFConfigClusterResolver(rpc_layer="grpc")
    assert (found.task_type, found.task_id) == ("worker", 1)
    assert found.cluster_spec().as_dict() == told["cluster"]
    assert found.master() == "grpc://b:2"
    assert found.master("ps", 0, "") == "c:3"
    monkeypatch.delenv("TF_CONFIG")
    assert resolvers.TFConfigClusterResolver().master() == ""


def test_a_cluster_is_given() -> None:
    cluster = v1.train.ClusterSpec({"worker": ["a:1"]})
    found = resolvers.SimpleClusterResolver(
        cluster, "x:9", num_accelerators={"GPU": 2}
    )
    assert found.master() == "x:9"
    assert found.master("worker", 0) == "a:1"
    assert found.num_accelerators() == {"GPU": 2}
    with pytest.raises(ValueError, match="no TPUs"):
        resolvers.TPUClusterResolver()


def test_clusters_of_several_resolvers() -> None:
    simple = resolvers.SimpleClusterResolver
    workers = simple({"worker": ["a:1"]}, task_type="worker", task_id=0)
    others = simple({"worker": ["b:1"], "ps": ["c:1"]}, "x:1", rpc_layer="grpc")
    found = resolvers.UnionResolver(workers, others)
    whole = {"worker": ["a:1", "b:1"], "ps": ["c:1"]}
    assert found.cluster_spec().as_dict() == whole
    assert (found.task_type, found.task_id, found.master()) == ("worker", 0, "")
    assert found.master("worker", 1, "grpc") == "grpc://b:1"
    assert resolvers.UnionResolver(others, task_id=3).task_id == 3
    numbered = simple({"worker": {2: "d:1"}})
    spec = resolvers.UnionResolver(numbered, workers).cluster_spec()
    assert spec.as_dict() == {"worker": {0: "a:1", 2: "d:1"}}
    with pytest.raises(KeyError, match="Duplicate"):
        resolvers.UnionResolver(
            numbered, simple({"worker": {2: "e:1"}})
        ).cluster_spec()
    with pytest.raises(ValueError, match="At least one"):
        resolvers.UnionResolver()
    with pytest.raises(TypeError, match="sub-class"):
        resolvers.UnionResolver("a:1")


def test_device_specs_have_parts() -> None:
    spec = v1.DeviceSpec(job="ps", device_type="gpu", device_index=0)
    assert spec.to_string() == "/job:ps/device:GPU:0"
    whole = v1.DeviceSpec.from_string("/job:worker/task:2/cpu:1")
    assert (whole.job, whole.task, whole.device_type) == ("worker", 2, "CPU")
    assert spec.replace(task=3).to_string() == "/job:ps/task:3/device:GPU:0"
    merged = whole.make_merged_spec(v1.DeviceSpec(job="ps"))
    assert merged == v1.DeviceSpec("ps", None, 2, "CPU", 1)


def test_words_and_numbers_by_older_names() -> None:
    lookup = v1.contrib.lookup
    with v1.Graph().as_default(), v1.Session() as session:
        words = v1.constant(["b", "?", "a"])
        ids = lookup.string_to_index(words, ["a", "b"])
        back = lookup.index_to_string(ids, v1.constant(["a", "b"]))
        session.run(v1.tables_initializer())
        assert session.run(ids).tolist() == [1, -1, 0]
        assert session.run(back).tolist() == [b"b", b"UNK", b"a"]


def test_steps_of_rows_stand_side_by_side() -> None:
    sequence, column = v1.contrib.feature_column, v1.feature_column
    places = [[0, 0], [0, 1], [1, 0]]
    words = sequence.sequence_categorical_column_with_vocabulary_list(
        "w", ["a", "b", "c"]
    )

    def counted(shape: Any, dtype: Any = None) -> Any:
        return (np.arange(np.prod(shape)).reshape(shape) * 0.1).astype(np.float32)

    with v1.Graph().as_default(), v1.Session() as session:
        rows, lengths = sequence.sequence_input_layer(
            {
                "w": v1.SparseTensor(places, ["a", "b", "c"], [2, 3]),
                "n": v1.SparseTensor(places, [1.0, 2.0, 3.0], [2, 3]),
            },
            [
                column.embedding_column(words, 2, initializer=counted),
                sequence.sequence_numeric_column("n", default_value=-1.0),
                column.indicator_column(words),
            ],
        )
        session.run([v1.global_variables_initializer(), v1.tables_initializer()])
        found, counts = session.run([rows, lengths])
    assert counts.tolist() == [2, 1]
    np.testing.assert_allclose(found[0, 1], [2.0, 0.2, 0.3, 0.0, 1.0, 0.0], 1e-6)
    np.testing.assert_allclose(found[1, 2], [-1.0, 0.0, 0.0, 0.0, 0.0, 0.0], 1e-6)
