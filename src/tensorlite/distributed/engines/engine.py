"""Engine: who starts, watches and restarts the tasks of a cluster. It carries no tensor.

ray_engine.py has tasks on Ray, inprocess.py in this process. What a task does is worker.py's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, cast

from tensorlite.distributed.transport.carrier import Carrier
from tensorlite.distributed.transport.endpoints import Address


@dataclass(frozen=True)
class Keys:
    """What a task shows to the others, and knows them by. Certificates are in PEM."""

    secret: bytes = field(repr=False)
    certificate: str = ""
    """The task's own, its common name being the task's; "": TCP is not used."""
    private_key: str = field(default="", repr=False)
    authority: str = ""


@dataclass(frozen=True)
class TaskSettings:
    """What a task is started with."""

    cluster: str
    task: str
    """Such as '/job:ps/task:0'."""
    keys: Keys
    unix: bool = True
    """Whether tasks of one node talk over unix sockets."""
    tcp: bool = False
    """Whether it listens for tasks of other nodes, on the address that the engine finds."""
    silence: float = 6.0
    """Seconds without a sign of life after which a link is given up."""
    logical_cpus: int = 1


@dataclass(frozen=True)
class Needs:
    """What each task of a job is to have of a node."""

    cpus: float = 1.0
    gpus: float = 0.0


class Registration(NamedTuple):
    """What a task that has started says of itself."""

    task: str
    incarnation: int
    address: Address
    node: str
    """The name of the node, for people."""
    pid: int
    devices: tuple[str, ...]
    """Their names in full, such as '/job:ps/task:0/device:CPU:0'."""
    versions: Mapping[str, str]
    """Of python, numpy and tensorlite."""


Lost = Callable[[str, str], object]
"""Is told which task has died, and why."""


class Engine(Protocol):
    """Starts, watches and restarts tasks."""

    def start(
        self, tasks: Sequence[TaskSettings], needs: Mapping[str, Needs]
    ) -> None:
        """Begin to start tasks, whose needs are given by job.

        Raises ResourceExhaustedError, saying what there is, when the nodes have not enough.
        """

    def registration(self, task: str, timeout: float) -> Registration:
        """Return what a task says of itself, once it runs; also after it was started anew.

        Raises UnavailableError, with the task's own words if it has any, when it does not in time.
        """

    def carrier(self, settings: TaskSettings) -> Carrier:
        """Return what the client, which is a task too, sends and receives by."""

    def watch(self, lost: Lost) -> None:
        """Tell `lost` of tasks that die, from any thread; they are started anew by themselves."""

    def kill(self, task: str) -> None:
        """End a task as an accident would; it is started anew by itself."""

    def close(self) -> None:
        """End all tasks that this engine has started."""


class Shared(Engine, Protocol):
    """An engine whose tasks several clients may use."""

    @property
    def address(self) -> str | None:
        """Where other clients find the tasks, as `connect` takes it; None: by this object."""

    @property
    def tasks(self) -> Sequence[str]:
        """The names of the tasks that were started or joined."""

    def start(
        self,
        tasks: Sequence[TaskSettings],
        needs: Mapping[str, Needs],
        guests: Sequence[TaskSettings] = (),
    ) -> None:
        """Begin to start tasks; `guests` are the clients that may join later."""

    def join(self, cluster: str, client: str) -> TaskSettings:
        """Return the settings for a client of a cluster that another client has started.

        NotFoundError when there is no such cluster, or the client is no guest of it.
        """


def shared(engine: Engine) -> Shared | None:
    """Return an engine as one whose tasks several clients may use, if it is."""
    return cast("Shared", engine) if hasattr(engine, "join") else None
