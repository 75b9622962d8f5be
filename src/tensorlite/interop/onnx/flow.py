"""Branches, loops and lists: regions become If and Loop, lists ONNX's sequences.

What a region captures it sees by name, as ONNX's inner graphs do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorlite.core.dtypes import DType, bool_, int32, int64, variant
from tensorlite.core.spec import TensorSpec
from tensorlite.graph.graph import Graph
from tensorlite.interop.onnx.messages import module, number_of
from tensorlite.interop.onnx.values import (
    Known,
    Scope,
    UnsupportedError,
    Value,
    View,
)
from tensorlite.interop.onnx.writing import (
    Made,
    Site,
)


def described(name: str, spec: TensorSpec, sizes: Sequence[Any] | None = None) -> Any:
    """Return a value's name, dtype and shape as ONNX has them; None is a size not known."""
    helper = module("onnx.helper")
    if spec.dtype is variant:
        if not spec.inner or spec.inner[0].dtype is variant:
            raise UnsupportedError("it has lists of lists, or of what is not known")
        element = number_of(spec.inner[0].dtype, name)
        return helper.make_tensor_sequence_value_info(name, element, None)
    shape = spec.shape if sizes is None else sizes
    return helper.make_tensor_value_info(name, number_of(spec.dtype, name), shape)


def captured(graph: Any) -> set[str]:
    """Return the names that a GraphProto uses and does not make."""
    made = {x.name for x in graph.input}
    used: set[str] = {x.name for x in graph.output}
    for node in graph.node:
        used.update(node.input)
        made.update(node.output)
        for attribute in node.attribute:
            if attribute.HasField("g"):
                used |= captured(attribute.g)
    return used - made - {""}


def _closed(
    site: Site,
    scope: Scope,
    name: str,
    inputs: list[Any],
    outputs: Sequence[tuple[Value, TensorSpec]],
) -> Any:
    taken: set[str] = set()
    described_ = [
        described(scope.owned(value, taken), spec) for value, spec in outputs
    ]
    return site.writer.message(scope, name, inputs, described_)


def _branch(site: Site, graph: Graph, name: str) -> Any:
    scope = site.writer.scope()
    values = site.writer.run(graph, site.values[1:], scope)
    specs = [x.spec for x in site.node.outputs]
    return _closed(site, scope, name, [], list(zip(values, specs, strict=True)))


def _if(site: Site) -> Made:
    then, other = site.node.op.regions()
    if not site.node.outputs:
        return []
    graphs = {
        "then_branch": _branch(site, then, "then"),
        "else_branch": _branch(site, other, "else"),
    }
    condition = site.name(0)
    if site.spec(0).dtype is not bool_:
        condition = site.cast(condition, bool_)
    reads = captured(graphs["then_branch"]) | captured(graphs["else_branch"])
    return site.scope.emit(
        "If", [condition], len(site.node.outputs), site.node, reads, **graphs
    )


def _while(site: Site) -> Made:
    cond, body = site.node.op.regions()
    first = site.values
    carried = [
        i
        for i, (x, y) in enumerate(zip(body.inputs, body.outputs, strict=True))
        if (x.node, x.index) != (y.node, y.index)
    ]
    (start,) = site.writer.run(cond, first, site.scope)
    scope = site.writer.scope()
    names = {i: site.writer.names.unique(body.inputs[i].node.name) for i in carried}
    inside = list(first)
    for i, name in names.items():
        inside[i] = View(name, scope, None, _is_fixed(first[i]))
    after = site.writer.run(body, inside, scope)
    (going,) = site.writer.run(cond, after, scope)
    graph = _closed(
        site,
        scope,
        "body",
        _loop_inputs(site, [(names[i], body.inputs[i].spec) for i in carried]),
        [
            (going, cond.outputs[0].spec),
            *[(after[i], body.inputs[i].spec) for i in carried],
        ],
    )
    given = [
        "",
        site.scope.name(start),
        *[site.scope.name(first[i]) for i in carried],
    ]
    reads = captured(graph)
    made = site.scope.emit("Loop", given, len(carried), site.node, reads, body=graph)
    last = list(first)
    for i, name in zip(carried, made, strict=True):
        last[i] = View(name, site.scope, None, _is_fixed(first[i]))
    return last


def _loop_inputs(site: Site, variables: list[tuple[str, TensorSpec]]) -> list[Any]:
    unique = site.writer.names.unique
    turn = described(unique("turn"), TensorSpec((), int64))
    goes_on = described(unique("goes_on"), TensorSpec((), bool_))
    return [turn, goes_on, *[described(name, spec) for name, spec in variables]]


def _is_fixed(value: Value) -> bool:
    return isinstance(value, View) and value.is_fixed


def _read(site: Site) -> Made:
    value = site.value(0)
    if isinstance(value, Known):
        return value
    raise UnsupportedError("the variable that it reads is not known")


def _element(site: Site) -> DType:
    dtype: DType = site.attribute("element_dtype")
    return dtype


def _empty(site: Site) -> Made:
    return site.add("SequenceEmpty", dtype=number_of(_element(site), site.node.name))


