"""Makes contexts.meta with TensorFlow 1.15: what it notes of branches and loops, one in another.

    python make_contexts.py FOLDER

A development tool, run by hand. The file has the GraphDef and the collections beside it.
"""

import sys

import tensorflow as tf

x, n = tf.placeholder(tf.float32, (2,), "x"), tf.placeholder(tf.int32, (), "n")
w = tf.constant(0.7, name="w")


def turn(i, y):
    z = tf.cond(tf.equal(i % 2, 0), lambda: y * w, lambda: tf.cond(n > 2, lambda: y + x, lambda: y))
    _, z = tf.while_loop(lambda j, z: j < i, lambda j, z: (j + 1, tf.sin(z) * w), (0, z))
    return i + 1, z


def repeated():
    return tf.while_loop(lambda i, y: i < n, turn, (0, x), parallel_iterations=4)[1]


first = tf.while_loop(lambda i, y: i < n, turn, (0, x), parallel_iterations=4)[1]
second = tf.cond(n > 3, repeated, lambda: tf.exp(x))
y = tf.add(first, second, "y")
tf.train.export_meta_graph(f"{sys.argv[1]}/contexts.meta", clear_devices=True, strip_default_attrs=True)
