"""Input pipelines of queues: producers of names, numbers and slices, and batches of what they give.

Each makes a queue, what fills it, and a runner in the collection of those that
`start_queue_runners` starts. Datasets, which came later, are in data/.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from tensorlite.core import dtypes
from tensorlite.core.check import whole
from tensorlite.core.dispatch import call, constant, to_tensor
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.scope import control_dependencies, scope
from tensorlite.core.spec import Dims, TensorSpec, generalise
from tensorlite.core.tensor import Tensor
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.graph_mode.graph import (
    built,
    get_default_graph,
    name_scope,
    titled,
)
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.graph_mode.queues import (
    GraphQueueRunner,
    add_queue_runner,
    node_name,
    of_sessions,
)
from tensorlite.graph_mode.streams import stream
from tensorlite.graph_mode.variables import Unasked
from tensorlite.ops.arrays.identity import identity
from tensorlite.ops.arrays.masks import boolean_mask
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.control.branches import cond
from tensorlite.ops.math.arithmetic import multiply, subtract
from tensorlite.ops.math.bounds import maximum
from tensorlite.ops.queues.base import QueueBase
from tensorlite.ops.queues.queues import (
    FIFOQueue,
    PaddingFIFOQueue,
    RandomShuffleQueue,
)
from tensorlite.ops.random.words import Seeds
from tensorlite.ops.records.tensor_bytes import (
    deserialize_many_sparse,
    serialize_many_sparse,
    serialize_sparse,
)
from tensorlite.ops.sparse.tensor import SparseTensor
from tensorlite.ops.state.resource import CountUpToVariableOp

Queued = Callable[[], Any]
Summarise = Callable[[str, Tensor], Any]
"""Makes a summary of a number, under a name."""
Choose = Callable[[Tensor, Callable[[], Any]], Any]
"""Makes what a function does an effect that is had where a condition holds."""


def local_variable(initial: Any, name: str) -> Any:
    """Return a variable that `local_variables_initializer` begins and savers leave out."""
    make = Unasked.make
    made = make(initial, trainable=False, name=name, validate_shape=False)
    get_default_graph().add_to_collection(GraphKeys.LOCAL_VARIABLES, made)
    return made


def limit_epochs(
    x: Any, num_epochs: int | None = None, name: str | None = None
) -> Tensor:
    """Return a tensor that can be had `num_epochs` times; then it is an OutOfRangeError."""
    tensor = to_tensor(x)
    if num_epochs is None:
        return tensor
    if whole(num_epochs, "num_epochs") <= 0:
        raise InvalidArgumentError(f"num_epochs must be > 0 not {num_epochs}.")
    with (
        built(get_default_graph()) as graph,
        name_scope(name, "limit_epochs") as prefix,
    ):
        epochs = local_variable(constant(0, dtypes.int64), "epochs")
        counted = call(CountUpToVariableOp(num_epochs), epochs.handle)
        with control_dependencies([titled(counted, "CountUpTo")]):
            made = identity(tensor)
        if isinstance(made, SymbolicTensor) and graph is get_default_graph():
            get_default_graph().rename(made.node, prefix[:-1])
        return made


def producer(
    x: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    element_shape: Dims | None = None,
    summarise: Summarise | None = None,
    summary_name: str = "",
    queue_name: str = "",
) -> QueueBase:
    """Return a queue of the rows of a tensor, again and again, in a new order each time if asked.

    It is filled by a runner that `start_queue_runners` starts. How full it is is summarised. The
    queue is called as the scope unless it has a name.
    """
    with built(get_default_graph()):
        rows = to_tensor(x)
        shape = rows.spec.shape
        inner = (
            shape[1:]
            if element_shape is None and shape is not None
            else element_shape
        )
        if inner is None or None in inner:
            raise ShapeError(
                f"the rows of {rows.spec} have no fully defined shape; give element_shape"
            )
        if shuffle:
            rows = stream(seed, "RandomShuffle").shuffle(rows)
        rows = limit_epochs(rows, num_epochs)
        with of_sessions():
            queue = FIFOQueue(
                capacity,
                [rows.dtype],
                [list(inner)],
                name=queue_name or "input_producer",
                shared_name=shared_name,
            )
        if not queue_name:
            _call_as_scope(queue)
        put = titled(queue.enqueue_many([rows]), f"{last_name(queue)}_EnqueueMany")
        _filled_by(queue, [put])
        title = summary_name or f"fraction_of_{capacity}_full"
        tell_fullness(queue, title, capacity, summarise)
        return queue


def last_name(queue: QueueBase) -> str:
    """Return what a queue is called in its scope."""
    return node_name(queue).rpartition("/")[2]


def _call_as_scope(queue: QueueBase) -> None:
    """Give a queue just made the name of the scope, which it is all of."""
    handle, name = queue.handle, scope.get().name
    if isinstance(handle, SymbolicTensor) and name:
        get_default_graph().rename(handle.node, name)


def tell_fullness(
    queue: QueueBase,
    title: str,
    room: int,
    summarise: Summarise | None,
    least: int | None = None,
) -> None:
    """Summarise how full a queue is, above the least that it keeps."""
    if summarise is None:
        return
    size = titled(queue.size(), f"{last_name(queue)}_Size")
    if least is not None:
        size = maximum(0, subtract(size, least))
    share = multiply(astype(size, dtypes.float32), 1.0 / room if room else 0.0)
    summarise(title, share)


def _filled_by(queue: QueueBase, enqueue_ops: Sequence[Any]) -> None:
    add_queue_runner(GraphQueueRunner(queue, enqueue_ops))


class Batching:
    """How elements become batches: by which queue, and how many make one."""

    def __init__(
        self,
        batch_size: Any,
        capacity: int,
        enqueue_many: bool = False,
        shapes: Any = None,
        smaller: bool = False,
        shared_name: str | None = None,
        keep: Any = True,
        summarise: Summarise | None = None,
        choose: Choose | None = None,
    ) -> None:
        self.choose = choose
        self.batch_size = batch_size
        self.capacity = capacity
        self.enqueue_many = enqueue_many
        self.shapes = shapes
        self.smaller = smaller
        self.shared_name = shared_name
        self.keep = keep
        self.summarise = summarise
        self.least: int | None = None

    def fifo(self, specs: Sequence[TensorSpec], padded: bool) -> QueueBase:
        """Return the queue that keeps elements in their order."""
        kind = PaddingFIFOQueue if padded else FIFOQueue
        with of_sessions():
            return kind(
                self.capacity,
                *_listed(specs, padded),
                name="padding_fifo_queue" if padded else "fifo_queue",
                shared_name=self.shared_name,
            )

    def shuffled(
        self, specs: Sequence[TensorSpec], least: int, seed: Seeds | None
    ) -> QueueBase:
        """Return the queue that gives elements out in random order."""
        self.least = least
        with of_sessions():
            return RandomShuffleQueue(
                self.capacity,
                least,
                *_listed(specs, padded=False),
                seed=seed,
                shared_name=self.shared_name,
            )

    def specs(self, elements: Sequence[Sequence[Tensor]]) -> list[TensorSpec]:
        """Return what components an element has; of several, what covers all."""
        if self.shapes is not None:
            given = [tuple(shape) for shape in self.shapes]
            kinds = [x.dtype for x in elements[0]]
            return [TensorSpec(a, b) for a, b in zip(given, kinds, strict=True)]
        columns = zip(*elements, strict=True)
        return [self._spec(column) for column in columns]

    def _spec(self, column: Sequence[Tensor]) -> TensorSpec:
        shapes = [x.spec.shape for x in column]
        if None in shapes:
            raise ShapeError(
                f"Cannot infer Tensor's rank: {column[shapes.index(None)]}; give shapes="
            )
        if self.enqueue_many:
            shapes = [None if shape is None else shape[1:] for shape in shapes]
        common = shapes[0]
        for shape in shapes[1:]:
            common = generalise(common, shape)
        return TensorSpec(common, column[0].dtype)

    def enqueue(self, queue: QueueBase, element: Sequence[Tensor]) -> Any:
        """Return what puts an element, or rows of some, if they are to be kept."""
        put, kind = queue.enqueue, "enqueue"
        if self.enqueue_many:
            put, kind = queue.enqueue_many, "EnqueueMany"

        def putting() -> Any:
            return titled(put(list(element)), f"{last_name(queue)}_{kind}")

        if self.keep is True:
            return putting()
        kept = self._which()
        if kept.spec.rank == 1:
            return put([boolean_mask(x, kept) for x in element])
        if self.choose is not None:
            return self.choose(kept, putting)

        def keep() -> Tensor:
            with control_dependencies([put(list(element))]):
                return constant(True)

        return cond(kept, keep, lambda: constant(True))

    def _which(self) -> Tensor:
        """Return whether an element is kept, or which rows are."""
        kept = to_tensor(self.keep)
        rank = kept.spec.rank
        if rank is None:
            raise ShapeError(
                "`keep_input` dimensions must be known at graph construction."
            )
        if rank == 1 and not self.enqueue_many:
            raise ShapeError(
                "`keep_input` cannot be a vector when `enqueue_many=False`."
            )
        if rank > 1:
            raise ShapeError("`keep_input` must be 0 or 1 dimensions.")
        return kept

    def dequeued(self, queue: QueueBase, specs: Sequence[TensorSpec]) -> list[Tensor]:
        """Return a batch, and summarise how full the queue is."""
        least = self.least
        room = self.capacity - (least or 0)
        above = "" if least is None else f"over_{least}_"
        title = f"fraction_{above}of_{room}_full"
        tell_fullness(queue, title, room, self.summarise, least)
        take = queue.dequeue_up_to if self.smaller else queue.dequeue_many
        found = take(self.batch_size)
        listed = list(found) if isinstance(found, list) else [found]
        size = self.batch_size if isinstance(self.batch_size, int) else None
        rows = None if self.smaller else size
        for x, spec in zip(listed, specs, strict=True):
            if isinstance(x, SymbolicTensor) and spec.shape is not None:
                x.respecify(TensorSpec((rows, *spec.shape), x.dtype))
        return listed


def _listed(specs: Sequence[TensorSpec], padded: bool) -> tuple[list[Any], list[Any]]:
    """Return dtypes and shapes as queues take them; ShapeError for sizes that are not known."""
    for spec in specs:
        if spec.shape is None or (None in spec.shape and not padded):
            raise ShapeError(
                f"All shapes must be fully defined: {[str(x) for x in specs]}; give shapes=, or "
                "dynamic_pad=True for sizes that differ"
            )
    return [spec.dtype for spec in specs], [list(spec.dims) for spec in specs]


def batched(
    elements: Sequence[Any],
    how: Batching,
    queue_of: Callable[[Batching, Sequence[TensorSpec]], QueueBase],
    threads: int = 1,
) -> Any:
    """Return batches of elements, which are alike in structure, each put by threads of its own."""
    whole(threads, "num_threads", least=1)
    if len({frozenset(x) for x in elements if isinstance(x, Mapping)}) > 1:
        raise InvalidArgumentError(
            "All dictionaries in tensors_list must have the same keys"
        )
    parts = [components(element) for element in elements]
    kinds = kinds_of(parts, how.enqueue_many)
    with built(get_default_graph()):
        if how.keep is True:
            constant(True)  # as TensorFlow, whose seeds count it
        flat = [[stored(x, how.enqueue_many) for x in row] for row in parts]
        specs = how.specs(flat)
        queue = queue_of(how, specs)
        puts = [how.enqueue(queue, element) for element in flat]
        _filled_by(queue, [put for put in puts for _ in range(threads)])
        columns = zip(how.dequeued(queue, specs), kinds, strict=True)
        found = [restored(x, kind) for x, kind in columns]
    like = elements[0]
    if isinstance(like, Mapping):
        return dict(zip(sorted(like, key=str), found, strict=True))
    # As TensorFlow: a list, or of one tensor that.
    return found[0] if len(found) == 1 else found


class _Sparse(NamedTuple):
    """What a component that is sparse has of its own."""

    dtype: DType
    rank: int | None


def components(element: Any) -> list[Any]:
    """Return what an element is made of: a list of tensors, a dict of them, or one."""
    if isinstance(element, Mapping):
        return [element[key] for key in sorted(element, key=str)]
    if isinstance(element, (list, tuple)) and not isinstance(element, SparseTensor):
        return list(element)
    return [element]


def kinds_of(parts: Sequence[Sequence[Any]], rows: bool) -> list[_Sparse | None]:
    """Return of what kind each component is, None for dense ones; ShapeError where they differ."""
    if not parts:
        raise InvalidArgumentError("tensors_list is empty; give lists of tensors")
    found = [[_kind(x, rows) for x in row] for row in parts]
    for one in found[1:]:
        if one != found[0]:
            raise ShapeError(f"Inconsistent SparseTensors list: {found[0]} vs. {one}")
    return found[0]


def _kind(x: Any, rows: bool) -> _Sparse | None:
    if not isinstance(x, SparseTensor):
        return None
    shape = x.dense_shape.spec.shape
    rank = None if shape is None else shape[0]
    return _Sparse(x.values.dtype, None if rank is None else rank - rows)


def stored(x: Any, rows: bool) -> Tensor:
    """Return a component as queues keep it: sparse ones as strings."""
    if not isinstance(x, SparseTensor):
        return to_tensor(x)
    return serialize_many_sparse(x) if rows else serialize_sparse(x)


def restored(x: Tensor, kind: _Sparse | None) -> Any:
    """Return a component of a batch from what queues kept of it."""
    if kind is None:
        return x
    return deserialize_many_sparse(x, kind.dtype, kind.rank)
