"""Joined: this program as the one that computes on tasks at known addresses, by their devices.

Nobody starts such tasks anew but whoever has started them; `again` finds those that were. Clusters
whose tasks an engine starts are cluster.py's, sessions attached.py's.
"""

from __future__ import annotations

import atexit
from collections.abc import Mapping, Sequence
from threading import Lock

from tensorlite.core import remote
from tensorlite.core.check import check_seconds
from tensorlite.core.errors import FailedPreconditionError
from tensorlite.distributed.asking import NOT_THERE
from tensorlite.distributed.cluster_key import located
from tensorlite.distributed.reached import Reached

PATIENCE = 5.0
"""Seconds in which a task says that it is there."""
_REMEDY = (
    "what it kept is gone with it: start it anew, and this program with a checkpoint"
)
_open: dict[tuple[tuple[str, str], ...], Joined] = {}
_lock = Lock()


class Joined(Reached):
    """The tasks at addresses, by their names; all are waited for. The devices work by their names.

    >>> from tensorlite.distributed.server import Server
    >>> server = Server({"/job:worker/task:0": "localhost:0"}, "/job:worker/task:0")
    >>> cluster = Joined(server.addresses)
    >>> with tl.device("/job:worker/task:0"):
    ...     x = tl.ones(2) + 1.0
    >>> print(x.device, x)
    /job:worker/task:0/device:CPU:0 [2. 2.]
    >>> cluster.close()
    >>> server.close()
    """

    def __init__(self, addresses: Mapping[str, str]) -> None:
        ips = [located(address)[0] for address in addresses.values()]
        super().__init__(
            f"the tasks at {', '.join(addresses.values())}", ips, _REMEDY
        )
        self.over = f"the program has left {self.name}"
        self.addresses = dict(addresses)
        try:
            for task, address in addresses.items():
                self.find(task, address)
            self.introduce()
            remote.join(self)
        except BaseException:
            self.close()
            raise
        atexit.register(self.close)

    def check_open(self) -> None:
        """Raise FailedPreconditionError when it is closed."""
        if self.closed:
            raise FailedPreconditionError(self.over)

    def lost(self, tasks: Sequence[str], timeout: float = PATIENCE) -> dict[str, str]:
        """Return which of some tasks are gone, and why; each is asked whether it is there."""
        check_seconds("timeout", timeout, 0.0)
        self.check_open()
        there = [task for task in tasks if task not in self.master.lost]
        answers = self.master.ask(there, "status", timeout)
        for task in there:
            if task not in answers:
                self.master.gone(task, f"{task} did not answer within {timeout:g} s")
        lost = self.master.lost
        return {task: lost[task] for task in tasks if task in lost}

    def again(self, task: str) -> bool:
        """Link anew with a task, and the others with it; return whether it is there to be linked.

        What it kept before it was lost is not.
        """
        self.check_open()
        try:
            self.link(task, self.addresses[task])
            self.introduce()
        except (*NOT_THERE, FailedPreconditionError):
            return False
        return task not in self.master.lost

    def close(self) -> None:
        """Leave the tasks: their devices are gone, and steps under way given up."""
        if self.closed:
            return
        super().close()
        remote.leave(self)
        atexit.unregister(self.close)


def joined(addresses: Mapping[str, str]) -> Joined:
    """Return this program's way to tasks at addresses, the same while it is open.

    Another one that has any of these tasks' names is closed first, as the latest counts.
    """
    key = tuple(addresses.items())
    with _lock:
        known = _open.get(key)
        if known is not None and not known.closed:
            return known
        for other, one in list(_open.items()):
            if one.closed or not addresses.keys().isdisjoint(one.addresses):
                one.close()
                del _open[other]
        made = _open[key] = Joined(addresses)
        return made
