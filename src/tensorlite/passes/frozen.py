"""frozen: a placement kept in a file, and used again for the same graph.

Nodes are known by name, those of branches and loops by the way to them. A graph that has changed
since is refused: the placement was found for another one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from tensorlite.core.device import DeviceName
from tensorlite.core.errors import InvalidArgumentError, NotFoundError, PlacementError
from tensorlite.graph.graph import Node
from tensorlite.passes.cost import is_plain
from tensorlite.passes.units import NOWHERE, Units

FORMAT = "tensorlite placement 1"
TOLD = 5
"""How many differences a message lists."""


@dataclass(frozen=True)
class Frozen:
    """A placement that was found once: a choice that gives each node the device it had.

    >>> step = tl.function(lambda x: tl.exp(x) + 1.0).get_concrete_function(tl.ones(2))
    >>> frozen = tl.placement.freeze(step)
    >>> frozen.devices["Exp"]
    '/device:CPU:0'
    """

    devices: Mapping[str, str]
    """Names of devices by names of nodes."""
    nodes: Mapping[str, str]
    """What each node was, as a digest: operator, attributes, inputs, shapes."""
    about: str = ""
    """How it was found, in words."""

    @staticmethod
    def of(units: Units, devices: Sequence[DeviceName], about: str = "") -> Frozen:
        """Return the placement of units, a device for each."""
        names = names_of(units)
        placed = dict(zip(names, map(str, devices), strict=True))
        return Frozen(placed, _digests(units, names), about)

    def __call__(
        self,
        units: Units,
        groups: Sequence[Sequence[int]],
        allowed: Sequence[Sequence[DeviceName]],
    ) -> list[DeviceName]:
        """Return the device of each group; PlacementError when the graph or devices differ."""
        names = names_of(units)
        self._check(_digests(units, names))
        chosen = []
        for group, may in zip(groups, allowed, strict=True):
            name = names[group[0]]
            device = DeviceName.parse(self.devices[name])
            if device not in may:
                listed = ", ".join(map(str, may))
                raise PlacementError(
                    f"the frozen placement has {name} on {device}; allowed here: {listed}. Place "
                    "the graph anew, or give the program the devices that it had"
                )
            chosen.append(device)
        return chosen

    def _check(self, nodes: Mapping[str, str]) -> None:
        changed = [
            name
            for name in nodes
            if self.nodes.get(name, "") not in ("", nodes[name])
        ]
        new = [name for name in nodes if name not in self.nodes]
        gone = [name for name in self.nodes if name not in nodes]
        told = [
            f"{what}: {_listed(names)}"
            for what, names in (("changed", changed), ("new", new), ("gone", gone))
            if names
        ]
        if told:
            raise PlacementError(
                f"the placement was frozen for another graph; {'; '.join(told)}. Place it anew"
            )

    def to_file(self, path: str | Path) -> Path:
        """Write the placement as JSON, wholly or not at all; return the path.

        Raises InvalidArgumentError when the file cannot be written.
        """
        target = Path(path)
        aside = target.with_name(f".{target.name}.{os.getpid()}.part")
        content = {
            "format": FORMAT,
            "about": self.about,
            "devices": dict(self.devices),
            "nodes": dict(self.nodes),
        }
        try:
            aside.write_text(json.dumps(content, indent=1), "utf-8")
            aside.replace(target)
        except OSError as error:
            raise InvalidArgumentError(
                f"a placement cannot be written to {str(target)!r}: {error.strerror}; name a file "
                "in a folder that is there and may be written to"
            ) from error
        return target

    @staticmethod
    def from_file(path: str | Path) -> Frozen:
        """Return the placement in a file.

        Raises NotFoundError when there is no such file, InvalidArgumentError when it holds no
        placement, or is torn.
        """
        try:
            found = json.loads(Path(path).read_text("utf-8"))
        except FileNotFoundError:
            raise NotFoundError(
                f"there is no file {str(path)!r}; Frozen.to_file writes one"
            ) from None
        except (OSError, ValueError, RecursionError) as error:
            raise _refused(path, str(error)) from error
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise _refused(path, f"its format is not {FORMAT!r}")
        devices, nodes = _texts(found.get("devices")), _texts(found.get("nodes"))
        about = found.get("about")
        if devices is None or nodes is None or not isinstance(about, str):
            raise _refused(path, "a part is missing or of another kind")
        if devices.keys() != nodes.keys():
            raise _refused(path, "not every node has a device")
        for device in {*devices.values()}:
            DeviceName.parse(device)
        return Frozen(devices, nodes, about)


def _texts(value: object) -> dict[str, str] | None:
    """Return a table of texts by texts, or None for anything else."""
    if not isinstance(value, dict):
        return None
    return value if all(isinstance(one, str) for one in value.values()) else None


def _refused(path: str | Path, why: str) -> InvalidArgumentError:
    return InvalidArgumentError(f"{str(path)!r} holds no placement: {why}")


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - TOLD} more" if len(names) > TOLD else ""
    return ", ".join(names[:TOLD]) + more


def names_of(units: Units) -> list[str]:
    """Return a name for each unit: its node's, behind those of the branches or loops it is in."""
    names = [""] * len(units)
    region = [0] * len(units)
    for tables in units.inner.values():
        for number, table in enumerate(tables):
            for unit in table.values():
                region[unit] = number
    for unit in reversed(range(len(units))):  # what is inside comes before its parent
        parent = units.parent[unit]
        own = units.nodes[unit].name
        inside = "" if parent == NOWHERE else f"{names[parent]}[{region[unit]}]/"
        names[unit] = f"{inside}{own}"
    return names


def _digests(units: Units, names: Sequence[str]) -> dict[str, str]:
    pairs = zip(names, units.nodes, strict=True)
    return {
        name: sha256(_description(node).encode()).hexdigest()[:16]
        for name, node in pairs
    }


def _description(node: Node) -> str:
    """Return what a node is, but for values of constants and addresses in memory."""
    plain = {k: v for k, v in node.op.attributes().items() if is_plain(v)}
    parts = [
        node.op.name,
        plain,
        [f"{x.node.name}:{x.index}" for x in node.inputs],
        [str(x.spec) for x in node.outputs],
    ]
    return " ".join(map(str, parts))
