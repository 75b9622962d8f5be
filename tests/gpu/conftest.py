"""Where the tests of this folder run: on the stand-in for CuPy, and on a GPU if there is one."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from tensorlite.core import xp
from tests import standin
from tests.conftest import gpu_is_there


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that takes `gpu` in each place; its value is the name of the device."""
    if "gpu" not in metafunc.fixturenames:
        return
    wanted = metafunc.config.getoption("--device")
    places = [] if wanted == "gpu" else [pytest.param("stand-in")]
    if wanted != "stand-in" and gpu_is_there():
        places.append(pytest.param("cupy", marks=pytest.mark.gpu))
    metafunc.parametrize("gpu", places, indirect=True)


@pytest.fixture
def gpu(request: pytest.FixtureRequest) -> str:
    """Let there be a GPU, real or not."""
    if request.param == "stand-in":
        request.getfixturevalue("pretended")
    return "/device:GPU:0"


@pytest.fixture
def pretended(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Let the stand-in be what `import cupy` gives, with two GPUs."""
    monkeypatch.setitem(sys.modules, "cupy", standin.module)
    xp._cupy.cache_clear()
    yield "/device:GPU:0"
    xp._cupy.cache_clear()
