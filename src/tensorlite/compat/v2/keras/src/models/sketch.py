"""Keras' symbolic tensors: what layers are called on to say how they hang together.

A call of a layer on them is noted as a Node; nothing is computed. `replayed` does the noted calls
with values. Functions of `tf` and operators are noted as layers of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import count
from typing import Any

from tensorlite.compat import calling
from tensorlite.compat.shared import nests
from tensorlite.compat.v2.keras import defaults
from tensorlite.compat.v2.keras.src.layers import masks, naming, ragged_rows
from tensorlite.core import nest
from tensorlite.core.dispatch import interpreted_by
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.core.shapes import AnyShape, TensorShape, TupleShape, shape_of
from tensorlite.core.spec import TensorSpec, sizes_of
from tensorlite.function.function import function
from tensorlite.ops.ragged.base import RaggedParts

_numbers = count()


class Node:
    """A call of a layer on symbolic tensors."""

    def __init__(self, layer: Any, args: Any, kwargs: Any) -> None:
        self.layer, self.args, self.kwargs = layer, args, kwargs
        self.outputs: Any = None
        self.number = next(_numbers)

    @property
    def inputs(self) -> Any:
        """The first argument of the call."""
        if self.args:
            return self.args[0]
        return None if not self.kwargs else next(iter(self.kwargs.values()))

    @property
    def input_tensors(self) -> Any:
        """What the call was given, as programs hold it: in Keras 3 a list of all of it."""
        return self.parents() if naming.is_keras_3() else shown(self.inputs)

    @property
    def output_tensors(self) -> Any:
        """What the call returned, as programs hold it: in Keras 3 a list."""
        if naming.is_keras_3():
            return nests.flatten(self.outputs)
        return shown(self.outputs)

    @property
    def inbound_layers(self) -> Any:
        """The layers that gave what the call was given; one alone as it is."""
        found = [x.node.layer for x in self.parents()]
        return found[0] if len(found) == 1 else found

    @property
    def input_shapes(self) -> Any:
        """The shapes of what the call was given, as tuples."""
        return nests.map_structure(_dims_of, self.inputs)

    @property
    def output_shapes(self) -> Any:
        """The shapes of what the call returned, as tuples."""
        return nests.map_structure(_dims_of, self.outputs)

    def parents(self) -> list[KerasTensor]:
        """Return the symbolic tensors among the arguments."""
        return [x for x in nests.flatten([self.args, self.kwargs]) if is_leaf(x)]


class KerasShape(TupleShape):
    """The sizes of a symbolic tensor: a tuple that prints as one, whatever other shapes do."""

    __slots__ = ()

    def like(self, dims: Any) -> AnyShape:
        """Return other sizes as a shape of this kind, if their number is known."""
        sizes = None if dims is None else sizes_of(dims)
        return shape_of(None) if sizes is None else tuple.__new__(KerasShape, sizes)

    __repr__ = tuple.__repr__
    __hash__ = tuple.__hash__


class KerasTensor(Operand):
    """What a layer will return, once values are there."""

    waits = True
    """It has no value yet, of which anything could be made at once."""
    placed: Any = None
    """The tensor of a graph that stands for it in programs of TensorFlow 1."""
    __slots__ = (
        "__dict__",
        "__weakref__",
        "mask_spec",
        "name",
        "node",
        "parts",
        "ragged",
        "record_history",
        "sparse",
        "spec",
    )

    def __init__(
        self,
        shape: Any,
        dtype: Any = "float32",
        sparse: bool = False,
        ragged: bool = False,
        record_history: bool = True,
        name: str | None = None,
    ) -> None:
        if sparse and ragged:
            raise InvalidArgumentError(
                "KerasTensor cannot have `sparse=True` and `ragged=True`"
            )
        self.spec = TensorSpec(TensorShape(shape).as_list(), defaults.kind_of(dtype))
        self.parts = None
        if ragged:
            self.parts = ragged_rows.spec_of_rows(self.spec.dims, self.spec.dtype)
        self.sparse, self.ragged = bool(sparse), bool(ragged)
        self.record_history = record_history
        self.mask_spec: TensorSpec | None = None
        self.name = name or naming.unique("keras_tensor")
        self.node = Node(None, (), {})

    @classmethod
    def made(
        cls,
        spec: Any,
        node: Node,
        name: str,
        mask: TensorSpec | None = None,
    ) -> KerasTensor:
        """Return what a call of a layer will return, with a mask if that has one."""
        tensor = object.__new__(cls)
        tensor.sparse, tensor.ragged = False, isinstance(spec, RaggedParts)
        tensor.parts = spec if tensor.ragged else None
        tensor.spec = _whole(spec) if tensor.ragged else spec
        tensor.node, tensor.name = node, name
        tensor.record_history = True
        tensor.mask_spec = mask
        return tensor

    @property
    def shape(self) -> Any:
        """The sizes as a tuple in Keras 3, as TensorFlow 1 has them in Keras 2."""
        known = self.spec.shape
        if known is None or not naming.is_keras_3():
            return shape_of(known)
        return tuple.__new__(KerasShape, known)

    def get_shape(self) -> Any:
        """Return the shape, with None where sizes are not known."""
        return shape_of(self.spec.shape)

    @property
    def dtype(self) -> Any:
        """The dtype."""
        return self.spec.dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    def value_spec(self) -> Any:
        """Return the spec of the values that it stands for: of rows the specs of their parts."""
        return self.spec.without_value() if self.parts is None else self.parts

    @property
    def _keras_mask(self) -> Any:
        """Its mask, which is symbolic as well; None where all steps count."""
        return (
            None
            if self.mask_spec is None
            else noted(masks.of_one, (self,), {}, "mask")
        )

    def __tensor__(self) -> Any:
        raise calling.Deferred(noted)

    def __len__(self) -> int:
        return int(self.shape[0])

    def __iter__(self) -> Any:
        return iter([self[i] for i in range(len(self))])

    def __repr__(self) -> str:
        return (
            f"<KerasTensor shape={tuple(self.shape)}, dtype={self.dtype.name}, "
            f"sparse={self.sparse}, ragged={self.ragged}, name={self.name}>"
        )


def _whole(rows: RaggedParts) -> TensorSpec:
    return TensorSpec(rows.shape.as_list(), rows.dtype)


def _operator(method: Callable[..., Any], title: str) -> Callable[..., Any]:
    def apply(self: Any, *others: Any) -> Any:
        return noted(method, (self, *others), {}, title)

    return apply


_BOTH_WAYS = (
    *(
        ("add", "add"),
        ("sub", "subtract"),
        ("mul", "multiply"),
        ("truediv", "divide"),
    ),
    *(("floordiv", "floor_divide"), ("mod", "mod"), ("pow", "power")),
    *(("matmul", "matmul"), ("and", "logical_and"), ("or", "logical_or")),
    ("xor", "logical_xor"),
)
"""Operators of two tensors, whose order may be turned, with the names that Keras has for them."""
_OPERATORS = (
    *_BOTH_WAYS,
    *((f"r{name}", title) for name, title in _BOTH_WAYS),
    *(
        ("lt", "less"),
        ("le", "less_equal"),
        ("gt", "greater"),
        ("ge", "greater_equal"),
        ("ne", "not_equal"),
    ),
    *(("neg", "negative"), ("pos", "positive"), ("abs", "absolute")),
    *(("invert", "logical_not"), ("getitem", "get_item")),
)
_OF_OPERATORS: dict[Any, str] = {}
"""Names of operators, by what they do with tensors."""
for _name, _title in _OPERATORS:
    _method = getattr(Operand, f"__{_name}__")
    _OF_OPERATORS[_method] = f"__{_name}__"
    setattr(KerasTensor, f"__{_name}__", _operator(_method, _title))
setattr(KerasTensor, "__eq__", object.__eq__)  # noqa: B010  Keras finds them in lists


def _dims_of(x: Any) -> Any:
    return tuple(x.spec.dims) if is_leaf(x) else x


def shown(structure: Any) -> Any:
    """Return what programs hold: of symbolic tensors those of the graph, if they are in one."""
    if isinstance(structure, KerasTensor):
        return structure if structure.placed is None else structure.placed
    if isinstance(structure, (list, tuple, dict)) and is_symbolic(structure):
        return nests.map_structure(shown, structure)
    return structure


def is_leaf(x: Any) -> bool:
    """Return whether a value is a tensor of a model in the making."""
    return isinstance(x, KerasTensor)


def is_symbolic(structure: Any) -> bool:
    """Return whether there are symbolic tensors among arguments."""
    if isinstance(structure, (list, tuple)):
        return any(is_symbolic(x) for x in structure)
    if isinstance(structure, dict):
        return any(is_symbolic(x) for x in structure.values())
    return isinstance(structure, KerasTensor)


class Noted:
    """A function that stands for a layer."""

    built = True
    trainable_weights: tuple[Any, ...] = ()
    layer_like = True

    def __init__(self, call: Callable[..., Any], name: str) -> None:
        self.call, self.name = call, naming.unique(naming.snake(name))
        self.nodes: tuple[Node, ...] = ()

    def build_called(self, args: Any, kwargs: Any) -> None:
        """Do nothing: a function has no weights."""

    def forget_losses(self) -> None:
        """Do nothing: a function adds to no loss."""

    def told_specs(self, args: Any, kwargs: Any) -> Any:
        """Return None: a trace says what a function returns."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        call = self.call
        if args and isinstance(
            args[0], RaggedParts
        ):  # which have operators of their own
            call = getattr(type(args[0]), _OF_OPERATORS.get(call, ""), call)
        return call(*args, **kwargs)


