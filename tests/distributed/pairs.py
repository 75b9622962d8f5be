"""Two planes that know each other, in one process; certificates; what comes, in order."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from tensorlite.core.errors import TensorliteError
from tensorlite.distributed.transport.arrivals import Arrival
from tensorlite.distributed.transport.endpoints import Tls, mutual
from tensorlite.distributed.transport.plane import Plane
from tensorlite.runtime.rendezvous import Key
from tests.threads import LONG

SECRET = b"0123456789abcdef"
WAYS = ("unix", "tcp", "tls")


def key(name: str, *tag: int) -> Key:
    return name, tag


def openssl(folder: Path, *arguments: str) -> None:
    subprocess.run(
        ["openssl", *arguments],  # noqa: S607  wherever it is
        cwd=folder,
        check=True,
        capture_output=True,
    )


NEW_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")


def authority(folder: Path) -> Path:
    """Make an authority for certificates in a folder, and return that."""
    folder.mkdir(exist_ok=True)
    openssl(
        folder,
        *("req", "-x509", *NEW_KEY, "-days", "2", "-subj", "/CN=authority"),
        *("-keyout", "ca.key", "-out", "ca.pem"),
    )
    return folder


def certificate(folder: Path, task: str) -> Tls:
    """Return what speaks TLS as a task, with a certificate of the authority in `folder`."""
    openssl(
        folder,
        *("req", *NEW_KEY, "-subj", f"/CN={task}"),
        *("-keyout", f"{task}.key", "-out", f"{task}.csr"),
    )
    openssl(
        folder,
        *("x509", "-req", "-in", f"{task}.csr", "-days", "2", "-CA", "ca.pem"),
        *("-CAkey", "ca.key", "-CAcreateserial", "-out", f"{task}.pem"),
    )
    paths = (f"{task}.pem", f"{task}.key", "ca.pem")
    return mutual(*[str(folder / path) for path in paths])


def plane(task: str, way: str, folder: Path, **options: Any) -> Plane:
    """Return a plane that is reached in one way."""
    chosen: dict[str, Any] = {"incarnation": 1, "secret": SECRET, "timeout": LONG}
    if way == "tls":
        chosen["tls"] = certificate(folder, task)
    host = None if way == "unix" else "127.0.0.1"
    return Plane(task, unix=way == "unix", host=host, **chosen | options)


@contextmanager
def pair(way: str, folder: Path, **options: Any) -> Iterator[tuple[Plane, Plane]]:
    """Give two planes, `a` and `b`, that know each other."""
    if way == "tls":
        authority(folder)
    a = plane("a", way, folder, **options)
    b = plane("b", way, folder, **options)
    try:
        a.meet("b", b.address, b.incarnation)
        b.meet("a", a.address, a.incarnation)
        yield a, b
    finally:
        a.close()
        b.close()


LOCAL = dict.fromkeys("abcd", "127.0.0.1")


def options(way: str, folder: Path) -> dict[str, Any]:
    """Return what task.py makes planes `a` and `b` from that are linked in one way."""
    if way == "unix":
        return {}
    if way == "tcp":
        return {"hosts": LOCAL}
    authority(folder)
    paths = {}
    for task in LOCAL:
        certificate(folder, task)
        files = (f"{task}.pem", f"{task}.key", "ca.pem")
        paths[task] = [str(folder / name) for name in files]
    return {"hosts": LOCAL, "tls": paths}


class Receiver:
    """Asks a plane for values and gives them in the order in which they come."""

    def __init__(self, plane: Plane, task: str) -> None:
        self.plane = plane
        self.task = task
        self.came: SimpleQueue[Arrival | TensorliteError] = SimpleQueue()

    def ask(self, step: int, asked: Key) -> Any:
        return self.plane.receive(self.task, step, asked, self.came.put)

    def get(self) -> Arrival:
        """Return what came next, or raise it."""
        found = self.came.get(timeout=LONG)
        if isinstance(found, TensorliteError):
            raise found
        return found

    def take(self, step: int, asked: Key) -> Any:
        """Return the value of a key."""
        self.ask(step, asked)
        return self.get().value
