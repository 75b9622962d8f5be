"""tf.keras.dtype_policies: what dtype a layer computes in, and what its weights have.

Where weights are read in the dtype that is computed in stands in src/layers/autocast.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v2.keras import defaults
from tensorlite.core.dtypes import DType, as_dtype
from tensorlite.core.errors import DTypeError, InvalidArgumentError

_MIXED = {"mixed_float16": "float16", "mixed_bfloat16": "bfloat16"}


class DTypePolicy:
    """The dtypes that a layer computes in and has weights of; a mixed one has single weights."""

    def __init__(self, name: str | None = None) -> None:
        title = defaults.policy() if name is None else name
        if not isinstance(title, str):
            raise TypeError(
                "'name' must be a string, such as 'mixed_float16'. Received: "
                f"name={title} (of type {type(title)})"
            )
        self._name = title
        self._compute_dtype = _MIXED.get(title) or _dtype_named(title)
        self._variable_dtype = "float32" if title in _MIXED else self._compute_dtype

    @property
    def name(self) -> str:
        """The policy's name, "mixed_float16" or that of a dtype."""
        return self._name

    @property
    def compute_dtype(self) -> str:
        """The name of the dtype that is computed in."""
        return self._compute_dtype

    @property
    def variable_dtype(self) -> str:
        """The name of the dtype that weights have."""
        return self._variable_dtype

    @property
    def quantization_mode(self) -> None:
        """None: nothing is quantized."""
        return None

    def __repr__(self) -> str:
        return f'<DTypePolicy "{self._name}">'

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DTypePolicy) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self._name)

    def get_config(self) -> dict[str, Any]:
        return {"name": self._name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> DTypePolicy:
        return cls(**config)


class FloatDTypePolicy(DTypePolicy):
    """Another name of DTypePolicy."""


def _dtype_named(title: str) -> str:
    try:
        return as_dtype(title).name
    except DTypeError as error:
        raise InvalidArgumentError(
            f"Cannot convert '{title}' to a mixed precision DTypePolicy. Valid policies include "
            "'mixed_float16', 'mixed_bfloat16', and the name of any float dtype such as "
            "'float32'."
        ) from error


CLASSES = {"DTypePolicy": DTypePolicy, "FloatDTypePolicy": FloatDTypePolicy}


def get(identifier: Any) -> DTypePolicy:
    """Return the policy that a name, a dtype, a description or a policy stands for."""
    if isinstance(identifier, DTypePolicy):
        return identifier
    if isinstance(identifier, Mapping):
        return deserialize(identifier)
    if identifier is None or isinstance(identifier, str):
        return DTypePolicy(identifier)
    return DTypePolicy(as_dtype(identifier).name)


def compute_dtype_of(identifier: Any) -> DType:
    """Return the dtype that a loss or a metric computes in: of None that of fractions."""
    given = defaults.floatx() if identifier is None else identifier
    return as_dtype(get(given).compute_dtype)


def serialize(dtype_policy: DTypePolicy) -> dict[str, Any]:
    """Return the configuration of a policy, with its class."""
    return {
        "module": "keras",
        "class_name": type(dtype_policy).__name__,
        "config": dtype_policy.get_config(),
        "registered_name": None,
    }


def deserialize(config: Any, custom_objects: Any = None) -> DTypePolicy:
    """Return the policy of a configuration.

    InvalidArgumentError is raised for classes that are not known, here or in custom_objects.
    """
    kinds = {**CLASSES, "Policy": DTypePolicy, **(custom_objects or {})}
    name = config["class_name"]
    if name not in kinds:
        raise InvalidArgumentError(
            f"{name!r} is no dtype policy that is served; allowed are {', '.join(CLASSES)}"
        )
    made: DTypePolicy = kinds[name].from_config(dict(config["config"]))
    return made


def dtype_policy() -> DTypePolicy:
    """Return the policy of layers for which none is given."""
    return DTypePolicy()


def set_dtype_policy(policy: Any) -> None:
    """Set the policy of layers that are made from here on."""
    defaults.chosen.policy = get(policy).name


__all__ = [
    "DTypePolicy",
    "FloatDTypePolicy",
    "deserialize",
    "get",
    "serialize",
]


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, __all__)
