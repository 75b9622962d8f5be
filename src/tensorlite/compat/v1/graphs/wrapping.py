"""tf.wrap_function: code of TensorFlow 1 as a function, of which parts are functions too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from tensorlite.compat.v1.graphs.framework import Graph, placeholder
from tensorlite.compat.v2.func_graphs import FuncGraph
from tensorlite.compat.v2.functions import Concrete
from tensorlite.compat.views import GraphTensor, plain
from tensorlite.core import nest
from tensorlite.core.spec import TensorSpec
from tensorlite.graph_mode import wrapped
from tensorlite.ops.state.variable import Variable


class _Part(FuncGraph):
    """What a function runs of a graph; by names all of the graph is found."""

    whole: Graph

    def as_graph_element(self, *args: Any, **kwargs: Any) -> Any:
        return self.whole.as_graph_element(*args, **kwargs)

    def get_tensor_by_name(self, name: str) -> Any:
        return self.whole.get_tensor_by_name(name)

    def get_operation_by_name(self, name: str) -> Any:
        return self.whole.get_operation_by_name(name)

    def get_operations(self) -> list[Any]:
        return list(self.whole.get_operations())

    def as_graph_def(self, *args: Any, **kwargs: Any) -> Any:
        return self.whole.as_graph_def(*args, **kwargs)


class WrappedFunction(Concrete):
    """A function of a graph that code of TensorFlow 1 built."""

    whole: Graph
    held: wrapped.Held

    @classmethod
    def of(cls, graph: Graph, feeds: Any, fetches: Any, held: wrapped.Held) -> Self:
        """Return the part of a graph from some tensors to others."""
        taken = [plain(graph.as_graph_element(x)) for x in nest.flatten(feeds)]
        given = nest.map_structure(
            lambda x: None if x is None else plain(graph.as_graph_element(x)), fetches
        )
        made = wrapped.as_function(graph, taken, given, held, cls)
        assert isinstance(made, cls)
        made.whole, made.held = graph, held
        return made

    @property
    def graph(self) -> FuncGraph:
        """The graph that the code built."""
        made = object.__new__(_Part)
        vars(made).update(vars(super().graph), whole=self.whole)
        return made

    def prune(
        self, feeds: Any, fetches: Any, name: Any = None, input_signature: Any = None
    ) -> Self:
        """Return a function from some of the graph's tensors, feeds, to others, fetches.

        input_signature has no effect.
        """
        return type(self).of(self.whole, feeds, fetches, self.held)

    @property
    def variables(self) -> list[Variable]:
        """The variables that the code made."""
        return list(self.held.values())


def wrap_function(
    fn: Callable[..., Any], signature: Any, name: str | None = None
) -> WrappedFunction:
    """Return what code of TensorFlow 1 builds as a function; its variables are made once.

    signature has the arguments' TensorSpecs; what is none is given to `fn` as it is.
    """
    graph = Graph()
    with graph.as_default():
        given = nest.map_structure(_argument, list(signature))
        fetches = fn(*given)
    fed = [x for x in nest.flatten(given) if isinstance(x, GraphTensor)]
    return WrappedFunction.of(graph, fed, fetches, wrapped.held_by(graph))


def _argument(given: Any) -> Any:
    """Return a placeholder for a spec, anything else as it is."""
    if not isinstance(given, TensorSpec):
        return given
    return placeholder(given.dtype, given.shape, given.name or "arg")
