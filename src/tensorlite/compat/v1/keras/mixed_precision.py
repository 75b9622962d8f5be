"""tf.keras.mixed_precision of version 1, whose names are all in `experimental`."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from tensorlite.compat.missing import attribute_error
from tensorlite.compat.v2.keras import dtype_policies
from tensorlite.compat.v2.keras.loss_scaling import LossScaleOptimizer


def set_policy(policy: Any) -> None:
    """Let layers for which none is given have a policy; None is that of fractions."""
    dtype_policies.set_dtype_policy(policy)


experimental = SimpleNamespace(
    LossScaleOptimizer=LossScaleOptimizer,
    Policy=dtype_policies.DTypePolicy,
    global_policy=dtype_policies.dtype_policy,
    set_policy=set_policy,
)


def __getattr__(name: str) -> object:
    raise attribute_error(__name__, name, globals())
