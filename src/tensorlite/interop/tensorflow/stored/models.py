"""What a SavedModel becomes: its signatures, its objects, and the files that it lies in."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from tensorlite.core.dispatch import to_tensor
from tensorlite.core.dtypes import string
from tensorlite.core.errors import GraphDefError, NotFoundError
from tensorlite.core.tensor import Tensor
from tensorlite.interop.tensorflow.messages import message, parsed
from tensorlite.interop.tensorflow.stored.metagraphs import MetaGraph, meta_graph_of
from tensorlite.train.module import Module


class _Restored(Module):
    """An object with attributes of any names, also those that its class has for something else."""

    @property
    def variables(self) -> Any:
        """What the object had as `variables`; else all variables in its attributes."""
        found = vars(self).get("variables")
        return super().variables if found is None else found

    @property
    def trainable_variables(self) -> Any:
        """What the object had as `trainable_variables`; else those in its attributes."""
        found = vars(self).get("trainable_variables")
        return super().trainable_variables if found is None else found

    @property
    def submodules(self) -> Any:
        """What the object had as `submodules`; else the modules in its attributes."""
        found = vars(self).get("submodules")
        return super().submodules if found is None else found


class SavedModel(_Restored):
    """A SavedModel: what its objects are called is attributes, and its signatures are functions.

    `load_saved_model` makes it.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> double = tl.function(lambda x: 2.0 * x, input_signature=[tl.TensorSpec((None,))])
    >>> tl.interop.tensorflow.save_saved_model(double, folder)
    >>> model = tl.interop.tensorflow.load_saved_model(folder)
    >>> sorted(model.signatures)
    ['serving_default']
    """

    __call__: Callable[..., Any]
    """Where the model had a function of this name."""

    def __init__(self, meta: MetaGraph, path: Path) -> None:
        self.signatures: Mapping[str, Callable[..., dict[str, Tensor]]] = {}
        self.meta_graph = meta
        self._folder = path

    def __repr__(self) -> str:
        return f"<SavedModel {self._folder}, signatures {sorted(self.signatures)}>"


class RestoredObject(_Restored):
    """An object of a SavedModel whose class is not known: its attributes."""


class _Called(_Restored):
    """An object that had a function as `__call__`."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function that the object had as `__call__`."""
        return vars(self)["__call__"](*args, **kwargs)


class CallableModel(_Called, SavedModel):
    """A SavedModel that can be called."""


class CallableObject(_Called, RestoredObject):
    """An object of a SavedModel that can be called."""


class Asset:
    """A file that belongs to a model: SavedModels have a copy of it.

    >>> asset = tl.interop.tensorflow.stored.models.Asset("words.txt")
    >>> print(asset.asset_path.dtype, asset.asset_path.shape)
    tl.string ()
    """

    def __init__(self, path: Any) -> None:
        is_path = isinstance(path, os.PathLike)
        self._path = to_tensor(os.fspath(path) if is_path else path, string)

    @property
    def asset_path(self) -> Tensor:
        """Where the file is."""
        return self._path

    def __repr__(self) -> str:
        return f"Asset({self._path.numpy()!r})"


def meta_graphs_of(path: str | Path) -> list[MetaGraph]:
    """Return all graphs of a SavedModel; NotFoundError when there is none."""
    folder = Path(path)
    for name in ("saved_model.pb", "saved_model.pbtxt"):
        file = folder / name
        if file.is_file():
            data = file.read_bytes()
            text = data.decode(errors="replace") if name.endswith("txt") else None
            try:
                proto = parsed(data if text is None else text, saved_model_class())
                return [meta_graph_of(x) for x in proto.meta_graphs]
            except GraphDefError as error:
                raise GraphDefError(f"{file} is damaged: {error}") from None
    raise NotFoundError(
        f"no SavedModel at {folder}: there is no saved_model.pb and no saved_model.pbtxt"
    )


@cache
def saved_model_class() -> Any:
    """Return the class of a SavedModel message, which no package has: it is built here."""
    kinds = import_module("google.protobuf.descriptor_pb2")
    known = message("MetaGraphDef").DESCRIPTOR
    file = kinds.FileDescriptorProto(
        name="tensorlite/saved_model.proto",
        package="tensorlite",
        dependency=[known.file.name],
        syntax="proto3",
    )
    made = file.message_type.add(name="SavedModel")
    made.field.add(name="saved_model_schema_version", number=1, type=3, label=1)
    name = f".{known.full_name}"
    made.field.add(name="meta_graphs", number=2, type=11, label=3, type_name=name)
    pool = import_module("google.protobuf.descriptor_pool").Default()
    pool.AddSerializedFile(file.SerializeToString())
    found = pool.FindMessageTypeByName("tensorlite.SavedModel")
    return import_module("google.protobuf.message_factory").GetMessageClass(found)


def asset_path(folder: Path, name: str) -> str:
    """Return the path of a file that belongs to a model; GraphDefError if it would lie outside."""
    path = (folder / "assets" / name).resolve()
    if not path.is_relative_to((folder / "assets").resolve()):
        raise GraphDefError(
            f"the file {name!r} of the SavedModel {folder} lies outside of it"
        )
    return os.fspath(path)
