"""RunConfig: where an estimator keeps its files, how often it writes them, and which task it is."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from tensorlite.compat.v1.training.placing import ClusterSpec
from tensorlite.core.errors import InvalidArgumentError

_SECONDS_BETWEEN_CHECKPOINTS = 600


@dataclass(frozen=True)
class RunConfig:
    """Where an estimator keeps its files, and how often it writes them."""

    model_dir: str | None = None
    tf_random_seed: int | None = 1
    save_summary_steps: int | None = 100
    save_checkpoints_steps: int | None = None
    save_checkpoints_secs: int | None = None
    session_config: Any = None
    keep_checkpoint_max: int = 5
    keep_checkpoint_every_n_hours: float = 10000
    log_step_count_steps: int | None = 100
    train_distribute: Any = None
    device_fn: Any = None
    protocol: str | None = None
    eval_distribute: Any = None
    experimental_distribute: Any = None
    experimental_max_worker_delay_secs: int | None = None
    session_creation_timeout_secs: int = 7200

    _roles: ClassVar[tuple[str, ...]] = (
        "chief",
        "master",
        "worker",
        "ps",
        "evaluator",
    )

    def __post_init__(self) -> None:
        if None not in (self.save_checkpoints_steps, self.save_checkpoints_secs):
            raise InvalidArgumentError(
                "Can not provide both save_checkpoints_steps and save_checkpoints_secs."
            )

    def saving(self) -> dict[str, Any]:
        """Return how often checkpoints are written: every ten minutes if nothing is said."""
        if self.save_checkpoints_steps is not None:
            return {"save_steps": self.save_checkpoints_steps}
        secs = self.save_checkpoints_secs
        return {"save_secs": _SECONDS_BETWEEN_CHECKPOINTS if secs is None else secs}

    def replace(self, **kwargs: Any) -> RunConfig:
        """Return the same with other values."""
        return replace(self, **kwargs)

    def _environment(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(os.environ.get("TF_CONFIG") or "{}")
        return found

    @property
    def cluster_spec(self) -> ClusterSpec:
        """The cluster that TF_CONFIG tells of, a ClusterSpec."""
        return ClusterSpec(self._environment().get("cluster", {}))

    @property
    def task_type(self) -> str:
        """The kind of task that TF_CONFIG says this is, "worker" if it does not."""
        return str(self._environment().get("task", {}).get("type", "worker"))

    @property
    def task_id(self) -> int:
        """The number of the task that TF_CONFIG says this is, 0 if it does not."""
        return int(self._environment().get("task", {}).get("index", 0))

    @property
    def is_chief(self) -> bool:
        """Whether this task writes checkpoints: the chief, or the only one."""
        return not self.is_distributed or self.task_type in ("chief", "master")

    @property
    def is_distributed(self) -> bool:
        """Whether several tasks train one model."""
        cluster = self.cluster_spec
        return sum(cluster.num_tasks(job) for job in cluster.jobs) > 1

    @property
    def num_ps_replicas(self) -> int:
        """How many parameter servers the cluster has."""
        cluster = self.cluster_spec
        return cluster.num_tasks("ps") if "ps" in cluster.jobs else 0

    @property
    def num_worker_replicas(self) -> int:
        """How many tasks train, the chief among them; at least 1."""
        cluster = self.cluster_spec
        roles = [job for job in ("chief", "master", "worker") if job in cluster.jobs]
        return sum(map(cluster.num_tasks, roles)) or 1

    @property
    def master(self) -> str:
        """Where sessions of training run: "", in this process."""
        return ""

    @property
    def evaluation_master(self) -> str:
        """Where sessions of evaluation run: "", in this process."""
        return ""
