"""Names of tf.contrib.learn's own modules: estimators, heads, keys, feeders, experiments."""

from __future__ import annotations

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
    loss_only_head,
    multi_class_head,
    multi_head,
    multi_label_head,
    no_op_train_fn,
    poisson_regression_head,
    regression_head,
)
from tensorlite.compat.v1.contrib.learning.estimators import Estimator
from tensorlite.compat.v1.contrib.learning.experiments import Experiment, run, tune
from tensorlite.compat.v1.contrib.learning.feeding import (
    DataFeeder,
    StreamingDataFeeder,
    extract_pandas_data,
    extract_pandas_labels,
    extract_pandas_matrix,
    setup_predict_data_feeder,
    setup_train_data_feeder,
)
from tensorlite.compat.v1.contrib.learning.keys import (
    COLLECTION_DEF_KEY_FOR_INPUT_FEATURE_KEYS,
    MetricKey,
    ModeKeys,
    NotFittedError,
    PredictionKey,
    PredictionType,
    ProblemType,
)
from tensorlite.compat.v1.contrib.learning.metric_specs import MetricSpec
from tensorlite.compat.v1.contrib.learning.model_fns import ModelFnOps
from tensorlite.compat.v1.contrib.learning.models import (
    combined_model_fn,
    dnn_model_fn,
    linear_model_fn,
)
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
    ClusterConfig,
    Environment,
    RunConfig,
    TaskType,
)
from tensorlite.compat.v1.contrib.learning.serving import (
    ExportStrategy,
    InputFnOps,
    build_default_serving_input_fn,
    build_parsing_serving_input_fn,
    make_export_strategy,
)
from tensorlite.compat.v1.estimators.inputs import numpy_input_fn, pandas_input_fn

HAS_PANDAS, HAS_DASK = True, False
_dnn_model_fn, _linear_model_fn = dnn_model_fn, linear_model_fn
_dnn_linear_combined_model_fn = combined_model_fn
_regression_head, _multi_class_head = regression_head, multi_class_head
_multi_label_head, _multi_head = multi_label_head, multi_head
_binary_svm_head, _poisson_regression_head = binary_svm_head, poisson_regression_head

__all__ = [
    "COLLECTION_DEF_KEY_FOR_INPUT_FEATURE_KEYS",
    "HAS_DASK",
    "HAS_PANDAS",
    "BaseEstimator",
    "ClusterConfig",
    "DNNClassifier",
    "DNNEstimator",
    "DNNLinearCombinedClassifier",
    "DNNLinearCombinedEstimator",
    "DNNLinearCombinedRegressor",
    "DNNRegressor",
    "DataFeeder",
    "Environment",
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
    "MetricKey",
    "MetricSpec",
    "ModeKeys",
    "ModelFnOps",
    "NotFittedError",
    "PredictionKey",
    "PredictionType",
    "ProblemType",
    "RunConfig",
    "SKCompat",
    "StreamingDataFeeder",
    "TaskType",
    "Trainable",
    "binary_svm_head",
    "build_default_serving_input_fn",
    "build_parsing_serving_input_fn",
    "extract_pandas_data",
    "extract_pandas_labels",
    "extract_pandas_matrix",
    "infer_real_valued_columns_from_input",
    "infer_real_valued_columns_from_input_fn",
    "loss_only_head",
    "make_export_strategy",
    "multi_class_head",
    "multi_head",
    "multi_label_head",
    "no_op_train_fn",
    "numpy_input_fn",
    "pandas_input_fn",
    "poisson_regression_head",
    "read_batch_examples",
    "read_batch_features",
    "read_batch_record_features",
    "read_keyed_batch_examples",
    "read_keyed_batch_features",
    "regression_head",
    "run",
    "setup_predict_data_feeder",
    "setup_train_data_feeder",
    "tune",
]
