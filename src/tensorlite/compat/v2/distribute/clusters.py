"""Strategies of clusters, and of TPUs, of which there are none."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared import cluster_resolvers
from tensorlite.compat.v2.distribute.strategy import Strategy
from tensorlite.core.errors import InvalidArgumentError


class MultiWorkerMirroredStrategy(Strategy):
    """What is told of a cluster with one worker, or of none, trains here."""

    def __init__(
        self,
        cluster_resolver: Any = None,
        communication_options: Any = None,
        communication: Any = None,
    ) -> None:
        super().__init__()
        resolver = cluster_resolver or cluster_resolvers.TFConfigClusterResolver()
        jobs = resolver.cluster_spec().as_dict()
        workers = sum(len(jobs.get(job, ())) for job in ("chief", "worker"))
        if workers > 1:
            raise InvalidArgumentError(
                f"MultiWorkerMirroredStrategy: {workers} workers; this one trains on one. "
                "Train on a cluster with tl.distribute.connect and tl.distribute.AllReduce"
            )
        self.cluster_resolver = resolver


class TPUStrategy(Strategy):
    """Raises InvalidArgumentError: there are no TPUs here."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise InvalidArgumentError("TPUStrategy: there are no TPUs here")
