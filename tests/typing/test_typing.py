"""mypy --strict accepts the files `accepted_*` here and refuses marked lines of `refused_*`."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
ACCEPTED = sorted(HERE.glob("accepted_*.py"))
REFUSED = sorted(HERE.glob("refused_*.py"))
ERROR = re.compile(r"^(?P<file>[^:]+):(?P<line>\d+): error: .*\[(?P<code>[\w-]+)\]$")


@cache
def errors() -> dict[str, dict[int, str]]:
    """Return the code of mypy's error on each line of each file here."""
    files = [str(path.relative_to(ROOT)) for path in (*ACCEPTED, *REFUSED)]
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--no-pretty",
        "--follow-imports=silent",
    ]
    done = subprocess.run(
        [*command, *files], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found: dict[str, dict[int, str]] = {}
    for line in done.stdout.splitlines():
        match = ERROR.match(line)
        if match:
            found.setdefault(Path(match["file"]).name, {})[int(match["line"])] = (
                match["code"]
            )
    return found


@pytest.mark.parametrize("path", ACCEPTED, ids=lambda path: path.stem)
def test_accepted(path: Path) -> None:
    assert errors().get(path.name, {}) == {}
    exec(compile(path.read_text(), str(path), "exec"), {"__name__": path.stem})


@pytest.mark.parametrize("path", REFUSED, ids=lambda path: path.stem)
def test_refused(path: Path) -> None:
    lines = enumerate(path.read_text().splitlines(), 1)
    marked = {
        i: line.split("# error: ")[1] for i, line in lines if "# error: " in line
    }
    assert errors().get(path.name, {}) == marked
