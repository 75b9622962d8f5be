"""cost: what operators and transfers cost in seconds: measured once, looked up, or computed.

Measuring itself is runtime/measure.py, which is handed in; files of costs are cost_table.py's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod
from time import perf_counter
from typing import Literal, NamedTuple, TypeAlias

from tensorlite.core.device import DeviceName
from tensorlite.core.dtypes import DType
from tensorlite.core.op import Effect, Op, Role
from tensorlite.core.spec import TensorSpec
from tensorlite.graph.graph import Graph, Node
from tensorlite.passes.turns import GUESS, turns

STAND_IN = 32
"""What a size that a trace does not know is taken for."""
LIGHT = 1 << 16
"""Bytes of operands and results up to which a kernel gains nothing from running beside another.

It holds the interpreter for most of its time, or lets it go for less than another thread needs to
take it up; the machine wakes no thread for it either.
"""

Measure: TypeAlias = Callable[[Op, Sequence[TensorSpec], DeviceName], "float | None"]
"""Returns the seconds of a kernel on a device, or None where they cannot be measured."""
MeasureLink: TypeAlias = Callable[[DeviceName, DeviceName], tuple[float, float]]
"""Returns the latency and the bandwidth between two devices."""


class Link(NamedTuple):
    """How fast tensors get from one device to another.

    >>> tl.placement.Link(latency=1e-4, bandwidth=1e9).seconds(1_000_000)
    0.0011
    """

    latency: float
    """Seconds until the first byte is there."""
    bandwidth: float = math.inf
    """Bytes a second; infinite within one memory."""

    def seconds(self, size: float) -> float:
        """Return the seconds that `size` bytes take."""
        return self.latency + size / self.bandwidth


class Rates(NamedTuple):
    """What a kind of device does in a second, for kernels that are not measured."""

    bandwidth: float
    """Bytes read or written."""
    flops: float
    """Multiplications and additions of a matrix product."""
    call: float
    """Seconds that a kernel takes however little it has to do."""


class Fixed(NamedTuple):
    """What the machine takes beside kernels, in seconds during which it holds the interpreter."""

    node: float = 1.0e-6
    """To start a node's kernel and hand its outputs on."""
    transfer: float = 4.0e-6
    """To send a tensor and to receive it."""


class Cost(NamedTuple):
    """What one run of a node costs on one device.

    >>> cost = tl.placement.Cost(2e-3, held=1e-6, source="measured")
    >>> cost.seconds
    0.002
    """

    seconds: float
    """The whole time, the machine's own included."""
    held: float = 0.0
    """The part of it that holds the interpreter, which devices of one process share."""
    source: Literal["measured", "computed", "free"] = "computed"
    """Whether the kernel was measured, or computed from bytes and flops."""
    guessed: bool = False
    """Whether sizes that are unknown were taken for STAND_IN, or turns guessed."""

    def times(self, factor: float) -> Cost:
        """Return the cost of so many runs."""
        return self._replace(seconds=self.seconds * factor, held=self.held * factor)


RATES = {
    "CPU": Rates(bandwidth=8e9, flops=2e10, call=1e-6),
    "GPU": Rates(bandwidth=1e12, flops=1e13, call=1e-5),
}
LINKS = {
    ("CPU", "CPU"): Link(2e-5),
    ("CPU", "GPU"): Link(2e-5, 1e10),
    ("GPU", "CPU"): Link(2e-5, 1e10),
    ("GPU", "GPU"): Link(2e-5, 5e10),
}
FIXED = Fixed()
FREE = Cost(0.0, source="free")
NO_KERNEL = frozenset({Role.INPUT, Role.SEND, Role.RECV})


