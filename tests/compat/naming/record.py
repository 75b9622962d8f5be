"""Runs the programs under TensorFlow 1.15 and keeps what they make; by hand, where that is.

python tests/compat/naming/record.py [THEME ...]

Results and collections are kept as text, nodes in a packed one, of which they are most.
"""

from __future__ import annotations

import importlib
import lzma
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
told = importlib.import_module("told")


def record(tensorflow: object, theme: str) -> None:
    """Run a theme's programs and write what they make."""
    names, nodes = [], []
    for program in told.programs(theme):
        try:
            made = told.told(tensorflow, program)
        except Exception as error:  # noqa: BLE001  # which programs fail is what is asked
            print(theme, program, type(error).__name__, str(error)[:200])
            continue
        names += [f"= {program}"]
        names += [f"> {x}" for x in made["results"]]
        names += [f"+ {x}" for x in made["collected"]]
        nodes += [f"= {program}", *(f"  {x}" for x in made["nodes"])]
    folder = told.FOLDER / "recorded"
    (folder / f"{theme}.txt").write_text("\n".join(names) + "\n")
    packed = lzma.compress("\n".join(nodes).encode(), preset=9 | lzma.PRESET_EXTREME)
    (folder / f"{theme}.nodes.xz").write_bytes(packed)


def main() -> None:
    """Record the themes named, or all."""
    tensorflow = importlib.import_module("tensorflow")
    themes = sys.argv[1:] or sorted(
        x.stem for x in (told.FOLDER / "programs").iterdir()
    )
    for theme in themes:
        record(tensorflow, theme)


if __name__ == "__main__":
    main()
