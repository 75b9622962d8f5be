"""Extras: packages that are imported when they are first needed, and what to do without them."""

from __future__ import annotations

import importlib
from typing import Any

from tensorlite.core.errors import FailedPreconditionError


def extra(module: str, purpose: str) -> Any:
    """Return a module of the extra `cluster`; FailedPreconditionError when it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise FailedPreconditionError(
            f"{purpose} needs the package {package}, which cannot be imported ({error}): "
            "pip install 'tensorlite[cluster]'"
        ) from error
