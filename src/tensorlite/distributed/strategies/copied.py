"""Variables that are several, one on each of some devices: which is read, and who writes which.

They are made of variables of any class; `several` says what new ones are made by. The
variables of tl.distribute's own strategies, which stand on these, are in mirrored_variable.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from functools import cache
from inspect import signature
from typing import Any, cast
from weakref import ref

import numpy as np

from tensorlite.core.device import DeviceName
from tensorlite.core.dispatch import interpreted_by, to_tensor
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.op import Op
from tensorlite.core.operand import Operand
from tensorlite.core.tensor import EagerTensor, Tensor, TensorLike
from tensorlite.distributed.strategies.per_replica import (
    DistributedValues,
    PerReplica,
)
from tensorlite.distributed.strategies.shared import shared
from tensorlite.distributed.strategies.updating import on
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.fetchable import Fetchable, effect, group
from tensorlite.ops.sparse.slices import accumulate
from tensorlite.ops.state.variable import Variable, VariableState, members, variety
from tensorlite.train.replica import replica

NONE, SUM, MEAN, ONLY_FIRST_REPLICA = range(4)
"""How replicas' values become one: TensorFlow's numbers for it."""
_AUTO, NEVER, ON_WRITE, ON_READ = range(4)
"""When they do."""
_NAMES = ("NONE", "SUM", "MEAN", "ONLY_FIRST_REPLICA")


class Copied(DistributedValues, Variable):
    """A variable with copies; in front of the class of these it makes one that has several.

    A replica reads its own copy, and everybody else the first.
    """

    __slots__ = ()
    copies: tuple[Any, ...]
    replicas: int
    """How many replicas there are: as many as copies, or all use the one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing: the copies have been made of what is given."""

    @property
    def values(self) -> Any:
        """The copies."""
        return self.copies

    @property
    def handle(self) -> Tensor:  # type: ignore[override]
        """The handle of the replica's own copy, elsewhere of the first."""
        here = replica.get()
        index = 0 if here is None or len(self.copies) == 1 else here.index
        own: Tensor = self.copies[index].handle
        return own

    @property
    def how(self) -> int:
        """How replicas' values become one."""
        return self.distribution[1]

    def assign(self, value: TensorLike, *args: Any, **kwargs: Any) -> Any:
        """Make a value the variable's, or of values per replica each that of its copy."""
        if not isinstance(value, PerReplica):
            return super().assign(self._checked(value), *args, **kwargs)
        for copy, own in zip(self.copies, value, strict=True):
            copy.assign(own)
        return self

    def assign_add(self, value: TensorLike, *args: Any, **kwargs: Any) -> Any:
        """Add a value to the variable."""
        return super().assign_add(self._checked(value), *args, **kwargs)

    def assign_sub(self, value: TensorLike, *args: Any, **kwargs: Any) -> Any:
        """Subtract a value from the variable."""
        return super().assign_sub(self._checked(value), *args, **kwargs)

    def _checked(self, value: TensorLike) -> TensorLike:
        """Return what is to be assigned, once it is sure that this may be."""
        return value

    def written(self, op: Op, *inputs: TensorLike) -> Fetchable:
        """Write by an operator to those copies that are to be written."""
        return self._write(op, *inputs)

    def _write(self, op: Op, *inputs: TensorLike) -> Fetchable:
        here = replica.get()
        own = [to_tensor(x) for x in inputs]
        if here is None:
            return self._write_all(op, own)
        merge = getattr(here, "merge", None)
        if merge is None:  # what all do alike
            return effect(op, self.handle, *own)
        return self._write_as_replica(op, own, merge)

    def _write_all(self, op: Op, inputs: Sequence[Tensor]) -> Fetchable:
        """Write to each copy."""
        written = []
        for copy in self.copies:
            with on(copy.device):
                written.append(effect(op, copy.handle, *inputs))
        return group(*written)

    def _write_as_replica(
        self, op: Op, inputs: Sequence[Tensor], merge: Callable[..., Any]
    ) -> Fetchable:
        """Write what a replica writes; `merge` lets it meet the others."""
        raise NotImplementedError(f"{type(self).__name__}._write_as_replica")

    def _write_merged(
        self, op: Op, inputs: Sequence[Tensor], merge: Callable[..., Any]
    ) -> Fetchable:
        """Write to all copies what the replicas' values come to."""
        if self.how == NONE:
            raise InvalidArgumentError(
                "You must specify an aggregation method to update a "
                f"{type(self).__name__} in Replica Context: {self.name!r} is one for all "
                "replicas. Pass `aggregation` to tf.Variable(..), e.g. "
                "`tf.Variable(..., aggregation=tf.VariableAggregation.SUM)`, or update it in a "
                "function that is given to `tf.distribute.get_replica_context().merge_call`"
            )
        if len(inputs) != 1 and self.how != ONLY_FIRST_REPLICA:
            raise InvalidArgumentError(
                f"{op.name} is only supported for mirrored variable (variable created within "
                "certain `tf.distribute.Strategy` scope) with NONE or `ONLY_FIRST_REPLICA` "
                f"aggregation, got: VariableAggregation.{_NAMES[self.how]}."
            )

        def merged(brought: list[Sequence[Tensor]]) -> list[Fetchable]:
            whole = brought[0]
            if self.how != ONLY_FIRST_REPLICA:
                with on(self.copies[0].device):
                    whole = [joined([own[0] for own in brought], self.how)]
            return [self._write_all(op, whole)] * len(brought)

        found: Fetchable = merge(merged, inputs)
        return found

    def beside(self, value: TensorLike, name: str) -> Variable:
        """Return a new variable with a copy beside each of this one's."""
        tokens = several.set(None), variety.set(None)
        try:
            made = [copy.beside(value, name) for copy in self.copies]
        finally:
            several.reset(tokens[0])
            variety.reset(tokens[1])
        other: Variable = of_copies(OnWrite, made, self.replicas)
        return other

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        made = super().__deepcopy__(memo)
        for copy in made.copies:
            _own(made, copy)
        return made


