"""tf.summary.experimental of TensorFlow 2."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from tensorlite import summary
from tensorlite.compat.calling import named
from tensorlite.compat.missing import listing
from tensorlite.summary import get_step, set_step

__all__ = ["get_step", "set_step"]


def summary_scope(
    name: str, default_name: str = "summary", values: Any = None
) -> AbstractContextManager[tuple[str, str]]:
    """Open a scope of names; give the tag and the scope's name. values have no effect."""
    return summary.summary_scope(name, default_name)


@named("write_raw_pb")
def write_raw_pb(tensor: Any, step: Any = None, name: str | None = None) -> Any:
    """Write a serialized summary to the default writer."""
    return summary.write_raw_pb(tensor, step)


__dir__ = listing("tensorlite.compat.v2.summary.experimental", globals())
