"""Strategies of several devices: gradients that are summed, checkpoints of copies."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as module
from tests.compat.replicas import listed, mirrored, number

tf: Any = module
Strategies = Any


pytestmark = pytest.mark.usefixtures("four_cpus")


OPTIMIZERS: dict[str, Any] = {
    "keras": lambda: tf.keras.optimizers.SGD(0.1, momentum=0.9),
    "adam": lambda: tf.keras.optimizers.Adam(0.1),
    "version 1": lambda: tf.compat.v1.train.MomentumOptimizer(0.1, 0.9),
    "scaled": lambda: tf.keras.mixed_precision.LossScaleOptimizer(
        tf.keras.optimizers.SGD(0.1)
    ),
}


@pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS.keys())
@pytest.mark.parametrize("how", ["eager", "traced", "loop"])
def test_gradients_are_summed(make: Any, how: str) -> None:
    x = np.arange(12, dtype=np.float32).reshape(6, 2) / 10
    y = np.arange(6, dtype=np.float32).reshape(6, 1)

    def trained(strategy: Any) -> Any:
        with strategy.scope():
            w, optimizer = tf.Variable([[1.0], [2.0]]), make()
        data = tf.data.Dataset.from_tensor_slices((x, y)).batch(6).repeat(3)
        batches = strategy.experimental_distribute_dataset(data)

        def step(batch: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((batch[0] @ w - batch[1]) ** 2) / 6.0
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
            return loss

        def whole(batch: Any) -> Any:
            return strategy.reduce(
                "SUM", strategy.run(step, args=(batch,)), axis=None
            )

        def loop(batches: Any) -> Any:
            last = tf.constant(0.0)
            for batch in batches:
                last = whole(batch)
            return last

        if how == "loop":
            return float(tf.function(loop)(batches)), w.numpy().tolist(), w
        call = tf.function(whole) if how == "traced" else whole
        return [float(call(b)) for b in batches][-1], w.numpy().tolist(), w

    loss, weights, _ = trained(tf.distribute.get_strategy())
    for strategy in (
        mirrored(3),
        tf.distribute.experimental.CentralStorageStrategy(["/cpu:0", "/cpu:1"]),
    ):
        found, own, w = trained(strategy)
        np.testing.assert_allclose(found, loss, rtol=1e-5)
        np.testing.assert_allclose(own, weights, rtol=1e-5)
        for copy in w.values:
            np.testing.assert_array_equal(copy, own)


def test_rows_of_gradients_are_summed() -> None:
    strategy = mirrored()
    with strategy.scope():
        table = tf.Variable(tf.zeros([4, 2]))
        optimizer = tf.keras.optimizers.SGD(1.0)

    def step() -> None:
        with tf.GradientTape() as tape:
            rows = tf.gather(table, [0, tf.cast(number(), tf.int32)])
            loss = tf.reduce_sum(rows)
        gradient = tape.gradient(loss, table)
        assert isinstance(gradient, tf.IndexedSlices)
        optimizer.apply_gradients([(gradient, table)])

    strategy.run(step)
    expected = [[-2, -2], [-1, -1], [-1, -1], [0, 0]]
    assert table.numpy().tolist() == expected
    assert int(optimizer.iterations.numpy()) == 1


def test_optimizers_take_variables_of_the_scope() -> None:
    strategy, w = mirrored(), tf.Variable(1.0)
    with strategy.scope():
        v, optimizer = tf.Variable(1.0), tf.keras.optimizers.SGD(0.5)
    with pytest.raises(ValueError, match="outside of this strategy's scope"):
        strategy.run(lambda: optimizer.apply_gradients([(tf.constant(1.0), w)]))
    optimizer.apply_gradients([(tf.constant(1.0), v)])  # as no replica
    assert listed(v) == [0.5, 0.5]


@pytest.mark.parametrize("is_first", [False, True])
def test_checkpoints_do_not_depend_on_replicas(tmp_path: Any, is_first: bool) -> None:
    def parts(strategy: Any) -> Any:
        with strategy.scope():
            v = tf.Variable([1.0, 2.0])
            r = tf.Variable(
                1.0,
                synchronization=tf.VariableSynchronization.ON_READ,
                aggregation=tf.VariableAggregation.SUM,
            )
            return v, r, tf.train.Checkpoint(v=v, r=r)

    default = tf.distribute.get_strategy()
    first, second = (mirrored(), default) if is_first else (default, mirrored(3))
    v, r, checkpoint = parts(first)
    v.assign([3.0, 4.0])
    r.assign(6.0)
    path = checkpoint.save(str(tmp_path / "ckpt"))
    w, s, other = parts(second)
    other.restore(path).assert_consumed()
    assert w.numpy().tolist() == [3.0, 4.0]
    assert float(s.numpy()) == 6.0
    names = [name for name, _ in tf.train.list_variables(path)]
    assert [x for x in names if "/.ATTRIBUTES" in x and x[0] in "vr"] == [
        "r/.ATTRIBUTES/VARIABLE_VALUE",
        "v/.ATTRIBUTES/VARIABLE_VALUE",
    ]


def test_saved_models_are_loaded_with_copies(tmp_path: Any) -> None:
    strategy = mirrored()
    with strategy.scope():
        module = tf.Module()
        module.w = tf.Variable([2.0, 3.0])
        module.f = tf.function(
            lambda x: module.w * x, input_signature=[tf.TensorSpec([2], tf.float32)]
        )
    path = str(tmp_path / "saved")
    tf.saved_model.save(module, path)
    plain = tf.saved_model.load(path)
    assert plain.w.numpy().tolist() == [2.0, 3.0]
    with strategy.scope():
        loaded = tf.saved_model.load(path)
    assert listed(loaded.w) == [[2.0, 3.0]] * 2
    found = strategy.run(lambda: loaded.f(tf.constant([1.0, 2.0]) * number()))
    assert listed(found) == [[2.0, 6.0], [4.0, 12.0]]


def test_generators_of_the_scope_give_each_replica_its_own_numbers() -> None:
    strategy = mirrored()
    with strategy.scope():
        generator = tf.random.Generator.from_seed(1)
    found = listed(strategy.run(lambda: generator.normal([2])))
    told = [[-0.8793, 1.4681], [0.0207, 1.9473]]  # by TensorFlow 2.21
    np.testing.assert_allclose(found, told, atol=1e-4)
    found = listed(strategy.run(tf.function(lambda: generator.uniform([2]))))
    np.testing.assert_allclose(found, [[0.8677, 0.6974], [0.9607, 0.4272]], atol=1e-4)
    generator.normal([3])  # as no replica
    assert listed(generator.state)[0] == listed(generator.state)[1]
    outside = tf.random.Generator.from_seed(1)
    first, second = listed(strategy.run(lambda: outside.normal([2])))
    assert first != second


def test_what_is_reduced_goes_to_copies() -> None:
    strategy = mirrored()
    with strategy.scope():
        v = tf.Variable(0.0)
    own = strategy.run(number)
    assert listed(strategy.extended.reduce_to("SUM", own, v)) == [3.0, 3.0]
    (mean,) = strategy.extended.batch_reduce_to("MEAN", [(own, v)])
    assert listed(mean) == [1.5, 1.5]
    assert float(strategy.extended.reduce_to("SUM", own, "/cpu:0")) == 3.0


def test_the_program_of_the_page_on_distributed_programs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (
        Path(__file__).parents[2]
        / "docs/howto/run-distributed-tensorflow-programs.md"
    )
    text = page.read_text().partition("## TensorFlow 2: several devices")[2]
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)[:2]
    # Not where pages are: these import version 1 first, whose graphs are built then.
    program = tmp_path / "program.py"  # whose source tf.function reads
    program.write_text("".join(blocks))
    runpy.run_path(str(program))
    assert capsys.readouterr().out == "0.36 2\n"
