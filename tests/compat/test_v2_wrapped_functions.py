"""tf.compat.v1.wrap_function: frozen graphs and code of TensorFlow 1 as functions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v2
from tensorlite.core.errors import InvalidArgumentError

TF: Any = v2
ONE = TF.compat.v1


def _frozen() -> Any:
    with ONE.Graph().as_default() as graph:
        x = ONE.placeholder(ONE.float32, [None, 3], "x")
        w = ONE.get_variable("w", [3, 2], initializer=ONE.ones_initializer())
        ONE.multiply(ONE.matmul(x, w), ONE.constant([1.0, 2.0]), name="y")
        with ONE.Session() as session:
            session.run(ONE.global_variables_initializer())
            return ONE.graph_util.convert_variables_to_constants(
                session, graph.as_graph_def(), ["y"]
            )


def test_parts_of_frozen_graphs_are_functions(tmp_path: Path) -> None:
    frozen = _frozen()
    whole = ONE.wrap_function(lambda: ONE.import_graph_def(frozen, name=""), [])
    pruned = whole.prune("x:0", "y:0")
    x = TF.constant([[1.0, 2.0, 3.0]])
    assert pruned(x).numpy().tolist() == pruned(x=x).numpy().tolist() == [[6.0, 12.0]]
    find = whole.graph.as_graph_element
    named = whole.prune([find("x:0")], {"y": find("y:0"), "done": find("y")})
    with TF.GradientTape() as tape:
        tape.watch(x)
        found = named(x)
    assert found["done"] is None
    assert tape.gradient(found["y"], x).numpy().tolist() == [[3.0, 3.0, 3.0]]
    traced = TF.function(lambda a: pruned(a) * 2.0)
    assert traced(x).numpy().tolist() == [[12.0, 24.0]]
    with pytest.raises(InvalidArgumentError, match=r"takes \['x'\]"):
        pruned(x, x)
    module = TF.Module()
    module.f = pruned
    TF.saved_model.save(module, str(tmp_path), signatures=pruned)
    (again,) = (
        TF.saved_model.load(str(tmp_path)).signatures["serving_default"](x).values()
    )
    assert again.numpy().tolist() == [[6.0, 12.0]]


def test_variables_of_such_code_are_trained() -> None:
    def scaled(a: Any, b: Any) -> Any:
        return {"sum": a * ONE.get_variable("v", initializer=2.0) + b}

    row, scalar = (
        TF.TensorSpec([None], TF.float32),
        TF.TensorSpec([], TF.float32, "b"),
    )
    wrapped = ONE.wrap_function(scaled, [row, scalar])
    (variable,) = wrapped.variables
    with TF.GradientTape() as tape:
        found = wrapped(TF.constant([1.0, 2.0]), b=3.0)["sum"]
    assert found.numpy().tolist() == [5.0, 7.0]
    assert float(tape.gradient(found, variable)) == 3.0
    variable.assign(0.5)
    again = wrapped(TF.constant([1.0, 2.0]), 0.0)["sum"]
    np.testing.assert_array_equal(again, [0.5, 1.0])
