"""tf.contrib.slim: layers, networks, scopes of arguments, variables, training and evaluation."""

from tensorlite.compat.missing import attribute_error
from tensorlite.compat.v1.contrib import (
    framework,
    layer_utils as utils,
    layers,
    losses,
    metrics,
    model_analyzer,
    regularizers,
    regularizers as initializers,
    slim_evaluation as evaluation,
    slim_learning as learning,
    slim_nets as nets,
    slim_queues as queues,
    slim_summaries as summaries,
    variables,
)
from tensorlite.compat.v1.contrib.slim_data import (
    data_decoder,
    data_provider,
    dataset,
    dataset_data_provider,
    parallel_reader,
    prefetch_queue,
    tfexample_decoder,
)
from tensorlite.compat.v1.training.averages import (
    create_global_step,
    get_global_step,
    get_or_create_global_step,
)

__all__ = [
    "create_global_step",
    "data_decoder",
    "data_provider",
    "dataset",
    "dataset_data_provider",
    "evaluation",
    "get_global_step",
    "get_or_create_global_step",
    "initializers",
    "learning",
    "losses",
    "metrics",
    "model_analyzer",
    "nets",
    "parallel_reader",
    "prefetch_queue",
    "queues",
    "regularizers",
    "summaries",
    "tfexample_decoder",
    "utils",
    "variables",
]


def __getattr__(name: str) -> object:
    """Return what tf.contrib.layers or tf.contrib.framework has under a name."""
    for namespace in (layers, framework):
        if name in namespace.__all__:
            return getattr(namespace, name)
    have = [*__all__, *layers.__all__, *framework.__all__]
    raise attribute_error(__name__, name, have)


def __dir__() -> list[str]:
    return sorted({"layers", *__all__, *layers.__all__, *framework.__all__})
