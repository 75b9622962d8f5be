"""Operators that make resources, with what they make and others of their kind: a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import tensorlite as tl
from tensorlite.core.opaque import Resource
from tensorlite.data.iterator_ops import IteratorV2
from tensorlite.data.iterators import IteratorState
from tensorlite.ops.queues.accumulator_ops import ConditionalAccumulator, DenseSum
from tensorlite.ops.queues.barrier_ops import Barrier, BarrierState
from tensorlite.ops.queues.kinds import (
    FIFOQueueV2,
    FIFOState,
    PaddingFIFOQueueV2,
    PaddingFIFOState,
    PriorityQueueV2,
    PriorityState,
    RandomShuffleQueueV2,
    RandomShuffleState,
)
from tensorlite.ops.queues.map_staging import MapStageHandleOp, MapStagingState
from tensorlite.ops.queues.mutex import MutexState, MutexV2
from tensorlite.ops.queues.sparse_accumulator_ops import (
    SparseConditionalAccumulator,
    SparseSum,
)
from tensorlite.ops.queues.staging import StageHandleOp, StagingState
from tensorlite.ops.records.readers import (
    FixedLengthRecordReaderV2,
    IdentityReaderV2,
    ReaderState,
    TextLineReaderV2,
    TFRecordReaderV2,
    WholeFileReaderV2,
)
from tensorlite.ops.state.boosted_trees import (
    BoostedTreesEnsembleResourceHandleOp,
    Ensemble,
)
from tensorlite.ops.state.dense_tables import DenseState, MutableDenseHashTableV2
from tensorlite.ops.state.making import Making
from tensorlite.ops.state.resource import VarHandleOp, VariableState
from tensorlite.ops.state.tables import (
    HashTableV2,
    TableState,
)
from tensorlite.ops.summaries.writing import WriterState
from tensorlite.train.summaries.handles import SummaryWriter

VECTOR = tl.TensorSpec((2,), tl.float32)
PARTS = (tl.TensorSpec((), tl.int64), tl.TensorSpec((None, 3), tl.float32))


class Case(NamedTuple):
    """A making operator, what it makes, another of its kind, and the class that uses it, if any."""

    op: Making
    state: type[Resource]
    other: Making
    python: Callable[[str | None], Any] | None = None

    def object(self, name: str | None) -> Any:
        """Return an object of the class."""
        assert self.python is not None
        return self.python(name)


CASES = (
    Case(
        VarHandleOp(VECTOR, True),
        VariableState,
        VarHandleOp(VECTOR),
        lambda name: tl.Variable([1.0, 2.0], shared_name=name),
    ),
    Case(
        FIFOQueueV2(PARTS, 3),
        FIFOState,
        FIFOQueueV2(PARTS, 4),
        lambda name: tl.queue.FIFOQueue(3, tl.int32, shared_name=name),
    ),
    Case(
        PaddingFIFOQueueV2(PARTS),
        PaddingFIFOState,
        PaddingFIFOQueueV2(PARTS[:1]),
        lambda name: tl.queue.PaddingFIFOQueue(
            3, tl.int32, shapes=(None,), shared_name=name
        ),
    ),
    Case(
        PriorityQueueV2(PARTS, 5),
        PriorityState,
        FIFOQueueV2(PARTS, 5),
        lambda name: tl.queue.PriorityQueue(3, [tl.int32], shared_name=name),
    ),
    Case(
        RandomShuffleQueueV2(PARTS, 5, 2, 7),
        RandomShuffleState,
        RandomShuffleQueueV2(PARTS, 5, 1, 7),
        lambda name: tl.queue.RandomShuffleQueue(3, 1, tl.int32, shared_name=name),
    ),
    Case(
        Barrier(PARTS),
        BarrierState,
        Barrier(PARTS[1:]),
        lambda name: tl.queue.Barrier(tl.int32, shared_name=name),
    ),
    Case(
        StageHandleOp(PARTS, 2, 100),
        StagingState,
        StageHandleOp(PARTS, 2),
        lambda name: tl.queue.StagingArea([tl.int32], shared_name=name),
    ),
    Case(MapStageHandleOp(2, 100), MapStagingState, MapStageHandleOp(2, 100, True)),
    Case(
        MutexV2("critical section"),
        MutexState,
        FIFOQueueV2(PARTS),
        lambda name: tl.queue.Mutex(shared_name=name),
    ),
    Case(
        ConditionalAccumulator(VECTOR),
        DenseSum,
        ConditionalAccumulator(VECTOR, "SUM"),
        lambda name: tl.queue.ConditionalAccumulator(tl.float32, shared_name=name),
    ),
    Case(
        SparseConditionalAccumulator(VECTOR, "SUM"),
        SparseSum,
        ConditionalAccumulator(VECTOR, "SUM"),
        lambda name: tl.queue.SparseConditionalAccumulator(
            tl.float32, shared_name=name
        ),
    ),
    Case(
        HashTableV2(tl.int64, tl.int32), TableState, HashTableV2(tl.int64, tl.int64)
    ),
    Case(
        MutableDenseHashTableV2(tl.int64, tl.int32, ("0",), ("-1",)),
        DenseState,
        MutableDenseHashTableV2(tl.int64, tl.int32, ("0",), ("-2",)),
    ),
    Case(IdentityReaderV2(), ReaderState, WholeFileReaderV2()),
    Case(WholeFileReaderV2(), ReaderState, IdentityReaderV2()),
    Case(TextLineReaderV2(1), ReaderState, TextLineReaderV2(2)),
    Case(TFRecordReaderV2("GZIP"), ReaderState, TFRecordReaderV2()),
    Case(
        FixedLengthRecordReaderV2(8, 2), ReaderState, FixedLengthRecordReaderV2(8, 4)
    ),
    Case(IteratorV2(), IteratorState, FIFOQueueV2(PARTS)),
    Case(SummaryWriter(), WriterState, FIFOQueueV2(PARTS)),
    Case(BoostedTreesEnsembleResourceHandleOp(), Ensemble, FIFOQueueV2(PARTS)),
)