def noted(call: Callable[..., Any], args: Any, kwargs: Any, name: str = "") -> Any:
    """Return what a function will return for symbolic tensors."""
    title = name or getattr(call, "__name__", "function")
    return record(Noted(call, title), args, kwargs)


def record(layer: Any, args: Any, kwargs: Any) -> Any:
    """Return what a layer will return for symbolic tensors."""
    node = Node(layer, args, kwargs)
    with naming.apart():
        layer.build_called(args, kwargs)
        node.outputs = _outputs_of(node, layer.told_specs(args, kwargs))
    layer.nodes = (*layer.nodes, node)
    return node.outputs


def output_spec(layer: Any, args: Any, kwargs: Any, told: Any) -> Any:
    """Return what a layer will return for tensors, without a note that it was called."""
    if told is None:
        layer.build_called(args, kwargs)
    return _outputs_of(Node(layer, args, kwargs), told)


def _outputs_of(node: Node, told: Any) -> Any:
    """Return what a call will return: what the layer told of it, or what a trace says."""
    layer = node.layer
    if told is None:
        specs, found = _specs_of(layer, node.args, node.kwargs)
        layer.forget_losses()  # what the trace cost is of no call
    else:
        specs, found = told, _masks_of(layer, node.inputs, told)
    many = len(nests.flatten(specs)) != 1
    names = (f"{layer.name}:{i}" if many else layer.name for i in count())
    of_outputs = iter(found)
    return nests.map_structure(
        lambda spec: KerasTensor.made(spec, node, next(names), next(of_outputs)),
        specs,
    )


