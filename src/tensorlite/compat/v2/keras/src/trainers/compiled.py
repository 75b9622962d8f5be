"""The losses and metrics of a compiled model, for one output or for several."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

from tensorlite.compat.shared import nests
from tensorlite.compat.v2.keras import losses, metrics
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.losses.shares import scaled, unscaled
from tensorlite.compat.v2.keras.src.metrics.base import Mean, Metric
from tensorlite.compat.v2.keras.src.models.in_graphs import apart
from tensorlite.compat.v2.keras.src.trainers import nested_outputs
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.arrays.shape import shape_of


def spread(
    given: Any, outputs: Any, names: list[str], what: str = "sample_weight"
) -> list[Any]:
    """Return what is given for each output, by its place or its name."""
    if nested_outputs.are_nested(outputs):
        titles = output_names(outputs, names)
        return nested_outputs.along(given, outputs, titles, what)
    size = len(nests.flatten(outputs))
    if isinstance(given, dict):
        return [given.get(key) for key in output_names(outputs, names)]
    if isinstance(given, (list, tuple)) and len(given) == size:
        return list(given)
    return [given] * size


def known_outputs(given: Any, outputs: Any, names: list[str], what: str) -> None:
    """Refuse keys that are no output's, of which nothing would come."""
    if not isinstance(given, dict) or nested_outputs.are_nested(outputs):
        return
    known = list(outputs) if isinstance(outputs, dict) else []
    if not (known and naming.is_keras_3()):
        known += names
    strange = [key for key in given if key not in known]
    if strange:
        raise InvalidArgumentError(
            f"Invalid `{what}`: the keys {strange} do not correspond to any model output. Expected "
            f"keys: {known}"
        )


class _Together(losses.Loss):
    """The sum of several losses of one output."""

    def __init__(self, parts: list[Any]) -> None:
        super().__init__()
        self._parts = parts

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        first, *others = (x(y_true, y_pred, sample_weight) for x in self._parts)
        return sum(others, start=first)


def _loss_of_output(given: Any) -> Any:
    """Return the loss that is given for an output, of several their sum."""
    if not isinstance(given, (list, tuple)):
        return losses.as_loss(given)
    parts = [losses.as_loss(x) for x in given if x is not None]
    return _Together(parts) if len(parts) > 1 else next(iter(parts), None)


class CompiledLoss:
    """What a batch costs: the sum of the outputs' losses, and what weights cost."""

    def __init__(
        self, loss: Any, weights: Any, names: list[str], mean: Any = None
    ) -> None:
        self._given, self._weights, self._names = loss, weights, names
        self._losses: list[Any] | None = None
        self.mean: Any = Mean("loss") if mean is None else mean
        self.each: list[Any] = []
        """The means of several outputs' losses, None of an output that has none."""

    def build(self, outputs: Any) -> None:
        if self._losses is None:
            self.of_outputs(outputs)
            self.count_each(outputs)

    def of_outputs(self, outputs: Any) -> list[Any]:
        """Return the loss of each output, None of one that has none."""
        known_outputs(self._given, outputs, self._names, "loss")
        given = spread(self._given, outputs, self._names, "loss")
        self._losses = [_loss_of_output(x) for x in given]
        return self._losses

    def count_each(self, outputs: Any) -> None:
        """Make the means of the losses, if there are several outputs."""
        losses = self._losses or []
        listed = [x for x in losses if x is not None or not naming.is_keras_3()]
        if len(listed) > 1:
            given = spread(self._given, outputs, self._names, "loss")
            titles = _titles_of_losses(outputs, self._names, given, losses)
            self.each = [
                None if loss is None else Mean(f"{title}_loss")
                for title, loss in zip(titles, losses, strict=True)
            ]

    @property
    def metrics(self) -> list[Metric]:
        """The means of the outputs' losses, each batch counting the same, however large."""
        return [each for each in self.each if each is not None]

    def anew(self) -> CompiledLoss:
        """Return the same with means of its own."""
        return CompiledLoss(self._given, self._weights, self._names)

    @property
    def given(self) -> tuple[Any, Any]:
        """The losses and their weights, as the model was compiled with."""
        return self._given, self._weights

    def __call__(
        self,
        y_true: Any,
        y_pred: Any,
        sample_weight: Any = None,
        regularization_losses: Any = None,
    ) -> Any:
        """Return what a batch costs, and count it to the means."""
        total = self.total(y_true, y_pred, sample_weight, regularization_losses)
        predicted = nests.flatten(y_pred)
        if predicted:
            own = unscaled(total)
            self.mean.update_state(own, sample_weight=batch_of(predicted[0]))
        return total

    def total(
        self,
        y_true: Any,
        y_pred: Any,
        sample_weight: Any = None,
        regularization_losses: Any = None,
    ) -> Any:
        """Return what a batch costs."""
        self.build(y_pred)
        predicted = nests.flatten(y_pred)
        true = matching(y_true, y_pred, self._names)
        weights = spread(sample_weight, y_pred, self._names)
        shares = 1.0 if self._weights is None else self._weights
        shares = spread(shares, y_pred, self._names, "loss_weights")
        total: Any = None
        rows = zip(self._losses or (), true, predicted, weights, shares, strict=True)
        for i, (loss, y, p, weight, share) in enumerate(rows):
            if loss is None or y is None:
                continue
            value = loss(y, p, sample_weight=weight)
            if self.each:
                self.each[i].update_state(unscaled(value))
            term = value if share in (None, 1.0) else value * share
            total = term if total is None else total + term
        for term in map(scaled, regularization_losses or ()):
            total = term if total is None else total + term
        if total is None:
            raise InvalidArgumentError(
                "The model cannot be trained because it has no loss to optimize; pass a `loss` "
                "argument to `model.compile()`, or use add_loss"
            )
        return total


