"""What holds a value: constants, placeholders, reference variables, resource variables, optimizers.

How references are read is in tensorflow/references.py.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from tensorlite.core.constant import Const
from tensorlite.core.errors import GraphDefError
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.graph.graph import Placeholder, SymbolicTensor
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import Adapter
from tensorlite.interop.tensorflow.references import Reference
from tensorlite.interop.tensorflow.signatures import signature_of
from tensorlite.ops.arrays.identity import Identity, PlaceholderWithDefault
from tensorlite.ops.nn import training
from tensorlite.ops.nn.applying import Apply, SparseApply
from tensorlite.ops.sparse.places_state import (
    ResourceScatterNdAdd,
    ResourceScatterNdMax,
    ResourceScatterNdMin,
    ResourceScatterNdSub,
    ResourceScatterNdUpdate,
)
from tensorlite.ops.sparse.state import (
    ResourceGather,
    ResourceGatherNd,
    ResourceScatterAdd,
    ResourceScatterDiv,
    ResourceScatterMax,
    ResourceScatterMin,
    ResourceScatterMul,
    ResourceScatterSub,
    ResourceScatterUpdate,
)
from tensorlite.ops.state.resource import (
    AssignAddVariableOp,
    AssignSubVariableOp,
    AssignVariableOp,
    CountUpToVariableOp,
    ReadVariableOp,
    VarHandleOp,
    VariableShape,
    VarIsInitializedOp,
    Write,
)
from tensorlite.ops.state.slices import ResourceStridedSliceAssign


def _const(given: Given) -> Values:
    value = given.typed("value", np.ndarray)
    if value.dtype != given.dtype("dtype").numpy:
        raise GraphDefError(f"{given.record}: its value is of {value.dtype}")
    return given.node(Const(value)).outputs


def _placeholder(given: Given) -> Values:
    shape = given.shape("shape")
    if shape == () and given.record.op == "Placeholder" and _is_old(given):
        shape = None
    spec = TensorSpec(shape, given.dtype("dtype"))
    given.check_attributes()
    made = given.node(Placeholder(spec)).outputs
    given.graph.inputs.append(made[0])
    return made


def _is_old(given: Given) -> bool:
    """Return whether no shape is written, which meant one that is not known."""
    return "shape" not in given.record.given


def _placeholder_with_default(given: Given) -> Values:
    inner = given.tensor(0).spec.inner
    spec = TensorSpec(given.shape("shape"), given.dtype("dtype"), None, inner)
    return given.node(PlaceholderWithDefault(spec), *given.tensors).outputs


def _handle_op(given: Given, default: str) -> VarHandleOp:
    spec = TensorSpec(given.shape("shape"), given.dtype("dtype"))
    name = given.typed("shared_name", str) or default
    return VarHandleOp(
        spec,
        trainable=spec.dtype.is_differentiable,
        is_reference=given.graph.as_called and given.record.op != "VarHandleOp",
        debug_name=given.name,
        container=given.typed("container", str),
        shared_name=name,
    )


def _variable(given: Given) -> Values:
    """Make the handle beside, and the value under the name.

    Programs of TensorFlow take a variable's own node for it: there the handle has the name.
    """
    op = _handle_op(given, given.name)
    given.check_attributes()
    if given.graph.as_called:
        handle = given.node(op).outputs[0]
        value = given.helper(ReadVariableOp(), handle).outputs[0]
    else:
        handle = given.helper(op).outputs[0]
        value = given.node(ReadVariableOp(), handle).outputs[0]
    return [Reference(given.name, handle, value)]


def _var_handle(given: Given) -> Values:
    op = _handle_op(given, given.name)
    given.attribute("debug_name")
    given.check_attributes()
    return given.node(op).outputs


def _identity(given: Given) -> Values:
    """Read a variable; behind a later write the same Identity shows what was written."""
    value = given.values[0] if given.values else None
    if not isinstance(value, Reference):
        return given.made(Identity(), *given.tensors)
    read = given.reread(value).outputs[0]
    return [Reference(value.variable, value.handle, read, given.before)]


def _assigned(op: Callable[[], Op], given: Given) -> Values:
    """Write to a reference."""
    variable = given.reference(0)
    inputs = [given.tensor(i) for i in range(1, len(given.values))]
    given.check_attributes()
    node = given.node(op(), variable.handle, *inputs)
    return [given.written(variable, node.outputs[0])]


def _assign(given: Given) -> Values:
    """Give a reference a value, which may have another shape where it is not validated."""
    validates = given.record.attributes.get("validate_shape", True)
    return _assigned(partial(AssignVariableOp, any_shape=not validates), given)


def _is_initialized(given: Given) -> Values:
    return given.node(VarIsInitializedOp(), given.reference(0).handle).outputs


def _count_up_to(given: Given) -> Values:
    variable = given.reference(0)
    op = CountUpToVariableOp(given.typed("limit", int))
    node = given.node(op, variable.handle)
    given.written(variable, node.outputs[0])
    return node.outputs


def _written(given: Given, op: Op, *inputs: SymbolicTensor) -> Values:
    """Write to a variable, and return it if it is a reference, else nothing."""
    given.check_attributes()
    first = given.values[0]
    if not isinstance(first, Reference):
        node = given.node(op, *inputs)
        return ()
    node = given.helper(op, *inputs, control=given.control)
    read = given.node(ReadVariableOp(), first.handle, control=(node,))
    return [given.written(first, read.outputs[0])]


def _plainly(op: type[Write], given: Given) -> Values:
    """Write to a resource, which has no output."""
    given.check_attributes()
    given.node(op(returns=False), *given.tensors)
    return ()


def _scattered(op: Callable[..., Op], given: Given) -> Values:
    """Write to parts of a variable, and return it if it is a reference, else nothing."""
    given.check_attributes()
    first, inputs = given.values[0], (given.tensor(1), given.tensor(2))
    is_reference = isinstance(first, Reference)
    node = given.node(op(returns=is_reference), _handle(given, 0), *inputs)
    if not isinstance(first, Reference):
        return ()
    return [given.written(first, node.outputs[0])]


def _scattered_to_places(op: Callable[..., Op], given: Given) -> Values:
    """Write to elements or slices of a variable."""
    if given.typed("bad_indices_policy", str) not in {"", "DEFAULT", "ERROR"}:
        raise GraphDefError(
            f"{given.record}: only indices that are there are supported"
        )
    return _scattered(op, given)


def _slice_assigned(given: Given) -> Values:
    """Write to a slice of a variable, and return it if it is a reference, else nothing."""
    axes = ("begin", "end", "ellipsis", "new_axis", "shrink_axis")
    masks = {f"{name}_mask": given.typed(f"{name}_mask", int) for name in axes}
    given.check_attributes()
    first, inputs = given.values[0], [given.tensor(i) for i in range(1, 5)]
    op = ResourceStridedSliceAssign(**masks, returns=isinstance(first, Reference))
    node = given.node(op, _handle(given, 0), *inputs)
    return (
        [given.written(first, node.outputs[0])]
        if isinstance(first, Reference)
        else ()
    )


def _handle(given: Given, i: int) -> SymbolicTensor:
    if i < len(given.values) and isinstance(given.values[i], Reference):
        return given.reference(i).handle
    return given.tensor(i)


def _variable_shape(given: Given) -> Values:
    return given.made(VariableShape(given.dtype("out_type")), _handle(given, 0))


def _gathered(given: Given) -> Values:
    return given.made(ResourceGather(), *given.tensors)


def _gathered_parts(given: Given) -> Values:
    return given.made(ResourceGatherNd(), *given.tensors)


def _apply(rule: type[Apply], states: int, given: Given) -> Values:
    """Update a variable and its slots, of which there are so many."""
    handles = [_handle(given, i) for i in range(states)]
    op = rule()
    if isinstance(op, (training.ResourceApplyMomentum, training.AdamByPowers)):
        op = type(op)(given.typed("use_nesterov", bool))
    signature = given.record.signature
    assert signature is not None
    rest = given.tensors[states:]
    if "indices" in [x.name for x in signature.inputs]:
        return _written(given, SparseApply(op), *handles, *rest)
    return _written(given, op, *handles, *rest)


_RULES: dict[str, tuple[type[Apply], int]] = {
    "AdaMax": (training.ResourceApplyAdaMax, 3),
    "Adam": (training.AdamByPowers, 3),
    "AdamWithAmsgrad": (training.AmsgradByPowers, 4),
    "AddSign": (training.ResourceApplyAddSign, 2),
    "PowerSign": (training.ResourceApplyPowerSign, 2),
    "GradientDescent": (training.ResourceApplyGradientDescent, 1),
    "KerasMomentum": (training.ResourceApplyKerasMomentum, 2),
    "Momentum": (training.ResourceApplyMomentum, 2),
    "Adadelta": (training.ResourceApplyAdadelta, 3),
    "AdagradDA": (training.ResourceApplyAdagradDA, 3),
    "Adagrad": (training.ResourceApplyAdagrad, 2),
    "AdagradV2": (training.ResourceApplyAdagradV2, 2),
    "Ftrl": (training.ResourceApplyFtrl, 3),
    "FtrlV2": (training.ResourceApplyFtrlV2, 3),
    "RMSProp": (training.ResourceApplyRMSProp, 3),
    "CenteredRMSProp": (training.ResourceApplyCenteredRMSProp, 4),
    "ProximalGradientDescent": (training.ResourceApplyProximalGradientDescent, 1),
    "ProximalAdagrad": (training.ResourceApplyProximalAdagrad, 2),
}
"""Of each rule how many states it has."""

VARIABLES: dict[str, Adapter] = {
    "Assign": _assign,
    "AssignAdd": partial(_assigned, AssignAddVariableOp),
    "AssignSub": partial(_assigned, AssignSubVariableOp),
    "AssignVariableOp": partial(_plainly, AssignVariableOp),
    "AssignAddVariableOp": partial(_plainly, AssignAddVariableOp),
    "AssignSubVariableOp": partial(_plainly, AssignSubVariableOp),
    "Const": _const,
    "CountUpTo": _count_up_to,
    "Identity": _identity,
    "IsVariableInitialized": _is_initialized,
    "Placeholder": _placeholder,
    "PlaceholderV2": _placeholder,
    "PlaceholderWithDefault": _placeholder_with_default,
    "ReadVariableOp": lambda given: given.made(ReadVariableOp(), *given.tensors),
    "ResourceGather": _gathered,
    "ResourceGatherNd": _gathered_parts,
    "ResourceStridedSliceAssign": _slice_assigned,
    "StridedSliceAssign": _slice_assigned,
    "VarHandleOp": _var_handle,
    "VarIsInitializedOp": lambda given: given.made(
        VarIsInitializedOp(), *given.tensors
    ),
    "Variable": _variable,
    "VariableShape": _variable_shape,
    "VariableV2": _variable,
}
for _name, _op in {
    "Add": ResourceScatterAdd,
    "Div": ResourceScatterDiv,
    "Mul": ResourceScatterMul,
    "Max": ResourceScatterMax,
    "Min": ResourceScatterMin,
    "Sub": ResourceScatterSub,
    "Update": ResourceScatterUpdate,
}.items():
    VARIABLES[f"Scatter{_name}"] = partial(_scattered, _op)
    VARIABLES[f"ResourceScatter{_name}"] = partial(_scattered, _op)
for _name, _places in {
    "Add": ResourceScatterNdAdd,
    "Max": ResourceScatterNdMax,
    "Min": ResourceScatterNdMin,
    "Sub": ResourceScatterNdSub,
    "Update": ResourceScatterNdUpdate,
}.items():
    VARIABLES[f"ScatterNd{_name}"] = partial(_scattered_to_places, _places)
    VARIABLES[f"ResourceScatterNd{_name}"] = partial(_scattered_to_places, _places)
for _name, (_rule, _states) in _RULES.items():
    for _start in ("Apply", "SparseApply", "ResourceApply", "ResourceSparseApply"):
        if signature_of(f"{_start}{_name}") is not None:
            VARIABLES[f"{_start}{_name}"] = partial(_apply, _rule, _states)
