"""tf.keras.losses: gathers its names, and finds losses by them."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.losses.base import (
    Loss,
    LossFunctionWrapper,
    Reduction,
)
from tensorlite.compat.v2.keras.src.losses.classes import (
    CTC,
    BinaryCrossentropy,
    BinaryFocalCrossentropy,
    CategoricalCrossentropy,
    CategoricalFocalCrossentropy,
    CategoricalGeneralizedCrossEntropy,
    CategoricalHinge,
    Circle,
    CosineSimilarity,
    Dice,
    Hinge,
    Huber,
    KLDivergence,
    LogCosh,
    MeanAbsoluteError,
    MeanAbsolutePercentageError,
    MeanSquaredError,
    MeanSquaredLogarithmicError,
    Poisson,
    SparseCategoricalCrossentropy,
    SquaredHinge,
    Tversky,
)
from tensorlite.compat.v2.keras.src.losses.functions import (
    binary_crossentropy,
    binary_focal_crossentropy,
    categorical_crossentropy,
    categorical_focal_crossentropy,
    categorical_generalized_cross_entropy,
    categorical_hinge,
    circle,
    cosine_similarity,
    ctc,
    dice,
    hinge,
    huber,
    kl_divergence,
    log_cosh,
    mean_absolute_error,
    mean_absolute_percentage_error,
    mean_squared_error,
    mean_squared_logarithmic_error,
    poisson,
    sparse_categorical_crossentropy,
    squared_hinge,
    tversky,
)
from tensorlite.compat.v2.keras.src.saving import lookup

MSE = mse = mean_squared_error
MAE = mae = mean_absolute_error
MAPE = mape = mean_absolute_percentage_error
MSLE = msle = mean_squared_logarithmic_error
KLD = kld = kullback_leibler_divergence = kl_divergence
logcosh = log_cosh
bce = BCE = binary_crossentropy

CLASSES: dict[str, Any] = {
    "BinaryCrossentropy": BinaryCrossentropy,
    "BinaryFocalCrossentropy": BinaryFocalCrossentropy,
    "CategoricalCrossentropy": CategoricalCrossentropy,
    "Tversky": Tversky,
    "Dice": Dice,
    "CategoricalFocalCrossentropy": CategoricalFocalCrossentropy,
    "CategoricalGeneralizedCrossEntropy": CategoricalGeneralizedCrossEntropy,
    "CategoricalHinge": CategoricalHinge,
    "Circle": Circle,
    "CTC": CTC,
    "CosineSimilarity": CosineSimilarity,
    "Hinge": Hinge,
    "Huber": Huber,
    "KLDivergence": KLDivergence,
    "LogCosh": LogCosh,
    "MeanAbsoluteError": MeanAbsoluteError,
    "MeanAbsolutePercentageError": MeanAbsolutePercentageError,
    "MeanSquaredError": MeanSquaredError,
    "MeanSquaredLogarithmicError": MeanSquaredLogarithmicError,
    "Poisson": Poisson,
    "SparseCategoricalCrossentropy": SparseCategoricalCrossentropy,
    "SquaredHinge": SquaredHinge,
}
FUNCTIONS: dict[str, Any] = {
    "binary_crossentropy": binary_crossentropy,
    "binary_focal_crossentropy": binary_focal_crossentropy,
    "categorical_crossentropy": categorical_crossentropy,
    "tversky": tversky,
    "dice": dice,
    "categorical_focal_crossentropy": categorical_focal_crossentropy,
    "categorical_generalized_cross_entropy": categorical_generalized_cross_entropy,
    "categorical_hinge": categorical_hinge,
    "circle": circle,
    "ctc": ctc,
    "cosine_similarity": cosine_similarity,
    "hinge": hinge,
    "huber": huber,
    "kl_divergence": kl_divergence,
    "log_cosh": log_cosh,
    "mean_absolute_error": mean_absolute_error,
    "mean_absolute_percentage_error": mean_absolute_percentage_error,
    "mean_squared_error": mean_squared_error,
    "mean_squared_logarithmic_error": mean_squared_logarithmic_error,
    "poisson": poisson,
    "sparse_categorical_crossentropy": sparse_categorical_crossentropy,
    "squared_hinge": squared_hinge,
    "bce": bce,
    "BCE": bce,
    "mse": mse,
    "mae": mae,
    "mape": mape,
    "msle": msle,
    "kld": kld,
    "logcosh": log_cosh,
    "MSE": mse,
    "MAE": mae,
}


def get(identifier: Any) -> Any:
    """Return a loss: a function by a function's name, an object by a class's."""
    if isinstance(identifier, str) and identifier in FUNCTIONS:
        return lookup.of_version(identifier, FUNCTIONS[identifier])
    return lookup.found("loss", identifier, {**CLASSES, **FUNCTIONS})


def serialize(loss: Any, use_legacy_format: bool = False) -> Any:
    """Return the configuration from which `deserialize` makes the loss.

    use_legacy_format has no effect.
    """
    return lookup.serialized(loss)


def deserialize(
    name: Any, custom_objects: Any = None, use_legacy_format: bool = False
) -> Any:
    """Return the loss of a name or configuration; custom_objects are looked up too.

    use_legacy_format has no effect.
    """
    with lookup.adding(custom_objects):
        return get(name)


def _crossentropy(y_true: Any, y_pred: Any) -> Any:
    """Return the cross entropy that fits what is compared: binary, of classes' numbers or rows."""
    classes = y_pred.shape[-1]
    if classes == 1:
        return binary_crossentropy(y_true, y_pred)
    if len(y_true.shape) < len(y_pred.shape) or y_true.shape[-1] == 1:
        return sparse_categorical_crossentropy(y_true, y_pred)
    return categorical_crossentropy(y_true, y_pred)


