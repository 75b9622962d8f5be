"""Boxes in pictures, small layers of Keras 3, and what its metrics refuse.

Expected numbers are NumPy's, or what TensorFlow 2.21's Keras gives.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf

keras: Any = tf.keras
layers = keras.layers
boxes = keras.utils.bounding_boxes
CORNERS = np.array([[10.0, 20.0, 110.0, 120.0], [20.0, 30.0, 120.0, 130.0]])
FORMATS = {
    "xyxy": [10.0, 20.0, 110.0, 120.0],
    "yxyx": [20.0, 10.0, 120.0, 110.0],
    "xywh": [10.0, 20.0, 100.0, 100.0],
    "center_xywh": [60.0, 70.0, 100.0, 100.0],
    "center_yxhw": [70.0, 60.0, 100.0, 100.0],
    "rel_xyxy": [0.02, 0.05, 0.22, 0.3],
    "rel_yxyx": [0.05, 0.02, 0.3, 0.22],
    "rel_xywh": [0.02, 0.05, 0.2, 0.25],
    "rel_center_xywh": [0.12, 0.175, 0.2, 0.25],
}


@pytest.mark.parametrize("name", FORMATS)
def test_boxes_go_to_each_format_and_back(name: str) -> None:
    size = {"height": 400, "width": 500}
    made = boxes.convert_format(CORNERS, "xyxy", name, **size)
    np.testing.assert_allclose(made[0], FORMATS[name], rtol=1e-5)
    again = boxes.convert_format(made, name.upper(), "xyxy", **size)
    np.testing.assert_allclose(again, CORNERS, rtol=1e-5)


def test_boxes_without_sizes_or_format_are_refused() -> None:
    with pytest.raises(ValueError, match="must receive `height` and `width`"):
        boxes.convert_format(CORNERS, "xyxy", "rel_xyxy")
    with pytest.raises(ValueError, match="Invalid source format: xxyy"):
        boxes.convert_format(CORNERS, "xxyy", "xyxy")


def test_boxes_are_cut_moved_and_compared() -> None:
    given = {
        "boxes": np.array([[-10.0, -20, 50, 60], [200, 0, 300, 9]]),
        "labels": [4, 5],
    }
    cut = boxes.clip_to_image_size(given, height=100, width=120)
    assert cut["boxes"].numpy().tolist() == [[0, 0, 50, 60], [120, 0, 120, 9]]
    assert cut["labels"].numpy().tolist() == [4, -1]
    part = boxes.crop(CORNERS, 20, 10, 50, 60)
    assert part.numpy().tolist() == [[0, 0, 60, 50], [10, 10, 60, 50]]
    assert boxes.pad(CORNERS, 1, 2)[0].numpy().tolist() == [12, 21, 112, 121]
    shares = boxes.compute_iou(CORNERS, CORNERS[1:], "xyxy")
    np.testing.assert_allclose(shares, [[8100 / 11900], [1.0]], rtol=1e-5)
    alike = boxes.compute_ciou(CORNERS, CORNERS[::-1].copy(), "xyxy")
    np.testing.assert_allclose(alike, [8100 / 11900 - 200 / 24200] * 2, rtol=1e-4)


def test_deltas_lead_back_to_the_boxes_that_they_are_of() -> None:
    told = {
        "anchor_format": "xyxy",
        "box_format": "xyxy",
        "variance": [0.1, 0.1, 0.2, 0.2],
    }
    moved = CORNERS + np.array([5.0, -3, 20, 8])
    deltas = boxes.encode_box_to_deltas(CORNERS, moved, **told)
    np.testing.assert_allclose(deltas[0, 0], 0.025 / 0.1, rtol=1e-4)
    back = boxes.decode_deltas_to_boxes(CORNERS, deltas, **told)
    np.testing.assert_allclose(back, moved, rtol=1e-5)


def test_a_pipeline_calls_its_layers_and_hands_masks_on() -> None:
    steps = layers.Pipeline([layers.Masking(), layers.GlobalAveragePooling1D()])
    made = steps(np.array([[[1.0], [3.0], [0.0]]], "float32"))
    assert made.numpy().tolist() == [[2.0]]
    again = layers.Pipeline.from_config(steps.get_config())
    assert [type(x) for x in again.layers] == [type(x) for x in steps.layers]


@pytest.mark.parametrize("tied", [True, False])
def test_an_embedding_goes_back_to_the_rows_of_its_table(tied: bool) -> None:
    layer = layers.ReversibleEmbedding(5, 3, tie_weights=tied, logit_soft_cap=2.0)
    rows = layer(np.array([[1, 4]]))
    made = layer(rows, reverse=True)
    table = layer.weights[-1].numpy()
    plain = rows.numpy() @ (table.T if tied else table)
    np.testing.assert_allclose(made, np.tanh(plain / 2.0) * 2.0, rtol=1e-5)
    assert len(layer.weights) == (1 if tied else 2)


def test_adapt_reads_batches_of_generators_lists_and_labelled_datasets() -> None:
    rows = np.random.RandomState(0).randn(12, 3).astype("float32")
    parts = [rows[:6], rows[6:]]
    labelled = tf.data.Dataset.from_tensor_slices((rows, np.arange(12))).batch(5)
    for data in (rows, parts, iter(parts), labelled):
        layer = layers.Normalization()
        layer.adapt(data)
        np.testing.assert_allclose(layer.mean[0], rows.mean(0), atol=1e-5)
    with pytest.raises(ValueError, match="empty iterable"):
        layers.Normalization().adapt(iter([]))


def test_softmax_goes_over_several_axes() -> None:
    x = np.random.RandomState(0).randn(2, 3, 4).astype("float32")
    made = keras.activations.softmax(x, axis=(1, 2)).numpy()
    np.testing.assert_allclose(made.sum((1, 2)), [1.0, 1.0], rtol=1e-5)
    logs = keras.activations.log_softmax(x, axis=(1, 2))
    np.testing.assert_allclose(np.exp(logs), made, rtol=1e-5)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: keras.metrics.Precision(thresholds=1.5), "Threshold values must"),
        (lambda: keras.metrics.FBetaScore(beta=1), "It should be a Python float"),
        (lambda: keras.metrics.FBetaScore(beta=-1.0), "It should be > 0"),
        (lambda: keras.metrics.FBetaScore(threshold=2.0), "0 < threshold <= 1"),
        (
            lambda: keras.metrics.PrecisionAtRecall(1.5),
            r"must be in the range \[0, 1\]",
        ),
        (lambda: keras.metrics.PrecisionAtRecall(0.5, 0), "must be an integer > 0"),
    ],
)
def test_metrics_refuse_numbers_out_of_range(make: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        make()
