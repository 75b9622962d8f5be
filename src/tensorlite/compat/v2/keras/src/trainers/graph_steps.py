"""OfGraphs: models that are parts of a graph of TensorFlow 1, and what programs ask of such.

What trains them there is compat/v1/keras/training_written.py's, which is known once it is loaded.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from itertools import count
from typing import Any, NamedTuple

from tensorlite.compat.shared import nests
from tensorlite.compat.v2.keras.src.layers import phases
from tensorlite.compat.v2.keras.src.models import histories, in_sessions
from tensorlite.compat.v2.keras.src.optimizers.loss_scaling import LossScaleOptimizer
from tensorlite.compat.v2.keras.src.trainers import feeding
from tensorlite.compat.v2.keras.src.trainers.stepping import as_tensor, has_replicas
from tensorlite.compat.views import GraphTensor
from tensorlite.graph_mode.graph import active_graph

_makers: list[Callable[[Any], Any]] = []
"""What makes what trains a compiled model in its graph, if that is loaded."""


def trains(make: Any) -> Any:
    """Let a class be what trains models in graphs."""
    _makers[:] = [make]
    return make


class BatchMean:
    """The mean of what batches cost, each by its rows, as Keras' session leaves it to Python."""

    variables = ()
    call_result = None

    def __init__(self, name: str) -> None:
        self.name = name
        self.reset_state()

    def reset_state(self) -> None:
        """Begin anew."""
        self._total = self._rows = 0.0

    def update_state(self, cost: float, rows: int) -> None:
        """Count a batch."""
        self._total += cost * rows
        self._rows += rows

    def result(self) -> float:
        """Return the mean so far, 0 of nothing."""
        return self._total / self._rows if self._rows else 0.0


class GraphEnds(NamedTuple):
    """Where a model begins and ends in a graph: its inputs, as given and flat, and its results."""

    form: Any
    inputs: list[Any]
    outputs: list[Any]
    names: list[str]


def _placed(value: Any, name: str) -> Any:
    """Return a placeholder for values like one, of batches of any size."""
    given = feeding.column(as_tensor(value)).spec
    return histories.placed_input((None, *given.dims[1:]), given.dtype, name)


