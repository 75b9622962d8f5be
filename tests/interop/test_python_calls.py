"""Python functions in GraphDefs: a token goes along, found again in the process that wrote it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.compat import v1

tf: Any = v1


def doubled() -> Any:
    """Return a graph whose node "py" doubles what is fed to "x"."""
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [None], name="x")
        y = tf.py_func(lambda a: a * 2, [x], tf.float32, name="py")
        tf.identity(y, name="z")
    return graph


def run(graph_def: Any, feeds: dict[str, Any]) -> Any:
    with tf.Graph().as_default():
        tf.import_graph_def(graph_def, name="")
        with tf.Session() as session:
            return session.run("z:0", feeds)


def test_the_process_that_wrote_it_finds_the_function() -> None:
    graph = doubled()
    found = run(graph.as_graph_def(), {"x:0": [1, 2]})
    np.testing.assert_array_equal(found, [2.0, 4.0])
    assert graph.as_graph_def() == graph.as_graph_def()


def test_an_unknown_function_is_named_when_it_is_called() -> None:
    graph_def = doubled().as_graph_def()
    (node,) = [node for node in graph_def.node if node.name == "py"]
    node.attr["token"].s = b"pyfunc_0"
    with pytest.raises(tl.errors.InvalidArgumentError, match="pyfunc_0 is not found"):
        run(graph_def, {"x:0": [1, 2]})
    np.testing.assert_array_equal(run(graph_def, {"py:0": [1, 2]}), [1.0, 2.0])


def test_a_function_without_effects_is_written_as_such() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [], name="x")
        tf.identity(tf.py_func(np.square, [x], tf.float32, stateful=False), name="z")
        graph_def = graph.as_graph_def()
    assert "PyFuncStateless" in {node.op for node in graph_def.node}
    assert run(graph_def, {"x:0": 3.0}) == 9.0


def test_eager_functions_with_gradients() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [], name="x")
        y = tf.py_function(lambda a: a * a, [x], tf.float32)
        tf.identity(tf.gradients(y, x)[0], name="z")
        graph_def = graph.as_graph_def()
    assert run(graph_def, {"x:0": 3.0}) == 6.0
