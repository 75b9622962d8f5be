"""Cells of tf.contrib.rnn; names and numbers are those that TensorFlow 1.15 gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.graph_mode.graph import mode, reset_default_graph

tf: Any = v1
cells: Any = tf.contrib.rnn
INPUTS = np.linspace(-1, 1, 8).reshape(2, 4).astype(np.float32)


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    reset_default_graph()
    yield
    mode.eager = before


CASES: dict[str, tuple[Callable[[], Any], str, list[float]]] = {
    "IndRNN": (
        lambda: cells.IndRNNCell(3),
        "ind_rnn_cell/bias ind_rnn_cell/kernel_u ind_rnn_cell/kernel_w",
        [-0.7764, -0.7644, 0.0041, -0.2528, -0.5125, 0.0181],
    ),
    "IndyGRU": (
        lambda: cells.IndyGRUCell(3),
        (
            "indy_gru_cell/candidate/bias indy_gru_cell/candidate/kernel "
            "indy_gru_cell/candidate/kernel_u indy_gru_cell/gates/bias "
            "indy_gru_cell/gates/kernel_u indy_gru_cell/gates/kernel_w"
        ),
        [0.4271, 0.0558, -0.6265, 0.2677, -0.4629, -0.6264],
    ),
    "IndyLSTM": (
        lambda: cells.IndyLSTMCell(3),
        "indy_lstm_cell/bias indy_lstm_cell/kernel_u indy_lstm_cell/kernel_w",
        [-0.0946, -0.4042, -0.0633, -0.0695, -0.3989, -0.1394],
    ),
    "SRU": (
        lambda: cells.SRUCell(3),
        "sru_cell/bias sru_cell/kernel",
        [-0.1729, -0.1045, 0.1267, -0.1304, -0.1533, 0.067],
    ),
    "Coupled": (
        lambda: cells.CoupledInputForgetGateLSTMCell(
            3, use_peepholes=True, num_proj=2, proj_clip=0.3
        ),
        " ".join(
            f"coupled_input_forget_gate_lstm_cell/{name}"
            for name in ("B", "W_0", "W_F_diag", "W_O_diag", "W_P_0")
        ),
        [0.127, 0.0225, 0.3, 0.1354],
    ),
    "Intersection": (
        lambda: cells.IntersectionRNNCell(3, num_in_proj=3),
        (
            "intersection_rnn_cell/bias intersection_rnn_cell/in_projection/bias "
            "intersection_rnn_cell/in_projection/kernel intersection_rnn_cell/kernel"
        ),
        [0.6176, 0.3566, -0.0755, 0.6054, 0.0518, -0.2474],
    ),
    "GLSTM": (
        lambda: cells.GLSTMCell(4, number_of_groups=2, num_proj=2),
        (
            "glstm_cell/bias_f glstm_cell/bias_i glstm_cell/bias_j glstm_cell/bias_o "
            "glstm_cell/group0/kernel glstm_cell/group1/kernel glstm_cell/projection/kernel"
        ),
        [-0.1007, -0.1993, -0.2212, -0.2811],
    ),
    "Attention": (
        lambda: cells.AttentionCellWrapper(tf.nn.rnn_cell.BasicLSTMCell(3), 2),
        " ".join(
            f"attention_cell_wrapper/{name}"
            for name in (
                *("attention/attn_v", "attention/attn_w", "attention/bias"),
                *("attention/kernel", "attn_output_projection/bias"),
                *("attn_output_projection/kernel", "basic_lstm_cell/bias"),
                *("basic_lstm_cell/kernel", "bias", "kernel"),
            )
        ),
        [-0.4663, 0.2194, 0.5837, -0.4286, 0.1966, 0.5339],
    ),
    "Highway": (
        lambda: cells.HighwayWrapper(
            tf.nn.rnn_cell.GRUCell(4), couple_carry_transform_gates=False
        ),
        (
            "carry_b carry_w gru_cell/candidate/bias gru_cell/candidate/kernel "
            "gru_cell/gates/bias gru_cell/gates/kernel transform_b transform_w"
        ),
        [-0.1223, -0.4295, -0.3655, -0.0194, -0.0235, -0.1503, 0.0657, 0.5506],
    ),
    "Conv1D": (
        lambda: cells.Conv1DLSTMCell(
            input_shape=[4, 1], kernel_shape=[3], output_channels=1
        ),
        "conv_1d_lstm_cell/biases conv_1d_lstm_cell/kernel",
        [],
    ),
}


def load_fixed(session: Any) -> None:
    """Give every variable numbers that hang on its name's length."""
    for variable in tf.global_variables():
        sizes = variable.shape.as_list()
        numbers = np.cos(np.arange(np.prod(sizes)) * 1.3 + len(variable.name))
        variable.load(0.7 * numbers.reshape(sizes), session)