def _reserve(site: Site) -> Made:
    """Return a list of zeros; where their shape is not known, of nothing, to be written over."""
    element = site.node.outputs[0].spec.inner[0].shape
    zero = site.constant(0, _element(site))
    if element is None or None in element:
        return View(_reserved(site), site.scope, is_fixed=True)
    shape = count = site.vector(1)
    if element:
        shape = site.add("Concat", count, site.constant(element, int64), axis=0)
    zeros = site.add("Expand", zero, shape)
    name = site.add("SplitToSequence", zeros, axis=0, keepdims=0)
    return View(name, site.scope, is_fixed=True)


def _reserved(site: Site) -> str:
    """Return a list of elements without numbers, made in a loop that tells no shape of them."""
    spec = site.node.outputs[0].spec
    inputs = _loop_inputs(site, [(site.writer.names.unique("list"), spec)])
    scope = site.writer.scope()
    inner = Site(site.writer, site.node, {}, scope)
    nothing = inner.constant(np.zeros(0), _element(site))
    goes_on = View(inner.add("Identity", inputs[1].name), scope)
    longer = View(inner.add("SequenceInsert", inputs[2].name, nothing), scope)
    outputs = [(goes_on, TensorSpec((), bool_)), (longer, spec)]
    body = _closed(site, scope, "reserve", inputs, outputs)
    empty = site.add("SequenceEmpty", dtype=number_of(_element(site), site.node.name))
    given = [site.squeezed(site.vector(1), 0), "", empty]
    return site.scope.emit("Loop", given, 1, site.node, captured(body), body=body)[0]


def _from_tensor(site: Site) -> Made:
    name = site.add("SplitToSequence", site.name(0), axis=0, keepdims=0)
    return View(name, site.scope, is_fixed=True)


def _scatter(site: Site) -> Made:
    """Return the rows of a tensor as a list that has nothing else."""
    base, _, indices = [x.node for x in site.node.inputs]
    if base.op.name != "TensorListReserve" or indices.op.name != "Range":
        raise UnsupportedError("ONNX's sequences take one element at a time")
    name = site.add("SplitToSequence", site.name(1), axis=0, keepdims=0)
    return View(name, site.scope, is_fixed=True)


def _get(site: Site) -> Made:
    return site.add("SequenceAt", site.name(0), site.name(1))


def _set(site: Site) -> Made:
    names = site.name(0), site.name(1), site.name(2)
    if not _is_fixed(site.value(0)):
        return _set_or_grow(site, *names)
    rest = site.add("SequenceErase", names[0], names[1])
    name = site.add("SequenceInsert", rest, names[2], names[1])
    return View(name, site.scope, is_fixed=True)


def _set_or_grow(site: Site, list_: str, index: str, item: str) -> str:
    """Return a list with another element at an index, which may be the one after the last."""
    graphs = {}
    for key in ("then_branch", "else_branch"):
        scope = site.writer.scope()
        inner = Site(site.writer, site.node, {}, scope)
        rest = inner.add("SequenceErase", list_, index) if key[0] == "t" else list_
        made = View(inner.add("SequenceInsert", rest, item, index), scope)
        spec = site.node.outputs[0].spec
        graphs[key] = _closed(site, scope, key, [], [(made, spec)])
    length = site.add("SequenceLength", list_)
    place = site.cast(index, int64) if site.spec(1).dtype is not int64 else index
    inside = site.add("Less", place, length)
    reads = captured(graphs["then_branch"]) | captured(graphs["else_branch"])
    return site.scope.emit("If", [inside], 1, site.node, reads, **graphs)[0]


def _push(site: Site) -> Made:
    return site.add("SequenceInsert", site.name(0), site.name(1))


def _pop(site: Site) -> Made:
    last = site.constant(-1, int64)
    item = site.add("SequenceAt", site.name(0), last)
    return [site.add("SequenceErase", site.name(0), last), item]


def _length(site: Site) -> Made:
    return site.cast(site.add("SequenceLength", site.name(0)), int32)


def _resize(site: Site) -> Made:
    known = site.known(1)
    if known is not None and int(known) == 0:
        element = site.node.outputs[0].spec.inner[0].dtype
        return site.add("SequenceEmpty", dtype=number_of(element, site.node.name))
    raise UnsupportedError("ONNX's sequences are not cut or filled to a length")


def _stack(site: Site) -> Made:
    return site.add("ConcatFromSequence", site.name(0), axis=0, new_axis=1)


HANDLERS: dict[str, Callable[[Site], Made]] = {
    "If": _if,
    "While": _while,
    "ReadVariableOp": _read,
    "EmptyTensorList": _empty,
    "EmptySwappedList": _empty,
    "TensorListReserve": _reserve,
    "TensorListFromTensor": _from_tensor,
    "TensorListGetItem": _get,
    "TensorListScatterIntoExistingList": _scatter,
    "TensorListSetItem": _set,
    "TensorListPushBack": _push,
    "TensorListPopBack": _pop,
    "TensorListLength": _length,
    "TensorListResize": _resize,
    "TensorListStack": _stack,
}
