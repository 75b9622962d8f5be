"""Devices for a test: more CPUs while it runs, one afterwards."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import tensorlite as tl


@pytest.fixture
def three_cpus() -> Iterator[None]:
    """Let there be three logical CPUs during a test."""
    tl.config.set_logical_devices("CPU", 3)
    yield
    tl.config.set_soft_placement(False)
    tl.config.set_logical_devices("CPU", 1)
