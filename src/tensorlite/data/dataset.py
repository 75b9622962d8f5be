"""Dataset: elements that can be iterated over again and again, made step by step.

In a traced function a `for` over a dataset is one loop in the graph; how that reads it is in
iterators.py. The steps stand in the classes that Dataset joins.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from tensorlite.data.base import INFINITE, UNKNOWN
from tensorlite.data.creating import Creating
from tensorlite.data.grouping import Grouping
from tensorlite.data.keeping import Keeping
from tensorlite.data.keyed import Keyed
from tensorlite.data.ordering import Ordering
from tensorlite.data.resampling import Resampling
from tensorlite.data.running import Running
from tensorlite.data.transforming import Transforming
from tensorlite.ops.math.compare import logical_and, logical_or

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

    def __tl_builtin__(self, name: str, *given: Any) -> Any:
        """Return what Python's function of that name is of this dataset, in a traced function.

        Python's own would ask for elements as long as there are any, which a graph cannot tell.
        NotImplemented says that it is to be Python's own nevertheless.
        """
        if name == "zip":
            return (
                super().zip(*given)
                if all(isinstance(one, Dataset) for one in given)
                else NotImplemented
            )
        if name == "map":
            function, *sources = given
            whole = (
                self if len(sources) == 1 else self.__tl_builtin__("zip", *sources)
            )
            return whole if whole is NotImplemented else Dataset.map(whole, function)
        own: dict[str, Callable[..., Any]] = {
            "enumerate": lambda _, start=0: Dataset.enumerate(self, start),
            "filter": lambda function, _: Dataset.filter(self, function),
            "abs": lambda _: Dataset.map(self, abs),
            "any": lambda _: Dataset.reduce(self, False, logical_or),
            "all": lambda _: Dataset.reduce(self, True, logical_and),
        }
        return own[name](*given)
