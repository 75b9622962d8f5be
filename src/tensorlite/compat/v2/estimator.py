"""tf.estimator as TensorFlow 2 had it until 2.15: that of 1, but losses are means over a batch."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.v1 import estimator
from tensorlite.compat.v1.estimators import ready
from tensorlite.compat.v1.losses import Reduction


class _Averaging:
    """Lets the loss of a batch be the mean of its examples' where nothing else is said."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("loss_reduction", Reduction.SUM_OVER_BATCH_SIZE)
        super().__init__(*args, **kwargs)


class BaselineClassifier(_Averaging, ready.BaselineClassifier):
    """A classifier that knows how often each class is, and nothing else."""


class BaselineRegressor(_Averaging, ready.BaselineRegressor):
    """A regression that knows the mean label, and nothing else."""


class DNNClassifier(_Averaging, ready.DNNClassifier):
    """A classifier of dense layers."""


class DNNRegressor(_Averaging, ready.DNNRegressor):
    """A regression by dense layers."""


class LinearClassifier(_Averaging, ready.LinearClassifier):
    """A linear classifier."""


class LinearRegressor(_Averaging, ready.LinearRegressor):
    """A linear regression."""


class DNNLinearCombinedClassifier(_Averaging, ready.DNNLinearCombinedClassifier):
    """A linear classifier and one of dense layers, added."""


class DNNLinearCombinedRegressor(_Averaging, ready.DNNLinearCombinedRegressor):
    """A linear regression and one by dense layers, added."""


def __dir__() -> list[str]:
    return dir(estimator)


def __getattr__(name: str) -> Any:
    """Return what both versions have alike."""
    return getattr(estimator, name)
