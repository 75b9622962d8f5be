"""Optimizers of tf.contrib.opt around others; numbers are worked out beside."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.graph_mode.graph import mode, reset_default_graph

tf: Any = v1
opt: Any = tf.contrib.opt


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    reset_default_graph()
    yield
    mode.eager = before


def test_scipy_minimises_losses() -> None:
    pytest.importorskip("scipy")
    x, y = tf.Variable([7.0, -3.0]), tf.Variable(2.0)
    loss = tf.reduce_sum(tf.square(x - [1.0, 2.0])) + tf.square(y - 5.0)
    seen: list[float] = []
    optimizer = opt.ScipyOptimizerInterface(loss, options={"maxiter": 50})
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        optimizer.minimize(session, fetches=[loss], loss_callback=seen.append)
        np.testing.assert_allclose(session.run(x), [1.0, 2.0], atol=1e-4)
        np.testing.assert_allclose(session.run(y), 5.0, atol=1e-4)
    assert seen[0] == 36.0 + 25.0 + 9.0


@pytest.mark.parametrize(
    ("kwargs", "expected"),
    [
        ({"var_to_bounds": ([None, 2.0], None)}, [0.0, 2.0]),
        ({"method": "SLSQP", "inequality": True}, [1.0, 0.0]),
    ],
)
def test_scipy_keeps_to_bounds_and_constraints(
    kwargs: dict[str, Any], expected: list[float]
) -> None:
    pytest.importorskip("scipy")
    x = tf.Variable([7.0, 7.0])
    given = dict(kwargs)
    if "var_to_bounds" in given:
        given["var_to_bounds"] = {x: ([-np.inf, 2.0], np.inf)}
    if given.pop("inequality", False):
        given["inequalities"] = [x[0] - 1.0]
    optimizer = opt.ScipyOptimizerInterface(tf.reduce_sum(tf.square(x)), **given)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        optimizer.minimize(session)
        np.testing.assert_allclose(session.run(x), expected, atol=1e-4)


def test_programs_bring_optimizers_of_their_own() -> None:
    class Once(opt.ExternalOptimizerInterface):  # type: ignore[misc]
        def _minimize(self, initial_val: Any, loss_grad_func: Any, **_: Any) -> Any:
            return initial_val - loss_grad_func(initial_val)[1]

    x = tf.Variable([[1.0, 2.0]])
    optimizer = Once(tf.reduce_sum(tf.square(x)) / 2.0)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        optimizer.minimize(session)
        assert session.run(x).tolist() == [[0.0, 0.0]]


def test_savers_of_averages_write_these_for_what_they_are_of(tmp_path: Path) -> None:
    x = tf.Variable([1.0], name="x")
    around = opt.MovingAverageOptimizer(
        tf.train.GradientDescentOptimizer(1.0), average_decay=0.5
    )
    with pytest.raises(RuntimeError, match="before creating the swapping_saver"):
        around.swapping_saver()
    update = around.minimize(x * 2.0)
    saver = around.swapping_saver()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(update)
        path = saver.save(session, str(tmp_path / "model"))
        assert session.run(x).tolist() == [-1.0]
    reader = tf.train.NewCheckpointReader(path)
    assert reader.get_tensor("x").tolist() == [0.0]
    assert reader.get_tensor("x/ExponentialMovingAverage").tolist() == [-1.0]


@pytest.mark.parametrize("in_rows", [False, True])
def test_rows_are_shortened_after_steps(in_rows: bool) -> None:
    x = tf.Variable([[0.0, 1.0], [3.0, 4.0]])
    around = opt.VariableClippingOptimizer(
        tf.train.GradientDescentOptimizer(1.0), {x: [1]}, 2.0
    )
    gradient = tf.zeros([2, 2])
    if in_rows:
        gradient = tf.IndexedSlices(tf.zeros([1, 2]), [1], [2, 2])
    update = around.apply_gradients([(gradient, x)])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(update)
        np.testing.assert_allclose(session.run(x), [[0.0, 1.0], [1.2, 1.6]])


def test_rates_of_layers_hang_on_weights_and_gradients() -> None:
    x, bias = tf.Variable([3.0, 4.0]), tf.Variable([1.0], name="bias")
    optimizer = opt.LARSOptimizer(
        0.1, momentum=0.9, weight_decay=0.1, eeta=0.1, skip_list=["bias"]
    )
    update = optimizer.apply_gradients(
        [(tf.constant([0.6, 0.8]), x), (bias * 1.0, bias)]
    )
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(update)
        rate = 0.1 * 0.1 * 5 / (1 + 0.1 * 5)
        np.testing.assert_allclose(
            session.run(x), [3 - rate * 0.9, 4 - rate * 1.2], rtol=1e-6
        )
        np.testing.assert_allclose(session.run(bias), [0.9])


def test_sums_are_left_as_they_are_for_losses_that_should_not_count() -> None:
    x = tf.Variable([1.0])
    optimizer = opt.RegAdagradOptimizer(1.0, initial_accumulator_value=4.0)
    with optimizer.avoid_updating_slots():
        update = optimizer.minimize(3.0 * x)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(update)
        assert session.run(x).tolist() == [-0.5]
        assert session.run(optimizer.get_slot(x, "accumulator")).tolist() == [4.0]


def test_gradients_that_are_all_zero_move_nothing() -> None:
    x = tf.Variable([1.0])
    inner = tf.train.MomentumOptimizer(1.0, 0.9)
    optimizer = opt.MultitaskOptimizerWrapper(inner)
    gradient = tf.placeholder(tf.float32, [1])
    update = optimizer.apply_gradients([(gradient, x)])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(update, {gradient: [2.0]})
        session.run(update, {gradient: [0.0]})
        assert session.run(x).tolist() == [-1.0]
        assert session.run(inner.get_slot(x, "momentum")).tolist() == [2.0]
    pairs, length = opt.clip_gradients_by_global_norm(
        [(tf.constant([3.0, 4.0]), x)], 1.0
    )
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(pairs[0][0]), [0.6, 0.8], rtol=1e-6)
        assert session.run(length) == 5.0


@pytest.mark.parametrize(
    ("nesterov", "dense", "row"),
    [
        (False, [0.7235806, 0.5853709, 0.4471612, 0.3089514], -0.4025),
        (True, [0.6354066, 0.4531099, 0.2708133, 0.0885166], -1.01225),
    ],
)
def test_lars_decays_weights_and_sums_up_steps(
    nesterov: bool, dense: list[float], row: float
) -> None:
    v, w = tf.Variable(tf.ones([2, 2])), tf.Variable(tf.ones([3, 1]))
    rows = tf.IndexedSlices(
        tf.constant([[0.5]]), tf.constant([1]), tf.constant([3, 1])
    )
    step = tf.contrib.opt.LARSOptimizer(
        0.5, 0.9, weight_decay=0.1, eeta=0.2, use_nesterov=nesterov
    ).apply_gradients([(tf.constant([[0.1, 0.2], [0.3, 0.4]]), v), (rows, w)])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            session.run(step)
        np.testing.assert_allclose(session.run(v).ravel(), dense, rtol=1e-5)
        np.testing.assert_allclose(session.run(w).ravel(), [1, row, 1], rtol=1e-5)


def test_nadam_moves_the_rows_that_have_gradients() -> None:
    w = tf.Variable([[1.0], [2.0]])
    there = tf.placeholder(tf.int32, [1])
    rows = tf.IndexedSlices(tf.constant([[0.1]]), there, tf.constant([2, 1]))
    step = tf.contrib.opt.NadamOptimizer(0.01).apply_gradients([(rows, w)])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for place in (0, 1):
            session.run(step, {there: [place]})
        found = session.run(w).ravel()
    bias = np.sqrt(1 - 0.999**2) / (1 - 0.9**2)
    mean, spread = 0.1 * 0.1, np.sqrt(0.001 * 0.1**2)
    expected = 2.0 - 0.01 * bias * (mean + 0.9 * mean) / spread
    np.testing.assert_allclose(found, [1.0 - 0.019, expected], rtol=1e-4)


@pytest.mark.parametrize("name", ["AddSignOptimizer", "PowerSignOptimizer"])
def test_signs_count_less_and_less(name: str) -> None:
    inner = "tensorlite.compat.v1.contrib.opt.python.training.sign_decay"
    decay = import_module(inner).get_linear_decay_fn(4)
    v = tf.Variable(np.array([1.0, 2.0], np.float16))
    rows = tf.IndexedSlices(
        tf.constant(np.array([0.5], np.float16)), tf.constant([1]), tf.constant([2])
    )
    counted = tf.train.get_or_create_global_step()
    optimizer = getattr(tf.contrib.opt, name)(0.1, sign_decay_fn=decay)
    step = optimizer.apply_gradients([(rows, v)], global_step=counted)
    factors = [1.0, 0.75]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in factors:
            session.run(step)
        found = session.run(v)
    grown = [1 + x if name[0] == "A" else np.e**x for x in factors]
    np.testing.assert_allclose(found, [1.0, 2.0 - 0.05 * sum(grown)], rtol=2e-3)


def test_decays_of_signs_end() -> None:
    inner = "tensorlite.compat.v1.contrib.opt.python.training.sign_decay"
    made = import_module(inner)
    cosine = made.get_cosine_decay_fn(10, num_periods=2, zero_after=1)
    again = made.get_restart_decay_fn(10, num_periods=2)
    with tf.Session() as session:
        found = session.run([cosine(x) for x in (0, 5, 9)])
        np.testing.assert_allclose(found, [1.0, 0.0, 0.0], atol=1e-6)
        found = session.run([again(x) for x in (0, 4, 5)])
        half = 0.5 * (1 + np.cos(0.8 * np.pi))
        np.testing.assert_allclose(found, [1.0, half, 1.0], atol=1e-6)
    with pytest.raises(ValueError, match="global_step is None"):
        cosine(None)


def test_averages_of_variables_in_parts_are_saved_in_their_place(
    tmp_path: Path,
) -> None:
    def made() -> Any:
        return tf.get_variable(
            "w",
            initializer=tf.constant([1.0, 2.0]),
            partitioner=tf.fixed_size_partitioner(2),
        )

    w = made()
    optimizer = opt.MovingAverageOptimizer(
        tf.train.GradientDescentOptimizer(1.0), average_decay=0.5
    )
    step = optimizer.minimize(tf.reduce_sum(tf.convert_to_tensor(w)))
    saver = optimizer.swapping_saver()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        path = saver.save(session, str(tmp_path / "c"))
    with tf.Graph().as_default(), tf.Session() as session:
        w = made()
        tf.train.Saver().restore(session, path)
        found = session.run(tf.convert_to_tensor(w))
        np.testing.assert_allclose(found, [0.5, 1.5])


@pytest.mark.parametrize("use_resource", [False, True])
def test_rows_are_changed_by_nadam_as_tensorflow_changes_them(
    use_resource: bool,
) -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        start = np.arange(8, dtype=np.float32).reshape(4, 2)
        w = tf.get_variable("w", initializer=start, use_resource=use_resource)
        loss = tf.reduce_sum(tf.gather(w, [0, 2, 2]) ** 2)
        step = tf.contrib.opt.NadamOptimizer(0.1).minimize(loss)
        session.run(tf.global_variables_initializer())
        for _ in range(4):
            session.run(step)
        wanted = [[0.0, 0.45025], [2.0, 3.0], [3.42692, 4.42574], [6.0, 7.0]]
        np.testing.assert_allclose(session.run(w), wanted, atol=1e-4)
        kinds = {x.type for x in graph.get_operations()}
        assert not kinds & {"ScatterSub", "ResourceScatterSub"}
