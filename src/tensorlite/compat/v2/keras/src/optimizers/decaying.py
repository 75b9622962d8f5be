"""WeightDecay: the share of each weight that a step takes away, and the weights it leaves alone."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from tensorlite.core.errors import InvalidArgumentError


class WeightDecay:
    """What weights lose at each step, as a share of the learning rate; None for nothing."""

    def __init__(self, share: float | None) -> None:
        self.share = share
        self._excluded: set[int] = set()
        self._pattern: re.Pattern[str] | None = None

    def exclude(
        self,
        variables: Iterable[Any] | None,
        names: Iterable[str] | None,
        built: bool,
    ) -> None:
        """Leave variables alone, and those in whose names one of some patterns is found."""
        if built:
            raise InvalidArgumentError(
                "`exclude_from_weight_decay()` can only be configured before the optimizer is "
                "built: call it before the first step"
            )
        self._excluded = {id(variable) for variable in variables or ()}
        given = "|".join(names or ())
        self._pattern = re.compile(given) if given else None

    def applies_to(self, variable: Any) -> bool:
        """Return whether a variable decays: it, or its name, is not excluded."""
        if id(variable) in self._excluded:
            return False
        return self._pattern is None or not self._pattern.search(str(variable.name))

    def share_of(self, variable: Any) -> float | None:
        """Return what a variable loses, as a share of the rate."""
        return self.share

    def take(self, variables: Iterable[Any], rate: Any) -> None:
        """Take from variables what they lose in a step at a learning rate."""
        for variable in filter(self.applies_to, variables):
            share = self.share_of(variable)
            if share:
                variable.assign_sub(variable.value() * rate * share)
