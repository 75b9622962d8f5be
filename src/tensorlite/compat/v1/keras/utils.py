"""tf.keras.utils of version 1: names that version 2 has not, and the rest of it."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.missing import listing
from tensorlite.compat.v1.keras.fallback import rest_of
from tensorlite.compat.v1.keras.random_tests import (
    DeterministicRandomTestTool as DeterministicRandomTestTool,
)
from tensorlite.compat.v1.keras.tracked_variables import (
    get_or_create_layer as get_or_create_layer,
    track_tf1_style_variables as track_tf1_style_variables,
)
from tensorlite.compat.v2.keras import utils
from tensorlite.compat.v2.keras.src.callbacks.older_lines import OlderBar
from tensorlite.compat.v2.keras.src.trainers.enqueuing import (
    GeneratorEnqueuer as GeneratorEnqueuer,
    OrderedEnqueuer as OrderedEnqueuer,
    SequenceEnqueuer as SequenceEnqueuer,
)

Progbar = OlderBar


def model_to_dot(
    model: Any,
    show_shapes: bool = False,
    show_layer_names: bool = True,
    rankdir: str = "TB",
    expand_nested: bool = False,
    dpi: int = 96,
    subgraph: bool = False,
) -> Any:
    """Return a pydot graph of a model, a box per layer, as version 2's function does."""
    told = show_shapes, False, show_layer_names, rankdir, expand_nested
    return utils.model_to_dot(model, *told, dpi, subgraph)


def plot_model(
    model: Any,
    to_file: Any = "model.png",
    show_shapes: bool = False,
    show_layer_names: bool = True,
    rankdir: str = "TB",
    expand_nested: bool = False,
    dpi: int = 96,
) -> Any:
    """Write a picture of a model into a file; return it where a notebook can show it."""
    told = show_shapes, False, show_layer_names, rankdir, expand_nested
    return utils.plot_model(model, to_file, *told, dpi)


__dir__ = listing(__name__, globals(), vars(utils))
__getattr__ = rest_of(utils, __name__, globals())
