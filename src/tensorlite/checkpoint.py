"""`tl.checkpoint`: saving and restoring state. Names only; the code is in train/ and ops/."""

from __future__ import annotations

from tensorlite.ops.records.saving import describe, load, restore, save
from tensorlite.train.checkpoint import Checkpoint, Manager, Report

__all__ = ["Checkpoint", "Manager", "Report", "describe", "load", "restore", "save"]


def __dir__() -> list[str]:
    return __all__
