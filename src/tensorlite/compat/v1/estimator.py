"""tf.estimator: gathers its names from estimators/, where they live."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v1.estimators import (
    accelerated as tpu,
    inputs,
    receivers as export,
    stopping as experimental,
)
from tensorlite.compat.v1.estimators.base import Estimator, EvalSpec, TrainSpec
from tensorlite.compat.v1.estimators.class_heads import (
    BinaryClassHead,
    MultiClassHead,
)
from tensorlite.compat.v1.estimators.configuration import RunConfig
from tensorlite.compat.v1.estimators.exporting import (
    BestExporter,
    Exporter,
    FinalExporter,
    LatestExporter,
)
from tensorlite.compat.v1.estimators.heads import Head, RegressionHead
from tensorlite.compat.v1.estimators.many_heads import (
    LogisticRegressionHead,
    MultiHead,
    MultiLabelHead,
    PoissonRegressionHead,
    add_metrics,
    classifier_parse_example_spec,
    regressor_parse_example_spec,
)
from tensorlite.compat.v1.estimators.ready import (
    BaselineClassifier,
    BaselineEstimator,
    BaselineRegressor,
    DNNClassifier,
    DNNEstimator,
    DNNLinearCombinedClassifier,
    DNNLinearCombinedEstimator,
    DNNLinearCombinedRegressor,
    DNNRegressor,
    LinearClassifier,
    LinearEstimator,
    LinearRegressor,
)
from tensorlite.compat.v1.estimators.specs import EstimatorSpec, ModeKeys
from tensorlite.compat.v1.estimators.starting import VocabInfo, WarmStartSettings
from tensorlite.compat.v1.estimators.together import train_and_evaluate
from tensorlite.compat.v1.training import hooks
from tensorlite.graph_mode import hooks as plain_hooks

__all__ = [
    "BaselineClassifier",
    "BaselineEstimator",
    "BaselineRegressor",
    "BestExporter",
    "BinaryClassHead",
    "DNNClassifier",
    "DNNEstimator",
    "DNNLinearCombinedClassifier",
    "DNNLinearCombinedEstimator",
    "DNNLinearCombinedRegressor",
    "DNNRegressor",
    "Estimator",
    "EstimatorSpec",
    "EvalSpec",
    "Exporter",
    "FinalExporter",
    "Head",
    "LatestExporter",
    "LinearClassifier",
    "LinearEstimator",
    "LinearRegressor",
    "LogisticRegressionHead",
    "ModeKeys",
    "MultiClassHead",
    "MultiHead",
    "MultiLabelHead",
    "PoissonRegressionHead",
    "RegressionHead",
    "RunConfig",
    "TrainSpec",
    "VocabInfo",
    "WarmStartSettings",
    "add_metrics",
    "classifier_parse_example_spec",
    "experimental",
    "export",
    "inputs",
    "regressor_parse_example_spec",
    "tpu",
    "train_and_evaluate",
]


__dir__ = listing(__name__, globals(), vars(hooks), vars(plain_hooks))


def __getattr__(name: str) -> Any:
    """Return the hooks, which are tf.train's."""
    for place in (hooks, plain_hooks):
        if name in vars(place):
            return vars(place)[name]
    raise attribute_error(__name__, name, __all__)
