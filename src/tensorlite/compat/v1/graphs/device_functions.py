"""What TensorFlow's programs give to tf.device: names, and functions asked about operations.

Where operations are placed by what they answer stands in core/scope.py; parameter servers' own
functions in training/placing.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tensorlite.compat.described import Described
from tensorlite.compat.views import shown
from tensorlite.core.scope import Asked, Chooser
from tensorlite.graph.graph import Graph
from tensorlite.interop.tensorflow.messages import message


class Planned(Asked):
    """An operation that is about to be made."""

    @property
    def node_def(self) -> Any:
        """The operation as a NodeDef: its name, type, device and inputs."""
        made = message("NodeDef")(
            name=self.name, op=self.type, device=str(self.device)
        )
        made.input.extend([shown(x).name.removesuffix(":0") for x in self.inputs])
        return made

    def get_attr(self, name: str) -> Any:
        """Return the value of an attribute; InvalidArgumentError for a name that it has not."""
        return self._alone.get_attr(name)

    @property
    def _alone(self) -> Described:
        """The operation in a graph of its own, as it will be."""
        graph = Graph()
        inputs = [graph.add_input(x.spec) for x in self.inputs]
        return Described(graph.add(self.op, inputs))


_BARE = re.compile(r"(?i:cpu|gpu)(:\d+)?")
"""Devices as TensorFlow lets programs name them, too."""


def as_asked(given: Any) -> Any:
    """Return what a program gives to tf.device as scopes of tensorlite take it."""
    if isinstance(given, str) and _BARE.fullmatch(given):
        return f"/device:{given}" if ":" in given else f"/device:{given}:0"
    if hasattr(given, "to_string"):
        return given.to_string() or None
    return _chooser(given) if callable(given) else given or None


def _chooser(function: Callable[[Any], Any]) -> Chooser:
    """Return a program's device function as tensorlite asks it."""

    def chosen(asked: Asked) -> Any:
        planned = Planned(asked.name, asked.op, asked.inputs, asked.device)
        answer = function(planned)
        return answer.to_string() if hasattr(answer, "to_string") else answer

    return chosen
