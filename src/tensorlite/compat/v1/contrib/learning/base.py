"""What is in common to estimators of tf.contrib.learn: fit, evaluate, predict."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Self

import numpy as np

from tensorlite.compat.shared.values import is_tensor
from tensorlite.compat.v1 import summary
from tensorlite.compat.v1.contrib.columns.parsing import infer_real_valued_columns
from tensorlite.compat.v1.contrib.evaluation import (
    StopAfterNEvalsHook,
    evaluate_checkpoint,
)
from tensorlite.compat.v1.contrib.learning import monitors as own_monitors
from tensorlite.compat.v1.contrib.learning.answering import (
    asked_of,
    batches_of,
    measured,
    rows_of,
)
from tensorlite.compat.v1.contrib.learning.feeding import (
    FeedingHook,
    setup_train_data_feeder,
)
from tensorlite.compat.v1.contrib.learning.keys import (
    NotFittedError,
)
from tensorlite.compat.v1.contrib.learning.model_fns import ModelFnOps
from tensorlite.compat.v1.contrib.learning.parameters import Parametrized
from tensorlite.compat.v1.contrib.learning.run_configs import RunConfig
from tensorlite.compat.v1.contrib.learning.signatures import (
    checked_signature,
)
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.compat.v1.graphs.configuration import ConfigProto
from tensorlite.compat.v1.training import averages, hooks, monitored, saver, scaffolds
from tensorlite.core.errors import (
    InvalidArgumentError,
    UnimplementedError,
)
from tensorlite.graph_mode.hooks import NanTensorHook, StopAtStepHook
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.interop.tensorflow.stored.checkpoints import (
    list_variables,
    load_variable,
)
from tensorlite.interop.tensorflow.stored.states import latest_checkpoint


class Trainable(ABC):
    """What can be trained."""

    @abstractmethod
    def fit(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Any = None,
        steps: int | None = None,
        batch_size: int | None = None,
        monitors: Any = None,
        max_steps: int | None = None,
    ) -> Any:
        """Train, and return the model."""


class Evaluable(ABC):
    """What can be judged."""

    @abstractmethod
    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Any = None,
        feed_fn: Any = None,
        batch_size: int | None = None,
        steps: int | None = None,
        metrics: Any = None,
        name: str | None = None,
        checkpoint_path: str | None = None,
        hooks: Any = None,
    ) -> Any:
        """Return the metrics."""

    @property
    @abstractmethod
    def model_dir(self) -> str:
        """The folder of the checkpoints."""


def _check_inputs(
    x: Any, y: Any, input_fn: Any, feed_fn: Any, batch_size: int | None
) -> None:
    if input_fn is not None:
        if x is not None or y is not None:
            raise InvalidArgumentError("Can not provide both input_fn and x or y.")
        if batch_size is not None:
            raise InvalidArgumentError(
                "Can not provide both input_fn and batch_size."
            )
        return
    if x is None:
        raise InvalidArgumentError("Either x or input_fn must be provided.")
    if is_tensor(x) or is_tensor(y):
        raise InvalidArgumentError(
            "Inputs cannot be tensors. Please provide input_fn."
        )
    if feed_fn is not None:
        raise InvalidArgumentError("Can not provide both feed_fn and x or y.")


def infer_real_valued_columns_from_input_fn(input_fn: Callable[..., Any]) -> Any:
    """Return columns of numbers for the features that an input function gives."""
    with framework.Graph().as_default():
        features, _ = input_fn()
        return infer_real_valued_columns(features)


def infer_real_valued_columns_from_input(x: Any) -> Any:
    """Return columns of numbers for arrays of features."""
    _check_inputs(x, None, None, None, None)
    feeder = setup_train_data_feeder(x, None, None, shuffle=False)
    return infer_real_valued_columns_from_input_fn(feeder.input_builder)


class BaseEstimator(Parametrized, Evaluable, Trainable):
    """A model in a folder; subclasses say what it is."""

    def __init__(self, model_dir: str | None = None, config: Any = None) -> None:
        told = RunConfig() if config is None else config
        if None not in (model_dir, told.model_dir) and model_dir != told.model_dir:
            raise InvalidArgumentError(
                "model_dir are set both in constructor and RunConfig, but with different values. "
                f"In constructor: '{model_dir}', in RunConfig: '{told.model_dir}' "
            )
        self._model_dir = model_dir or told.model_dir or mkdtemp()
        self._config = told
        if told.model_dir is None:
            self._config = told.replace(model_dir=self._model_dir)
        session = told.session_config
        self._session_config = (
            ConfigProto(allow_soft_placement=True) if session is None else session
        )
        self._features: Any = None
        self._labels: Any = None

    @property
    def config(self) -> Any:
        """How it is run."""
        return copy.deepcopy(self._config)

    @property
    def model_dir(self) -> str:
        """The folder of the checkpoints."""
        return self._model_dir

    @abstractmethod
    def _get_train_ops(self, features: Any, labels: Any) -> ModelFnOps:
        """Return the model that is trained."""

    @abstractmethod
    def _get_predict_ops(self, features: Any) -> ModelFnOps:
        """Return the model that answers."""

    def _get_eval_ops(self, features: Any, labels: Any, metrics: Any) -> ModelFnOps:
        raise NotImplementedError("_get_eval_ops not implemented in BaseEstimator")

    def fit(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Any = None,
        steps: int | None = None,
        batch_size: int | None = None,
        monitors: Any = None,
        max_steps: int | None = None,
    ) -> Self:
        """Train on rows of x and y, or on what input_fn gives, and return the estimator.

        steps counts from now, max_steps from the first training.
        """
        if steps is not None and max_steps is not None:
            raise InvalidArgumentError("Can not provide both steps and max_steps.")
        _check_inputs(x, y, input_fn, None, batch_size)
        if x is not None:
            SKCompat(self).fit(x, y, batch_size, steps, max_steps, monitors)
            return self
        if max_steps is not None and self._trained() >= max_steps:
            return self
        own = own_monitors.replace_monitors_with_hooks(monitors, self)
        if steps is not None or max_steps is not None:
            own.append(StopAtStepHook(steps, max_steps))
        self._train_model(input_fn, own)
        return self

    def _trained(self) -> int:
        path = latest_checkpoint(self._model_dir)
        return 0 if path is None else int(load_variable(path, "global_step"))

    def partial_fit(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Any = None,
        steps: int | None = 1,
        batch_size: int | None = None,
        monitors: Any = None,
    ) -> Self:
        """Train for a step, or so many, and return the estimator."""
        return self.fit(x, y, input_fn, steps, batch_size, monitors)

    def _begin(self) -> Any:
        if self._config.tf_random_seed is not None:
            framework.set_random_seed(self._config.tf_random_seed)
        return averages.create_global_step()

    def _check_alike(self, features: Any, labels: Any) -> None:
        self._features = checked_signature("Features", features, self._features)
        if labels is not None:
            self._labels = checked_signature("Labels", labels, self._labels)

    def _train_model(self, input_fn: Callable[..., Any], own: list[Any]) -> Any:
        """Train until a hook stops it or input_fn ends; return the last loss."""
        config, loss = self._config, None
        with framework.Graph().as_default() as graph:
            step = self._begin()
            features, labels = input_fn()
            self._check_alike(features, labels)
            built = self._get_train_ops(features, labels)
            scopes.add_to_collection(GraphKeys.LOSSES, built.loss)
            scaffold = built.scaffold or scaffolds.Scaffold()
            if scaffold.saver is None and not graph.get_collection(GraphKeys.SAVERS):
                scaffold.saver = saver.Saver(
                    max_to_keep=config.keep_checkpoint_max,
                    keep_checkpoint_every_n_hours=config.keep_checkpoint_every_n_hours,
                    allow_empty=True,
                )
            told = {"loss": built.loss, "step": step}
            every = [
                *own,
                NanTensorHook(built.loss),
                hooks.LoggingTensorHook(told, every_n_iter=100),
                *built.training_hooks,
            ]
            chief = [
                *self._saving(scaffold, [*every, *built.training_chief_hooks]),
                *built.training_chief_hooks,
            ]
            with monitored.MonitoredTrainingSession(
                is_chief=config.is_chief,
                checkpoint_dir=self._model_dir,
                scaffold=scaffold,
                hooks=every,
                chief_only_hooks=chief,
                save_checkpoint_secs=None,
                save_checkpoint_steps=None,
                save_summaries_steps=config.save_summary_steps,
                config=self._session_config,
            ) as session:
                while not session.should_stop():
                    _, loss = session.run([built.train_op, built.loss])
        return loss

    def _saving(self, scaffold: Any, others: list[Any]) -> list[Any]:
        """Return what writes checkpoints, unless one of others does."""
        secs = self._config.save_checkpoints_secs
        steps = self._config.save_checkpoints_steps
        if not (secs or steps):
            return []
        if any(isinstance(hook, hooks.CheckpointSaverHook) for hook in others):
            return []
        folder = self._model_dir
        return [hooks.CheckpointSaverHook(folder, secs, steps, scaffold=scaffold)]

    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Any = None,
        feed_fn: Any = None,
        batch_size: int | None = None,
        steps: int | None = None,
        metrics: Any = None,
        name: str | None = None,
        checkpoint_path: str | None = None,
        hooks: Any = None,
        log_progress: bool = True,
    ) -> Any:
        """Return the metrics over rows of x and y, or over what input_fn gives, a dict.

        metrics are more of them: MetricSpecs by their names. Without steps it goes on until
        input_fn ends.
        """
        _check_inputs(x, y, input_fn, feed_fn, batch_size)
        if x is not None:
            return SKCompat(self).score(x, y, batch_size, steps, metrics, name)
        return self.judged(
            input_fn,
            steps,
            feed_fn,
            metrics,
            name,
            checkpoint_path,
            hooks,
            log_progress,
        )

    def _checkpoint(self, path: str | None = None) -> str:
        found = path or latest_checkpoint(self._model_dir)
        if found is None:
            raise NotFittedError(f"Couldn't find trained model at {self._model_dir}.")
        return str(found)

    def judged(
        self,
        input_fn: Callable[..., Any],
        steps: int | None,
        feed_fn: Any = None,
        metrics: Any = None,
        name: str | None = None,
        checkpoint_path: str | None = None,
        hooks: Any = None,
        log_progress: bool = True,
    ) -> dict[str, Any]:
        """Return the metrics over what an input function gives, and what feeds it."""
        if metrics is not None and not isinstance(metrics, dict):
            raise InvalidArgumentError(
                f"Metrics argument should be None or dict. Got {metrics}."
            )
        path, own = self._checkpoint(checkpoint_path), list(hooks or ())
        if feed_fn is not None:
            own.append(FeedingHook(feed_fn))
        if steps:
            own.append(StopAfterNEvalsHook(steps, log_progress))
        with framework.Graph().as_default():
            step = self._begin()
            features, labels = input_fn()
            self._check_alike(features, labels)
            built = self._get_eval_ops(features, labels, metrics)
            update, values = measured(built.eval_metric_ops)
            found: dict[str, Any] = evaluate_checkpoint(
                path,
                scaffold=built.scaffold,
                eval_ops=update,
                final_ops={**values, "global_step": step},
                hooks=own,
                config=self._session_config,
            )
        self._write(found, name)
        return found

    def _write(self, found: dict[str, Any], name: str | None) -> None:
        folder = Path(self._model_dir) / (f"eval_{name}" if name else "eval")
        writer = summary.FileWriterCache.get(str(folder))
        for key, value in found.items():
            is_number = np.ndim(value) == 0 and isinstance(value, (float, np.number))
            if key != "global_step" and is_number:
                told = hooks.value_summary(key, float(value))
                writer.add_summary(told, int(found["global_step"]))
        writer.flush()

    def predict(
        self,
        x: Any = None,
        input_fn: Any = None,
        batch_size: int | None = None,
        outputs: Any = None,
        as_iterable: bool = True,
        iterate_batches: bool = False,
    ) -> Any:
        """Return predictions, for each row or each batch, or of all rows at once.

        outputs chooses among them.
        """
        _check_inputs(x, None, input_fn, None, batch_size)
        if x is not None and not as_iterable:
            return SKCompat(self).predict(x, batch_size)
        feed_fn = None
        if x is not None:
            input_fn, feed_fn = _fed(x, None, batch_size, False, 1)
        return self.answers(input_fn, feed_fn, outputs, as_iterable, iterate_batches)

    def answers(
        self,
        input_fn: Callable[..., Any],
        feed_fn: Any = None,
        outputs: Any = None,
        as_iterable: bool = True,
        iterate_batches: bool = False,
    ) -> Any:
        """Return predictions of what an input function gives, and what feeds it."""
        path = self._checkpoint()
        with framework.Graph().as_default() as graph:
            self._begin()
            given = input_fn()
            features = given[0] if isinstance(given, (list, tuple)) else given
            built = self._get_predict_ops(features)
            asked = asked_of(built.predictions, outputs)
            creator = scaffolds.ChiefSessionCreator(
                built.scaffold,
                config=self._session_config,
                checkpoint_filename_with_path=path,
            )
            queues = graph.get_collection(GraphKeys.QUEUE_RUNNERS)
            session = monitored.MonitoredSession(creator)
        once = not queues and feed_fn is None
        found = batches_of(session, asked, feed_fn, once)
        if as_iterable:
            return found if iterate_batches else rows_of(found)
        first = next(found, None)
        found.close()
        return first

    def get_variable_value(self, name: str) -> Any:
        """Return a variable's value in the newest checkpoint, a NumPy array."""
        return load_variable(self._model_dir, name)

    def get_variable_names(self) -> list[str]:
        """Return the names of the newest checkpoint's variables."""
        return [name for name, _ in list_variables(self._model_dir)]

    def export(self, *_: Any, **__: Any) -> Any:
        """Raise UnimplementedError: session bundles are not written."""
        raise UnimplementedError(
            "export wrote session bundles, which nothing reads any more: use export_savedmodel"
        )


