"""Clusters: `tl.distribute.connect(...)` gives one, whose devices then work by their names.

Names only; the mechanism is in distributed/.
"""

from __future__ import annotations

from tensorlite.distributed.cluster import Cluster
from tensorlite.distributed.connecting import connect

__all__ = ["Cluster", "connect"]


def __dir__() -> list[str]:
    return __all__
