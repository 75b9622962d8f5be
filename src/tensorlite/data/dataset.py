"""Dataset: elements that can be iterated over again and again, made step by step.

In a traced function a `for` over a dataset is one loop in the graph; how that reads it is in
iterators.py. The steps stand in the classes that Dataset joins.
"""

from __future__ import annotations

from typing import TypeVar

from tensorlite.data.base import INFINITE, UNKNOWN
from tensorlite.data.creating import Creating
from tensorlite.data.grouping import Grouping
from tensorlite.data.keeping import Keeping
from tensorlite.data.keyed import Keyed
from tensorlite.data.ordering import Ordering
from tensorlite.data.resampling import Resampling
from tensorlite.data.running import Running
from tensorlite.data.transforming import Transforming

__all__ = ["INFINITE", "UNKNOWN", "Dataset"]

T = TypeVar("T")


class Dataset(
    Creating[T],
    Transforming[T],
    Grouping[T],
    Keyed[T],
    Resampling[T],
    Ordering[T],
    Running[T],
    Keeping[T],
):
    """Elements, each a tensor or a structure of tensors, in an order that can be run through again.

    >>> numbers = tl.data.Dataset.range(5).map(lambda x: x * x).batch(2)
    >>> for batch in numbers:
    ...     print(batch)
    [0 1]
    [4 9]
    [16]
    """
