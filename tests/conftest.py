"""For every test: Hypothesis's profiles, draws that repeat, and whether a GPU is there."""

from __future__ import annotations

import ctypes
import gc
import random
import secrets
from collections.abc import Generator, Iterator
from functools import cache
from importlib.util import find_spec

import pytest
from hypothesis import HealthCheck, settings

from tensorlite.core.xp import set_cpu_count

# `ci` draws the same examples in every run; `pytest --hypothesis-profile explore` looks further.
settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
settings.register_profile(
    "explore",
    deadline=None,
    max_examples=2000,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("ci")


@cache
def gpu_is_there() -> bool:
    """Return whether the driver knows a GPU and CuPy is installed, without importing CuPy."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int()
    found = (
        driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0
    )
    return found and count.value > 0 and find_spec("cupy") is not None


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--device",
        choices=["auto", "stand-in", "gpu"],
        default="auto",
        help="where tests/gpu runs; auto: on the stand-in for CuPy, and on the GPU if there is one",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--device") == "gpu" and not gpu_is_there():
        raise pytest.UsageError("--device gpu: there is no GPU here, or no CuPy")


def leave_alone_what_stays() -> None:
    """Let the garbage collector pass over what is there now, from here on.

    A full collection, which dozens of tests ask for, would else go through the millions of
    objects that the tests themselves are, and what modules and caches hold.
    """
    gc.collect()
    gc.freeze()


def pytest_collection_finish() -> None:
    leave_alone_what_stays()


@pytest.fixture
def one_cpu() -> Iterator[None]:
    """Leave the process with one CPU device, however many a test makes."""
    yield
    set_cpu_count(1)


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("gpu") and not gpu_is_there():
        pytest.skip("there is no GPU here, or no CuPy")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[None, object, object]:
    """Let draws without a seed begin, in each test, where they began in its last run."""
    with pytest.MonkeyPatch.context() as patched:
        draws = random.Random(item.nodeid)  # noqa: S311  nothing is kept secret by them
        patched.setattr(secrets, "randbits", draws.getrandbits)
        result = yield
    if nextitem is not None and nextitem.path != item.path:
        leave_alone_what_stays()
    return result


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Undo what Hypothesis's plugin leaves on a parametrised test.

    At each run it nests the test's settings one deeper, and after some 950 runs looking up a
    setting is a RecursionError.
    """
    function = getattr(item, "function", None)
    kept = getattr(function, "_hypothesis_internal_use_settings", None)
    try:
        return (yield)
    finally:
        if kept is not None:
            setattr(function, "_hypothesis_internal_use_settings", kept)  # noqa: B010