def batch_of(x: Any) -> Any:
    """Return how many rows a batch has."""
    sizes = x.shape.as_list() or [1]
    return _rows(x) if sizes[0] is None else sizes[0]


def output_names(outputs: Any, names: list[str]) -> list[str]:
    """Return the names of outputs: keys, given names, or numbers, which Keras 3 leaves out."""
    if isinstance(outputs, dict) and not nested_outputs.are_nested(outputs):
        return sorted(outputs)
    count = len(nests.flatten(outputs))
    if len(names) == count:
        return names
    return ["" if naming.is_keras_3() else f"output_{i + 1}" for i in range(count)]


def _titles_of_losses(
    outputs: Any, names: list[str], given: list[Any], made: list[Any]
) -> list[str]:
    """Return what the outputs' losses are listed by: the outputs' names or their own."""
    titles = output_names(outputs, names)
    if nested_outputs.are_nested(outputs):
        titles = nested_outputs.titles(outputs, titles)
    return [
        title or (one if isinstance(one, str) else getattr(loss, "name", ""))
        for title, one, loss in zip(titles, given, made, strict=True)
    ]


def matching(y_true: Any, y_pred: Any, names: list[str]) -> list[Any]:
    """Return the true values of each output."""
    if isinstance(y_true, dict) and not nested_outputs.are_nested(y_pred):
        keys = sorted(y_pred) if isinstance(y_pred, dict) else names
        return [y_true.get(key) for key in keys]
    count = len(nests.flatten(y_pred))
    found = nests.flatten(y_true)
    if isinstance(y_true, dict) and not isinstance(y_pred, dict):
        found = [y_true.get(name) for name in names]
    if len(found) != count:
        raise InvalidArgumentError(
            f"the model has {count} outputs, and {len(found)} true values were given"
        )
    return found


