"""Makes graphs of this folder with what is put aside, fed or chosen in rare ways, as make.py does.

python make_kept.py FOLDER [NAME ...]
"""

import numpy as np
from make import GRAPHS, IS_OLD, floats, graph, main, only, step, tf
from tensorflow.python.ops import data_flow_ops

GRAPHS.clear()
ops = tf.raw_ops


def longs(values):
    return np.array(values, np.int64)


def put_aside_by_key():
    x, n = tf.placeholder(tf.float32, [2], "x"), tf.placeholder(tf.int32, [], "n")
    key = tf.placeholder(tf.int64, [], "key")
    area = data_flow_ops.MapStagingArea(
        [tf.float32, tf.int32],
        [[2], []],
        names=["x", "n"],
        shared_name="area",
        ordered=True,
    )
    whole, half, rest = (
        area.put(key, {"x": x, "n": n}),
        area.put(key, {"x": x}),
        area.put(key, {"n": n}),
    )
    sizes, clear = [area.size(), area.incomplete_size()], area.clear()
    least, first = area.get()
    _, own = area.get(key)
    stays = area.peek(key)
    stays = stays[1] if isinstance(stays, tuple) else stays
    _, part = area.get(key, indices=["n"])
    first, own, stays, part = [
        list(one.values()) for one in (first, own, stays, part)
    ]

    def fed(key_, n_=1):
        return {x: floats(2), n: n_, key: key_}

    puts = [step(targets=[whole], feeds=fed(k)) for k in (5, 3, 9)] + [
        step(targets=[half], feeds=fed(4)),
        step(sizes),
    ]
    gets = [
        step(stays, {key: 9}),
        step([least, *first]),
        step(own, {key: 9}),
        step(targets=[rest], feeds=fed(4, 6)),
        step(sizes),
    ]
    return [
        *puts,
        *gets,
        step(part, {key: 4}),
        step(part, {key: 4}, error="InvalidArgumentError"),
        step(targets=[clear]),
        step(sizes),
    ], []


GRAPHS["put_aside_by_key_1" if IS_OLD else "put_aside_by_key_2"] = put_aside_by_key


@only(not IS_OLD)
def windows_fed():
    x = tf.placeholder(tf.float32, [2, 6, 6, 3], "x")
    size, stride = (
        tf.placeholder(tf.int32, [4], "size"),
        tf.placeholder(tf.int32, [4], "stride"),
    )
    how = {"ksize": size, "strides": stride, "padding": "SAME"}
    y = ops.MaxPoolV2(input=x, **how)
    dx = ops.MaxPoolGradV2(orig_input=x, orig_output=y, grad=y, **how)
    images = floats(2, 6, 6, 3)
    feeds = [
        {x: images, size: [1, n, 2, 1], stride: [1, 2, k, 1]}
        for n, k in ((2, 2), (3, 1))
    ]
    return [step([y, dx], f) for f in feeds], [(y, [x], f) for f in feeds]


@only(not IS_OLD)
def choice_in_condition():
    x, p = tf.placeholder(tf.float32, [2], "x"), tf.placeholder(tf.bool, [], "p")

    def goes_on(i, y):
        return tf.cond(p, lambda: i < 3, lambda: tf.constant(False))

    y = tf.identity(
        tf.while_loop(goes_on, lambda i, y: (i + 1, tf.sin(y) * x), (0, x))[1], "y"
    )
    feeds = [{x: floats(2), p: value} for value in (True, False)]
    return [step([y], f) for f in feeds], [(y, [x], f) for f in feeds]


@only(not IS_OLD)
def narrow_numbers():
    x, n = tf.placeholder(tf.float32, [4], "x"), tf.placeholder(tf.int32, [3], "n")
    kinds = tf.dtypes.experimental
    halves = [tf.cast(x, k) for k in (kinds.float8_e5m2, kinds.float8_e4m3fn)]
    halves += [tf.concat([halves[0], tf.constant([0.3, 5.0], halves[0].dtype)], 0)]
    outs = [tf.cast(tf.reshape(y, [2, -1]), tf.float32) for y in halves]
    outs += [tf.cast(tf.cast(n, k), tf.int32) for k in (kinds.int4, kinds.uint4)]
    outs += [tf.cast(tf.constant([-3, 7], kinds.int4), tf.int32)]
    return [step(outs, {x: floats(4) * 20, n: [3, -8, 9]})], []


def words(*values):
    return np.array([x.encode() for x in values], object)


@graph
def tables_without_two_keys():
    rows = {"value_dtype": tf.float32, "value_shape": [3], "initial_num_buckets": 8}
    table = ops.MutableDenseHashTableV2(
        empty_key=longs([0, 0]), deleted_key=longs([-1, -1]), **rows
    )
    keys = tf.placeholder(tf.int64, [None, 2], "keys")
    values = tf.placeholder(tf.float32, [None, 3], "values")
    put = ops.LookupTableInsertV2(table_handle=table, keys=keys, values=values)
    gone = ops.LookupTableRemoveV2(table_handle=table, keys=keys)
    found = ops.LookupTableFindV2(
        table_handle=table, keys=keys, default_value=tf.constant([9.0, 8.0, 7.0])
    )
    size = ops.LookupTableSizeV2(table_handle=table)
    feeds = {keys: longs([[1, 2], [3, 4], [1, 3]]), values: floats(3, 3)}
    none = {keys: longs([[0, 0]]), values: floats(1, 3)}
    return [
        step(targets=[put], feeds=feeds),
        step([found, size], {keys: longs([[3, 4], [4, 3], [1, 3]])}),
        step(targets=[put], feeds=none, error="InvalidArgumentError"),
        step(targets=[gone], feeds={keys: longs([[1, 2]])}),
        step([found, size], {keys: longs([[1, 2], [1, 3]])}),
    ], []


@graph
def tables_filled_twice():
    keys = tf.placeholder(tf.string, [None], "keys")
    values = tf.placeholder(tf.int64, [None], "values")
    table = ops.HashTableV2(
        key_dtype=tf.string, value_dtype=tf.int64, shared_name="table"
    )
    fill = ops.InitializeTableV2(table_handle=table, keys=keys, values=values)
    found = ops.LookupTableFindV2(
        table_handle=table, keys=keys, default_value=longs(-1)
    )
    first = {keys: words("a", "b"), values: longs([1, 2])}
    second = {keys: words("a", "b"), values: longs([1, 3])}
    asked = {keys: words("b", "z")}
    return [
        step([found], asked, error="FailedPreconditionError"),
        step(targets=[fill], feeds=first),
        step(targets=[fill], feeds=first),
        step(targets=[fill], feeds=second, error="FailedPreconditionError"),
        step([found], asked),
    ], []


@graph
def variables_destroyed():
    v = tf.get_variable("v", initializer=np.float32(1.0), use_resource=True)
    read, is_there = (
        v.read_value(),
        ops.VarIsInitializedOp(resource=v.handle),
    )
    gone = ops.DestroyResourceOp(resource=v.handle, ignore_lookup_error=False)
    return [
        step(targets=[v.initializer]),
        step([read, is_there]),
        step(targets=[gone]),
        step([is_there]),
        step([read], error="FailedPreconditionError"),
    ], []


@only(not IS_OLD)
def indices_shuffled():
    index = tf.placeholder(tf.int32, [5], "index")
    places = ops.RandomIndexShuffle(
        index=index, seed=[1, 2, 3], max_index=9, rounds=4
    )
    return [step([places], {index: [0, 1, 2, 8, 9]})], []


if __name__ == "__main__":
    main()
