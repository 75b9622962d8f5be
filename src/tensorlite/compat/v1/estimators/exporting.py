"""Estimators as SavedModels, and who exports them while they are trained."""

from __future__ import annotations

import shutil
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tensorlite.compat.v1.estimators.receivers import outputs_of, signatures
from tensorlite.compat.v1.estimators.specs import ModeKeys
from tensorlite.compat.v1.graphs import framework, saved_models
from tensorlite.compat.v1.training import averages, saver
from tensorlite.compat.v1.training.scaffolds import Scaffold
from tensorlite.core.errors import AbortedError, InvalidArgumentError
from tensorlite.train.summaries.event_file import read_events

_PATIENCE = 10


def timestamped(base: Any) -> Path:
    """Return a folder that is not there, called by the time."""
    for _ in range(_PATIENCE):
        found = Path(base) / str(int(time.time()))
        if not found.exists():
            return found
        time.sleep(1)
    raise AbortedError(f"Failed to obtain a unique export directory name in {base}.")


def exported(
    estimator: Any,
    base: Any,
    receiver_fn: Callable[[], Any],
    extra: Mapping[str, Any] | None,
    as_text: bool,
    checkpoint: str,
) -> bytes:
    """Write what an estimator answers with to a folder of its own, and return the folder."""
    folder = timestamped(base)
    hidden = folder.with_name(f"temp-{folder.name}")
    with framework.Graph().as_default():
        averages.get_or_create_global_step()
        receiver = receiver_fn()
        spec = estimator.built_with(receiver.features, None, ModeKeys.PREDICT)
        outputs = outputs_of(spec.export_outputs, spec.predictions)
        scaffold = spec.scaffold
        own = getattr(scaffold, "saver", None) or saver.Saver(allow_empty=True)
        begins = getattr(scaffold, "local_init_op", None)
        main = Scaffold.default_local_init_op() if begins is None else begins
        builder = saved_models.Builder(str(hidden))
        with framework.Session() as session:
            own.restore(session, checkpoint)
            builder.add_meta_graph_and_variables(
                session,
                ["serve"],
                signatures(receiver, outputs),
                main_op=main,
                saver=own,
            )
        builder.save(as_text)
    for inside, source in (extra or {}).items():
        target = hidden / "assets.extra" / inside
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    hidden.rename(folder)
    return str(folder).encode()


class Exporter(ABC):
    """Exports a model while it is trained."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The folder of its exports, inside the estimator's `export`."""

    @abstractmethod
    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: Any,
        is_the_final_export: bool,
    ) -> Any:
        """Export, or not; return the folder if so."""


class _ToFolders(Exporter):
    """Exports each time it is asked to."""

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: Callable[[], Any],
        assets_extra: Mapping[str, Any] | None = None,
        as_text: bool = False,
    ) -> None:
        self._name, self._receiver_fn = name, serving_input_receiver_fn
        self._extra, self._as_text = assets_extra, as_text

    @property
    def name(self) -> str:
        return self._name

    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: Any,
        is_the_final_export: bool,
    ) -> Any:
        return estimator.export_saved_model(
            export_path,
            self._receiver_fn,
            self._extra,
            self._as_text,
            checkpoint_path,
        )


class FinalExporter(_ToFolders):
    """Exports the model when its training has ended."""

    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: Any,
        is_the_final_export: bool,
    ) -> Any:
        """Export the model if this is the last time, and return the path, else None."""
        if not is_the_final_export:
            return None
        given = (export_path, checkpoint_path, eval_result, is_the_final_export)
        return super().export(estimator, *given)


class _Keeping(_ToFolders):
    """Keeps the newest exports, and removes others."""

    def __init__(
        self, name: str, receiver_fn: Any, extra: Any, as_text: bool, keep: int | None
    ) -> None:
        if keep is not None and keep <= 0:
            raise InvalidArgumentError(
                f"`exports_to_keep`, if provided, must be positive number. Got {keep}"
            )
        super().__init__(name, receiver_fn, extra, as_text)
        self._keep = keep

    def _sweep(self, path: str) -> None:
        if self._keep is None:
            return
        numbered = [x for x in Path(path).iterdir() if x.name.isdigit()]
        for old in sorted(numbered, key=lambda x: int(x.name))[: -self._keep]:
            shutil.rmtree(old)


class LatestExporter(_Keeping):
    """Exports each model that is judged."""

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: Callable[[], Any],
        assets_extra: Mapping[str, Any] | None = None,
        as_text: bool = False,
        exports_to_keep: int | None = 5,
    ) -> None:
        super().__init__(
            name, serving_input_receiver_fn, assets_extra, as_text, exports_to_keep
        )

    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: Any,
        is_the_final_export: bool,
    ) -> Any:
        """Export the model, remove the oldest exports, and return the path."""
        given = (export_path, checkpoint_path, eval_result, is_the_final_export)
        made = super().export(estimator, *given)
        self._sweep(export_path)
        return made


def loss_smaller(best_eval_result: Any, current_eval_result: Any) -> bool:
    """Return whether the loss is smaller than it has been."""
    return bool(current_eval_result["loss"] < best_eval_result["loss"])


class BestExporter(_Keeping):
    """Exports each model that is better than those before."""

    def __init__(
        self,
        name: str = "best_exporter",
        serving_input_receiver_fn: Any = None,
        event_file_pattern: str | None = "eval/*.tfevents.*",
        compare_fn: Callable[..., bool] = loss_smaller,
        assets_extra: Mapping[str, Any] | None = None,
        as_text: bool = False,
        exports_to_keep: int | None = 5,
    ) -> None:
        super().__init__(
            name, serving_input_receiver_fn, assets_extra, as_text, exports_to_keep
        )
        self._compare, self._pattern = compare_fn, event_file_pattern
        self._folder: str | None = None
        self._best: Mapping[str, Any] | None = None

    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: Any,
        is_the_final_export: bool,
    ) -> Any:
        """Export the model if compare_fn calls it better, and return the path, else None."""
        if self._folder != estimator.model_dir and self._pattern:
            self._folder = estimator.model_dir
            self._best = self._best_of_files(estimator.model_dir, eval_result)
        if self._best is not None and not self._compare(
            best_eval_result=self._best, current_eval_result=eval_result
        ):
            return None
        self._best = eval_result
        given = (export_path, checkpoint_path, eval_result, is_the_final_export)
        made = super().export(estimator, *given)
        self._sweep(export_path)
        return made

    def _best_of_files(self, folder: str, now: Mapping[str, Any]) -> Any:
        """Return the best of what was judged before this evaluation."""
        best: dict[str, Any] | None = None
        for path in sorted(Path(folder).glob(str(self._pattern))):
            for event in read_events(str(path)):
                found = {x.tag: x.simple_value for x in event.summary.value}
                if "loss" not in found or event.step >= int(
                    now.get("global_step", 0)
                ):
                    continue
                if best is None or self._compare(
                    best_eval_result=best, current_eval_result=found
                ):
                    best = found
        return best
