"""tf.contrib.learn: estimators, heads and monitors against what TensorFlow 1.15 gives."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorlite.core.errors import InvalidArgumentError, UnimplementedError
from tests.compat.recorded_learn import ESTIMATORS, HEADS

tf: Any = import_module("tensorlite.compat.v1")  # as its programs see it, untyped
learn, layers = tf.contrib.learn, tf.contrib.layers
ROWS = np.array([[0.0, 1], [1, 2], [3, -1], [2, 2], [-1, 0]], np.float32)
TWO, THREE = np.array([0, 1, 1, 0, 1]), np.array([0, 1, 2, 0, 1])
FLOATS = TWO.astype(np.float32)
MARKS = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 1], [0, 0, 1], [0, 0, 0]])
X = layers.real_valued_column("x", 2)
C = layers.sparse_column_with_keys("c", ["a", "b", "c"])


def given(labels: Any, weighted: bool = False) -> Any:
    def input_fn() -> Any:
        words = ["a", "b", "a", "c", "b"]
        places = [[i, 0] for i in range(5)]
        features = {
            "x": tf.constant(ROWS),
            "c": tf.SparseTensor(places, words, [5, 1]),
        }
        if not weighted:
            return features, tf.constant(labels)
        features["w"] = tf.constant([1.0, 2, 0.5, 1, 1])
        return features, tf.constant(labels.reshape(5, 1))

    return input_fn


def sgd() -> Any:
    return tf.train.GradientDescentOptimizer(0.1)


MADE: dict[str, Any] = {
    "linear classes": (lambda: learn.LinearClassifier([X, C]), given(TWO)),
    "linear three classes": (
        lambda: learn.LinearClassifier(
            [X, C], n_classes=3, optimizer=sgd(), gradient_clip_norm=1.0
        ),
        given(THREE),
    ),
    "linear joint": (
        lambda: learn.LinearClassifier([C], _joint_weight=True, optimizer="SGD"),
        given(TWO),
    ),
    "linear scores": (
        lambda: learn.LinearRegressor([X, C], weight_column_name="w"),
        given(FLOATS, weighted=True),
    ),
    "linear two scores": (
        lambda: learn.LinearRegressor([X, C], label_dimension=2, optimizer="Adam"),
        given(np.stack([TWO, THREE], 1).astype(np.float32)),
    ),
}


def close(found: Any, wanted: Any) -> None:
    assert sorted(found, key=str) == sorted(wanted, key=str)
    for key, value in wanted.items():
        np.testing.assert_allclose(found[key], value, rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("name", MADE)
def test_linear_models(name: str) -> None:
    make, input_fn = MADE[name]
    metrics, predictions, variables = ESTIMATORS[name]
    estimator = make().fit(input_fn=input_fn, steps=3)
    close(estimator.evaluate(input_fn=input_fn, steps=1), metrics)
    found = np.array(list(estimator.predict(input_fn=input_fn)))
    np.testing.assert_allclose(found, predictions, rtol=2e-4, atol=2e-5)
    slots = ("Ftrl", "Ftrl_1", "Adam", "Adam_1")
    names = estimator.get_variable_names()
    assert [x for x in names if not x.endswith(slots)] == variables


def test_slots_are_saved_by_what_is_left_of_their_names() -> None:
    estimator = learn.LinearClassifier([X, C]).fit(input_fn=given(TWO), steps=1)
    assert estimator.get_variable_names() == [
        "global_step",
        "linear/bias_weight",
        "linear/bias_weight/d/linear/bias_weight/part_0/Ftrl",
        "linear/bias_weight/d/linear/bias_weight/part_0/Ftrl_1",
        "linear/c/weights",
        "linear/c/weights/ead/linear/c/weights/part_0/Ftrl",
        "linear/c/weights/ead/linear/c/weights/part_0/Ftrl_1",
        "linear/x/weight",
        "linear/x/weight/head/linear/x/weight/part_0/Ftrl",
        "linear/x/weight/head/linear/x/weight/part_0/Ftrl_1",
    ]


def test_a_bias_of_its_own_is_trained_beside_the_model() -> None:
    estimator = learn.LinearClassifier(
        [X], weight_column_name="w", enable_centered_bias=True
    )
    estimator.fit(input_fn=given(TWO, weighted=True), steps=2)
    scope = "linear/binary_logistic_head"
    found = {
        name: estimator.get_variable_value(name).ravel()
        for name in (f"{scope}/centered_bias_weight", "linear/bias_weight")
    }
    close(
        found,
        {f"{scope}/centered_bias_weight": [0.07687], "linear/bias_weight": [0.13969]},
    )


def both_heads() -> Any:
    return learn.multi_head(
        [
            learn.multi_class_head(2, label_name="a", head_name="A"),
            learn.regression_head(label_name="b", head_name="B"),
        ],
        [0.5, 2.0],
    )


def both_labels() -> Any:
    features, labels = given(TWO)()
    return features, {"a": labels, "b": tf.constant(THREE)}


@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
@pytest.mark.parametrize(
    ("name", "make", "input_fn"),
    [
        ("svm", learn.binary_svm_head, given(TWO)),
        ("poisson", learn.poisson_regression_head, given(FLOATS)),
        (
            "labels",
            lambda: learn.multi_label_head(3, metric_class_ids=[1, 2]),
            given(MARKS),
        ),
        (
            "classes",
            lambda: learn.multi_class_head(
                3, metric_class_ids=[1], weight_column_name="w"
            ),
            given(THREE, weighted=True),
        ),
        (
            "two classes",
            lambda: learn.multi_class_head(2, thresholds=[0.3, 0.7], head_name="hh"),
            given(TWO),
        ),
        ("several", both_heads, both_labels),
    ],
)
def test_heads(name: str, make: Any, input_fn: Any) -> None:
    metrics, predictions = HEADS[name]
    estimator = learn.LinearEstimator([X, C], make(), optimizer=sgd())
    estimator.fit(input_fn=input_fn, steps=3)
    close(estimator.evaluate(input_fn=input_fn, steps=1), metrics)
    _, row, *_ = estimator.predict(input_fn=input_fn)
    close({str(key): value for key, value in row.items()}, predictions)


def test_classes_that_are_words() -> None:
    estimator = learn.LinearClassifier(
        [X, C], n_classes=3, label_keys=["p", "q", "r"]
    )

    def words() -> Any:
        return given(TWO)()[0], tf.constant(["p", "q", "r", "p", "q"])

    estimator.fit(input_fn=words, steps=2)
    close(
        estimator.evaluate(input_fn=words, steps=1),
        {"accuracy": 0.8, "global_step": 2, "loss": 0.67406},
    )
    found = list(estimator.predict_classes(input_fn=words))
    assert found == [b"p", b"p", b"r", b"p", b"q"]


def own_model(features: Any, labels: Any, mode: str, params: Any) -> Any:
    begin = tf.constant_initializer(0.1)
    net = tf.layers.dense(features["x"], 1, kernel_initializer=begin, name="d")[:, 0]
    if labels is None:
        return net, None, None
    loss = tf.reduce_mean(tf.square(net - labels))
    if mode != learn.ModeKeys.TRAIN:
        return net, loss, None
    step = tf.train.get_global_step()
    return net, loss, layers.optimize_loss(loss, step, params["lr"], "SGD")


def test_a_model_of_ones_own_with_monitors(tmp_path: Path) -> None:
    config = learn.RunConfig(tf_random_seed=3, save_checkpoints_steps=1)
    estimator = learn.Estimator(own_model, str(tmp_path), config, {"lr": 0.1})
    kept = learn.monitors.CaptureVariable("d/kernel", every_n=2)
    judged = learn.monitors.ValidationMonitor(
        input_fn=given(FLOATS),
        eval_steps=1,
        every_n_steps=1,
        check_interval_secs=None,
        early_stopping_rounds=100,
    )
    estimator.fit(input_fn=given(FLOATS), steps=5, monitors=[kept, judged])
    assert list(kept.values) == [1, 3, 5]
    np.testing.assert_allclose(kept.values[3], [[0.15184], [0.0616]], atol=1e-5)
    assert judged.best_step is not None
    assert not judged.early_stopped
    squared = learn.MetricSpec(tf.contrib.metrics.streaming_mean_squared_error)
    found = estimator.evaluate(
        input_fn=given(FLOATS), steps=1, metrics={"mse": squared}
    )
    close(found, {"global_step": 5, "loss": 0.30639, "mse": 0.30639})
    assert estimator.get_params() == {"params": {"lr": 0.1}}
    estimator.partial_fit(input_fn=given(FLOATS))
    assert estimator.get_variable_value("global_step") == 6
    rows = list(estimator.predict(input_fn=given(FLOATS)))
    np.testing.assert_allclose(
        rows, [0.29888, 0.38812, 0.68893, 0.50183, 0.20963], atol=1e-5
    )


def test_arrays_as_scikit_learn_gives_them() -> None:
    """The order of rows is TensorFlow's, so that values are, too."""
    columns = learn.infer_real_valued_columns_from_input(ROWS)
    assert [(x.name, x.dimension) for x in columns] == [("", 2)]
    model = learn.SKCompat(learn.LinearClassifier(columns))
    assert model.fit(ROWS, TWO, batch_size=2, steps=7) is model
    found = model.predict(ROWS)
    assert found["classes"].tolist() == [0, 0, 1, 0, 1]
    np.testing.assert_allclose(
        found["logits"].ravel(),
        [-0.01233, -0.10289, 0.42077, -0.0525, 0.07824],
        atol=1e-5,
    )
    score = model.score(ROWS, TWO, batch_size=2)
    assert score["global_step"] == 7
    assert score["accuracy"] == pytest.approx(0.8)
    assert score["auc"] == pytest.approx(2 / 3, abs=1e-4)


