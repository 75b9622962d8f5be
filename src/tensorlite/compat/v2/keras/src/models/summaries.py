"""What Model.summary prints: a table of layers, as Keras 3 draws it, and counts of parameters."""

from __future__ import annotations

import re
import shutil
from itertools import pairwise
from typing import Any

import numpy as np

from tensorlite.compat.shared import nests
from tensorlite.compat.v2.keras.src.models import depths, older_summaries, sketch
from tensorlite.core.errors import InvalidArgumentError, TensorliteError
from tensorlite.core.shapes import AnyShape

_UNITS = ("B", "KB", "MB", "GB", "TB")
_SIDES = {"left": str.ljust, "right": str.rjust, "center": str.center}


def summary(
    model: Any, line_length: Any, positions: Any, options: dict[str, Any]
) -> str:
    """Return the table of a model's layers, and below it how many parameters there are."""
    shows = bool(options.get("show_trainable"))
    joined = not _is_chain(model)
    columns = [
        ("Layer (type)", "left"),
        ("Output Shape", "left"),
        ("Param #", "right"),
    ]
    ends = positions or ([0.3, 0.56, 0.74, 1.0] if joined else [0.45, 0.8, 1.0])
    width = 108 if joined else 88
    if joined:
        columns.append(("Connected to", "left"))
    if shows:
        columns.append(("Trainable", "center"))
        ends, width = [*[x * 0.9 for x in ends], 1.0], width + 12
    whole = line_length or min(width, shutil.get_terminal_size().columns - 4)
    rows = [
        row
        for layer in _chosen(_operations(model), options.get("layer_range"))
        for row in _rows(layer, model, joined, options)
    ]
    table = _table(columns, rows, _widths(ends, whole))
    return "\n".join([f'Model: "{model.name}"', *table, *_counts(model)])


def older_lines(model: Any, line_length: Any, positions: Any) -> list[str]:
    """Return the lines of the table that Keras 2 prints."""
    joined = not _is_chain(model)
    return older_summaries.lines(
        model, _operations(model), joined, line_length, positions
    )


def _is_chain(model: Any) -> bool:
    """Return whether each layer of a model takes what the one before it has made."""
    plan = getattr(model, "_plan", None)
    if plan is None:
        return True
    known = [id(x) for x in model.starts]
    for node in plan:
        parents = [id(x) for x in node.parents()]
        if len(parents) != 1 or parents != known:
            return False
        known = [id(x) for x in nests.flatten(node.outputs)]
    return len({id(node.layer) for node in plan}) == len(plan)


def _operations(model: Any) -> list[Any]:
    """Return the layers of a model, and the functions that stand for layers."""
    plan = getattr(model, "_plan", None)
    if plan is None:
        return list(model.layers)
    ordered = depths.by_depth(model._output_form, model.starts)  # noqa: SLF001
    return [x for x in ordered if x is not None]


def _chosen(layers: list[Any], bounds: Any) -> list[Any]:
    if bounds is None:
        return layers
    places = [
        [i for i, x in enumerate(layers) if re.match(bound, x.name)]
        for bound in bounds
    ]
    if not all(places):
        raise InvalidArgumentError(
            f"layer_range={bounds}: no layers of such names; there are "
            f"{[x.name for x in layers]}"
        )
    return layers[min(map(min, places)) : max(map(max, places)) + 1]


def _rows(
    layer: Any, model: Any, joined: bool, options: dict[str, Any], depth: int = 0
) -> list[list[str]]:
    prefix = "   " * depth + "└ " if depth else ""
    row = [
        f"{prefix}{layer.name} ({_kind(layer)})",
        _shape(layer),
        _parameters(layer),
    ]
    if joined:
        row.append(_sources(layer, model) or "-")
    if options.get("show_trainable"):
        has_weights = bool(getattr(layer, "weights", ()))
        row.append(("Y" if layer.trainable else "N") if has_weights else "-")
    found = [row]
    if options.get("expand_nested"):
        for inner in getattr(layer, "layers", ()):
            found += _rows(inner, model, joined, options, depth + 1)
    return found


def _kind(layer: Any) -> str:
    if isinstance(layer, sketch.Noted):
        return str(layer.name).rpartition(".")[2].title().replace("_", "")
    return type(layer).__name__


