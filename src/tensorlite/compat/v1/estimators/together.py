"""tf.estimator.train_and_evaluate: training and judging in turns, and exports of what is judged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tensorlite.compat.v1.estimators.base import Estimator, EvalSpec, TrainSpec
from tensorlite.core.errors import InvalidArgumentError, UnimplementedError
from tensorlite.graph_mode.hooks import CheckpointSaverListener, SecondOrStepTimer


class _Judge(CheckpointSaverListener):
    """Judges checkpoints that are saved, once enough time has gone by, and the last one."""

    def __init__(
        self, estimator: Estimator, spec: EvalSpec, last: int | None
    ) -> None:
        self._estimator, self._spec, self._last = estimator, spec, last
        self._is_first = True
        self._timer = SecondOrStepTimer(every_secs=spec.throttle_secs)
        self.found: dict[str, Any] | None = None
        self.exports: list[Any] = []

    def after_save(self, session: Any, global_step_value: int) -> None:
        if self._is_first:  # which is before anything has been trained
            self._is_first = False
        elif self._timer.should_trigger_for_step(global_step_value):
            self.judge(global_step_value)

    def end(self, session: Any, global_step_value: int) -> None:
        if global_step_value != self._timer.last_triggered_step():
            self.judge(global_step_value)

    def judge(self, step: int) -> None:
        """Judge the newest checkpoint, and let the exporters have it."""
        self._timer.update_last_triggered_step(step)
        path = self._estimator.latest_checkpoint()
        if path is None:
            raise InvalidArgumentError(
                "There was no new checkpoint after the training."
            )
        spec = self._spec
        given = (spec.input_fn, spec.steps, spec.hooks, path, spec.name)
        self.found = self._estimator.evaluate(*given)
        is_last = self._last is not None and step >= self._last
        self.exports = []
        for one in spec.exporters_listed():
            folder = Path(self._estimator.model_dir) / "export" / one.name
            made = one.export(self._estimator, str(folder), path, self.found, is_last)
            self.exports.append(made)


def train_and_evaluate(
    estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec
) -> tuple[dict[str, Any] | None, list[Any]]:
    """Train to the last step, and judge what has been learnt; return that, and the exports."""
    if estimator.config.is_distributed:
        raise UnimplementedError(
            "train_and_evaluate: TF_CONFIG names a cluster of several tasks, which is not served; "
            "train in tf.train.MonitoredTrainingSession, with a tf.train.Server for each task"
        )
    judge = _Judge(estimator, eval_spec, train_spec.max_steps)
    estimator.train(
        train_spec.input_fn,
        hooks=train_spec.hooks,
        max_steps=train_spec.max_steps,
        saving_listeners=[judge],
    )
    return judge.found, judge.exports
