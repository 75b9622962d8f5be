"""Graphs for reading: as text, as DOT, and as a picture where Graphviz is installed."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from tensorlite.core.errors import NotFoundError
from tensorlite.core.op import Op, Role
from tensorlite.core.spec import TensorSpec
from tensorlite.graph.graph import Graph, Node, SymbolicTensor

LABELS = {Role.IF: ("then", "else"), Role.WHILE: ("cond", "body")}


def to_text(graph: Graph) -> str:
    """Return a graph as text: a line per node, inner graphs indented below their node.

    >>> graph = tl.Graph("line")
    >>> with graph.as_default():
    ...     x = graph.add_input(tl.TensorSpec((None, 2)), name="x")
    ...     graph.outputs = [x * 2.0]
    >>> print(tl.graphs.to_text(graph))
    line(x: float32[?, 2]):
      Const = Const(2.0) -> float32[]  # ...
      Mul = Mul(x, Const) -> float32[?, 2]  # ...
      return Mul
    """
    return "\n".join(_lines(graph, graph.name, frozenset()))


def _lines(graph: Graph, title: str, above: frozenset[int]) -> Iterator[str]:
    given = ", ".join(f"{_name(x)}: {x.spec}" for x in graph.inputs)
    yield f"{title}({given}):"
    inside = above | {id(graph)}
    inputs = {x.node for x in graph.inputs}
    for node in graph.nodes:
        if node not in inputs:
            yield f"  {_line(node)}"
            for label, region in inner(node):
                if id(region) in inside:
                    yield f"    {label}: calls itself"
                else:
                    yield from [
                        f"    {line}" for line in _lines(region, label, inside)
                    ]
    if graph.effects:
        yield f"  effects {', '.join(node.name for node in graph.effects)}"
    yield f"  return {', '.join(map(_name, graph.outputs))}".rstrip()


def inner(node: Node) -> list[tuple[str, Graph]]:
    """Return the inner graphs of a node, each with what it is called."""
    regions = node.op.regions()
    labels = LABELS.get(node.op.role, tuple([region.name for region in regions]))
    return list(zip(labels, regions, strict=True))


def _line(node: Node) -> str:
    before = [f"^{other.name}" for other in node.control]
    given = ", ".join([*map(_name, node.inputs), *before])
    attributes = _attributes(node.op)
    applied = (
        f"{attributes}({given})" if given or not node.op.attributes() else attributes
    )
    made = ", ".join(str(x.spec) for x in node.outputs) or "nothing"
    device = str(node.device)
    placed = f" on {device}" if device else ""
    return f"{node.name} = {applied} -> {made}{placed}  # {node.line}"


def _attributes(op: Op) -> str:
    """Return an operator with the attributes that say something, its inner graphs left out."""
    if not op.attributes():
        return op.name
    if op.regions():
        numbers = {
            key: x for key, x in op.attributes().items() if isinstance(x, (bool, int))
        }
        listed = ", ".join(f"{key}={x}" for key, x in numbers.items())
        return f"{op.name}[{listed}]" if listed else op.name
    text = repr(op)
    return (
        text
        if op.name == "Const"
        else text.replace("(", "[", 1).removesuffix(")") + "]"
    )


def _name(x: SymbolicTensor) -> str:
    """Return the name of a tensor, with its index only if the node has several outputs."""
    return x.node.name if len(x.node.outputs) == 1 else x.name


def to_dot(graph: Graph) -> str:
    """Return a graph in the language of Graphviz; control edges are dashed, inner graphs boxed.

    >>> graph = tl.Graph("line")
    >>> with graph.as_default():
    ...     graph.outputs = [graph.add_input(tl.TensorSpec(())) + 1.0]
    >>> print(tl.graphs.to_dot(graph))
    digraph "line" {
    ...
    }
    """
    drawing = _Drawing()
    body = drawing.graph(graph, "  ", frozenset())
    head = [
        f'digraph "{_quoted(graph.name)}" {{',
        '  node [shape=box, fontname="Helvetica"];',
    ]
    return "\n".join([*head, *body, *drawing.edges, "}"])


class _Drawing:
    """The numbering of nodes, and the edges, which stand behind all boxes."""

    def __init__(self) -> None:
        self.numbers: dict[Node, int] = {}
        self.edges: list[str] = []

    def graph(
        self, graph: Graph, indent: str, above: frozenset[int]
    ) -> Iterator[str]:
        """Yield the statements of a graph's nodes and of the graphs inside."""
        for node in graph.nodes:
            number = self.numbers[node] = len(self.numbers)
            shape = ", style=rounded" if node.op.role is Role.INPUT else ""
            yield f'{indent}n{number} [label="{_label(node)}"{shape}];'
            for label, region in inner(node):
                if id(region) not in above:
                    yield f"{indent}subgraph cluster_{number}_{label.replace('/', '_')} {{"
                    yield f'{indent}  label="{_quoted(node.name)}: {_quoted(label)}";'
                    yield from self.graph(region, indent + "  ", above | {id(region)})
                    yield f"{indent}}}"
        for node in graph.nodes:
            for x in node.inputs:
                self.edge(x.node, node, f' [label="{_quoted(_size(x.spec))}"]')
            for before in node.control:
                self.edge(before, node, " [style=dashed]")

    def edge(self, source: Node, target: Node, style: str) -> None:
        """Add an edge between two nodes."""
        self.edges.append(
            f"  n{self.numbers[source]} -> n{self.numbers[target]}{style};"
        )


def _size(spec: TensorSpec) -> str:
    return "" if spec.shape == () else str(spec)


def _label(node: Node) -> str:
    what = repr(node.op) if node.op.name == "Const" else node.op.name
    return _quoted(
        node.name if node.op.role is Role.INPUT else f"{node.name}\n{what}"
    )


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def to_svg(graph: Graph) -> str:
    """Return a picture of a graph as SVG; NotFoundError unless Graphviz is installed.

    >>> try:
    ...     print("<svg" in tl.graphs.to_svg(tl.Graph("empty")))
    ... except tl.errors.NotFoundError:
    ...     print(True)
    True
    """
    dot = import_module("shutil").which("dot")
    if dot is None:
        raise NotFoundError(
            "drawing a graph takes the program 'dot' of Graphviz, which is not installed: install "
            "graphviz, or read the graph with to_text(graph)"
        )
    done = import_module("subprocess").run(
        [dot, "-Tsvg"],
        input=to_dot(graph),
        capture_output=True,
        text=True,
        check=True,
    )
    return str(done.stdout)
