"""`python -m tensorlite calibrate`: what it prints and keeps; the numbers are the machine's."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import tensorlite as tl
from tensorlite import __main__ as program, calibration
from tensorlite.core.xp import cpu_count
from tensorlite.passes import cost_table
from tensorlite.passes.cost import FIXED, RATES
from tensorlite.runtime import measure


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration, "ROUNDS", 2)
    monkeypatch.setattr(calibration, "NODES", 20)
    monkeypatch.setattr(measure, "COPIED", 1 << 20)


def test_what_is_measured_is_kept(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "costs.json"
    monkeypatch.setattr(
        sys, "argv", ["tensorlite", "calibrate", "--output", str(path)]
    )
    program.main()
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("/device:CPU:0: ") for line in lines)
    assert any(line.startswith("CPU to CPU: ") for line in lines)
    assert lines[-1].startswith(f"{path} written after ")
    costs = tl.placement.measured_costs(path)
    assert costs.fixed != FIXED
    assert costs.rates["CPU"] != RATES["CPU"]
    assert ("CPU", "CPU") in costs.known_links
    assert cpu_count() == 1


def test_the_file_goes_to_the_cache_folder_and_keeps_its_kernels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    *_, last = calibration.command(["--device", "/cpu:0"])
    path = Path(last.partition(" written")[0])
    assert tmp_path in path.parents
    costs = tl.placement.measured_costs(path)
    costs.kernels["CPU"] = {"Exp of float32[2]": 1.0}
    cost_table.write(costs, path)
    assert list(calibration.command([]))
    again = tl.placement.measured_costs(path)
    assert again.kernels["CPU"]["Exp of float32[2]"] == 1.0


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--device", "/gpu:63"], "does not exist"),
        (["--device", "somewhere"], "is no device name"),
        (["--device", "/job:ps"], "names no single device"),
        (["--speed"], "unrecognized arguments"),
    ],
)
def test_what_cannot_be_measured_is_said(
    arguments: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        list(calibration.command(arguments))
    assert why in capsys.readouterr().err


def test_another_command_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["tensorlite", "calibrat"])
    with pytest.raises(
        SystemExit, match=r"allowed are calibrate, inspect FILE .*, or"
    ):
        program.main()