@pytest.mark.parametrize(
    ("make", "scopes"),
    [
        (
            lambda: learn.DNNClassifier(
                [3, 2], [X, layers.embedding_column(C, 2)], activation_fn="tanh"
            ),
            [
                "dnn/binary_logistic_head/dnn/learning_rate",
                "dnn/hiddenlayer_0/biases",
                "dnn/hiddenlayer_0/weights",
                "dnn/hiddenlayer_1/biases",
                "dnn/hiddenlayer_1/weights",
                "dnn/input_from_feature_columns/c_embedding/weights",
                "dnn/logits/biases",
                "dnn/logits/weights",
                "global_step",
            ],
        ),
        (
            lambda: learn.DNNLinearCombinedClassifier(
                linear_feature_columns=[C, X],
                dnn_feature_columns=[layers.one_hot_column(C), X],
                dnn_hidden_units=[3],
                fix_global_step_increment_bug=True,
            ),
            [
                "binary_logistic_head/dnn/learning_rate",
                "binary_logistic_head/linear/learning_rate",
                "dnn/hiddenlayer_0/biases",
                "dnn/hiddenlayer_0/weights",
                "dnn/logits/biases",
                "dnn/logits/weights",
                "global_step",
                "linear/bias_weight",
                "linear/c/weights",
                "linear/x/weight",
            ],
        ),
    ],
)
def test_networks_have_tensorflows_variables(make: Any, scopes: list[str]) -> None:
    estimator = make().fit(input_fn=given(TWO), steps=2)
    names = estimator.get_variable_names()
    slots = ("Ftrl", "Ftrl_1", "Adagrad")
    assert [x for x in names if not x.endswith(slots)] == scopes
    found = estimator.evaluate(input_fn=given(TWO), steps=1)
    assert set(found) == set(ESTIMATORS["linear classes"][0])
    assert found["global_step"] == 2
    assert np.shape(list(estimator.predict_proba(input_fn=given(TWO)))) == (5, 2)