@pytest.mark.parametrize("name", CASES)
def test_cells_have_the_variables_and_the_outputs_of_tensorflow(name: str) -> None:
    make, names, expected = CASES[name]
    inputs = INPUTS[:, :, None] if name == "Conv1D" else INPUTS
    with tf.variable_scope("s", reuse=tf.AUTO_REUSE):
        cell, x = make(), tf.constant(inputs)
        _, state = cell(x, cell.zero_state(2, tf.float32))
        output, _ = cell(x * 0.5, state)
    found = sorted(v.op.name.removeprefix("s/") for v in tf.global_variables())
    assert found == names.split()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        load_fixed(session)
        value = session.run(output)
    if expected:
        np.testing.assert_allclose(value.ravel(), expected, atol=1e-4)
    else:
        assert value.shape == (2, 4, 1)


def test_fused_cells_go_both_ways_over_sequences_of_their_lengths() -> None:
    x = tf.constant(np.cos(np.arange(24)).reshape(3, 2, 4), tf.float32)
    forward = cells.LSTMBlockFusedCell(3, use_peephole=True)
    backward = cells.TimeReversedFusedRNN(cells.LSTMBlockFusedCell(3, cell_clip=0.2))
    asked = (
        forward(x, dtype=tf.float32, sequence_length=[1, 3]),
        backward(x, dtype=tf.float32, sequence_length=[2, 0], scope="bw"),
    )
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        load_fixed(session)
        (outputs, state), (_, turned) = session.run(asked)
    first = [-0.01117, -0.20337, -0.16287]
    np.testing.assert_allclose(outputs[0, 0], first, atol=1e-4)
    np.testing.assert_allclose(outputs[2, 1], state.h[1])
    np.testing.assert_allclose(state.h[0], first, atol=1e-4)
    np.testing.assert_allclose(turned.h[0], [0.06129, -0.07463, -0.12432], atol=1e-4)
    np.testing.assert_array_equal(turned.c[1], [0.0, 0.0, 0.0])


@pytest.mark.parametrize("in_loop", [False, True])
def test_cells_are_fused_step_by_step(in_loop: bool) -> None:
    x = tf.constant(np.cos(np.arange(24)).reshape(3, 2, 4), tf.float32)
    fused = cells.FusedRNNCellAdaptor(tf.nn.rnn_cell.GRUCell(2), in_loop)
    outputs, state = fused(x, dtype=tf.float32)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found, last = session.run([outputs, state])
    np.testing.assert_array_equal(found[-1], last)


def test_phased_cells_stay_nearly_as_they_were_while_closed() -> None:
    cell = cells.PhasedLSTMCell(2)
    time = tf.placeholder(tf.float64, [1, 1])
    begun = tf.nn.rnn_cell.LSTMStateTuple(tf.ones([1, 2]), tf.ones([1, 2]))
    output, _ = cell((time, tf.ones([1, 3])), begun)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        period, phase = session.run(tf.global_variables()[-3:-1])
        half = float(phase[0] + 0.5 * period[0])
        peak = float(phase[0] + 0.05 * period[0])
        closed = session.run(output, {time: [[half]]})[0, 0]
        opened = session.run(output, {time: [[peak]]})[0, 0]
    assert abs(closed - 1) < 2e-3 < abs(opened - 1)


def test_rows_of_cells_in_both_ways_are_stacked() -> None:
    make = tf.nn.rnn_cell.GRUCell
    steps = [tf.ones([2, 3]) * i for i in range(4)]
    outputs, forward, backward = cells.stack_bidirectional_rnn(
        [make(2), make(3)], [make(2), make(3)], steps, dtype=tf.float32
    )
    assert [x.shape.as_list() for x in outputs] == [[2, 6]] * 4
    assert (len(forward), len(backward)) == (2, 2)
    with pytest.raises(ValueError, match="must have the same depth"):
        cells.stack_bidirectional_rnn([make(2)], [make(2)] * 2, steps)


def test_what_cells_refuse() -> None:
    lstm = tf.nn.rnn_cell.BasicLSTMCell(2)
    with pytest.raises(ValueError, match="greater than zero, got 0"):
        cells.AttentionCellWrapper(lstm, 0)
    with pytest.raises(ValueError, match="flag state_is_tuple is not set"):
        cells.AttentionCellWrapper(lstm, 4, state_is_tuple=False)
    with pytest.raises(
        ValueError, match=r"\(3\) must be divisible by number_of_groups"
    ):
        cells.GLSTMCell(4, number_of_groups=2)(tf.ones([1, 3]), (1, 1))
    with pytest.raises(ValueError, match="Expected state to be a tuple of length 1"):
        tf.nn.rnn_cell.MultiRNNCell([lstm])(tf.ones([1, 2]), tf.ones([1, 4]))
    with pytest.raises(ValueError, match="num_in_proj should be set to num_units"):
        cells.IntersectionRNNCell(2)(tf.ones([1, 3]), tf.ones([1, 2]))


def test_a_ugrnn_cells_bias_begins_with_zeros_whatever_its_matrix_does() -> None:
    cell = cells.UGRNNCell(2, initializer=tf.ones_initializer())
    cell(tf.ones([1, 2]), tf.zeros([1, 2]))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = {v.name: session.run(v).tolist() for v in tf.global_variables()}
    assert found == {
        "ugrnn_cell/kernel:0": [[1.0] * 4] * 4,
        "ugrnn_cell/bias:0": [0.0] * 4,
    }
