"""What importing the package brings along, in an interpreter of its own."""

from __future__ import annotations

import subprocess
import sys

from tests.architecture.source import PACKAGE, SOURCE

OWN = {PACKAGE, "ml_dtypes", "numpy", "safetensors"}
MOST_MODULES = 250
"""Of the package, beside NumPy's and the standard library's: a bound that a slip would cross."""

LISTED = f"""
import sys
before = set(sys.modules)
import {PACKAGE}
print("\\n".join(sorted(set(sys.modules) - before)))
"""


def loaded() -> list[str]:
    """Return the modules that importing the package loads."""
    command = [sys.executable, "-W", "error", "-c", LISTED]
    environment = {"PYTHONPATH": str(SOURCE)}
    ran = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True
    )
    return ran.stdout.split()


def test_importing_loads_the_dependencies_and_the_standard_library_only() -> None:
    tops = {name.partition(".")[0] for name in loaded()}
    foreign = {
        name
        for name in tops - OWN - sys.stdlib_module_names
        if not name.startswith("_")
    }
    assert not foreign, (
        f"imported by {PACKAGE}; import them at first use: {sorted(foreign)}"
    )


def test_importing_loads_no_heavy_part_of_the_standard_library() -> None:
    heavy = {
        "asyncio",
        "http",
        "multiprocessing",
        "sqlite3",
        "tkinter",
        "unittest",
        "xml",
    }
    found = heavy & set(loaded())
    assert not found, (
        f"imported by {PACKAGE}; import them at first use: {sorted(found)}"
    )


def test_importing_loads_a_bounded_number_of_modules() -> None:
    own = [name for name in loaded() if name.partition(".")[0] in OWN - {"numpy"}]
    assert PACKAGE in own
    assert len(own) <= MOST_MODULES
