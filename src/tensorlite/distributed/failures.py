"""Failures: errors as JSON and back, so that what a task raises is raised by the client.

Their class, words and notes travel; tracebacks do not.
"""

from __future__ import annotations

import builtins
from typing import Any

from tensorlite.core import errors
from tensorlite.core.errors import KernelError, TensorliteError, note
from tensorlite.core.waiting import ended

NOTES = 20
"""Notes of an error that travel."""


def told(error: BaseException, task: str) -> dict[str, Any]:
    """Return an error as JSON, with a note of the task that it came from."""
    return {
        "type": type(error).__name__,
        "message": str(error),
        "notes": [*getattr(error, "__notes__", ())][:NOTES],
        "task": task,
        "cause": None if error.__cause__ is None else repr(error.__cause__),
    }


def remade(content: Any) -> BaseException:
    """Return the error that `told` told of; one of a class unknown here is a KernelError."""
    name, message = str(content["type"]), str(content["message"])
    found = getattr(errors, name, None) or getattr(builtins, name, None)
    if not (isinstance(found, type) and issubclass(found, Exception)):
        found, message = KernelError, f"{name}: {message}"
    try:
        error = found(message)
    except TypeError:  # such as UnicodeDecodeError, which is made of more than words
        error = KernelError(f"{name}: {message}")
    if isinstance(error, TensorliteError):
        ended(error)
    for text in content["notes"]:
        note(error, str(text))
    if content.get("cause"):
        note(error, f"caused by {content['cause']}")
    note(error, f"in task {content['task']}")
    return error
