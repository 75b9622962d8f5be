"""SavedModels of TensorFlow 1: graphs with signatures, and the values of their variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tensorlite.compat.shared.values import get_static_value
from tensorlite.compat.v1.graphs import metagraphs
from tensorlite.compat.v1.graphs.signatures import predict_signature_def
from tensorlite.compat.v1.training.saver import Saver, SaverDef
from tensorlite.core.check import a_path
from tensorlite.core.errors import (
    AssertionFailedError,
    InvalidArgumentError,
    NoSuchGraphError,
)
from tensorlite.graph_mode.graph import at_once
from tensorlite.graph_mode.sessions import Session
from tensorlite.interop.tensorflow.stored.kept_files import KeptFiles
from tensorlite.interop.tensorflow.stored.metagraphs import (
    SignatureInfo,
    meta_graph_of,
    signature_info,
    to_message,
)
from tensorlite.interop.tensorflow.stored.models import (
    Asset,
    asset_path,
    meta_graphs_of,
    saved_model_class,
)
from tensorlite.ops.strings.joining import as_text

MAIN_OP = "saved_model_main_op"


class Builder:
    """Writes a SavedModel: the values once, and a graph for each set of tags."""

    def __init__(self, export_dir: str | bytes) -> None:
        folder = Path(a_path(export_dir, "export_dir"))
        if folder.exists() and any(folder.iterdir()):
            raise AssertionFailedError(
                f"Export directory {folder} already exists, and isn't empty. Please choose a "
                "different export directory, or delete all the contents of the specified directory."
            )
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._proto = saved_model_class()(saved_model_schema_version=1)
        self._saved = False
        self._files = KeptFiles()

    def add_meta_graph_and_variables(
        self,
        sess: Session,
        tags: Sequence[str],
        signature_def_map: Mapping[str, Any] | None = None,
        assets_collection: Any = None,
        legacy_init_op: Any = None,
        clear_devices: bool = False,
        main_op: Any = None,
        strip_default_attrs: bool = False,
        saver: Any = None,
        assets_list: Any = None,
    ) -> None:
        """Add the session's graph by its tags, and write its variables.

        signature_def_map has signatures by name; main_op (or legacy_init_op) runs when it is
        loaded. The files that tensors of assets_collection (or assets_list) name are copied. A
        second call raises AssertionFailedError. strip_default_attrs has no effect.
        """
        if self._saved:
            raise AssertionFailedError(
                "Graph state including variables and assets has already been saved. Please invoke "
                "`add_meta_graph()` instead."
            )
        with sess.graph.as_default():
            chosen = saver or Saver(allow_empty=True)
            variables = self._folder / "variables"
            variables.mkdir(exist_ok=True)
            if chosen.saver_def is not None:
                chosen.save(
                    sess,
                    str(variables / "variables"),
                    write_meta_graph=False,
                    write_state=False,
                )
            self._saved = True
            self._add(
                tags,
                signature_def_map,
                main_op or legacy_init_op,
                clear_devices,
                chosen,
                assets_collection or assets_list or (),
            )

    def add_meta_graph(
        self,
        tags: Sequence[str],
        signature_def_map: Mapping[str, Any] | None = None,
        assets_collection: Any = None,
        legacy_init_op: Any = None,
        clear_devices: bool = False,
        main_op: Any = None,
        strip_default_attrs: bool = False,
        saver: Any = None,
        assets_list: Any = None,
    ) -> None:
        """Add a further graph by its tags; its variables are those that were written.

        Before add_meta_graph_and_variables AssertionFailedError is raised. The files that tensors
        of assets_collection (or assets_list) name are copied. strip_default_attrs has no effect.
        """
        if not self._saved:
            raise AssertionFailedError(
                "Graph state including variables and assets has not been saved yet. Please invoke "
                "`add_meta_graph_and_variables()` first."
            )
        chosen = saver or Saver(allow_empty=True)
        start, assets = (
            main_op or legacy_init_op,
            assets_collection or assets_list or (),
        )
        self._add(tags, signature_def_map, start, clear_devices, chosen, assets)

    def _add(
        self,
        tags: Sequence[str],
        signatures: Mapping[str, Any] | None,
        main_op: Any,
        clear_devices: bool,
        saver: Any,
        assets: Iterable[Any],
    ) -> None:
        proto = metagraphs.export_meta_graph(
            saver_def=saver.saver_def, clear_devices=clear_devices
        )
        meta = meta_graph_of(proto)
        meta.tags = list(tags)
        told = signatures or {}
        meta.signatures = {key: _checked(key, told[key]) for key in told}
        if main_op is not None:
            meta.collections[MAIN_OP] = [main_op.name]
        meta.assets = self._kept(assets)
        self._proto.meta_graphs.add().CopyFrom(to_message(meta))

    def _kept(self, paths: Iterable[Any]) -> dict[str, str]:
        """Copy the files that tensors name; return what they are called, by the tensors' names."""
        found = {}
        for x in paths:
            path = get_static_value(x)
            if path is None:
                raise InvalidArgumentError(
                    f"the path of a file that the model is to keep is not known: {x!r}"
                )
            with at_once():
                asset = Asset(as_text(np.asarray(path).item()))
                number = self._files.number(asset)
            found[x.name] = list(self._files.assets.values())[number]
        if found:
            (self._folder / "assets").mkdir(exist_ok=True)
            self._files.copy_to(self._folder / "assets")
        return found

    def save(self, as_text: bool = False) -> str:
        """Write saved_model.pb, or saved_model.pbtxt if as_text, and return its path."""
        path = self._folder / ("saved_model.pbtxt" if as_text else "saved_model.pb")
        data = (
            str(self._proto).encode() if as_text else self._proto.SerializeToString()
        )
        path.write_bytes(data)
        return str(path)


