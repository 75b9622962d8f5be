"""tf.profiler: profiles of what runs, which tl.profiler records and writes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tensorlite import profiler
from tensorlite.compat.missing import listing
from tensorlite.core.check import a_path
from tensorlite.core.errors import (
    AlreadyExistsError,
    FailedPreconditionError,
    TensorliteError,
    UnavailableError,
)


def start(logdir: Any, options: Any = None) -> None:
    """Begin to record a profile, to be written to a folder; options have no effect."""
    with _errors(AlreadyExistsError):
        profiler.start(_file(logdir))


def stop(save: bool = True) -> None:
    """Stop recording, and write the profile; save has no effect."""
    with _errors(UnavailableError):
        profiler.stop()


@contextmanager
def _errors(kind: type[TensorliteError]) -> Iterator[None]:
    """Raise what is refused as the error that programs of TensorFlow expect."""
    try:
        yield
    except FailedPreconditionError as error:
        raise kind(str(error)) from None


def _file(logdir: Any) -> Path:
    """Return where a profile goes in a folder, which is made."""
    folder = Path(a_path(logdir, "logdir")) / "plugins" / "profile"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "profile.trace.json"


@contextmanager
def profile(logdir: Any, options: Any = None) -> Iterator[None]:
    """Open a context whose profile is written to a folder; options have no effect."""
    with profiler.trace(_file(logdir)):
        yield


def trace(name: str, **kwargs: Any) -> AbstractContextManager[None]:
    """Return a block whose time bears a name; a block of a step is one of the profile's."""
    step = kwargs.get("step_num")
    return profiler.annotate(name) if step is None else profiler.step(int(step))


experimental = SimpleNamespace(start=start, stop=stop, Profile=profile, Trace=trace)


__dir__ = listing(__name__, globals())
