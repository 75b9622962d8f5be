"""Configurations of models in which calls are lists of places: Keras 2's, to and from those here.

What they are here stands in graphs.py.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from tensorlite.compat.shared import nests
from tensorlite.compat.v2.keras.src.models import graphs
from tensorlite.core.errors import InvalidArgumentError


def of_version_1(config: dict[str, Any], order: list[Any]) -> dict[str, Any]:
    """Return a configuration in which calls are lists of places, as TensorFlow 1.15 has it."""
    places = {layer.name: i for i, layer in enumerate(order)}
    layers = [
        {
            **{key: one[key] for key in ("name", "class_name", "config")},
            "inbound_nodes": list(map(older_call, one["inbound_nodes"])),
        }
        for one in sorted(config["layers"], key=lambda x: places.get(x["name"], -1))
    ]
    made: dict[str, Any] = {"name": config["name"], "layers": layers}
    for key in ("input_layers", "output_layers"):
        places = config[key]
        is_one = isinstance(places, list) and isinstance(places[0], str)
        made[key] = [places] if is_one else places
    _count_what_models_are_made_of(made)
    return made


def _count_what_models_are_made_of(config: dict[str, Any]) -> None:
    """Let the calls of models inside be numbered from 1, as TensorFlow 1 numbers them."""
    inner = {x["name"] for x in config["layers"] if "layers" in x["config"]}
    nodes = [x for one in config["layers"] for x in one["inbound_nodes"]]
    outputs = config["output_layers"]
    listed = outputs if isinstance(outputs, list) else nests.flatten(outputs)
    for place in [*(x for node in nodes for x in node), *listed]:
        if isinstance(place, list) and place[0] in inner:
            place[1] += 1


def older_call(node: dict[str, Any]) -> list[Any]:
    """Return a call as a list of the places of its tensors, as Keras 2 describes it."""
    args = node["args"]
    first = args[0] if len(args) == 1 and isinstance(args[0], list) else args
    kwargs = {key: x for key, x in node["kwargs"].items() if x is not None}
    places = [graphs.place_of(x) for x in first]
    if None in places or any(map(graphs.mentions_tensors, kwargs.values())):
        raise InvalidArgumentError(
            "HDF5 files hold calls of layers on tensors alone; save the model as .keras"
        )
    return [[*place, kwargs] for place in places]


def newer(given: dict[str, Any]) -> dict[str, Any]:
    """Return a configuration with calls as they are described here, given one of any version."""
    config = {key: deepcopy(given[key]) for key in ("input_layers", "output_layers")}
    layers = [
        {**one, "inbound_nodes": deepcopy(one.get("inbound_nodes", []))}
        for one in given["layers"]
    ]
    config = {**given, **config, "layers": layers}
    _count_from_zero(config)
    for one in config["layers"]:
        nodes = one.get("inbound_nodes", [])
        if nodes and not isinstance(nodes[0], dict):
            one["inbound_nodes"] = [_newer_call(node) for node in nodes]
    for key in ("input_layers", "output_layers"):
        places = config[key]
        if (
            isinstance(places, list)
            and len(places) == 1
            and isinstance(places[0], list)
        ):
            config[key] = places[0]
    return config


def _count_from_zero(config: dict[str, Any]) -> None:
    """Number the calls of models in a model from 0; TensorFlow 1 counts what they are made of."""
    calls = {
        one["name"]: len(one.get("inbound_nodes", ())) for one in config["layers"]
    }
    places = [
        place
        for one in config["layers"]
        for node in one.get("inbound_nodes", ())
        if not isinstance(node, dict)
        for place in (node if isinstance(node[0], list) else [node])
    ]
    places += [x for x in config["output_layers"] if isinstance(x, list)]
    late = {name for name, i, *_ in places if calls[name] and i >= calls[name]}
    for place in places:
        if place[0] in late:
            place[1] -= 1


def _newer_call(node: Any) -> dict[str, Any]:
    places = node if isinstance(node[0], list) else [node]
    tensors = [graphs.place_named(place[:3]) for place in places]
    kwargs = dict(places[0][3]) if len(places[0]) > 3 else {}
    return {"args": tensors if len(tensors) == 1 else [tensors], "kwargs": kwargs}
