"""Keras' metrics, losses and regularizers of TensorFlow 1: their weights, and what they tell.

Expected numbers and names are what TensorFlow 1.15 gives.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf
from tensorlite.compat.v2.keras.src.saving import archives
from tensorlite.graph_mode.graph import mode

keras: Any = tf.keras
metrics: Any = keras.metrics
losses: Any = keras.losses
regularizers: Any = keras.regularizers
TRUE = np.array([[0.0], [1], [1], [0], [1], [0]], "float32")
FOUND = np.array([[0.1], [0.8], [0.4], [0.6], [0.9], [0.2]], "float32")
OUTCOMES = [
    "true_positives:0",
    "true_negatives:0",
    "false_positives:0",
    "false_negatives:0",
]


@pytest.fixture(autouse=True)
def graph() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    try:
        with tf.Graph().as_default():
            yield
    finally:
        mode.eager = before


def _measured(metric: Any, found: Any = FOUND) -> float:
    step, result = metric.update_state(TRUE, found), metric.result()
    with tf.Session() as session:
        session.run([x.initializer for x in metric.variables])
        session.run(step)
        return float(session.run(result))


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: metrics.AUC(num_thresholds=5), 0.8889),
        (lambda: metrics.SensitivityAtSpecificity(0.5, num_thresholds=5), 1.0),
        (lambda: metrics.SpecificityAtSensitivity(0.5, num_thresholds=5), 0.6667),
    ],
)
def test_outcomes_are_counted_in_order(make: Any, expected: float) -> None:
    metric = make()
    assert [x.name for x in metric.weights] == OUTCOMES
    assert _measured(metric) == pytest.approx(expected, abs=1e-4)


def test_metrics_bear_their_older_names() -> None:
    overlap = metrics.MeanIoU(num_classes=2)
    assert [x.name for x in overlap.weights] == ["total_confusion_matrix:0"]
    assert metrics.KLDivergence().name == "kullback_leibler_divergence"


def test_configurations_have_what_tensorflow_1_knows() -> None:
    auc = metrics.AUC(num_thresholds=5).get_config()
    assert auc == {
        "name": "auc",
        "dtype": "float32",
        "num_thresholds": 5,
        "curve": "ROC",
        "summation_method": "interpolation",
        "thresholds": [0.25, 0.5, 0.75],
    }
    known = {"name", "dtype", "from_logits", "label_smoothing"}
    assert set(metrics.CategoricalCrossentropy().get_config()) == known
    assert set(metrics.MeanIoU(num_classes=2).get_config()) == {
        "name",
        "dtype",
        "num_classes",
    }
    assert losses.SparseCategoricalCrossentropy().get_config() == {
        "reduction": "auto",
        "name": "sparse_categorical_crossentropy",
        "from_logits": False,
    }
    assert losses.CosineSimilarity().get_config()["axis"] == -1


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("MeanSquaredError", 0.1367), ("LogCosh", 0.065), ("Poisson", 0.7075)],
)
def test_losses_of_arrays_are_tensors_of_the_graph(
    kind: str, expected: float
) -> None:
    loss = getattr(losses, kind)()(TRUE, FOUND)
    assert isinstance(loss, tf.Tensor)
    assert loss.op.name.endswith("/weighted_loss/value")
    with tf.Session() as session:
        assert session.run(loss) == pytest.approx(expected, abs=1e-4)


def test_regularizers_are_described_by_both_shares() -> None:
    made = [
        regularizers.l1(),
        regularizers.l2(0.25),
        regularizers.get("l1"),
        regularizers.get("l2"),
    ]
    found = [regularizers.serialize(x) for x in made]
    assert {x["class_name"] for x in found} == {"L1L2"}
    shares = [(x["config"]["l1"], x["config"]["l2"]) for x in found]
    expected = [(0.01, 0), (0, 0.25), (0.01, 0), (0, 0.01)]
    np.testing.assert_allclose(shares, expected, rtol=1e-6)


def test_what_costs_nothing_is_a_constant() -> None:
    nothing = regularizers.l2(0.0)
    layer = keras.layers.Dense(
        2,
        input_shape=(3,),
        kernel_regularizer=nothing,
        activity_regularizer=nothing,
        kernel_initializer="ones",
    )
    model = keras.Sequential([layer])
    model.compile("sgd", "mse")
    assert len(model.losses) == 2
    assert model.train_on_batch(np.ones((2, 3)), np.zeros((2, 2))) == pytest.approx(9)


def test_texts_of_tensorflow_1_describe_models() -> None:
    dense = {"name": "d", "units": 2, "trainable": True, "dtype": "float32"}
    layers = [
        {
            "name": "a",
            "class_name": "InputLayer",
            "config": {
                "batch_input_shape": [None, 4],
                "dtype": "float32",
                "sparse": False,
                "ragged": False,
                "name": "a",
            },
            "inbound_nodes": [],
        },
        {
            "name": "d",
            "class_name": "Dense",
            "config": dense,
            "inbound_nodes": [[["a", 0, 0, {}]]],
        },
    ]
    ends = {"input_layers": [["a", 0, 0]], "output_layers": [["d", 0, 0]]}
    config = {"name": "model", "layers": layers, **ends}
    whole = {"class_name": "Model", "config": config, "keras_version": "2.2.4-tf"}
    model = keras.models.model_from_json(json.dumps(whole))
    assert model.predict(np.ones((3, 4))).shape == (3, 2)


def test_separable_convolutions_of_tensorflow_1_have_no_kernel_of_their_own() -> None:
    config = keras.layers.SeparableConv2D(3, 2).get_config()
    glorot = {"class_name": "GlorotUniform", "config": {"seed": None}}
    config |= {
        "kernel_initializer": glorot,
        "kernel_regularizer": None,
        "kernel_constraint": None,
    }
    layer = keras.layers.SeparableConv2D.from_config(config)
    assert layer.filters == 3


def test_files_say_nothing_of_groups_that_tensorflow_1_does_not_have(
    tmp_path: Path,
) -> None:
    layer = keras.layers.Conv2DTranspose(1, 2, input_shape=(3, 3, 1))
    path = str(tmp_path / "model.h5")
    keras.Sequential([layer]).save(path)
    with archives.hdf5().File(path, "r") as file:
        config = json.loads(file.attrs["model_config"])["config"]
    said = [x["config"] for x in config["layers"]]
    assert said[-1]["filters"] == 1
    assert all("groups" not in x for x in said)
