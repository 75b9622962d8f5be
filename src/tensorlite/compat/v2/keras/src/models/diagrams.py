"""Pictures of models: boxes for layers, arrows for what goes from one to the next.

Boxes and arrows are told here; pydot makes a graph of them, and Graphviz draws it.
"""

from __future__ import annotations

import html
import importlib
from pathlib import Path
from typing import Any, NamedTuple

from tensorlite.compat.shared import nests
from tensorlite.compat.v2.keras.models import Sequential
from tensorlite.compat.v2.keras.src.models.base import Functional
from tensorlite.core import nest
from tensorlite.core.errors import InvalidArgumentError


class Wanted(NamedTuple):
    """What boxes tell beside the kind of layer."""

    shapes: bool = False
    dtype: bool = False
    names: bool = True
    activations: bool = False
    trainable: bool = False


def layers_of(model: Any) -> list[Any]:
    """Return the layers that have boxes, what a model is given among them."""
    if isinstance(model, Sequential):
        return list(model.layers)
    if not isinstance(model, Functional):
        return [model]
    return list(model.layers)


def arrows(model: Any) -> list[tuple[Any, Any]]:
    """Return the pairs of layers of which the second takes what the first makes."""
    if isinstance(model, Sequential):
        return list(zip(model.layers, model.layers[1:], strict=False))
    if not isinstance(model, Functional):
        return []
    found = {}
    for node in model.calls:
        for x in node.parents():
            pair = (x.node.layer, node.layer)
            if pair[0] is not None:
                found[id(pair[0]), id(pair[1])] = pair
    return list(found.values())


def label(layer: Any, wanted: Wanted) -> str:
    """Return what a box says, as a table in Graphviz' form of HTML."""
    kind = html.escape(type(layer).__name__)
    title = f"<b>{html.escape(layer.name)}</b> ({kind})"
    cells = [cell for cell in _cells(layer, wanted) if cell]
    rows = [
        _row(
            _cell(title if wanted.names else f"<b>{kind}</b>", "black", "white"),
            len(cells),
        )
    ]
    activation = getattr(layer, "activation", None)
    if wanted.activations and activation is not None:
        name = getattr(activation, "__name__", type(activation).__name__)
        rows.append(_row(_cell(f"Activation: <b>{name}</b>"), len(cells)))
    if cells:
        rows.append(f"<tr>{''.join(cells)}</tr>")
    form = 'border="0" cellborder="1" bgcolor="black" cellpadding="10"'
    return f"<<table {form}>{''.join(rows)}</table>>"


def _cells(layer: Any, wanted: Wanted) -> list[str]:
    given, made = _told(layer, "input"), _told(layer, "output")
    cells = []
    if wanted.shapes:
        if type(layer).__name__ != "InputLayer":
            cells.append(_cell(f"Input shape: <b>{_each(given, 'shape')}</b>"))
        cells.append(_cell(f"Output shape: <b>{_each(made, 'shape')}</b>"))
    if wanted.dtype:
        cells.append(_cell(f"Output dtype: <b>{_each(made, 'dtype')}</b>"))
    if wanted.trainable and getattr(layer, "weights", None):
        learns = layer.trainable
        cells.append(
            _cell(
                f"<b>{'Trainable' if learns else 'Non-trainable'}</b>",
                "forestgreen" if learns else "firebrick",
                "white",
            )
        )
    return cells


def _told(layer: Any, side: str) -> Any:
    """Return the symbolic tensors on a side of a layer, None where none are known."""
    if hasattr(layer, side):
        return getattr(layer, side)
    nodes = getattr(layer, "nodes", ())
    return getattr(nodes[0], f"{side}s") if nodes else None


def _each(tensors: Any, what: str) -> str:
    if tensors is None:
        return "?"
    found = nests.map_structure(lambda x: _text(getattr(x, what)), tensors)
    flat = [html.escape(x) for x in nests.flatten(found)]
    return flat[0] if not nest.is_nested(tensors) else f"[{', '.join(flat)}]"


def _text(value: Any) -> str:
    return str(getattr(value, "name", value))


def _cell(text: str, ground: str = "white", ink: str | None = None) -> str:
    size, color = (16, f' color="{ink}"') if ink else (14, "")
    return (
        f'<td bgcolor="{ground}"><font point-size="{size}"{color}>{text}</font></td>'
    )


def _row(cell: str, width: int) -> str:
    wide = cell.replace("<td", f'<td colspan="{max(width, 1)}"', 1)
    return f"<tr>{wide}</tr>"


def _pydot(asker: str) -> Any:
    for name in ("pydot", "pydot_ng", "pydotplus"):
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    raise ImportError(
        f"You must install pydot (`pip install pydot`) for {asker} to work; "
        "model.summary() tells the layers without it"
    )


