"""contrib.graph_editor.subgraph: a part of a graph, with the tensors at its boundary."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tensorlite.compat.v1.contrib.graph_editor import select, util
from tensorlite.compat.views import GraphTensor
from tensorlite.core.errors import InvalidArgumentError


class SubGraphView:
    """Some operations, the tensors that they take from outside, and those used outside.

    Tensors that are passed through are inputs and outputs at once.
    """

    def __init__(self, inside_ops: Any = (), passthrough_ts: Any = ()) -> None:
        self._ops = util.make_list_of_op(inside_ops)
        inputs, outputs, inside = select.compute_boundary_ts(self._ops)
        known = {*inputs, *outputs, *inside}
        passed = [x for x in util.make_list_of_t(passthrough_ts) if x not in known]
        self._passthrough_ts = passed
        self._input_ts, self._output_ts = [*inputs, *passed], [*outputs, *passed]

    @property
    def ops(self) -> list[Any]:
        """The operations."""
        return self._ops

    @property
    def inputs(self) -> list[Any]:
        """The tensors that they take from outside."""
        return list(self._input_ts)

    @property
    def connected_inputs(self) -> list[Any]:
        """The inputs that are not only passed through."""
        return [x for x in self._input_ts if x not in self._passthrough_ts]

    @property
    def outputs(self) -> list[Any]:
        """The tensors that are used outside, or not at all."""
        return list(self._output_ts)

    @property
    def connected_outputs(self) -> list[Any]:
        """The outputs that are not only passed through."""
        return [x for x in self._output_ts if x not in self._passthrough_ts]

    @property
    def passthroughs(self) -> list[Any]:
        """The tensors that are inputs and outputs at once."""
        return list(self._passthrough_ts)

    @property
    def graph(self) -> Any:
        """The graph that this is a part of, None for nothing."""
        return util.get_unique_graph(
            [*self._ops, *self._passthrough_ts], none_if_empty=True
        )

    def op(self, op_id: int) -> Any:
        """Return an operation by its number."""
        return self._ops[op_id]

    def find_op_by_name(self, op_name: str) -> Any:
        """Return the operation of a name; InvalidArgumentError if it is not inside."""
        for op in self._ops:
            if op.name == op_name:
                return op
        raise InvalidArgumentError(f"{op_name} not found in subgraph.")

    def input_index(self, t: Any) -> int:
        """Return the number of an input."""
        return _index(self._input_ts, t, "inputs")

    def output_index(self, t: Any) -> int:
        """Return the number of an output."""
        return _index(self._output_ts, t, "outputs")

    def consumers(self) -> list[Any]:
        """Return the operations outside that take the outputs."""
        found = util.get_consuming_ops(self._output_ts)
        return [op for op in found if op not in set(self._ops)]

    def remap(
        self, new_input_indices: Any = None, new_output_indices: Any = None
    ) -> SubGraphView:
        """Return the part with other inputs and outputs: numbers of its own, or tensors."""
        made = object.__new__(SubGraphView)
        vars(made).update(vars(self))
        if new_input_indices is not None:
            made._input_ts = _chosen(self._input_ts, new_input_indices)
        if new_output_indices is not None:
            made._output_ts = _chosen(self._output_ts, new_output_indices)
        return made

    def remap_default(self) -> SubGraphView:
        """Return the part with the inputs and outputs that its operations have."""
        return SubGraphView(self._ops, self._passthrough_ts)

    def remap_outputs_make_unique(self) -> SubGraphView:
        """Return the part with each output once."""
        return self.remap(new_output_indices=list(dict.fromkeys(self._output_ts)))

    def remap_outputs_to_consumers(self) -> SubGraphView:
        """Return the part with each output as often as it is taken."""
        return self.remap(
            new_output_indices=[
                x for x in dict.fromkeys(self._output_ts) for _ in x.consumers()
            ]
        )

    def remove_unused_ops(self, control_inputs: bool = True) -> SubGraphView:
        """Return the part without operations that no output follows from."""
        used = select.get_backward_walk_ops(
            self.connected_outputs,
            within_ops=self._ops,
            control_inputs=control_inputs,
        )
        kept = [op for op in self._ops if op in set(used)]
        return SubGraphView(kept, self._passthrough_ts).remap(
            self._input_ts, self._output_ts
        )

    def remap_inputs(self, new_input_indices: Iterable[int]) -> SubGraphView:
        """Return the part with inputs in the order of their numbers."""
        return self.remap(new_input_indices=new_input_indices)

    def remap_outputs(self, new_output_indices: Iterable[int]) -> SubGraphView:
        """Return the part with outputs in the order of their numbers."""
        return self.remap(new_output_indices=new_output_indices)

    def is_passthrough(self, t: Any) -> bool:
        """Return whether a tensor is only passed through."""
        return t in self._passthrough_ts

    def __bool__(self) -> bool:
        return bool(self._ops or self._passthrough_ts)

    def __repr__(self) -> str:
        return f"<SubGraphView of {[op.name for op in self._ops]}>"


def _chosen(own: list[Any], given: Any) -> list[Any]:
    return [own[x] if isinstance(x, int) else x for x in given]


def _index(listed: list[Any], t: Any, what: str) -> int:
    for i, x in enumerate(listed):
        if x is t:
            return i
    raise InvalidArgumentError(f"Can't find {t} in the {what} of the subgraph.")


def make_view(*args: Any, **kwargs: Any) -> SubGraphView:
    """Return the part of a graph that operations, tensors that are passed through, or names make.

    Names are regular expressions, to be found in `graph`.
    """
    if len(args) == 1 and isinstance(args[0], SubGraphView):
        return args[0]
    listed = [x.ops if isinstance(x, SubGraphView) else x for x in args]
    ops, ts = select.select_ops_and_ts(*listed, **kwargs)
    passed = [x for x in ts if isinstance(x, GraphTensor)]
    return SubGraphView(ops, passed)


def make_view_from_scope(scope: str, graph: Any) -> SubGraphView:
    """Return the part of a graph whose operations are in a scope."""
    return SubGraphView(select.get_name_scope_ops(graph, scope))
