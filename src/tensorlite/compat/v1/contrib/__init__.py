"""tf.contrib of TensorFlow 1: the parts of it that programs use most."""

from __future__ import annotations

import sys
from importlib import import_module

from tensorlite.compat.inner_modules import register_contrib
from tensorlite.compat.missing import attribute_error

NAMESPACES = (
    "autograph",
    "cluster_resolver",
    "crf",
    "cudnn_rnn",
    "data",
    "distributions",
    "eager",
    "estimator",
    "factorization",
    "feature_column",
    "framework",
    "graph_editor",
    "image",
    "integrate",
    "keras",
    "layers",
    "learn",
    "legacy_seq2seq",
    "lookup",
    "losses",
    "metrics",
    "nn",
    "opt",
    "predictor",
    "resampler",
    "rnn",
    "seq2seq",
    "signal",
    "slim",
    "sparsemax",
    "staging",
    "stateless",
    "summary",
    "tensorboard",
    "tpu",
    "training",
    "util",
)


register_contrib(__name__)


def __dir__() -> list[str]:
    return list(NAMESPACES)


def __getattr__(name: str) -> object:
    """Import a namespace when it is first asked for."""
    if name not in NAMESPACES:
        raise attribute_error(__name__, name, dict.fromkeys(NAMESPACES))
    found = import_module(f"{__name__}.{name}")
    inside = sys.modules.get(f"{__name__}.{name}.python")
    if inside is not None:
        vars(found).setdefault("python", inside)
    return found
