"""What a layer tells of itself: where it stands, what it was called on, what it keeps count of."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared import nests
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.metrics.base import Metric
from tensorlite.compat.v2.keras.src.models import histories
from tensorlite.core.errors import InvalidArgumentError


class Views:
    """The part of a layer that programs ask about it."""

    nodes: tuple[Any, ...]
    name: Any
    compute_dtype: Any
    __path: str | None = None

    def sublayers(self) -> Any:
        """Return the layers inside; a layer says which these are."""
        raise NotImplementedError("a layer says which layers it has")

    def _attributes(self) -> Any:
        raise NotImplementedError("a layer says what it holds")

    def note_path(self) -> None:
        """Keep the names of the layers inside which this one is being built."""
        whole = naming.prefixed("").rstrip("/")
        self.__path = whole or None

    @property
    def path(self) -> str:
        """The names of the layers that lead to it, and its own; it is known once it is built."""
        return self.__path or str(self.name)

    @property
    def input_dtype(self) -> Any:
        """The dtype that inputs are brought to."""
        return self.compute_dtype

    @property
    def metrics(self) -> list[Any]:
        """The metrics among its attributes, then those of its layers."""
        own = [x for x in nests.flatten(self._attributes()) if isinstance(x, Metric)]
        inner = [x for layer in self.sublayers() for x in layer.metrics]
        return list({id(x): x for x in (*own, *inner)}.values())

    @property
    def metrics_variables(self) -> list[Any]:
        """The variables of its metrics."""
        return [x for metric in self.metrics for x in metric.variables]

    def symbolic_call(self, *args: Any, **kwargs: Any) -> Any:
        """Return what it will return for tensors like these, without a note that it was called."""
        return self.compute_output_spec(*args, **kwargs)

    def compute_output_spec(self, *args: Any, **kwargs: Any) -> Any:
        """Return the specs of what a call returns; a layer says how."""
        raise NotImplementedError("a layer says what it will return")

    def stateless_call(
        self,
        trainable_variables: Any,
        non_trainable_variables: Any,
        *args: Any,
        return_losses: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Return what the layer makes with these values of its variables, and the new ones.

        The variables themselves stay as they are.
        """
        layer: Any = self
        held = [*layer.trainable_variables, *layer.non_trainable_variables]
        given = [*trainable_variables, *non_trainable_variables]
        if len(held) != len(given):
            raise InvalidArgumentError(
                f"{layer.name}.stateless_call: there are {len(held)} variables, of which "
                f"{len(layer.trainable_variables)} are trained, and values for {len(given)} were "
                "given"
            )
        before = [x.value() for x in held]
        try:
            for variable, value in zip(held, given, strict=True):
                variable.assign(value)
            made = layer(*args, **kwargs)
            after = [x.value() for x in layer.non_trainable_variables]
            costs = list(layer.losses) if return_losses else []
        finally:
            for variable, value in zip(held, before, strict=True):
                variable.assign(value)
        return (made, after, costs) if return_losses else (made, after)

    def _flatten_layers(
        self, include_self: bool = True, recursive: bool = True
    ) -> list[Any]:
        """Return this layer and those in it, each in front of its own."""
        layer: Any = self
        found: dict[int, Any] = {}
        rest = [layer] if include_self else list(layer.sublayers())
        while rest:
            one = rest.pop(0)
            if id(one) not in found:
                found[id(one)] = one
                rest[:0] = one.sublayers() if recursive or one is layer else ()
        return list(found.values())

    @property
    def input(self) -> Any:
        """The symbolic tensors that the layer was called on."""
        return histories.shown(self.__node().inputs)

    @property
    def output(self) -> Any:
        """The symbolic tensors that the layer's call returned."""
        return histories.shown(self.__node().outputs)

    @property
    def input_shape(self) -> Any:
        """The shapes of what the layer was called on, as tuples."""
        return nests.map_structure(lambda x: tuple(x.spec.dims), self.input)

    @property
    def output_shape(self) -> Any:
        """The shapes of what the layer's call returned, as tuples."""
        return nests.map_structure(lambda x: tuple(x.spec.dims), self.output)

    def __node(self) -> Any:
        if not self.nodes:
            raise AttributeError(
                f"the layer {self.name} has not been called on keras.Input yet, and thus has no "
                "defined input and output"
            )
        return self.nodes[0]
