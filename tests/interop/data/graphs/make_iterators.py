"""Makes the graphs of datasets and iterators of this folder: a development tool, as make.py is.

    python make_iterators.py FOLDER [NAME ...]
"""

import numpy as np
from make import GRAPHS, IS_OLD, floats, main, only, step, tf

GRAPHS.clear()


def datasets(x):
    """Return datasets of many kinds, made of a placeholder and constants."""
    whole, numbers = tf.data.Dataset, tf.data.Dataset.range(8)
    rows = whole.from_tensor_slices((x, {"n": tf.range(tf.shape(x)[0])}))
    scale = tf.constant(3.0, name="scale")
    mapped = rows.map(lambda row, more: (tf.reduce_sum(row) * scale, more["n"])).filter(lambda y, n: y > 0.0)
    lengths = whole.range(1, 7).map(lambda n: (tf.fill([n], n), tf.as_string(n)), num_parallel_calls=2)
    by_key = tf.data.experimental.group_by_window(lambda n: n % 3, lambda k, w: w.batch(2).map(lambda y: (k, y)), 2)
    slid = numbers.window(3, 2, 1, True).flat_map(lambda w: w.batch(3))
    turns = whole.range(3).interleave(lambda n: whole.from_tensors(n).repeat(n + 1), cycle_length=2, block_length=1)
    both = whole.zip((numbers.skip(2).take(4), turns.concatenate(whole.range(2)))).shard(2, 1)
    summed = numbers.apply(tf.data.experimental.scan(np.int64(0), lambda s, n: (s + n, s * n)))
    rest = numbers.batch(3).apply(tf.data.experimental.unbatch()).apply(tf.data.experimental.unique())
    drawn = numbers.shuffle(4, seed=3).map(lambda n: (n, tf.random_uniform([], seed=5))).batch(3, drop_remainder=True)
    padded = lengths.padded_batch(2, ([None], []), (np.int64(-1), b"?"))
    kept = rest.apply(tf.data.experimental.take_while(lambda n: n < 6)).cache().prefetch(1)
    return [mapped.batch(2), padded, numbers.apply(by_key), slid, both, summed, drawn, kept]


def iterators():
    x = tf.placeholder(tf.float32, (None, 2), "x")
    made = [tf.data.make_initializable_iterator(one) for one in datasets(x)]
    nexts = [tf.nest.flatten(one.get_next()) for one in made]
    begin = step(targets=[one.initializer for one in made], feeds={x: floats(5, 2) + 0.2})
    steps = [step(nexts[0], error="FailedPreconditionError")]
    for _ in range(2):
        steps += [begin] + [step(one) for one in nexts for _ in range(2)]
    ends = [step(nexts[1]), step(nexts[1], error="OutOfRangeError")]
    once = tf.data.make_one_shot_iterator(tf.data.Dataset.range(3).shuffle(3, seed=1).repeat(2))
    other = tf.data.Iterator.from_structure(tf.int64, [])
    choices = [other.make_initializer(tf.data.Dataset.range(*bounds)) for bounds in ((2, 4), (7, 9))]
    handle = tf.placeholder(tf.string, [], "handle")
    tf.data.Iterator.from_string_handle(handle, tf.int64, []).get_next()
    asked = [step([one.get_next()]) for one in (once, once, once, once)]
    for one in choices:
        asked += [step(targets=[one]), step([other.get_next()]), step([other.get_next()])]
    return steps + ends + asked, []


@only(IS_OLD)
def iterators_of_1():
    return iterators()


@only(not IS_OLD)
def iterators_of_2():
    return iterators()


if __name__ == "__main__":
    main()
