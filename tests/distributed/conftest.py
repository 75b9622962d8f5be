"""No test of the data plane leaves a thread, a descriptor or a socket's file."""

from __future__ import annotations

import gc
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.distributed.kills import PROPERTY, table
from tests.threads import until

ROOT = Path(__file__).parents[2]


def descriptors() -> set[str]:
    """Return the open sockets and segments of this process."""
    found = set()
    for path in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # the folder itself was open
            found.add(str(path.readlink()))
    return {name for name in found if name.startswith(("socket:", "/memfd:"))}


@pytest.fixture(scope="session", autouse=True)
def _processes_find_the_tests() -> Iterator[None]:
    """Let processes that tests start, by whatever way, import what stands beside the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", f"{ROOT}/src:{ROOT}")
        yield


@pytest.fixture(autouse=True)
def _nothing_is_left(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    tmp_path_factory.getbasetemp()  # which is chosen now, and kept
    with tempfile.TemporaryDirectory(prefix="t-") as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        threads, before = set(threading.enumerate()), descriptors()
        gc.freeze()  # so that what other tests have left is not looked through each time
        yield
        gc.collect()
        gc.unfreeze()
        until(lambda: set(threading.enumerate()) <= threads)
        if "ray" not in sys.modules:  # which keeps sockets of its own, some for later
            assert descriptors() <= before
        assert not list(Path(folder).glob("tensorlite-*"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tell how long it took to notice kills, and to train again."""
    reports = terminalreporter.getreports("passed")
    times = [
        value
        for report in reports
        for name, value in report.user_properties
        if name == PROPERTY
    ]
    if times:
        terminalreporter.section("trainings whose tasks were killed")
        for line in table(times):
            terminalreporter.line(line)
