"""Operations tell for whose sake they were made, as TensorFlow's do: _original_op."""

from __future__ import annotations

import tensorlite.compat.v1 as tf


def test_gradients_come_from_what_is_differentiated() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2, 2], "x")
        y = tf.matmul(x, x, name="y")
        z = tf.while_loop(lambda z: z < 3.0, lambda z: z * 2.0, [tf.reduce_sum(y)])
        tf.gradients(y, x)
        tf.gradients(z, x)
        found = {
            node.name: node._original_op.name
            for node in graph.get_operations()
            if node._original_op is not None
        }
    # What TensorFlow 1.15 says of this program.
    assert found["gradients/y_grad/MatMul"] == "y"
    assert found["gradients_1/while/Exit_grad/b_exit"] == "while/Exit"
    assert found["gradients_1/while/mul_grad/Mul_1/StackPushV2"] == "while/mul"
    assert found["gradients_1/while/Switch_grad_1/NextIteration"] == "while/Switch"
    assert found["gradients_1/Sum_grad/Tile"] == "Sum"
    assert len(found) == 23
    assert "gradients_1/f_count" not in found


def test_blocks_note_the_operation_that_others_are_made_for() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2])
        with graph._original_op(x.op):
            first = tf.identity(x)
            second = graph.create_op("Neg", [x], [tf.float32])
        after = tf.identity(x)
    assert first.op._original_op is x.op
    assert second._original_op is x.op
    assert after.op._original_op is None
