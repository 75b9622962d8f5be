"""A link that is cut without a word, between two network namespaces: needs root."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from time import monotonic

import numpy as np
import pytest

from tensorlite.core.errors import UnavailableError
from tensorlite.distributed.transport.carrier import COMMAND
from tensorlite.distributed.transport.plane import Plane
from tests.distributed.pairs import Receiver, key
from tests.distributed.task import MASTER, made, started
from tests.distributed.test_commands import Served
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
        ip(
            "link", "delete", near
        )  # at once; with the namespace it would go some time later
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


@pytest.mark.cluster
def test_a_cut_link_is_lost_to_who_serves_and_commands_go_on_after_it(
    cable: str,
) -> None:
    options = {"hosts": HOSTS, "silence": 2.0}
    plane = made(MASTER, options)
    with started(plane, options, "echo", within=INSIDE):
        served = Served(plane)
        for turn in range(2):
            until(lambda: _reached(plane))
            plane.send("b", COMMAND, key("run"), np.array(turn))
            assert served.wait(2 * turn + 1)[-1] == ("b", "run", turn)
            ip("-n", NAME, "link", "set", cable, "down")
            begin = monotonic()
            task, reason = served.wait(2 * turn + 2)[-1]
            assert monotonic() - begin < 10
            assert task == "b"
            assert re.search(r"task b .*; it was last heard [2-9]\.\d s ago", reason)
            with pytest.raises(UnavailableError, match="task b cannot be reached"):
                plane.connect("b")
            ip("-n", NAME, "link", "set", cable, "up")
    plane.close()


@pytest.mark.cluster
def test_both_ends_know_and_either_may_link_again(cable: str) -> None:
    """The other end waits for a value all the while: it is told, and calls when it is asked."""
    options = {"hosts": HOSTS, "silence": 2.0}
    plane = made(MASTER, options)
    with started(plane, options, "call", within=INSIDE):
        receiver = Receiver(plane, "b")
        assert receiver.take(1, key("linked")) == 0
        ip("-n", NAME, "link", "set", cable, "down")
        with pytest.raises(UnavailableError, match="task b"):
            receiver.take(1, key("never"))
        ip("-n", NAME, "link", "set", cable, "up")
        until(lambda: plane.traffic()["b"].messages_in == 2)
        assert receiver.take(1, key("again")) == 0
    plane.close()


def _reached(plane: Plane) -> bool:
    """Return whether a task answers again; its node may have to be found anew."""
    try:
        plane.connect("b")
    except UnavailableError:
        return False
    return True