class OnWrite(Copied):
    """Copies that are kept equal: TensorFlow's MirroredVariable."""

    __slots__ = ()

    def _checked(self, value: TensorLike) -> TensorLike:
        is_number = not isinstance(value, Operand)
        here = replica.get()
        is_summed = hasattr(here, "merge") and self.replicas > 1 and self.how == SUM
        if is_summed and is_number and np.asarray(value).any():
            raise InvalidArgumentError(
                f"A non-DistributedValues value {value} cannot be reduced with the given reduce "
                "op ReduceOp.SUM."
            )
        return value

    def _write_as_replica(
        self, op: Op, inputs: Sequence[Tensor], merge: Callable[..., Any]
    ) -> Fetchable:
        if self.how == NONE and len(self.copies) == self.replicas:
            return effect(op, self.handle, *inputs)
        return self._write_merged(op, inputs, merge)


class OnRead(Copied):
    """Copies that replicas write each by itself, and that become one where all are read."""

    __slots__ = ()

    def __tensor__(self) -> Tensor:
        """Return the replica's own value, elsewhere what all come to."""
        if replica.get() is not None or len(self.copies) == 1:
            return super().__tensor__()
        self._check_joined()
        if self.how == ONLY_FIRST_REPLICA:
            return super().__tensor__()
        with on(self.copies[0].device):
            return joined([copy.__tensor__() for copy in self.copies], self.how)

    def _check_joined(self) -> None:
        if self.how == NONE and len(self.copies) > 1:
            raise InvalidArgumentError(
                f"{self.name!r} has the aggregation NONE, by which its copies do not become one: "
                "Could not convert from `tf.VariableAggregation` VariableAggregation.NONE "
                "to`tf.distribute.ReduceOp` type"
            )

    def _write_all(self, op: Op, inputs: Sequence[Tensor]) -> Fetchable:
        self._check_joined()
        if self.how != SUM or len(self.copies) == 1:
            return super()._write_all(op, inputs)
        if op.name != "AssignVariableOp":
            change = "assign_sub" if "Sub" in op.name else "assign_add"
            raise InvalidArgumentError(
                f"SyncOnReadVariable does not support `{change}` in cross-replica context when "
                "aggregation is set to `tf.VariableAggregation.SUM`."
            )
        (value,) = inputs
        share = value / len(self.copies)  # so that the sum is what was assigned
        return super()._write_all(op, [astype(share, value.dtype)])

    def _write_as_replica(
        self, op: Op, inputs: Sequence[Tensor], merge: Callable[..., Any]
    ) -> Fetchable:
        if len(self.copies) == self.replicas:
            return effect(op, self.handle, *inputs)
        return self._write_merged(op, inputs, merge)


