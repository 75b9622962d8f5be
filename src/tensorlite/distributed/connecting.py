"""connect: from a spec to a cluster, by the engine that is asked for."""

from __future__ import annotations

from collections.abc import Mapping

from tensorlite.core.errors import InvalidArgumentError
from tensorlite.distributed.cluster import CLIENT, START, Cluster, checked_spec
from tensorlite.distributed.engine import Engine, Needs, TaskSettings
from tensorlite.distributed.inprocess import InprocessEngine
from tensorlite.distributed.keys import make_keys
from tensorlite.distributed.ray_engine import RayEngine
from tensorlite.distributed.worker import Worker

ENGINES = ("ray", "inprocess")


def connect(
    spec: Mapping[str, int],
    address: str | None = None,
    *,
    engine: str | Engine = "ray",
    name: str = "tensorlite",
    client: int = 0,
    num_cpus: float | Mapping[str, float] = 1.0,
    num_gpus: float | Mapping[str, float] = 0.0,
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

    Raises InvalidArgumentError for a spec that cannot be, ResourceExhaustedError when the nodes
    have not enough for it, FailedPreconditionError when a cluster or client of the name is there,
    UnavailableError when a task does not start within `timeout` seconds.

    >>> with tl.distribute.connect({"worker": 2}, engine="inprocess"):
    ...     with tl.device("/job:worker/task:1"):
    ...         x = tl.ones(3) * 2.0
    >>> print(x.device, x)
    /job:worker/task:1/device:CPU:0 [2. 2. 2.]
    """
    jobs = checked_spec(spec)
    tasks = [f"/job:{job}/task:{i}" for job, n in jobs.items() for i in range(n)]
    me = f"{CLIENT}{client}"
    speaks_tcp = address is not None if tcp is None else tcp
    keys = make_keys(name, [*tasks, me], certificates=speaks_tcp)
    settings = {
        task: TaskSettings(
            name, task, keys[task], unix, speaks_tcp, silence, logical_cpus
        )
        for task in [*tasks, me]
    }
    chosen = _engine(engine, address)
    needs = {
        job: Needs(_of(num_cpus, job, 1.0), _of(num_gpus, job, 0.0)) for job in jobs
    }
    chosen.start([settings[task] for task in tasks], needs)
    try:
        return Cluster(chosen, jobs, settings[me], timeout)
    except BaseException:
        chosen.close()
        raise


def _engine(engine: str | Engine, address: str | None) -> Engine:
    if not isinstance(engine, str):
        return engine
    if engine == "ray":
        return RayEngine(Worker, address)
    if engine == "inprocess":
        return InprocessEngine(make=Worker)
    raise InvalidArgumentError(
        f"engine={engine!r}; allowed are {', '.join(ENGINES)}, and an Engine"
    )


def _of(given: float | Mapping[str, float], job: str, otherwise: float) -> float:
    return given.get(job, otherwise) if isinstance(given, Mapping) else given
