"""How sessions fetch and feed objects of a program's own kinds, which it registers.

What sessions fetch and feed by themselves is in graph_mode/sessions.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from tensorlite.core import nest
from tensorlite.core.errors import DTypeError, InvalidArgumentError

__all__ = ["register_session_run_conversion_functions"]


class _Conversion(NamedTuple):
    fetch: Callable[[Any], tuple[Any, Callable[[Any], Any]]]
    feed: Callable[[Any, Any], Any] | None
    feed_for_partial_run: Callable[[Any], Any] | None


_kinds: dict[type, _Conversion] = {}


def register_session_run_conversion_functions(
    tensor_type: type,
    fetch_function: Callable[[Any], tuple[Any, Callable[[Any], Any]]],
    feed_function: Callable[[Any, Any], Any] | None = None,
    feed_function_for_partial_run: Callable[[Any], Any] | None = None,
) -> None:
    """Let sessions fetch and feed objects of a type.

    fetch_function returns tensors to run in an object's place, and a function that makes its value
    of theirs; feed_function returns the tensors and values that stand for an object and its value.
    A type that is registered raises InvalidArgumentError.
    """
    for kind in _kinds:
        if issubclass(tensor_type, kind):
            raise InvalidArgumentError(
                f"{tensor_type} has already been registered so ignore it: sessions fetch {kind}"
            )
    _kinds[tensor_type] = _Conversion(
        fetch_function, feed_function, feed_function_for_partial_run
    )


def _conversion(x: Any) -> _Conversion | None:
    return next((made for kind, made in _kinds.items() if isinstance(x, kind)), None)


def taken_apart(fetches: Any) -> tuple[Any, Callable[[Any], Any]]:
    """Return what to run for fetches, and a function that makes their values of the results."""
    if not _kinds:
        return fetches, _as_it_is
    found = _conversion(fetches)
    if found is not None:
        tensors, finish = found.fetch(fetches)
        return list(tensors), finish
    if not isinstance(fetches, (list, tuple, Mapping)):
        return fetches, _as_it_is
    parts = [taken_apart(x) for x in nest.children(fetches)]
    if all(finish is _as_it_is for _, finish in parts):
        return fetches, _as_it_is
    wanted = nest.rebuild(fetches, [x for x, _ in parts])

    def finished(values: Any) -> Any:
        pairs = zip(nest.children(values), parts, strict=True)
        return nest.rebuild(values, [finish(x) for x, (_, finish) in pairs])

    return wanted, finished


def _as_it_is(value: Any) -> Any:
    return value


def fed_apart(feed_dict: Any) -> Any:
    """Return what is fed by tensors, those of registered objects in their place."""
    if not _kinds or not isinstance(feed_dict, Mapping):
        return feed_dict
    found: dict[Any, Any] = {}
    for key, value in feed_dict.items():
        made = _conversion(key)
        if made is None:
            found[key] = value
        elif made.feed is None:
            raise DTypeError(
                f"feed_dict: {type(key).__name__} was registered without a feed_function; feed the "
                "tensors of it, or register one"
            )
        else:
            found.update(made.feed(key, value))
    return found


def keys_apart(feeds: Sequence[Any]) -> Sequence[Any]:
    """Return what a partial run will feed, tensors in the place of registered objects."""
    found: list[Any] = []
    for key in feeds if _kinds else ():
        made = _conversion(key)
        if made is None:
            found.append(key)
        elif made.feed_for_partial_run is None:
            raise DTypeError(
                f"partial_run_setup: {type(key).__name__} was registered without a "
                "feed_function_for_partial_run; feed the tensors of it, or register one"
            )
        else:
            found += made.feed_for_partial_run(key)
    return found if _kinds else feeds
