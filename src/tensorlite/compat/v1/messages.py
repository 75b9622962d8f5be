"""TensorFlow's protobuf messages that programs make themselves, from the tensorboard package."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tensorlite import profiler, summary
from tensorlite.ops.summaries.event_messages import message

SUMMARIES = (
    "Event",
    "SessionLog",
    "Summary",
    "SummaryDescription",
    "SummaryMetadata",
    "TaggedRunMetadata",
)


def __getattr__(name: str) -> Any:
    """Return the class of a message."""
    if name in SUMMARIES:
        return message(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class RunMetadata:
    """What a run took: when each node ran, how long, and the bytes of its outputs."""

    def __init__(self, **given: Any) -> None:
        self.message = message("RunMetadata")(**given)

    @contextmanager
    def recording(self, session: Any) -> Iterator[None]:
        """Record what a session runs inside the block."""
        with profiler.trace(eager=False) as profile:
            yield
        self.message.CopyFrom(summary.run_metadata(profile, session.graph))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["message"], name)

    def __repr__(self) -> str:
        return repr(self.message)
