"""What importing TensorFlow 2's names sets for the process, for the tests of these names.

These run at once.

No test begins with the seed that another has set: draws that nobody seeds differ.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import tensorlite as tl
from tensorlite.core.shapes import Results, TensorShape
from tensorlite.graph_mode.graph import mode
from tensorlite.graph_mode.streams import global_seed

EAGER = ("test_v2", "test_keras", "test_found_by_guide", "test_composite")


@pytest.fixture(autouse=True)
def _as_imported(request: pytest.FixtureRequest) -> Iterator[None]:
    eager = request.path.name.startswith(EAGER)
    tl.config.set_numpy_operands("adopt" if eager else "promote")
    tl.config.set_soft_placement(eager)
    tl.config.set_tensorflow_results(eager)
    global_seed.seed = None
    before, mode.eager = mode.eager, eager
    yield
    mode.eager, mode.resources = before, False
    global_seed.seed = None
    Results.kind = TensorShape
    tl.config.set_tensorflow_results(False)
    tl.config.set_numpy_operands("promote")
    tl.config.set_soft_placement(False)


@pytest.fixture
def four_cpus() -> Iterator[None]:
    """Let there be four logical CPUs."""
    tl.config.set_logical_devices("CPU", 4)
    yield
    tl.config.set_logical_devices("CPU", 1)
