"""MetricSpec: a metric, and of which predictions, labels and features it is."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

from tensorlite.core.errors import InvalidArgumentError

_LABELS = ("labels", "label", "targets", "target")
_PREDICTIONS = ("predictions", "prediction", "logits", "logit")
_WEIGHTS = ("weights", "weight")


def _title(function: Any) -> str:
    inner = getattr(function, "func", function)
    return str(getattr(function, "__name__", getattr(inner, "__name__", function)))


def _arguments(function: Any) -> list[str]:
    """Return what arguments a function has that are not given yet."""
    if hasattr(function, "func") and hasattr(function, "keywords"):
        taken = _arguments(function.func)[len(function.args) :]
        return [name for name in taken if name not in function.keywords]
    return [
        name
        for name, parameter in signature(function).parameters.items()
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]


def _matching(
    title: str, names: list[str], known: tuple[str, ...], needed: bool
) -> str | None:
    found = [name for name in names if name in known]
    if len(found) > 1:
        raise InvalidArgumentError(
            f"Ambiguous arguments {found}, must provide only one of {known}."
        )
    if not found and needed:
        raise InvalidArgumentError(f"{known} missing from {title}({names}).")
    return found[0] if found else None


class MetricSpec:
    """A metric function, and by which keys it is given predictions, labels and weights."""

    def __init__(
        self,
        metric_fn: Callable[..., Any],
        prediction_key: Any = None,
        label_key: Any = None,
        weight_key: Any = None,
    ) -> None:
        self.prediction_key, self.label_key = prediction_key, label_key
        self.weight_key = weight_key
        self._function, self._title = metric_fn, _title(metric_fn)
        names = _arguments(metric_fn)
        self._labels = _matching(self._title, names, _LABELS, label_key is not None)
        self._predictions = _matching(self._title, names, _PREDICTIONS, needed=False)
        self._weights = _matching(
            self._title, names, _WEIGHTS, weight_key is not None
        )
        self._labels_first = bool(names) and names[0] == self._labels

    @property
    def metric_fn(self) -> Callable[..., Any]:
        """The metric as a function of labels, predictions and weights by these names."""
        return self._called

    def _called(
        self, labels: Any = None, predictions: Any = None, weights: Any = None
    ) -> Any:
        given = {} if weights is None else {self._weights or "weights": weights}
        if self._labels is not None:
            if self._predictions is None and self._labels_first:
                return self._function(labels, predictions, **given)
            given[self._labels] = labels
        if self._predictions is None:
            return self._function(predictions, **given)
        return self._function(**{**given, self._predictions: predictions})

    def __str__(self) -> str:
        return (
            f"MetricSpec(metric_fn={self._title}, prediction_key={self.prediction_key}, "
            f"label_key={self.label_key}, weight_key={self.weight_key})"
        )

    def create_metric_ops(self, inputs: Any, labels: Any, predictions: Any) -> Any:
        """Return the metric of a model's predictions."""
        chosen = _chosen("prediction", predictions, self.prediction_key)
        wanted = _chosen("label", labels, self.label_key)
        weights = inputs[self.weight_key] if self.weight_key else None
        return self._called(wanted, chosen, weights)


def _chosen(name: str, given: Any, key: Any) -> Any:
    if key:
        if not isinstance(given, dict):
            raise InvalidArgumentError(
                f"MetricSpec with {name}_key specified requires {name}s dict, got {given}.\n"
                f"You must not provide a {name}_key if you only have a single Tensor as {name}s."
            )
        if key not in given:
            raise KeyError(f"Key '{key}' missing from {list(given)}.")
        return given[key]
    if not isinstance(given, dict):
        return given
    if len(given) != 1:
        raise InvalidArgumentError(
            f"MetricSpec without specified {name}_key requires {name}s tensor or single element "
            f"dict, got {given}"
        )
    return next(iter(given.values()))


def make_metrics_ops(
    metrics: Any, features: Any, labels: Any, predictions: Any
) -> dict[str, Any]:
    """Return metrics by their names, which may be MetricSpecs, functions, or for (name, key)."""
    one = labels
    if isinstance(labels, dict) and len(labels) == 1:
        one = next(iter(labels.values()))
    found: dict[str, Any] = {}
    for name, metric in sorted((metrics or {}).items(), key=lambda x: str(x[0])):
        if isinstance(metric, MetricSpec):
            found[name] = metric.create_metric_ops(features, labels, predictions)
        elif isinstance(name, tuple):
            title, key = _pair(name, metrics, predictions)
            own = labels[key] if isinstance(labels, dict) and key in labels else one
            found[title] = metric(predictions[key], own)
        elif isinstance(predictions, dict):
            raise InvalidArgumentError(
                "Metrics passed provide only name, no prediction, but predictions are dict. "
                f"Metrics: {metrics}, Labels: {one}."
            )
        else:
            found[name] = metric(predictions, one)
    return found


def _pair(name: tuple[Any, ...], metrics: Any, predictions: Any) -> tuple[Any, Any]:
    if len(name) != 2:
        raise InvalidArgumentError(
            f"Invalid metric for {name}. It returned a tuple with len {len(name)}, expected 2."
        )
    if not isinstance(predictions, dict):
        raise InvalidArgumentError(
            "Metrics passed provide (name, prediction), but predictions are not dict. "
            f"Metrics: {metrics}, Predictions: {predictions}."
        )
    return name[0], name[1]
