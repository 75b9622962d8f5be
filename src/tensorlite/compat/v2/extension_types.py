"""tf.experimental.ExtensionType: classes of tensors that programs define by annotations.

What is called for them in the place of TensorFlow's functions is in dispatching.py.
"""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from inspect import Parameter, Signature
from typing import Any, NoReturn, Self, Union, get_args, get_origin, get_type_hints

from tensorlite.compat.shared.ragged_and_sparse.ragged import RaggedTensorSpec
from tensorlite.compat.shared.reductions import reduce_all
from tensorlite.compat.v2.framework import convert_to_tensor
from tensorlite.core import nest
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import TensorliteError
from tensorlite.core.operand import Operand
from tensorlite.core.shapes import AnyShape, TensorShape
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.interop.tensorflow.stored.composites import register
from tensorlite.ops.ragged.tensor import RaggedTensor

_MISSING = object()
_PLAIN = (str, bytes, int, float, bool, type(None), AnyShape, DType)
_UNIONS = (Union, types.UnionType)


class ImmutableDict(dict[Any, Any]):
    """A dict that stays as it is: what fields of mappings hold."""

    def _refused(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("ImmutableDict does not support item assignment")

    __setitem__ = __delitem__ = pop = popitem = clear = update = setdefault = _refused

    def __copy__(self) -> dict[Any, Any]:
        """Return a dict that may be changed, as structures of such kinds are rebuilt."""
        return dict(self)

    def __repr__(self) -> str:
        return f"ImmutableDict({dict.__repr__(self)})"


class _ExtensionKind(type):
    """Makes instances: their fields are converted and checked behind the constructor."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        kind: Any = cls
        made = kind.__new__(kind)
        vars(made)["_is_open"] = True
        made.__init__(*args, **kwargs)
        for name, wanted in kind.field_kinds().items():
            value = vars(made).get(name, _MISSING)
            if value is _MISSING:
                raise ValueError(
                    f"Field {name!r} was not set by {cls.__name__}.__init__"
                )
            vars(made)[name] = _converted(name, wanted, value)
        made.__validate__()
        del vars(made)["_is_open"]
        return made


class _SpecKind(type):
    """Makes what stands for values in structures of specs: a value whose fields are specs."""

    value_kind: Any

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        held: Any = cls
        holder = held.__new__(held)
        own = "__init__" in vars(cls)
        if own:
            holder.__init__(*args, **kwargs)
        kind = cls.value_kind
        given = vars(holder) if own else kind.bound(args, kwargs)
        return kind.made({name: given[name] for name in kind.field_kinds()})

    def __instancecheck__(cls, instance: Any) -> bool:
        if not isinstance(instance, cls.value_kind):
            return False
        return all(_is_spec(x) for x in nest.flatten(instance.members()))


class ExtensionType(nest.Composite, metaclass=_ExtensionKind):
    """A value of several tensors: a subclass annotates its fields, and gives them defaults."""

    Spec: Any = None
    """What is known of a value: the class of specs, which every subclass gets."""
    _kinds: dict[str, Any] | None = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._kinds = None
        own = vars(cls).get("Spec")
        body = {} if own is None else dict(vars(own))
        for name in ("__dict__", "__weakref__"):
            body.pop(name, None)
        made = _SpecKind("Spec", (), body)
        made.value_kind = cls
        cls.Spec = made
        if "__name__" in vars(cls):
            register(f"{vars(cls)['__name__']}.Spec", cls)
        if "__init__" not in vars(cls):
            type.__setattr__(cls, "__init__", ExtensionType.__init__)

    @classmethod
    def field_kinds(cls) -> dict[str, Any]:
        """Return the annotated types of the fields, in order, those of base classes first."""
        if cls._kinds is None:
            hints = get_type_hints(cls, localns={cls.__name__: cls})
            order = [
                name
                for base in reversed(cls.__mro__)
                for name in vars(base).get("__annotations__", {})
                if issubclass(base, ExtensionType) and base is not ExtensionType
            ]
            cls._kinds = {name: hints[name] for name in dict.fromkeys(order)}
        return cls._kinds

    @classmethod
    def bound(cls, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Return fields as they are given, with defaults for those that are not."""
        either = Parameter.POSITIONAL_OR_KEYWORD
        parameters = [
            Parameter(name, either, default=getattr(cls, name, Parameter.empty))
            for name in cls.field_kinds()
        ]
        bound = Signature(parameters).bind(*args, **kwargs)
        bound.apply_defaults()
        return bound.arguments

    @classmethod
    def made(cls, values: Mapping[str, Any]) -> Self:
        """Return an instance of fields as they are, be they tensors or specs."""
        new = cls.__new__(cls)
        vars(new).update({name: _frozen(x) for name, x in values.items()})
        return new

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        vars(self).update(self.bound(args, kwargs))

    def __validate__(self) -> None:
        """Check the fields; subclasses may."""

    def members(self) -> dict[str, Any]:
        """Return the fields that hold tensors, by name."""
        kinds = self.field_kinds().items()
        return {
            name: getattr(self, name) for name, kind in kinds if not _is_static(kind)
        }

    def with_members(self, members: dict[str, Any]) -> Self:
        """Return the value with other tensors and the same fields else."""
        return self.made({**self._static(), **members})

    def kept(self) -> Any:
        """Return the values of the fields that hold no tensors."""
        return tuple(self._static().values())

    def fields(self) -> dict[str, Any]:
        """Return all fields, by name."""
        return {name: getattr(self, name) for name in self.field_kinds()}

    def _static(self) -> dict[str, Any]:
        kinds = self.field_kinds().items()
        return {name: getattr(self, name) for name, kind in kinds if _is_static(kind)}

    def __setattr__(self, name: str, value: Any) -> None:
        if "_is_open" not in vars(self):
            self._refuse(name)
        vars(self)[name] = value

    def __delattr__(self, name: str) -> None:
        self._refuse(name)

    def _refuse(self, name: str) -> NoReturn:
        raise AttributeError(
            f"Cannot mutate attribute `{name}` outside the custom constructor of ExtensionType."
        )

    def __eq__(self, other: object) -> Any:
        if type(other) is not type(self):
            return False
        assert isinstance(other, ExtensionType)
        mine, theirs = self.members(), other.members()
        first, second = nest.flatten(mine), nest.flatten(theirs)
        same = self.kept() == other.kept() and len(first) == len(second)
        if not same or any(
            _described(x) != _described(y) for x, y in zip(first, second, strict=True)
        ):
            return False
        pairs = zip(first, second, strict=True)
        return all(
            bool(reduce_all(x == y)) if isinstance(x, Operand) else x == y
            for x, y in pairs
        )

    def __ne__(self, other: object) -> Any:
        return not self == other

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={x!r}" for name, x in self.fields().items())
        return f"{type(self).__name__}({fields})"


class BatchableExtensionType(ExtensionType):
    """An extension type of which there are batches: its shapes gain or lose what its tensors do."""

    def with_members(self, members: dict[str, Any]) -> Self:
        """Return the value with other tensors, and with shapes among its fields made to fit."""
        before, after = _first_shape(self.members()), _first_shape(members)
        static = self._static()
        if before is not None and after is not None:
            gained = len(after) - len(before)
            for name, value in static.items():
                if isinstance(value, AnyShape) and gained:
                    static[name] = TensorShape(
                        [*after[: max(gained, 0)], *value[max(-gained, 0) :]]
                    )
        return self.made({**static, **members})


def _first_shape(members: Mapping[str, Any]) -> Sequence[Any] | None:
    for leaf in nest.flatten(dict(members)):
        spec = leaf if isinstance(leaf, TensorSpec) else getattr(leaf, "spec", None)
        if isinstance(spec, TensorSpec) and spec.shape is not None:
            return spec.shape
    return None


def _described(leaf: Any) -> Any:
    if not isinstance(leaf, Operand):
        return type(leaf)
    x = leaf.__tensor__()
    return tuple(x.shape), x.dtype


def _frozen(value: Any) -> Any:
    return ImmutableDict(value) if isinstance(value, dict) else value


def _is_spec(value: Any) -> bool:
    return isinstance(value, (TensorSpec, RaggedTensorSpec))


def _is_static(kind: Any) -> bool:
    """Return whether fields of a type hold no tensors."""
    origin = get_origin(kind)
    if origin is None:
        return isinstance(kind, type) and issubclass(kind, _PLAIN)
    inner = [x for x in get_args(kind) if x is not Ellipsis]
    return all(_is_static(x) for x in inner)


def _converted(name: str, kind: Any, value: Any) -> Any:
    """Return what a field of a type holds for a value; TypeError where it holds no such."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin in _UNIONS:
        return _one_of(name, inner, value)
    if origin is tuple:
        return _members(name, inner, value)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        if not isinstance(value, Mapping):
            raise _unlike(name, "a mapping", value)
        pairs = {
            _converted(f"{name}.key", inner[0], key): _converted(
                f"{name}[{key!r}]", inner[1], x
            )
            for key, x in value.items()
        }
        return ImmutableDict(pairs)
    if kind is Tensor:
        return _tensor(name, value)
    if kind is TensorShape:
        return TensorShape(value)
    if kind is Any or isinstance(value, kind) or _is_spec(value):
        return value
    if kind is float and isinstance(value, int):
        return float(value)
    raise _unlike(
        name, f"{'an' if kind.__name__[0] in 'aeiou' else 'a'} {kind.__name__}", value
    )


def _one_of(name: str, kinds: Sequence[Any], value: Any) -> Any:
    for kind in sorted(kinds, key=lambda x: x is Tensor):
        try:
            return _converted(name, kind, value)
        except TypeError:
            continue
    raise _unlike(
        name, " or ".join(getattr(x, "__name__", str(x)) for x in kinds), value
    )


def _members(name: str, kinds: Sequence[Any], value: Any) -> tuple[Any, ...]:
    if not isinstance(value, (list, tuple)):
        raise _unlike(name, "a tuple", value)
    repeated = len(kinds) == 2 and kinds[1] is Ellipsis
    each = [kinds[0]] * len(value) if repeated else list(kinds)
    if len(each) != len(value):
        raise _unlike(name, f"a tuple of {len(each)}", value)
    pairs = zip(each, value, strict=True)
    return tuple(
        [_converted(f"{name}[{i}]", kind, x) for i, (kind, x) in enumerate(pairs)]
    )


def _tensor(name: str, value: Any) -> Any:
    if isinstance(value, (Tensor, TensorSpec)):
        return value
    if value is None or isinstance(value, (RaggedTensor, ExtensionType)):
        raise _unlike(name, "a Tensor", value)
    try:
        return convert_to_tensor(value)
    except (TensorliteError, TypeError, ValueError) as error:
        raise _unlike(name, "a Tensor", value) from error


def _unlike(name: str, wanted: str, value: Any) -> TypeError:
    return TypeError(f"{name}: expected {wanted}, got {type(value).__name__!r}")
