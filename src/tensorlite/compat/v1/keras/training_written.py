"""Training of models in graphs: targets, losses, metrics and updates as nodes, as in TensorFlow 1.

Keras' session runs them. Models that are no graph of layers, or whose steps a program has written,
are traced instead, as in version 2.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from tensorlite.compat import v1
from tensorlite.compat.shared import nests
from tensorlite.compat.v1.graphs.framework import (
    placeholder,
    placeholder_with_default,
)
from tensorlite.compat.v1.keras import losses_written
from tensorlite.compat.v2.keras.defaults import floatx
from tensorlite.compat.v2.keras.src.layers import masks, phases
from tensorlite.compat.v2.keras.src.layers.own_weights import once
from tensorlite.compat.v2.keras.src.models import in_graphs, in_sessions
from tensorlite.compat.v2.keras.src.saving import describing
from tensorlite.compat.v2.keras.src.trainers import feeding
from tensorlite.compat.v2.keras.src.trainers.compiled import spread
from tensorlite.compat.v2.keras.src.trainers.fitting import picked
from tensorlite.compat.v2.keras.src.trainers.graph_steps import BatchMean, trains
from tensorlite.compat.views import plain, shown
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.graph import name_scope


def fits(shape: tuple[int, ...], sizes: tuple[int | None, ...]) -> bool:
    """Return whether an array of a shape can stand where sizes are known, or some of them."""
    pairs = zip(shape, sizes, strict=False)
    return len(shape) == len(sizes) and all(y in (None, x) for x, y in pairs)


class Endpoint:
    """An output of a model: what it is to be, what it costs and how much that counts."""

    def __init__(self, name: str, output: Any, loss: Any, share: Any) -> None:
        self.name, self.output, self.loss = name, output, loss
        self.share = 1.0 if share is None else share
        self.mask = masks.of(plain(output))
        self.target: Any = None
        self.weight: Any = None
        if loss is not None:
            sizes = [None] * output.shape.ndims
            self.target = placeholder(output.dtype, sizes, name=f"{name}_target")

    def check(self, target: np.ndarray) -> None:
        """Refuse true values of another shape than a loss of Keras compares."""
        fn = getattr(self.loss, "fn", None)
        if fn is None or not describing.is_ours(fn):
            return
        sizes = tuple(self.output.shape.as_list())
        if "sparse" in fn.__name__:
            sizes = (*sizes[:-1], 1)
        if not fits(target.shape, sizes):
            raise InvalidArgumentError(
                f"A target array with shape {target.shape} was passed for an output of shape "
                f"{sizes} while using as loss `{fn.__name__}`. This loss expects targets to have "
                "the same shape as the output."
            )

    def weigh(self, rank: int | None) -> None:
        """Let examples have weights, of one axis or two; None lets all count the same."""
        self.weight = None
        if rank is not None and self.loss is not None:
            ones = v1.constant(np.ones([1] * rank), dtype=floatx())
            title = f"{self.name}_sample_weights"
            self.weight = placeholder_with_default(ones, [None] * rank, name=title)

    def counted(self, weight: Any) -> Any:
        """Return weights of examples where a mask leaves some out; None if all count the same."""
        if self.mask is None:
            return weight
        mask = v1.cast(shown(self.mask), self.output.dtype)
        return mask if weight is None else losses_written.fitted(weight, mask) * mask


@trains
class GraphTraining:
    """What a compiled model is trained by in its graph."""

    total_loss: Any = None

    def __init__(self, model: Any) -> None:
        self.model = model
        self.form, self.inputs, self.outputs, self.names = model.graph_ends()
        self.graph = self.outputs[0].graph
        self._ranks: list[int | None] = [None] * len(self.outputs)
        self._steps: dict[str, Any] = {}
        with in_sessions.in_graph_of_models(self.graph):
            self._begin(model.compiled_loss, model.compiled_metrics)

    def _begin(self, loss: Any, metrics: Any) -> None:
        loss.mean = BatchMean("loss")
        losses = loss.of_outputs(self.outputs)
        shares = spread(loss.given[1], self.outputs, self.names)
        rows = zip(self.names, self.outputs, losses, shares, strict=True)
        self.endpoints = [Endpoint(*row) for row in rows]
        targets = [x.target for x in self.endpoints]
        metrics.build(targets, self.outputs)
        loss.count_each(self.outputs)
        self._measure(weighted=False)
        self._weigh()

    def _measure(self, weighted: bool) -> None:
        """Let metrics gather that take weights, or those that take none."""
        metrics = self.model.compiled_metrics
        with name_scope("metrics"):
            for i, is_weighted, metric in metrics.of_outputs:
                end = self.endpoints[i]
                if is_weighted is weighted and end.target is not None:
                    with name_scope(metric.name):
                        weight = end.weight if weighted else None
                        metric(end.target, end.output, sample_weight=weight)

    def _weigh(self) -> None:
        """Compute what weights of examples have part in."""
        for end, rank in zip(self.endpoints, self._ranks, strict=True):
            end.weigh(rank)
        self._measure(weighted=True)
        self._steps.clear()
        with name_scope("loss"):
            self.total_loss = self._total()

    def _total(self) -> Any:
        total: Any = None
        means = self.model.compiled_loss.each
        for i, end in enumerate(self.endpoints):
            if end.target is None:
                continue
            with name_scope(f"{end.name}_loss"):
                cost = self._cost(end)
            if means:
                means[i](cost)
            term = end.share * cost
            total = term if total is None else total + term
        parts = [self.model.get_losses_for(x) for x in (None, self.inputs)]
        beside = [x for part in parts for x in shown(part)]
        if beside:
            extra = v1.add_n(beside)
            return 0.0 + extra if total is None else total + extra
        if total is None:
            raise InvalidArgumentError(
                "The model cannot be compiled because it has no loss to optimize; pass a `loss` "
                "argument to `model.compile()`, or use add_loss"
            )
        return total

    def _cost(self, end: Endpoint) -> Any:
        with in_graphs.written_into(self.graph):
            weight = end.counted(end.weight)
            given = end.loss, end.target, end.output, weight
            return losses_written.of_batch(*given)

    @property
    def targets(self) -> list[Any]:
        """What the outputs are to be, to be fed."""
        return [x.target for x in self.endpoints if x.target is not None]

    @property
    def sample_weights(self) -> list[Any]:
        """How much examples count, to be fed where fit is given weights; else None."""
        return [x.weight for x in self.endpoints]

    @property
    def feeds(self) -> list[Any]:
        """What a step is fed, but for the learning phase."""
        weights = [x for x in self.sample_weights if x is not None]
        return [*self.inputs, *self.targets, *weights]

    def metrics(self) -> list[Any]:
        """Return the metrics that gather in the graph, in the order in which they are listed."""
        compiled = [*self.model.compiled_loss.metrics, *self.model.metrics]
        return [x for x in once(compiled) if x.call_result is not None]

    def step(self, name: str) -> Callable[[Any], dict[str, Any]]:
        """Return what takes a step in training ("train") or evaluation ("test") by a batch."""
        return partial(self._step, name)

    def _step(self, name: str, data: Any) -> dict[str, Any]:
        x, y, weights = feeding.unpacked(feeding.filled(data))
        ranks = self._ranks_of(weights)
        if ranks != self._ranks:
            self._ranks = ranks
            self.graph.growth.forgive()
            with in_sessions.in_graph_of_models(self.graph):
                self._weigh()
        values = [
            *self._inputs_of(x),
            *self._targets_of(y),
            *self._weights_of(weights),
        ]
        step = self.function(name)
        loss, *found = step(values)
        rows = len(values[0]) if np.ndim(values[0]) else 1
        self.model.compiled_loss.mean.update_state(loss, rows)
        return {"loss": loss, **dict(zip(step.names, found, strict=True))}

    def _inputs_of(self, x: Any) -> list[Any]:
        given = picked(self.form, x)
        found = self._fitted(given, self.inputs, "inputs")
        for array, like in zip(found, self.inputs, strict=True):
            sizes = tuple(like.shape.as_list())
            if not fits(array.shape, sizes):
                raise InvalidArgumentError(
                    f"Error when checking input: expected {like.op.name} to have shape "
                    f"{sizes[1:]} but got array with shape {array.shape[1:]}"
                )
        return found

    def _targets_of(self, y: Any) -> list[Any]:
        names = self.names
        given = [y.get(x) for x in names] if isinstance(y, dict) else nests.flatten(y)
        given = [] if y is None else given
        if len(given) == len(self.endpoints) != len(self.targets):
            pairs = zip(given, self.endpoints, strict=True)
            given = [value for value, end in pairs if end.target is not None]
        found = self._fitted(given, self.targets, "targets")
        ends = (end for end in self.endpoints if end.target is not None)
        for end, target in zip(ends, found, strict=True):
            end.check(target)
        return found

    def _weights_of(self, weights: Any) -> list[Any]:
        given = spread(weights, self.outputs, self.names)
        pairs = zip(given, self.endpoints, strict=True)
        return [np.asarray(plain(x)) for x, end in pairs if end.weight is not None]

    def _ranks_of(self, weights: Any) -> list[int | None]:
        given = spread(weights, self.outputs, self.names)
        return [None if x is None else np.ndim(x) for x in given]

    def _fitted(self, given: Any, declared: list[Any], what: str) -> list[Any]:
        if len(given) != len(declared):
            raise InvalidArgumentError(
                f"Error when checking model {what}: the list of arrays that you are passing to "
                f"your model is not the size the model expected. Expected to see {len(declared)} "
                f"array(s), for {[x.op.name for x in declared]}, but got {len(given)}"
            )
        return [_fitted(x, like) for x, like in zip(given, declared, strict=True)]

    def function(self, name: str) -> Any:
        """Return what runs a step in training or evaluation, made when it is asked for first."""
        if name not in self._steps:
            self.graph.growth.forgive()
            with in_sessions.in_graph_of_models(self.graph):
                made = self._trained() if name == "train" else self._tested()
            self._steps[name] = made
        return self._steps[name]

    def _trained(self) -> Any:
        with name_scope("training"):
            weights = self.model.trained_weights()
            updates = self.model.optimizer.get_updates(self.total_loss, weights)
            updates += self.model.updates
        return self._run_of(updates, "training", 1)

    def _tested(self) -> Any:
        return self._run_of(self.model.state_updates, "evaluation", 0)

    def _run_of(self, updates: list[Any], scope: str, phase: int) -> Any:
        asked = phases.asked()
        with name_scope(scope), v1.control_dependencies([self.total_loss]):
            whole = v1.group(*updates)
        metrics = self.metrics()
        results = [self.total_loss, *[x.call_result for x in metrics]]
        told = [] if isinstance(asked, int) else [(asked, phase)]
        return _Run(self.graph, self.feeds, told, [results, whole], metrics)


class _Run:
    """Results and updates of a graph that Keras' session runs."""

    def __init__(
        self, graph: Any, takes: Any, told: Any, fetches: Any, metrics: Any
    ) -> None:
        self._graph, self._fetches = graph, fetches
        self._takes, self._told = takes, told
        self.names = [x.name for x in metrics]
        self._calls: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()

    def __call__(self, values: Any) -> list[Any]:
        """Return the results for values of all that is fed, once the updates are made.

        The learning phase may be left out, behind the rest: it is known which it is.
        """
        session = in_sessions.session_of(self._graph)
        call = self._calls.get(session)
        if call is None:
            call = self._calls[session] = self._in(session)
        phases_left = self._told[len(values) - len(self._takes) :]
        found, _ = call(*values, *[x for _, x in phases_left])
        return [x.item() if np.ndim(x) == 0 else x for x in found]

    def _in(self, session: Any) -> Any:
        in_sessions.initialize(self._graph)
        _initialize_others(self._graph, session)
        feeds = [*self._takes, *[x for x, _ in self._told]]
        return session.make_callable(self._fetches, feeds)


def _fitted(value: Any, like: Any) -> Any:
    """Return an array of the dtype and rank of a placeholder; rows of one element are columns."""
    given = value.__tensor__().numpy() if isinstance(value, Operand) else value
    array = np.asarray(given)
    wanted = like.dtype.as_numpy_dtype
    if array.dtype != wanted and array.dtype.kind in "bifuc":
        array = array.astype(wanted)
    rank = len(like.shape)
    if array.ndim == 1 != rank:
        array = array[:, None]
    if array.ndim == rank - 1 and like.shape[-1] == 1:
        return array[..., None]
    too_many = array.ndim == rank + 1 and array.shape[-1] == 1
    return array[..., 0] if too_many else array


def _initialize_others(graph: Any, session: Any) -> None:
    """Give variables their first values that are no models', as optimizers of tf.train have."""
    graph.growth.forgive()
    with graph.as_default():
        every = v1.global_variables()
        others = [x for x in every if not isinstance(x, in_sessions.SessionWeight)]
        if not others:
            return
        flags = session.run([v1.is_variable_initialized(x) for x in others])
        empty = [x for x, flag in zip(others, flags, strict=True) if not flag]
        if empty:
            session.run(v1.variables_initializer(empty))
