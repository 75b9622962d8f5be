"""tf.contrib.predictor: SavedModels as functions of dicts of arrays."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v1 import saved_model
from tensorlite.compat.v1.graphs.framework import Graph, Session
from tensorlite.core.check import a_path
from tensorlite.core.errors import InvalidArgumentError

__all__ = ["from_saved_model"]


class Predictor:
    """Feeds what a signature asks for, and returns what it gives; calling one runs it once."""

    def __init__(
        self,
        session: Any,
        feed_tensors: dict[str, Any],
        fetch_tensors: dict[str, Any],
    ) -> None:
        self.session = session
        self.feed_tensors, self.fetch_tensors = feed_tensors, fetch_tensors

    @property
    def graph(self) -> Any:
        """The graph that the predictor runs."""
        return self.session.graph

    def __call__(self, input_dict: dict[str, Any]) -> dict[str, Any]:
        unknown = sorted(set(input_dict) - set(self.feed_tensors))
        if unknown:
            raise InvalidArgumentError(
                f"Got unexpected keys in input_dict: {unknown}; expected: "
                f"{sorted(self.feed_tensors)}"
            )
        feeds = {self.feed_tensors[name]: x for name, x in input_dict.items()}
        found: dict[str, Any] = self.session.run(self.fetch_tensors, feeds)
        return found

    def __repr__(self) -> str:
        return (
            f"SavedModelPredictor with feed tensors {self.feed_tensors} and fetch_tensors "
            f"{self.fetch_tensors}"
        )


def from_saved_model(
    export_dir: Any,
    signature_def_key: str | None = None,
    signature_def: Any = None,
    input_names: dict[str, str] | None = None,
    output_names: dict[str, str] | None = None,
    tags: Any = None,
    graph: Any = None,
    config: Any = None,
) -> Predictor:
    """Return the function of a SavedModel that a signature or names of tensors tell of."""
    of = Graph() if graph is None else graph
    session = Session(graph=of, config=config)
    chosen = (
        ["serve"]
        if tags is None
        else tags.split(",")
        if isinstance(tags, str)
        else tags
    )
    with of.as_default():
        model = saved_model.loader.load(
            session, chosen, a_path(export_dir, "export_dir")
        )
    if input_names is None or output_names is None:
        told = signature_def or _signature(model, signature_def_key)
        input_names = {name: x.name for name, x in told.inputs.items()}
        output_names = {name: x.name for name, x in told.outputs.items()}
    feeds = {k: of.get_tensor_by_name(name) for k, name in input_names.items()}
    fetches = {k: of.get_tensor_by_name(name) for k, name in output_names.items()}
    return Predictor(session, feeds, fetches)


def _signature(model: Any, key: str | None) -> Any:
    name = key or "serving_default"
    if name not in model.signature_def:
        raise InvalidArgumentError(
            f'Got signature_def_key "{name}". Available signatures are '
            f"{sorted(model.signature_def)}"
        )
    return model.signature_def[name]


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    raise attribute_error(__name__, name, __all__)
