"""variable_creator_scope: functions that make variables in the place of tf.Variable.

What tf.Variable makes by itself is in v1/graphs/variables.py and v2/framework.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from inspect import Signature
from typing import Any

from tensorlite.compat.input_graphs import at_home
from tensorlite.distributed.strategies.copied import several
from tensorlite.distributed.strategies.shared import shared
from tensorlite.graph_mode.graph import active_graph
from tensorlite.ops.state.variable import Variable

Creator = Callable[..., Any]
"""Takes the creator below it and what tf.Variable was given, by keyword; returns the variable."""

_creators: ContextVar[tuple[Creator, ...]] = ContextVar("creators", default=())


@contextmanager
def variable_creator_scope(variable_creator: Creator) -> Iterator[None]:
    """Let a function make the variables of the block.

    It is called with the next creator and the arguments by their names.
    """
    token = _creators.set((*_creators.get(), variable_creator))
    try:
        yield
    finally:
        _creators.reset(token)


def _once(make: Creator, *args: Any, **kwargs: Any) -> Any:
    """Return a variable that all replicas of a strategy have, as they do in graphs."""
    return shared(lambda: make(*args, **kwargs))


class Creatable(type(Variable)):  # type: ignore[misc]  # a metaclass that is asked for at run time
    """The kind of classes of variables which, when called, ask the creators around first."""

    arguments: Signature
    """What a class takes whose calls creators answer; classes below it are called directly."""

    @at_home
    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """Return what the innermost creator makes, which is told the others."""
        creators, make = _creators.get(), super().__call__
        made_several = several.get()
        if made_several is not None:
            in_graph = active_graph() is not None
            make = (
                partial(_once, make) if in_graph else partial(made_several, cls, make)
            )
        if not creators or "arguments" not in vars(cls):
            return make(*args, **kwargs)
        given = cls.arguments.bind(None, *args, **kwargs)
        given.apply_defaults()
        _, *named = given.arguments.items()
        for creator in creators:
            make = partial(creator, make)
        return make(**dict(named))
