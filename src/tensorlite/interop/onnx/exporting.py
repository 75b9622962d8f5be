"""export: a traced inference function becomes an ONNX model in a file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tensorlite.core import nest
from tensorlite.core.errors import (
    InvalidArgumentError,
    MissingOperatorError,
    ShapeError,
)
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.function.compile import ConcreteFunction
from tensorlite.function.function import Function
from tensorlite.graph.graph import Graph
from tensorlite.interop.onnx import quantizing
from tensorlite.interop.onnx.files import writable, write
from tensorlite.interop.onnx.flow import described
from tensorlite.interop.onnx.freezing import frozen
from tensorlite.interop.onnx.messages import (
    IR_VERSIONS,
    OPSETS,
    module,
    number_of,
)
from tensorlite.interop.onnx.operators import HANDLERS
from tensorlite.interop.onnx.values import (
    MISSING,
    Step,
    Value,
    View,
)
from tensorlite.interop.onnx.writing import (
    Writer,
    nodes_of,
)

LARGEST = 2**31 - 2**20
"""How many bytes of constants fit in one file, of which protobuf allows 2 GiB."""


def export(
    function: Any,
    path: str | Path,
    *specs: Any,
    opset: int = 21,
    quantize: str | None = None,
) -> Any:
    """Write a traced function as an ONNX model to a file; return the model.

    `function` is a `tl.function`, traced for `specs` (TensorSpecs, or structures of them), or one
    of its concrete functions. Variables become constants with the values that they have now;
    sizes that are None may be any when the model runs. `quantize="int8"` stores weights as int8,
    see `quantize`. The model is checked by ONNX's own checker before the file is written.

    Raises MissingOperatorError when ONNX does not have operators of the function, with their
    number, nodes and lines; InvalidArgumentError for a function that is not traced, that writes
    variables or draws random numbers.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "model.onnx")
    >>> @tl.function
    ... def model(x):
    ...     return tl.nn.softmax(x @ tl.ones((3, 2)))
    >>> made = tl.interop.onnx.export(model, path, tl.TensorSpec((None, 3), tl.float32))
    >>> [node.op_type for node in made.graph.node], made.ir_version
    (['MatMul', 'Softmax'], 10)
    """
    target = writable(path)
    if opset not in OPSETS:
        raise InvalidArgumentError(
            f"opset={opset!r}; allowed are {OPSETS[0]} to {OPSETS[-1]}"
        )
    quantizing.check_kind(quantize)
    concrete = _concrete(function, specs)
    model = _model(concrete, opset)
    if quantize is not None:
        quantizing.quantize_weights(model)
    write(model, target)
    return model


def _concrete(function: Any, specs: Sequence[Any]) -> ConcreteFunction:
    """Return the trace that is asked for; InvalidArgumentError when there is none."""
    if isinstance(function, ConcreteFunction):
        if specs:
            raise InvalidArgumentError(
                f"{function!r} is one trace, which has its specs; give none beside it"
            )
        return function
    if not isinstance(function, Function):
        raise InvalidArgumentError(
            f"{function!r} is not traced; export takes a tl.function or one of its concrete "
            "functions: export(tl.function(f), path, *specs)"
        )
    for leaf in nest.flatten(list(specs)):
        if not isinstance(
            leaf, (TensorSpec, Tensor, np.ndarray, bool, str, type(None))
        ):
            raise InvalidArgumentError(
                f"{leaf!r} is no spec of an argument of {function.name}; allowed are "
                "tl.TensorSpec(shape, dtype), tensors, and structures of these"
            )
    if not specs and function.input_signature is None:
        raise InvalidArgumentError(
            f"{function.name} has no input_signature: say for which arguments it is to be "
            "traced, export(function, path, tl.TensorSpec((None, 3), tl.float32), ...)"
        )
    return function.get_concrete_function(*specs)


def _model(concrete: ConcreteFunction, opset: int) -> Any:
    """Return a trace as a checked model."""
    helper = module("onnx.helper")
    graph = frozen(concrete)
    writer = Writer(HANDLERS, opset)
    scope = writer.scope()
    inputs, values = [], []
    for x in graph.inputs:
        name = writer.names.unique(x.node.name)
        sizes = _sizes(name, x.spec)
        inputs.append(described(name, x.spec, sizes))
        values.append(View(name, scope))
    made = writer.run(graph, list(values), scope)
    named = _named(concrete, made, writer)
    outputs = []
    for (name, value), x in zip(named, graph.outputs, strict=True):
        number_of(x.dtype, f"the output {name}")
        source = scope.name(value)
        scope.steps.append(Step("Identity", [source], [name], {}, None))
        outputs.append(described(name, x.spec))
    _rename(scope, {x.name for x in inputs}, [name for name, _ in named])
    proto = writer.message(scope, concrete.name, inputs, outputs)
    _check_missing(proto, writer, graph)
    _store(proto, writer)
    model = helper.make_model(
        proto,
        ir_version=IR_VERSIONS[opset],
        opset_imports=[helper.make_opsetid("", opset)],
        producer_name="tensorlite",
    )
    return _checked(model)


def _sizes(name: str, spec: TensorSpec) -> list[int | str]:
    """Return an argument's shape, in which sizes that are not known have names."""
    number_of(spec.dtype, f"the argument {name}")
    _check_rank(spec.shape is not None, f"the argument {name}")
    return [
        f"{name}_{axis}" if size is None else size
        for axis, size in enumerate(spec.dims)
    ]


