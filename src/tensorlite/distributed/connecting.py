"""connect: from a spec to a cluster, by the engine that is asked for; or to one that is there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tensorlite.core.check import check_seconds, is_number
from tensorlite.core.device import DeviceName
from tensorlite.core.errors import FailedPreconditionError, InvalidArgumentError
from tensorlite.core.remote import homes
from tensorlite.distributed.cluster import (
    CLIENT,
    START,
    Cluster,
    checked_spec,
    jobs_text,
)
from tensorlite.distributed.engines.engine import (
    Engine,
    Needs,
    Shared,
    TaskSettings,
    shared,
)
from tensorlite.distributed.engines.inprocess import InprocessEngine
from tensorlite.distributed.engines.ray_engine import RayEngine
from tensorlite.distributed.transport.keys import make_keys
from tensorlite.distributed.transport.plane import LEAST
from tensorlite.distributed.worker import Worker

ENGINES = ("ray", "inprocess")
CLIENTS = 8
"""How many clients a cluster may have, unless more are asked for."""
_NAME = re.compile(r"[\w.-]{1,40}")
_ADDRESS = re.compile(r"auto|(\[[0-9A-Fa-f:]+\]|[\w.-]+):\d{1,5}")

Share = float | Mapping[str, float]


def connect(
    spec: Mapping[str, int],
    address: str | None = None,
    *,
    engine: str | Engine = "ray",
    name: str = "tensorlite",
    client: int = 0,
    clients: int = CLIENTS,
    num_cpus: Share = 1.0,
    num_gpus: Share = 0.0,
    logical_cpus: int = 1,
    unix: bool = True,
    tcp: bool | None = None,
    silence: float = 6.0,
    timeout: float = START,
) -> Cluster:
    """Return a cluster of tasks, `spec` saying how many each job has, once all of them run.

    Without an `address` they are started on this machine; "auto" or "host:port" name a Ray that
    runs. Each task is one process with `num_cpus` and `num_gpus` of its node, a number or one for
    each job. Tasks of one node talk over unix sockets, those of several, or if `tcp` asks for it,
    over TCP with mutual TLS. A link that shows no sign of life for `silence` seconds is given up.
    `engine="inprocess"` runs all tasks in this process, for tests.

    Client 0 starts the tasks, and ends them when it closes. Another one, with a number from 1 to
    `clients` - 1 of its own, joins the cluster of this `name` at the `address`, which is client
    0's `cluster.address`, or is given its `engine`. State that was made with a `shared_name` is
    everybody's.

    Raises InvalidArgumentError for what cannot be, ResourceExhaustedError when the nodes have not
    enough for it, FailedPreconditionError when a cluster or client of the name is there or a task
    has another version, NotFoundError when there is none to join, UnavailableError when a task
    does not start within `timeout` seconds.

    >>> with tl.distribute.connect({"worker": 2}, engine="inprocess"):
    ...     with tl.device("/job:worker/task:1"):
    ...         x = tl.ones(3) * 2.0
    >>> print(x.device, x)
    /job:worker/task:1/device:CPU:0 [2. 2. 2.]
    """
    jobs = checked_spec(spec)
    _check_cluster(name, client, clients, logical_cpus, silence, timeout)
    needs = _needs(jobs, num_cpus, num_gpus)
    way = _way(
        unix, address is not None if tcp is None else tcp, silence, logical_cpus
    )
    chosen = _engine(engine, address, None if client else name)
    if client:
        return _joined(chosen, jobs, name, f"{CLIENT}{client}", timeout)
    return _founded(chosen, jobs, needs, _settings(name, jobs, clients, way), timeout)


class _Way(NamedTuple):
    """How tasks talk, and what each has, as TaskSettings ask for it."""

    unix: bool
    tcp: bool
    silence: float
    logical_cpus: int


def _way(unix: bool, tcp: bool, silence: float, logical_cpus: int) -> _Way:
    if not unix and not tcp:
        raise InvalidArgumentError(
            "unix=False, tcp=False: tasks have no way to talk; let one of them be True"
        )
    return _Way(unix, tcp, silence, logical_cpus)


def _settings(
    name: str, jobs: Mapping[str, int], clients: int, way: _Way
) -> tuple[list[TaskSettings], list[TaskSettings]]:
    """Return what tasks and clients are started with."""
    tasks = [f"/job:{job}/task:{i}" for job, n in jobs.items() for i in range(n)]
    known = [f"{CLIENT}{i}" for i in range(clients)]
    keys = make_keys(name, [*tasks, *known], certificates=way.tcp)

    def of(task: str) -> TaskSettings:
        return TaskSettings(name, task, keys[task], *way)

    return [of(task) for task in tasks], [of(client) for client in known]


def _founded(
    engine: Engine,
    jobs: Mapping[str, int],
    needs: Mapping[str, Needs],
    settings: tuple[list[TaskSettings], list[TaskSettings]],
    timeout: float,
) -> Cluster:
    """Return a cluster whose tasks are started here, by its first client."""
    tasks, (own, *guests) = settings
    try:
        _start(engine, tasks, needs, guests)
        return Cluster(engine, jobs, own, timeout)
    except BaseException:  # an interrupt, too, leaves no process behind
        _close_unused(engine)
        raise


def _close_unused(engine: Engine) -> None:
    """Close an engine unless a cluster of this process runs by it."""
    if not any(getattr(home, "engine", None) is engine for home in homes()):
        engine.close()


def _start(
    engine: Engine,
    tasks: Sequence[TaskSettings],
    needs: Mapping[str, Needs],
    guests: Sequence[TaskSettings],
) -> None:
    with_guests = shared(engine)
    if with_guests is None:
        engine.start(tasks, needs)
    else:
        with_guests.start(tasks, needs, guests)


def _joined(
    engine: Engine, jobs: Mapping[str, int], name: str, client: str, timeout: float
) -> Cluster:
    """Return a cluster that another client has started."""
    found = shared(engine)
    if found is None:
        raise InvalidArgumentError(
            f"{type(engine).__name__} has one client, who starts the tasks: leave `client` out"
        )
    try:
        settings = found.join(name, client)
        _check_same(found, jobs, name)
        return Cluster(engine, jobs, settings, timeout, joined=True)
    except BaseException:
        if not isinstance(engine, InprocessEngine):
            engine.close()
        raise


def _check_same(engine: Shared, jobs: Mapping[str, int], name: str) -> None:
    """Raise InvalidArgumentError when a cluster is not what it is taken for."""
    there = Counter(DeviceName.parse(task).job or "" for task in engine.tasks)
    if there != Counter(jobs):
        raise InvalidArgumentError(
            f"cluster {name!r} has {jobs_text(there)}, and spec={dict(jobs)} asks for "
            f"{jobs_text(jobs)}: ask for what is there, or start a cluster of another name"
        )


def _engine(engine: str | Engine, address: str | None, starts: str | None) -> Engine:
    if engine != "ray" and address is not None:
        raise InvalidArgumentError(
            f"address={address!r} is that of a Ray, and engine={engine!r} has none: leave it out"
        )
    if not isinstance(engine, str) and hasattr(engine, "registration"):
        return engine
    if engine == "ray":
        _check_free(starts)
        _check_address(address)
        return RayEngine(Worker, address)
    if engine == "inprocess":
        return InprocessEngine(make=Worker)
    raise InvalidArgumentError(
        f"engine={engine!r}; allowed are {', '.join(ENGINES)}, and an Engine"
    )


# What is given.


def _check_cluster(
    name: Any,
    client: Any,
    clients: Any,
    logical_cpus: Any,
    silence: Any,
    timeout: Any,
) -> None:
    _check_name(name)
    _check_whole(
        "client", client, 0, "its number, 0 for the one that starts the tasks"
    )
    _check_whole("clients", clients, 1, "how many there may be")
    _check_whole("logical_cpus", logical_cpus, 1, "CPU devices of each task")
    check_seconds("silence", silence, LEAST)
    check_seconds("timeout", timeout, 0.0)


def _check_name(name: Any) -> None:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise InvalidArgumentError(
            f"name={name!r}: a cluster's name has 1 to 40 letters, digits, _, - and ."
        )


def _check_free(name: str | None) -> None:
    """Raise FailedPreconditionError when this process has a cluster of that name."""
    if any(home.name == name for home in homes()):
        raise FailedPreconditionError(
            f"this process is connected to a cluster {name!r} already, and can go on with that: "
            "call close() on what connect returned then, or give this one another name="
        )


def _check_address(address: Any) -> None:
    if address is None or (isinstance(address, str) and _ADDRESS.fullmatch(address)):
        return
    raise InvalidArgumentError(
        f"address={address!r}; allowed are 'auto' and 'host:port', the address of Ray's head "
        "node, whose port is 6379 unless it was chosen; None starts one on this machine"
    )


def _check_whole(what: str, value: Any, least: int, told: str) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise InvalidArgumentError(
            f"{what}={value!r}: {told}, is a whole number of {least} or more"
        )


def _needs(jobs: Mapping[str, int], cpus: Share, gpus: Share) -> dict[str, Needs]:
    """Return what each task of a job is to have."""
    found = {job: [1.0, 0.0] for job in jobs}
    for at, (what, given) in enumerate((("num_cpus", cpus), ("num_gpus", gpus))):
        shares = given if isinstance(given, Mapping) else dict.fromkeys(jobs, given)
        for job, share in shares.items():
            if job not in jobs:
                raise InvalidArgumentError(
                    f"{what}={given!r}: there is no job {job!r}; there are {', '.join(jobs)}"
                )
            if not is_number(share) or share < 0:
                raise InvalidArgumentError(
                    f"{what}={given!r}: a task of {job} cannot have {share!r}; give a number of 0 "
                    "or more, or one for each job, as in {'ps': 1, 'worker': 2}"
                )
            found[job][at] = float(share)
    return {job: Needs(*both) for job, both in found.items()}
