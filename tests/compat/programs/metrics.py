"""Every metric of tf.metrics over three batches: values, updates, names of variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def program(tf: Any) -> dict[str, Any]:
    """Return what metrics say behind each batch."""
    drawn = draws()
    n, likely, scores, weights = (
        12,
        drawn["likely"],
        drawn["scores"],
        drawn["weights"],
    )
    made = {**simple(tf, drawn), **repeated(tf, drawn)}
    own = tf.metrics
    found = {}
    for key, (make, given) in made.items():
        found[key] = batches(tf, make, given, None, key)
        found[f"{key}_weighted"] = batches(tf, make, given, weights, key)
    found["unweighted"] = [
        batches(
            tf, lambda x, w: own.mean_tensor(tf.reshape(x, [n])), [likely], None, ""
        ),
        batches(
            tf,
            lambda y, p, w: own.mean_cosine_distance(y, p, 1),
            [scores, scores[::-1]],
            None,
            "",
        ),
    ]
    found["collections"] = collections(tf)
    return found


def draws() -> dict[str, Any]:
    """Return three batches of labels, predictions and weights."""
    rng, n = np.random.RandomState(0), 12
    truth = [(rng.rand(n) > 0.4).astype("f") for _ in range(3)]
    likely = [rng.rand(n).astype("f") for _ in range(3)]
    return {
        "both": [truth, likely],
        "likely": likely,
        "bits": [truth, [x > 0.5 for x in likely]],
        "classes": [[rng.randint(0, 4, n) for _ in range(3)] for _ in range(2)],
        "scores": [rng.rand(n, 5).astype("f") for _ in range(3)],
        "sets": [rng.randint(0, 5, (n, 2)) for _ in range(3)],
        "weights": [rng.rand(n).astype("f") for _ in range(3)],
    }


def simple(tf: Any, drawn: dict[str, Any]) -> dict[str, Any]:
    """Return metrics, and what they are given."""
    own, both, likely = tf.metrics, drawn["both"], drawn["likely"]
    (classes, guesses), scores, sets = (
        drawn["classes"],
        drawn["scores"],
        drawn["sets"],
    )
    return {
        "accuracy": (own.accuracy, [classes, guesses]),
        "mean": (own.mean, [likely]),
        "below": (lambda x, w: own.percentage_below(x, 0.5, w), [likely]),
        "relative": (lambda y, p, w: own.mean_relative_error(y, p, p + 1.0, w), both),
        "iou": (lambda y, p, w: own.mean_iou(y, p, 4, w), [classes, guesses]),
        "per_class": (
            lambda y, p, w: own.mean_per_class_accuracy(y, p, 4, w),
            [classes, guesses],
        ),
        "limits": (lambda y, p, w: own.auc(y, p, w, thresholds=[0.3, 0.6]), both),
        "sensitivity": (
            lambda y, p, w: own.sensitivity_at_specificity(y, p, 0.6, w),
            both,
        ),
        "specificity": (
            lambda y, p, w: own.specificity_at_sensitivity(y, p, 0.6, w),
            both,
        ),
        "precision_at": (
            lambda y, p, w: own.precision_at_k(y, p, 2, None, w),
            [sets, scores],
        ),
        "recall_at": (
            lambda y, p, w: own.recall_at_k(y, p, 2, None, w),
            [sets, scores],
        ),
        "class_recall": (
            lambda y, p, w: own.recall_at_k(y, p, 3, 1, w),
            [classes, scores],
        ),
        "ranks": (
            lambda y, p, w: own.average_precision_at_k(y, p, 3, w),
            [sets, scores],
        ),
    }


def repeated(tf: Any, drawn: dict[str, Any]) -> dict[str, Any]:
    """Return metrics of which there are several alike, and what they are given."""
    own, both = tf.metrics, drawn["both"]
    made: dict[str, Any] = {}
    for name in (
        "mean_absolute_error",
        "mean_squared_error",
        "root_mean_squared_error",
    ):
        made[name] = (getattr(own, name), both)
    for name in (
        "true_positives",
        "false_positives",
        "true_negatives",
        "false_negatives",
        "precision",
        "recall",
    ):
        made[name] = (getattr(own, name), drawn["bits"])
        many = getattr(own, f"{name}_at_thresholds")
        made[f"{name}_many"] = (
            lambda y, p, w, f=many: f(y, p, [0.2, 0.5, 0.8], w),
            both,
        )
    for curve in ("ROC", "PR"):
        for how in ("careful_interpolation", "trapezoidal", "minoring", "majoring"):
            made[f"{curve}_{how}"] = (
                lambda y, p, w, c=curve, h=how: own.auc(
                    y, p, w, curve=c, summation_method=h
                ),
                both,
            )
    return made


def batches(
    tf: Any, make: Callable[..., Any], given: list[Any], weights: Any, key: str
) -> list[Any]:
    """Return value and update behind each of three batches."""
    with tf.Graph().as_default():
        fed = [tf.placeholder(x[0].dtype, [None, *x[0].shape[1:]]) for x in given]
        scale = tf.placeholder(tf.float32, [None]) if weights else None
        value, update = make(*fed, scale)
        # TensorFlow's own numbering of these two is an accident of how it is written.
        names = [] if key in {"iou", "ranks"} else [value.name, update.name]
        seen = [v.name for v in tf.local_variables()] if key != "ranks" else []
        steps = []
        with tf.Session() as session:
            session.run(tf.local_variables_initializer())
            for i in range(3):
                feeds = {p: x[i] for p, x in zip(fed, given)}  # noqa: B905  # Python 3.7 runs it, too
                if weights:
                    feeds[scale] = weights[i]
                after = session.run(update, feeds)
                steps.append([after, session.run(value)])
        return [
            names,
            seen,
            len(tf.get_collection(tf.GraphKeys.METRIC_VARIABLES)),
            steps,
        ]


def collections(tf: Any) -> list[Any]:
    """Return names where a graph has several metrics."""
    with tf.Graph().as_default():
        pairs = [tf.metrics.accuracy([1], [1]), tf.metrics.accuracy([1], [1])]
        pairs.append(
            tf.metrics.accuracy([1], [1], None, ["values"], "updates", name="own")
        )
        kept = tf.get_collection("values") + tf.get_collection("updates")
        return [
            [[x.name for x in pair] for pair in pairs],
            [v.name for v in tf.local_variables()],
            [x.name for x in kept],
        ]