class CompiledMetrics(Metric):
    """The metrics of a model's outputs, which are one metric in Keras 3."""

    def __init__(
        self, given: Any, weighted: Any, names: list[str], loss: Any
    ) -> None:
        super().__init__(name="compile_metrics")
        self._given, self._weighted, self._names, self._loss = (
            given,
            weighted,
            names,
            loss,
        )
        self._metrics: list[tuple[int, bool, Any]] | None = None
        self._titled = False
        self._own_names: list[str] = []

    def build(self, y_true: Any, y_pred: Any) -> None:
        if self._metrics is not None:
            return
        found: list[tuple[int, bool, Any]] = []
        outputs = nests.flatten(y_pred)
        true = matching(y_true, y_pred, self._names)
        titles = output_names(y_pred, self._names)
        self._titled = len(outputs) > 1 and any(titles)
        kinds = spread(self._loss, y_pred, self._names, "loss")
        for given, is_weighted in ((self._given, False), (self._weighted, True)):
            known_outputs(given, y_pred, self._names, "metrics")
            for i, group in enumerate(_groups(given, y_pred, self._names)):
                title = f"{titles[i]}_" if self._titled and titles[i] else ""
                for one in group:
                    loss = _loss_of_output(kinds[i])
                    made = metrics.as_metric(one, true[i], outputs[i], loss)
                    self._own_names.append(made.name)
                    taken = {other.name for _, _, other in found}
                    made._name = _free(title, made.name, is_weighted, taken)  # noqa: SLF001
                    found.append((i, is_weighted, made))
        if not naming.is_keras_3():
            found.sort(key=lambda row: row[0])  # an output after the other
        self._metrics = found

    @property
    def is_built(self) -> bool:
        """Whether it is known what all outputs are like."""
        return self._metrics is not None

    @property
    def are_given(self) -> bool:
        """Whether compile was given any."""
        return self._given is not None or self._weighted is not None

    @property
    def listed(self) -> list[str]:
        """The names of results that are listed behind the loss, before those of other metrics.

        They are the metrics' own: of two that are alike the first one's result is listed twice, as
        Keras 3 does.
        """
        if self._titled:
            return []
        return self._own_names

    @property
    def variables(self) -> Any:
        """What all the metrics gather in."""
        return [x for metric in self.metrics for x in metric.variables]

    def reset_state(self) -> None:
        """Let all metrics begin anew."""
        for metric in self.metrics:
            metric.reset_state()

    def result(self) -> dict[str, Any]:
        """Return what the metrics came to, by name."""
        return results(self.metrics)

    @property
    def of_outputs(self) -> list[tuple[int, bool, Any]]:
        """The number of each metric's output, whether it takes weights, and the metric."""
        return self._metrics or []

    @property
    def metrics(self) -> list[Any]:
        """The metrics of all outputs; before the first batch those given as objects."""
        if self._metrics is None:
            listed = [
                *nests.flatten(self._given or []),
                *nests.flatten(self._weighted or []),
            ]
            return [x for x in listed if isinstance(x, Metric)]
        return [made for _, _, made in self._metrics]

    def anew(self, names: list[str]) -> CompiledMetrics:
        """Return the same for the outputs of another model, with metrics of their own."""
        given, weighted = _renewed(self._given), _renewed(self._weighted)
        return CompiledMetrics(given, weighted, names, self._loss)

    def pairs(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> Iterator[tuple[Any, Any, Any, Any]]:
        """Yield each metric with what it compares, and the weights of that."""
        self.build(y_true, y_pred)
        outputs = nests.flatten(y_pred)
        true = matching(y_true, y_pred, self._names)
        weights = spread(sample_weight, y_pred, self._names)
        for i, is_weighted, metric in self._metrics or ():
            if true[i] is not None:
                weight = weights[i] if is_weighted else None
                yield metric, true[i], outputs[i], weight

    def update_state(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> None:
        """Take a batch into account in each output's metrics."""
        for metric, true, made, weight in self.pairs(y_true, y_pred, sample_weight):
            metric.update_state(true, made, sample_weight=weight)


def results(metrics: list[Any]) -> dict[str, Any]:
    """Return what metrics say, by their names."""
    found: dict[str, Any] = {}
    for metric in metrics:
        result = metric.result()
        found.update(result if isinstance(result, dict) else {metric.name: result})
    return found


def _free(title: str, name: str, is_weighted: bool, taken: set[str]) -> str:
    """Return the name of an output's metric, which no other has."""
    wanted = f"{title}{name}"
    if is_weighted and (wanted in taken or not naming.is_keras_3()):
        wanted = f"{title}weighted_{name}"
    if wanted not in taken:
        return wanted
    return next(x for i in count(1) if (x := f"{wanted}_{i}") not in taken)


def _groups(given: Any, outputs: Any, names: list[str]) -> list[list[Any]]:
    """Return the metrics of each output."""
    count = len(nests.flatten(outputs))
    if given is None or (nested_outputs.are_nested(outputs) and not given):
        return [[] for _ in range(count)]
    if nested_outputs.are_nested(outputs):
        return [_listed(x) for x in spread(given, outputs, names, "metrics")]
    if isinstance(given, dict):
        found = spread(given, outputs, names)
        return [_listed(x) for x in found]
    if count > 1 and all(isinstance(x, (list, tuple)) for x in given):
        return [_listed(x) for x in given]
    nested = any(isinstance(x, (list, tuple)) for x in given)
    if count > 1 and len(given) == count and (nested or naming.is_keras_3()):
        return [_listed(x) for x in given]
    return [[_own(x, count) for x in _listed(given)] for _ in range(count)]


def _own(given: Any, count: int) -> Any:
    """Return a metric for one of several outputs, where all have the same ones."""
    return given if count == 1 else _renewed(given)


def _renewed(given: Any) -> Any:
    """Return metrics that have gathered nothing, in the same structure."""

    def one(x: Any) -> Any:
        is_made = isinstance(x, Metric)
        return type(x).from_config(x.get_config()) if is_made else x

    return None if given is None else nests.map_structure(one, given)


def _listed(x: Any) -> list[Any]:
    if x is None:
        return []
    return list(x) if isinstance(x, (list, tuple)) else [x]


def _rows(x: Any) -> Any:
    return shape_of(x)[0]


@apart
def foretold(model: Any) -> list[Metric]:
    """Return metrics of the names that a model of Keras 2 will have, before it is given a batch.

    None are returned where its outputs are not known, and behind the first batch.
    """
    loss, given = model.compiled_loss, model.compiled_metrics
    unknown = model.ends is None or loss is None or given.is_built
    if naming.is_keras_3() or unknown:
        return []
    costs, counts = loss.anew(), given.anew(model.output_names)
    costs.build(model.ends)
    counts.build(model.ends, model.ends)
    return [costs.mean, *costs.metrics, *counts.metrics]
