"""HParams of tf.contrib.training: named values of a model, read from text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from numbers import Integral, Number
from typing import Any

from tensorlite.core.errors import InvalidArgumentError

_ASSIGNED = re.compile(
    r"\s*(?P<name>[a-zA-Z][\w.]*)\s*(?:\[\s*(?P<index>\d+)\s*\])?\s*=\s*"
    r"(?:\[(?P<values>[^\]]*)\]|(?P<value>[^,\[]*))\s*(?:,|$)"
)


def parse_values(
    values: str, type_map: dict[str, type], ignore_unknown: bool = False
) -> dict[str, Any]:
    """Return what `name=value,other=[1,2],third[0]=3` says, in the types of names."""
    found: dict[str, Any] = {}
    place = 0
    while place < len(values):
        match = _ASSIGNED.match(values, place)
        if match is None:
            raise InvalidArgumentError(
                f"Malformed hyperparameter value: {values[place:]}"
            )
        place = match.end()
        name, index = match["name"], match["index"]
        if name not in type_map:
            if ignore_unknown:
                continue
            raise InvalidArgumentError(f"Unknown hyperparameter type for {name}")
        kind = type_map[name]
        if match["values"] is not None:
            parts = [x for x in match["values"].split(",") if x.strip()]
            value: Any = [_parsed(name, kind, x) for x in parts]
        else:
            value = _parsed(name, kind, match["value"])
        if index is not None and isinstance(value, list):
            raise InvalidArgumentError(
                f"Assignment of a list to a list index. ({name}[{index}]=[{match['values']}]); "
                f"give one value, or the whole list: {name}=[...]"
            )
        known: Any = found.setdefault(name, {}) if index is not None else found
        key = name if index is None else int(index)
        if not isinstance(known, dict) or key in known:
            place_in = "" if index is None or key not in known else f"[{index}]"
            raise InvalidArgumentError(
                f"Multiple assignments to variable '{name}{place_in}' in {values}"
            )
        known[key] = value
    return found


def _parsed(name: str, kind: type, text: str) -> Any:
    given = text.strip()
    try:
        if kind is bool:
            known = {"true": True, "false": False}
            found = known.get(given[:1].lower() + given[1:])
            return bool(int(given)) if found is None else found
        return kind(given)
    except ValueError:
        raise _unread(name, kind, given) from None


def _unread(name: str, kind: type, given: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"Could not parse hparam '{name}' of type '{kind.__name__}' with value '{given}'"
    )


class HParams:
    """Values by name, which are attributes."""

    def __init__(
        self, hparam_def: Any = None, model_structure: Any = None, **kwargs: Any
    ) -> None:
        self._types: dict[str, tuple[type, bool]] = {}
        self._model_structure = model_structure
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name: str, value: Any) -> None:
        """Add a value by a name that is not taken; its type, or its elements', is kept.

        A name that is taken and an empty list raise InvalidArgumentError.
        """
        if getattr(self, name, None) is not None:
            raise InvalidArgumentError(f"Hyperparameter name is reserved: {name}")
        if isinstance(value, (list, tuple)):
            if not value:
                raise InvalidArgumentError(
                    f"Multi-valued hyperparameters cannot be empty: {name}"
                )
            self._types[name] = (type(value[0]), True)
        else:
            self._types[name] = (type(value), False)
        setattr(self, name, value)

    def set_hparam(self, name: str, value: Any) -> None:
        """Change a value; another type that cannot be made the old one raises an error."""
        kind, many = self._types[name]
        if isinstance(value, (list, tuple)) != many:
            raise InvalidArgumentError(
                f"{'Must' if many else 'Must not'} pass a list for "
                f"{'multi' if many else 'single'}-valued parameter: {name}"
            )
        fitted = [_fitted(name, kind, x) for x in value] if many else None
        setattr(self, name, fitted if many else _fitted(name, kind, value))

    def del_hparam(self, name: str) -> None:
        """Forget a value; names that are not there do nothing."""
        if hasattr(self, name):
            delattr(self, name)
            del self._types[name]

    def parse(self, values: str) -> HParams:
        """Change values as text says, like "name=value,list=[1,2]", and return the object."""
        kinds = {name: kind for name, (kind, _) in self._types.items()}
        found = parse_values(values, kinds)
        for name, value in found.items():
            if isinstance(value, dict):
                changed = list(getattr(self, name))
                for index, part in value.items():
                    changed[index] = part
                self.set_hparam(name, changed)
            else:
                self.set_hparam(name, value)
        return self

    def override_from_dict(self, values_dict: dict[str, Any]) -> HParams:
        """Change values by a dict, and return the object."""
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    def set_model_structure(self, model_structure: Any) -> None:
        """Keep a model's structure, of any type."""
        self._model_structure = model_structure

    def get_model_structure(self) -> Any:
        """Return what set_model_structure was given."""
        return self._model_structure

    def to_json(
        self,
        indent: int | None = None,
        separators: Any = None,
        sort_keys: bool = False,
    ) -> str:
        """Return the values as JSON; functions are given by their names."""

        def plain(x: Any) -> Any:
            return x.__name__ if callable(x) else x

        return json.dumps(
            {name: plain(x) for name, x in self.values().items()},
            indent=indent,
            separators=separators,
            sort_keys=sort_keys,
        )

    def parse_json(self, values_json: str) -> HParams:
        """Change values as JSON text says, and return the object."""
        return self.override_from_dict(json.loads(values_json))

    def values(self) -> dict[str, Any]:
        """Return the values by name, a dict."""
        return {name: getattr(self, name) for name in self._types}

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of a name, or default if there is none.

        A default that is not of the value's type raises InvalidArgumentError.
        """
        if key not in self._types:
            return default
        if default is not None:
            self._check_default(key, default)
        return getattr(self, key)

    def _check_default(self, key: str, default: Any) -> None:
        kind, many = self._types[key]
        try:
            if isinstance(default, list) != many:
                raise _unfit(key, kind, default)
            for value in default if many else [default]:
                _fitted(key, kind, value)
        except InvalidArgumentError as error:
            told = f"list<{kind.__name__}>" if many else kind.__name__
            raise InvalidArgumentError(
                f"Hparam '{key}' of type '{told}' is incompatible with default={default}. {error}"
            ) from None

    def __contains__(self, key: str) -> bool:
        return key in self._types

    def __str__(self) -> str:
        return ",".join(f"{name}={value}" for name, value in self.values().items())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({sorted(self.values().items())})"

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"'HParams' object has no attribute {name!r}; it has {self._names()}"
        )

    def _names(self) -> Iterable[str]:
        return sorted(self.__dict__.get("_types", ()))


def _fitted(name: str, kind: type, value: Any) -> Any:
    """Return a value in the type of a parameter, if nothing of it is lost."""
    if value is None or kind is type(None) or type(value) is kind:
        return value
    needed = next(
        (x for x in (bool, str, Integral, Number) if issubclass(kind, x)), object
    )
    is_switch = isinstance(value, bool)
    if not isinstance(value, needed) or is_switch != issubclass(kind, bool):
        raise _unfit(name, kind, value)
    return value if isinstance(value, kind) else kind(value)


def _unfit(name: str, kind: type, value: Any) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"Could not cast hparam '{name}' of type '{kind.__name__}' from value {value!r}"
    )
