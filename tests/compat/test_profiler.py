"""tf.profiler of version 1: the figures are those that TensorFlow 1.15 prints and returns."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorlite.compat.v1 import profiler
from tensorlite.core.errors import InvalidArgumentError, UnimplementedError

tf: Any = import_module("tensorlite.compat.v1")  # as its programs see it, untyped
Builder = profiler.ProfileOptionBuilder


def network() -> Any:
    """Return the graph of a small network, and of its training."""
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [4, 8, 8, 3], name="x")
        h = tf.layers.conv2d(x, 6, 3, activation=tf.nn.relu, name="c1")
        h = tf.layers.flatten(tf.layers.max_pooling2d(h, 2, 2))
        with tf.variable_scope("fc"):
            y = tf.layers.dense(h, 10, name="d")
        labels = tf.one_hot([0, 1, 2, 3], 10)
        loss = tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=y)
        tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(loss))
    return graph


def test_parameters_by_scope(capsys: Any) -> None:
    root = profiler.profile(
        network(), options=Builder.trainable_variables_parameter()
    )
    assert root.total_parameters == 718
    assert [child.name for child in root.children] == ["c1", "fc"]
    assert (
        capsys.readouterr().out
        == """
==================Model Analysis Report======================

node name | # parameters
_TFProfRoot (--/718 params)
  c1 (--/168 params)
    c1/bias (6, 6/6 params)
    c1/kernel (3x3x3x6, 162/162 params)
  fc (--/550 params)
    fc/d (--/550 params)
      fc/d/bias (10, 10/10 params)
      fc/d/kernel (54x10, 540/540 params)

======================End of Report==========================
"""
    )


def test_float_operations_by_type(tmp_path: Path) -> None:
    file = tmp_path / "report"
    options = Builder(Builder.float_operation()).with_file_output(str(file)).build()
    root = profiler.profile(network(), cmd="op", options=options)
    assert root.total_float_ops == 230777
    assert {child.name: child.float_ops for child in root.children} == {
        "Conv2DBackpropFilter": 82944,
        "Conv2DBackpropInput": 82944,
        "Conv2D": 46656,
        "MatMul": 12960,
        "MaxPoolGrad": 1080,
        "BiasAdd": 904,
        "BiasAddGrad": 888,
        "MaxPool": 864,
        "Mul": 782,
        "Add": 702,
        "Neg": 40,
        "Sub": 5,
        "RealDiv": 4,
        "Mean": 4,
    }
    shown = file.read_text(encoding="utf-8")
    assert "MatMul                   12.96k float_ops (7.90%, 5.62%)" in shown


def test_names_and_least_figures_choose_what_is_shown() -> None:
    options = (
        Builder(Builder.float_operation())
        .with_node_names(start_name_regexes=["c1"], hide_name_regexes=[".*Initial.*"])
        .with_min_float_operations(865)
        .with_empty_output()
        .build()
    )
    root = profiler.profile(network(), options=options)
    assert [(x.name, x.float_ops) for x in root.children] == [("c1/Conv2D", 46656)]
    assert root.total_float_ops == 46656


def test_times_and_bytes_of_a_step() -> None:
    graph = tf.Graph()
    with graph.as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [50, 50])
        y, feeds = tf.matmul(x, x, name="mm"), {x: np.ones([50, 50])}
        ran = tf.RunMetadata()
        session.run(y, feeds, tf.RunOptions(trace_level=3), run_metadata=ran)
    told = profiler.Profiler(graph)
    told.add_step(7, ran)
    least = Builder.time_and_memory(min_micros=0, min_bytes=1)
    options = Builder(least).with_step(7).with_empty_output().build()
    by_name = {x.name: x for x in told.profile_name_scope(options).children}
    assert by_name["mm"].requested_bytes == 10000
    by_type = {x.name: x for x in told.profile_operations(options).children}
    assert by_type["MatMul"].exec_micros == by_name["mm"].exec_micros


def test_what_is_refused() -> None:
    with pytest.raises(UnimplementedError, match="served are 'scope' and 'op'"):
        profiler.profile(tf.Graph(), cmd="code")
    with pytest.raises(InvalidArgumentError, match="allowed are params"):
        profiler.profile(tf.Graph(), options=Builder().select(["parms"]).build())
    with pytest.raises(UnimplementedError, match="file:outfile"):
        profiler.profile(tf.Graph(), options={"output": "timeline:x"})
