"""RunConfig of tf.contrib.learn: that of tf.estimator, with what TF_CONFIG says when it is made."""

from __future__ import annotations

import copy
import json
import os
from dataclasses import fields
from typing import Any

from tensorlite.compat.v1.contrib.learning.keys import Environment, TaskType
from tensorlite.compat.v1.estimators import configuration
from tensorlite.compat.v1.graphs.configuration import ConfigProto, GPUOptions
from tensorlite.compat.v1.training.placing import ClusterSpec
from tensorlite.core.errors import InvalidArgumentError

__all__ = ["ClusterConfig", "Environment", "RunConfig", "TaskType"]

_SECONDS = 600
_BESIDE_UID = (
    "tf_random_seed",
    "save_summary_steps",
    "save_checkpoints_steps",
    "save_checkpoints_secs",
    "session_config",
    "keep_checkpoint_max",
    "keep_checkpoint_every_n_hours",
    "log_step_count_steps",
)


def _environment() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(os.environ.get("TF_CONFIG") or "{}")
    return found


class ClusterConfig:
    """Which task of which cluster this is, by the variable TF_CONFIG."""

    def __init__(self, master: Any = None, evaluation_master: Any = None) -> None:
        told = _environment()
        self.cluster_spec = ClusterSpec(told.get("cluster", {}))
        self.environment = told.get("environment", Environment.LOCAL)
        self.task_type = told.get("task", {}).get("type")
        self.task_id = self.get_task_id()
        self.evaluation_master = evaluation_master or ""
        self.master = self._master() if master is None else master

    @staticmethod
    def get_task_id() -> int:
        """Return the number of the task, 0 if nothing is said."""
        return int(_environment().get("task", {}).get("index") or 0)

    @property
    def is_chief(self) -> bool:
        """Whether this task writes checkpoints."""
        chief = (
            TaskType.MASTER
            if self.environment == Environment.CLOUD
            else TaskType.WORKER
        )
        return self.task_id == 0 and self.task_type in (None, chief)

    def _count(self, job: str) -> int:
        return len(self.cluster_spec.as_dict().get(job, []))

    @property
    def num_ps_replicas(self) -> int:
        """How many parameter servers there are."""
        return self._count(TaskType.PS)

    @property
    def num_worker_replicas(self) -> int:
        """How many tasks train."""
        return self._count(TaskType.WORKER) + self._count(TaskType.MASTER)

    def _master(self) -> str:
        jobs = self.cluster_spec.as_dict()
        if not self.task_type or sum(map(len, jobs.values())) <= 1:
            return ""
        told = "Note that these values may be coming from the TF_CONFIG environment variable."
        if self.task_type not in jobs:
            raise InvalidArgumentError(
                f"{self.task_type} is not a valid task_type in the cluster_spec:\n"
                f"{self.cluster_spec}\n\n{told}"
            )
        tasks = jobs[self.task_type]
        if not 0 <= self.task_id < len(tasks):
            raise InvalidArgumentError(
                f"{self.task_id} is not a valid task_id for task_type {self.task_type} in the "
                f"cluster_spec:\n{self.cluster_spec}\n\n{told}"
            )
        return f"grpc://{tasks[self.task_id]}"


