"""What device functions of TensorFlow's programs are asked about: operations, with their NodeDefs.

Where operations are placed by what they answer stands in core/scope.py; parameter servers' own
functions in placing.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.views import shown
from tensorlite.core.scope import Asked, Chooser
from tensorlite.interop.tensorflow.messages import message


class Planned(Asked):
    """An operation that is about to be made."""

    @property
    def node_def(self) -> Any:
        made = message("NodeDef")(
            name=self.name, op=self.type, device=str(self.device)
        )
        made.input.extend([shown(x).name.removesuffix(":0") for x in self.inputs])
        return made


def chooser(function: Callable[[Any], Any]) -> Chooser:
    """Return a program's device function as tensorlite asks it."""

    def chosen(asked: Asked) -> Any:
        planned = Planned(asked.name, asked.op, asked.inputs, asked.device)
        answer = function(planned)
        return answer.to_string() if hasattr(answer, "to_string") else answer

    return chosen
