"""Peers: what a task knows of another. How they are linked is plane.py's."""

from __future__ import annotations

from threading import Lock

from tensorlite.distributed.transport.endpoints import Address
from tensorlite.distributed.transport.links import Link
from tensorlite.distributed.transport.parcels import Traffic


class Peer:
    """Another task, as it is known here."""

    def __init__(self, task: str, address: Address | None, incarnation: int) -> None:
        self.task = task
        self.address = address
        self.incarnation = incarnation
        self.link: Link | None = None
        self.lost = 0
        """The number of the link that broke last."""
        self.reserved = False
        """Whether a call of its is being answered with yes."""
        self.calling = False
        self.turn = Lock()
        """Held by the thread that calls it."""
        self.traffic = Traffic()
