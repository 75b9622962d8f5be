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
from tensorlite.compat.v1.contrib.learning.graph_actions import (
    infer as infer,
    run_feeds as run_feeds,
    run_n as run_n,
)
from tensorlite.compat.v1.contrib.learning.inside import *
from tensorlite.compat.v1.examples.tutorials.mnist import input_data
from tensorlite.core.errors import UnimplementedError
from tensorlite.graph_mode.hooks import (
    NanLossDuringTrainingError as NanLossDuringTrainingError,
)

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
learn_runner = SimpleNamespace(run=inside.run, tune=inside.tune)

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
