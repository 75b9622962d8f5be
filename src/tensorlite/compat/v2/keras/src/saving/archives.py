"""Keras 3's files: `.weights.h5`, and `.keras` archives of a model's description and weights.

Weights lie where Keras 3 has them: under the attributes that lead to a layer, numbered. HDF5 is
h5py's, which is imported when such a file is first written or read.
"""

from __future__ import annotations

import importlib
import io
import json
import tempfile
import time
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tensorlite.compat.v2.keras.src.layers import naming, own_variables
from tensorlite.compat.v2.keras.src.layers.base import Layer
from tensorlite.compat.v2.keras.src.saving import describing
from tensorlite.core.errors import InvalidArgumentError, NotFoundError

_WEIGHTS = "model.weights.h5"
_ASSETS = "assets"
_SMALL = 2**26
"""Files of so many bytes may be packed as tightly as they like."""
_MOST_PACKED = 100
"""How many times larger than packed larger files are at the most."""


def hdf5() -> Any:
    """Return the module that reads and writes HDF5 files."""
    try:
        return importlib.import_module("h5py")
    except ImportError as error:
        raise InvalidArgumentError(
            ".keras and .h5 files are HDF5 files inside, for which h5py is needed: pip install "
            "'tensorlite[keras]'; a path without such an ending is a checkpoint of TensorFlow"
        ) from error


class _Part:
    """Variables that a layer names as a part of it."""

    def __init__(self, variables: list[Any], owner: str) -> None:
        self.variables, self.owner = variables, owner

    def save_own_variables(self, store: Any) -> None:
        own_variables.put(store, self.variables)

    def load_own_variables(self, store: Any) -> None:
        own_variables.taken(store, self.variables, self.owner)


def stored(root: Any) -> Iterator[tuple[str, Any]]:
    """Yield what is stored of a layer and of the layers in it, with the paths that Keras uses."""
    seen: set[int] = set()
    yield from _stored(root, "", seen)


def _stored(layer: Any, path: str, seen: set[int]) -> Iterator[tuple[str, Any]]:
    if id(layer) in seen:
        return
    seen.add(id(layer))
    parts = getattr(layer, "stored_parts", None)
    if parts is not None:
        for name, variables in parts().items():
            yield _joined(path, name), _Part(variables, path)
        return
    saves = type(layer).save_own_variables is not Layer.save_own_variables
    if saves or layer.own_weights() or hasattr(layer, "save_assets"):
        yield path, layer
    for name, member in _members(layer):
        if isinstance(member, Layer):
            yield from _stored(member, _joined(path, name), seen)
        else:
            yield from _listed(member, _joined(path, name), seen)


def _joined(path: str, name: str) -> str:
    return f"{path}/{name}" if path else name


def _members(layer: Any) -> Iterator[tuple[str, Any]]:
    """Yield the layers, and lists of them, among attributes, in Keras' order."""
    known = getattr(layer, "is_made_of_layers", False)
    if known:
        yield "layers", layer.layers
    found = {key: x for key, x in vars(layer).items() if key != "nodes"}
    if not known and hasattr(layer, "layers"):
        found["layers"] = layer.layers
    for name in sorted(found, key=lambda x: f"~{x}" if x.startswith("_") else x):
        if isinstance(found[name], (Layer, list, tuple, dict)) and not (
            known and name in {"_chain", "_functional_layers"}
        ):
            yield name, found[name]


def _listed(members: Any, path: str, seen: set[int]) -> Iterator[tuple[str, Any]]:
    names: dict[str, int] = {}
    for x in members.values() if isinstance(members, dict) else members:
        if not isinstance(x, Layer):
            continue
        name = naming.snake(type(x).__name__)
        names[name] = count = names.get(name, -1) + 1
        yield from _stored(
            x, f"{path}/{name}_{count}" if count else f"{path}/{name}", seen
        )


def _assets(model: Any) -> dict[str, bytes]:
    """Return the files that layers write beside their variables, by their paths in an archive."""
    made = {}
    for path, holder in stored(model):
        if not hasattr(holder, "save_assets"):
            continue
        with tempfile.TemporaryDirectory() as folder:
            holder.save_assets(folder)
            for file in Path(folder).rglob("*"):
                if file.is_file():
                    name = file.relative_to(folder).as_posix()
                    made[f"{_joined(_ASSETS, path)}/{name}"] = file.read_bytes()
    return made


def _check_size(member: zipfile.ZipInfo) -> None:
    """Refuse what is packed so tightly that it would fill the memory or the disk."""
    if member.file_size > max(_SMALL, _MOST_PACKED * member.compress_size):
        raise InvalidArgumentError(
            f"the archive says that {member.filename!r} has {member.file_size:,} bytes, packed "
            f"into {member.compress_size:,}: no file of Keras is packed so tightly"
        )