def _checked(key: str, signature: Any) -> SignatureInfo:
    """Return what a signature says; AssertionFailedError for tensors without names or dtypes."""
    for x in (*signature.inputs.values(), *signature.outputs.values()):
        if x.WhichOneof("encoding") is None or not x.dtype:
            raise AssertionFailedError(
                "All TensorInfo protos used in the SignatureDefs must have the name and dtype "
                f"fields set: the signature {key!r} has {x}"
            )
    return signature_info(signature)


SavedModelBuilder = Builder


def simple_save(
    session: Session,
    export_dir: str,
    inputs: Mapping[str, Any],
    outputs: Mapping[str, Any],
    legacy_init_op: Any = None,
) -> None:
    """Write a SavedModel for serving, with one signature of inputs and outputs by name."""
    builder = Builder(export_dir)
    signature = predict_signature_def(inputs, outputs)
    builder.add_meta_graph_and_variables(
        session, ["serve"], {"serving_default": signature}, main_op=legacy_init_op
    )
    builder.save()


def maybe_saved_model_directory(export_dir: str | bytes) -> bool:
    """Return whether the folder has a file of a SavedModel."""
    folder = Path(a_path(export_dir, "export_dir"))
    return any((folder / f"saved_model.{x}").is_file() for x in ("pb", "pbtxt"))


contains_saved_model = maybe_saved_model_directory


def load(
    sess: Session,
    tags: Sequence[str],
    export_dir: str | bytes,
    import_scope: str | None = None,
    **kwargs: Any,
) -> Any:
    """Read a graph and its values into a session; returns its MetaGraphDef."""
    folder = Path(a_path(export_dir, "export_dir"))
    found = meta_graphs_of(folder)
    fitting = [x for x in found if set(x.tags) == set(tags)]
    if len(fitting) != 1:
        there = "; ".join([", ".join(x.tags) for x in found])
        raise NoSuchGraphError(
            f"MetaGraphDef associated with tags {set(tags)} could not be found in SavedModel "
            f"{folder}: {len(fitting)} have these; its graphs' tags are: {there}"
        )
    (meta,) = fitting
    prefix = f"{import_scope}/" if import_scope else ""
    with sess.graph.as_default():
        metagraphs.import_meta_graph(
            to_message(meta), import_scope=import_scope, **kwargs
        )
        values = folder / "variables" / "variables"
        if meta.saver is not None and values.with_name("variables.index").exists():
            names = {
                name: f"{prefix}{getattr(meta.saver, name)}"
                for name in (
                    "filename_tensor_name",
                    "save_tensor_name",
                    "restore_op_name",
                )
            }
            saver = Saver(saver_def=SaverDef(**{**meta.saver._asdict(), **names}))
            saver.restore(sess, str(values))
        assets = {
            f"{prefix}{tensor}": asset_path(folder, file)
            for tensor, file in meta.assets.items()
        }
        for start in meta.starts():
            sess.run(f"{prefix}{start}", assets)
    return to_message(meta)
