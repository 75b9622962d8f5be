"""A program for TensorFlow 1, with its import lines changed: it learns digits, saves, restores."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import tensorlite.compat.v1 as tf
from tensorlite.compat.v1.examples.tutorials.mnist import input_data


def convolution(x: Any, channels: int, name: str) -> Any:
    """Return what a layer of a name computes: features of half the height and width."""
    with tf.variable_scope(name):
        size = [3, 3, int(x.shape[-1]), channels]
        initial = tf.truncated_normal_initializer(stddev=0.1)
        weights = tf.get_variable("weights", size, initializer=initial)
        biases = tf.Variable(tf.constant(0.1, shape=[channels]), name="biases")
        tf.add_to_collection("decay", tf.nn.l2_loss(weights))
        convolved = tf.nn.conv2d(x, weights, [1, 1, 1, 1], "SAME")
        active = tf.nn.relu(convolved + biases)
        return tf.nn.max_pool(active, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")


def main(steps: int = 300, folder: str | None = None) -> tuple[float, float]:
    """Return the accuracy on digits not seen, of the model and of what is restored of it."""
    # The digits of scikit-learn in MNIST's format; name a folder with MNIST's files to use those.
    digits = input_data.read_data_sets("digits", one_hot=True)

    tf.reset_default_graph()
    tf.set_random_seed(1)
    images = tf.placeholder(tf.float32, [None, 784], name="images")
    labels = tf.placeholder(tf.float32, [None, 10], name="labels")
    keep = tf.placeholder_with_default(1.0, [], name="keep")

    features = tf.reshape(images, [-1, 28, 28, 1])
    features = convolution(features, 8, "first")
    features = convolution(features, 16, "second")
    hidden = tf.layers.dense(tf.layers.flatten(features), 64, tf.nn.relu)
    logits = tf.layers.dense(tf.nn.dropout(hidden, keep), 10, name="logits")

    losses = tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits)
    loss = tf.reduce_mean(losses) + 1e-4 * tf.add_n(tf.get_collection("decay"))
    step = tf.train.get_or_create_global_step()
    rate = tf.train.exponential_decay(2e-3, step, 100, 0.7)
    train = tf.train.AdamOptimizer(rate).minimize(loss, global_step=step)
    right = tf.equal(tf.argmax(logits, 1), tf.argmax(labels, 1))
    accuracy = tf.reduce_mean(tf.cast(right, tf.float32), name="accuracy")

    saver = tf.train.Saver()
    tests = {images: digits.test.images, labels: digits.test.labels}
    where = Path(folder or tempfile.mkdtemp())
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for i in range(steps):
            x, y = digits.train.next_batch(50)
            _, error = session.run([train, loss], {images: x, labels: y, keep: 0.7})
            if i % 50 == 0:
                print(f"step {i:3}  loss {error:.3f}")
        learnt = accuracy.eval(tests)
        saver.save(session, str(where / "digits"), global_step=step)
    print(f"{100 * learnt:.1f} % of the digits not seen are recognised")
    print("variables:", *[variable.name for variable in tf.trainable_variables()])

    # The checkpoint is TensorFlow's: its graph and its values come back without the code above.
    with tf.Graph().as_default(), tf.Session() as session:
        path = str(tf.train.latest_checkpoint(str(where)))
        saved = tf.train.import_meta_graph(f"{path}.meta")
        assert saved is not None, "the graph has variables"
        saved.restore(session, path)
        feeds = {"images:0": tests[images], "labels:0": tests[labels]}
        restored = session.run("accuracy:0", feeds)
    print(f"{100 * restored:.1f} % after it was saved and restored")
    return float(learnt), float(restored)


if __name__ == "__main__":
    main()
