"""Each example runs and does what it says."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ENGINES = ["inprocess", pytest.param("ray", marks=pytest.mark.cluster)]
EXAMPLES = Path(__file__).parents[2] / "examples"


def main_of(name: str) -> Callable[..., Any]:
    """Return an example's `main`."""
    spec = spec_from_file_location(f"examples.{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    main: Callable[..., Any] = module.main
    return main


def test_tensors() -> None:
    found = main_of("01_tensors")()
    np.testing.assert_allclose(
        found["index"].numpy(), [21.4844, 22.8571, 24.3767], rtol=1e-5
    )
    np.testing.assert_allclose(found["scaled"].numpy().mean(0), 0.0, atol=1e-6)
    assert found["tall"].shape == (2, 2)
    assert found["changed"][0, 1] == 60.0


def test_gradients() -> None:
    slope, intercept, loss = main_of("02_gradients")(steps=60)
    assert (slope, intercept) == pytest.approx((3.0, 2.0), abs=1e-3)
    assert loss < 1e-6


def test_traced_function() -> None:
    found = main_of("03_traced_function")()
    assert found["norm"] == pytest.approx(5.0)
    assert found["again"] == pytest.approx(10.0)
    assert found["mean"] == pytest.approx(2.0)
    assert found["total"] == pytest.approx(5.0)
    assert found["slope"] == pytest.approx(0.6)
    assert found["traces"] == 2  # one for each dtype


def test_control_flow() -> None:
    before, after = main_of("04_control_flow")(steps=12, units=12, batch=8)
    # At first each letter is as likely.
    assert before == pytest.approx(np.log(128), abs=0.3)
    assert after < before - 0.5


def test_digits_mlp() -> None:
    assert main_of("05_digits_mlp")(epochs=5) > 0.9


def test_digits_cnn(tmp_path: Path) -> None:
    assert main_of("06_digits_cnn")(epochs=2, folder=str(tmp_path)) > 0.85
    written = {path.name for path in tmp_path.iterdir()}
    assert "loss.png" in written
    assert any(name.startswith("digits") for name in written)


def test_custom_op() -> None:
    error, cut = main_of("07_custom_op")()
    assert error < 1e-7
    assert cut == pytest.approx([0.2, 1.0])


def test_checkpoints(tmp_path: Path) -> None:
    straight_on, after_restore, misfit = main_of("08_checkpoints")(str(tmp_path))
    assert straight_on == after_restore
    assert "model.slope: float32[2] in the checkpoint, float32[3] here" in misfit


def test_session() -> None:
    slope, intercept, loss = main_of("10_session")()
    assert (slope, intercept) == pytest.approx((3.0, 2.0), abs=0.05)
    assert loss < 0.03  # the noise's variance is 0.01


@pytest.mark.usefixtures("one_cpu")
def test_two_devices(tmp_path: Path) -> None:
    seconds = main_of("09_two_devices")(units=8, steps=4, folder=str(tmp_path))
    assert set(seconds) == {1, 8}
    assert "/device:CPU:1" in (tmp_path / "timeline.svg").read_text("utf-8")


def test_queues(capsys: pytest.CaptureFixture[str]) -> None:
    losses = main_of("11_queues")(epochs=5)
    assert sum(number for number, _ in losses) == 5 * 1797
    assert np.mean([loss for _, loss in losses[-20:]]) < 0.3
    assert "missing.npz" in capsys.readouterr().out


@pytest.mark.usefixtures("one_cpu")
def test_placement(capsys: pytest.CaptureFixture[str]) -> None:
    found = main_of("12_placement")(layers=1, steps=5)
    one, two = found["times"]
    assert two < 0.7 * one
    np.testing.assert_array_equal(found["again"], found["answer"])
    assert found["backup"][2] < found["backup"][0]
    printed = capsys.readouterr().out
    assert "ms here, " in printed
    assert "/device:CPU:1  chosen" in printed


@pytest.mark.parametrize("engine", ENGINES)
def test_parameter_server(engine: str) -> None:
    # Gradients of an asynchronous worker may be late, so that epochs vary: these are enough.
    epochs, accuracy = (1, 0.5) if engine == "inprocess" else (16, 0.94)
    found = main_of("13_parameter_server")(epochs=epochs, engine=engine)
    assert set(found) == {"sync", "async"}
    for losses, reached in found.values():
        assert len(losses) == epochs * 22
        assert reached > accuracy


@pytest.mark.parametrize("engine", ENGINES)
def test_all_reduce(engine: str) -> None:
    epochs, expected = (1, 0.5) if engine == "inprocess" else (6, 0.95)
    losses, alone, accuracy = main_of("14_all_reduce")(epochs=epochs, engine=engine)
    np.testing.assert_allclose(losses, alone, rtol=0, atol=1e-4)
    assert accuracy > expected


@pytest.mark.parametrize("engine", ENGINES)
def test_model_parallel(engine: str) -> None:
    sizes = (4, 8, 8) if engine == "inprocess" else (8, 64, 16)
    two, one = main_of("15_model_parallel")(*sizes, engine=engine)
    np.testing.assert_allclose(two, one, rtol=1e-5)
    assert two[0] == pytest.approx(np.log(128), abs=0.1)
    assert two[-1] < two[0]


@pytest.mark.parametrize("engine", ENGINES)
def test_recovery(engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    disturbed, calm = main_of("16_recovery")(steps=230, engine=engine)
    assert disturbed == calm
    assert len(calm) == 230
    told = capsys.readouterr()
    for task in ("/job:worker/task:1", "/job:ps/task:0"):
        assert f"{task} runs again after" in told.err
    assert "UnavailableError" in told.out


def test_export_onnx(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = main_of("17_export_onnx")(epochs=4, folder=str(tmp_path))
    exact, large = found["float32"]
    assert exact > 0.9
    for name in ("int8 weights", "int8 throughout"):
        assert abs(found[name][0] - exact) < 0.02
        assert large / found[name][1] > 2.5
    assert "times smaller, accuracy" in capsys.readouterr().out


def test_tensorflow1_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    learnt, restored = main_of("18_tensorflow1_program")(100, str(tmp_path))
    assert restored == learnt > 0.8
    assert (tmp_path / "digits-100.meta").exists()
    assert "first/weights:0 first/biases:0" in capsys.readouterr().out


def test_frozen_graph(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, after, slope = main_of("19_read_a_frozen_graph")(200, str(tmp_path))
    assert after == pytest.approx(before, abs=1e-6)
    assert after == pytest.approx(np.sin(0.6), abs=0.15)
    assert slope == pytest.approx(3.0 * np.cos(0.6), abs=0.7)
    assert "not there: nothing" in capsys.readouterr().out
