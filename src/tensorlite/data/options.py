"""Options of datasets, as TensorFlow's programs set them, and which of them mean something here."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

_GROUPS = (
    "autotune",
    "experimental_optimization",
    "experimental_distribute",
    "threading",
)


@dataclass(eq=False)
class Options:
    """Options of a dataset.

    `deterministic=False` lets parallel steps give elements as they are ready. The others tell
    TensorFlow how to be fast; they are kept, and change nothing.

    >>> options = tl.data.Options()
    >>> options.deterministic = False
    >>> tl.data.Dataset.range(3).with_options(options).options().deterministic
    False
    """

    deterministic: bool | None = None
    autotune: Any = field(default_factory=SimpleNamespace)
    experimental_optimization: Any = field(default_factory=SimpleNamespace)
    experimental_distribute: Any = field(default_factory=SimpleNamespace)
    threading: Any = field(default_factory=SimpleNamespace)

    @property
    def experimental_deterministic(self) -> bool | None:
        """An older name of `deterministic`."""
        return self.deterministic

    @experimental_deterministic.setter
    def experimental_deterministic(self, value: bool | None) -> None:
        self.deterministic = value

    def merge(self, other: Options) -> Options:
        """Return these options, with those that are set in others in their place."""
        merged = Options(self.deterministic)
        if other.deterministic is not None:
            merged.deterministic = other.deterministic
        for given in (self, other):
            for name in _GROUPS:
                vars(getattr(merged, name)).update(vars(getattr(given, name)))
        return merged
