"""machines: tables of devices and of the links between them, there or only imagined.

What runs on them, and how long that takes, is simulate.py's matter.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from tensorlite.core.device import DeviceName
from tensorlite.core.errors import DeviceError, DTypeError, InvalidArgumentError
from tensorlite.passes.cost import Costs, Link

Host: TypeAlias = tuple[object, ...]
"""A process: the devices of one share an interpreter, cores, and a way to the network."""
ETHERNET = Link(latency=1e-4, bandwidth=1.25e9)
"""What connects hosts where nothing is said: ten gigabits a second."""


def host_of(device: DeviceName) -> Host:
    """Return the process that a device belongs to."""
    return device.job, device.replica or 0, device.task or 0


@dataclass(frozen=True)
class Machines:
    """Devices and links to simulate on.

    Devices of one kind are `speed` times as fast as the costs say; those of one task share an
    interpreter and its cores. Links are looked up by their two ends; elsewhere devices of one task
    have the link that `costs` has between them, and others `network`.

    >>> table = tl.placement.Machines(["/task:0/cpu:0", "/task:1/cpu:0"], speed=[1.0, 2.0])
    >>> len(table.devices)
    2
    """

    devices: Sequence[DeviceName | str]
    speed: Sequence[float] | float = 1.0
    links: Mapping[tuple[DeviceName | str, DeviceName | str], Link] = field(
        default_factory=dict
    )
    network: Link = ETHERNET
    cores: int | None = None
    """How many kernels the CPU devices of one task run at a time; None: as many as they are."""
    newest_first: bool = False
    """Whether a device takes what was ready last, rather than what the longest way goes on from."""

    def __post_init__(self) -> None:
        given: object = self.devices
        if isinstance(given, str):
            raise DTypeError(f"Machines: devices={given!r}; give a list of names")
        names = tuple([whole(one) for one in self.devices])
        if not names:
            raise InvalidArgumentError(
                "Machines: there are no devices; give one at least"
            )
        if len(set(names)) < len(names):
            twice = next(one for one in names if names.count(one) > 1)
            raise InvalidArgumentError(f"Machines: {twice} is there twice")
        speed = (
            (float(self.speed),) * len(names)
            if isinstance(self.speed, (int, float))
            else tuple(self.speed)
        )
        if len(speed) != len(names):
            raise InvalidArgumentError(
                f"Machines: {len(speed)} speeds for {len(names)} devices; give one for each"
            )
        if not all(0 < one < math.inf for one in speed):
            raise InvalidArgumentError(
                f"Machines: speeds are {list(speed)}; allowed are numbers above 0"
            )
        if self.cores is not None and self.cores < 1:
            raise InvalidArgumentError(
                f"Machines: cores={self.cores}; allowed are 1 and more, and None"
            )
        links = _checked_links(self.links, names)
        check_link("Machines", self.network)
        for name, value in (("devices", names), ("speed", speed), ("links", links)):
            object.__setattr__(self, name, value)

    @property
    def names(self) -> tuple[DeviceName, ...]:
        """The devices' names."""
        return self.devices  # type: ignore[return-value]  # made so in __post_init__


def _checked_links(
    links: object, names: Sequence[DeviceName]
) -> dict[tuple[DeviceName, DeviceName], Link]:
    """Return links by the names of their ends, which must be `names`."""
    if not isinstance(links, Mapping) or not all(
        isinstance(pair, tuple) and len(pair) == 2 for pair in links
    ):
        raise DTypeError(
            f"Machines: links={links!r}; give a dict from pairs of devices to tl.placement.Link"
        )
    named = {(whole(a), whole(b)): link for (a, b), link in links.items()}
    for pair, link in named.items():
        check_link("Machines", link)
        for end in pair:
            if end not in names:
                raise DeviceError(
                    f"Machines: a link has the end {end}, which is no device of the table"
                )
    return named


def check_link(what: str, link: object) -> None:
    """Raise an error for what is no link, or one that no tensor passes."""
    if not isinstance(link, Link):
        raise DTypeError(f"{what}: {link!r} is no link; give a tl.placement.Link")
    numbers = all(isinstance(x, (int, float)) for x in link)
    if not (numbers and link.latency >= 0 and link.bandwidth > 0):
        raise InvalidArgumentError(
            f"{what}: {link}: latency is 0 seconds or more, bandwidth above 0 bytes a second"
        )


def whole(device: DeviceName | str) -> DeviceName:
    """Return a device's name; DeviceError unless kind and number are there."""
    name = DeviceName.of(device)
    if name.kind is None or name.index is None:
        raise DeviceError(
            f"{str(name)!r} names no single device; give its kind and number, as in '/cpu:0'"
        )
    return name


def this_machine(devices: Sequence[DeviceName]) -> Machines:
    """Return devices of this process as a table, with the cores that it may use.

    They take what was ready last, as the dataflow machine does.
    """
    known = hasattr(os, "sched_getaffinity")
    cores = len(os.sched_getaffinity(0)) if known else os.cpu_count()
    return Machines(devices, cores=cores, newest_first=True)


class Network:
    """A table of devices as the simulation wants it: by number, and quick to look up."""

    def __init__(self, machines: Machines, costs: Costs) -> None:
        self.devices = machines.names
        self.costs = costs
        self.slow = [1.0 / speed for speed in machines.speed]  # type: ignore[union-attr]
        hosts: dict[Host, int] = {}
        self.host = [
            hosts.setdefault(host_of(one), len(hosts)) for one in self.devices
        ]
        self.hosts = len(hosts)
        self.is_cpu = [one.kind == "CPU" for one in self.devices]
        shared = [0] * self.hosts
        for host, counts in zip(self.host, self.is_cpu, strict=True):
            shared[host] += counts
        cores = machines.cores or len(self.devices)
        self.cores = [cores if cores < there else 0 for there in shared]
        """How many kernels a host's CPU devices run at once; 0: all of them."""
        self.newest_first = machines.newest_first
        self._machines = machines
        self._links: dict[tuple[int, int], tuple[float, float]] = {}

    def __len__(self) -> int:
        return len(self.devices)

    def link(self, source: int, target: int) -> tuple[float, float]:
        """Return the latency between two devices, and the seconds that a byte takes."""
        found = self._links.get((source, target))
        if found is None:
            link = self._link(self.devices[source], self.devices[target])
            found = self._links[source, target] = link.latency, 1 / link.bandwidth
        return found

    def _link(self, source: DeviceName, target: DeviceName) -> Link:
        links = self._machines.links
        found = links.get((source, target)) or links.get((target, source))
        if found is not None:
            return found
        if host_of(source) == host_of(target):
            return self.costs.link(source, target)
        return self._machines.network
