"""Estimators that are exported, judged in turns, begun with others; what they learn is recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorlite.core.errors import InvalidArgumentError, UnimplementedError
from tensorlite.graph_mode.graph import mode

tf: Any = import_module("tensorlite.compat.v1")
X = np.array([[1.0], [2.0], [-1.0], [0.5], [3.0], [-2.0]], np.float32)
Y = np.array([0, 1, 0, 1, 1, 0])


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    yield
    mode.eager = before


def _rows(times: int = 1) -> Callable[[], Any]:
    def rows() -> Any:
        return (
            tf.data.Dataset.from_tensor_slices(({"a": X}, Y)).repeat(times).batch(3)
        )

    return rows


def _linear(folder: Path, **given: Any) -> Any:
    column = tf.feature_column.numeric_column("a")
    return tf.estimator.LinearClassifier([column], str(folder), **given)


def _receiver() -> Any:
    column = tf.feature_column.numeric_column("a")
    spec = tf.feature_column.make_parse_example_spec([column])
    return tf.estimator.export.build_parsing_serving_input_receiver_fn(spec)


def _example(value: float) -> bytes:
    feature = tf.train.Feature(float_list=tf.train.FloatList(value=[value]))
    features = tf.train.Features(feature={"a": feature})
    made: bytes = tf.train.Example(features=features).SerializeToString()
    return made


def test_an_exported_model_answers_as_the_estimator(tmp_path: Path) -> None:
    estimator = _linear(tmp_path / "model")
    estimator.train(_rows(3))
    answers = [x["probabilities"] for x in estimator.predict(_rows())]
    extra = tmp_path / "notes.txt"
    extra.write_text("notes")
    folder = estimator.export_saved_model(
        str(tmp_path / "out"), _receiver(), {"notes.txt": str(extra)}
    ).decode()
    assert Path(folder, "assets.extra", "notes.txt").read_text() == "notes"
    with tf.Graph().as_default(), tf.Session() as session:
        meta = tf.saved_model.load(session, ["serve"], folder)
        signatures = meta.signature_def
        assert sorted(signatures) == [
            *("classification", "predict", "regression", "serving_default"),
        ]
        own = signatures["serving_default"]
        fed = own.inputs["inputs"].name
        asked = own.outputs["scores"].name
        found = session.run(asked, {fed: [_example(float(x)) for x in X[:, 0]]})
    np.testing.assert_allclose(found, answers, 1e-6)


def test_raw_features_are_fed_one_by_one(tmp_path: Path) -> None:
    estimator = _linear(tmp_path / "model")
    estimator.train(_rows())
    raw = tf.estimator.export.build_raw_serving_input_receiver_fn({"a": X})
    folder = estimator.export_savedmodel(str(tmp_path / "out"), raw).decode()
    with tf.Graph().as_default(), tf.Session() as session:
        signatures = tf.saved_model.load(session, ["serve"], folder).signature_def
        assert sorted(signatures) == ["predict"]
        own = signatures["predict"]
        asked = own.outputs["class_ids"].name
        found = session.run(asked, {own.inputs["a"].name: X})
    assert found.tolist() == [
        x["class_ids"].tolist() for x in estimator.predict(_rows())
    ]


def test_training_and_judging_in_turns_exports(tmp_path: Path) -> None:
    config = tf.estimator.RunConfig(save_checkpoints_steps=2)
    estimator = _linear(tmp_path, config=config)
    latest = tf.estimator.LatestExporter("latest", _receiver(), exports_to_keep=1)
    final = tf.estimator.FinalExporter("final", _receiver())
    best = tf.estimator.BestExporter("best", _receiver())
    judged, exports = tf.estimator.train_and_evaluate(
        estimator,
        tf.estimator.TrainSpec(_rows(9), max_steps=4),
        tf.estimator.EvalSpec(
            _rows(), exporters=[latest, final, best], throttle_secs=3600
        ),
    )
    assert judged["global_step"] == 4
    assert judged["loss"] < np.log(2) * 3
    assert [Path(x.decode()).parent.name for x in exports] == [
        "latest",
        "final",
        "best",
    ]


def test_an_estimator_begins_with_anothers_variables(tmp_path: Path) -> None:
    first = _linear(tmp_path / "first")
    first.train(_rows(3))
    name = "linear/linear_model/a/weights"
    still = {"optimizer": tf.train.GradientDescentOptimizer(0.0)}
    begun = _linear(tmp_path / "second", warm_start_from=first.model_dir, **still)
    begun.train(_rows(), steps=1)
    kept = first.get_variable_value(name)
    np.testing.assert_allclose(begun.get_variable_value(name), kept)
    settings = tf.estimator.WarmStartSettings(first.model_dir, ".*bias.*")
    partly = _linear(tmp_path / "third", warm_start_from=settings, **still)
    partly.train(_rows(), steps=1)
    assert partly.get_variable_value(name).tolist() == [[0.0]]


def test_two_heads_have_labels_of_their_own(tmp_path: Path) -> None:
    heads = [
        tf.estimator.RegressionHead(name="number"),
        tf.estimator.BinaryClassHead(name="yes"),
    ]
    head = tf.estimator.MultiHead(heads, [1.0, 0.5])
    column = tf.feature_column.numeric_column("a")

    def rows() -> Any:
        labels = {"number": X[:, 0], "yes": Y}
        return (
            tf.data.Dataset.from_tensor_slices(({"a": X}, labels)).repeat(20).batch(6)
        )

    estimator = tf.estimator.DNNEstimator(head, [4], [column], str(tmp_path))
    estimator.train(rows, steps=20)
    found = estimator.evaluate(rows, steps=1)
    wanted = found["loss/number"] + 0.5 * found["loss/yes"]
    assert found["loss"] == pytest.approx(wanted, 1e-5)
    assert {"accuracy/yes", "average_loss/number"} <= set(found)
    answer = next(estimator.predict(rows))
    assert answer["yes", "class_ids"].shape == (1,)


def test_more_metrics_are_added(tmp_path: Path) -> None:
    def metric_fn(labels: Any, predictions: Any) -> dict[str, Any]:
        ids = tf.squeeze(predictions["class_ids"], -1)
        return {"wrong": tf.metrics.mean(tf.not_equal(labels, ids))}

    estimator = tf.estimator.add_metrics(_linear(tmp_path), metric_fn)
    estimator.train(_rows(3))
    found = estimator.evaluate(_rows())
    assert found["wrong"] == pytest.approx(1.0 - found["accuracy"])


def test_specs_of_examples_have_labels() -> None:
    column = tf.feature_column.numeric_column("a")
    found = tf.estimator.classifier_parse_example_spec([column], "y")
    assert sorted(found) == ["a", "y"]
    assert found["y"].dtype is tf.int64
    with pytest.raises(InvalidArgumentError, match="not be used as features"):
        tf.estimator.regressor_parse_example_spec([column], "a")


def test_variables_begin_with_those_of_a_checkpoint(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        with tf.variable_scope("old"):
            tf.get_variable("v", initializer=[1.0, 2.0])
            tf.get_variable("w", initializer=[[1.0], [2.0], [3.0]])
        session.run(tf.global_variables_initializer())
        prefix = tf.train.Saver().save(session, str(tmp_path / "saved"))
    with tf.Graph().as_default(), tf.Session() as session:
        with tf.variable_scope("new"):
            v = tf.get_variable("v", [2])
            w = tf.get_variable("w", [3, 1], partitioner=tf.fixed_size_partitioner(2))
        u = tf.get_variable("u", [2])
        tf.train.init_from_checkpoint(prefix, {"old/": "new/", "old/v": u})
        session.run(tf.global_variables_initializer())
        assert session.run(v).tolist() == session.run(u).tolist() == [1.0, 2.0]
        assert session.run(tf.convert_to_tensor(w)).tolist() == [[1.0], [2.0], [3.0]]
        with pytest.raises(InvalidArgumentError, match="is not found"):
            tf.train.init_from_checkpoint(prefix, {"old/x": u})
        with pytest.raises(InvalidArgumentError, match="doesn't match"):
            tf.train.init_from_checkpoint(str(tmp_path), {"old/w": u})


def test_rows_begin_with_those_of_the_same_words(tmp_path: Path) -> None:
    (tmp_path / "old.txt").write_text("a\nb\nc\n")
    (tmp_path / "new.txt").write_text("c\nd\na\n")
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable("w", initializer=[[1.0], [2.0], [3.0]])
        session.run(tf.global_variables_initializer())
        prefix = tf.train.Saver().save(session, str(tmp_path / "saved"))
    with tf.Graph().as_default(), tf.Session() as session:
        w = tf.get_variable("w", [4, 1])
        info = tf.train.VocabInfo(
            str(tmp_path / "new.txt"), 3, 1, str(tmp_path / "old.txt")
        )
        tf.train.warm_start(prefix, var_name_to_vocab_info={"w": info})
        session.run(tf.global_variables_initializer())
        assert session.run(w).tolist() == [[3.0], [0.0], [1.0], [0.0]]


def test_an_estimator_for_other_devices_runs_here(tmp_path: Path) -> None:
    tpu = tf.contrib.tpu
    told: list[Any] = []

    def model_fn(features: Any, labels: Any, mode: str, params: Any) -> Any:
        told.append(params)
        logits = tf.layers.dense(features["a"], 2, name="dense")
        if mode == tf.estimator.ModeKeys.PREDICT:
            return tpu.TPUEstimatorSpec(
                mode, predictions={"ids": tf.argmax(logits, -1)}
            )
        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
        optimizer = tpu.CrossShardOptimizer(tf.train.GradientDescentOptimizer(0.1))
        step = optimizer.minimize(loss, tf.train.get_global_step())

        def metric_fn(labels: Any, logits: Any) -> dict[str, Any]:
            return {"accuracy": tf.metrics.accuracy(labels, tf.argmax(logits, -1))}

        metrics = (metric_fn, [labels, logits])
        return tpu.TPUEstimatorSpec(
            mode, loss=loss, train_op=step, eval_metrics=metrics
        )

    def rows(params: Any) -> Any:
        whole = tf.data.Dataset.from_tensor_slices(({"a": X}, Y))
        return whole.batch(params["batch_size"])

    config = tpu.RunConfig(model_dir=str(tmp_path), tpu_config=tpu.TPUConfig(10))
    sizes = {"train_batch_size": 2, "eval_batch_size": 3, "predict_batch_size": 6}
    estimator = tpu.TPUEstimator(
        model_fn, config=config, params={"rate": 1}, use_tpu=False, **sizes
    )
    estimator.train(rows)
    assert estimator.evaluate(rows)["global_step"] == 3
    assert len(list(estimator.predict(rows))) == 6
    assert [x["batch_size"] for x in told] == [2, 3, 6]
    with pytest.raises(UnimplementedError, match="no TPUs"):
        tpu.TPUEstimator(model_fn, config=config)


def test_features_are_answered_with(tmp_path: Path) -> None:
    head = tf.contrib.estimator.binary_classification_head(thresholds=[0.4])
    column = tf.feature_column.numeric_column("a")
    own = tf.estimator.LinearEstimator(head, [column], str(tmp_path))
    estimator = tf.contrib.estimator.forward_features(own, "a")
    estimator.train(_rows(3))
    assert "accuracy/positive_threshold_0.4" in estimator.evaluate(_rows())
    answers = list(estimator.predict(_rows()))
    assert [x["a"].tolist() for x in answers] == X.tolist()
    assert answers[0]["probabilities"].shape == (2,)
    with pytest.raises(InvalidArgumentError, match="not in features"):
        next(tf.contrib.estimator.forward_features(own, ["b"]).predict(_rows()))


def test_columns_of_words_are_exported(tmp_path: Path) -> None:
    column = tf.feature_column
    words = column.categorical_column_with_vocabulary_list("k", ["x", "y", "z"])
    raw = {"k": np.array([["x"], ["?"]])}

    def rows() -> Any:
        return tf.data.Dataset.from_tensor_slices((raw, np.array([0, 1]))).batch(2)

    estimator = tf.estimator.DNNLinearCombinedClassifier(
        str(tmp_path / "model"),
        [words],
        dnn_feature_columns=[column.embedding_column(words, 2)],
        dnn_hidden_units=[3],
    )
    estimator.train(rows, steps=1)
    receiver = tf.estimator.export.build_raw_serving_input_receiver_fn(raw)
    folder = estimator.export_saved_model(str(tmp_path / "out"), receiver).decode()
    wanted = [x["logits"] for x in estimator.predict(rows)]
    with tf.Graph().as_default(), tf.Session() as session:
        own = tf.saved_model.load(session, ["serve"], folder).signature_def["predict"]
        fed = {own.inputs["k"].name: raw["k"]}
        found = session.run(own.outputs["logits"].name, fed)
    np.testing.assert_allclose(found, wanted, 1e-6)


def test_slots_and_powers_are_saved_by_tensorflows_names(tmp_path: Path) -> None:
    column = tf.feature_column.numeric_column("a")
    network = tf.estimator.DNNClassifier([2], [column], str(tmp_path / "dnn"))
    names = network.train(_rows(), steps=1).get_variable_names()
    assert [x for x in names if x.endswith("Adagrad")] == [
        "dnn/hiddenlayer_0/bias/t_0/Adagrad",
        "dnn/hiddenlayer_0/kernel/t_0/Adagrad",
        "dnn/logits/bias/t_0/Adagrad",
        "dnn/logits/kernel/t_0/Adagrad",
    ]
    linear = _linear(tmp_path / "linear", optimizer="Adam").train(_rows(), steps=1)
    names = linear.get_variable_names()
    assert [x for x in names if "Adam" in x or "power" in x] == [
        "linear/head/beta1_power",
        "linear/head/beta2_power",
        "linear/linear_model/a/weights/part_0/Adam",
        "linear/linear_model/a/weights/part_0/Adam_1",
        "linear/linear_model/bias_weights/part_0/Adam",
        "linear/linear_model/bias_weights/part_0/Adam_1",
    ]
    plain = tf.estimator.BaselineClassifier(str(tmp_path / "baseline"))
    names = plain.train(_rows(), steps=1).get_variable_names()
    assert names[:2] == ["baseline/bias", "baseline/bias/Ftrl"]


def test_losses_are_summed_up_outside_of_the_models_scopes(tmp_path: Path) -> None:
    _linear(tmp_path).train(_rows(), steps=1)
    (file,) = tmp_path.glob("events*")
    events = tf.train.summary_iterator(str(file))
    tags = {x.tag for event in events for x in event.summary.value}
    assert {"loss", "average_loss"} <= tags


def _head_of(mode: str, labels: Any, **given: Any) -> Any:
    logits = tf.zeros([2, 3])
    head = tf.estimator.MultiClassHead(3, **given)
    step = tf.no_op
    return head.create_estimator_spec(
        {"a": logits}, mode, logits, labels, train_op_fn=lambda loss: step()
    )


def test_heads_name_what_they_make_as_tensorflow() -> None:
    with tf.Graph().as_default() as graph:
        spec = _head_of("train", tf.constant([[0], [2]]))
        names = {key: x.op.name for key, x in spec.predictions.items()}
        losses = [x.name for x in graph.get_collection("losses")]
    assert names["probabilities"] == "head/predictions/probabilities"
    assert names["classes"] == "head/predictions/str_classes"
    assert names["class_ids"] == "head/predictions/ExpandDims_2"
    assert losses[-1] == spec.loss.name


def test_metrics_of_heads_are_made_beside_them() -> None:
    with tf.Graph().as_default():
        _head_of("eval", tf.constant([[0], [2]]))
        names = sorted(x.op.name for x in tf.local_variables())
    assert names == [
        *("metrics/accuracy/count", "metrics/accuracy/total"),
        *("metrics/average_loss/count", "metrics/average_loss/total"),
    ]


def test_labels_and_logits_of_other_sizes_are_refused() -> None:
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="Mismatched label shape"):
            _head_of("train", tf.zeros([2, 3], tf.int32))
        with pytest.raises(ValueError, match="You must provide a labels Tensor"):
            _head_of("train", None)
        with pytest.raises(ValueError, match="logits shape must be"):
            tf.estimator.MultiClassHead(4).create_estimator_spec(
                {}, "infer", tf.zeros([2, 3])
            )


def test_linear_models_tell_their_bias_and_zeros() -> None:
    column = tf.feature_column.numeric_column("a")
    with tf.Graph().as_default() as graph:
        model = tf.estimator.LinearRegressor([column])
        model.model_fn({"a": tf.zeros([2, 1])}, tf.zeros([2, 1]), "train", None)
        told = [x.op.name for x in graph.get_collection("summaries")]
    assert told[:2] == ["linear/bias", "linear/fraction_of_zero_weights"]


def test_assertions_of_equality_show_what_they_are_given() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.int32, [None])
        checked = tf.assert_equal(x, 1, data=["these: ", x])
        with pytest.raises(tf.errors.InvalidArgumentError, match="these: "):
            session.run(checked, {x: [2]})
