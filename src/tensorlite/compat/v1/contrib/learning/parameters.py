"""Parameters as scikit-learn has them: get_params, set_params."""

from __future__ import annotations

from typing import Any, Self

from tensorlite.core.errors import InvalidArgumentError


class Parametrized:
    """An object whose public attributes are parameters."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by their names, those of parameters too if deep."""
        found: dict[str, Any] = {}
        for name in vars(self):
            value = getattr(self, name)
            if name.startswith("_") or callable(value):
                continue
            if deep and hasattr(value, "get_params"):
                inner = value.get_params().items()
                found.update({f"{name}__{key}": x for key, x in inner})
            found[name] = value
        return found

    def set_params(self, **params: Any) -> Self:
        """Change parameters, those of a parameter `a` by `a__name`, and return the object."""
        known = self.get_params(deep=True)
        for key, value in params.items():
            name, inside, inner = key.partition("__")
            if (name if inside else key) not in known:
                raise InvalidArgumentError(
                    f"Invalid parameter {name} for estimator {type(self).__name__}. Check the list "
                    "of available parameters with `estimator.get_params().keys()`."
                )
            if inside:
                known[name].set_params(**{inner: value})
            else:
                setattr(self, key, value)
        return self

    def __repr__(self) -> str:
        told = self.get_params(deep=False).items()
        return f"{type(self).__name__}({', '.join(f'{k}={v}' for k, v in told)})"
