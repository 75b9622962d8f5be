"""tf.keras.mixed_precision: the dtypes of layers' weights, which are those they compute in."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.missing import attribute_error
from tensorlite.compat.v2.keras import defaults
from tensorlite.compat.v2.keras.loss_scaling import LossScaleOptimizer
from tensorlite.core.dtypes import as_dtype
from tensorlite.core.errors import InvalidArgumentError


class DTypePolicy:
    """The dtype of a layer's weights and results."""

    def __init__(self, name: Any = None) -> None:
        title = str(getattr(name, "name", name) or defaults.floatx())
        if title.startswith("mixed_"):
            raise InvalidArgumentError(
                f"the policy {title!r} is not served: layers compute in the dtype of their "
                "weights; give the model dtype='float16' or 'bfloat16', or cast in `call`"
            )
        self._name = as_dtype(title).name

    @property
    def name(self) -> str:
        return self._name

    variable_dtype = compute_dtype = name

    def __repr__(self) -> str:
        return f'<{type(self).__name__} "{self._name}">'

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DTypePolicy) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self._name)

    def get_config(self) -> dict[str, Any]:
        return {"name": self._name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> DTypePolicy:
        return cls(**config)


Policy = FloatDTypePolicy = DTypePolicy


def dtype_policy() -> DTypePolicy:
    return DTypePolicy(defaults.floatx())


global_policy = dtype_policy


def set_dtype_policy(policy: Any) -> None:
    wanted = policy if isinstance(policy, DTypePolicy) else DTypePolicy(policy)
    defaults.set_floatx(wanted.name)


set_global_policy = set_dtype_policy

__all__ = [
    "DTypePolicy",
    "FloatDTypePolicy",
    "LossScaleOptimizer",
    "Policy",
    "dtype_policy",
    "global_policy",
    "set_dtype_policy",
    "set_global_policy",
]


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, __all__)
