"""Fixtures of the tests of operators."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest

from tensorlite.core.xp import CPU
from tensorlite.ops.control import swapping


@pytest.fixture
def swapping_is_clean() -> Iterator[None]:
    """Hold every test to it that nothing is left when what it made is gone."""
    yield
    swapping.set_swap()
    gc.collect()
    store = swapping.store(CPU)
    store.close()
    assert not store.is_working
    assert (store.held, store.size) == (0, 0)
    assert not [t for t in threading.enumerate() if t.name == "tensorlite-swap"]
