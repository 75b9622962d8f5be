"""tensorflow.python.autograph.pyct.transformer: what libraries with converters of their own extend.

TensorFlow's converter of Python is not here, but tl.function's own: its modules can be imported, so
that libraries that convert something now and then can be, and what is converted so is refused.
"""

from __future__ import annotations

import ast
from typing import Any

from tensorlite.core.errors import InvalidArgumentError

__all__ = ["Base", "CodeGenerator", "NodeStateTracker"]


class NodeStateTracker:
    """The base of what goes through a program's code: it is refused when it is made."""

    def __init__(self, ctx: Any) -> None:
        raise InvalidArgumentError(
            f"{type(self).__name__} extends TensorFlow's converter of Python, which is not here; "
            "tf.function converts functions in tensorlite's way"
        )


class Base(NodeStateTracker, ast.NodeTransformer):
    """The base of what puts other code in the place of code."""


class CodeGenerator(NodeStateTracker, ast.NodeVisitor):
    """The base of what writes other code."""