def _content(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return what a file of an archive holds, if its size is a likely one."""
    _check_size(archive.getinfo(name))
    return archive.read(name)


def _take_assets(model: Any, archive: zipfile.ZipFile) -> None:
    """Let layers read the files that they had written beside their variables."""
    for path, holder in stored(model):
        inside = f"{_joined(_ASSETS, path)}/"
        names = [x for x in archive.namelist() if x.startswith(inside)]
        if not names or not hasattr(holder, "load_assets"):
            continue
        for name in names:
            _check_size(archive.getinfo(name))
        with tempfile.TemporaryDirectory() as folder:
            archive.extractall(folder, names)  # which keeps to the folder
            holder.load_assets(str(Path(folder) / inside))


def _written(model: Any, optimizer: Any = None) -> bytes:
    """Return the HDF5 file of a model's weights."""
    buffer = io.BytesIO()
    with hdf5().File(buffer, "w") as file:
        for path, holder in stored(model):
            holder.save_own_variables(_store(file, path))
        if optimizer is not None:
            own_variables.put(_store(file, "optimizer"), list(optimizer.variables))
    return buffer.getvalue()


def _store(file: Any, path: str) -> own_variables.Store:
    return own_variables.Store(file, f"{path}/vars".lstrip("/"))


def _load(holder: Any, store: Any, skip_mismatch: bool) -> None:
    """Let a layer take what is stored of it; say so if that does not fit and may be left out."""
    try:
        holder.load_own_variables(store)
    except ValueError as error:
        if not skip_mismatch:
            raise
        name = getattr(holder, "name", "a part of a layer")
        warnings.warn(f"A layer ({name}) was not loaded: {error}", stacklevel=4)


def write_weights(model: Any, path: str) -> None:
    """Write a model's weights to a file."""
    optimizer = getattr(model, "optimizer", None)
    kept = optimizer if getattr(optimizer, "built", False) else None
    Path(path).write_bytes(_written(model, kept))


def read_weights(model: Any, path: str, skip_mismatch: bool = False) -> None:
    """Read a model's weights from a file, or from an archive with such a file.

    Layers whose variables have other shapes there keep theirs if `skip_mismatch` says so.
    """
    if not Path(path).exists():
        raise NotFoundError(f"{path}: there is no such file")
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            _read(model, io.BytesIO(_content(archive, _WEIGHTS)), skip_mismatch)
        return
    _read(model, io.BytesIO(Path(path).read_bytes()), skip_mismatch)


def _read(model: Any, source: Any, skip_mismatch: bool = False) -> None:
    with hdf5().File(source, "r") as file:
        if "layer_names" in file.attrs:
            raise InvalidArgumentError(
                "this is a file of Keras 2, which is not read; let Keras 3 load and save it"
            )
        known = list(stored(model))
        if not known and "layers" in file and not model.built:
            raise InvalidArgumentError(
                "the model has no weights yet: call it on data, or build it, before it reads them"
            )
        for path, holder in known:
            _load(holder, _store(file, path), skip_mismatch)
        optimizer = getattr(model, "optimizer", None)
        if optimizer is not None and "optimizer/vars" in file:
            optimizer.build(model.trainable_variables)
            if len(file["optimizer/vars"]) == len(list(optimizer.variables)):
                held = list(optimizer.variables)
                own_variables.taken(_store(file, "optimizer"), held, "the optimizer")


def write_model(model: Any, path: str) -> None:
    """Write a model's description and weights as an archive of Keras 3."""
    config = describing.description(model)
    compiled = None
    if hasattr(model, "get_compile_config"):
        compiled = model.get_compile_config()
        config["compile_config"] = describing.described(compiled)
    said = json.dumps(describing.plain(config))
    now = time.strftime("%Y-%m-%d@%H:%M:%S")
    written = _written(model, model.optimizer if compiled else None)
    with zipfile.ZipFile(path, "w") as archive:
        metadata = {"keras_version": "3.0.0", "date_saved": now}
        archive.writestr("metadata.json", json.dumps(metadata))
        archive.writestr("config.json", said)
        archive.writestr(_WEIGHTS, written)
        for name, content in _assets(model).items():
            archive.writestr(name, content)


def read_model(path: str, compile: bool = True) -> Any:
    """Return the model that an archive of Keras 3 describes, with its weights."""
    if not Path(path).exists():
        raise NotFoundError(f"{path}: there is no such file")
    with zipfile.ZipFile(path) as archive:
        config = json.loads(_content(archive, "config.json"))
        model = describing.restored(config)
        if compile and config.get("compile_config"):
            model.compile_from_config(config["compile_config"])
        _read(model, io.BytesIO(_content(archive, _WEIGHTS)))
        _take_assets(model, archive)
    return model
