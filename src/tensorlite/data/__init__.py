"""Input pipelines: datasets that are iterated over eagerly, and in traced functions."""

from __future__ import annotations

from tensorlite.data.dataset import (
    INFINITE as INFINITE,
)
from tensorlite.data.dataset import (
    UNKNOWN as UNKNOWN,
)
from tensorlite.data.dataset import (
    Dataset as Dataset,
)

__all__ = ["Dataset", "INFINITE", "UNKNOWN"]


def __dir__() -> list[str]:
    return __all__
