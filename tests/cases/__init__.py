"""The table of operator cases: every contract test runs over all of them.

Each module beside this file lists the cases of one family of operators, one entry a case.
"""

from __future__ import annotations

import importlib
import pkgutil

from tests.cases.base import OpCase

CASES: tuple[OpCase, ...] = tuple(
    case
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda m: m.name)
    if module.name != "base"
    for case in importlib.import_module(f"tests.cases.{module.name}").CASES
)
