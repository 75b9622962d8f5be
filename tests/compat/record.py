"""Runs the programs under TensorFlow 1.15 and keeps what they return; by hand, where that is.

python tests/compat/record.py [NAME ...]
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent


def plain(value: Any) -> Any:
    """Return values as JSON has them."""
    if isinstance(value, dict):
        return {key: plain(x) for key, x in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(x) for x in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return np.asarray(value).tolist()
    return value.decode() if isinstance(value, bytes) else value


def program(name: str) -> Any:
    """Return the program in a file, which no package need hold."""
    path = FOLDER / "programs" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    spec.loader.exec_module(module)  # type: ignore[union-attr]
    return module.program


def main() -> None:
    """Record the programs named, or all."""
    tensorflow = importlib.import_module("tensorflow")
    names = sys.argv[1:] or [x.stem for x in (FOLDER / "programs").glob("[a-z]*.py")]
    for name in names:
        found = plain(program(name)(tensorflow))
        path = FOLDER / "recorded" / f"{name}.json"
        path.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
