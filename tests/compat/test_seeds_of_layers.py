"""Layers behind convolutions begin with TensorFlow's numbers: seeds count the nodes before."""

import tensorlite.compat.v1 as tf


def test_seeds_behind_convolutions() -> None:
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(1)
        images = tf.reshape(
            tf.placeholder(tf.float32, [None, 784]) / 255.0, [-1, 28, 28, 1]
        )
        x = tf.layers.conv2d(images, 16, 5, 1, "same", activation=tf.nn.relu)
        x = tf.layers.max_pooling2d(x, 2, 2)
        x = tf.layers.conv2d(x, 32, 5, 1, "same", activation=tf.nn.relu)
        tf.layers.dense(tf.reshape(x, [-1, 14 * 14 * 32]), 10)
        drawn = [x for x in graph.get_operations() if x.type == "RandomUniform"]
        found = [x.get_attr("seed2") for x in drawn]
    assert found == [8, 27, 47]  # as TensorFlow 1.15 has them
