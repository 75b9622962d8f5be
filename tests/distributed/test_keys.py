"""Keys of a cluster: who has them is let in, who has others is not, and none lie about."""

from __future__ import annotations

import importlib
import subprocess
import tempfile
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from tensorlite.core.errors import (
    FailedPreconditionError,
    InvalidArgumentError,
    UnavailableError,
)
from tensorlite.distributed.engines.engine import Keys
from tensorlite.distributed.transport.keys import Authority, make_keys, tls_of
from tensorlite.distributed.transport.plane import Plane
from tests.distributed.pairs import Receiver, key

PS, WORKER = "/job:ps/task:0", "/job:worker/task:1"


def listening(task: str, keys: Keys) -> Plane:
    return Plane(
        task,
        1,
        keys.secret,
        host="127.0.0.1",
        unix=False,
        tls=tls_of(keys),
        timeout=5,
    )


def reach(keys: dict[str, Keys]) -> float:
    """Return what two tasks tell each other over TLS."""
    ps, worker = (listening(task, keys[task]) for task in (PS, WORKER))
    try:
        ps.meet(WORKER, worker.address, 1)
        ps.send(WORKER, 1, key("x"), np.arange(5.0))
        return float(Receiver(worker, PS).take(1, key("x")).sum())
    finally:
        ps.close()
        worker.close()


def openssl(*arguments: str) -> str:
    done = subprocess.run(
        ["openssl", *arguments],  # noqa: S607  wherever it is
        check=False,
        capture_output=True,
        text=True,
    )
    return done.stdout + done.stderr


def test_tasks_of_a_cluster_link() -> None:
    assert reach(make_keys("demo", [PS, WORKER])) == 10


def test_a_task_gets_keys_later() -> None:
    authority = Authority("demo")
    first = authority.keys(PS)
    assert reach({PS: first, WORKER: authority.keys(WORKER)}) == 10
    assert authority.keys(PS).private_key != first.private_key


def test_keys_of_another_cluster_of_the_same_name_are_refused() -> None:
    mine, other = (make_keys("demo", [PS, WORKER]) for _ in range(2))
    with pytest.raises(UnavailableError, match=r"verify failed|task /job:worker"):
        reach({PS: mine[PS], WORKER: other[WORKER]})


def test_a_certificate_is_for_one_task() -> None:
    keys = make_keys("demo", [PS, WORKER])
    with pytest.raises(UnavailableError, match="certificate of /job:ps/task:0"):
        reach({PS: keys[PS], WORKER: keys[PS]})


def test_a_certificate_ends() -> None:
    authority = Authority("demo", days=-1 / 48)
    with pytest.raises(UnavailableError, match="expired"):
        reach({task: authority.keys(task) for task in (PS, WORKER)})


def test_openssl_agrees(tmp_path: Path) -> None:
    keys = make_keys("demo", [PS])[PS]
    own, authority = tmp_path / "own", tmp_path / "authority"
    own.write_text(keys.certificate)
    authority.write_text(keys.authority)
    for purpose in ("sslserver", "sslclient"):
        told = openssl(
            *("verify", "-x509_strict", "-purpose", purpose),
            *("-CAfile", str(authority), str(own)),
        )
        assert told.endswith("OK\n"), told
    # A task cannot make certificates: its own is no authority's.
    told = openssl("verify", "-CAfile", str(own), str(own))
    assert "verification failed" in told
    subject = openssl("x509", "-in", str(own), "-noout", "-subject")
    assert subject.replace(" ", "").strip() == f"subject=CN={PS}"


def test_no_key_lies_about(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    keys = make_keys("demo", [PS])[PS]
    tls_of(keys)
    assert not list(tmp_path.iterdir())
    assert "PRIVATE" not in repr(keys)
    assert repr(keys.secret) not in repr(keys)
    assert "PRIVATE" not in keys.authority


def test_a_task_without_a_certificate_is_not_reached_from_other_nodes() -> None:
    with pytest.raises(InvalidArgumentError, match="take keys from an Authority"):
        tls_of(Keys(b"0" * 32))


@pytest.mark.parametrize("name", ["", "/job:" + 60 * "a" + "/task:0"])
def test_a_name_that_no_certificate_takes(name: str) -> None:
    with pytest.raises(InvalidArgumentError, match="a certificate takes 1 to 64"):
        make_keys("demo", [name])


def test_the_name_of_a_cluster_may_be_long() -> None:
    assert make_keys(100 * "long ", [PS])[PS].certificate


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> ModuleType:
        raise ModuleNotFoundError(f"No module named {name.partition('.')[0]!r}")

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(FailedPreconditionError, match=r"'tensorlite\[cluster\]'"):
        Authority("demo")
    keys = make_keys("demo", [PS, WORKER], certificates=False)
    assert keys[PS] == keys[WORKER] != make_keys("demo", [PS], certificates=False)[PS]
    assert not keys[PS].certificate
