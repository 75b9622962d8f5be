"""Strategies of which there are none: those of TPUs."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.v2.distribute.strategy import Strategy
from tensorlite.core.errors import InvalidArgumentError


class TPUStrategy(Strategy):
    """Raises InvalidArgumentError: there are no TPUs here."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise InvalidArgumentError("TPUStrategy: there are no TPUs here")
