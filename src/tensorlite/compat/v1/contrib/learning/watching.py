"""Monitors of tf.contrib.learn that look at tensors, and what monitors are."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.compat.shared import logging
from tensorlite.compat.v1.graphs import scopes
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.hooks import NanLossDuringTrainingError
from tensorlite.graph_mode.keys import GraphKeys


class BaseMonitor:
    """What is told when steps begin and end; it may ask for tensors, and end the training."""

    def __init__(self) -> None:
        self._begun = False
        self._current_epoch: int | None = None
        self._current_step: int | None = None
        self._max_steps: int | None = None
        self._estimator: Any = None

    @property
    def run_on_all_workers(self) -> bool:
        """Whether others than the chief run it."""
        return False

    def set_estimator(self, estimator: Any) -> None:
        """Note whose training it is."""
        if estimator is None:
            raise InvalidArgumentError("Missing estimator.")
        self._estimator = estimator

    def begin(self, max_steps: int | None = None) -> None:
        """Training begins."""
        if self._begun:
            raise InvalidArgumentError("begin called twice without end.")
        self._max_steps, self._begun = max_steps, True

    def end(self, session: Any = None) -> None:
        """Training ends."""
        if not self._begun:
            raise InvalidArgumentError("end called without begin.")
        self._max_steps, self._begun = None, False

    def epoch_begin(self, epoch: int) -> None:
        """A turn through the data begins."""
        if self._current_epoch is not None:
            raise InvalidArgumentError("epoch_begin called twice without epoch_end.")
        if epoch < 0:
            raise InvalidArgumentError(f"Invalid epoch {epoch}.")
        self._current_epoch = epoch

    def epoch_end(self, epoch: int) -> None:
        """A turn through the data ends."""
        if self._current_epoch != epoch:
            raise InvalidArgumentError(
                f"epoch_end expected {self._current_epoch} but got {epoch}."
            )
        self._current_epoch = None

    def step_begin(self, step: int) -> list[Any]:
        """Return the tensors that are asked for in a step, or their names."""
        if step < 0 or (self._max_steps is not None and step > self._max_steps):
            raise InvalidArgumentError(f"Invalid step {step}.")
        self._current_step = step
        return []

    def step_end(self, step: int, output: Any) -> bool | None:
        """Return whether training ends; output has the values of what was asked for."""
        if self._current_step != step:
            raise InvalidArgumentError(
                f"step_end expected {self._current_step} but got {step}."
            )
        self._current_step = None
        return False

    def post_step(self, step: int, session: Any) -> None:
        """A step is over, for all monitors."""


def value_of(outputs: Any, asked: Any) -> Any:
    """Return the value of what a monitor asked for, by itself or by its name."""
    return outputs[asked] if asked in outputs else outputs[asked.name]


class EveryN(BaseMonitor):
    """A monitor that acts in the first steps, in every so many, and in the last."""

    def __init__(self, every_n_steps: int = 100, first_n_steps: int = 1) -> None:
        super().__init__()
        self._every_n_steps, self._first_n_steps = every_n_steps, first_n_steps
        self._last_successful_step: int | None = None
        self._last_active_step = 0
        self._acts = False

    def every_n_step_begin(self, step: int) -> list[Any]:
        """Return the tensors that are asked for in such a step, or their names."""
        return []

    def every_n_step_end(self, step: int, outputs: Any) -> bool | None:
        """Return whether training ends with such a step."""
        return False

    def every_n_post_step(self, step: int, session: Any) -> None:
        """Such a step is over, for all monitors."""

    def step_begin(self, step: int) -> list[Any]:
        """Return what is asked for, if it is such a step."""
        super().step_begin(step)
        self._acts = (
            step <= self._first_n_steps
            or step >= self._every_n_steps + self._last_active_step
            or step == self._max_steps
        )
        return self.every_n_step_begin(step) if self._acts else []

    def step_end(self, step: int, output: Any) -> bool | None:
        """Return whether training ends."""
        super().step_end(step, output)
        return self.every_n_step_end(step, output) if self._acts else False

    def post_step(self, step: int, session: Any) -> None:
        """A step is over, for all monitors."""
        super().post_step(step, session)
        if self._acts:
            self.every_n_post_step(step, session)
            self._last_active_step = step
        self._last_successful_step = step

    def end(self, session: Any = None) -> None:
        """Training ends; the last step counts as one of those."""
        super().end(session=session)
        last = self._last_successful_step
        if last is not None and last != self._last_active_step:
            self.every_n_post_step(last, session)


class StopAtStep(BaseMonitor):
    """Ends training after so many steps, or at one."""

    def __init__(
        self, num_steps: int | None = None, last_step: int | None = None
    ) -> None:
        super().__init__()
        if (num_steps is None) == (last_step is None):
            which = "One" if num_steps is None else "Only one"
            raise InvalidArgumentError(
                f"{which} of num_steps or last_step must be specified."
            )
        self._num_steps, self._last_step = num_steps, last_step

    @property
    def run_on_all_workers(self) -> bool:
        """True."""
        return True

    def step_begin(self, step: int) -> list[Any]:
        """Note when the last step will be."""
        super().step_begin(step)
        if self._last_step is None:
            self._last_step = step + (self._num_steps or 0) - 1
        return []

    def step_end(self, step: int, output: Any) -> bool | None:
        """Return whether that was the last step."""
        super().step_end(step, output)
        return self._last_step is not None and step >= self._last_step


class PrintTensor(EveryN):
    """Logs tensors, whose names are listed, or by other names in a dict."""

    def __init__(
        self, tensor_names: Any, every_n: int = 100, first_n: int = 1
    ) -> None:
        super().__init__(every_n, first_n)
        if not isinstance(tensor_names, dict):
            tensor_names = {name: name for name in tensor_names}
        self._names = tensor_names

    def every_n_step_begin(self, step: int) -> list[Any]:
        """Return the tensors."""
        super().every_n_step_begin(step)
        return list(self._names.values())

    def every_n_step_end(self, step: int, outputs: Any) -> bool | None:
        """Log them."""
        super().every_n_step_end(step, outputs)
        told = [
            f"{tag} = {value_of(outputs, name)}"
            for tag, name in self._names.items()
            if name in outputs
        ]
        logging.info("Step %d: %s", step, ", ".join(told))
        return None


class LoggingTrainable(EveryN):
    """Logs the variables that are trained."""

    def __init__(
        self, scope: str | None = None, every_n: int = 100, first_n: int = 1
    ) -> None:
        super().__init__(every_n, first_n)
        self._scope = scope
        self._names: dict[str, str] = {}

    def every_n_step_begin(self, step: int) -> list[Any]:
        """Return the variables."""
        super().every_n_step_begin(step)
        own = scopes.get_collection(GraphKeys.TRAINABLE_VARIABLES, self._scope)
        self._names = {x.name: x.value().name for x in own}
        return list(self._names.values())

    def every_n_step_end(self, step: int, outputs: Any) -> bool | None:
        """Log them."""
        super().every_n_step_end(step, outputs)
        told = [f"{tag} = {outputs[name]}" for tag, name in self._names.items()]
        logging.info("Logging Trainable: Step %d: %s", step, ", ".join(told))
        return None


class CaptureVariable(EveryN):
    """Keeps the values of a variable, by steps."""

    def __init__(self, var_name: str, every_n: int = 100, first_n: int = 1) -> None:
        super().__init__(every_n, first_n)
        self._name = var_name
        self._values: dict[int, Any] = {}

    @property
    def values(self) -> dict[int, Any]:
        """The values by steps."""
        return self._values

    def every_n_step_begin(self, step: int) -> list[Any]:
        """Return the variable."""
        super().every_n_step_begin(step)
        return [self._name]

    def every_n_step_end(self, step: int, outputs: Any) -> bool | None:
        """Keep its value."""
        super().every_n_step_end(step, outputs)
        self._values[step] = value_of(outputs, self._name)
        return None


class NanLoss(EveryN):
    """Ends training, or fails, when a loss is not a number."""

    def __init__(
        self,
        loss_tensor: Any,
        every_n_steps: int = 100,
        fail_on_nan_loss: bool = True,
    ) -> None:
        super().__init__(every_n_steps=every_n_steps)
        self._loss, self._fails = loss_tensor, fail_on_nan_loss

    def every_n_step_begin(self, step: int) -> list[Any]:
        """Return the loss."""
        super().every_n_step_begin(step)
        return [self._loss]

    def every_n_step_end(self, step: int, outputs: Any) -> bool | None:
        """Return whether it is not a number; NanLossDuringTrainingError if it is to fail."""
        super().every_n_step_end(step, outputs)
        if not np.isnan(value_of(outputs, self._loss)):
            return False
        if self._fails:
            logging.error("Model diverged with loss = NaN.")
            raise NanLossDuringTrainingError
        logging.warning("Model diverged with loss = NaN.")
        return True