def joined(values: Sequence[Tensor], how: int) -> Tensor:
    """Return the sum of tensors, or their mean."""
    total = accumulate(values)
    assert isinstance(total, Tensor)
    if how == SUM:
        return total
    return astype(total / len(values), total.dtype)


@cache
def _kind(policy: Any, of: Any) -> type:
    """Return the class of variables that are several of a class, by a policy."""
    name = "SyncOnReadVariable" if issubclass(policy, OnRead) else "MirroredVariable"
    made: type = type(of)(name, (policy, of), {"__slots__": ()})
    return made


def of_copies(
    policy: type[Copied], copies: Sequence[Any], replicas: int | None = None
) -> Any:
    """Return the variable that copies are, which has all else from the first of them."""
    first = copies[0]
    made: Any = object.__new__(_kind(cast("Any", policy), cast("Any", type(first))))
    for member, value in members(first):
        if member.__name__ != "handle":
            member.__set__(made, value)
    vars(made).update(vars(first))
    made.copies = tuple(copies)
    made.replicas = len(made.copies) if replicas is None else replicas
    for copy in copies:
        _own(made, copy)
    return made


def _own(whole: Variable, copy: Variable) -> None:
    """Let what finds the owner of a copy's handle find the variable with all copies."""
    state = copy.handle.array if isinstance(copy.handle, EagerTensor) else None
    if isinstance(state, VariableState):
        state.owner = ref(whole)


class Copying:
    """Makes variables with a copy on each of some devices, whatever their class is."""

    def __init__(self, devices: Sequence[DeviceName], replicas: int) -> None:
        self.devices, self.replicas = devices, replicas

    def __call__(
        self, cls: type, make: Callable[..., Any], *args: Any, **kwargs: Any
    ) -> Any:
        """Return a new variable of what one is made of; all replicas make the same."""
        return shared(lambda: self._made(cls, make, args, kwargs))

    def _made(
        self, cls: type, make: Callable[..., Any], args: Any, kwargs: dict[str, Any]
    ) -> Any:
        tokens = several.set(None), variety.set(None)
        try:
            return self._several(cls, make, args, kwargs)
        finally:
            several.reset(tokens[0])
            variety.reset(tokens[1])

    def varied(self, *args: Any, **kwargs: Any) -> Any:
        """Return a new variable of tensorlite's own class, which asks for it by `variety`."""
        return self(Variable, Variable, *args, **kwargs)

    def _several(
        self, cls: type, make: Callable[..., Any], args: Any, kwargs: dict[str, Any]
    ) -> Any:
        with on(self.devices[0]):
            first = make(*args, **kwargs)
        init: Any = cls.__init__  # type: ignore[misc]  # of this very class
        given = signature(init).bind(None, *args, **kwargs)
        told, name = list(given.arguments)[1], given.arguments.get("name")
        with interpreted_by(None):
            given.arguments[told] = first.__tensor__()
        copies = [first]
        for index, place in enumerate(self.devices[1:], 1):
            given.arguments["name"] = f"{name or 'Variable'}/replica_{index}"
            with on(place):
                copies.append(make(*given.args[1:], **given.kwargs))
        when, how = first.distribution
        if when == NEVER:
            raise InvalidArgumentError(
                "`NONE` variable synchronization mode is not supported with tf.distribute "
                f"strategy. Please change the `synchronization` for variable: {first.name}"
            )
        for copy in copies:
            vars(copy)["distribution"] = when or ON_WRITE, how
        policy = OnRead if when == ON_READ else OnWrite
        return of_copies(policy, copies, self.replicas)


several: ContextVar[Callable[..., Any] | None] = ContextVar("several", default=None)
"""What makes variables that are several, with copies or in parts, which their classes ask.

It is given the class, what makes one of it, and what that is given.
"""
