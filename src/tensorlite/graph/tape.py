"""GradientTape: an interpreter that remembers what it saw. The sweep itself is backprop.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple, Self

from tensorlite.core import nest, operand
from tensorlite.core.dispatch import (
    Interpreter,
    Tensors,
    bear_witness,
    current,
    interpreted_by,
    run,
    to_tensor,
)
from tensorlite.core.errors import (
    DTypeError,
    GradientError,
    GradientUseError,
    InvalidArgumentError,
    ShapeError,
)
from tensorlite.core.op import Effect, Gradient, Op
from tensorlite.core.operand import Operand
from tensorlite.core.spec import merge
from tensorlite.core.tensor import EagerTensor, IndexedSlices, Tensor
from tensorlite.graph.backprop import gradients, reachable

Unconnected = Literal["none", "zero", "error"]


# Python 3.11 takes as long to find an enum's member as to call.
NO_EFFECT = Effect.NONE


class Record(NamedTuple):
    """One call that a tape saw."""

    op: Op
    inputs: Tensors
    outputs: Tensors


_new = tuple.__new__  # makes a Record in half the time that its class takes


class GradientTape(Interpreter):
    """Records operators on watched tensors, and differentiates what it recorded.

    Trainable variables are watched when they are read, unless `watch_accessed_variables` is
    False. A tape answers one call of `gradient` and is then empty, unless it is `persistent`.

    >>> x = tl.asarray(3.0)
    >>> with tl.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * x
    >>> print(tape.gradient(y, x))
    6.0
    """

    def __init__(
        self, persistent: bool = False, watch_accessed_variables: bool = True
    ) -> None:
        self.persistent = persistent
        self.watch_accessed_variables = watch_accessed_variables
        self.recording = False
        self.used = False
        self._records: list[Record] = []
        self._watched: set[int] = set()
        self._kept: list[Tensor] = []
        bear_witness(self)

    def __enter__(self) -> Self:
        """Start recording; a tape may be entered again and goes on where it stopped."""
        if self.recording:
            raise GradientUseError(
                "this tape is recording already; make another for an inner block"
            )
        super().__enter__()
        self.observing = self.below is None or self.below.observing
        self.recording = True
        return self

    def __exit__(self, *exc: object) -> None:
        """Stop recording."""
        self.recording = False
        super().__exit__(*exc)

    def apply(self, op: Op, inputs: Tensors) -> Tensors:
        """Return the outputs of `op`, remembering the call if an input is watched."""
        outputs = run(self.below, op, inputs)
        self._record(op, inputs, outputs)
        return outputs

    def observe(self, op: Op, inputs: Tensors, outputs: Tensors) -> None:
        """Remember a call that dispatch made eagerly, if an input is watched."""
        if self.below is not None:
            self.below.observe(op, inputs, outputs)
        self._record(op, inputs, outputs)

    def _record(self, op: Op, inputs: Tensors, outputs: Tensors) -> None:
        if self.recording:
            watched = self._watched
            if op.effect is not NO_EFFECT and self.watch_accessed_variables:
                self._watch_read(op, inputs)
            for x in inputs:
                if id(x) in watched:
                    self._records.append(_new(Record, (op, inputs, outputs)))
                    if op.differentiable:  # else nothing behind it has a gradient
                        for y in outputs:
                            watched.add(id(y))
                    break

    def _watch_read(self, op: Op, inputs: Tensors) -> None:
        if op.effect is not Effect.READ and not op.regions():
            return
        for x in inputs:
            if id(x) not in self._watched and x.spec.trainable:
                self._watched.add(id(x))
                self._kept.append(x)

    def watching(self, op: Op, inputs: Tensors) -> list[bool]:
        """Return which inputs of a call, about to be made, gradients will be asked for."""
        if not self.recording:
            return [False] * len(inputs)
        if op.effect is not Effect.NONE and self.watch_accessed_variables:
            self._watch_read(op, inputs)
        return [id(x) in self._watched for x in inputs]

    def replace(self, old: Tensor, by: Tensor) -> None:
        """Let `by` stand wherever this tape saw `old`, watched or beside what was."""
        if id(old) in self._watched:
            self._watched.add(id(by))
            self._watched.discard(id(old))
            self._kept = [by if x is old else x for x in self._kept]
        seen, records = id(old), self._records
        for i, record in enumerate(records):
            if seen in map(id, record.inputs) or seen in map(id, record.outputs):
                records[i] = _replaced(record, old, by)

    def extend(self, beside: Tensor, extra: Tensors) -> None:
        """Watch `extra` if `beside`, an output of the same call, is watched."""
        if id(beside) in self._watched:
            self._watched.update(map(id, extra))
        super().extend(beside, extra)

    def watch(self, tensors: Any) -> None:
        """Watch a tensor, a variable, or a structure of these; DTypeError for integers."""
        if nest.is_value(tensors):
            parts = map(source_of, nest.flatten(tensors))
            tensors = [x for x in parts if x.dtype.is_differentiable]
        for leaf in nest.flatten(tensors):
            source = source_of(leaf)
            if not source.dtype.is_differentiable:
                raise DTypeError(
                    f"cannot watch {source.spec}: only floating and complex tensors have "
                    "gradients; cast it with tl.astype first"
                )
            self._watched.add(id(source))
            self._kept.append(source)

    def watched(self, tensor: Any) -> bool:
        """Return whether operators on `tensor` are recorded."""
        return id(source_of(tensor)) in self._watched

    def watched_variables(self) -> tuple[Any, ...]:
        """Return the variables that were read, or that `watch` was given, as they were made.

        >>> w = tl.Variable(2.0)
        >>> with tl.GradientTape() as tape:
        ...     y = w * w
        >>> tape.watched_variables()[0] is w
        True
        """
        owners = [x for x in map(owner_of, self._kept) if x is not None]
        return tuple(sorted(owners, key=lambda x: getattr(x, "ordinal", 0)))

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Record nothing inside the block.

        >>> x = tl.asarray(3.0)
        >>> with tl.GradientTape() as tape:
        ...     tape.watch(x)
        ...     with tape.stop_recording():
        ...         y = x * x
        >>> print(tape.gradient(y, x))
        None
        """
        before, self.recording = self.recording, False
        try:
            yield
        finally:
            self.recording = before

    def reset(self) -> None:
        """Forget everything recorded and watched."""
        self._records, self._watched, self._kept, self.used = [], set(), [], False

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected: Unconnected = "none",
    ) -> Any:
        """Return the gradient of `target` (of its sum, if it is a structure or no scalar).

        The result is structured like `sources`: tensors, IndexedSlices where only rows were used,
        and for sources without a path None, zeros, or a GradientError, as `unconnected` says.
        """
        targets = [source_of(leaf) for leaf in nest.flatten(target)]

        def sweep(leaves: list[Tensor]) -> list[Gradient]:
            flows = starting_gradients(targets, output_gradients, target)
            return gradients(self._records, targets, leaves, flows)

        return self._answer(target, sources, unconnected, sweep, _zero_like)

    def _answer(
        self,
        target: Any,
        sources: Any,
        unconnected: Unconnected,
        sweep: Callable[[list[Tensor]], list[Gradient]],
        zeros: Callable[[Any, Any], Tensor],
    ) -> Any:
        """Return what `sweep` finds for the sources, structured like them; spend the tape."""
        _check_unconnected(unconnected)
        self._spend()
        leaves = nest.flatten(sources)
        with interpreted_by(self._outside()):
            asked = [source_of(leaf) for leaf in leaves]
            themselves = {id(source_of(y)) for y in nest.flatten(target)}
            known = [
                x for x in asked if id(x) in self._watched or id(x) in themselves
            ]
            by_source = dict(zip(map(id, known), sweep(known), strict=True))
            found = [by_source.get(id(x)) for x in asked]
            filled = [
                self._fill(g, leaf, target, unconnected, zeros)
                for g, leaf in zip(found, leaves, strict=True)
            ]
        if not self.persistent:
            variables = [x for x in self._kept if owner_of(x) is not None]
            self._records, self._watched, self._kept = [], set(), variables
        return packed_gradients(sources, iter(filled))

    def jacobian(
        self, target: Any, sources: Any, unconnected: Unconnected = "none"
    ) -> Any:
        """Return the derivative of each element of `target` by each element of the sources.

        Its shape is the target's followed by the source's. One sweep is done per element.

        >>> x = tl.asarray([1.0, 2.0])
        >>> with tl.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> print(tape.jacobian(y, x))
        [[2. 0.]
         [0. 4.]]
        """
        return self._answer(
            target, sources, unconnected, self._rows(target, batch=False), _zero_rows
        )

    def batch_jacobian(
        self, target: Any, sources: Any, unconnected: Unconnected = "none"
    ) -> Any:
        """Return the Jacobian of each row of `target` by the same row of the sources.

        The first axis is the batch's, and rows must not depend on each other's sources. Its shape
        is the target's followed by the source's without the first axis.

        >>> x = tl.asarray([[1.0, 2.0], [3.0, 4.0]])
        >>> with tl.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> print(tape.batch_jacobian(y, x)[1])
        [[6. 0.]
         [0. 8.]]
        """
        return self._answer(
            target,
            sources,
            unconnected,
            self._rows(target, batch=True),
            _zero_batches,
        )

    def _rows(
        self, target: Any, *, batch: bool
    ) -> Callable[[list[Tensor]], list[Gradient]]:
        y = source_of(target)

        def sweep(leaves: list[Tensor]) -> list[Gradient]:
            connected = [x for x in leaves if id(y) in reachable(self._records, [x])]
            if not connected:
                return [None] * len(leaves)

            def pull(dy: Tensor) -> list[Gradient]:
                return gradients(self._records, [y], connected, [dy])

            rows = zip(
                connected,
                operand.operators.jacobian_rows(pull, y, connected, batch),
                strict=True,
            )
            placed = {id(x): row for x, row in rows}
            return [placed.get(id(x)) for x in leaves]

        return sweep

    def _spend(self) -> None:
        if self.used and not self.persistent:
            raise GradientError(
                "A non-persistent GradientTape can only be used to compute one set of gradients "
                "(or jacobians), and this one has; make it with persistent=True to ask again"
            )
        self.used = True

    def _outside(self) -> Interpreter | None:
        """Return what runs the gradient's operators: this tape only if it may be asked again."""
        top = current.get()
        if top is self and not self.persistent:
            return self.below
        return top

    def _fill(
        self,
        g: Gradient,
        leaf: Any,
        target: Any,
        unconnected: str,
        zeros: Callable[[Any, Any], Tensor],
    ) -> Gradient:
        if g is not None or unconnected == "none":
            return g
        if unconnected == "zero":
            return zeros(target, leaf)
        raise GradientError(f"no path to a source: {self.why_none(target, leaf)}")

    def why_none(self, y: Any, x: Any) -> str:
        """Return, in words, where the chain from `x` to `y` breaks.

        >>> x = tl.asarray(3.0)
        >>> with tl.GradientTape(persistent=True) as tape:
        ...     tape.watch(x)
        ...     y = tl.stop_gradient(x) * 2.0
        >>> print(tape.why_none(y, x))
        StopGradient passes no gradient on
        """
        source, target = source_of(x), source_of(nest.flatten(y)[0])
        if id(source) not in self._watched:
            return (
                f"the source {source.spec} is not watched: call tape.watch(x) before using it, "
                "or make it a trainable tl.Variable"
            )
        if not target.dtype.is_differentiable:
            return f"the target is {target.spec}, and only floating tensors have gradients"
        return self._break(source, target)

    def _break(self, source: Tensor, target: Tensor) -> str:
        reached, blocked = {id(source)}, ""
        for record in self._records:
            if any(id(x) in reached for x in record.inputs):
                if not record.op.differentiable:
                    blocked = blocked or f"{record.op.name} passes no gradient on"
                elif any(y.dtype.is_differentiable for y in record.outputs):
                    reached.update(map(id, record.outputs))
                else:
                    blocked = (
                        blocked or f"{record.op.name} gives {record.outputs[0].spec}"
                    )
        if id(target) in reached:
            return "there is a path; the gradient is not None"
        return blocked or (
            "no recorded operator leads from the source to the target: the target was made outside "
            "the tape, by NumPy, or before the source was watched"
        )


