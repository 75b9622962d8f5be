"""Saver: what saves a graph's variables to TensorFlow's checkpoints, and restores them.

Its nodes, and which checkpoints it keeps, are in interop/tensorflow/stored/savers.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from tensorlite.compat.shared import logging
from tensorlite.compat.shared.gfile import local_text
from tensorlite.compat.v1.graphs import metagraphs, scopes
from tensorlite.compat.v1.training.saveables import (
    BaseSaverBuilder as BaseSaverBuilder,
    saved_as_told,
)
from tensorlite.core.errors import (
    FailedPreconditionError,
    InvalidArgumentError,
    MissingOperatorError,
    NotFoundError,
)
from tensorlite.graph_mode.graph import active_graph, get_default_graph
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.graph_mode.sessions import Session
from tensorlite.interop.tensorflow.stored import checkpoints
from tensorlite.interop.tensorflow.stored.metagraphs import SaverInfo
from tensorlite.interop.tensorflow.stored.objects import keys_by_full_name
from tensorlite.interop.tensorflow.stored.savers import (
    Kept,
    Saveable,
    changed_at,
    saveables,
    saver_nodes,
)


@dataclass
class SaverDef:
    """The names of the nodes of a saver, and how many checkpoints it keeps."""

    filename_tensor_name: str = ""
    save_tensor_name: str = ""
    restore_op_name: str = ""
    max_to_keep: int = 5
    keep_checkpoint_every_n_hours: float = 10000.0
    sharded: bool = False
    version: int = 2

    LEGACY, V1, V2 = 0, 1, 2


class Saver:
    """Saves variables, and restores them."""

    def __init__(
        self,
        var_list: Any = None,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: bool = False,
        saver_def: SaverDef | None = None,
        builder: Any = None,
        defer_build: bool = False,
        allow_empty: bool = False,
        write_version: int = SaverDef.V2,
        pad_step_number: bool = False,
        save_relative_paths: bool = False,
        filename: str | None = None,
    ) -> None:
        if defer_build and var_list is not None:
            raise InvalidArgumentError(
                "If `var_list` is provided then build cannot be deferred. Either set "
                "defer_build=False or var_list=None."
            )
        self._var_list, self._reshape, self._name = var_list, reshape, name
        count, hours = max_to_keep or 0, keep_checkpoint_every_n_hours
        if saver_def is not None:  # which says all that it was made with
            count, hours = (
                saver_def.max_to_keep,
                saver_def.keep_checkpoint_every_n_hours,
            )
            write_version = saver_def.version
        self._kept = Kept(count, hours, save_relative_paths)
        self._allow_empty, self._write_version = allow_empty, write_version
        self._pad_step_number = pad_step_number
        self._filename, self._sharded = filename or "model", sharded
        self.saver_def = saver_def
        self._saveables: list[Saveable] = []
        self._saving = Lock()
        self._is_built = saver_def is not None
        if not defer_build and (saver_def is None or active_graph() is None):
            self.build()

    def build(self) -> None:
        if self.saver_def is not None:
            return
        self._is_built = True
        # Kept as listed: programs read what is saved of `saver._var_list`.
        self._var_list = _listed(self._var_list)
        self._saveables = list(saveables(saved_as_told(self._var_list)))
        if not self._saveables:
            if self._allow_empty:
                return
            raise InvalidArgumentError("No variables to save")
        if active_graph() is not None:
            self.saver_def = self._nodes()

    def _nodes(self) -> SaverDef:
        names = saver_nodes(
            self._saveables,
            self._filename,
            self._name,
            reshaped=self._reshape,
            sharded=self._sharded,
            version=self._write_version,
        )
        kept = self._kept
        return SaverDef(
            *names, kept.count, kept.hours, self._sharded, self._write_version
        )

    def save(
        self,
        sess: Session | None,
        save_path: str,
        global_step: Any = None,
        latest_filename: str | None = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        write_state: bool = True,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> str | None:
        """Write a checkpoint and return its prefix: save_path, a dash and global_step if given.

        The graph is written beside it (.meta), and the file "checkpoint" tells which is the newest,
        unless told otherwise; the oldest ones are removed. save_debug_info has no effect.
        """
        latest = "checkpoint" if latest_filename is None else latest_filename
        # One at a time: a thread that saves every so often and began before the last step
        # would otherwise make its older checkpoint the latest, or write the same files.
        with self._saving:
            self._check_built()
            path = self._path(sess, save_path, global_step, latest)
            if not self._is_empty:
                path = self._write(sess, path)
                if write_state:
                    self._kept.add(path, latest)
            if write_meta_graph and sess is not None:
                described = f"{path}.{meta_graph_suffix}"
                self._describe(sess, described, strip_default_attrs)
        return None if self._is_empty else path

    @property
    def _is_empty(self) -> bool:
        """Whether there is nothing to save."""
        return not self._saveables and self.saver_def is None

    def _check_built(self) -> None:
        if not self._is_built:
            raise FailedPreconditionError(
                "`build()` should be called before save if defer_build==True"
            )

    def _path(
        self, sess: Session | None, save_path: str, step: Any, latest: str
    ) -> str:
        """Return where to save; its last folder is made."""
        path = self._numbered(sess, local_text(save_path), step)
        if Path(path).name == latest:
            raise InvalidArgumentError(
                f"'latest_filename' collides with 'save_path': {latest!r} and {save_path!r}"
            )
        folder = Path(path).parent
        try:
            # TensorFlow makes the last folder, but no others.
            folder.mkdir(exist_ok=True)
        except OSError as error:
            raise InvalidArgumentError(
                f"Parent directory of {save_path} doesn't exist, can't save."
            ) from error
        return path

    def _numbered(self, sess: Session | None, path: str, global_step: Any) -> str:
        if global_step is None:
            return path
        if not isinstance(global_step, (int, np.integer)):
            value = sess.run(global_step) if sess is not None else global_step.numpy()
            global_step = int(np.asarray(value).item())
        number = f"{global_step:08d}" if self._pad_step_number else str(global_step)
        return f"{path}-{number}"

    def _write(self, sess: Session | None, path: str) -> str:
        if sess is None or self.saver_def is None:
            values = {x.name: np.asarray(x.variable.numpy()) for x in self._saveables}
            checkpoints.save_checkpoint(path, values)
            return path
        names = self.saver_def
        found = sess.run(names.save_tensor_name, {names.filename_tensor_name: path})
        return found.decode() if isinstance(found, bytes) else str(found)

    def _describe(self, sess: Session, path: str, stripped: bool) -> None:
        """Write the meta graph, if TensorFlow has all operators of the graph."""
        try:
            with sess.graph.as_default():
                self.export_meta_graph(path, strip_default_attrs=stripped)
        except MissingOperatorError as error:
            logging.warning("%s is not written: %s", path, error)

    def restore(self, sess: Session | None, save_path: str) -> None:
        """Give the variables the values of a checkpoint, by its prefix.

        A path that is None, or that of no checkpoint, raises InvalidArgumentError.
        """
        self._check_built()
        if self._is_empty:
            return
        if save_path is None:
            raise InvalidArgumentError("Can't load save_path when it is None.")
        path = local_text(save_path)
        if not checkpoints.exists(path):
            raise InvalidArgumentError(
                f"The passed save_path is not a valid checkpoint: {path}"
            )
        if sess is None or self.saver_def is None:
            reader = checkpoints.load_checkpoint(path)
            for x in self._saveables:
                x.variable.assign(reader[x.name])
            return
        names = self.saver_def
        try:
            sess.run(names.restore_op_name, {names.filename_tensor_name: path})
        except NotFoundError:
            if not self._is_given_by_objects(sess, path):
                raise

    def _is_given_by_objects(self, sess: Session, path: str) -> bool:
        """Return whether a checkpoint of objects has all variables, which it then gives them."""
        reader = checkpoints.load_checkpoint(path)
        keys = keys_by_full_name(reader)
        saved = self._saveables
        if not saved or any(x.name not in keys or x.slice_spec for x in saved):
            return False
        logging.warning(
            "Restoring an object-based checkpoint using a name-based saver. This may be somewhat "
            "fragile. Instead, consider loading object-based "
            "checkpoints using tf.train.Checkpoint()."
        )
        for x in saved:
            x.variable.load(reader[keys[x.name]], sess)
        return True

    @property
    def last_checkpoints(self) -> list[str]:
        """Prefixes of the checkpoints that are kept, the oldest first."""
        return self._kept.paths

    def set_last_checkpoints(self, last_checkpoints: Sequence[str]) -> None:
        """Say which checkpoints are there, the oldest first."""
        self._kept.last = [(path, np.inf) for path in last_checkpoints]

    def set_last_checkpoints_with_time(
        self, pairs: Sequence[tuple[str, float]]
    ) -> None:
        """Say which checkpoints are there, and when they were written, the oldest first."""
        self._kept.last = list(pairs)

    def recover_last_checkpoints(self, checkpoint_paths: Iterable[str]) -> None:
        """Say which checkpoints are there; their times are those of their files."""
        self._kept.recover(checkpoint_paths)

    def as_saver_def(self) -> SaverDef | None:
        """Return the names of the graph's nodes that save and restore."""
        return self.saver_def

    def to_proto(self, export_scope: str | None = None) -> SaverDef | None:
        """Return the names of the graph's nodes that save and restore.

        export_scope has no effect.
        """
        return self.saver_def

    @staticmethod
    def from_proto(saver_def: SaverDef, import_scope: str | None = None) -> Saver:
        """Return the Saver of a SaverDef."""
        return Saver(saver_def=saver_def, name=import_scope)

    def export_meta_graph(
        self, filename: str | None = None, collection_list: Any = None, **kwargs: Any
    ) -> Any:
        """Return the graph, its collections and this saver as a MetaGraphDef.

        It is written to a file if named.
        """
        return metagraphs.export_meta_graph(
            filename=filename,
            collection_list=collection_list,
            saver_def=self.saver_def,
            **kwargs,
        )