def model_to_dot(
    model: Any,
    show_shapes: bool = False,
    show_dtype: bool = False,
    show_layer_names: bool = True,
    rankdir: str = "TB",
    expand_nested: bool = False,
    dpi: int = 200,
    subgraph: bool = False,
    show_layer_activations: bool = False,
    show_trainable: bool = False,
    **kwargs: Any,
) -> Any:
    """Return a pydot graph of a built model, a box per layer.

    The flags say what boxes tell; expand_nested draws models in models, subgraph makes a part of a
    greater graph; rankdir "TB" goes down, "LR" to the right. InvalidArgumentError is raised for a
    model that is not built and for arguments that are not known.
    """
    if not model.built:
        raise InvalidArgumentError(
            "This model has not yet been built. Build the model first by calling `build()` or by "
            "calling the model on a batch of data."
        )
    pydot = _pydot("`model_to_dot`")
    splines = kwargs.pop("splines", "ortho")
    if kwargs:
        raise InvalidArgumentError(
            f"Unrecognized keyword arguments: {sorted(kwargs)}"
        )
    look = {"rankdir": rankdir, "concentrate": True, "dpi": dpi, "splines": splines}
    graph = _part(pydot, model.name) if subgraph else _whole(pydot, look)
    wanted = Wanted(
        show_shapes,
        show_dtype,
        show_layer_names,
        show_layer_activations,
        show_trainable,
    )
    _fill(graph, model, wanted, expand_nested, pydot)
    return graph


def _part(pydot: Any, name: str) -> Any:
    """Return a graph that is a part of a greater one, with dashes around it."""
    graph = pydot.Cluster(style="dashed", graph_name=name)
    graph.set("label", name)
    graph.set("labeljust", "l")
    return graph


def _whole(pydot: Any, look: dict[str, Any]) -> Any:
    """Return a graph that stands alone."""
    graph = pydot.Dot()
    for key, value in look.items():
        graph.set(key, value)
    graph.set_node_defaults(shape="record")
    return graph


def _unfolds(layer: Any, expands: bool) -> bool:
    return expands and isinstance(layer, (Functional, Sequential))


def _fill(graph: Any, model: Any, wanted: Wanted, expands: bool, pydot: Any) -> None:
    """Put the boxes and arrows of a model into a graph."""
    for layer in layers_of(model):
        if _unfolds(layer, expands):
            inner = pydot.Cluster(style="dashed", graph_name=layer.name)
            inner.set("label", layer.name)
            inner.set("labeljust", "l")
            _fill(inner, layer, wanted, expands, pydot)
            graph.add_subgraph(inner)
            continue
        box = pydot.Node(str(id(layer)), label=label(layer, wanted))
        for key, value in (("fontname", "Helvetica"), ("border", 0), ("margin", 0)):
            box.set(key, str(value))
        graph.add_node(box)
    for first, second in arrows(model):
        edge = pydot.Edge(
            str(id(_end(first, expands, -1))), str(id(_end(second, expands, 0)))
        )
        edge.set("penwidth", "2")
        graph.add_edge(edge)


def _end(layer: Any, expands: bool, place: int) -> Any:
    """Return the first or the last layer inside a model that is unfolded."""
    while _unfolds(layer, expands):
        layer = layers_of(layer)[place]
    return layer


def plot_model(
    model: Any,
    to_file: Any = "model.png",
    show_shapes: bool = False,
    show_dtype: bool = False,
    show_layer_names: bool = False,
    rankdir: str = "TB",
    expand_nested: bool = False,
    dpi: int = 200,
    show_layer_activations: bool = False,
    show_trainable: bool = False,
    **kwargs: Any,
) -> Any:
    """Write a picture of a model into a file; return it where a notebook can show it."""
    graph = model_to_dot(
        model,
        show_shapes,
        show_dtype,
        show_layer_names,
        rankdir,
        expand_nested,
        dpi,
        False,
        show_layer_activations,
        show_trainable,
        **kwargs,
    )
    ending = Path(to_file).suffix[1:] or "png"
    path = str(to_file) if Path(to_file).suffix else f"{to_file}.png"
    try:
        graph.write(path, format="raw" if ending == "dot" else ending)
    except (OSError, AssertionError) as error:
        raise ImportError(
            "You must install graphviz (see https://graphviz.gitlab.io/download/) for "
            f"`plot_model` to work, or give a file whose name ends with .dot: {error}"
        ) from error
    if ending in {"dot", "pdf"}:
        return None
    return _shown(path)


def _shown(path: str) -> Any:
    """Return a file as what a notebook shows, None where there are no notebooks."""
    try:
        display = importlib.import_module("IPython.display")
    except ImportError:
        return None
    return display.Image(filename=path)
