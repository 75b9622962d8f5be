"""The user's step as strategies take it: its Python, a name for it, and checks of what it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.core import nest
from tensorlite.core.errors import DTypeError
from tensorlite.core.operand import Operand
from tensorlite.function.function import Function
from tensorlite.function.staging import converted

Step = Callable[..., Any]


def key_of(step: Step) -> object:
    """Return what tells steps apart; a method of a traced function is made anew at each access."""
    return step.cache if isinstance(step, Function) else step


def name_of(step: Step) -> str:
    """Return the name of a step, for graphs and messages."""
    own = getattr(step, "name", None) or getattr(step, "__name__", None)
    return str(own or type(step).__name__)


def python_of(step: Step) -> Step:
    """Return the Python function to call for a step in a trace of the strategy's own.

    Its `if` and `while` become conditionals and loops of the graph as they do in `tl.function`.
    """
    if isinstance(step, Function):
        plain = step.python()
        return converted(plain) if step.autograph else plain
    rewritten: Callable[..., Any] = converted(step)
    return rewritten


def check_step(step: object) -> None:
    """Raise DTypeError for what is no function."""
    if not callable(step):
        raise DTypeError(
            f"a strategy runs a function, not {step!r}: give the step itself, and its arguments "
            "behind it, as in strategy.run(step, images, labels)"
        )


def tensors_of(result: Any) -> Any:
    """Return what a step returned, with the values of variables in their places."""
    return nest.map_structure(
        lambda leaf: leaf.__tensor__() if isinstance(leaf, Operand) else leaf, result
    )
