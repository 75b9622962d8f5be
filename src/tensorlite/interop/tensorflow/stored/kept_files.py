"""Files that belong to a SavedModel: what they are called in it, and their copies.

How objects and functions are written is saving.py's.
"""

from __future__ import annotations

from pathlib import Path
from shutil import copyfile

from tensorlite.core.dtypes import string
from tensorlite.core.errors import NotFoundError
from tensorlite.core.spec import TensorSpec
from tensorlite.graph.graph import Node, Placeholder, SymbolicTensor
from tensorlite.graph.manual import ManualGraph
from tensorlite.interop.tensorflow.stored.models import Asset
from tensorlite.ops.state.resource import (
    AssignVariableOp,
    ReadVariableOp,
    VarHandleOp,
)
from tensorlite.ops.strings.joining import as_text


class KeptFiles:
    """The files of a SavedModel while it is written, each of which has a name of its own."""

    def __init__(self) -> None:
        self._names: dict[Path, str] = {}
        self._told: dict[str, str] = {}

    def number(self, asset: Asset) -> int:
        """Return the number of a file; NotFoundError where there is none."""
        path = Path(as_text(asset.asset_path.item())).absolute()
        if path not in self._names:
            if not path.is_file():
                raise NotFoundError(
                    f"there is no file {path} that the model could keep: {asset!r}"
                )
            self._names[path] = self._free(path.name)
            self._told[f"asset_path_{len(self._told)}:0"] = self._names[path]
        return list(self._names).index(path)

    def _free(self, name: str) -> str:
        count, found = 0, name
        while found in self._names.values():
            count += 1
            found = f"{name}_{count}"
        return found

    @property
    def assets(self) -> dict[str, str]:
        """The names of the files, by those of the tensors that TensorFlow 1 gives their paths."""
        return dict(self._told)

    def path(self, graph: ManualGraph, number: int) -> tuple[SymbolicTensor, Node]:
        """Return the path of a file as a tensor, and what gives it when the graph begins."""
        spec, name = TensorSpec((), string), f"asset_path_{number}"
        given = graph.append(Placeholder(spec), (), name, ())
        kept = graph.append(VarHandleOp(spec, shared_name=name), (), f"{name}/kept")
        inputs = (*kept.outputs, *given.outputs)
        start = graph.append(AssignVariableOp(), inputs, f"{name}/start")
        read = graph.append(ReadVariableOp(), kept.outputs, f"{name}/read")
        return read.outputs[0], start

    def copy_to(self, folder: Path) -> None:
        """Copy all files into a folder, those that are not there already."""
        for path, name in self._names.items():
            place = folder / name
            if not (place.exists() and place.samefile(path)):
                copyfile(path, place)
