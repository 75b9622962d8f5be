"""Op: the base of every operator. The operators themselves stand in ops/, one place each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import Field, dataclass, fields
from enum import Enum, auto
from threading import Lock
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Protocol,
    TypeAlias,
    dataclass_transform,
)

from tensorlite.core.errors import GradientError
from tensorlite.core.spec import TensorSpec

if TYPE_CHECKING:
    from tensorlite.core.tensor import IndexedSlices, Tensor

Gradient: TypeAlias = "Tensor | IndexedSlices | None"
Grads: TypeAlias = "tuple[Gradient, ...]"
Specs: TypeAlias = "TensorSpec | tuple[TensorSpec, ...]"


class Role(Enum):
    """What a runner must know of an operator beside its kernel."""

    PLAIN = auto()
    INPUT = auto()
    IF = auto()
    WHILE = auto()
    CALL = auto()
    SWITCH = auto()
    MERGE = auto()
    ENTER = auto()
    EXIT = auto()
    NEXT = auto()
    LOOP_COND = auto()
    SEND = auto()
    RECV = auto()
    ASYNC = auto()


class Effect(Enum):
    """What an operator does beside computing outputs; the tracer orders effects by it.

    >>> class Beep(tl.Op):
    ...     effect = tl.extend.Effect.IO
    ...     def infer(self):
    ...         return ()
    ...     def kernel(self, xp):
    ...         print("beep")
    ...         return ()
    >>> tl.extend.calls(Beep())
    beep
    ()
    """

    NONE = auto()
    """Nothing: equal calls are merged, unused ones dropped."""
    DRAW = auto()
    """Differs from call to call: never merged, dropped when unused."""
    READ = auto()
    """Reads its resources: ordered after writes, dropped when unused."""
    WRITE = auto()
    """Writes its resources: ordered among all their users, always run."""
    IO = auto()
    """Acts on the world: runs in program order, always."""


class Call(Protocol):
    """One application of an operator, as a tape's record or a graph's node.

    What `Op.grad` is given: `call.inputs` and `call.outputs` are tensors.

    >>> class Cube(tl.extend.Unary):
    ...     def kernel(self, xp, x):
    ...         return x**3
    ...     def grad(self, call, dy):
    ...         return (3.0 * call.inputs[0] ** 2 * dy,)
    >>> print(tl.grad(lambda x: tl.extend.call(Cube(), x))(tl.asarray(2.0)))
    12.0
    """

    @property
    def op(self) -> Op:
        """The operator."""

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """What it was given."""

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        """What it gave."""


REGISTRY: dict[str, type[Op]] = {}


@dataclass_transform(frozen_default=True)
class Op:
    """An operator: a frozen value whose fields are the attributes.

    A subclass is named as TensorFlow names the operator and defines `infer` (specs -> specs),
    `kernel` (arrays -> arrays, over `xp`, which is NumPy or CuPy) and, unless it is not
    differentiable, `grad` (gradients of the outputs -> one gradient or None per input).

    >>> class Twice(tl.Op):
    ...     def infer(self, x):
    ...         return x
    ...     def kernel(self, xp, x):
    ...         return x + x
    ...     def grad(self, call, dy):
    ...         return (dy + dy,)
    >>> print(tl.extend.call(Twice(), [1.0, 2.0]))
    [2. 4.]
    """

    role: ClassVar[Role] = Role.PLAIN
    effect: ClassVar[Effect] = Effect.NONE
    differentiable: ClassVar[bool] = True
    wants_float: ClassVar[bool] = False
    """Whether integer operands are cast to float32 before the kernel."""
    takes_sparse: ClassVar[bool] = False
    """Whether `grad` takes IndexedSlices as they are rather than made dense."""
    selective: ClassVar[bool] = False
    """Whether `grad` asks `needs(call, i)` and leaves out gradients that lead to no source."""
    host: ClassVar[tuple[int, ...]] = ()
    """Inputs that are structure (shapes, axes) and always NumPy arrays in host memory."""
    aliases: ClassVar[bool] = False
    """Whether an output may share memory with an input."""
    moves: ClassVar[bool] = False
    """Whether outputs lie on the device that the attribute `device` names, wherever inputs do."""
    outlives: ClassVar[bool] = False
    """Whether it runs though what it waits for is dead, as nothing with an input can."""
    ufunc: ClassVar[str | None] = None
    """Name of the array function that the kernel is, when it takes `out=`."""
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    """The attributes, once there are some: subclasses become dataclasses."""
    by_dtype: ClassVar[bool] = False
    """Whether inference refuses dtypes, and nothing else that the kernel would take: dispatch then
    asks it once for each. A class with an `infer` of its own says so anew; those whose attributes
    are functions or graphs say it too, since nothing may keep these longer than they live."""
    admitted: ClassVar[set[Any]] = set()
    """What inference has let pass: dtypes, and calls as admission.py tells one from another."""

    def __init_subclass__(cls, abstract: bool = False) -> None:
        """Register the class by name; it becomes a frozen dataclass when first it is needed."""
        cls.admitted = set()
        if "infer" in vars(cls) and "by_dtype" not in vars(cls):
            cls.by_dtype = False
        if "__init__" not in vars(cls):
            cls.__init__ = _first_init  # type: ignore[assignment]
        if not abstract:
            REGISTRY[cls.__name__] = cls

    infer: Callable[..., Specs]
    kernel: Callable[..., Any]

    def grad(self, call: Call, *dys: Any) -> Grads:
        """Return one gradient (or None) per input, given those of the outputs."""
        raise GradientError(f"{self.name} has no gradient: {call.op!r}")

    def regions(self) -> tuple[Any, ...]:
        """Return the inner graphs: (then, else), (cond, body), (called function's), or none."""
        return ()

    def with_regions(self, regions: tuple[Any, ...]) -> Op:
        """Return this operator with other inner graphs, in the order of `regions`."""
        return self

    @property
    def name(self) -> str:
        """The operator's name, which is its class's."""
        return type(self).__name__

    @classmethod
    def attribute_names(cls) -> tuple[str, ...]:
        """Return the names of the attributes."""
        _prepare(cls)
        if not hasattr(cls, "__dataclass_fields__"):
            return ()
        return tuple([field.name for field in fields(cls)])

    def attributes(self) -> dict[str, Any]:
        """Return the attributes by name."""
        return {name: getattr(self, name) for name in self.attribute_names()}

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        listed = ", ".join(
            f"{key}={value!r}" for key, value in self.attributes().items()
        )
        return f"{self.name}({listed})"


def _first_init(self: Op, *args: Any, **attributes: Any) -> None:
    """Stand in for a class's `__init__` until the first operator of it is made."""
    _prepare(type(self))
    type(self).__init__(self, *args, **attributes)


def _prepare(cls: type[Op]) -> None:
    """Make a class and its bases frozen dataclasses, unless they have no attributes.

    Making a dataclass compiles source, which for all operators at once would take most of the
    time that importing the library takes.
    """
    with_attributes = False
    for base in reversed(cls.__mro__):
        if not issubclass(base, Op) or base is Op:
            continue
        own = vars(base)
        hints = own.get("__annotations__", {}).values()
        with_attributes |= any(not str(hint).startswith("ClassVar") for hint in hints)
        if own.get("__init__") is _first_init:
            with _preparing:
                if own.get("__init__") is not _first_init:
                    continue
                if with_attributes:
                    _become_dataclass(base)
                else:
                    del base.__init__


_preparing = Lock()


def _become_dataclass(cls: type[Op]) -> None:
    """Make a class a frozen dataclass; other threads wait for it until that is done.

    That is until `__init__` is another. `dataclass` replaces none, and while there is none that of
    a base would be called: so it comes from a class that is alike, all at once.
    """
    own = {
        name: value
        for name, value in vars(cls).items()
        if name not in ("__dict__", "__weakref__")
    }
    alike: Any = type(cls.__name__, cls.__bases__, own, abstract=True)
    del alike.__init__
    made: Any = dataclass(frozen=True, repr=False, eq=False)(alike)
    dataclass(frozen=True, repr=False, init=False)(cls)
    cls.__init__ = vars(made)["__init__"]  # type: ignore[method-assign]
