"""What layers of Keras 2 offer beside those of Keras 3: updates, calls by number, signatures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat import views
from tensorlite.compat.v2.keras.src.layers import penalties
from tensorlite.compat.v2.keras.src.metrics.base import Mean
from tensorlite.compat.v2.keras.src.models import histories, in_graphs, sketch
from tensorlite.core import nest
from tensorlite.core.dtypes import as_dtype
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.shapes import TensorShape
from tensorlite.core.spec import TensorSpec
from tensorlite.graph_mode.graph import active_graph


class OlderLayer:
    """The part of a layer that programs of Keras 2 ask for."""

    nodes: tuple[Any, ...]
    name: Any
    compute_dtype: Any
    trainable: Any
    runs_anew = False
    """Whether the program says that its call cannot be traced, by dynamic=True."""
    _held: Any

    def sublayers(self) -> Any:
        """Return the layers inside; a layer says which these are."""
        raise NotImplementedError("a layer says which layers it has")

    def take_beside(self, tensor: Any, take: Callable[[Any], None]) -> None:
        """Raise InvalidArgumentError: outside of calls, models alone take symbolic tensors."""
        raise InvalidArgumentError(
            f"{self.name}: what is added outside of call is a symbolic tensor of a model; a layer "
            "adds tensors inside its call"
        )

    def add_loss(self, losses: Any, *args: Any, **kwargs: Any) -> None:
        """Add to what the model costs: tensors of this call, functions, or a model's tensors."""
        for x in nest.flatten(histories.recovered(losses)):
            if sketch.is_leaf(x):
                self.take_beside(x, self._keep_loss)
            else:
                self._held.added.append(x)

    def _keep_loss(self, value: Any) -> None:
        self._held.added.append(value)

    def add_metric(
        self, value: Any, aggregation: Any = None, name: Any = None, **kwargs: Any
    ) -> None:
        """Show the mean of a number over batches beside the metrics."""
        if aggregation not in (None, "mean") and name is None:
            aggregation, name = None, aggregation
        if name is None:
            raise InvalidArgumentError("add_metric: give the metric a name=")
        key = f"_metric_{name}"
        if key not in vars(self):
            setattr(self, key, Mean(name))
        mean = getattr(self, key)
        given = histories.recovered(value)
        if sketch.is_leaf(given):
            self.take_beside(given, mean.update_state)
            if given.placed is not None:
                mean(given.placed)
        elif active_graph() is None:
            mean.update_state(given)
        else:
            mean(given)

    def add_update(self, updates: Any, inputs: Any = None) -> None:
        """Note what a step is to change besides weights: in graphs nodes, else it is done now."""
        for update in updates if isinstance(updates, (list, tuple)) else [updates]:
            made = update() if callable(update) else update
            if active_graph() is not None and made is not None:
                self._held.updates.append(made)

    @property
    def updates(self) -> list[Any]:
        """What a step is to change in a graph: nodes, of this layer and of those inside it."""
        every = [self, *self.sublayers()]
        if not self.trainable and not getattr(self, "stateful", False):
            return []
        own = [views.shown(x) for x in self._held.updates]
        return [*own, *[y for x in every[1:] for y in x.updates]]

    def get_updates_for(self, inputs: Any) -> list[Any]:
        """Return all updates; inputs have no effect."""
        return self.updates

    def get_losses_for(self, inputs: Any) -> list[Any]:
        """Return the losses that calls have added; with None, those of the weights alone."""
        found: list[Any] = in_graphs.in_default(
            penalties.part_of, self, inputs is None
        )
        return found

    def _call_at(self, index: int) -> Any:
        if not 0 <= index < len(self.nodes):
            raise InvalidArgumentError(
                f"Asked to get the call at node {index}, but the layer {self.name} has only "
                f"{len(self.nodes)} inbound nodes"
            )
        return self.nodes[index]

    def get_input_at(self, node_index: int) -> Any:
        """Return what the layer was given in its call of a number."""
        return histories.shown(self._call_at(node_index).inputs)

    def get_output_at(self, node_index: int) -> Any:
        """Return what the layer gave in its call of a number."""
        return histories.shown(self._call_at(node_index).outputs)

    def get_input_shape_at(self, node_index: int) -> Any:
        """Return the shape of what the layer was given in its call of a number."""
        return nest.map_structure(
            lambda x: tuple(x.spec.dims), self.get_input_at(node_index)
        )

    def get_output_shape_at(self, node_index: int) -> Any:
        """Return the shape of what the layer gave in its call of a number."""
        return nest.map_structure(
            lambda x: tuple(x.spec.dims), self.get_output_at(node_index)
        )

    def _masks_of_only_call(self, tensors: Any) -> Any:
        """Return masks of symbolic tensors; raise AttributeError unless there was one call."""
        if len(self.nodes) != 1:
            raise AttributeError(
                f"the layer {self.name} was called {len(self.nodes)} times on symbolic tensors; a "
                "layer that was called once has a defined mask"
            )
        listed = tensors if isinstance(tensors, list) else [tensors]
        found = [getattr(x, "_keras_mask", None) for x in listed]
        return found if isinstance(tensors, list) else found[0]

    @property
    def input_mask(self) -> Any:
        """The masks of the symbolic tensors that the layer was called on, None where all counts."""
        return self._masks_of_only_call(self.get_input_at(0))

    @property
    def output_mask(self) -> Any:
        """The masks of what the layer's call returned, None where all counts."""
        return self._masks_of_only_call(self.get_output_at(0))

    @property
    def inbound_nodes(self) -> list[Any]:
        """The calls on symbolic tensors, in order."""
        return list(self.nodes)

    _inbound_nodes = inbound_nodes

    @property
    def dynamic(self) -> bool:
        """Whether the layer, or one inside it, asks to be called anew in each step."""
        return self.runs_anew or any(
            getattr(x, "dynamic", False) for x in self.sublayers()
        )

    @property
    def _compute_dtype(self) -> Any:
        return self.compute_dtype

    @property
    def _compute_dtype_object(self) -> Any:
        return as_dtype(self.compute_dtype)

    def compute_output_signature(self, input_signature: Any) -> Any:
        """Return the spec of what the layer makes of inputs of a spec."""
        layer: Any = self
        shapes = nest.map_structure(lambda x: TensorShape(x.shape), input_signature)
        dtypes = {x.dtype for x in nest.flatten(input_signature)}
        floating = [x for x in dtypes if x.is_floating]
        wanted = self.compute_dtype if not floating else min(floating, key=str)
        made = layer.compute_output_shape(shapes)
        if isinstance(made, list):
            return [TensorSpec(x, wanted) for x in made]
        return TensorSpec(made, wanted)