def _specs_of(layer: Any, args: Any, kwargs: Any) -> tuple[Any, list[Any]]:
    """Return what a call returns, and the masks of that, by tracing it once."""
    leaves = [x for x in nests.flatten([args, kwargs]) if is_leaf(x)]
    masked = [x for x in leaves if x.mask_spec is not None]
    has_mask: list[bool] = []

    def run(*given: Any) -> Any:
        values = dict(zip(map(id, leaves), given, strict=False))
        for x, mask in zip(masked, given[len(leaves) :], strict=True):
            masks.remember(values[id(x)], mask)
        own_args, own_kwargs = filled([args, kwargs], values)
        made = layer(*own_args, **own_kwargs)
        of_made = [masks.of_one(x) for x in nests.flatten(made)]
        has_mask[:] = [x is not None for x in of_made]
        return made, [x for x in of_made if x is not None]

    with interpreted_by(None):
        specs = [x.value_spec() for x in leaves]
        of_masks = [x.mask_spec for x in masked]
        made, found = (
            function(run, autograph=False)
            .get_concrete_function(*specs, *of_masks)
            .structured_outputs
        )
    kept = iter(found)
    return made, [next(kept).without_value() if has else None for has in has_mask]


def _masks_of(layer: Any, inputs: Any, told: Any) -> list[Any]:
    """Return the masks of what a layer says that it returns, by tracing what makes them."""
    count = len(nests.flatten(told))
    leaves = [x for x in nests.flatten(inputs) if is_leaf(x)]
    given = any(x.mask_spec is not None for x in leaves)
    if not (layer.starts_masks or (given and layer.supports_masking)):
        return [None] * count

    def made(inputs: Any) -> Any:
        found = layer.compute_mask(inputs, masks.of(inputs))
        return [] if found is None else nests.flatten(found)

    specs, _ = _specs_of(made, (inputs,), {})
    return [x.without_value() for x in specs] or [None] * count


