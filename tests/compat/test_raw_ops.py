"""tf.raw_ops in graphs: handles of variables, shapes as attributes, operators without outputs.

Expected values are those of TensorFlow 1.15.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.compat.views import Operation
from tensorlite.graph_mode.graph import mode

tf: Any = v1


@pytest.fixture
def session() -> Iterator[Any]:
    before = mode.eager
    mode.eager = False
    with tf.Graph().as_default(), tf.Session() as made:
        yield made
    mode.eager = before


def test_a_variable_is_written_and_read_by_its_handle(session: Any) -> None:
    handle = tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[2])
    write = tf.raw_ops.AssignVariableOp(resource=handle, value=[1.0, 2.0])
    add = tf.raw_ops.ResourceScatterAdd(resource=handle, indices=[1], updates=[5.0])
    read = tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32)
    assert (type(write), type(add)) == (Operation, Operation)
    assert session.run([write]) == [None]
    session.run(add)
    np.testing.assert_array_equal(session.run(read), [1.0, 7.0])


@pytest.mark.parametrize(
    ("shape", "rank"), [([], 0), (tf.TensorShape([None, 2]), 2), (None, None)]
)
def test_shapes_are_attributes_in_any_form(
    session: Any, shape: Any, rank: int | None
) -> None:
    handle = tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=shape)
    told = handle.op.get_attr("shape")
    assert (None if told.unknown_rank else len(told.dim)) == rank


def test_what_has_no_outputs_gives_the_operation(session: Any) -> None:
    queue = tf.raw_ops.FIFOQueueV2(component_types=[tf.float32], shapes=[[]])
    put = tf.raw_ops.QueueEnqueueV2(handle=queue, components=[1.5], name="put")
    assert (put.name, put.type) == ("put", "QueueEnqueueV2")
    (taken,) = [tf.raw_ops.QueueDequeueV2(handle=queue, component_types=[tf.float32])]
    assert session.run(put) is None
    assert session.run(taken) == 1.5
    assert tf.raw_ops.NoOp().outputs == []


def test_what_has_no_outputs_gives_none_eagerly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mode, "eager", True)
    path = str(tmp_path / "text")
    assert tf.raw_ops.WriteFile(filename=path, contents="a") is None
    assert tf.raw_ops.ReadFile(filename=path).numpy() == b"a"


def test_numbers_drawn_by_a_seed_are_tensorflows(session: Any) -> None:
    ops, seed = tf.raw_ops, [1, 2]
    classes = ops.StatelessMultinomial(
        logits=[[0.0, 1.0, 2.0]], num_samples=8, seed=seed
    )
    assert session.run(classes).tolist() == [[2, 2, 1, 2, 2, 2, 2, 1]]
    counts = ops.StatelessRandomPoisson(
        shape=[4], seed=seed, lam=20.0, dtype=tf.int32
    )
    assert session.run(counts).tolist() == [25, 23, 27, 25]
    numbers = ops.StatelessRandomGammaV2(shape=[4, 1], seed=seed, alpha=[0.5])
    expected = [0.06695361, 0.62823546, 0.18136732, 0.04758992]
    np.testing.assert_allclose(session.run(numbers).ravel(), expected, rtol=1e-5)
    trials = ops.StatelessRandomBinomial(shape=[3], seed=seed, counts=7.0, probs=1.0)
    assert session.run(trials).tolist() == [7, 7, 7]


def test_constants_of_the_graph_are_taken_where_values_are_due(session: Any) -> None:
    words = tf.constant(["ab", "bc"])
    changed = tf.raw_ops.RegexReplace(
        input=words, pattern=tf.constant("b"), rewrite="-"
    )
    assert session.run(changed).tolist() == [b"a-", b"-c"]
    computed = tf.placeholder(tf.string, [])
    with pytest.raises(RuntimeError, match="supported is a constant"):
        tf.raw_ops.RegexReplace(input=words, pattern=computed, rewrite="-")


def test_older_forms_have_the_outputs_that_they_had(session: Any) -> None:
    x, one = tf.ones([1, 2, 2, 3]), tf.ones([3])
    given = {"x": x, "scale": one, "offset": one, "mean": [], "variance": []}
    for name, count in (
        ("FusedBatchNorm", 5),
        ("FusedBatchNormV2", 5),
        ("FusedBatchNormV3", 6),
    ):
        made = getattr(tf.raw_ops, name)(**given)
        assert len(made) == count
        assert session.run(made[1]).tolist() == [1.0, 1.0, 1.0]


def test_draws_of_equal_seeds_have_generators_of_their_own(session: Any) -> None:
    kinds = {"dtype": tf.float32, "seed": 1, "seed2": 2}
    draws = [tf.raw_ops.RandomUniform(shape=[2], **kinds) for _ in range(2)]
    for expected in ([0.40639675, 0.8575996], [0.6038654, 0.52610815]):
        np.testing.assert_allclose(session.run(draws), [expected] * 2, rtol=1e-6)


def test_candidates_are_learned_from_labels(session: Any) -> None:
    tf.set_random_seed(7)
    drawn = tf.nn.learned_unigram_candidate_sampler([[1], [1]], 1, 4, False, 6, 3)
    first, second = session.run(drawn), session.run(drawn)
    assert first.sampled_candidates.tolist() == [3, 0, 2, 0]
    assert second.sampled_candidates.tolist() == [3, 1, 1, 3]
    np.testing.assert_allclose(second.true_expected_count, [[1.5], [1.5]], rtol=1e-6)
