"""Where the variables of estimators begin: with another model's, if it is said which."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from tensorlite.compat.v1.training.starting import VocabInfo, warm_start
from tensorlite.core.errors import DTypeError

__all__ = ["VocabInfo", "WarmStartSettings", "settings_of", "warm_start"]


class WarmStartSettings(NamedTuple):
    """Which variables begin with those of which checkpoint."""

    ckpt_to_initialize_from: Any
    vars_to_warm_start: Any = ".*"
    var_name_to_vocab_info: Mapping[str, VocabInfo] | None = None
    var_name_to_prev_var_name: Mapping[str, str] | None = None


def settings_of(given: Any) -> WarmStartSettings | None:
    """Return what is said, which may be a checkpoint only."""
    if given is None or isinstance(given, WarmStartSettings):
        return given
    if isinstance(given, (str, bytes)) or hasattr(given, "__fspath__"):
        path = given.decode() if isinstance(given, bytes) else str(given)
        return WarmStartSettings(path)
    raise DTypeError(
        f"warm_start_from must be a string or a WarmStartSettings, instead got {given!r}"
    )
