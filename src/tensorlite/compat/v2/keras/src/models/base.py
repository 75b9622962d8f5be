"""Model: what layers are trained together as, by their calls or by a class of one's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tensorlite.compat.shared import nests
from tensorlite.compat.v2 import distribute
from tensorlite.compat.v2.keras.defaults import width
from tensorlite.compat.v2.keras.src.layers import naming, phases
from tensorlite.compat.v2.keras.src.layers.base import Layer
from tensorlite.compat.v2.keras.src.layers.own_weights import once
from tensorlite.compat.v2.keras.src.models import (
    depths,
    first_specs,
    graphs,
    histories,
    in_sessions,
    older_graphs,
    sketch,
    state_trees,
    summaries,
)
from tensorlite.compat.v2.keras.src.saving import (
    describing,
    files as saving,
    lookup,
    saved_ways,
)
from tensorlite.compat.v2.keras.src.saving.model_texts import Texts
from tensorlite.compat.v2.keras.src.trainers import fitting
from tensorlite.compat.v2.keras.src.trainers.trainer import Training
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.shapes import AnyShape
from tensorlite.core.spec import TensorSpec
from tensorlite.function.function import function


class _Ends(NamedTuple):
    """What leads from a model's inputs to its outputs: in Keras 2 the first of its calls."""

    inputs: Any
    outputs: Any


def _alone(tensors: list[Any]) -> Any:
    return tensors[0] if len(tensors) == 1 else tensors


