"""TensorFlow's protobuf messages that programs make themselves, from the tensorboard package."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
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

    _given: Mapping[str, Any] = {}

    def __init__(self, **given: Any) -> None:
        self._given = given

    @cached_property
    def message(self) -> Any:
        """TensorFlow's message, made when it is first asked for: most runs tell nothing."""
        return message("RunMetadata")(**self._given)

    @contextmanager
    def recording(self, session: Any) -> Iterator[None]:
        """Record what a session runs inside the block."""
        with profiler.trace(eager=False) as profile:
            yield
        self.message.CopyFrom(summary.run_metadata(profile, session.graph))
        self.message.step_stats.SetInParent()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # how to copy it, which is not the message's
            raise AttributeError(name)
        return getattr(self.message, name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RunMetadata) and self.message == other.message

    __hash__ = None  # type: ignore[assignment]  # it changes

    def __repr__(self) -> str:
        return repr(self.message)