def _check_rank(is_known: bool, what: str) -> None:
    """Raise ShapeError for an argument or a result of which not even the rank is known."""
    if not is_known:
        raise ShapeError(
            f"the rank of {what} is not known, and a model must say it; trace the function for "
            "specs that have shapes, such as (None, 3), where sizes may be None"
        )


def _named(
    concrete: ConcreteFunction, values: list[Value], writer: Writer
) -> list[tuple[str, Value]]:
    """Return the outputs with names: those of a dict are its keys."""
    structure = concrete.structured_outputs
    bases = ["output"] * len(values)
    if isinstance(structure, dict) and len(nest.flatten(structure)) == len(values):
        bases = [x.strip("[]'\"") or "output" for x in nest.paths(structure)]
    elif len(values) > 1:
        bases = [f"output_{i}" for i in range(len(values))]
    names = [writer.names.unique(base) for base in bases]
    return list(zip(names, values, strict=True))


def _rename(scope: Any, inputs: set[str], outputs: list[str]) -> None:
    """Let what makes an output bear its name, where nothing else stands between."""
    last = {step.outputs[0]: step for step in scope.steps if step.op == "Identity"}
    readers: dict[str, int] = defaultdict(int)
    for step in scope.steps:
        for name in {*step.inputs, *step.reads}:
            readers[name] += 1
    makers = {name: step for step in scope.steps for name in step.outputs}
    for name in outputs:
        (source,) = last[name].inputs
        maker = makers.get(source)
        if maker is None or source in inputs or readers[source] != 1:
            continue
        maker.outputs = [name if x == source else x for x in maker.outputs]
        scope.steps.remove(last[name])


def _check_missing(proto: Any, writer: Writer, graph: Graph) -> None:
    """Raise MissingOperatorError for nodes that ONNX has nothing for."""
    lacking = [x.output[0] for x in nodes_of(proto) if x.op_type == MISSING]
    if not lacking:
        return
    found: dict[str, list[str]] = defaultdict(list)
    for name in lacking:
        step = writer.missing[name]
        node = step.source
        assert node is not None
        why = f", because {step.reason}" if step.reason else ""
        found[node.op.name].append(f"{node.name} at {node.line}{why}")
    listed = [f"{op} ({len(x)}: {', '.join(x[:3])})" for op, x in found.items()]
    raise MissingOperatorError(
        f"ONNX has no operator for {len(lacking)} nodes of {graph.name}: "
        + "; ".join(listed)
    )


def _store(proto: Any, writer: Writer) -> None:
    """Add the constants that are used; InvalidArgumentError when they fill more than a file."""
    helper = module("onnx.numpy_helper")
    used = {name for node in nodes_of(proto) for name in node.input}
    kept = {name: x for name, x in writer.store.arrays.items() if name in used}
    total = sum(array.nbytes for array in kept.values())
    if total > LARGEST:
        raise InvalidArgumentError(
            f"the model's constants take {total} bytes; a file holds {LARGEST}. Export parts"
        )
    for name, array in kept.items():
        proto.initializer.append(helper.from_array(array, name))


def _checked(model: Any) -> Any:
    """Return a model with the shapes of outputs that follow from the rest, checked."""
    inference, checker = module("onnx.shape_inference"), module("onnx.checker")
    try:
        inferred = inference.infer_shapes(model, data_prop=True)
        for output, known in zip(
            model.graph.output, inferred.graph.output, strict=True
        ):
            output.CopyFrom(known)
            has_rank = known.type.tensor_type.HasField("shape")
            _check_rank(has_rank, f"the result {known.name}")
        checker.check_model(model, full_check=True)
    except (inference.InferenceError, checker.ValidationError) as error:
        raise MissingOperatorError(
            f"{model.graph.name} is refused by ONNX's checker, mostly for an operator that is not "
            f"there for a dtype; cast what it takes with tl.astype: {error}"
        ) from error
    return model