def packed_gradients(
    sources: Any, found: Iterator[Any], dense: Callable[[Any], Any] = lambda x: x
) -> Any:
    """Return gradients structured like the sources.

    That of a tensor of several parts, such as rows of different lengths, is such a tensor, whose
    parts without gradients are the source's, others `dense`; None where no part has one.
    """
    if not nest.is_nested(sources):
        return next(found)
    if not nest.is_value(sources):
        members = [packed_gradients(x, found, dense) for x in nest.children(sources)]
        return nest.rebuild(sources, members)
    parts = [(leaf, next(found)) for leaf in nest.flatten(sources)]
    if all(gradient is None for _, gradient in parts):
        return None
    whole = [x if dx is None else dense(dx) for x, dx in parts]
    return nest.pack_like(sources, whole)


def owner_of(kept: Tensor) -> Any:
    """Return the variable whose handle was watched, None for other tensors."""
    state = (
        kept.array if isinstance(kept, EagerTensor) else getattr(kept, "node", None)
    )
    owner = getattr(state, "owner", None)
    return None if owner is None else owner()


def _replaced(record: Record, old: Tensor, by: Tensor) -> Record:
    def swap(xs: Tensors) -> Tensors:
        return tuple([by if x is old else x for x in xs])

    return record._replace(inputs=swap(record.inputs), outputs=swap(record.outputs))


