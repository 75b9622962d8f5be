"""tf.contrib.learn: its names. What each does stands in the files of learning/."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from tensorlite.compat.documenting import explained
from tensorlite.compat.missing import attribute_error, known_names, listing
from tensorlite.compat.v1.contrib import preprocessing as preprocessing
from tensorlite.compat.v1.contrib.learning import (
    graph_actions as graph_actions,
    inside,
    monitors as monitors,
    tables,
)
from tensorlite.compat.v1.contrib.learning.base import (
    BaseEstimator,
    Evaluable,
    SKCompat,
    Trainable,
    infer_real_valued_columns_from_input,
    infer_real_valued_columns_from_input_fn,
)
from tensorlite.compat.v1.contrib.learning.both import (
    DNNLinearCombinedClassifier,
    DNNLinearCombinedEstimator,
    DNNLinearCombinedRegressor,
    LogisticRegressor,
)
from tensorlite.compat.v1.contrib.learning.class_heads import (
    Head,
    binary_svm_head,
    loss_only_head as loss_only_head,
    multi_class_head,
    multi_head,
    multi_label_head,
    no_op_train_fn,
    poisson_regression_head,
    regression_head,
)
from tensorlite.compat.v1.contrib.learning.estimators import Estimator
from tensorlite.compat.v1.contrib.learning.experiments import (
    Experiment,
    run as _run,
    tune as _tune,
)
from tensorlite.compat.v1.contrib.learning.feeding import (
    extract_pandas_data,
    extract_pandas_labels,
    extract_pandas_matrix,
)
from tensorlite.compat.v1.contrib.learning.graph_actions import (
    infer,
    run_feeds,
    run_n,
)
from tensorlite.compat.v1.contrib.learning.keys import (
    Environment as Environment,
    MetricKey as MetricKey,
    ModeKeys,
    NotFittedError,
    PredictionKey,
    PredictionType as PredictionType,
    ProblemType,
    TaskType,
)
from tensorlite.compat.v1.contrib.learning.metric_specs import MetricSpec
from tensorlite.compat.v1.contrib.learning.model_fns import ModelFnOps
from tensorlite.compat.v1.contrib.learning.reading import (
    read_batch_examples,
    read_batch_features,
    read_batch_record_features,
    read_keyed_batch_examples,
    read_keyed_batch_features,
)
from tensorlite.compat.v1.contrib.learning.ready import (
    DNNClassifier,
    DNNEstimator,
    DNNRegressor,
    LinearClassifier,
    LinearEstimator,
    LinearRegressor,
)
from tensorlite.compat.v1.contrib.learning.run_configs import (
    ClusterConfig as ClusterConfig,
    RunConfig,
)
from tensorlite.compat.v1.contrib.learning.serving import (
    ExportStrategy,
    InputFnOps,
    build_default_serving_input_fn as build_default_serving_input_fn,
    build_parsing_serving_input_fn,
    make_export_strategy,
)
from tensorlite.compat.v1.estimators.inputs import (
    numpy_input_fn as numpy_input_fn,
    pandas_input_fn as pandas_input_fn,
)
from tensorlite.compat.v1.examples.tutorials.mnist import input_data
from tensorlite.core.errors import UnimplementedError
from tensorlite.graph_mode.hooks import NanLossDuringTrainingError

__all__ = [
    "BaseEstimator",
    "DNNClassifier",
    "DNNEstimator",
    "DNNLinearCombinedClassifier",
    "DNNLinearCombinedEstimator",
    "DNNLinearCombinedRegressor",
    "DNNRegressor",
    "Estimator",
    "Evaluable",
    "Experiment",
    "ExportStrategy",
    "Head",
    "InputFnOps",
    "LinearClassifier",
    "LinearEstimator",
    "LinearRegressor",
    "LogisticRegressor",
    "MetricSpec",
    "ModeKeys",
    "ModelFnOps",
    "NanLossDuringTrainingError",
    "NotFittedError",
    "PredictionKey",
    "ProblemType",
    "RunConfig",
    "SKCompat",
    "TaskType",
    "Trainable",
    "binary_svm_head",
    "build_parsing_serving_input_fn",
    "datasets",
    "estimators",
    "extract_pandas_data",
    "extract_pandas_labels",
    "extract_pandas_matrix",
    "graph_actions",
    "infer",
    "infer_real_valued_columns_from_input",
    "infer_real_valued_columns_from_input_fn",
    "io",
    "learn_runner",
    "make_export_strategy",
    "monitors",
    "multi_class_head",
    "multi_head",
    "multi_label_head",
    "no_op_train_fn",
    "poisson_regression_head",
    "preprocessing",
    "read_batch_examples",
    "read_batch_features",
    "read_batch_record_features",
    "read_keyed_batch_examples",
    "read_keyed_batch_features",
    "regression_head",
    "run_feeds",
    "run_n",
    "utils",
]

datasets = SimpleNamespace(
    base=tables,
    mnist=input_data,
    synthetic=tables,
    load_boston=tables.load_boston,
    load_dataset=tables.load_dataset,
    load_iris=tables.load_iris,
    make_dataset=tables.make_dataset,
)
estimators = io = utils = inside
learn_runner = SimpleNamespace(run=_run, tune=_tune)

_INSTEAD = {
    "DynamicRnnEstimator": "build the model of tf.nn.dynamic_rnn in a model_fn",
    "KMeansClustering": "use tf.contrib.factorization.KMeans in a model_fn",
    "SVM": "use LinearEstimator with binary_svm_head",
    "evaluate": "use Estimator.evaluate",
    "train": "use Estimator.fit, or tf.train.MonitoredTrainingSession",
}


def _refused(name: str) -> Any:
    instead = _INSTEAD.get(name, "use tf.data, or NumPy")

    def refuse(*_: Any, **__: Any) -> Any:
        raise UnimplementedError(f"tf.contrib.learn.{name} is not served: {instead}")

    return explained(
        refuse, name, "Raise UnimplementedError, which says what to use instead."
    )


__dir__ = listing(__name__, globals(), known_names()["v1.contrib.learn"])


def __getattr__(name: str) -> object:
    if name not in known_names()["v1.contrib.learn"]:
        raise attribute_error(__name__, name, globals())
    return _refused(name)
