"""tf.contrib.rnn's cells along time and frequencies, with TensorFlow 1.15's values and names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import mode, reset_default_graph

tf: Any = v1
rnn = tf.contrib.rnn
INPUTS = np.random.RandomState(0).uniform(-1, 1, (2, 6)).astype(np.float32)


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    reset_default_graph()
    yield
    mode.eager = before


def stepped(cell: Any, state: Any) -> Any:
    """Return a step's output and state, with all weights 0.3."""
    with tf.variable_scope("", initializer=tf.constant_initializer(0.3)):
        made = cell(tf.constant(INPUTS), state)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(made)


def growing(cell: Any) -> Any:
    """Return a state whose parts are 0.1, 0.2, ..."""
    parts = cell.zero_state(2, tf.float32)
    return type(parts)(*[x + 0.1 * (i + 1) for i, x in enumerate(parts)])


def names() -> list[str]:
    return [v.op.name.partition("/")[2] for v in tf.global_variables()]


def test_a_grid_goes_along_time_and_the_pieces() -> None:
    cell = rnn.GridLSTMCell(
        2,
        use_peepholes=True,
        feature_size=2,
        frequency_skip=1,
        num_frequency_blocks=[1, 2],
        start_freqindex_list=[0, 2],
        end_freqindex_list=[2, 5],
    )
    assert cell.output_size == 12
    assert cell.state_size._fields[:3] == (
        "state_f00_b00_c",
        "state_f00_b00_m",
        "state_f00_b01_c",
    )
    output, state = stepped(cell, growing(cell))
    # Recorded from TensorFlow 1.15.
    expected = [0.1380, 0.1380, 0.0928, 0.0928, 0.2553, 0.2553]
    expected += [0.1184, 0.1184, 0.3962, 0.3962, 0.2648, 0.2648]
    np.testing.assert_allclose(output[0], expected, atol=1e-4)
    np.testing.assert_allclose(
        state.state_f00_b00_c, [[0.2352] * 2, [0.2595] * 2], atol=1e-4
    )
    assert names()[:6] == [
        "W_f_0_0",
        "B_f_0",
        "W_t_0_0",
        "B_t_0",
        "W_F_diag_freqf_0",
        "W_F_diag_freqt_0",
    ]


def test_a_grid_goes_both_ways() -> None:
    cell = rnn.BidirectionalGridLSTMCell(
        2,
        use_peepholes=True,
        share_time_frequency_weights=True,
        cell_clip=0.3,
        feature_size=2,
        frequency_skip=2,
        num_frequency_blocks=[3],
        backward_slice_offset=1,
        num_unit_shards=2,
    )
    output, state = stepped(cell, growing(cell))
    assert (cell.output_size, len(state)) == (24, 12)
    # Recorded from TensorFlow 1.15.
    pairs = [
        0.1380,
        0.0928,
        0.1857,
        0.1857,
        0.1942,
        0.1942,
        0.1977,
        0.1977,
        0.2059,
        0.2059,
    ]
    np.testing.assert_allclose(output[0, :20], np.repeat(pairs, 2), atol=1e-4)
    np.testing.assert_allclose(state.fwd_state_f00_b00_m[1], [0.1550] * 2, atol=1e-4)
    assert names()[:3] == ["fwd/W_f_0_0", "fwd/W_f_0_1", "fwd/B_f_0"]
    assert names()[9] == "bwd/W_f_0_0"


def test_gates_may_be_coupled_and_states_tensors() -> None:
    cell = rnn.GridLSTMCell(
        2,
        feature_size=2,
        frequency_skip=2,
        num_frequency_blocks=[3],
        couple_input_forget_gates=True,
        state_is_tuple=False,
    )
    output, state = stepped(cell, cell.zero_state(2, tf.float32))
    assert (output.shape, state.shape, cell.state_size) == ((2, 12), (2, 12), 12)
    shapes = [v.shape.as_list() for v in tf.global_variables()]
    assert shapes == [[6, 6], [6], [6, 6], [6]]


def test_pieces_are_read_one_after_another() -> None:
    cell = rnn.TimeFreqLSTMCell(2, True, 0.4, feature_size=2, frequency_skip=2)
    begin = np.tile(np.arange(12, dtype=np.float32) * 0.05, (2, 1))
    output, state = stepped(cell, tf.constant(begin))
    # Recorded from TensorFlow 1.15.
    np.testing.assert_allclose(
        output[0], [0.0722, 0.0947, 0.2059, 0.2292, 0.2459, 0.2459], atol=1e-4
    )
    np.testing.assert_allclose(
        state[0, :4], [0.1279, 0.1676, 0.0722, 0.0947], atol=1e-4
    )
    assert names() == ["W_0", "B", "W_F_diag", "W_I_diag", "W_O_diag"]


def test_numbers_of_pieces_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="Must specify"):
        rnn.GridLSTMCell(2)
    x = tf.zeros([2, 6])
    cell = rnn.GridLSTMCell(
        2, feature_size=2, frequency_skip=2, num_frequency_blocks=[2]
    )
    with pytest.raises(InvalidArgumentError, match="requires 2 but gets 3"):
        cell(x, cell.zero_state(2, tf.float32))
    cell = rnn.GridLSTMCell(
        2, feature_size=2, frequency_skip=2, num_frequency_blocks=[1, 2]
    )
    with pytest.raises(InvalidArgumentError, match="as many"):
        cell(x, cell.zero_state(2, tf.float32))