def source_of(value: Any) -> Tensor:
    """Return the tensor whose gradient stands for that of `value`: a variable's is its handle."""
    if type(value) is EagerTensor:
        return value
    handle = getattr(value, "handle", None)
    if isinstance(handle, Tensor):
        return handle
    if isinstance(value, IndexedSlices):
        return value.values
    if not isinstance(value, Operand):
        raise DTypeError(
            f"{type(value).__name__} has no gradient: it is no tensor or variable. Convert it "
            "with tl.asarray before the tape records"
        )
    return to_tensor(value)


def starting_gradients(
    targets: Sequence[Tensor], given: Any, values: Any = None
) -> list[Gradient]:
    """Return the gradients that flow into the targets: the given ones, or ones.

    Ones are shaped as the `values` whose sources the targets are, such as variables of handles.
    """
    if given is None:
        shaped = targets if values is None else nest.flatten(values)
        return [
            operand.operators.ones_like(x) if y.dtype.is_differentiable else None
            for x, y in zip(shaped, targets, strict=True)
        ]
    leaves = nest.flatten(given)
    if len(leaves) != len(targets):
        raise InvalidArgumentError(
            f"{len(leaves)} output gradients for {len(targets)} targets; give one for each"
        )
    return [_checked(leaf, y) for leaf, y in zip(leaves, targets, strict=True)]