@dataclass(eq=False)
class Costs:
    """What operators cost on each kind of device, and transfers between devices.

    A kernel is measured when it is first asked for, once for each operator, shapes, dtypes and kind
    of device; one that cannot be measured is computed from the bytes it moves and the products
    it sums. Without `measure` all are computed, which takes no time and is alike everywhere.

    >>> costs = tl.placement.Costs()
    >>> concrete = tl.function(lambda x: x @ x).get_concrete_function(tl.ones((100, 100)))
    >>> product = concrete.graph.nodes[-1]
    >>> cost = costs.node(product, tl.DeviceName.parse("/cpu:0"))
    >>> f"{1e6 * cost.seconds:.0f} microseconds, {cost.source}"
    '117 microseconds, computed'
    """

    measure: Measure | None = None
    measure_link: MeasureLink | None = None
    kernels: dict[str, dict[str, float]] = field(default_factory=dict)
    """Measured seconds by kind of device and by `key`."""
    links: dict[tuple[str, str], Link] = field(default_factory=lambda: dict(LINKS))
    """Links by the kinds of their ends; replaced as they are measured."""
    rates: dict[str, Rates] = field(default_factory=lambda: dict(RATES))
    fixed: Fixed = FIXED
    known_links: set[tuple[str, str]] = field(default_factory=set)
    """Which of the links were measured."""
    measured: int = 0
    """How many kernels were measured since this was made."""
    spent: float = 0.0
    """Seconds that measuring them took."""
    _seen: dict[object, Cost] = field(default_factory=dict, repr=False)

    def node(self, node: Node, device: DeviceName) -> Cost:
        """Return what a node costs on a device; one with inner graphs, what those cost in it."""
        return self._node(node, device, frozenset())

    def _node(self, node: Node, device: DeviceName, within: frozenset[int]) -> Cost:
        op = node.op
        if op.role in NO_KERNEL or is_constant(node):
            return FREE
        regions = op.regions()
        if regions:
            return self._regions(node, regions, device, within)
        inputs = [x.spec for x in node.inputs]
        return self.kernel(op, inputs, [x.spec for x in node.outputs], device)

    def _regions(
        self,
        node: Node,
        regions: tuple[Graph, ...],
        device: DeviceName,
        within: frozenset[int],
    ) -> Cost:
        """Return the mean of branches, the sum of a loop's turns, or what a function costs."""
        total, held, guessed = self.fixed.node, self.fixed.node, False
        for region in regions:
            if id(region) in within:  # a function that calls itself: once
                continue
            inner = within | {id(region)}
            for one in region.nodes:
                cost = self._node(one, device, inner)
                total, held = total + cost.seconds, held + cost.held
                guessed |= cost.guessed
        factor = {Role.IF: 1 / len(regions)}.get(node.op.role, 1.0)
        if node.op.role is Role.WHILE:
            factor = turns(node)
            guessed |= factor == GUESS
        return Cost(total, held, "computed", guessed).times(factor)

    def kernel(
        self,
        op: Op,
        inputs: Sequence[TensorSpec],
        outputs: Sequence[TensorSpec],
        device: DeviceName,
    ) -> Cost:
        """Return what one operator costs on a device, the machine's own time included."""
        kind = device.kind or "CPU"
        seen = (op, kind, *[_identity(x, i in op.host) for i, x in enumerate(inputs)])
        known = self._seen.get(seen)
        if known is None:
            known = self._seen[seen] = self._find(op, inputs, outputs, device, kind)
        return known

    def _find(
        self,
        op: Op,
        inputs: Sequence[TensorSpec],
        outputs: Sequence[TensorSpec],
        device: DeviceName,
        kind: str,
    ) -> Cost:
        whole = [filled(x) for x in inputs]
        results = [filled(x) for x in outputs]
        guessed = any(x is not y for x, y in zip(inputs, whole, strict=True))
        seconds = self._measured(op, whole, device, kind)
        source: Literal["measured", "computed"] = "measured"
        if seconds is None:
            rates = self.rates.get(kind, RATES["CPU"])
            seconds, source = computed(op, whole, results, rates), "computed"
        touched = sum([size_of(x) for x in (*whole, *results)])
        call = self.rates.get(kind, RATES["CPU"]).call
        held = seconds if touched < LIGHT else min(seconds, call)
        own = self.fixed.node
        return Cost(seconds + own, held + own, source, guessed)

    def _measured(
        self, op: Op, specs: Sequence[TensorSpec], device: DeviceName, kind: str
    ) -> float | None:
        """Return the seconds of a kernel from the table, or measured now, or None."""
        name = key(op, specs)
        if name is None:
            return None
        table = self.kernels.setdefault(kind, {})
        if name not in table and self.measure is not None:
            begin = perf_counter()
            seconds = self.measure(op, specs, device)
            self.spent += perf_counter() - begin
            if seconds is None:
                return None
            self.measured += 1
            table[name] = seconds
        return table.get(name)

    def link(self, source: DeviceName, target: DeviceName) -> Link:
        """Return how fast tensors get from one device to another."""
        kinds = source.kind or "CPU", target.kind or "CPU"
        if self.measure_link is not None and kinds not in self.known_links:
            self.known_links.add(kinds)
            self.links[kinds] = Link(*self.measure_link(source, target))
        return self.links.get(kinds, LINKS["CPU", "GPU"])

    def forget(self) -> None:
        """Look kernels up anew, because the table has changed."""
        self._seen.clear()

    def told(self) -> str:
        """Return what measuring took, as text."""
        return f"{self.measured} kernels measured in {1e3 * self.spent:.0f} ms"


def is_constant(node: Node) -> bool:
    """Return whether a node's value is there before anything runs."""
    op = node.op
    plain = op.role is Role.PLAIN and op.effect is Effect.NONE
    return plain and not node.inputs and not node.control


