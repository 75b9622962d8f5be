"""What is in a GraphDef: inputs, outputs, operators, sizes, and what is not there to run it.

Of meta graphs and SavedModels, what is noted beside their graphs stands before that. Nothing is
run, and no graph is made: a GraphDef can be looked at that cannot be read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tensorlite.core.errors import GraphDefError, InvalidArgumentError
from tensorlite.core.spec import shape_text
from tensorlite.interop.tensorflow.attributes import Shape
from tensorlite.interop.tensorflow.inspection.drawing import svg
from tensorlite.interop.tensorflow.inspection.scopes import scope_of, size_of, tree
from tensorlite.interop.tensorflow.messages import parsed
from tensorlite.interop.tensorflow.reading import contents, missing
from tensorlite.interop.tensorflow.records import Record, records_of
from tensorlite.interop.tensorflow.stored.metagraphs import (
    MetaGraph,
    TensorInfo,
    load_meta_graph,
)
from tensorlite.interop.tensorflow.stored.models import meta_graphs_of

_INPUTS = {"Placeholder", "PlaceholderV2", "PlaceholderWithDefault"}
_VARIABLES = {"Variable", "VariableV2", "VarHandleOp"}
_OWN = "__saved_model"
"""How signatures begin that are there for whoever loads a model, not for its users."""
_BESIDE = {"Const", "ReadVariableOp", "VarIsInitializedOp"}
"""What nothing uses because it is only looked at from outside."""
SOME = 20
"""How many names are listed of a kind."""


def describe(path: str | Path) -> str:
    """Return, as text, what the GraphDef in a file has.

    Or what those of a meta graph or of a SavedModel have: a `.meta` file, or the model's folder.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "model.pbtxt")
    >>> _ = path.write_text('node { name: "x" op: "Mystery" }')
    >>> print(tl.interop.tensorflow.describe(path))
    1 nodes, 0 functions, 0 bytes of constants
    outputs: x
    operators: Mystery 1
    not there: Mystery (1: x)
    """
    found = _meta_graphs(Path(path))
    if not found:
        return described(contents(path))
    return "\n\n".join("\n".join(_beside(meta)) for meta in found)


def _meta_graphs(path: Path) -> list[MetaGraph]:
    """Return the meta graphs that a path leads to, none where it is no such file or folder."""
    if path.suffix == ".meta":
        return [load_meta_graph(path)]
    names = ("saved_model.pb", "saved_model.pbtxt")
    folder = path.parent if path.name in names else path
    is_model = any((folder / name).is_file() for name in names)
    return meta_graphs_of(folder) if is_model else []


def _beside(meta: MetaGraph) -> Iterator[str]:
    """Return lines of what is noted beside a graph, and of the graph."""
    yield from _listed("tags", meta.tags)
    signatures = sorted(meta.signatures.items())
    for name, signature in [x for x in signatures if not x[0].startswith(_OWN)]:
        sides = [
            ", ".join([f"{x} {_tensor(y)}" for x, y in sorted(side.items())])
            for side in (signature.inputs, signature.outputs)
        ]
        yield f"signature {name}: {' -> '.join(sides)}"
    kept = [
        f"{key} {len(members)}" for key, members in sorted(meta.collections.items())
    ]
    yield from _listed("collections", kept)
    yield from _listed("files", sorted(meta.assets.values()))
    yield described(meta.graph_def)


def _tensor(info: TensorInfo) -> str:
    return f"{info.dtype.name}{shape_text(info.shape)}"


def described(given: Any) -> str:
    """Return, as text, what a GraphDef has: a message, its bytes, or its text."""
    proto = parsed(given)
    records = records_of(proto.node)
    inner = [node for one in proto.library.function for node in one.node_def]
    return "\n".join(_lines(proto, records, inner))


def _lines(
    proto: Any, records: Sequence[Record], inner: Sequence[Any]
) -> Iterator[str]:
    functions = len(proto.library.function)
    size = sum([size_of(one) for one in records])
    yield f"{len(records)} nodes, {functions} functions, {size:,} bytes of constants"
    yield from _listed("inputs", [_typed(x) for x in records if x.op in _INPUTS])
    yield from _listed("outputs", _ends(records))
    yield from _listed(
        "variables", [_typed(x) for x in records if x.op in _VARIABLES]
    )
    counts = Counter([node.op for node in [*proto.node, *inner]]).most_common()
    yield f"operators: {', '.join(f'{op} {count}' for op, count in counts)}"
    absent = missing([*proto.node, *inner], _functions(proto))
    shown = [f"{op} ({len(x)}: {', '.join(x[:3])})" for op, x in absent.items()]
    yield f"not there: {', '.join(shown) or 'nothing'}"
    listed = list(tree(scope_of(records)))
    if listed:
        yield "scopes:"
        yield from listed


def draw(path: str | Path, picture: str | Path) -> None:
    """Write a picture of the GraphDef in a file, as SVG: its name scopes, and what joins them.

    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "model.pbtxt").write_text('node { name: "x" op: "NoOp" }')
    >>> tl.interop.tensorflow.draw(folder / "model.pbtxt", folder / "model.svg")
    >>> (folder / "model.svg").read_text()[:4]
    '<svg'
    """
    if Path(picture).suffix.lower() != ".svg":
        # A second graph, as a shell makes of `*.pb`, would be lost.
        raise InvalidArgumentError(
            f"{picture}: the picture is an SVG file; give it a name that ends in .svg"
        )
    found = _meta_graphs(Path(path))
    proto = found[0].graph_def if found else contents(path)
    text = svg(records_of(proto.node), missing(proto.node, _functions(proto)))
    Path(picture).write_text(text, encoding="utf-8")


def _functions(proto: Any) -> list[str]:
    return [one.signature.name for one in proto.library.function]


def _listed(title: str, names: Sequence[str]) -> Iterator[str]:
    if names:
        more = f", and {len(names) - SOME} more" * (len(names) > SOME)
        yield f"{title}: {', '.join(names[:SOME])}{more}"


def _ends(records: Sequence[Record]) -> list[str]:
    """Return the nodes that no other uses, but for constants and looks at variables."""
    used = {x.node for one in records for x in one.inputs}
    used |= {name for one in records for name in one.control}
    ends = [one for one in records if one.name not in used]
    return [one.name for one in ends if one.op not in _BESIDE]


def _typed(record: Record) -> str:
    """Return a node's name with what it holds, as far as that can be read."""
    try:
        dtype, shape = record.attributes.get("dtype"), record.attributes.get("shape")
    except GraphDefError:
        return record.name
    sizes = shape_text(shape.sizes) if isinstance(shape, Shape) else ""
    return f"{record.name} {getattr(dtype, 'name', '')}{sizes}"
