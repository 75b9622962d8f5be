"""The connection of this process with Ray, and a Ray on this machine where there is none.

A process has one, which its engines share; what was begun for them ends with the last of them.
What they do with it is ray_engine.py's.
"""

from __future__ import annotations

import atexit
import logging
import os
import shutil
import signal
import socket
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock, current_thread, main_thread
from types import FrameType
from typing import Any, TypeAlias

from tensorlite.core.errors import (
    FailedPreconditionError,
    InvalidArgumentError,
    UnavailableError,
)
from tensorlite.distributed.engines.extras import extra

NAMESPACE = "tensorlite"
ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",
    # A node that is silent for three seconds is gone, and a task that died is known in one.
    "RAY_health_check_initial_delay_ms": "1000",
    "RAY_health_check_period_ms": "1000",
    "RAY_health_check_timeout_ms": "1000",
    "RAY_health_check_failure_threshold": "3",
    "RAY_timeout_ms_task_wait_for_death_info": "100",
    # A task is as urgent as the client that waits for it.
    "RAY_worker_niceness": "0",
    # Tasks without GPUs hide them by themselves.
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    # Whoever uses an engine is told of tasks that die, in fewer words.
    "RAY_DEDUP_LOGS_SKIP_REGEX": "^(A worker died|Raylet is terminated|The node with node id)",
}
"""What Ray is to know before it is imported; a user's own choice goes before."""
_ANSWER = 5.0
"""Seconds in which a head node answers."""
_OBJECTS = 80 << 20
"""Bytes of Ray's store of objects, which nothing is put into; it takes no fewer."""


Close: TypeAlias = Callable[[], object]


class Session:
    """The connection: made for the first who enters, ended by the last who leaves."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._users: list[Close] = []
        self._address: str | None = None
        self._begun = False
        """Whether the connection was made here, and not by the user."""
        self.folder: str | None = None
        """Where a Ray that was started here has its files, and its tasks theirs."""
        self._forked = False
        """Whether this process has a copy of a connection, which does not work."""

    def enter(self, address: str | None, cpus: float, close: Close) -> Any:
        """Return the module `ray`, connected with the Ray at an address.

        None: with the one that this process is connected with, or else one that is started on
        this machine for `cpus`, whether it has as many or not. `close` is called when the
        program ends before, and is to call `leave` with itself.
        """
        os.environ.update({**ENVIRONMENT, **os.environ})
        ray = extra("ray", "a cluster")
        with self._lock:
            if self._forked:
                raise FailedPreconditionError(
                    "this process was forked from one that is connected with Ray, and cannot be "
                    "itself: start processes by multiprocessing's 'spawn'"
                )
            if not ray.is_initialized():
                self._begin(ray, address, cpus)
            elif self._users and address not in {None, self._address}:
                raise FailedPreconditionError(
                    f"address={address!r}: this process is connected with the Ray at "
                    f"{self._address or 'this machine'} already: close that cluster first"
                )
            if not self._users:
                # After Ray's own, and so before it: threads that wait for Ray end before Ray does.
                atexit.register(self._close)
            self._users.append(close)
        return ray

    def leave(self, close: Close) -> None:
        """Be one user fewer."""
        with self._lock:
            self._users.remove(close)
            if self._users:
                return
            atexit.unregister(self._close)
            if self._begun:
                self._begun = False
                extra("ray", "a cluster").shutdown()
                self._remove()

    def _close(self) -> None:
        for close in tuple(self._users):
            close()

    def after_fork(self) -> None:
        """In a process that was forked: leave the connection, and the tasks, to its parent."""
        if not self._users:
            return
        self._lock, self._forked = RLock(), True
        self._users.clear()
        self._begun, self.folder = False, None
        atexit.unregister(self._close)
        # It would wait for threads that are not here, and this process would never end.
        atexit.unregister(extra("ray", "a cluster").shutdown)

    def _begin(self, ray: Any, address: str | None, cpus: float) -> None:
        options: dict[str, Any] = {}
        if address is not None:
            _probe(address)
        else:
            # A folder of its own: what another Ray has left in the usual one does not matter.
            self.folder = tempfile.mkdtemp(prefix="tensorlite-ray-")
            options = {
                "num_cpus": cpus,
                "include_dashboard": False,
                "object_store_memory": _OBJECTS,
                "_temp_dir": self.folder,
            }
        try:
            with _interrupted_later():
                ray.init(
                    address or "local",
                    namespace=NAMESPACE,
                    log_to_driver=False,
                    logging_level=logging.ERROR,
                    **options,
                )
        except BaseException as error:
            ray.shutdown()  # what there is already, as when it is interrupted
            self._remove()
            if not isinstance(error, Exception):
                raise
            raise UnavailableError(
                f"Ray at {address or 'this machine'} cannot be reached: {error}"
            ) from error
        self._begun = True
        self._address = address

    def _remove(self) -> None:
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder = None


@contextmanager
def _interrupted_later() -> Iterator[None]:
    """Let an interrupt wait until the block is over; a second one does not.

    A Ray that is ended while it begins leaves processes that stay for a minute.
    """
    if current_thread() is not main_thread():
        yield
        return
    came: list[int] = []

    def remember(number: int, _: FrameType | None) -> None:
        came.append(number)
        if len(came) > 1:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, remember)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before or signal.SIG_DFL)
    if came:
        raise KeyboardInterrupt


def _probe(address: str) -> None:
    """Raise unless somebody listens at an address: Ray itself would try for minutes."""
    if "://" in address:
        raise InvalidArgumentError(
            f"address={address!r}; allowed are 'auto' and 'host:port', the address of the head "
            "node, whose port is 6379 unless it was chosen"
        )
    found = _running() if address == "auto" else address
    if found is None:  # Ray looks elsewhere too, and answers at once
        return
    host, _, port = found.strip().rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _ANSWER).close()
    except (OSError, ValueError) as error:
        raise UnavailableError(
            f"Ray at {found} ({address}) cannot be reached: {error}; `ray start --head` on a "
            "node starts one"
        ) from None


def _running() -> str | None:
    """Return where the Ray that runs on this machine is, as far as it is written down."""
    if given := os.environ.get("RAY_ADDRESS"):
        return given
    folders = [os.environ.get(name) for name in ("RAY_TMPDIR", "TMPDIR")]
    folder = next(filter(None, folders), "/tmp")  # noqa: S108  Ray's own choice
    with suppress(OSError):
        return Path(folder, "ray", "ray_current_cluster").read_text("ascii")
    return None


session = Session()
os.register_at_fork(after_in_child=session.after_fork)
