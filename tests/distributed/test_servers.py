"""Servers at given addresses: who may listen where, who may reach them, and what keys are for."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tensorlite.core.errors import (
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    UnavailableError,
)
from tensorlite.distributed import attached, cluster_key, server
from tensorlite.distributed.attached import Attached
from tensorlite.distributed.server import Server

OWN = "/job:local/task:0"
KEY = "a key of more than sixteen characters"


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (cluster_key.VARIABLE, f"{cluster_key.VARIABLE}_FILE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """What ends with the test."""
    with ExitStack() as made:
        yield made


def served(stack: ExitStack) -> Server:
    """Return a server of one task."""
    made = Server({OWN: "localhost:0"}, OWN)
    stack.callback(made.close)
    return made


def as_from_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let sessions reach servers of this process as those of others."""
    monkeypatch.setattr(attached, "listening", lambda where: None)


def test_other_machines_are_served_with_a_key_only() -> None:
    with pytest.raises(FailedPreconditionError, match="TENSORLITE_CLUSTER_KEY"):
        Server({OWN: "192.0.2.1:2222"}, OWN)


def test_tasks_on_loopback_and_elsewhere_cannot_reach_each_other() -> None:
    addresses = {OWN: "localhost:0", "/job:local/task:1": "192.0.2.1:2222"}
    with pytest.raises(FailedPreconditionError, match="loopback ones alone"):
        Server(addresses, OWN)


@pytest.mark.parametrize("address", ["localhost", ":1", "localhost:x", "a:70000"])
def test_what_is_no_address(address: str) -> None:
    with pytest.raises(InvalidArgumentError, match="host:port"):
        cluster_key.located(address)


def test_an_address_that_is_taken(stack: ExitStack) -> None:
    taken = stack.enter_context(socket.socket())
    taken.bind(("127.0.0.1", 0))
    taken.listen()
    with pytest.raises(UnavailableError, match="cannot listen"):
        Server({OWN: f"localhost:{taken.getsockname()[1]}"}, OWN)


def test_a_key_that_can_be_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cluster_key.VARIABLE, "short")
    with pytest.raises(InvalidArgumentError, match="16 or more"):
        Server({OWN: "localhost:0"}, OWN)


def test_who_has_another_key_is_not_served(
    stack: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = served(stack)
    as_from_elsewhere(monkeypatch)
    monkeypatch.setenv(cluster_key.VARIABLE, KEY)
    with pytest.raises(FailedPreconditionError, match="the same in all processes"):
        Attached(made.target)


def test_a_key_may_be_in_a_file(
    stack: ExitStack, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(f"{cluster_key.VARIABLE}_FILE", str(tmp_path / "key"))
    with pytest.raises(NotFoundError, match="key"):
        served(stack)
    (tmp_path / "key").write_text(f"{KEY}\n")
    made = served(stack)
    as_from_elsewhere(monkeypatch)
    monkeypatch.setenv(cluster_key.VARIABLE, KEY)
    Attached(made.target).close()


def test_between_machines_links_are_encrypted(
    stack: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (cluster_key, server):
        monkeypatch.setattr(module, "is_loopback", lambda ip: False)
    monkeypatch.setenv(cluster_key.VARIABLE, KEY)
    made = served(stack)
    as_from_elsewhere(monkeypatch)
    reached = Attached(made.target)
    stack.callback(reached.close)
    assert [str(device) for device in reached.devices] == [f"{OWN}/device:CPU:0"]
    assert reached._tls is not None


def test_the_secret_of_this_machine_is_its_users(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    first = cluster_key.keys_for(OWN, ["127.0.0.1"])
    assert cluster_key.keys_for(OWN, ["127.0.0.1"]).secret == first.secret
    (folder,) = tmp_path.iterdir()
    assert [path.stat().st_mode & 0o077 for path in folder.iterdir()] == [0]
    folder.chmod(0o755)
    with pytest.raises(FailedPreconditionError, match="others can enter it"):
        cluster_key.keys_for(OWN, ["127.0.0.1"])


def test_another_cluster_at_the_address(
    stack: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = served(stack)
    other = "/job:other/task:0"
    addresses = {other: "localhost:0", "/job:other/task:1": made.address}
    second = Server(addresses, other)
    stack.callback(second.close)
    with pytest.raises(InvalidArgumentError, match="one cluster"):
        Attached(second.target)


def test_a_task_that_the_cluster_has_not() -> None:
    with pytest.raises(InvalidArgumentError, match="is no task of the cluster"):
        Server({OWN: "localhost:0"}, "/job:ps/task:0")
