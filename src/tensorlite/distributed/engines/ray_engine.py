"""The engine on Ray: each task is an actor, which Ray places, watches and starts anew.

Ray carries no tensor and no step. How this process is connected with it is ray_session.py's, what
is done in a task's process host.py's, and how deaths are noticed ray_watch.py's.
"""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from tensorlite.core.device import DeviceName
from tensorlite.core.errors import (
    FailedPreconditionError,
    NotFoundError,
    ResourceExhaustedError,
    UnavailableError,
)
from tensorlite.distributed.engines.engine import (
    Lost,
    Needs,
    Registration,
    TaskSettings,
)
from tensorlite.distributed.engines.extras import extra
from tensorlite.distributed.engines.host import Host, Make, carrier
from tensorlite.distributed.engines.ray_session import NAMESPACE, session
from tensorlite.distributed.engines.ray_watch import Watch
from tensorlite.distributed.transport.carrier import Carrier

ROOM = 10.0
_AGAIN = 0.05
"""Seconds after which a task that is not there is asked again."""
_ENDING = 2.0
"""Seconds in which a task can end by itself."""
_COLOURS = re.compile("\033\\[[0-9;]*m")
_LEAST = 0.001
"""CPUs of a task that needs none: Ray places nothing that needs nothing."""


class Description(NamedTuple):
    """What an actor says of itself: a registration, or why its task could not be started."""

    registration: Registration | None
    words: str = ""


class Actor:
    """A task, as Ray has it. Its methods are coroutines, of which many may wait at once."""

    def __init__(
        self,
        settings: TaskSettings,
        guests: Mapping[str, TaskSettings],
        make: Make,
        folder: str | None,
    ) -> None:
        ray = extra("ray", "a task")
        context = ray.get_runtime_context()
        if not context.get_accelerator_ids().get("GPU"):
            os.environ["CUDA_VISIBLE_DEVICES"] = ""
        if folder is not None:
            tempfile.tempdir = folder
        self._guests = guests
        self._host: Host | None = None
        address = ray.util.get_node_ip_address()
        try:
            self._host = Host(settings, make, address)
            told = self._host.registration(f"{os.uname().nodename} ({address})")
            self._description = Description(told)
        except Exception as error:  # noqa: BLE001  whoever asks is told
            words = f"{type(error).__name__}: {error}"
            self._description = Description(None, words)

    async def describe(self) -> Description:
        """Return what this task says of itself."""
        return self._description

    async def guest(self, client: str) -> TaskSettings | list[str]:
        """Return the settings of a client that may join, or who may."""
        return self._guests.get(client) or list(self._guests)

    async def close(self) -> None:
        """End what this task has begun, its socket's file too."""
        if self._host is not None:
            self._host.close()

    async def stay(self) -> None:
        """Return never."""
        await asyncio.Event().wait()


