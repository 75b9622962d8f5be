"""A link that is cut without a word, between two network namespaces: needs root."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from time import monotonic

import numpy as np
import pytest

from tensorlite.core.errors import UnavailableError
from tensorlite.distributed.plane import Plane
from tests.distributed.pairs import Receiver, key
from tests.distributed.task import MASTER, made, started
from tests.threads import until

NAME = f"tl{os.getpid()}"
INSIDE = ("ip", "netns", "exec", NAME)
HOSTS = {"a": "10.213.77.1", "b": "10.213.77.2"}


def ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)  # noqa: S607


@pytest.fixture
def cable() -> Iterator[str]:
    """Give the device that leads to this namespace from another one."""
    if os.geteuid() or shutil.which("ip") is None:
        pytest.skip("needs root and the ip command")
    try:
        ip("netns", "add", NAME)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"no network namespace can be made: {error.stderr!r}")
    near, far = f"{NAME}n", f"{NAME}f"
    try:
        ip("link", "add", near, "type", "veth", "peer", "name", far, "netns", NAME)
        ip("addr", "add", f"{HOSTS['a']}/30", "dev", near)
        ip("link", "set", near, "up")
        ip("-n", NAME, "addr", "add", f"{HOSTS['b']}/30", "dev", far)
        ip("-n", NAME, "link", "set", far, "up")
        yield far
    finally:
        ip("netns", "delete", NAME)


@pytest.mark.cluster
@pytest.mark.parametrize("sends", [False, True])
def test_a_cut_link_is_known_within_seconds_and_made_again(
    cable: str, sends: bool
) -> None:
    options = {"hosts": HOSTS}
    plane = made(MASTER, options)
    with started(plane, options, "stay", within=INSIDE):
        receiver = Receiver(plane, "b")
        plane.connect("b")
        ip("-n", NAME, "link", "set", cable, "down")
        begin = monotonic()
        receiver.ask(9, key("never"))
        if sends:
            plane.send("b", 9, key("x"), np.ones(3))
        with pytest.raises(UnavailableError, match="task b"):
            receiver.get()
        assert monotonic() - begin < 10
        ip("-n", NAME, "link", "set", cable, "up")
        until(lambda: _reached(plane))
    plane.close()


def _reached(plane: Plane) -> bool:
    """Return whether a task answers again; its node may have to be found anew."""
    try:
        plane.connect("b")
    except UnavailableError:
        return False
    return True
