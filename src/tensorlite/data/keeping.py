"""Steps that keep elements in folders, and where datasets begin that were kept there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from tensorlite.core.dispatch import tracer
from tensorlite.core.errors import NotFoundError, UnimplementedError
from tensorlite.data.base import Pipeline, assembled
from tensorlite.data.elements import arguments
from tensorlite.data.functions import Preparing
from tensorlite.data.stored import Stored, Writing, checked_kind, folder_of
from tensorlite.data.transforming import in_turns

if TYPE_CHECKING:
    from tensorlite.data.dataset import Dataset

T = TypeVar("T")


class Keeping(Preparing[T]):
    """What a Dataset offers to be kept in a folder."""

    def save(
        self,
        path: Any,
        compression: str | None = None,
        shard_func: Callable[..., Any] | None = None,
        checkpoint_args: Any = None,
    ) -> None:
        """Write the elements to a folder, from which `load` reads them; what it held goes.

        `shard_func` says of each element the number of the file in which it is kept.
        `compression` is 'GZIP' or None. Elements are written as the format of this library.

        >>> import tempfile
        >>> path = tempfile.mkdtemp()
        >>> tl.data.Dataset.range(3).save(path)
        >>> print([int(x) for x in tl.data.Dataset.load(path)])
        [0, 1, 2]
        """
        if checkpoint_args is not None:
            raise UnimplementedError(
                "save: checkpoint_args is not served: a save that is broken off is begun anew"
            )
        if tracer() is not None:
            raise UnimplementedError(
                "save: datasets are saved eagerly, not in graphs nor in traced functions"
            )
        for _ in self._written(path, checked_kind(compression), shard_func):
            pass

    def _written(
        self, path: Any, compression: str, shard_func: Callable[..., Any] | None
    ) -> Iterator[T]:
        """Yield the elements, each when it is written; they are kept when all are."""
        numbered = None if shard_func is None else self._shards(shard_func)
        writing = Writing(folder_of(path), self.element_spec, compression)
        done = False
        try:
            for element in self.source():
                writing.add(element, 0 if numbered is None else numbered(element))
                yield element
            writing.finish()
            done = True
        finally:
            if not done:
                writing.abandon()

    def _shards(self, shard_func: Callable[..., Any]) -> Callable[[Any], int]:
        ready = self._prepared(
            shard_func, lambda: tuple(arguments(self.element_spec))
        )
        return lambda element: int(ready.call(*arguments(element)))

    @classmethod
    def load(
        cls,
        path: Any,
        element_spec: Any = None,
        compression: str | None = None,
        reader_func: Callable[[Any], Any] | None = None,
        wait: bool = False,
    ) -> Dataset[Any]:
        """Return the elements that `save` wrote to a folder, from its shards in turns.

        `reader_func` makes another dataset of a dataset of the shards, each a dataset. The folder
        knows the specs of the elements and how it is compressed.
        """
        if wait:
            raise UnimplementedError(
                "load: wait=True is not served: give the folder of a save that has ended"
            )
        checked_kind(compression)
        stored = Stored(folder_of(path))
        spec = stored.spec if element_spec is None else element_spec
        made: Dataset[Any] = cls._of_stored(stored, spec, reader_func)
        return made

    @classmethod
    def _of_stored(
        cls, stored: Stored, spec: Any, reader_func: Callable[[Any], Any] | None
    ) -> Any:
        kind = cls._steps()
        shards = [
            assembled(kind, source, count, spec)
            for source, (_, count) in zip(
                stored.shard_sources(spec), stored.told.shards, strict=True
            )
        ]
        if reader_func is None:
            return assembled(
                kind,
                lambda: in_turns(
                    (one.source() for one in shards), max(len(shards), 1), 1
                ),
                stored.size,
                spec,
            )
        like: Pipeline[Any] = assembled(kind, lambda: iter(()), 0, spec)
        return reader_func(assembled(kind, lambda: iter(shards), len(shards), like))

    def snapshot(
        self,
        path: Any,
        compression: str = "AUTO",
        reader_func: Callable[[Any], Any] | None = None,
        shard_func: Callable[..., Any] | None = None,
    ) -> Dataset[T]:
        """Return the same elements, which the first whole run keeps in a folder for later ones.

        A folder keeps one dataset: give another one when what stands before this step changes.
        The other arguments are those of `save` and `load`.

        >>> import tempfile
        >>> rolled = tl.data.Dataset.random().take(3).snapshot(tempfile.mkdtemp())
        >>> [int(x) for x in rolled] == [int(x) for x in rolled]
        True
        """
        kind = checked_kind(compression)

        def source() -> Iterator[T]:
            try:
                stored = Stored(folder_of(path))
            except NotFoundError:
                yield from self._written(path, kind, shard_func)
                return
            yield from self._of_stored(
                stored, self.element_spec, reader_func
            ).source()

        made: Dataset[T] = self._made(source, self.size, self._spec)
        return made