class OfGraphs:
    """The part of a model that knows whether a graph of TensorFlow 1 trains it."""

    ends: Any
    starts: Any
    compiled: Any
    compiled_loss: Any
    optimizer: Any
    run_eagerly: Any
    distribute_strategy: Any
    beside_outputs: Any = ()
    _keep_loss: Any
    dynamic: Any
    call: Any
    output_names: Any
    _input_form: Any
    _in_graph: Any = None
    _given_ends: GraphEnds | None = None

    def writes_its_steps(self) -> bool:
        """Return whether a program's class says what a step is."""
        raise NotImplementedError("a model says what a step is")

    def mean_in_graph(self) -> BatchMean | None:
        """Return what counts what batches cost, if the model's graph is to train it."""
        here = self._is_of_graph() or self.waits_for_inputs()
        return BatchMean("loss") if here else None

    def begin_in_graph(self) -> None:
        """Let a model that was compiled begin anew, with nodes in its graph if it is of one."""
        self._in_graph = None
        self.graph_training()

    def graph_training(self) -> Any:
        """Return what trains the model in its graph; None if it is traced instead."""
        if self._in_graph is None and self.compiled and self._is_of_graph():
            self._in_graph = _makers[0](self)
        return self._in_graph

    def graph_ends(self) -> GraphEnds | None:
        """Return the tensors of a graph that the model begins and ends with, if it has such."""
        if self.ends is None or self._given_ends is not None:
            return self._given_ends
        starts, ends = histories.shown(self.starts), histories.shown(self.ends)
        if not all(isinstance(x, GraphTensor) for x in (*starts, *ends)):
            return None
        return GraphEnds(self._input_form, starts, ends, self.output_names)

    def _is_of_graph(self) -> bool:
        ends = self.graph_ends()
        if ends is None or self._is_apart():
            return False
        graph = in_sessions.graph_of_models()
        return all(x.graph is graph for x in (*ends.inputs, *ends.outputs))

    def _is_apart(self) -> bool:
        """Return whether steps are traced, or run line by line, wherever the model is."""
        if not _makers or self.writes_its_steps() or self.run_eagerly or self.dynamic:
            return True
        scales = isinstance(self.optimizer, LossScaleOptimizer)
        return scales or has_replicas(self.distribute_strategy)

    def waits_for_inputs(self) -> bool:
        """Return whether the first batch is to say what a model in a graph is given."""
        unknown = self.ends is None and self._given_ends is None
        here = unknown and in_sessions.graph_of_models() is not None
        return here and not self._is_apart()

    def after_inputs(self, make: Callable[[], Any]) -> Callable[[Any], Any]:
        """Return a step that is made when its first batch has said what the model is given."""
        made: list[Any] = []

        def run(data: Any) -> Any:
            if not made:
                if self.waits_for_inputs():
                    self.take_inputs(feeding.unpacked(feeding.filled(data))[0])
                made.append(make())
            return made[0](data)

        return run

    def take_inputs(self, x: Any) -> None:
        """Call the model on placeholders for what it is given, of batches of any size."""
        flat = nests.flatten(x)
        keys = sorted(x) if isinstance(x, dict) else count(1)
        names = [
            key if isinstance(x, dict) else f"input_{key}"
            for key, _ in zip(keys, flat, strict=False)
        ]
        placed = [_placed(v, name) for v, name in zip(flat, names, strict=True)]
        form = nests.pack_sequence_as(x, placed)
        takes_phase = "training" in signature(self.call).parameters
        told = {"training": phases.asked()} if takes_phase else {}
        made = nests.flatten(histories.record(self, (form,), told))
        titles = [f"output_{i + 1}" for i in range(len(made))]
        self.input_names, self.output_names = names, titles
        shown = histories.shown(placed), histories.shown(made)
        self._given_ends = GraphEnds(form, *shown, titles)

    def of_epoch(self, logs: dict[str, Any]) -> dict[str, Any]:
        """Return what an epoch came to, of which the last step's logs are given."""
        if self._in_graph is None or "loss" not in logs:
            return logs
        return {**logs, "loss": self.compiled_loss.mean.result()}

    def fed(self, losses: list[Any], with_beside: bool) -> list[Any]:
        """Return losses; in a graph those alone that the model's inputs feed.

        Beside them there can be what add_loss was given of a model's tensors.
        """
        ends = None if active_graph() is None else self.graph_ends()
        if ends is None:
            return losses
        taken = self.beside_outputs if with_beside else ()
        beside = [x for x, take in taken if take == self._keep_loss]
        every = [*losses, *[histories.shown(x) for x in beside]]
        return [x for x in every if histories.is_fed_by(x, ends.inputs)]

    def _written(self, name: str) -> Any:
        made = self.graph_training()
        if made is None:
            raise AttributeError(
                f"{type(self).__name__!r} has no attribute {name!r}: models have it that were "
                "compiled in a graph of version 1, of layers that were called there"
            )
        return made

    @property
    def total_loss(self) -> Any:
        """What a batch costs, a tensor of the graph."""
        return self._written("total_loss").total_loss

    @property
    def targets(self) -> Any:
        """What the outputs are to be: placeholders."""
        return self._written("targets").targets

    _targets = _feed_targets = targets

    @property
    def sample_weights(self) -> Any:
        """Placeholders of how much examples count, None where fit was given no weights."""
        return self._written("sample_weights").sample_weights

    @property
    def _feed_sample_weights(self) -> Any:
        return [x for x in self.sample_weights if x is not None]

    @property
    def _feed_inputs(self) -> Any:
        return self._written("_feed_inputs").inputs

    @property
    def metrics_tensors(self) -> Any:
        """What the metrics come to, tensors of the graph."""
        return [x.call_result for x in self._written("metrics_tensors").metrics()]

    @property
    def train_function(self) -> Any:
        """What takes a step by a list of values: of inputs, targets, weights and the phase."""
        return self._written("train_function").function("train")

    @property
    def test_function(self) -> Any:
        """What evaluates a list of values: of inputs, targets, weights and the phase."""
        return self._written("test_function").function("test")

    def _make_train_function(self) -> None:
        self._written("_make_train_function").function("train")

    def _make_test_function(self) -> None:
        self._written("_make_test_function").function("test")