class Model(Texts, Training, Layer):
    """Layers that are trained together.

    With inputs and outputs it does what was called between them; a class of one's own has `call`.
    """

    _plan: Any
    _strategy: Any
    asks_phase = False
    is_chain = False
    """Whether its layers stand one after the other."""
    starts: Any = None
    """The symbolic tensors that it is given, if they are known."""
    ends: Any = None
    """Those that it returns."""
    first_inputs: Any = None
    """Specs of what it was called with first."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        joined = len(args) > 1 or "outputs" in kwargs
        kind = Functional if cls is Model and joined else cls
        made = super().__new__(kind, *args, **kwargs)
        made._plan = None
        scoped = distribute.has_strategy()
        made._strategy = distribute.get_strategy() if scoped else None
        return made

    def __init__(
        self,
        inputs: Any = None,
        outputs: Any = None,
        name: str | None = None,
        trainable: bool = True,
        **kwargs: Any,
    ) -> None:
        if isinstance(inputs, str) and outputs is None and name is None:
            inputs, name = None, inputs
        if name is None and type(self) is Functional:
            name = naming.of_model()
        super().__init__(trainable=trainable, name=name, **kwargs)
        if (inputs is None) != (outputs is None) and type(self).call is Model.call:
            raise InvalidArgumentError(
                f"{type(self).__name__} is given {'outputs' if inputs is None else 'inputs'} "
                "alone: give inputs and outputs, or neither to a model that has a call of its own"
            )
        if inputs is not None and outputs is not None:
            self._join(inputs, outputs)

    def _join(self, inputs: Any, outputs: Any) -> None:
        """Let the model do what was called between inputs and outputs."""
        inputs, outputs = histories.recovered((inputs, outputs))
        if naming.is_keras_3() and any(
            x.node.parents() for x in nests.flatten(inputs)
        ):
            inputs, outputs = graphs.cut(inputs, outputs)
        phases.keep(self)
        fitting.warn_of_keys(inputs)
        self.starts, self.ends = nests.flatten(inputs), nests.flatten(outputs)
        self._input_form, self._output_form = inputs, outputs
        is_alone = isinstance(outputs, list) and len(outputs) == 1
        self._result_form = outputs[0] if is_alone else outputs
        self._plan = sketch.needed(outputs, self.starts)
        self.beside_outputs: list[tuple[Any, Callable[[Any], None]]] = []
        self.opens_scope = False
        self.built = True
        self.input_names = [x.name for x in self.starts]
        self.output_names = [title_of(x) for x in self.ends]
        layers = depths.by_depth(outputs, self.starts)
        self._functional_layers = [x for x in layers if isinstance(x, Layer)]

    def take_beside(self, tensor: Any, take: Callable[[Any], None]) -> None:
        """Let each call compute a symbolic tensor besides the outputs, and take it."""
        if self._plan is None:
            raise InvalidArgumentError(
                f'the model "{self.name}" is not made of inputs and outputs: call add_loss and '
                "add_metric inside its call"
            )
        self.beside_outputs.append((tensor, take))
        every = [self.ends, *[x for x, _ in self.beside_outputs]]
        self._plan = sketch.needed(every, self.starts)

    @property
    def calls(self) -> list[Any]:
        """The calls that lead from inputs to outputs, where these say what the model is."""
        return list(self._plan or ())

    def inputs_known(self) -> bool:
        """Return whether it is known what the model takes."""
        return self.starts is not None

    @phases.told
    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        if self._plan is None:
            raise NotImplementedError(
                "When subclassing the `Model` class, you should implement a `call()` method."
            )
        pairs = list(zip(self.starts, self._flat_inputs(inputs), strict=True))
        for x, y in pairs:
            if y is None and not getattr(x.node.layer, "optional", False):
                raise InvalidArgumentError(
                    f'the input "{x.name}" of the model "{self.name}" is not optional, and None '
                    "was given for it"
                )
        values = {id(x): fitting.fitted(y, x) for x, y in pairs}
        added = [x for x, _ in self.beside_outputs]
        made, *found = sketch.replayed(
            self._plan, values, [self._result_form, *added]
        )
        histories.note_values(values)
        for (_, take), value in zip(self.beside_outputs, found, strict=True):
            take(value)
        return made

    def _flat_inputs(self, inputs: Any) -> list[Any]:
        given = fitting.picked(self._input_form, inputs, warns=True)
        if len(given) != len(self.starts):
            raise InvalidArgumentError(
                f'the model "{self.name}" takes {len(self.starts)} inputs; {len(given)} were given'
            )
        return given

    def build(self, input_shape: Any) -> None:
        """Make the weights, by calling the model on inputs of a shape."""
        if self._plan is not None or type(self).call is Model.call:
            self.built = True
            return
        many = isinstance(input_shape, list) or (
            isinstance(input_shape, tuple)
            and bool(input_shape)
            and isinstance(input_shape[0], (tuple, AnyShape))
        )
        shapes = list(input_shape) if many else [input_shape]
        self.built = True
        if (
            not naming.is_keras_3()
        ):  # layers' weights have no name of the model before theirs
            specs = [TensorSpec(shape, width()) for shape in shapes]
            with naming.without_innermost():
                function(self.call).get_concrete_function(specs if many else specs[0])
            return
        made = [histories.placed_input(shape) for shape in shapes]
        histories.record(self, (made if many else made[0],), {})

    def note_inputs(self, inputs: Any) -> None:
        """Keep what the model is called with first, batches of any size."""
        if self.first_inputs is None and not sketch.is_symbolic(inputs):
            given = self.as_inputs(inputs)
            self.first_inputs = first_specs.of_inputs(given)

    def _set_save_spec(self, inputs: Any, *_: Any, **__: Any) -> None:
        """Let specs say what the model takes, as if it had been called; libraries call this."""
        if self.first_inputs is None:
            self.first_inputs = inputs

    def build_for(self, inputs: Any) -> None:
        """Build for what the model is called with, which a subclass' layers see to."""
        self.note_inputs(inputs)
        if not self.built and type(self).build is Model.build:
            self.built = True  # the layers are built as they are called
            given = inputs if sketch.is_symbolic(inputs) else self.as_inputs(inputs)
            self.built_shape = describing.kept(
                nests.map_structure(lambda x: x.get_shape(), given)
            )
            return
        super().build_for(inputs)

    @property
    def layers(self) -> list[Any]:
        """The layers of the model, in the order in which they were made or called."""
        if self._plan is not None:
            return list(self._functional_layers)
        return self.sublayers()

    @layers.setter
    def layers(self, _: Any) -> None:
        """Refuse: which layers there are is said by the model."""
        raise AttributeError(
            "`Model.layers` attribute is reserved and should not be used. Please use another name."
        )

    @property
    def operations(self) -> list[Any]:
        """The layers and functions that it is made of."""
        return self.layers

    def saved_members(self) -> dict[str, Any]:
        """Return what checkpoints keep by name, layers by their numbers too."""
        found = super().saved_members()
        for key in (
            "starts",
            "ends",
            "history",
            "compiled_loss",
            "compiled_metrics",
        ):
            found.pop(key, None)
        layers = self.layers
        with_weights = [layer for layer in layers if layer.weights]
        counts_input = self.is_chain and self.starts and not naming.is_keras_3()
        first = 1 if counts_input else 0
        found.update(
            {f"layer_with_weights-{i}": x for i, x in enumerate(with_weights)}
        )
        found.update({f"layer-{i}": x for i, x in enumerate(layers, first)})
        return found | saved_ways.of_model(layers, self.is_chain)

    @property
    def weights(self) -> Any:
        """All weights, own ones first.

        In Keras 2 InvalidArgumentError is raised of a model that is not yet built.
        """
        inner = [w for layer in self.sublayers() for w in layer.weights]
        found = once([*self.own_weights(), *inner])
        refuses = not naming.is_keras_3() and "build" in vars(type(self))
        if not found and refuses and not self._is_made():
            raise InvalidArgumentError(
                f"Weights for model {self.name} have not yet been created. Weights are created "
                "when the Model is first called on inputs or `build()` is called with an "
                "`input_shape`."
            )
        return found

    def _is_made(self) -> bool:
        return self.built

    @property
    def distribute_strategy(self) -> Any:
        """The strategy of the model's scope, or of now; in graphs none: weights are there once."""
        in_graph = in_sessions.graph_of_models() is not None
        own = distribute.strategy.default_strategy if in_graph else self._strategy
        return own or distribute.get_strategy()

    @property
    def losses(self) -> list[Any]:
        """The penalties of regularizers, and what add_loss was given: in graphs tensors of them."""
        return self.fed(super().losses, True)

    def get_losses_for(self, inputs: Any) -> list[Any]:
        """Return the losses that depend on inputs; with None, those of the weights alone."""
        return self.fed(super().get_losses_for(inputs), inputs is not None)

    @property
    def inputs(self) -> Any:
        """What the model is given, as a list; None where that is not known."""
        given = self._given_ends
        return histories.shown(self.starts) if given is None else given.inputs

    @inputs.setter
    def inputs(self, given: Any) -> None:
        """The tensors that the model begins with."""
        self.starts = histories.recovered(given)

    @property
    def outputs(self) -> Any:
        """What the model returns, as a list; None where that is not known."""
        given = self._given_ends
        return histories.shown(self.ends) if given is None else given.outputs

    @outputs.setter
    def outputs(self, given: Any) -> None:
        """The tensors that the model ends with."""
        self.ends = histories.recovered(given)

    @property
    def input(self) -> Any:
        """The tensor, or nest of tensors, that the model begins with."""
        if self._plan is None:
            return super().input
        return histories.shown(self._input_form)

    @property
    def output(self) -> Any:
        """The tensor, or nest of tensors, that the model ends with."""
        if self._plan is None:
            return super().output
        return histories.shown(self._output_form)

    def _call_at(self, index: int) -> Any:
        if naming.is_keras_3() or not (self.starts and self.ends):
            return super()._call_at(index)
        if index > 0:
            return super()._call_at(index - 1)
        return _Ends(_alone(self.starts), _alone(self.ends))

    @property
    def state_updates(self) -> list[Any]:
        """What lets layers go on from their states, nodes of a graph; elsewhere it is done."""
        every = [x for x in self.sublayers() if x.updates]
        return [
            update
            for layer in every
            for update in (
                layer.state_updates
                if isinstance(layer, Model)
                else layer.updates
                if getattr(layer, "stateful", False)
                else ()
            )
        ]

    def get_layer(self, name: str | None = None, index: int | None = None) -> Any:
        """Return the layer of a name, or the one at an index.

        InvalidArgumentError is raised for a name that no layer has.
        """
        if index is not None:
            return self.layers[index]
        for layer in self.layers:
            if layer.name == name:
                return layer
        raise InvalidArgumentError(
            f"No such layer: {name}. Existing layers are: {[x.name for x in self.layers]}."
        )

    def summary(
        self,
        line_length: int | None = None,
        positions: Any = None,
        print_fn: Any = None,
        **kwargs: Any,
    ) -> None:
        """Print a table of the layers: names, outputs' shapes, numbers of weights.

        print_fn is called with the text in place of print, in Keras 2 with each line. line_length
        is the table's width, and positions are where its columns end.
        """
        if not naming.is_keras_3():
            for line in summaries.older_lines(self, line_length, positions):
                (print_fn or print)(line)
            return
        text = summaries.summary(self, line_length, positions, kwargs)
        (print_fn or print)(f"{text}\n" if print_fn else text)

    def get_state_tree(self, value_format: str = "backend_tensor") -> dict[str, Any]:
        """Return the values of all variables by kind, then by the parts of their paths.

        value_format is "backend_tensor" or "numpy_array".
        """
        return state_trees.state_of(self, value_format)

    def set_state_tree(self, state_tree: Any) -> None:
        """Give variables the values of what get_state_tree returned."""
        state_trees.restore(self, state_tree)

    def save_weights(
        self, filepath: Any, overwrite: bool = True, **kwargs: Any
    ) -> None:
        """Write weights to a file: Keras' by its ending .h5 or .keras, else a checkpoint.

        Without overwrite InvalidArgumentError is raised for what is there already. Further
        arguments have no effect.
        """
        saving.save_weights(self, filepath, overwrite)

    def load_weights(
        self, filepath: Any, by_name: bool = False, **kwargs: Any
    ) -> Any:
        """Read weights from a file of save_weights.

        by_name takes those of layers with the same names, from Keras 2's HDF5 files alone, else
        InvalidArgumentError is raised; skip_mismatch leaves out those of other shapes.
        """
        skip = bool(kwargs.get("skip_mismatch"))
        return saving.load_weights(self, filepath, by_name, skip)

    def save(
        self,
        filepath: Any,
        overwrite: bool = True,
        include_optimizer: bool = True,
        save_format: Any = None,
        signatures: Any = None,
        options: Any = None,
        save_traces: bool = True,
        zipped: bool | None = None,
    ) -> None:
        """Write layers, weights and the optimizer's state to a file, or a folder as a SavedModel.

        Paths that end with .keras or .h5 are files, as save_format="h5" asks for too. Without
        overwrite InvalidArgumentError is raised for what is there already. `include_optimizer` is
        of HDF5 files, `signatures` are functions of a SavedModel; options, save_traces and zipped
        have no effect.
        """
        formed = save_format, signatures, include_optimizer
        saving.save_model(self, filepath, overwrite, *formed)

    def save_spec(self, dynamic_batch: bool = True) -> Any:
        """Return what it is called with, of any number of rows; None before that is known."""
        specs = saving.inputs_of(self)
        if specs is None:
            return None
        specs = first_specs.of_any_batch(specs) if dynamic_batch else specs
        return [specs], {}

    def export(self, filepath: Any, **kwargs: Any) -> None:
        """Write the model's call as a SavedModel, which computes but does not train.

        InvalidArgumentError is raised where it is not known what the model takes.
        """
        saving.export(self, filepath)

    @property
    def _is_graph_network(self) -> bool:
        """Whether it is known what leads from inputs to outputs; libraries ask for it."""
        return self.starts is not None

    @property
    def is_made_of_layers(self) -> bool:
        """Return whether its layers say what the model is."""
        return self._plan is not None

    @property
    def described_as(self) -> tuple[str, str]:
        """Return where Keras has the class, and under which name."""
        kind = type(self)
        if kind is Functional:
            return "keras.src.models.functional", "Functional"
        return describing.namespace_of(kind), kind.__name__

    def get_config(self) -> dict[str, Any]:
        if self._plan is not None and type(self).__init__ is Model.__init__:
            made = graphs.config_of(self)
            older = naming.is_version_1()
            return older_graphs.of_version_1(made, self.layers) if older else made
        return super().get_config()

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        with lookup.adding(custom_objects):
            if "input_layers" in config:
                return graphs.remade(cls, older_graphs.newer(config))
            return super().from_config(config)

    def reset_states(self) -> None:
        """Let recurrent layers that keep states begin with zeros again."""
        for layer in self.layers:
            if hasattr(layer, "reset_states"):
                layer.reset_states()


class Functional(Model):
    """A model that does what was called between its inputs and its outputs."""


def title_of(x: Any) -> str:
    """Return the name of an output, which is that of the layer it comes from."""
    return str(getattr(x.node.layer, "name", x.name))