def filled(structure: Any, values: dict[int, Any]) -> Any:
    """Return arguments with values in the place of symbolic tensors."""
    if isinstance(structure, KerasTensor):
        return values[id(structure)]
    if isinstance(structure, (list, tuple)) and is_symbolic(structure):
        return nest.rebuild(structure, [filled(x, values) for x in structure])
    if isinstance(structure, dict):
        return {key: filled(x, values) for key, x in structure.items()}
    return structure


def needed(outputs: Any, inputs: Iterable[KerasTensor]) -> list[Node]:
    """Return the calls that lead from inputs to outputs, in order."""
    known = {id(x) for x in inputs}
    found: dict[int, Node] = {}
    waiting = [x for x in nests.flatten(outputs) if is_leaf(x)]
    while waiting:
        x = waiting.pop()
        if id(x) in known:
            continue
        known.add(id(x))
        if not x.node.parents():
            raise InvalidArgumentError(
                f"Graph disconnected: {x!r} is needed, and is none of the model's inputs"
            )
        if x.node.number not in found:
            found[x.node.number] = x.node
            waiting += x.node.parents()
    return [found[number] for number in sorted(found)]


def sources(outputs: Any) -> list[KerasTensor]:
    """Return the symbolic tensors that no layer makes and that lead to outputs."""
    waiting, found = [x for x in nests.flatten(outputs) if is_leaf(x)], {}
    seen: set[int] = set()
    while waiting:
        x = waiting.pop()
        if id(x) in seen:
            continue
        seen.add(id(x))
        parents = x.node.parents()
        if not parents:
            found[id(x)] = x
        waiting += parents
    return list(found.values())


def replayed(nodes: list[Node], values: dict[int, Any], outputs: Any) -> Any:
    """Return outputs, by doing the calls that were noted."""
    for node in nodes:
        args, kwargs = filled([node.args, node.kwargs], values)
        made = node.layer(*args, **kwargs)
        pairs = zip(nests.flatten(node.outputs), nests.flatten(made), strict=True)
        values.update({id(x): y for x, y in pairs})
    return nests.map_structure(lambda x: values[id(x)] if is_leaf(x) else x, outputs)


def given_shape(kwargs: dict[str, Any]) -> Any:
    """Return the shape of inputs that a layer's arguments tell, with the batch; take it out."""
    whole = kwargs.pop("batch_input_shape", None)
    length = kwargs.pop("input_length", None)
    shape, size = kwargs.pop("input_shape", None), kwargs.pop("input_dim", None)
    if whole is not None:
        return tuple(whole)
    if shape is not None:
        return (None, *(shape if isinstance(shape, Iterable) else (shape,)))
    if size is None:
        return None
    return (None, size) if length is None else (None, length, size)


def placed_input(
    shape: Any,
    dtype: Any = None,
    name: str | None = None,
    layer: Any = None,
    ragged: bool = False,
) -> KerasTensor:
    """Return a symbolic tensor that a model is given values for."""
    node = Node(layer, (), {})
    kind = defaults.kind_of(dtype)
    sizes = TensorShape(shape).as_list()
    spec: Any = TensorSpec(sizes, kind)
    if ragged:
        spec = ragged_rows.spec_of_rows(sizes, kind)
    node.outputs = KerasTensor.made(spec, node, name or naming.of_input())
    made: KerasTensor = node.outputs
    return made


def output_shape(layer: Any, input_shape: Any) -> Any:
    """Return the shape of what a layer returns for inputs of a shape, or of several."""
    inputs = _placed_inputs(input_shape)
    layer.build_for(inputs)
    specs, _ = _specs_of(layer, (inputs,), {})
    return nests.map_structure(lambda spec: shape_of(spec.shape), specs)


def _placed_inputs(shape: Any) -> Any:
    """Return symbolic tensors of a shape, or of each shape in a structure."""
    if isinstance(shape, dict):
        return {key: _placed_inputs(x) for key, x in shape.items()}
    if not isinstance(shape, (AnyShape, list, tuple)):
        raise InvalidArgumentError(
            f"a shape of inputs is a list or tuple of sizes. Received: input_shape={shape}"
        )
    if isinstance(shape, AnyShape) or all(
        x is None or isinstance(x, int) for x in shape
    ):
        return placed_input(shape)
    return type(shape)([_placed_inputs(x) for x in shape])
