"""SavedModels of version 1: graphs, whose variables a saver's nodes restore."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tensorlite.core import dtypes
from tensorlite.core.containers import Container, current_container
from tensorlite.core.dispatch import constant
from tensorlite.core.errors import GraphDefError
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.function.session import Session
from tensorlite.graph.manual import ManualGraph
from tensorlite.interop.tensorflow.reading import from_graphdef
from tensorlite.interop.tensorflow.stored.checkpoints import exists
from tensorlite.interop.tensorflow.stored.metagraphs import (
    START,
    MetaGraph,
    SignatureInfo,
    TensorInfo,
)
from tensorlite.interop.tensorflow.stored.models import SavedModel, asset_path
from tensorlite.interop.tensorflow.stored.traces import SignatureFunction
from tensorlite.interop.tensorflow.tensors import OF_DTYPE


class _Within(Session):
    """A session whose variables are its model's own."""

    def __init__(self, graph: ManualGraph) -> None:
        super().__init__(graph)
        self._container = Container()

    def run(self, fetches: Any, feed_dict: Mapping[Any, Any] | None = None) -> Any:
        """Return the values of fetches."""
        token = current_container.set(self._container)
        try:
            return super().run(fetches, feed_dict)
        finally:
            current_container.reset(token)


def graph_model(meta: MetaGraph, folder: Path) -> SavedModel:
    """Return a model of version 1: a graph, whose variables a saver restores."""
    model = SavedModel(meta, folder)
    texts = {_tensor(x): asset_path(folder, file) for x, file in meta.assets.items()}
    saver = meta.saver if exists(folder / "variables" / "variables") else None
    if saver is not None:
        prefix = os.fspath(folder / "variables" / "variables")
        texts[_tensor(saver.filename_tensor_name)] = prefix
    graph_def, assets = _given(meta.graph_def, texts)
    graph = from_graphdef(graph_def, source=str(folder))
    session = _Within(graph)
    model.graph, model.session = graph, session  # type: ignore[attr-defined]
    if saver is not None and saver.restore_op_name:
        session.run(saver.restore_op_name, assets)
    for start in meta.starts():
        session.run(start, assets)
    model.signatures = {
        name: _graph_signature(name, info, session, assets)
        for name, info in meta.signatures.items()
        if name != START
    }
    return model


def _tensor(name: str) -> str:
    return name if ":" in name else f"{name}:0"


def _given(graph_def: Any, texts: Mapping[str, str]) -> tuple[Any, dict[str, str]]:
    """Return a graph whose constants are these texts, and those texts that are to be fed."""
    made, feed = type(graph_def)(), dict(texts)
    made.CopyFrom(graph_def)
    for node in made.node:
        if node.op == "Const" and f"{node.name}:0" in feed:
            value = node.attr["value"].tensor
            value.Clear()
            value.dtype = OF_DTYPE[dtypes.string]
            value.string_val.append(os.fsencode(feed.pop(f"{node.name}:0")))
    return made, feed


def _graph_signature(
    name: str, info: SignatureInfo, session: Session, assets: Mapping[str, str]
) -> SignatureFunction:
    def run(given: dict[str, Tensor]) -> dict[str, Tensor]:
        feed = {info.inputs[x].name: y.numpy() for x, y in given.items()}
        fetched = session.run(
            {x: y.name for x, y in info.outputs.items()}, {**assets, **feed}
        )
        return {x: constant(y) for x, y in fetched.items()}

    specs = [
        {x: TensorSpec(y.shape, y.dtype) for x, y in side.items() if _is_dense(x, y)}
        for side in (info.inputs, info.outputs)
    ]
    return SignatureFunction(name, specs[0], specs[1], run)


def _is_dense(name: str, info: TensorInfo) -> bool:
    if info.sparse:
        raise GraphDefError(
            f"{name} is a sparse tensor; signatures of dense ones are supported"
        )
    return True
