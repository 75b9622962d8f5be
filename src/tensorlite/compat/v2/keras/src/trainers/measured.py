"""OfMetrics: which metrics a model has, of its loss, of compile and of its layers.

What a compiled model compares is compiled.py's.
"""

from __future__ import annotations

from typing import Any

from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.layers.own_weights import members, once
from tensorlite.compat.v2.keras.src.metrics.base import Metric
from tensorlite.compat.v2.keras.src.trainers import compiled
from tensorlite.graph_mode.graph import mode

_GIVEN = ("_arguments", "_compile_config", "compiled_metrics")
"""Attributes with what objects were made of and compiled with."""


class OfMetrics:
    """The part of a model that lists its metrics."""

    compiled_loss: Any
    compiled_metrics: Any

    @property
    def metrics(self) -> list[Any]:
        """The metrics of the loss, of compile, and of the layers; of version 1 not of the loss."""
        if mode.eager is not False or self.compiled_loss is None:
            return self._every_metric()
        loss = self.compiled_loss
        of_loss = {id(x) for x in (loss.mean, *loss.metrics)}
        return [x for x in self._every_metric() if id(x) not in of_loss]

    def _every_metric(self) -> list[Any]:
        return once([*self.__compiled_to(), *_kept(self)])

    def __compiled_to(self) -> list[Any]:
        """Return the metrics that the model was compiled with, of Keras 3 as one."""
        if self.compiled_loss is None:
            return []
        loss, given = self.compiled_loss, self.compiled_metrics
        if not naming.is_keras_3():
            return [loss.mean, *loss.metrics, *given.metrics]
        return [loss.mean, *([given] if given.are_given else []), *loss.metrics]

    @property
    def metrics_names(self) -> list[str]:
        """The names of what is listed, in Keras 2 of what the outputs will have, too."""
        known = compiled.foretold(self) or self.__compiled_to()
        return [x.name for x in once([*known, *_kept(self)])]

    def get_metrics_result(self) -> dict[str, Any]:
        """Return what metrics came to, by name."""
        return compiled.results(self._every_metric())

    def reset_metrics(self) -> None:
        """Let all metrics begin anew."""
        for metric in self._every_metric():
            metric.reset_state()


def _kept(layer: Any) -> list[Metric]:
    """Return the metrics among a layer's attributes, then those of its layers, but of no model."""
    held = [x for key, x in vars(layer).items() if key not in _GIVEN]
    own = members(held, Metric)
    inner = [x for x in layer.sublayers() if not isinstance(x, OfMetrics)]
    return [*own, *[x for each in inner for x in _kept(each)]]
