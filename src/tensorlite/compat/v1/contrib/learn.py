"""tf.contrib.learn: data sets of files that are there, modes; what says that the rest is not."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.documenting import explained
from tensorlite.compat.missing import attribute_error, known_names, listing
from tensorlite.compat.v1.contrib import preprocessing
from tensorlite.compat.v1.examples.tutorials.mnist import input_data
from tensorlite.compat.v1.training import monitored
from tensorlite.core.errors import UnimplementedError


def _refused(name: str) -> Any:
    def refuse(*_: Any, **__: Any) -> Any:
        raise UnimplementedError(
            f"tf.contrib.learn.{name} is not there: read files with NumPy, make models of "
            "tf.layers or tf.keras, and train them with tf.train's optimizers"
        )

    return explained(
        refuse, name, "Raise UnimplementedError, which says what to use instead."
    )


class ModeKeys:
    """What a model is built for; tf.estimator.ModeKeys calls INFER PREDICT."""

    TRAIN = "train"
    EVAL = "eval"
    INFER = "infer"


class _Mnist:
    """tf.contrib.learn.datasets.mnist: reads files of the data set."""

    read_data_sets = staticmethod(input_data.read_data_sets)
    load_mnist = staticmethod(input_data.load_mnist)


class _Base:
    """tf.contrib.learn.datasets.base, which fetched files."""

    maybe_download = staticmethod(_refused("datasets.base.maybe_download"))
    load_csv_with_header = staticmethod(
        _refused("datasets.base.load_csv_with_header")
    )
    load_csv_without_header = staticmethod(
        _refused("datasets.base.load_csv_without_header")
    )
    load_iris = staticmethod(_refused("datasets.base.load_iris"))
    load_boston = staticmethod(_refused("datasets.base.load_boston"))


class _Datasets:
    mnist, base = _Mnist(), _Base()
    load_dataset = staticmethod(_refused("datasets.load_dataset"))


class _Learn:
    datasets, monitored_session = _Datasets(), monitored
    preprocessing = preprocessing


class _Python:
    learn = _Learn()


datasets, python = _Datasets(), _Python()


__dir__ = listing(__name__, globals(), known_names()["v1.contrib.learn"])


def __getattr__(name: str) -> object:
    if name not in known_names()["v1.contrib.learn"]:
        raise attribute_error(__name__, name, globals())
    return _refused(name)
