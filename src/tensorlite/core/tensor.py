"""Tensor, EagerTensor, IndexedSlices: what operators take and give.

Symbolic tensors stand with graphs (graph/graph.py), variables with their operators.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any, ClassVar, TypeAlias, cast

import numpy as np

from tensorlite.core import operand, texts
from tensorlite.core.device import DeviceName, settings
from tensorlite.core.dtypes import DType, of_numpy
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ScalarError
from tensorlite.core.opaque import Opaque
from tensorlite.core.operand import Manner, Operand
from tensorlite.core.remote import RemoteArray
from tensorlite.core.shapes import AnyShape, TensorShape, shape_asked, shape_of
from tensorlite.core.spec import TensorSpec, element, merge, shape_text
from tensorlite.core.xp import CPU, Array, shown, to_device, to_host, xp_of

TensorLike: TypeAlias = (
    Operand
    | np.ndarray[Any, Any]
    | np.generic
    | bool
    | int
    | float
    | complex
    | str
    | Sequence[Any]
)
Shape: TypeAlias = tuple[Any, ...]
"""Sizes: ints, or None where a trace does not know one (Any spares eager users the test)."""


_PLUMBING = {
    "__array_function__",
    "__array_ufunc__",
    "__hash__",
    "__setitem__",
    "__tensor__",
}
"""What operands define that is no operator to hand on."""


class Tensor(Operand):
    """An array of one dtype on one device, with a value (eager) or standing for one (in a trace).

    >>> tl.asarray([[1.0, 2.0], [3.0, 4.0]])
    Tensor(shape=(2, 2), dtype=float32, device=CPU:0)
    [[1. 2.]
     [3. 4.]]
    """

    __slots__ = (
        "__dict__",
        "__weakref__",
    )  # libraries put notes of their own on tensors

    OVERLOADABLE_OPERATORS: ClassVar[set[str]] = {
        name
        for name, value in vars(Operand).items()
        if name.startswith("__") and callable(value) and name not in _PLUMBING
    }
    """Names of Python's operators that tensors have, for classes that stand for tensors."""

    __array_priority__ = 100

    @property
    @abstractmethod
    def spec(self) -> TensorSpec:
        """What is known of this tensor without looking at its value."""

    @property
    @abstractmethod
    def device(self) -> DeviceName:
        """The device whose memory holds the value."""

    @property
    @abstractmethod
    def array(self) -> Array:
        """The array that holds the value, not to be written to."""

    @abstractmethod
    def become(self, other: Tensor) -> None:
        """Take over the value of `other`; what `x[i] = v` does to `x`."""

    def __tensor__(self) -> Tensor:
        """Return this tensor."""
        return self

    @property
    def shape(self) -> Shape:
        """The size of each axis."""
        return shape_asked(self.spec)

    def get_shape(self) -> AnyShape:
        """Return the shape; unlike `shape`, where not even the rank is known, too."""
        return shape_of(self.spec.shape)

    def set_shape(self, shape: Any) -> None:
        """Say what is known of the sizes, None for what is not; ShapeError if they are others.

        >>> tl.ones((2, 3)).set_shape([None, 3])
        """
        merge(self.spec.shape, TensorSpec(shape, self.dtype).shape)

    @property
    def static_shape(self) -> tuple[int, ...] | None:
        """The shape when every size is known, else None; the short way to it."""
        shape = self.spec.shape
        return None if shape is None or None in shape else shape  # type: ignore[return-value]

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self.spec.dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int | None:
        """The number of elements, or None where a trace does not know it."""
        return self.spec.size

    @property
    def T(self) -> Tensor:
        """The transpose of a matrix; every axis reversed for other ranks."""
        return operand.operators.reverse_axes(self)

    @property
    def mT(self) -> Tensor:
        """The tensor with its last two axes exchanged."""
        return operand.operators.matrix_transpose(self)

    def numpy(self) -> np.ndarray[Any, Any]:
        """Return the value as a read-only NumPy array; SymbolicTensorError in a trace.

        With TensorFlow's results it is a copy, which may be written to.
        """
        view = self._view()
        if not settings.tensorflow_results:
            return view
        found = texts.encoded(view)
        if found.ndim == 0:
            return cast("np.ndarray[Any, Any]", found[()])
        return found.copy() if found is view else found

    def _view(self) -> np.ndarray[Any, Any]:
        view = shown(to_host(self.array)).view()
        view.flags.writeable = False
        return view

    def ref(self) -> Reference:
        """Return what stands for the tensor itself in sets and dicts; tensors compare by elements.

        >>> x = tl.ones(2)
        >>> seen = {x.ref()}
        >>> x.ref() in seen, tl.ones(2).ref() in seen
        (True, False)
        """
        return Reference(self)

    def item(self) -> Any:
        """Return the value of a one-element tensor as a Python scalar."""
        return self._one("item()").item()

    def tolist(self) -> Any:
        """Return the value as nested lists of Python scalars."""
        return shown(to_host(self.array)).tolist()

    def _one(self, wanted: str) -> np.ndarray[Any, Any]:
        array = shown(to_host(self.array))
        if array.size != 1:
            raise ScalarError(
                f"{wanted} needs a tensor of one element; this one has shape "
                f"{shape_text(array.shape)}. Reduce it (tl.sum, tl.any, tl.all) or index it"
            )
        return array.reshape(())

    def __bool__(self) -> bool:
        return bool(self._one("bool()"))

    def __nonzero__(self) -> bool:
        """Return what bool() does: what classes that stand for tensors take over by this name."""
        return bool(self)

    def __int__(self) -> int:
        return int(self._one("int()"))

    def __float__(self) -> float:
        return float(self._one("float()"))

    def __complex__(self) -> complex:
        return complex(self._one("complex()"))

    def __index__(self) -> int:
        if not self.dtype.is_integer or self.shape != ():
            raise DTypeError(
                f"only an integer 0-d tensor serves as an index, not {self.spec}"
            )
        return int(self._one("an index"))

    def __bytes__(self) -> bytes:
        return self.numpy().tobytes()

    def __len__(self) -> int:
        if self.spec.rank == 0:
            raise DTypeError("len() of a 0-d tensor")
        return int(self.shape[0])

    def __iter__(self) -> Iterator[Tensor]:
        if self.spec.rank == 0:
            raise DTypeError("a 0-d tensor cannot be iterated over")
        return (self[i] for i in range(len(self)))

    def __contains__(self, value: object) -> bool:
        return bool((shown(to_host(self.array)) == value).any())

    def __array_namespace__(self, *, api_version: str | None = None) -> ModuleType:
        """Return the Array API namespace that this tensor belongs to: tensorlite itself."""
        if api_version not in (
            None,
            "2021.12",
            "2022.12",
            "2023.12",
            "2024.12",
            "2025.12",
        ):
            raise InvalidArgumentError(
                f"Array API version {api_version!r} is not served"
            )
        return import_module("tensorlite")

    def to_device(self, device: str | DeviceName, /, *, stream: Any = None) -> Tensor:
        """Return this tensor on another device; DeviceError when there is no such device."""
        if stream is not None:
            raise InvalidArgumentError(
                "stream must be None: transfers are ordered by themselves"
            )
        name = DeviceName.of(device)
        return operand.operators.to_device(self, name)

    def __array__(
        self, dtype: Any = None, copy: bool | None = None
    ) -> np.ndarray[Any, Any]:
        """Return the value as a NumPy array, for NumPy's own use."""
        array = self._view()
        return (
            array
            if dtype is None and not copy
            else array.astype(dtype or array.dtype)
        )

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[Any, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """Export the value by DLPack, without copying where the consumer allows."""
        array = self.array
        return (array.read() if isinstance(array, RemoteArray) else array).__dlpack__(
            stream=stream, max_version=max_version, dl_device=dl_device, copy=copy
        )

    def __dlpack_device__(self) -> tuple[Any, Any]:
        """Return DLPack's (device type, device id)."""
        array = self.array
        kind, index = (
            array.read() if isinstance(array, RemoteArray) else array
        ).__dlpack_device__()
        return kind, index


watcher: Callable[[EagerTensor], None] | None = None
"""What hears of every new eager tensor; core/accounts.py sets it while it counts."""


class Reference:
    """A tensor or variable as a key of dicts."""

    __slots__ = ("__weakref__", "_referred")

    def __init__(self, referred: Any) -> None:
        self._referred = referred

    def deref(self) -> Any:
        """Return what it stands for."""
        return self._referred

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self._referred is other._referred

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._referred!r}>"

    def __lt__(self, other: Reference) -> bool:
        """Return whether this comes first in an order that is the same throughout a program."""
        return id(self._referred) < id(other._referred)

    def __hash__(self) -> int:
        return id(self._referred)


