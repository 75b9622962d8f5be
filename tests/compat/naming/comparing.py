"""Compares what compat.v1 makes of the programs with what TensorFlow 1.15 makes, as recorded.

python -m tests.compat.naming.comparing THEME [PART OF A PROGRAM] prints where nodes differ;
python -m tests.compat.naming.comparing --list writes the lists of programs that are known to differ
anew, from what differs now; reasons stay, and want adding where there is a new one.
"""

from __future__ import annotations

import lzma
import sys
from collections.abc import Iterable

import tensorlite.compat.v1 as tf
from tensorlite.core.errors import MissingOperatorError, TensorliteError
from tests.compat.naming.told import FOLDER, programs, told

THEMES = sorted(x.stem for x in (FOLDER / "programs").iterdir())
PLAIN, LISTED = "is not said yet", FOLDER / "differing"
FIELDS = {">": "results", "+": "collected", " ": "nodes"}
Told = dict[str, list[str]]
"""What a program makes: results, what its graph collects, nodes."""


def recorded(theme: str) -> dict[str, Told]:
    """Return what TensorFlow makes of each program of a theme."""
    folder = FOLDER / "recorded"
    nodes = lzma.decompress((folder / f"{theme}.nodes.xz").read_bytes()).decode()
    names = (folder / f"{theme}.txt").read_text()
    found: dict[str, Told] = {}
    now: Told = {}
    for line in [*names.splitlines(), *nodes.splitlines()]:
        if line.startswith("= "):
            now = found.setdefault(line[2:], {x: [] for x in FIELDS.values()})
        else:
            now[FIELDS[line[0]]].append(line[2:])
    return found


def here(program: str) -> Told:
    """Return what a program makes here; nothing, where it is refused."""
    try:
        return told(tf, program, MissingOperatorError)
    except (TensorliteError, AttributeError, OSError) as error:
        return {"results": [f"refused: {error}"], "collected": [], "nodes": []}


def difference(wanted: Told, found: Told) -> str:
    """Return what differs first: that a program is refused, names of results, or nodes."""
    if found["results"][:1] and found["results"][0].startswith("refused"):
        return "refused"
    if wanted["results"] != found["results"]:
        return "results"
    if sorted(wanted["collected"]) != sorted(found["collected"]):
        return "collected"
    return "" if wanted["nodes"] == found["nodes"] else "nodes"


def differing(theme: str) -> dict[str, str]:
    """Return the programs of a theme that make other things here, and what of them is other."""
    compared = {key: difference(x, here(key)) for key, x in recorded(theme).items()}
    return {key: kind for key, kind in compared.items() if kind}


def listed(theme: str) -> dict[str, tuple[str, str]]:
    """Return the programs that are known to differ: what of them does, and why."""
    path, reason = LISTED / f"{theme}.txt", ""
    found: dict[str, tuple[str, str]] = {}
    for line in path.read_text().splitlines() if path.exists() else ():
        if line.startswith("# "):
            reason = line[2:]
        elif line:
            kind, _, program = line.partition(": ")
            found[program] = kind, reason
    return found


def write_list(theme: str) -> None:
    """Write the list of a theme anew, by what differs now."""
    known, by_reason = listed(theme), dict[str, list[str]]()
    for program, kind in differing(theme).items():
        reason = known.get(program, ("", PLAIN))[1]
        by_reason.setdefault(reason, []).append(f"{kind}: {program}")
    parts = [f"# {key}\n" + "\n".join(x) + "\n" for key, x in by_reason.items()]
    (LISTED / f"{theme}.txt").write_text("\n".join(parts))


def show(theme: str, part: str) -> None:
    """Print where the programs of a theme differ that have a part in them."""
    made = recorded(theme)
    for program in programs(theme):
        if part in program and program in made:
            _show(program, made[program], here(program))


def _show(program: str, wanted: Told, found: Told) -> None:
    print(f"= {program}: {difference(wanted, found) or 'equal'}")
    for field in FIELDS.values():
        _lines("-", set(wanted[field]) - set(found[field]))
        _lines("+", set(found[field]) - set(wanted[field]))


def _lines(sign: str, lines: Iterable[str]) -> None:
    for line in sorted(lines):
        print(f"  {sign} {line}")


if __name__ == "__main__":
    if sys.argv[1] == "--list":
        for name in sys.argv[2:] or THEMES:
            write_list(name)
    else:
        show(sys.argv[1], "".join(sys.argv[2:3]))
