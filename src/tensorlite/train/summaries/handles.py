"""Operators of handles of summary writers, as graphs have them: the writer, and the file it opens.

What writes to them is in ops/summaries/writing.py; writers that programs hold are in writers.py.
"""

from __future__ import annotations

from typing import Any

from tensorlite.core.dtypes import string
from tensorlite.core.errors import DTypeError, FailedPreconditionError
from tensorlite.core.op import Effect, Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.xp import Array, Xp, to_host
from tensorlite.ops.state.making import Making
from tensorlite.ops.summaries.writing import WriterState, text_of
from tensorlite.train.summaries.event_file import EventFile


class Closed:
    """What a writer gives events to whose file is not open."""

    def add_event(self, event: Any) -> None:
        """Raise FailedPreconditionError."""
        raise FailedPreconditionError(
            "a summary writer has no file; run CreateSummaryFileWriter before what writes to it"
        )

    def flush(self) -> None:
        """Do nothing: nothing was taken."""

    def close(self) -> None:
        """Do nothing."""


class SummaryWriter(Making):
    """The handle of a summary writer, whose file is opened by another operator."""

    def fresh(self, xp: Xp) -> WriterState:
        """Return a writer without a file."""
        return WriterState(Closed())


class CreateSummaryFileWriter(Op):
    """Opens a new file of events in a folder, unless the writer has one."""

    effect = Effect.IO
    differentiable = False

    def infer(
        self,
        writer: TensorSpec,
        logdir: TensorSpec,
        max_queue: TensorSpec,
        flush_millis: TensorSpec,
        filename_suffix: TensorSpec,
    ) -> tuple[TensorSpec, ...]:
        """Return nothing; DTypeError for names that are no texts."""
        for x in (logdir, filename_suffix):
            if x.dtype is not string:
                raise DTypeError(f"CreateSummaryFileWriter takes texts, not {x}")
        return ()

    def kernel(
        self,
        xp: Xp,
        writer: WriterState,
        logdir: Array,
        max_queue: Array,
        flush_millis: Array,
        filename_suffix: Array,
    ) -> tuple[Array, ...]:
        """Open the file."""
        if isinstance(writer.sink, Closed):
            most, seconds = (float(to_host(x)) for x in (max_queue, flush_millis))
            suffix = text_of(filename_suffix)
            writer.sink = EventFile(
                text_of(logdir), int(most), seconds / 1000, suffix
            )
        return ()