_OF_GRAPHS = {"op", "graph", "name", "value_index"}
"""What tensors of graphs have, and those that have their values have not."""


class EagerTensor(Tensor):
    """A tensor that has its value."""

    __slots__ = ("_array", "_device")
    has_own_equality = False

    def __init__(self, array: Array, device: DeviceName = CPU) -> None:
        self._array = array
        self._device = device
        if watcher is not None:
            watcher(self)

    @property
    def array(self) -> Array:
        """The array that holds the value, not to be written to."""
        return self._array

    @property
    def device(self) -> DeviceName:
        """The device whose memory holds the value."""
        return self._device

    @property
    def spec(self) -> TensorSpec:
        """The shape and dtype of the value."""
        array = self._array
        if type(array) is not np.ndarray and isinstance(array, Opaque):
            return array.spec
        dtype = of_numpy(array.dtype)
        small = dtype.kind in "iu" and array.size <= 64 and xp_of(array) is np
        return TensorSpec(
            array.shape, dtype, None, (), False, element(array) if small else None
        )

    @property
    def shape(self) -> Shape:
        """The size of each axis."""
        array = self._array
        if type(array) is not np.ndarray and isinstance(array, Opaque):
            return shape_asked(array.spec)
        return cast("Shape", shape_of(array.shape))

    @property
    def static_shape(self) -> tuple[int, ...]:
        """The shape, which is known."""
        array = self._array
        if type(array) is not np.ndarray and isinstance(array, Opaque):
            return array.spec.dims  # type: ignore[return-value]
        return array.shape  # type: ignore[no-any-return]

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        array = self._array
        if type(array) is not np.ndarray and isinstance(array, Opaque):
            return array.spec.dtype
        return of_numpy(array.dtype)

    def become(self, other: Tensor) -> None:
        """Take over the value of `other`; what `x[i] = v` does to `x`."""
        self._array, self._device = other.array, other.device

    def __getattr__(self, name: str) -> Any:
        if name in _OF_GRAPHS:
            raise AttributeError(texts.of_graphs_alone(name, Manner.is_older()))
        kind = type(self).__name__
        raise AttributeError(f"{kind!r} object has no attribute {name!r}")

    def __repr__(self) -> str:
        if texts.wanted():
            return texts.tensor_repr(self)
        device = str(self._device).removeprefix("/device:")
        head = f"shape={self.shape}, dtype={self.dtype.name}, device={device}"
        if _is_handle(self._array):
            return f"Tensor({head}) {self._array!r}"
        return f"Tensor({head}){' ' if self.shape == () else chr(10)}{self}"

    def __str__(self) -> str:
        if texts.wanted():
            return texts.tensor_text(self)
        if _is_handle(self._array):
            return repr(self._array)
        with np.printoptions(threshold=60, edgeitems=3, precision=6):
            return str(shown(to_host(self._array)))

    def __format__(self, spec: str) -> str:
        if texts.wanted():
            return format(self.numpy(), spec)
        return format(self.item(), spec) if spec else str(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what pickles this; a value of another task is brought here for it."""
        array = self._array
        if _is_handle(array):
            raise DTypeError(
                f"{array!r} is state, and cannot be pickled: save a checkpoint, or give it a "
                "shared_name, by which other programs find it"
            )
        if isinstance(array, RemoteArray):
            return EagerTensor, (array.read(), CPU)
        return EagerTensor, (array, self._device)

    def __copy__(self) -> EagerTensor:
        return EagerTensor(self._array, self._device)

    def __deepcopy__(self, memo: dict[int, Any]) -> EagerTensor:
        if isinstance(self._array, RemoteArray):  # which nobody changes
            return EagerTensor(self._array, self._device)
        if _is_handle(self._array):
            raise DTypeError(
                f"{self._array!r} is state, and cannot be copied: make another variable, queue or "
                "the like, and assign it the value"
            )
        return EagerTensor(self._array.copy(), self._device)


@dataclass(frozen=True, eq=False)
class IndexedSlices:
    """Rows of a mostly zero tensor: `values[i]` belongs at row `indices[i]`; equal rows add up.

    >>> slices = tl.IndexedSlices(tl.ones((2, 2)), tl.asarray([0, 2]), (3, 2))
    >>> print(tl.densify(slices))
    [[1. 1.]
     [0. 0.]
     [1. 1.]]
    """

    values: Tensor
    indices: Tensor
    dense_shape: Shape | Tensor | None = None
    """None: nobody has said, and there is no dense tensor of these."""

    @property
    def dtype(self) -> DType:
        """The dtype of the values."""
        return self.values.dtype

    @property
    def shape(self) -> AnyShape:
        """The sizes of the whole tensor, None for those that are not known."""
        if self.dense_shape is None:
            return TensorShape(None)
        if not isinstance(self.dense_shape, Tensor):
            return shape_of(self.dense_shape)
        return shape_of(self.dense_shape.spec.vector())

    @property
    def name(self) -> str:
        """The name of the values, which they have in a graph."""
        return str(getattr(self.values, "name", ""))

    @property
    def device(self) -> DeviceName:
        """Where the values are."""
        return self.values.device

    def __neg__(self) -> IndexedSlices:
        return IndexedSlices(-self.values, self.indices, self.dense_shape)

    def __str__(self) -> str:
        if not texts.wanted():
            return repr(self)
        known = {} if self.dense_shape is None else {"dense_shape": self.dense_shape}
        return texts.parts_text(
            "IndexedSlices", indices=self.indices, values=self.values, **known
        )


def _is_handle(array: Array) -> bool:
    """Return whether what a tensor holds is no data, wherever that is."""
    return isinstance(array, Opaque) and not isinstance(array, RemoteArray)


def moved(tensor: EagerTensor, device: DeviceName) -> EagerTensor:
    """Return `tensor` in the memory of `device`; a handle as it is, since its state stays."""
    array = tensor.array
    if tensor.device == device or _is_handle(array):
        return tensor
    return EagerTensor(to_device(array, device), device)