class RayEngine:
    """Has tasks on Ray.

    `address` is that of a running Ray, such as "10.0.0.1:6379", or "auto" for the one that runs
    on this machine. Without, one is started here, which has as many CPUs as the tasks need,
    unless `cpus` says how many, and ends with the engine. Tasks are spread over the nodes, or
    packed on few if `spread` is false. `room` is how many seconds to wait until the nodes have
    room for them. `make` is what makes a task's worker.
    """

    def __init__(
        self,
        make: Make,
        address: str | None = None,
        *,
        cpus: float | None = None,
        spread: bool = True,
        room: float = ROOM,
    ) -> None:
        self._make = make
        self._address = address
        self._cpus = cpus
        self._strategy = "SPREAD" if spread else "PACK"
        self._room = room
        self._ray: Any = None
        self._closed = False
        self._actors: dict[str, Any] = {}
        self._groups: list[Any] = []
        """Placement groups: of the tasks that were started here, and of this client's name."""
        self._started = False
        self._watch: Watch
        self._told: list[Lost] = []

    @property
    def address(self) -> str:
        """Where the Ray is that this is connected with, for other clients."""
        self._check()
        return str(self._ray.get_runtime_context().gcs_address)

    @property
    def tasks(self) -> tuple[str, ...]:
        """The names of the tasks, in the order in which they were given."""
        return tuple(self._actors)

    def start(
        self,
        tasks: Sequence[TaskSettings],
        needs: Mapping[str, Needs],
        guests: Sequence[TaskSettings] = (),
    ) -> None:
        """Begin to start tasks, whose needs are given by job; `guests` are who may join later.

        Raises ResourceExhaustedError, saying what there is, when the nodes have not enough, and
        FailedPreconditionError when there is a cluster of this name.
        """
        bundles = [_bundle(_needs(task, needs)) for task in tasks]
        self._enter(sum(bundle["CPU"] for bundle in bundles))
        try:
            group = self._room_for(tasks, bundles)
            self._start(
                tasks, bundles, group, {guest.task: guest for guest in guests}
            )
        except BaseException:
            self.close()
            raise
        self._watch.start()

    def join(self, cluster: str, client: str) -> TaskSettings:
        """Return the settings for a client of a cluster that another client has started.

        NotFoundError when there is no such cluster on this Ray, or the client is no guest of it.
        """
        self._enter(self._cpus or 1.0)
        try:
            return self._join(cluster, client)
        except BaseException:
            self.close()
            raise

    def registration(self, task: str, timeout: float) -> Registration:
        """Return what a task says of itself, once it runs; also after it was started anew."""
        found = self._described(task, timeout)
        if found.registration is None:
            raise UnavailableError(f"{task} does not start: {found.words}")
        self._watch.found(task, found.registration.incarnation)
        return found.registration

    def carrier(self, settings: TaskSettings) -> Carrier:
        """Return what the client, which is a task too, sends and receives by.

        FailedPreconditionError when the cluster has a client of this name.
        """
        self._check()
        what = f"client {settings.task} of cluster {settings.cluster!r}"
        self._reserve(f"{settings.cluster}{settings.task}", what, [{"memory": 1}])
        return carrier(settings, self._ray.util.get_node_ip_address())

    def watch(self, lost: Lost) -> None:
        """Tell `lost` of tasks that die, from a thread; they are started anew by themselves."""
        self._told.append(lost)

    def kill(self, task: str) -> None:
        """End a task as an accident would; it is started anew by itself."""
        self._ray.kill(self._actor(task), no_restart=False)

    def close(self) -> None:
        """End all tasks that this engine has started, and Ray if that was started for it."""
        if self._closed or self._ray is None:
            self._closed = True
            return
        self._closed = True
        self._watch.stop()
        with suppress(self._ray.exceptions.RayError):  # all is gone already
            actors = tuple(self._actors.values()) if self._started else ()
            if actors and session.folder is None:  # else all files go with that
                calls = [actor.close.remote() for actor in actors]
                self._ray.wait(calls, num_returns=len(calls), timeout=_ENDING)
            for actor in actors:
                self._ray.kill(actor)
            for group in self._groups:
                self._ray.util.remove_placement_group(group)
        session.leave(self.close)

    def _enter(self, cpus: float) -> None:
        if self._closed or self._ray is not None:
            raise FailedPreconditionError(
                "an engine starts or joins one cluster, once"
            )
        enough = max(cpus, os.cpu_count() or 1)
        ray = session.enter(self._address, self._cpus or enough, self.close)
        self._watch = Watch(ray, self._actors, self._told)
        self._ray = ray

    def _room_for(
        self, tasks: Sequence[TaskSettings], bundles: Sequence[Mapping[str, float]]
    ) -> Any:
        """Return the placement group of tasks, once there is room for them."""
        cluster = tasks[0].cluster
        group = self._reserve(
            cluster,
            f"cluster {cluster!r}",
            bundles,
            self._strategy,
            "join it, as in connect(..., client=1), take another name",
        )
        if not group.wait(self._room):
            raise ResourceExhaustedError(self._too_small(tasks, bundles))
        return group

    def _reserve(
        self,
        name: str,
        what: str,
        bundles: Sequence[Mapping[str, float]],
        strategy: str = "PACK",
        repair: str = "take another number, as in connect(..., client=2)",
    ) -> Any:
        """Return a new placement group. Ray has one of a name at most, and ends it with us."""
        util = self._ray.util
        with suppress(ValueError):
            util.get_placement_group(name)
            raise _taken(what, repair)
        try:
            group = util.placement_group(bundles, strategy, name)
        except self._ray.exceptions.RaySystemError as error:
            if "already exists" in str(error):  # since it was looked for
                raise _taken(what, repair) from None
            raise UnavailableError(f"Ray has failed: {error}") from error
        self._groups.append(group)
        return group

    def _start(
        self,
        tasks: Sequence[TaskSettings],
        bundles: Sequence[Mapping[str, float]],
        group: Any,
        guests: Mapping[str, TaskSettings],
    ) -> None:
        strategies = extra("ray.util.scheduling_strategies", "a cluster")
        actor = self._ray.remote(Actor)
        self._started = True
        for i, task in enumerate(tasks):
            place = strategies.PlacementGroupSchedulingStrategy(group, i)
            self._actors[task.task] = actor.options(
                name=task.task,
                namespace=_namespace(task.cluster),
                num_cpus=bundles[i]["CPU"],
                num_gpus=bundles[i].get("GPU", 0),
                scheduling_strategy=place,
                max_restarts=-1,
                max_task_retries=0,
            ).remote(task, guests, self._make, session.folder)

    def _join(self, cluster: str, client: str) -> TaskSettings:
        named = self._ray.util.list_named_actors(all_namespaces=True)
        space = _namespace(cluster)
        for name in sorted(
            (each["name"] for each in named if each["namespace"] == space), key=_order
        ):
            self._actors[name] = self._ray.get_actor(name, space)
        if not self._actors:
            prefix = _namespace("")
            spaces = {each["namespace"] for each in named}
            there = sorted(
                x.removeprefix(prefix) for x in spaces if x.startswith(prefix)
            )
            raise NotFoundError(
                f"there is no cluster {cluster!r} on this Ray; there are: "
                f"{', '.join(there) or 'none'}"
            )
        found = self._ask(client)
        if isinstance(found, TaskSettings):
            self._watch.start()
            return found
        raise NotFoundError(
            f"cluster {cluster!r} expects no client {client}; it expects: "
            f"{', '.join(found) or 'none'}"
        )

    def _described(self, task: str, timeout: float) -> Description:
        """Return what an actor says of itself, once it can."""
        actor, errors = self._actor(task), self._ray.exceptions
        until = time.monotonic() + timeout
        while True:
            left = max(0.0, until - time.monotonic())
            try:
                found: Description = self._ray.get(
                    actor.describe.remote(), timeout=left
                )
            except (errors.RayActorError, errors.GetTimeoutError) as error:
                words = _COLOURS.sub("", str(error))
                if isinstance(error, errors.ActorDiedError):  # for good
                    raise UnavailableError(
                        f"{task} does not start: {words}"
                    ) from None
                if time.monotonic() + _AGAIN > until:
                    raise UnavailableError(
                        f"{task} has not started within {timeout:g} seconds: {words}"
                    ) from None
                time.sleep(_AGAIN)
            else:
                return found

    def _ask(self, client: str) -> TaskSettings | Sequence[str]:
        """Return the settings of a client from whichever task answers."""
        errors = self._ray.exceptions
        for actor in self._actors.values():
            with suppress(errors.RayActorError, errors.GetTimeoutError):
                found: TaskSettings | Sequence[str]
                found = self._ray.get(actor.guest.remote(client), timeout=self._room)
                return found
        raise UnavailableError(f"none of {', '.join(self._actors)} answers")

    def _check(self) -> None:
        if self._closed or self._ray is None:
            raise FailedPreconditionError(
                "this engine is closed, or has not started anything"
            )

    def _actor(self, task: str) -> Any:
        self._check()
        if task not in self._actors:
            raise NotFoundError(
                f"there is no task {task!r}; there are: {', '.join(self._actors)}"
            )
        return self._actors[task]

    def _too_small(
        self, tasks: Sequence[TaskSettings], bundles: Sequence[Mapping[str, float]]
    ) -> str:
        """Return what is asked for and what there is."""
        asked = [
            f"{task.task} {_told(x)}" for task, x in zip(tasks, bundles, strict=True)
        ]
        nodes = [
            f"{node['NodeManagerAddress']} {_told(node['Resources'])}"
            for node in self._ray.nodes()
            if node["Alive"]
        ]
        return (
            f"the nodes have no room for this cluster within {self._room} seconds. Asked for: "
            f"{', '.join(asked)}. The nodes have: {', '.join(nodes)}; of that is free: "
            f"{_told(self._ray.available_resources())}. Ask for less, or add nodes"
        )


def _namespace(cluster: str) -> str:
    return f"{NAMESPACE}/{cluster}"


def _order(task: str) -> tuple[str, int]:
    name = DeviceName.parse(task)
    return name.job or "", name.task or 0


def _taken(what: str, repair: str) -> FailedPreconditionError:
    return FailedPreconditionError(
        f"{what} is there already on this Ray: {repair}, or close that one"
    )


def _needs(task: TaskSettings, needs: Mapping[str, Needs]) -> Needs:
    return needs.get(DeviceName.parse(task.task).job or "", Needs())


def _bundle(needs: Needs) -> dict[str, float]:
    """Return what Ray is asked for."""
    bundle = {"CPU": max(needs.cpus, _LEAST)}
    if needs.gpus:
        bundle["GPU"] = needs.gpus
    return bundle


def _told(resources: Mapping[str, float]) -> str:
    """Return CPUs and GPUs in words."""
    return f"{resources.get('CPU', 0):g} CPU and {resources.get('GPU', 0):g} GPU"
