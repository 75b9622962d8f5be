"""For every test: Hypothesis's profiles, and the devices that are there."""

from __future__ import annotations

import ctypes
from functools import cache
from importlib.util import find_spec

import pytest
from hypothesis import HealthCheck, settings

# `ci` draws the same examples in every run; `pytest --hypothesis-profile explore` looks further.
settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
settings.register_profile(
    "explore", deadline=None, max_examples=2000, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("ci")

DEVICES = {"cpu": "/device:CPU:0", "gpu": "/device:GPU:0"}


@cache
def gpu_is_there() -> bool:
    """Return whether the driver knows a GPU and CuPy is installed, without importing CuPy."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int()
    found = driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0
    return found and count.value > 0 and find_spec("cupy") is not None


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--device",
        choices=["auto", *DEVICES],
        default="auto",
        help="where tests that take `device` run; auto: on the CPU, and on the GPU if there is one",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--device") == "gpu" and not gpu_is_there():
        raise pytest.UsageError("--device gpu: there is no GPU here, or no CuPy")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that takes `device` once for each device; its value is for `tl.device`."""
    if "device" not in metafunc.fixturenames:
        return
    wanted = metafunc.config.getoption("--device")
    kinds = [wanted] if wanted != "auto" else ["cpu", "gpu"] if gpu_is_there() else ["cpu"]
    marks = {"cpu": [], "gpu": [pytest.mark.gpu]}
    devices = [pytest.param(DEVICES[kind], id=kind, marks=marks[kind]) for kind in kinds]
    metafunc.parametrize("device", devices)


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("gpu") and not gpu_is_there():
        pytest.skip("there is no GPU here, or no CuPy")