def _checked(given: Any, target: Tensor) -> Gradient:
    if given is None or isinstance(given, IndexedSlices):
        return given
    flow = to_tensor(given, target.dtype)
    try:
        merge(flow.spec.shape, target.spec.shape)
    except ShapeError as error:
        raise ShapeError(
            f"an output gradient must be shaped as its target: {error}"
        ) from None
    return flow


def _zero_like(_: Any, x: Any) -> Tensor:
    """Return a gradient of zeros, which has the shape of its source."""
    return operand.operators.zeros_like(x)


def _zero_rows(y: Any, x: Any) -> Tensor:
    """Return a Jacobian of zeros: of the target's shape, followed by the source's."""
    rows, own = map(operand.operators.zeros_like, (y, x))
    return rows[(..., *[None] * own.ndim)] * own


def _zero_batches(y: Any, x: Any) -> Tensor:
    """Return a Jacobian of zeros for each row."""
    rows, own = map(operand.operators.zeros_like, (y, x))
    between = (slice(None), *[None] * (rows.ndim - 1))
    return rows[(..., *[None] * (own.ndim - 1))] * own[between]


def _check_unconnected(value: str) -> None:
    if value not in ("none", "zero", "error"):
        raise InvalidArgumentError(
            f"unconnected={value!r}; allowed: 'none', 'zero', 'error'"
        )