def test_models_are_exported(tmp_path: Path) -> None:
    estimator = learn.LinearRegressor([X]).fit(input_fn=given(FLOATS), steps=2)
    serve = learn.build_parsing_serving_input_fn(
        layers.create_feature_spec_for_parsing([X])
    )
    folder = estimator.export_savedmodel(str(tmp_path), serve).decode()
    example = tf.train.Example()
    example.features.feature["x"].float_list.value.extend([1.0, 2.0])
    with tf.Graph().as_default(), tf.Session() as session:
        meta = tf.saved_model.loader.load(session, ["serve"], folder)
        told = meta.signature_def
        assert set(told) == {"serving_default", "default_input_alternative:None"}
        one = told["serving_default"]
        assert one.method_name == "tensorflow/serving/regress"
        found = session.run(
            one.outputs["outputs"].name,
            {one.inputs["inputs"].name: [example.SerializeToString()]},
        )
    wanted = list(estimator.predict(input_fn=given(FLOATS)))[1]
    np.testing.assert_allclose(found, [wanted], rtol=1e-6)


def test_experiments_are_run(tmp_path: Path) -> None:
    def made(run_config: Any, hparams: Any) -> Any:
        estimator = learn.LinearRegressor([X], config=run_config)
        return learn.Experiment(
            estimator, given(FLOATS), given(FLOATS), None, hparams.steps, 1
        )

    config = learn.RunConfig(model_dir=str(tmp_path))
    steps = tf.contrib.training.HParams(steps=3)
    found, exported = learn.learn_runner.run(made, run_config=config, hparams=steps)
    assert found["global_step"] == 3
    assert exported == []
    with pytest.raises(InvalidArgumentError, match="non-existent task"):
        learn.learn_runner.run(made, None, "no_task", config, steps)


