"""tf.keras.metrics: gathers its names, and finds metrics by them."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v2.keras.losses import (
    KLD,
    MAE,
    MAPE,
    MSE,
    MSLE,
    binary_crossentropy,
    binary_focal_crossentropy as binary_focal_crossentropy,
    categorical_crossentropy,
    categorical_focal_crossentropy as categorical_focal_crossentropy,
    categorical_hinge,
    hinge,
    huber as huber,
    kl_divergence,
    kld,
    kullback_leibler_divergence as kullback_leibler_divergence,
    log_cosh,
    logcosh as logcosh,
    mae,
    mape,
    mean_absolute_error,
    mean_absolute_percentage_error,
    mean_squared_error,
    mean_squared_logarithmic_error,
    mse,
    msle,
    poisson,
    sparse_categorical_crossentropy,
    squared_hinge,
)
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.metrics.accuracy import (
    Accuracy,
    BinaryAccuracy,
    CategoricalAccuracy,
    SparseCategoricalAccuracy,
    SparseTopKCategoricalAccuracy,
    TopKCategoricalAccuracy,
    binary_accuracy,
    categorical_accuracy,
    sparse_categorical_accuracy,
    sparse_top_k_categorical_accuracy,
    top_k_categorical_accuracy,
)
from tensorlite.compat.v2.keras.src.metrics.base import (
    Mean,
    MeanMetricWrapper,
    MeanTensor,
    Metric,
    Sum,
)
from tensorlite.compat.v2.keras.src.metrics.counts import (
    AUC,
    FalseNegatives,
    FalsePositives,
    Precision,
    Recall,
    TrueNegatives,
    TruePositives,
)
from tensorlite.compat.v2.keras.src.metrics.losses import (
    BinaryCrossentropy,
    CategoricalCrossentropy,
    CategoricalHinge,
    CosineSimilarity,
    Hinge,
    KLDivergence,
    LogCoshError,
    MeanAbsoluteError,
    MeanAbsolutePercentageError,
    MeanRelativeError,
    MeanSquaredError,
    MeanSquaredLogarithmicError,
    Poisson,
    RootMeanSquaredError,
    SparseCategoricalCrossentropy,
    SquaredHinge,
)
from tensorlite.compat.v2.keras.src.metrics.tables import (
    BinaryIoU,
    ConcordanceCorrelation,
    F1Score,
    FBetaScore,
    IoU,
    MeanIoU,
    OneHotIoU,
    OneHotMeanIoU,
    PearsonCorrelation,
    PrecisionAtRecall,
    R2Score,
    RecallAtPrecision,
    SensitivityAtSpecificity,
    SpecificityAtSensitivity,
    concordance_correlation,
    pearson_correlation,
)
from tensorlite.compat.v2.keras.src.saving import lookup

CLASSES: dict[str, Any] = {
    "ConcordanceCorrelation": ConcordanceCorrelation,
    "PearsonCorrelation": PearsonCorrelation,
    "SpecificityAtSensitivity": SpecificityAtSensitivity,
    "SensitivityAtSpecificity": SensitivityAtSpecificity,
    "RecallAtPrecision": RecallAtPrecision,
    "R2Score": R2Score,
    "PrecisionAtRecall": PrecisionAtRecall,
    "OneHotMeanIoU": OneHotMeanIoU,
    "OneHotIoU": OneHotIoU,
    "IoU": IoU,
    "FBetaScore": FBetaScore,
    "F1Score": F1Score,
    "BinaryIoU": BinaryIoU,
    "Accuracy": Accuracy,
    "BinaryAccuracy": BinaryAccuracy,
    "CategoricalAccuracy": CategoricalAccuracy,
    "SparseCategoricalAccuracy": SparseCategoricalAccuracy,
    "SparseTopKCategoricalAccuracy": SparseTopKCategoricalAccuracy,
    "TopKCategoricalAccuracy": TopKCategoricalAccuracy,
    "AUC": AUC,
    "FalseNegatives": FalseNegatives,
    "FalsePositives": FalsePositives,
    "MeanIoU": MeanIoU,
    "Precision": Precision,
    "Recall": Recall,
    "TrueNegatives": TrueNegatives,
    "TruePositives": TruePositives,
    "BinaryCrossentropy": BinaryCrossentropy,
    "CategoricalCrossentropy": CategoricalCrossentropy,
    "CategoricalHinge": CategoricalHinge,
    "CosineSimilarity": CosineSimilarity,
    "Hinge": Hinge,
    "KLDivergence": KLDivergence,
    "LogCoshError": LogCoshError,
    "MeanAbsoluteError": MeanAbsoluteError,
    "MeanAbsolutePercentageError": MeanAbsolutePercentageError,
    "MeanRelativeError": MeanRelativeError,
    "MeanSquaredError": MeanSquaredError,
    "MeanSquaredLogarithmicError": MeanSquaredLogarithmicError,
    "Poisson": Poisson,
    "RootMeanSquaredError": RootMeanSquaredError,
    "SparseCategoricalCrossentropy": SparseCategoricalCrossentropy,
    "SquaredHinge": SquaredHinge,
    "Mean": Mean,
    "Sum": Sum,
    "MeanTensor": MeanTensor,
}
FUNCTIONS: dict[str, Any] = {
    "concordance_correlation": concordance_correlation,
    "pearson_correlation": pearson_correlation,
    "bce": binary_crossentropy,
    "BCE": binary_crossentropy,
    "MSE": MSE,
    "mse": mse,
    "MAE": MAE,
    "mae": mae,
    "MAPE": MAPE,
    "mape": mape,
    "MSLE": MSLE,
    "msle": msle,
    "KLD": KLD,
    "kld": kld,
    "binary_crossentropy": binary_crossentropy,
    "categorical_crossentropy": categorical_crossentropy,
    "sparse_categorical_crossentropy": sparse_categorical_crossentropy,
    "mean_squared_error": mean_squared_error,
    "mean_absolute_error": mean_absolute_error,
    "mean_absolute_percentage_error": mean_absolute_percentage_error,
    "mean_squared_logarithmic_error": mean_squared_logarithmic_error,
    "hinge": hinge,
    "squared_hinge": squared_hinge,
    "categorical_hinge": categorical_hinge,
    "kl_divergence": kl_divergence,
    "poisson": poisson,
    "log_cosh": log_cosh,
    "binary_accuracy": binary_accuracy,
    "categorical_accuracy": categorical_accuracy,
    "sparse_categorical_accuracy": sparse_categorical_accuracy,
    "sparse_top_k_categorical_accuracy": sparse_top_k_categorical_accuracy,
    "top_k_categorical_accuracy": top_k_categorical_accuracy,
}


_SHORT = {
    "bce": "BinaryCrossentropy",
    "mse": "MeanSquaredError",
    "mae": "MeanAbsoluteError",
    "mape": "MeanAbsolutePercentageError",
    "msle": "MeanSquaredLogarithmicError",
    "kld": "KLDivergence",
}
"""The classes of short names in Keras 3."""


def get(identifier: Any) -> Any:
    """Return a metric: an object by a class's name, in Keras 2 a function by a function's."""
    if isinstance(identifier, str) and naming.is_keras_3():
        short = _SHORT.get(identifier.lower(), identifier)
        return lookup.found("metric", short, CLASSES)
    if isinstance(identifier, str) and identifier in FUNCTIONS:
        return FUNCTIONS[identifier]
    return lookup.found("metric", identifier, {**CLASSES, **FUNCTIONS})


def serialize(metric: Any, use_legacy_format: bool = False) -> Any:
    """Return the configuration from which `deserialize` makes the metric.

    use_legacy_format has no effect.
    """
    return lookup.serialized(metric)


def deserialize(
    config: Any, custom_objects: Any = None, use_legacy_format: bool = False
) -> Any:
    """Return the metric of a name or configuration; custom_objects are looked up too.

    use_legacy_format has no effect.
    """
    with lookup.adding(custom_objects):
        return get(config)


_BY_SHAPES = {"accuracy": "acc", "acc": "acc", "crossentropy": "ce", "ce": "ce"}
"""Metrics that depend on what is compared, and what TensorFlow 1 calls their results."""


_OF_LOSSES = "SparseCategorical", "Binary"
"""Kinds of losses by which Keras 2 of TensorFlow 1 chooses such metrics; others are of classes."""


def as_metric(identifier: Any, y_true: Any, y_pred: Any, loss: Any = None) -> Any:
    """Return a metric object; "accuracy" and "crossentropy" are chosen by what is compared."""
    is_keras_3 = naming.is_keras_3()
    if identifier in _BY_SHAPES:
        name = identifier if is_keras_3 else _BY_SHAPES[identifier]
        return _by_shapes(name, y_true, y_pred, loss)
    found = get(identifier)
    if isinstance(found, Metric):
        if isinstance(identifier, str) and is_keras_3:
            found._name = identifier  # noqa: SLF001  as Keras 3 names it
        return found
    name = identifier if isinstance(identifier, str) and is_keras_3 else None
    if found in (sparse_categorical_accuracy, sparse_top_k_categorical_accuracy):
        kind = CLASSES[
            {
                sparse_categorical_accuracy: "SparseCategoricalAccuracy",
                sparse_top_k_categorical_accuracy: "SparseTopKCategoricalAccuracy",
            }[found]
        ]
        return kind(name=name or found.__name__)
    if found is sparse_categorical_crossentropy:
        return SparseCategoricalCrossentropy(name or found.__name__)
    return MeanMetricWrapper(found, name)


def _by_shapes(name: str, y_true: Any, y_pred: Any, loss: Any) -> Any:
    classes = y_pred.shape[-1] if len(y_pred.shape) else 1
    is_accuracy = name in ("accuracy", "acc")
    if not naming.is_keras_3():
        what = next(
            (x for x in _OF_LOSSES if x in type(loss).__name__), "Categorical"
        )
        what = "Binary" if classes == 1 else what
        return CLASSES[what + ("Accuracy" if is_accuracy else "Crossentropy")](name)
    if classes == 1:
        kind: Any = BinaryAccuracy if is_accuracy else BinaryCrossentropy
    elif len(y_true.shape) < len(y_pred.shape) or y_true.shape[-1] == 1:
        kind = (
            SparseCategoricalAccuracy
            if is_accuracy
            else SparseCategoricalCrossentropy
        )
    else:
        same = y_true.shape[-1] == classes and "Binary" in type(loss).__name__
        kinds = (
            (BinaryAccuracy, BinaryCrossentropy)
            if same
            else (
                CategoricalAccuracy,
                CategoricalCrossentropy,
            )
        )
        kind = kinds[0 if is_accuracy else 1]
    return kind(name=name)


__all__ = [
    "ConcordanceCorrelation",
    "PearsonCorrelation",
    "concordance_correlation",
    "pearson_correlation",
    "SpecificityAtSensitivity",
    "SensitivityAtSpecificity",
    "RecallAtPrecision",
    "R2Score",
    "PrecisionAtRecall",
    "OneHotMeanIoU",
    "OneHotIoU",
    "IoU",
    "FBetaScore",
    "F1Score",
    "BinaryIoU",
    "AUC",
    "Accuracy",
    "BinaryAccuracy",
    "BinaryCrossentropy",
    "CategoricalAccuracy",
    "CategoricalCrossentropy",
    "CategoricalHinge",
    "CosineSimilarity",
    "FalseNegatives",
    "FalsePositives",
    "Hinge",
    "KLD",
    "KLDivergence",
    "LogCoshError",
    "MAE",
    "MAPE",
    "MSE",
    "MSLE",
    "Mean",
    "MeanAbsoluteError",
    "MeanAbsolutePercentageError",
    "MeanIoU",
    "MeanMetricWrapper",
    "MeanRelativeError",
    "MeanSquaredError",
    "MeanSquaredLogarithmicError",
    "MeanTensor",
    "Metric",
    "Poisson",
    "Precision",
    "Recall",
    "RootMeanSquaredError",
    "SparseCategoricalAccuracy",
    "SparseCategoricalCrossentropy",
    "SparseTopKCategoricalAccuracy",
    "SquaredHinge",
    "Sum",
    "TopKCategoricalAccuracy",
    "TrueNegatives",
    "TruePositives",
    "binary_accuracy",
    "binary_crossentropy",
    "categorical_accuracy",
    "categorical_crossentropy",
    "categorical_hinge",
    "deserialize",
    "get",
    "hinge",
    "kl_divergence",
    "kld",
    "kullback_leibler_divergence",
    "log_cosh",
    "logcosh",
    "mae",
    "mape",
    "mean_absolute_error",
    "mean_absolute_percentage_error",
    "mean_squared_error",
    "mean_squared_logarithmic_error",
    "mse",
    "msle",
    "poisson",
    "serialize",
    "sparse_categorical_accuracy",
    "sparse_categorical_crossentropy",
    "sparse_top_k_categorical_accuracy",
    "squared_hinge",
    "top_k_categorical_accuracy",
]


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, __all__)
