"""tf.profiler of TensorFlow 1: what the operations of a graph take, told and returned.

The counting is in graph_mode/model_analysis.py.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Self

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.core.errors import InvalidArgumentError, UnimplementedError
from tensorlite.graph_mode import model_analysis
from tensorlite.graph_mode.graph import get_default_graph
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.graph_mode.model_analysis import (
    TRAINABLE,
    Measures,
    Model,
    ProfileNode as GraphNodeProto,
    Wanted,
)

__all__ = [
    "GraphNodeProto",
    "MultiGraphNodeProto",
    "ProfileOptionBuilder",
    "Profiler",
    "profile",
]

MultiGraphNodeProto = GraphNodeProto
_PLAIN: dict[str, Any] = {
    "max_depth": 10000,
    "min_bytes": 0,
    "min_micros": 0,
    "min_params": 0,
    "min_float_ops": 0,
    "min_occurrence": 0,
    "order_by": "name",
    "account_type_regexes": [".*"],
    "start_name_regexes": [".*"],
    "trim_name_regexes": [],
    "show_name_regexes": [".*"],
    "hide_name_regexes": [],
    "account_displayed_op_only": False,
    "select": ["micros"],
    "step": -1,
    "output": "stdout",
}
_FIELDS = {
    "params": "parameters",
    "float_ops": "float_ops",
    "micros": "micros",
    "bytes": "bytes",
}


class ProfileOptionBuilder:
    """Options for `profile`, one after the other."""

    def __init__(self, options: dict[str, Any] | None = None) -> None:
        self._options = dict(_PLAIN if options is None else options)

    @staticmethod
    def trainable_variables_parameter() -> dict[str, Any]:
        """Return options that tell the numbers of elements of variables that are trained."""
        chosen = {"account_type_regexes": [TRAINABLE], "select": ["params"]}
        return {**_PLAIN, **chosen, "account_displayed_op_only": True}

    @staticmethod
    def float_operation() -> dict[str, Any]:
        """Return options that tell how many floating operations there are, the most first."""
        chosen = {
            "min_float_ops": 1,
            "order_by": "float_ops",
            "select": ["float_ops"],
        }
        return {**_PLAIN, **chosen, "account_displayed_op_only": True}

    @staticmethod
    def time_and_memory(
        min_micros: int = 1,
        min_bytes: int = 1,
        min_accelerator_micros: int = 0,
        min_cpu_micros: int = 0,
        min_peak_bytes: int = 0,
        min_residual_bytes: int = 0,
        min_output_bytes: int = 0,
    ) -> dict[str, Any]:
        """Return options that tell times and memory, of operations that take at least so much.

        The last five bounds have no effect.
        """
        least = {"min_micros": min_micros, "min_bytes": min_bytes}
        chosen = {"order_by": "micros", "select": ["micros", "bytes"]}
        return {**_PLAIN, **least, **chosen, "account_displayed_op_only": True}

    def build(self) -> dict[str, Any]:
        return dict(self._options)

    def _with(self, **options: Any) -> Self:
        self._options.update(options)
        return self

    def with_max_depth(self, max_depth: int) -> Self:
        """Tell only of names with at most so many parts, and return the builder."""
        return self._with(max_depth=max_depth)

    def with_min_memory(
        self,
        min_bytes: int = 0,
        min_peak_bytes: int = 0,
        min_residual_bytes: int = 0,
        min_output_bytes: int = 0,
    ) -> Self:
        """Tell only of operations with so many bytes; only min_bytes has an effect."""
        return self._with(min_bytes=min_bytes)

    def with_min_execution_time(
        self,
        min_micros: int = 0,
        min_accelerator_micros: int = 0,
        min_cpu_micros: int = 0,
    ) -> Self:
        """Tell only of operations that take so long; only min_micros has an effect."""
        return self._with(min_micros=min_micros)

    def with_min_parameters(self, min_params: int) -> Self:
        """Tell only of variables with so many elements."""
        return self._with(min_params=min_params)

    def with_min_occurrence(self, min_occurrence: int) -> Self:
        """Tell only of types of operations that come so often."""
        return self._with(min_occurrence=min_occurrence)

    def with_min_float_operations(self, min_float_ops: int) -> Self:
        """Tell only of operations with so many floating operations."""
        return self._with(min_float_ops=min_float_ops)

    def with_accounted_types(self, account_type_regexes: list[str]) -> Self:
        """Count only operations whose types match one of the patterns."""
        return self._with(account_type_regexes=list(account_type_regexes))

    def with_node_names(
        self,
        start_name_regexes: list[str] | None = None,
        show_name_regexes: list[str] | None = None,
        hide_name_regexes: list[str] | None = None,
        trim_name_regexes: list[str] | None = None,
    ) -> Self:
        """Tell only of names that patterns start, show, hide or trim."""
        given = {
            "start_name_regexes": start_name_regexes,
            "show_name_regexes": show_name_regexes,
            "hide_name_regexes": hide_name_regexes,
            "trim_name_regexes": trim_name_regexes,
        }
        return self._with(**{k: list(v) for k, v in given.items() if v is not None})

    def account_displayed_op_only(self, is_true: bool) -> Self:
        """Say whether sums are of what is shown alone, or of all."""
        return self._with(account_displayed_op_only=is_true)

    def with_empty_output(self) -> Self:
        """Write nothing: the result is only returned."""
        return self._with(output="none")

    def with_stdout_output(self) -> Self:
        """Write to the standard output."""
        return self._with(output="stdout")

    def with_file_output(self, outfile: str) -> Self:
        """Write to a file."""
        return self._with(output=f"file:outfile={outfile}")

    def order_by(self, attribute: str) -> Self:
        """Put first what is largest by an attribute, such as "micros" or "name"."""
        return self._with(order_by=attribute)

    def select(self, attributes: list[str]) -> Self:
        """Tell these attributes, such as "params", "micros" or "float_ops"."""
        return self._with(select=list(attributes))

    def with_step(self, step: int) -> Self:
        """Take the numbers of this step, of those that add_step was told of."""
        return self._with(step=step)


def profile(
    graph: Any = None,
    run_meta: Any = None,
    op_log: Any = None,
    cmd: str = "scope",
    options: dict[str, Any] | None = None,
) -> GraphNodeProto:
    """Return what the graph's operations take, by scope or by type, and write it.

    run_meta, a RunMetadata, has times and memory. cmd is "scope" or "op", else UnimplementedError
    is raised; without options, trainable variables' parameters are counted.
    """
    if cmd not in ("scope", "op"):
        raise UnimplementedError(
            f"tf.profiler.profile: cmd={cmd!r} is not there; served are 'scope' and 'op'"
        )
    chosen = {
        **_PLAIN,
        **(options or ProfileOptionBuilder.trainable_variables_parameter()),
    }
    of = get_default_graph() if graph is None else graph
    given = (_model(of, run_meta), _wanted(chosen))
    select = tuple(_field(name) for name in chosen["select"])
    if cmd == "op":
        root = model_analysis.by_type(*given)
        lines = model_analysis.type_report(root, select)
    else:
        root = model_analysis.by_scope(*given)
        lines = model_analysis.scope_report(root, select)
    _told(lines, chosen["output"])
    return root


def _model(graph: Any, ran: Any) -> Model:
    """Return what is known of a graph; one of TensorFlow 2 has no collections of variables."""
    get = getattr(graph, "get_collection", lambda key: ())
    every = get(GraphKeys.GLOBAL_VARIABLES)
    shapes = {x.op.name: tuple(x.shape.as_list()) for x in every}
    trained = {x.op.name for x in get(GraphKeys.TRAINABLE_VARIABLES)}
    return Model(graph.get_operations(), shapes, trained, ran)


def _field(name: str) -> str:
    if name not in _FIELDS:
        raise InvalidArgumentError(
            f"tf.profiler.profile: {name!r} is not told; allowed are {', '.join(_FIELDS)}"
        )
    return _FIELDS[name]


def _wanted(options: dict[str, Any]) -> Wanted:
    least = Measures(*(options[f"min_{name}"] for name in _FIELDS))
    order = options["order_by"]
    return Wanted(
        least=least,
        max_depth=options["max_depth"],
        types=tuple(options["account_type_regexes"]),
        begin=tuple(options["start_name_regexes"]),
        trim=tuple(options["trim_name_regexes"]),
        show=tuple(options["show_name_regexes"]),
        hide=tuple(options["hide_name_regexes"]),
        order_by=order if order == "name" else _field(order),
    )


def _told(lines: list[str], output: str) -> None:
    """Print a report, write it to a file, or leave it."""
    kind, _, where = output.partition(":")
    bars = (
        "==================Model Analysis Report======================",
        "======================End of Report==========================",
    )
    text = "\n".join(["", bars[0], "", *lines, "", bars[1]])
    if kind == "stdout":
        sys.stdout.write(text + "\n")
    elif kind == "file":
        Path(where.partition("outfile=")[2]).write_text(text + "\n", encoding="utf-8")
    elif kind != "none":
        raise UnimplementedError(
            f"tf.profiler.profile: output={output!r} is not there; served are 'stdout', "
            "'file:outfile=...' and 'none'"
        )


class Profiler:
    """Profiles of one graph, of whose steps `add_step` is told."""

    def __init__(self, graph: Any = None, op_log: Any = None) -> None:
        self._graph = get_default_graph() if graph is None else graph
        self._steps: dict[int, Any] = {}

    def add_step(self, step: int, run_meta: Any) -> None:
        """Keep a step's RunMetadata."""
        self._steps[step] = run_meta

    def profile_operations(self, options: dict[str, Any]) -> GraphNodeProto:
        """Return what the operations take, by type."""
        return profile(self._graph, self._ran(options), cmd="op", options=options)

    def profile_name_scope(self, options: dict[str, Any]) -> GraphNodeProto:
        """Return what the operations take, by scope."""
        return profile(self._graph, self._ran(options), cmd="scope", options=options)

    def _ran(self, options: dict[str, Any]) -> Any:
        """Return what is known of the step that is asked for, or of the last one."""
        step = options.get("step", -1)
        return self._steps.get(max(self._steps, default=-1) if step == -1 else step)


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    raise attribute_error(__name__, name, __all__)