def test_tables_of_files(tmp_path: Path) -> None:
    base = learn.datasets.base
    file = tmp_path / "rows.csv"
    file.write_text("3,2,a,b,c\n1.5,2,0\n3,4,1\n5,6,2\n")
    found = base.load_csv_with_header(str(file), np.int32, np.float32)
    assert found.data.tolist() == [[1.5, 2], [3, 4], [5, 6]]
    assert found.target.tolist() == [0, 1, 2]
    file.write_text("0,1.5,2\n1,3,4\n")
    found = base.load_csv_without_header(str(file), np.int32, np.float32, 0)
    assert found.data.tolist() == [[1.5, 2], [3, 4]]
    there = base.maybe_download("rows.csv", str(tmp_path), "http://nowhere.invalid")
    assert there == str(file)
    with pytest.raises(UnimplementedError, match="data_path"):
        learn.datasets.load_boston()


def test_what_is_not_served_says_what_to_use() -> None:
    for name in ("SVM", "KMeansClustering", "DynamicRnnEstimator", "train"):
        with pytest.raises(UnimplementedError, match=rf"learn\.{name} is not served"):
            getattr(learn, name)()
    with pytest.raises(learn.NotFittedError, match="Couldn't find trained model"):
        learn.LinearClassifier([X]).evaluate(input_fn=given(TWO), steps=1)
    with pytest.raises(ValueError, match="both input_fn and x"):
        learn.LinearClassifier([X]).fit(ROWS, TWO, input_fn=given(TWO))


def test_modules_of_its_own() -> None:
    path = "tensorlite.compat.v1.contrib.learn.python.learn"
    run_config: Any = import_module(f"{path}.estimators.run_config")
    assert run_config.RunConfig is learn.RunConfig
    assert tf.contrib.learn.python.learn.monitors is not None
    monitors: Any = import_module(f"{path}.monitors")
    assert monitors.ValidationMonitor is learn.monitors.ValidationMonitor
    base: Any = import_module(f"{path}.datasets.base")
    assert base.load_iris is learn.datasets.load_iris


def test_rows_that_iterators_give_are_fed_in_batches() -> None:
    feeder: Any = import_module(
        "tensorlite.compat.v1.contrib.learn.python.learn.learn_io.data_feeder"
    )
    rows = iter([np.array([i, i], np.float32) for i in range(5)])
    found = list(feeder.setup_predict_data_feeder(rows, 2))
    assert [batch.tolist() for batch in found][1:] == [[[2, 2], [3, 3]], [[4, 4]]]
    labels = iter([np.int64(i % 2) for i in range(5)])
    rows = iter([np.array([i, i], np.float32) for i in range(5)])
    with tf.Graph().as_default():
        made = feeder.setup_train_data_feeder(rows, labels, 2, 3)
        x, y = made.input_builder()
        batch = made.get_feed_dict_fn()()
    assert batch[x.name].tolist() == [[0, 0], [1, 1], [2, 2]]
    assert batch[y.name].tolist() == [[1, 0], [0, 1], [1, 0]]


def test_sparse_labels_are_marks_of_classes() -> None:
    def sparse() -> Any:
        places = [[0, 0], [1, 0], [1, 1], [2, 0], [3, 0], [4, 0]]
        values = tf.constant([0, 1, 2, 0, 2, 1], tf.int64)
        return given(TWO)()[0], tf.SparseTensor(places, values, [5, 2])

    estimator = learn.LinearEstimator([X], learn.multi_label_head(3))
    estimator.fit(input_fn=sparse, steps=1)
    found = estimator.evaluate(input_fn=sparse, steps=1)
    assert found["global_step"] == 1
    with pytest.raises(InvalidArgumentError, match="SparseTensor is not supported"):
        learn.LinearClassifier([X]).fit(input_fn=sparse, steps=1)