def _fed(
    x: Any, y: Any, batch_size: int | None, shuffle: bool, epochs: int | None
) -> tuple[Any, Any]:
    """Return an input function, and one that feeds what it makes."""
    _check_inputs(x, y, None, None, batch_size)
    feeder = setup_train_data_feeder(x, y, None, batch_size, shuffle, epochs)
    return feeder.input_builder, feeder.get_feed_dict_fn()


class SKCompat(Parametrized):
    """An estimator as scikit-learn has them: of arrays."""

    def __init__(self, estimator: BaseEstimator) -> None:
        self._estimator = estimator

    def fit(
        self,
        x: Any,
        y: Any,
        batch_size: int | None = 128,
        steps: int | None = None,
        max_steps: int | None = None,
        monitors: Any = None,
    ) -> Self:
        """Train on rows in an order of chance, and return the object."""
        input_fn, feed_fn = _fed(x, y, batch_size, True, None)
        own = [FeedingHook(feed_fn), *(monitors or ())]
        self._estimator.fit(
            input_fn=input_fn, steps=steps, max_steps=max_steps, monitors=own
        )
        return self

    def score(
        self,
        x: Any,
        y: Any,
        batch_size: int | None = 128,
        steps: int | None = None,
        metrics: Any = None,
        name: str | None = None,
    ) -> dict[str, Any]:
        """Return the metrics, a dict."""
        input_fn, feed_fn = _fed(x, y, batch_size, False, 1)
        return self._estimator.judged(input_fn, steps, feed_fn, metrics, name)

    def predict(
        self, x: Any, batch_size: int | None = 128, outputs: Any = None
    ) -> Any:
        """Return the predictions for all rows: an array, or a dict of them."""
        input_fn, feed_fn = _fed(x, None, batch_size, False, 1)
        batches = list(
            self._estimator.answers(input_fn, feed_fn, outputs, iterate_batches=True)
        )
        if not isinstance(batches[0], dict):
            return np.concatenate(batches)
        return {
            key: np.concatenate([batch[key] for batch in batches])
            for key in batches[0]
        }
