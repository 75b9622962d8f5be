"""The plain script of a digits' network becomes distributed by three lines that are changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import tensorlite as tl
from tests.distributed.strategies.training import CPUS, local_tasks

SCRIPT = Path(__file__).parents[3] / "examples" / "06_digits_cnn.py"
PLAIN = {
    "    model, optimizer = network(), tl.optimizers.Adam(0.005)\n": (
        "    strategy = STRATEGY\n"
        "    with strategy.scope():\n"
        "        model, optimizer = network(), tl.optimizers.Adam(0.005)\n"
    ),
    "[float(train_step(rows)) for": "[float(strategy.run(train_step, rows)) for",
}
STRATEGIES: dict[str, Callable[[], tl.distribute.Strategy]] = {
    "mirrored": lambda: tl.distribute.Mirrored(CPUS[:2]),
    "servers": lambda: tl.distribute.ParameterServer(local_tasks(2)),
}


@pytest.mark.parametrize("name", STRATEGIES)
def test_the_script_trains(name: str, tmp_path: Path) -> None:
    text = SCRIPT.read_text(encoding="utf-8")
    for old, new in PLAIN.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    script: Any = ModuleType("script")
    script.__dict__["STRATEGY"] = STRATEGIES[name]()
    path = tmp_path / "script.py"
    path.write_text(text, encoding="utf-8")
    exec(compile(text, str(path), "exec"), script.__dict__)
    assert script.main(epochs=1, folder=str(tmp_path)) > 0.7
