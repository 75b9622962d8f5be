"""Collectives between processes of this host, over planes: every algorithm gives the sum."""

from __future__ import annotations

import pytest

from tensorlite.distributed.collectives.collectives import ALGORITHMS
from tests.benchmarks import collectives


@pytest.mark.cluster
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("size", [2, 3])
def test_between_processes(algorithm: str, size: int) -> None:
    """Each task checks what it gets, and is silent if that is wrong."""
    sizes = [(4, 20), (4_000, 50), (1_000_000, 10), (20_000_000, 3)]
    assert len(collectives.ours(size, sizes, algorithm)) == len(sizes)