def as_loss(identifier: Any) -> Any:
    """Return a loss that is called with true and predicted values and weights of samples.

    In Keras 3 "crossentropy" is the one that fits what is compared.
    """
    is_text = isinstance(identifier, str) and naming.is_keras_3()
    if is_text and identifier.lower() in {"crossentropy", "ce"}:
        return LossFunctionWrapper(_crossentropy, name=identifier)
    found = get(identifier)
    if found is None or isinstance(found, Loss):
        return found
    same = [kind for kind in CLASSES.values() if kind().fn is found]
    return same[0]() if same else LossFunctionWrapper(found)


__all__ = [
    "CTC",
    "CategoricalGeneralizedCrossEntropy",
    "Circle",
    "categorical_generalized_cross_entropy",
    "circle",
    "ctc",
    "tversky",
    "dice",
    "categorical_focal_crossentropy",
    "Tversky",
    "Dice",
    "CategoricalFocalCrossentropy",
    "BCE",
    "BinaryCrossentropy",
    "BinaryFocalCrossentropy",
    "CategoricalCrossentropy",
    "CategoricalHinge",
    "CosineSimilarity",
    "Hinge",
    "Huber",
    "KLD",
    "KLDivergence",
    "LogCosh",
    "Loss",
    "LossFunctionWrapper",
    "MAE",
    "MAPE",
    "MSE",
    "MSLE",
    "MeanAbsoluteError",
    "MeanAbsolutePercentageError",
    "MeanSquaredError",
    "MeanSquaredLogarithmicError",
    "Poisson",
    "Reduction",
    "SparseCategoricalCrossentropy",
    "SquaredHinge",
    "bce",
    "binary_crossentropy",
    "binary_focal_crossentropy",
    "categorical_crossentropy",
    "categorical_hinge",
    "cosine_similarity",
    "deserialize",
    "get",
    "hinge",
    "huber",
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
    "sparse_categorical_crossentropy",
    "squared_hinge",
]


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, __all__)
