"""Status: what the tasks of a cluster are at: told by each, shown as a table.

What a task says of itself is `report`; a client asks for it by master.py. What a step waits for
that has waited too long is told in the same words.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tensorlite.core.accounts import held_by
from tensorlite.core.errors import NotFoundError, UnavailableError
from tensorlite.distributed.running import Running
from tensorlite.distributed.transport.carrier import COMMAND, Carrier

if TYPE_CHECKING:
    from tensorlite.distributed.cluster import Cluster
    from tensorlite.distributed.master import Master

PATIENCE = 2.0
"""Seconds in which a task answers that has nothing else to do."""
_LOOK = 0.3
"""Seconds in which an engine says whether a task that was lost runs again."""
_MOST = 12
"""Waits that an error lists."""
_RESIDENT = re.compile(r"VmRSS:\s*(\d+) kB")

State = Literal["running", "silent", "lost", "started anew"]


class TaskWait(NamedTuple):
    """Something that a part of a step waits for in a task.

    >>> wait = tl.distribute.TaskWait("/job:ps/task:0", 7, "x", "/job:worker/task:0", 12.0, 3.5)
    >>> print(wait)
    /job:ps/task:0 waits for x; for 12.0 s, /job:worker/task:0 was last heard 3.5 s ago
    """

    task: str
    step: int
    what: str
    """What it waits for and in which node, and where in the program that was made."""
    source: str
    """The task that is to send it, if another is."""
    seconds: float
    """How long its part of the step has been under way."""
    heard: float | None
    """How many seconds ago something came from `source`; None: nothing did."""

    def __str__(self) -> str:
        told = f"{self.task} waits for {self.what}; for {self.seconds:.1f} s"
        if not self.source:
            return told
        if self.heard is None:
            return f"{told}, {self.source} was never heard"
        return f"{told}, {self.source} was last heard {self.heard:.1f} s ago"


class TaskStatus(NamedTuple):
    """What is known of one task. What it alone knows is None when it does not answer.

    >>> with tl.distribute.connect({"worker": 1}, engine="inprocess") as cluster:
    ...     found = cluster.status()[0]
    >>> found.task, found.state, found.held, found.waits
    ('/job:worker/task:0', 'running', 0, ())
    """

    task: str
    state: State
    """"silent" is one that does not answer, "started anew" one that `cluster.recover()` finds."""
    reason: str
    """Why it was lost."""
    node: str
    pid: int
    incarnation: int
    memory: int | None = None
    """Bytes that its process has in memory."""
    held: int | None = None
    """Bytes of the variables and other values that it keeps, in host memory."""
    steps: int | None = None
    """How many parts of steps it has run."""
    rate: float | None = None
    """Of these, how many in a second: since the last status, or else since it began."""
    bytes_out: int | None = None
    """Of tensors and commands that it has sent to other tasks and to clients."""
    bytes_in: int | None = None
    waits: tuple[TaskWait, ...] = ()


class ClusterStatus(Sequence[TaskStatus]):
    """The status of each task, and the table of them.

    >>> with tl.distribute.connect({"ps": 1, "worker": 2}, engine="inprocess") as cluster:
    ...     status = cluster.status()
    >>> len(status), status["/job:worker/task:1"].state
    (3, 'running')
    """

    def __init__(self, name: str, tasks: Sequence[TaskStatus]) -> None:
        self.name = name
        self.tasks = tuple(tasks)

    @property
    def waits(self) -> tuple[TaskWait, ...]:
        """What the tasks wait for."""
        return tuple([wait for task in self.tasks for wait in task.waits])

    def __len__(self) -> int:
        return len(self.tasks)

    def __getitem__(self, which: Any) -> Any:
        """Return the status of a task by its name or number, or of several by a slice."""
        if isinstance(which, str):
            for each in self.tasks:
                if each.task == which:
                    return each
            there = ", ".join([each.task for each in self.tasks])
            raise NotFoundError(f"there is no task {which!r}; there are {there}")
        if isinstance(which, slice):
            return ClusterStatus(self.name, self.tasks[which])
        return self.tasks[which]

    def __str__(self) -> str:
        lines = [_HEAD, *map(_cells, self.tasks)]
        wide = [max(map(len, column)) for column in zip(*lines, strict=True)]
        table = [
            "  ".join(
                cell.ljust(w) if i in _LEFT else cell.rjust(w)
                for i, (cell, w) in enumerate(zip(line, wide, strict=True))
            ).rstrip()
            for line in lines
        ]
        lost = [f"{x.task} was lost: {x.reason}" for x in self.tasks if x.reason]
        return "\n".join([*table, *lost, *map(str, self.waits)])

    __repr__ = __str__


_HEAD = (
    *("task", "state", "waits", "steps", "steps/s", "memory", "held"),
    *("sent", "received", "node", "pid", "incarnation"),
)
_LEFT = frozenset({0, 1, 9})


def _cells(task: TaskStatus) -> tuple[str, ...]:
    return (
        task.task,
        task.state,
        str(len(task.waits)) if task.state == "running" else "-",
        "-" if task.steps is None else f"{task.steps:,}",
        "-" if task.rate is None else f"{task.rate:,.1f}",
        _size(task.memory),
        _size(task.held),
        _size(task.bytes_out),
        _size(task.bytes_in),
        task.node,
        str(task.pid),
        f"{task.incarnation:#x}",
    )


def _size(size: int | None) -> str:
    """Return bytes for people."""
    if size is None:
        return "-"
    amount = float(size)
    for unit in ("B", "KiB", "MiB"):
        if amount < 1024:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1024
    return f"{amount:.1f} GiB"


# What a task says.


def report(
    carrier: Carrier,
    began: float,
    steps: int,
    runs: Iterable[Running],
    held: object,
) -> dict[str, Any]:
    """Return what a task says of itself, as JSON."""
    now, traffic = carrier.now(), carrier.traffic()
    waits = []
    for run in runs:
        for want in run.wanted():
            other = traffic.get(want.source)
            heard = (
                None if other is None or other.heard is None else now - other.heard
            )
            waits.append([run.step, want.what, want.source, now - run.since, heard])
    return {
        "pid": os.getpid(),
        "memory": _resident(),
        "held": held_by(held),
        "seconds": now - began,
        "steps": steps,
        "bytes_out": sum([x.bytes_out for x in traffic.values()]),
        "bytes_in": sum([x.bytes_in for x in traffic.values()]),
        "waits": waits,
    }


def _resident() -> int | None:
    """Return the bytes that this process has in memory, where the system tells."""
    with suppress(OSError):
        found = _RESIDENT.search(Path("/proc/self/status").read_text("ascii"))
        if found is not None:
            return 1024 * int(found[1])
    return None


# What a client makes of it.


class Watcher:
    """Asks the tasks of a cluster, and remembers what they said last."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._last: dict[tuple[str, int], tuple[float, int]] = {}
        """For each task and incarnation, its age and steps."""

    def status(self, seconds: float) -> ClusterStatus:
        """Return what the tasks say within some seconds."""
        cluster = self._cluster
        answers = _said(cluster.master, cluster.tasks, seconds)
        lost = cluster.lost
        return ClusterStatus(
            cluster.name,
            [
                self._lost(task, lost[task])
                if task in lost
                else self._found(task, answers.get(task))
                for task in cluster.tasks
            ],
        )

    def _lost(self, task: str, reason: str) -> TaskStatus:
        cluster = self._cluster
        known = found = cluster.registrations[task]
        with suppress(UnavailableError):
            found = cluster.engine.registration(task, _LOOK)
        anew = found.incarnation != known.incarnation
        state: State = "started anew" if anew else "lost"
        return TaskStatus(
            task, state, reason, found.node, found.pid, found.incarnation
        )

    def _found(self, task: str, said: Mapping[str, Any] | None) -> TaskStatus:
        known = self._cluster.registrations[task]
        who = "", known.node, known.pid, known.incarnation
        if said is None:
            return TaskStatus(task, "silent", *who)
        return TaskStatus(
            task,
            "running",
            *who,
            said["memory"],
            said["held"],
            said["steps"],
            self._rate(task, known.incarnation, said["seconds"], said["steps"]),
            said["bytes_out"],
            said["bytes_in"],
            _waits(task, said),
        )

    def _rate(self, task: str, incarnation: int, age: float, steps: int) -> float:
        key = task, incarnation
        before, ran = self._last.get(key, (0.0, 0))
        self._last[key] = age, steps
        return (steps - ran) / (age - before) if age > before else 0.0


def _said(
    master: Master, tasks: Iterable[str], seconds: float
) -> dict[str, dict[str, Any]]:
    """Return the reports of the tasks that answer in time."""
    answers = master.ask(tasks, "status", seconds)
    return {task: x for task, x in answers.items() if isinstance(x, dict)}


def _waits(task: str, said: Mapping[str, Any]) -> tuple[TaskWait, ...]:
    return tuple([TaskWait(task, *wait) for wait in said["waits"]])


def told_of(master: Master, step: int) -> str:
    """Return, in words to be added to others, what the tasks wait for in a step."""
    if step == COMMAND:
        return ""
    asked = [task for task in master.incarnations if task not in master.lost]
    answers = _said(master, asked, PATIENCE)
    waits = [wait for task in answers for wait in _waits(task, answers[task])]
    lines = [str(wait) for wait in waits if wait.step == step]
    more = len(lines) - _MOST
    lines[_MOST:] = [f"... and {more} more waits"] if more > 0 else []
    lines += [f"{task} does not answer" for task in asked if task not in answers]
    return "".join([f"\n  {line}" for line in lines])
