"""What TensorFlow 1.15 gives for models of tf.contrib.learn, that test_contrib_learn.py makes."""

from __future__ import annotations

from typing import Any

ESTIMATORS: dict[str, Any] = {
    "linear classes": (
        {
            "accuracy": 1.0,
            "accuracy/baseline_label_mean": 0.6,
            "accuracy/threshold_0.500000_mean": 1.0,
            "auc": 1.0,
            "auc_precision_recall": 1.0,
            "global_step": 3,
            "labels/actual_label_mean": 0.6,
            "labels/prediction_mean": 0.53237,
            "loss": 0.55996,
            "precision/positive_threshold_0.500000_mean": 1.0,
            "recall/positive_threshold_0.500000_mean": 1.0,
        },
        [0.0, 1.0, 1.0, 0.0, 1.0],
        ["global_step", "linear/bias_weight", "linear/c/weights", "linear/x/weight"],
    ),
    "linear three classes": (
        {"accuracy": 0.8, "global_step": 3, "loss": 0.91423},
        [0.0, 0.0, 2.0, 0.0, 1.0],
        ["global_step", "linear/bias_weight", "linear/c/weights", "linear/x/weight"],
    ),
    "linear joint": (
        {
            "accuracy": 0.8,
            "accuracy/baseline_label_mean": 0.6,
            "accuracy/threshold_0.500000_mean": 0.8,
            "auc": 0.91667,
            "auc_precision_recall": 0.95833,
            "global_step": 3,
            "labels/actual_label_mean": 0.6,
            "labels/prediction_mean": 0.52232,
            "loss": 0.65995,
            "precision/positive_threshold_0.500000_mean": 0.75,
            "recall/positive_threshold_0.500000_mean": 1.0,
        },
        [1.0, 1.0, 1.0, 0.0, 1.0],
        ["global_step", "linear/bias_weight", "linear/linear_weights/weights"],
    ),
    "linear scores": (
        {"global_step": 3, "loss": 0.14219},
        [0.36866, 0.82471, 0.46013, 0.38844, 0.46328],
        ["global_step", "linear/bias_weight", "linear/c/weights", "linear/x/weight"],
    ),
    "linear two scores": (
        {"global_step": 3, "loss": 0.16029},
        [
            [0.53311, 0.63368],
            [0.96474, 0.87481],
            [1.07402, 2.63178],
            [0.26412, 0.43487],
            [0.712, 0.60788],
        ],
        [
            "global_step",
            "linear/bias_weight",
            "linear/c/weights",
            "linear/regression_head/train_op/beta1_power",
            "linear/regression_head/train_op/beta2_power",
            "linear/x/weight",
        ],
    ),
}
"""Metrics, predictions and variables behind three steps."""

HEADS: dict[str, Any] = {
    "svm": (
        {"accuracy": 0.8, "global_step": 3, "loss": 0.868},
        {"classes": 0, "logits": [0.0]},
    ),
    "poisson": ({"global_step": 3, "loss": 0.88696}, {"scores": 0.65381}),
    "labels": (
        {
            "accuracy": 0.8,
            "auc": 0.89286,
            "auc/class1": 0.75,
            "auc/class2": 0.83333,
            "auc_precision_recall": 0.89014,
            "auc_precision_recall/class1": 0.75,
            "auc_precision_recall/class2": 0.90278,
            "global_step": 3,
            "labels/actual_label_mean/class1": 0.4,
            "labels/actual_label_mean/class2": 0.6,
            "labels/logits_mean/class1": 0.00167,
            "labels/logits_mean/class2": 0.05965,
            "labels/prediction_mean/class1": 0.2,
            "labels/prediction_mean/class2": 0.8,
            "labels/probability_mean/class1": 0.50042,
            "labels/probability_mean/class2": 0.51488,
            "loss": 0.6687,
        },
        {
            "classes": [0, 0, 1],
            "logits": [-0.09797, -0.01988, 0.03752],
            "probabilities": [0.47553, 0.49503, 0.50938],
        },
    ),
    "classes": (
        {
            "accuracy": 0.81818,
            "global_step": 3,
            "labels/actual_label_mean/class1": 0.54545,
            "labels/logits_mean/class1": 0.19767,
            "labels/prediction_mean/class1": 0.72727,
            "labels/probability_mean/class1": 0.39889,
            "loss": 0.90641,
        },
        {
            "classes": 1,
            "logits": [0.06524, 0.33405, -0.3993],
            "probabilities": [0.3405, 0.44552, 0.21398],
        },
    ),
    "two classes": (
        {
            "accuracy/baseline_label_mean/hh": 0.6,
            "accuracy/hh": 1.0,
            "accuracy/threshold_0.300000_mean/hh": 0.6,
            "accuracy/threshold_0.700000_mean/hh": 0.4,
            "auc/hh": 1.0,
            "auc_precision_recall/hh": 1.0,
            "global_step": 3,
            "labels/actual_label_mean/hh": 0.6,
            "labels/prediction_mean/hh": 0.5071,
            "loss": 0.66176,
            "loss/hh": 0.66176,
            "precision/positive_threshold_0.300000_mean/hh": 0.6,
            "precision/positive_threshold_0.700000_mean/hh": 0.0,
            "recall/positive_threshold_0.300000_mean/hh": 1.0,
            "recall/positive_threshold_0.700000_mean/hh": 0.0,
        },
        {
            "classes": 1,
            "logistic": [0.50012],
            "logits": [0.00048],
            "probabilities": [0.49988, 0.50012],
        },
    ),
    "several": (
        {
            "accuracy/A": 1.0,
            "accuracy/baseline_label_mean/A": 0.6,
            "accuracy/threshold_0.500000_mean/A": 1.0,
            "auc/A": 1.0,
            "auc_precision_recall/A": 1.0,
            "global_step": 3,
            "labels/actual_label_mean/A": 0.6,
            "labels/prediction_mean/A": 0.50365,
            "loss": 0.7301,
            "loss/A": 0.67706,
            "loss/B": 0.19579,
            "precision/positive_threshold_0.500000_mean/A": 1.0,
            "recall/positive_threshold_0.500000_mean/A": 1.0,
        },
        {
            "('A', 'classes')": 1,
            "('A', 'logistic')": [0.50003],
            "('A', 'logits')": [0.00012],
            "('A', 'probabilities')": [0.49997, 0.50003],
            "('B', 'scores')": 0.73523,
        },
    ),
}
"""Metrics, and predictions of the second row, behind three steps of linear models."""
