"""tf.keras.mixed_precision: the older names of what dtype_policies.py has."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v2.keras.dtype_policies import (
    DTypePolicy as DTypePolicy,
    FloatDTypePolicy as FloatDTypePolicy,
    dtype_policy as dtype_policy,
    set_dtype_policy as set_dtype_policy,
)
from tensorlite.compat.v2.keras.src.optimizers.loss_scaling import (
    LossScaleOptimizer as LossScaleOptimizer,
)

Policy = DTypePolicy
global_policy = dtype_policy
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


__dir__ = listing("v2.keras.mixed_precision", globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error("v2.keras.mixed_precision", name, __all__)