def _listed(var_list: Any) -> Any:
    if var_list is not None:
        return var_list
    extra = get_default_graph().get_collection(GraphKeys.SAVEABLE_OBJECTS)
    return [*scopes.global_variables(), *extra]


def get_checkpoint_mtimes(checkpoint_prefixes: Iterable[str]) -> list[float]:
    """Return when checkpoints were written, in seconds; those that are not there are left out."""
    times = [changed_at(prefix) for prefix in checkpoint_prefixes]
    return [time for time in times if time]


def meta_graph_filename(
    checkpoint_filename: str, meta_graph_suffix: str = "meta"
) -> str:
    """Return the path of the graph that Saver.save writes beside a checkpoint."""
    shard = re.search(r"-[\d?]+-of-\d+$", checkpoint_filename)
    bare = checkpoint_filename[: shard.start()] if shard else checkpoint_filename
    return f"{bare}.{meta_graph_suffix}"


def remove_checkpoint(
    checkpoint_prefix: str,
    checkpoint_format_version: int = SaverDef.V2,
    meta_graph_suffix: str = "meta",
) -> None:
    """Delete the files of a checkpoint of either format, and the graph beside it."""
    prefix = local_text(checkpoint_prefix)
    checkpoints.remove(prefix)
    Path(meta_graph_filename(prefix, meta_graph_suffix)).unlink(missing_ok=True)


def import_meta_graph(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    import_scope: str | None = None,
    **kwargs: Any,
) -> Saver | None:
    """Add a meta graph to the default graph and return its Saver, None without variables.

    The file is that which Saver.save writes beside a checkpoint (.meta).
    """
    meta, prefix = metagraphs.import_meta_graph(
        meta_graph_or_file, clear_devices, import_scope, **kwargs
    )
    graph = get_default_graph()
    for said in meta.collections.get(GraphKeys.SAVERS, ()):
        if isinstance(said, SaverInfo):
            graph.add_to_collection(GraphKeys.SAVERS, _restoring(said, prefix))
    if meta.saver is None or not meta.saver.save_tensor_name:
        return Saver() if scopes.global_variables(import_scope) else None
    return _restoring(meta.saver, prefix)


def _restoring(said: SaverInfo, prefix: str) -> Saver:
    """Return the Saver of nodes that were read, whose names begin with a prefix now."""
    names = {
        name: f"{prefix}{getattr(said, name)}"
        for name in ("filename_tensor_name", "save_tensor_name", "restore_op_name")
    }
    return Saver(saver_def=SaverDef(**{**said._asdict(), **names}))