def _shape(layer: Any) -> str:
    nodes = layer.nodes
    if nodes:
        shapes = [tuple(x.shape) for x in nests.flatten(nodes[-1].outputs)]
    elif getattr(layer, "built_shape", None) is None:
        return "?"
    else:
        try:
            made = sketch.output_shape(layer, layer.built_shape)
        except (TensorliteError, TypeError, ValueError, NotImplementedError):
            return "?"
        shapes = (
            [tuple(made)] if isinstance(made, AnyShape) else list(map(tuple, made))
        )
    texts = [f"({', '.join(map(str, shape))})" for shape in shapes]
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def _parameters(layer: Any) -> str:
    if isinstance(layer, sketch.Noted):
        return "0"
    return f"{layer.count_params():,}" if layer.built else "0 (unbuilt)"


def _sources(layer: Any, model: Any) -> str:
    """Return whence the calls of a layer take their tensors: layer, call, result."""
    found = []
    for node in [node for node in model._plan if node.layer is layer]:  # noqa: SLF001
        for x in node.parents():
            calls = [n for n in model._plan if n.layer is x.node.layer]  # noqa: SLF001
            call = calls.index(x.node) if x.node in calls else 0
            place = [id(y) for y in nests.flatten(x.node.outputs)].index(id(x))
            found.append(f"{getattr(x.node.layer, 'name', x.name)}[{call}][{place}]")
    return ", ".join(found)


def _widths(ends: list[float], whole: int) -> list[int]:
    """Return how wide the columns are between their borders, which together have that width."""
    starts = [0, *[int(x * whole) for x in ends]]
    wide = [b - a + 2 for a, b in pairwise(starts)]
    excess = sum(wide) - (whole - len(wide) - 1)
    made = []
    for i, width in enumerate(wide):
        share = round(excess / (len(wide) - i))
        made.append(width - share)
        excess -= share
    return made


def _table(columns: Any, rows: list[list[str]], widths: list[int]) -> list[str]:
    sides = [side for _, side in columns]
    head = _line([title for title, _ in columns], widths, sides, "┃")
    body = []
    for i, row in enumerate(rows):
        if i:
            body.append(_rule("├─┼┤", widths))
        body += _line(row, widths, sides, "│")
    return [
        _rule("┏━┳┓", widths),
        *head,
        _rule("┡━╇┩", widths),
        *body,
        _rule("└─┴┘", widths),
    ]


def _rule(signs: str, widths: list[int]) -> str:
    return signs[0] + signs[2].join(signs[1] * n for n in widths) + signs[3]


def _line(
    row: list[str], widths: list[int], sides: list[str], border: str
) -> list[str]:
    """Return the lines of a row, each of whose cells may need several."""
    cells = [_wrapped(x, n - 2) for x, n in zip(row, widths, strict=True)]
    height = max(map(len, cells))
    made = []
    for i in range(height):
        parts = [
            f" {_SIDES[side](cell[i] if i < len(cell) else '', n - 2)} "
            for cell, n, side in zip(cells, widths, sides, strict=True)
        ]
        made.append(border + border.join(parts) + border)
    return made


def _wrapped(text: str, width: int) -> list[str]:
    """Return a text in lines; a word that is too long is cut."""
    lead = text[: len(text) - len(text.lstrip())]
    lines: list[str] = []
    for word in text.split():
        short = word if len(word) <= width else f"{word[: width - 1]}…"
        if lines and len(lines[-1]) + 1 + len(short) <= width:
            lines[-1] += f" {short}"
        else:
            lines.append(short if lines else lead + short)
    return lines or [""]


def _counts(model: Any) -> list[str]:
    trained, kept = model.trainable_weights, model.non_trainable_weights
    optimizer = getattr(model, "optimizer", None)
    slots = (
        list(optimizer.variables) if optimizer is not None and optimizer.built else []
    )
    lines = [
        f" Total params: {_amount([*trained, *kept, *slots])}",
        f" Trainable params: {_amount(trained)}",
        f" Non-trainable params: {_amount(kept)}",
    ]
    return [*lines, f" Optimizer params: {_amount(slots)}"] if slots else lines


def _amount(weights: Any) -> str:
    """Return how many numbers weights have, and how many bytes."""
    sizes = [int(np.prod(tuple(w.shape))) for w in weights]
    taken: float = sum(
        size * w.dtype.itemsize for size, w in zip(sizes, weights, strict=True)
    )
    unit = 0
    while taken >= 1024 and unit < len(_UNITS) - 1:
        taken, unit = taken / 1024, unit + 1
    return f"{sum(sizes):,} ({taken:.2f} {_UNITS[unit]})"
