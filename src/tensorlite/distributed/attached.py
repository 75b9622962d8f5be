"""Attached: a session's way to tasks at addresses that are known beforehand.

How tasks are found, and steps run on them, is reached.py's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tensorlite.core.containers import Container
from tensorlite.core.device import DeviceName
from tensorlite.core.remote import Sight
from tensorlite.core.xp import CPU
from tensorlite.distributed.cluster_key import located
from tensorlite.distributed.reached import Reached
from tensorlite.distributed.server import Server, listening

SCHEME = "grpc://"
"""How targets begin that name a task's address; the word is TensorFlow's, the protocol is not."""
_REMEDY = "a new session waits until it runs again"


class Attached(Reached):
    """The tasks of a cluster as one session reaches them, by way of the task at `target`.

    All tasks of the cluster are waited for, or those that a filter such as "/job:ps" names. When
    the task at `target` is this process, what asks for no device runs right here.

    >>> server = Server({"/job:local/task:0": "localhost:0"}, "/job:local/task:0")
    >>> attached = Attached(server.target)
    >>> attached.default_device, attached.container is server.container
    (<DeviceName /device:CPU:0>, True)
    >>> attached.close()
    >>> server.close()
    """

    def __init__(self, target: str, filters: Sequence[str] = ()) -> None:
        address = target.removeprefix(SCHEME)
        where = located(address)
        super().__init__(target, [where[0]], _REMEDY)
        try:
            self._attach(address, listening(where), filters)
        except BaseException:
            self.close()
            raise

    def _attach(
        self, address: str, server: Server | None, filters: Sequence[str]
    ) -> None:
        """Find all tasks, and let them know each other."""
        if server is None:
            first, told = self.find(None, address)
            addresses: Mapping[str, str] = told["addresses"]
            self.default_device, own = self._devices[first][0], None
            self.container = Container()
        else:
            first, addresses = server.task, server.addresses
            self.default_device, own = CPU, DeviceName.parse(first)
            self.container = server.container
        self.sight = Sight(self, own)
        for task in _chosen(addresses, filters):
            if task != first:
                self.find(task, addresses[task])
        self.introduce()


def _chosen(tasks: Mapping[str, str], filters: Sequence[str]) -> list[str]:
    """Return the tasks that one of the filters lets through; all without any."""
    wanted = []
    for each in filters:
        name = DeviceName.parse(each)
        wanted.append(DeviceName(name.job, None, name.task))
    return [
        task
        for task in tasks
        if not wanted or any(one.matches(DeviceName.parse(task)) for one in wanted)
    ]
