"""Decoders refuse what they cannot take, and sizes are known where a graph says them."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.graph_mode.graph import mode

seq2seq: Any = tf.contrib.seq2seq


@pytest.fixture(autouse=True)
def _graph_mode() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    with tf.Graph().as_default():
        yield
    mode.eager = before


def _cell() -> Any:
    return tf.nn.rnn_cell.GRUCell(2)


def test_the_size_of_an_axis_that_is_known_is_a_number() -> None:
    util: Any = tf.contrib.util
    size = util.constant_value(tf.shape(tf.ones([3, 2]))[0])
    assert size.shape == ()
    assert size == 3


def test_decoders_say_what_they_are_not_given() -> None:
    helper = seq2seq.TrainingHelper(tf.ones([1, 2, 3]), [2])
    with pytest.raises(DTypeError, match="helper must be a Helper"):
        seq2seq.BasicDecoder(_cell(), object(), tf.ones([1, 2]))
    with pytest.raises(DTypeError, match="output_layer must be a Layer"):
        seq2seq.BasicDecoder(_cell(), helper, tf.ones([1, 2]), lambda x: x)
    with pytest.raises(DTypeError, match="Expected decoder to be type Decoder"):
        seq2seq.dynamic_decode(helper)
    decoder = seq2seq.BasicDecoder(_cell(), helper, tf.ones([1, 2]))
    with pytest.raises(InvalidArgumentError, match="must be a scalar"):
        seq2seq.dynamic_decode(decoder, maximum_iterations=[3])


def test_helpers_say_which_rank_they_take() -> None:
    with pytest.raises(ShapeError, match="sequence_length to be a vector"):
        seq2seq.TrainingHelper(tf.ones([1, 2, 3]), 2)
    with pytest.raises(ShapeError, match="start_tokens must be a vector"):
        seq2seq.GreedyEmbeddingHelper(tf.ones([3, 2]), 1, 2)
    with pytest.raises(ShapeError, match="end_token must be a scalar"):
        seq2seq.SampleEmbeddingHelper(tf.ones([3, 2]), [1], [2])


def test_attention_says_what_does_not_fit() -> None:
    memory = tf.ones([2, 3, 4])
    mechanism = seq2seq.LuongAttention(4, memory)
    with pytest.raises(InvalidArgumentError, match="set num_units"):
        mechanism(tf.ones([2, 5]), None)
    with pytest.raises(DTypeError, match="AttentionMechanism"):
        seq2seq.AttentionWrapper(_cell(), object())
    with pytest.raises(InvalidArgumentError, match="Only one of"):
        seq2seq.AttentionWrapper(
            _cell(), mechanism, 3, attention_layer=tf.layers.Dense(3)
        )
    with pytest.raises(InvalidArgumentError, match="2 vs 1"):
        seq2seq.AttentionWrapper(_cell(), [mechanism], [3, 4])
    with pytest.raises(InvalidArgumentError, match="mode must be"):
        seq2seq.monotonic_attention([[0.5]], [[1.0]], "soft")


def test_a_memory_of_another_batch_is_told_of_when_it_is_run() -> None:
    wide = tf.placeholder(tf.float32, [None, 3, 4])
    cell = seq2seq.AttentionWrapper(_cell(), seq2seq.LuongAttention(2, wide))
    state = cell.zero_state(tf.size([1, 2, 3]), tf.float32)
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    with pytest.raises(tf.errors.InvalidArgumentError, match="tile_batch"):
        session.run(state.cell_state, {wide: np.ones([2, 3, 4])})


def test_trees_say_what_is_no_tree() -> None:
    steps = np.zeros([2, 1, 2], np.int32)
    session = tf.Session()
    astray = seq2seq.gather_tree(steps, steps + 2, [2], 9)
    with pytest.raises(InvalidArgumentError, match="a beam that is not there"):
        session.run(astray)
    short = seq2seq.gather_tree(steps, steps[:1], [2], 9)
    with pytest.raises(ShapeError, match="parents"):
        session.run(short)
    with pytest.raises(ShapeError, match="ranks"):
        seq2seq.gather_tree(steps[0], steps, [2], 9)


def test_losses_of_steps_are_given_targets_as_they_are() -> None:
    logits = [tf.constant([[1.0, 2.0], [3.0, 5.0]])]
    targets = [tf.constant([[0.0, 1.0], [1.0, 0.0]])]

    def apart(labels: Any, logits: Any) -> Any:
        return tf.reduce_sum((labels - logits) ** 2, 1)

    loss = tf.contrib.legacy_seq2seq.sequence_loss_by_example
    found = loss(logits, targets, [tf.constant([1.0, 2.0])], True, apart)
    assert tf.Session().run(found).tolist() == [2.0, 29.0]
