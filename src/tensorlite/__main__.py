"""`python -m tensorlite`: a Python prompt with `tl` and `np`, IPython's where that is installed.

Sources typed at the prompt are kept, so that functions typed there trace their control flow.
`python -m tensorlite calibrate` measures the machine instead; see calibration.py. `python -m
tensorlite inspect model.pb` says what is in a graph that TensorFlow wrote, and draws it into a
second file where one is named.
"""

from __future__ import annotations

import code
import importlib
import linecache
import sys
from itertools import count
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite import calibration
from tensorlite.core.errors import InvalidArgumentError, TensorliteError
from tensorlite.core.xp import gpu_count
from tensorlite.interop.tensorflow.inspection.inspecting import describe, draw


class Prompt(code.InteractiveConsole):
    """A console that keeps each source it compiles, under a file name of its own."""

    def __init__(self, names: dict[str, Any]) -> None:
        super().__init__(names)
        self._count = count(1)

    def runsource(
        self, source: str, filename: str = "<input>", symbol: str = "single"
    ) -> bool:
        """Run a complete source; return whether more lines are wanted."""
        name = f"<tensorlite-{next(self._count)}>"
        keep(source, name)
        unfinished = super().runsource(source, name, symbol)
        if unfinished:
            del linecache.cache[name]
        return unfinished


def keep(source: str, name: str) -> None:
    """Keep a source where tracebacks and the conversion of functions look for it."""
    lines = source.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    # Without a time of change the entry is never thrown away in favour of a file.
    linecache.cache[name] = len(source), None, lines, name


def banner() -> str:
    """Return the line that a prompt starts with."""
    devices = ["CPU:0", *(f"GPU:{i}" for i in range(gpu_count()))]
    return (
        f"tensorlite {tl.__version__} on {', '.join(devices)}; tl and np are imported"
    )


def main() -> None:
    """Open a prompt, or run what comes through a pipe, or measure the machine."""
    arguments = sys.argv[1:]
    if not arguments:
        prompt()
        return
    try:
        command(arguments)
    except (TensorliteError, ImportError, OSError) as error:
        # Notes say which line of a program called: none of who typed a command.
        sys.exit(f"python -m tensorlite {arguments[0]}: {error}")


USAGE = "calibrate, inspect FILE [PICTURE.svg], or nothing, for a prompt"


def command(arguments: list[str]) -> None:
    """Do what the arguments say."""
    match arguments:
        case ["-h" | "--help"] | [_, "-h" | "--help"]:
            print(f"python -m tensorlite: give {USAGE}")
        case ["calibrate", *options]:
            for line in calibration.command(options):
                print(line, flush=True)
        case ["inspect", path]:
            print(describe(path))
        case ["inspect", path, picture]:
            draw(path, picture)
            print(describe(path))
        case ["inspect", *files]:
            raise InvalidArgumentError(
                f"{len(files)} files; give a graph, and a picture to draw it into or none"
            )
        case _:
            raise InvalidArgumentError(
                f"there is no such command; allowed are {USAGE}"
            )


def prompt() -> None:
    """Open a prompt, or run what comes through a pipe."""
    names: dict[str, Any] = {"tl": tl, "np": np, "__name__": "__main__"}
    try:
        ipython = importlib.import_module("IPython")
    except ImportError:
        ipython = None
    if ipython is not None and sys.stdin.isatty():
        print(banner())
        ipython.start_ipython(argv=["--no-banner"], user_ns=names)
        return
    _complete(names)
    Prompt(names).interact(banner(), exitmsg="")


def _complete(names: dict[str, Any]) -> None:
    """Let the tabulator complete names, where the platform has readline."""
    try:
        readline, completer = map(
            importlib.import_module, ("readline", "rlcompleter")
        )
    except ImportError:
        return
    readline.set_completer(completer.Completer(names).complete)
    readline.parse_and_bind("tab: complete")


if __name__ == "__main__":
    main()
