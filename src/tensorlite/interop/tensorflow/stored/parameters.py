"""The parameters of the Python functions whose traces a SavedModel has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import Parameter, Signature
from typing import Any, NamedTuple

from tensorlite.core.errors import GraphDefError, InvalidArgumentError
from tensorlite.interop.tensorflow.stored.structures import value_of


class Parameters(NamedTuple):
    """The parameters of the Python function that was traced."""

    names: tuple[str, ...] = ()
    defaults: tuple[Any, ...] = ()
    """Those of the last names."""
    only_keywords: tuple[str, ...] = ()
    keyword_defaults: Mapping[str, Any] = {}

    def canonical(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Return arguments as they were when traced: by place, with defaults, and by keyword."""
        given = dict(kwargs)
        placed = list(args)
        first = len(self.names) - len(self.defaults)
        for number, name in enumerate(self.names):
            if number < len(args):
                if name in given:
                    raise InvalidArgumentError(f"{name} is given twice")
            elif name in given:
                placed.append(given.pop(name))
            elif number >= first:
                placed.append(self.defaults[number - first])
            else:
                raise InvalidArgumentError(f"the argument {name!r} is missing")
        named = {
            x: self.keyword_defaults[x]
            for x in self.only_keywords
            if x in self.keyword_defaults
        }
        return tuple(placed), named | given

    @property
    def signature(self) -> Signature:
        """The same as Python tells it."""
        first = len(self.names) - len(self.defaults)
        kinds = Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY
        placed = [
            Parameter(
                name,
                kinds[0],
                default=Parameter.empty if i < first else self.defaults[i - first],
            )
            for i, name in enumerate(self.names)
        ]
        only = [
            Parameter(
                x, kinds[1], default=self.keyword_defaults.get(x, Parameter.empty)
            )
            for x in self.only_keywords
        ]
        return Signature([*placed, *only])


_FULL: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("args", "defaults", "kwonlyargs"), (tuple, list, type(None))),
    "kwonlydefaults": (dict, type(None)),
}
"""What a Python function's parameters are told by, and as which kind of value."""


def parameters_of(spec: Any) -> Parameters:
    """Return the parameters of a function by its FunctionSpec."""
    told = value_of(spec.fullargspec)
    given = told._asdict() if hasattr(told, "_asdict") else told or {}
    if not isinstance(given, dict) or not all(
        isinstance(given.get(key), kinds) for key, kinds in _FULL.items()
    ):
        raise GraphDefError(
            f"the parameters of a function are said to be {given!r:.80}"
        )
    names = list(given.get("args") or ())
    if spec.is_method and names:
        names = names[1:]
    return Parameters(
        tuple(names),
        tuple(given.get("defaults") or ()),
        tuple(given.get("kwonlyargs") or ()),
        given.get("kwonlydefaults") or {},
    )