class RunConfig(configuration.RunConfig):
    """Where an estimator keeps its files, how often it writes them, and which task it is."""

    def __init__(
        self,
        master: Any = None,
        num_cores: int = 0,
        log_device_placement: bool = False,
        gpu_memory_fraction: float = 1,
        tf_random_seed: int | None = None,
        save_summary_steps: int | None = 100,
        save_checkpoints_secs: int | None = 0,
        save_checkpoints_steps: int | None = None,
        keep_checkpoint_max: int = 5,
        keep_checkpoint_every_n_hours: float = 10000,
        log_step_count_steps: int | None = 100,
        protocol: str | None = None,
        evaluation_master: str = "",
        model_dir: str | None = None,
        session_config: Any = None,
        session_creation_timeout_secs: int = 7200,
    ) -> None:
        secs = save_checkpoints_secs
        if secs == 0:
            secs = _SECONDS if save_checkpoints_steps is None else None
        super().__init__(
            model_dir=_folder(model_dir),
            tf_random_seed=tf_random_seed,
            save_summary_steps=save_summary_steps,
            save_checkpoints_steps=save_checkpoints_steps,
            session_config=session_config,
            keep_checkpoint_max=keep_checkpoint_max,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            log_step_count_steps=log_step_count_steps,
            protocol=protocol,
            session_creation_timeout_secs=session_creation_timeout_secs,
        )
        object.__setattr__(self, "save_checkpoints_secs", secs)
        object.__setattr__(self, "_task", ClusterConfig(master, evaluation_master))
        proto = ConfigProto(
            log_device_placement=log_device_placement,
            inter_op_parallelism_threads=num_cores,
            intra_op_parallelism_threads=num_cores,
            gpu_options=GPUOptions(
                per_process_gpu_memory_fraction=gpu_memory_fraction
            ),
        )
        object.__setattr__(self, "_proto", proto)

    get_task_id = staticmethod(ClusterConfig.get_task_id)

    def replace(self, **kwargs: Any) -> RunConfig:
        """Return the same with other values."""
        known = {field.name for field in fields(configuration.RunConfig)}
        made = copy.copy(self)
        for key, value in kwargs.items():
            if key not in known:
                raise InvalidArgumentError(
                    f"Replacing {key} is not supported. Allowed properties are {sorted(known)}."
                )
            object.__setattr__(made, key, value)
        return made

    def uid(self, whitelist: Any = None) -> str:
        """Return what two configurations have in common that are for the same model."""
        out = _BESIDE_UID if whitelist is None else whitelist
        known = {x.name: getattr(self, x.name) for x in fields(self)}
        for name in (
            "master",
            "evaluation_master",
            "environment",
            "task_id",
            "task_type",
        ):
            known[name] = getattr(self, name)
        known["cluster_spec"] = sorted(self.cluster_spec.as_dict().items())
        return ", ".join(
            f"_{key}={value!r}"
            for key, value in sorted(known.items())
            if key not in out
        )

    @property
    def tf_config(self) -> Any:
        """How sessions are to run, a ConfigProto."""
        return self._proto  # type: ignore[attr-defined]

    @property
    def cluster_spec(self) -> ClusterSpec:
        """The cluster, a ClusterSpec."""
        return self._told().cluster_spec

    def _told(self) -> ClusterConfig:
        found: ClusterConfig = self._task  # type: ignore[attr-defined]
        return found

    @property
    def environment(self) -> str:
        """Where the cluster runs."""
        return str(self._told().environment)

    @property
    def task_type(self) -> Any:
        """What this task does, or None."""
        return self._told().task_type

    @property
    def task_id(self) -> int:
        """The number of this task."""
        return self._told().task_id

    @property
    def is_chief(self) -> bool:
        """Whether this task writes checkpoints."""
        return self._told().is_chief

    @property
    def num_ps_replicas(self) -> int:
        """How many parameter servers there are."""
        return self._told().num_ps_replicas

    @property
    def num_worker_replicas(self) -> int:
        """How many tasks train."""
        return self._told().num_worker_replicas

    @property
    def master(self) -> str:
        """Where sessions of training run."""
        return str(self._told().master)

    @property
    def evaluation_master(self) -> str:
        """Where sessions of evaluation run."""
        return str(self._told().evaluation_master)


def _folder(given: str | None) -> str | None:
    told = _environment().get("model_dir")
    if told is not None and given not in (None, told):
        raise InvalidArgumentError(
            "`model_dir` provided in RunConfig construct, if set, must have the same value as the "
            f'model_dir in TF_CONFIG. model_dir: {given}\nTF_CONFIG["model_dir"]: {told}.'
        )
    return given or told