def _identity(spec: TensorSpec, structure: bool) -> object:
    known = spec.known if structure else None
    return spec.shape, spec.dtype, known, spec.inner


def filled(spec: TensorSpec) -> TensorSpec:
    """Return a spec with STAND_IN for each size and small value that is not known."""
    if spec.shape is None:
        return TensorSpec((STAND_IN,), spec.dtype, inner=spec.inner)
    known = spec.known
    if isinstance(known, tuple) and None in known:
        known = tuple(STAND_IN if x is None else x for x in known)
    elif spec.is_static:
        return spec
    shape = tuple(STAND_IN if size is None else size for size in spec.shape)
    return TensorSpec(shape, spec.dtype, inner=spec.inner, known=known)


def size_of(spec: TensorSpec) -> int:
    """Return the bytes of a tensor, of what lies behind a handle, or of a list's element."""
    if spec.dtype.kind in "RV":
        return sum([size_of(inner) for inner in spec.inner])
    size = filled(spec).size or 0
    return size * int(spec.dtype.itemsize)


def moved_size(spec: TensorSpec) -> int:
    """Return the bytes that travel when a tensor goes to another device."""
    return 8 if spec.dtype.kind == "R" else size_of(spec)


def key(op: Op, specs: Sequence[TensorSpec]) -> str | None:
    """Return what a kernel's cost is kept under, or None if it has attributes that are no values.

    It has the operator, its attributes, the shapes and dtypes of its inputs, and of structure,
    which decides what is done, the value.
    """
    if op.effect is not Effect.NONE or not all(
        map(is_plain, op.attributes().values())
    ):
        return None
    listed = [
        f"{x}={x.known}" if i in op.host and x.known is not None else str(x)
        for i, x in enumerate(specs)
    ]
    return f"{op!r} of {'; '.join(listed)}"


def is_plain(value: object) -> bool:
    """Return whether an attribute is a value that prints alike in every process."""
    if isinstance(value, tuple):
        return all(map(is_plain, value))
    return value is None or isinstance(value, (bool, int, float, str, DType))


def computed(
    op: Op,
    inputs: Sequence[TensorSpec],
    outputs: Sequence[TensorSpec],
    rates: Rates,
) -> float:
    """Return a kernel's seconds from the bytes that it moves and the products that it sums."""
    if (
        op.effect is Effect.READ or op.aliases
    ):  # what is there is handed out, not copied
        return rates.call
    size = sum([size_of(x) for x in (*inputs, *outputs) if x.dtype.kind != "V"])
    work = flops(op, inputs, outputs)
    return rates.call + size / rates.bandwidth + work / rates.flops


def flops(
    op: Op, inputs: Sequence[TensorSpec], outputs: Sequence[TensorSpec]
) -> float:
    """Return the multiplications and additions of a product, convolution or einsum, else 0.

    A product sums over what is in both operands and not in the result: with sizes a, b of the
    operands and c of the result that is sqrt(a * b * c) multiplications, a stack apart.
    """
    name = op.name
    if name in ("MatMul", "BatchMatMulV2", "Einsum") and len(inputs) > 1:
        stack = _stack(op, outputs)
        sizes = [(x.size or 0) for x in (*inputs[:2], outputs[0])]
        return 2.0 * math.sqrt(prod(sizes) / stack) if stack else 0.0
    if name.startswith(("Conv2D", "DepthwiseConv2d")):
        return _convolved(op, inputs, outputs)
    return 0.0


def _stack(op: Op, outputs: Sequence[TensorSpec]) -> int:
    """Return how many products a stack of matrices has."""
    shape = outputs[0].shape or ()
    return (
        prod([size or 0 for size in shape[:-2]]) if op.name == "BatchMatMulV2" else 1
    )


def _convolved(
    op: Op, inputs: Sequence[TensorSpec], outputs: Sequence[TensorSpec]
) -> float:
    """Return the flops of a convolution or of one of its two gradients."""
    whole = [x for x in (*inputs, *outputs) if x.rank == 4]
    if len(whole) < 3:
        return 0.0
    is_gradient = "Backprop" in op.name
    filters = {"Input": inputs[1], "Filter": outputs[0]}.get(
        op.name.rpartition("Backprop")[2] if is_gradient else "", inputs[1]
    )
    result = inputs[2] if is_gradient else outputs[0]
    channels = result.shape[3] if result.shape else 1  # NHWC, the usual one
    depth = "Depthwise" in op.name
    each = (
        prod([size or 0 for size in (filters.shape or ())[:2]])
        if depth
        else (filters.size or 0)
    )
    return 2.0 * (result.size or 0) * each / (1 if depth else channels or 1)
