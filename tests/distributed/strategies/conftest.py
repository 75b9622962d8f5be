"""Four CPU devices for every test here; when it is over one, and none of their threads."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tensorlite.core.xp import set_cpu_count
from tensorlite.runtime.devices import logical_devices, release


@pytest.fixture(autouse=True)
def four_cpus() -> Iterator[None]:
    set_cpu_count(4)
    yield
    for device in logical_devices():
        release(device)
    set_cpu_count(1)
