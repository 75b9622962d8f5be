"""Makes the graphs of this folder with TensorFlow 1.15 or 2: a development tool, run by hand.

    python make.py FOLDER [NAME ...]

Each is NAME.npz: the bytes of the GraphDef in "graph", and in "meta", as JSON, "steps": what to feed,
what to fetch, which nodes to run, and what TensorFlow gave for it. "gradients" says the same of
gradients that are not in the graph. Graphs of control flow as functions need TensorFlow 2, those of
`rnn_cell` and `layers` TensorFlow 1.15; what cannot be made by the one at hand is left out.
"""

import json
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
import numpy as np
import tensorflow

tf = tensorflow.compat.v1
IS_OLD = tensorflow.__version__.startswith("1.")
RNG = np.random.RandomState(7)
GRAPHS = {}


def floats(*shape):
    return RNG.normal(size=shape).astype(np.float32) * 0.5


def graph(function):
    GRAPHS[function.__name__] = function
    return function


def only(which):
    return graph if which else lambda function: function


def step(fetches=(), feeds=None, targets=(), error=None):
    return {"fetches": list(fetches), "feeds": feeds or {}, "targets": list(targets), "error": error}


@graph
def while_matmul():
    x, n = tf.placeholder(tf.float32, (2, 3), "x"), tf.placeholder(tf.int32, (), "n")
    w = tf.constant(floats(3, 3), name="w")
    _, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, tf.tanh(tf.matmul(y, w))), (0, x))
    y = tf.identity(y, "y")
    feeds = [{x: floats(2, 3), n: k} for k in (0, 1, 4)]
    return [step([y], f) for f in feeds], [(y, [x, w], f) for f in feeds]


@graph
def while_gradient_inside():
    x = tf.placeholder(tf.float32, (3,), "x")
    _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * tf.sin(y) + x), (0, x * 2.0))
    (dx,) = tf.gradients(tf.reduce_sum(y * y), [x])
    return [step([y, dx], {x: floats(3)})], [(y, [x], {x: floats(3)})]


@graph
def while_nested():
    x, n = tf.placeholder(tf.float32, (2,), "x"), tf.placeholder(tf.int32, (), "n")

    def outer(i, y):
        _, z = tf.while_loop(lambda j, z: j < i, lambda j, z: (j + 1, z * x + 0.5), (0, y))
        return i + 1, tf.sin(z) + y

    _, y = tf.while_loop(lambda i, y: i < n, outer, (0, x))
    y = tf.identity(y, "y")
    feeds = [{x: floats(2), n: k} for k in (1, 4)]
    return [step([y], f) for f in feeds], [(y, [x], f) for f in feeds]


@graph
def cond_in_while():
    x = tf.placeholder(tf.float32, (), "x")

    def body(i, y, most):
        y = tf.cond(tf.equal(i % 2, 0), lambda: y * x, lambda: tf.cond(y > 1.0, lambda: y - x, lambda: y + 1.0))
        return i + 1, y, tf.maximum(most, y)

    i, y, most = tf.while_loop(lambda i, y, m: tf.logical_and(i < 7, y < 50.0), body, (0, x, x - 1.0))
    out = [tf.identity(one, name) for one, name in ((i, "i"), (y, "y"), (most, "most"))]
    feeds = [{x: np.float32(v)} for v in (0.3, 1.7, -2.0, 60.0)]
    return [step(out, f) for f in feeds], [(out[1], [x], f) for f in feeds] + [(out[2], [x], f) for f in feeds]


@graph
def while_in_cond():
    x, p = tf.placeholder(tf.float32, (2,), "x"), tf.placeholder(tf.bool, (), "p")

    def repeated():
        return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (0, x))[1]

    y = tf.identity(tf.cond(p, repeated, lambda: tf.exp(x) + 1.0), "y")
    feeds = [{x: floats(2), p: v} for v in (True, False)]
    return [step([y], f) for f in feeds], [(y, [x], f) for f in feeds]


@only(IS_OLD)
def cond_in_while_gradient_inside():
    x, w = tf.placeholder(tf.float32, (), "x"), tf.constant(1.3, name="w")

    def body(i, y):
        return i + 1, tf.cond(y < 2.0, lambda: tf.sin(y) * w * y, lambda: y * y * 0.3)

    _, y = tf.while_loop(lambda i, y: i < 5, body, (0, x))
    y = tf.identity(y, "y")
    inside = tf.gradients(y, [x, w])
    feeds = [{x: value} for value in (1.1, 2.5)]
    return [step([y, *inside], f) for f in feeds], [(y, [x, w], f) for f in feeds]


@graph
def cond_gradient_inside():
    x, p = tf.placeholder(tf.float32, (2,), "x"), tf.placeholder(tf.bool, (), "p")
    a, b = tf.cond(p, lambda: (x * x, tf.sin(x)), lambda: (tf.exp(x), x))
    y = tf.identity(a * b, "y")
    (dx,) = tf.gradients(y, [x])
    (ddx,) = tf.gradients(tf.cond(p, lambda: tf.sin(x) * 3.0, lambda: x), [x])
    feeds = [{x: floats(2), p: v} for v in (True, False)]
    return [step([y, a, b, dx, ddx], f) for f in feeds], [(y, [x], f) for f in feeds]


@graph
def cond_with_state():
    p = tf.placeholder(tf.bool, (), "p")
    v = tf.get_variable("v", initializer=np.float32(1.0), use_resource=False)
    r = tf.get_variable("r", initializer=np.float32(2.0), use_resource=True)
    y = tf.cond(p, lambda: tf.assign_add(v, 1.5) * 2.0, lambda: tf.identity(v))
    z = tf.cond(p, lambda: tf.identity(r), lambda: r.assign_sub(0.5))
    done = tf.cond(p, lambda: tf.no_op(), lambda: tf.group(v.assign(9.0)))
    with tf.control_dependencies([y, z]):
        seen = [tf.identity(v), r.read_value()]
    steps = [step(targets=[tf.global_variables_initializer()])]
    for value in (True, False, True):
        steps += [step([y, z, *seen], {p: value}), step([v, r])]
    return [*steps, step(targets=[done.op if hasattr(done, "op") else done], feeds={p: False}), step([v])], []


@graph
def while_with_state():
    v = tf.get_variable("v", initializer=np.zeros(4, np.float32), use_resource=False)
    r = tf.get_variable("r", initializer=np.float32(0.0), use_resource=True)

    def body(i, total):
        with tf.control_dependencies([tf.scatter_add(v, [i], [tf.cast(i, tf.float32)]), r.assign_add(2.0)]):
            return i + 1, total + r.read_value()

    i, total = tf.while_loop(lambda i, t: i < 4, body, (0, 0.0), parallel_iterations=1)
    with tf.control_dependencies([total]):
        after = [tf.identity(v), r.read_value()]
    return [step(targets=[tf.global_variables_initializer()]), step([i, total, *after]), step([total, *after])], []


@graph
def random_in_while():
    def body(i, y):
        drawn = tf.random_uniform((3,), seed=5) + tf.random_normal((3,), seed=6)
        return i + 1, y + drawn

    _, y = tf.while_loop(lambda i, y: i < 3, body, (0, tf.zeros(3)), parallel_iterations=1)
    return [step([tf.identity(y, "y")])], []


@graph
def tensor_array():
    x = tf.placeholder(tf.float32, (4, 2), "x")
    source = tf.TensorArray(tf.float32, 4).unstack(x)
    made = tf.TensorArray(tf.float32, 4)

    def body(i, made, total):
        row = source.read(i)
        return i + 1, made.write(i, row * total), total + row

    _, made, total = tf.while_loop(lambda i, *_: i < 4, body, (0, made, tf.ones(2)))
    y = tf.identity(made.stack(), "y")
    split = tf.TensorArray(tf.float32, 2, infer_shape=False).split(x, [1, 3])
    joined = tf.identity(split.concat(), "joined")
    picked = tf.identity(source.gather([2, 0]), "picked") if IS_OLD else joined * 2.0
    (dx,) = tf.gradients(y, [x])
    f = {x: floats(4, 2)}
    return [step([y, total, joined, picked, made.size(), dx], f)], [(y, [x], f), (total, [x], f), (joined, [x], f)]


@graph
def scan_map_fold():
    x = tf.placeholder(tf.float32, (5, 2), "x")
    a = tf.scan(lambda a, b: a * 0.5 + tf.tanh(b), x)
    b = tf.map_fn(lambda row: tf.reduce_sum(row * row), x)
    c = tf.foldl(lambda a, b: a * b + 1.0, x)
    y = tf.identity(tf.reduce_sum(a) + tf.reduce_sum(b * b) + tf.reduce_sum(c), "y")
    (dx,) = tf.gradients(y, [x])
    f = {x: floats(5, 2)}
    return [step([a, b, c, dx], f)], [(y, [x], f)]


@graph
def cases():
    x, i = tf.placeholder(tf.float32, (), "x"), tf.placeholder(tf.int32, (), "i")
    y = tf.case([(tf.equal(i, 0), lambda: x * x), (tf.equal(i, 1), lambda: tf.exp(x))], default=lambda: -x, exclusive=True)
    y = tf.identity(y, "y")
    feeds = [{x: np.float32(1.5), i: k} for k in range(3)]
    return [step([y], f) for f in feeds], [(y, [x], f) for f in feeds]


@only(IS_OLD)
def dynamic_rnn():
    x = tf.placeholder(tf.float32, (3, 5, 2), "x")
    length = tf.placeholder(tf.int32, (3,), "length")
    cell = tf.nn.rnn_cell.BasicLSTMCell(4)
    outputs, state = tf.nn.dynamic_rnn(cell, x, length, dtype=tf.float32)
    w = tf.global_variables()[0]
    assign = [v.assign(floats(*v.shape.as_list())) for v in tf.global_variables()]
    y = tf.identity(tf.reduce_sum(outputs * outputs) + tf.reduce_sum(state.c), "y")
    grads = tf.gradients(y, [x, w])
    f = {x: floats(3, 5, 2), length: np.array([5, 2, 3], np.int32)}
    return [step(targets=assign), step([outputs, state.h, y, *grads], f)], [(y, [x], f)]


@only(IS_OLD)
def bidirectional_gru():
    x = tf.placeholder(tf.float32, (2, 4, 3), "x")
    cells = [tf.nn.rnn_cell.GRUCell(3) for _ in range(2)]
    outputs, _ = tf.nn.bidirectional_dynamic_rnn(*cells, x, sequence_length=[4, 2], dtype=tf.float32)
    assign = [v.assign(floats(*v.shape.as_list())) for v in tf.global_variables()]
    y = tf.identity(tf.concat(outputs, -1), "y")
    loss = tf.reduce_mean(tf.square(y))
    train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    f = {x: floats(2, 4, 3)}
    steps = [step(targets=[tf.global_variables_initializer()]), step(targets=assign)]
    return [*steps, step([y, loss], f), step(targets=[train], feeds=f), step([loss], f)], [(y, [x], f)]


@only(IS_OLD)
def cnn_batch_norm_adam():
    x = tf.placeholder(tf.float32, (None, 8, 8, 1), "x")
    labels = tf.placeholder(tf.int32, (None,), "labels")
    training = tf.placeholder_with_default(False, (), "training")
    h = tf.layers.conv2d(x, 4, 3, padding="same", use_bias=False)
    h = tf.nn.relu(tf.layers.batch_normalization(h, training=training))
    h = tf.layers.max_pooling2d(h, 2, 2)
    logits = tf.layers.dense(tf.layers.flatten(h), 3)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train = tf.train.AdamOptimizer(0.01).minimize(loss)
    kernels = [v for v in tf.trainable_variables() if "kernel" in v.name]
    assign = [v.assign(floats(*v.shape.as_list())) for v in kernels]
    f = {x: floats(4, 8, 8, 1), labels: np.array([0, 1, 2, 1], np.int32)}
    steps = [step(targets=[tf.global_variables_initializer()]), step(targets=assign), step([logits, loss], f)]
    for _ in range(3):
        steps += [step([loss], {**f, training: True}, [train])]
    return [*steps, step([logits, loss, *tf.global_variables()], f)], [(loss, [x], f)]


def _optimizers():
    t = tf.train
    yield t.GradientDescentOptimizer(0.1)
    yield t.MomentumOptimizer(0.1, 0.9)
    yield t.MomentumOptimizer(0.1, 0.9, use_nesterov=True)
    yield t.AdamOptimizer(0.1)
    yield t.AdagradOptimizer(0.1)
    yield t.AdadeltaOptimizer(1.0)
    yield t.FtrlOptimizer(0.1, l1_regularization_strength=0.01, l2_regularization_strength=0.01)
    yield t.RMSPropOptimizer(0.1, momentum=0.5)
    yield t.RMSPropOptimizer(0.1, momentum=0.5, centered=True)
    yield t.ProximalGradientDescentOptimizer(0.1, 0.01, 0.01)
    yield t.ProximalAdagradOptimizer(0.1, l1_regularization_strength=0.01)
    yield t.AdagradDAOptimizer(0.1, tf.get_variable("step", initializer=np.int64(1), trainable=False), l1_regularization_strength=0.01)


def _trained(use_resource):
    first, rows = floats(3, 2), floats(4, 2)
    x = tf.placeholder(tf.float32, (3, 2), "x")
    trains, variables = [], []
    for i, optimizer in enumerate(_optimizers()):
        with tf.variable_scope("o%d" % i):
            v = tf.get_variable("v", initializer=first, use_resource=use_resource)
            e = tf.get_variable("e", initializer=rows, use_resource=use_resource)
            loss = tf.reduce_sum(tf.square(v - x)) + tf.reduce_sum(tf.nn.embedding_lookup(e, [1, 3, 1]) ** 2)
            trains.append(optimizer.minimize(loss, var_list=[v, e]))
            variables += [v, e]
    f = {x: floats(3, 2)}
    steps = [step(targets=[tf.global_variables_initializer()])]
    for _ in range(3):
        steps += [step(targets=trains, feeds=f), step(variables)]
    return steps, []


@graph
def optimizers_of_references():
    return _trained(False)


@graph
def optimizers_of_resources():
    return _trained(True)


@graph
def queues():
    x = tf.placeholder(tf.float32, (None, 2), "x")
    fifo = tf.FIFOQueue(10, [tf.float32, tf.int32], [(2,), ()], name="fifo")
    many = fifo.enqueue_many([x, tf.range(tf.shape(x)[0])])
    one = fifo.enqueue([x[0], 7])
    taken, some, rest = fifo.dequeue(), fifo.dequeue_many(2), fifo.dequeue_up_to(5)
    padding = tf.PaddingFIFOQueue(10, [tf.float32], [(None,)], name="padding")
    pad = [padding.enqueue([tf.ones(k)]) for k in (1, 3)]
    padded = padding.dequeue_many(2)
    priority = tf.PriorityQueue(10, [tf.string], [()], name="priority")
    put = priority.enqueue_many([np.array([3, 1, 2], np.int64), ["c", "a", "b"]])
    first = priority.dequeue()
    shuffle = tf.RandomShuffleQueue(10, 0, [tf.float32], [(2,)], seed=3, name="shuffle")
    mixed = tf.reduce_sum(shuffle.dequeue_many(3), 0)
    f = {x: floats(3, 2)}
    closed = [fifo.close(), padding.close(cancel_pending_enqueues=True)]
    return [
        step(targets=[many], feeds=f), step(targets=[one], feeds=f), step([fifo.size()]),
        step(taken), step(some), step(targets=[closed[0]]), step(rest), step(taken, error="OutOfRangeError"),
        step([fifo.is_closed()]), step(targets=[pad[0]]), step(targets=[pad[1]]), step([padded]),
        step(targets=[put]), step(first), step(first), step(targets=[shuffle.enqueue_many([x])], feeds=f), step([mixed]),
    ], []


@graph
def accumulators():
    x = tf.placeholder(tf.float32, (2,), "x")
    dense = tf.ConditionalAccumulator(tf.float32, (2,), "dense")
    sparse = tf.SparseConditionalAccumulator(tf.float32, (4, 2), "sparse")
    put = [dense.apply_grad(x, 0), sparse.apply_grad(np.array([0, 2], np.int64), tf.stack([x, x]), local_step=0)]
    taken = sparse.take_grad(2)
    f = {x: floats(2)}
    steps = [step(targets=put, feeds=f), step(targets=put, feeds=f), step([dense.num_accumulated(), sparse.num_accumulated()])]
    return [*steps, step([dense.take_grad(1)]), step([taken[0], taken[1]] if isinstance(taken, tuple) else [taken.indices, taken.values])], []


@graph
def ema_clip_decay():
    x = tf.placeholder(tf.float32, (3,), "x")
    v = tf.get_variable("v", initializer=floats(3), use_resource=False)
    count = tf.train.get_or_create_global_step()
    rate = tf.train.exponential_decay(0.5, count, 2, 0.7, staircase=True)
    optimizer = tf.train.GradientDescentOptimizer(rate)
    (g, _), = optimizer.compute_gradients(tf.reduce_sum(tf.square(v * x - 1.0)), [v])
    (g,), norm = tf.clip_by_global_norm([g], 0.5)
    train = optimizer.apply_gradients([(g, v)], count)
    ema = tf.train.ExponentialMovingAverage(0.9, count)
    with tf.control_dependencies([train]):
        kept = ema.apply([v])
    f = {x: floats(3)}
    steps = [step(targets=[tf.global_variables_initializer()])]
    for _ in range(4):
        steps += [step([norm, rate], f), step(targets=[kept], feeds=f), step([v, ema.average(v), count])]
    return steps, []


@graph
def diagonals():
    x = tf.placeholder(tf.float32, (2, 3, 4), "x")
    raw = tf.raw_ops if hasattr(tf, "raw_ops") else tensorflow.raw_ops
    outs = []
    for align in ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"):
        if IS_OLD:
            return [step([x], {x: floats(2, 3, 4)})], []
        part = raw.MatrixDiagPartV3(input=x, k=[-1, 2], padding_value=9.0, align=align)
        outs += [part, raw.MatrixDiagV3(diagonal=part, k=[-1, 2], num_rows=3, num_cols=4, padding_value=0.5, align=align)]
        outs += [raw.MatrixSetDiagV3(input=x, diagonal=part * 2.0, k=[-1, 2], align=align)]
    return [step(outs, {x: floats(2, 3, 4)})], []


@graph
def drawn():
    outs = [tf.random_uniform((4,), seed=1), tf.random_normal((4,), seed=2), tf.random_uniform((4,), 0, 100, tf.int32, seed=3)]
    outs += [tf.truncated_normal((300,), seed=4), tf.random_shuffle(tf.range(10), seed=5)]
    outs += [tf.multinomial(tf.constant([[1.0, 2.0, 0.5]]), 8, seed=6), tf.random_uniform((3,), dtype=tf.float64, seed=7)]
    return [step(outs), step(outs)], []


@graph
def stateless_drawn():
    random = tf.random
    outs = [random.stateless_uniform((5,), [1, 2]), random.stateless_normal((5,), [3, 4])]
    outs += [random.stateless_truncated_normal((50,), [5, 6])]
    return [step(outs)], []


@only(IS_OLD)
def functions_by_name():
    from tensorflow.python.framework import function

    @function.Defun(tf.float32, tf.float32, tf.float32)
    def clipped_gradient(x, w, dy):
        return tf.clip_by_value(dy * w, -0.5, 0.5), dy * x * 2.0

    @function.Defun(tf.float32, tf.float32, grad_func=clipped_gradient)
    def product(x, w):
        return x * w

    @function.Defun(tf.float32)
    def both(x):
        return tf.sin(x), product(x, x + 1.0)

    x, w = tf.placeholder(tf.float32, (3,), "x"), tf.placeholder(tf.float32, (3,), "w")
    a, b = both(x)
    y = tf.identity(product(x, w) + a * b, "y")
    z = tf.identity(product(x, w) * 3.0, "z")
    f = {x: floats(3), w: floats(3) * 4.0}
    return [step([y, z], f)], [(z, [x, w], f)]


@only(not IS_OLD)
def functional():
    tf.enable_control_flow_v2()
    x, n = tf.placeholder(tf.float32, (3,), "x"), tf.placeholder(tf.int32, (), "n")

    @tensorflow.function
    def twice(a):
        return a * a + 1.0

    def body(i, y, rows):
        y = tf.cond(tf.equal(i % 2, 0), lambda: twice(y), lambda: tf.sin(y) * x)
        return i + 1, y, rows.write(i, y)

    rows = tf.TensorArray(tf.float32, n, element_shape=(3,))
    _, y, rows = tf.while_loop(lambda i, *_: i < n, body, (0, x, rows))
    kept = rows.stack()
    chosen = tf.switch_case(n, [lambda: x, lambda: -x, lambda: twice(x)])
    loss = tf.reduce_sum(kept * kept) + tf.reduce_sum(y)
    (dx,) = tf.gradients(loss, [x])
    tf.disable_control_flow_v2()
    feeds = [{x: floats(3), n: k} for k in (1, 4)]
    return [step([y, kept, chosen, loss, dx], f) for f in feeds], [(loss, [x], f) for f in feeds]


def run(name, folder):
    tf.reset_default_graph()
    data, given = {}, tf.Graph()
    with given.as_default():
        tf.set_random_seed(11)
        steps, grads = GRAPHS[name]()
        proto = given.as_graph_def()
        names = {id(x): tf.gradients(*x[:2]) for x in grads}
    meta = {"steps": [], "gradients": []}

    def keep(value, dtype=None):
        key = "a%d" % len(data)
        value = np.asarray(value, dtype)
        data[key] = np.char.encode(value.astype(str)) if value.dtype == object else value
        return key

    def fed(feeds):
        return {x.name: keep(v, x.dtype.as_numpy_dtype) for x, v in feeds.items()}

    with tf.Session(graph=given) as session:
        for one in steps:
            feeds = fed(one["feeds"])
            entry = {"feeds": feeds, "targets": [getattr(x, "op", x).name for x in one["targets"]], "error": one["error"]}
            entry["fetches"] = {}
            fetched = one["fetches"]
            try:
                values = session.run([fetched, list(one["targets"])], one["feeds"])[0]
            except tf.errors.OpError as error:
                assert one["error"] == type(error).__name__, error
                values = [0] * len(fetched)
            for x, value in zip(fetched, values):
                x = tf.Graph.as_graph_element(given, x)
                entry["fetches"][x.name] = keep(value)
            meta["steps"].append(entry)
        for one in grads:
            values = session.run(names[id(one)], one[2])
            feeds = fed(one[2])
            meta["gradients"].append({"y": one[0].name, "xs": [x.name for x in one[1]], "feeds": feeds, "values": [keep(v) for v in values]})
    data["graph"] = np.frombuffer(proto.SerializeToString(), np.uint8)
    np.savez_compressed(os.path.join(folder, name + ".npz"), meta=json.dumps(meta), **data)


def main():
    folder, chosen = sys.argv[1], sys.argv[2:]
    if not IS_OLD:
        tf.disable_v2_behavior()
    for name in chosen or GRAPHS:
        RNG.seed(7)
        try:
            run(name, folder)
            print("made", name)
        except Exception as error:
            print("FAILED", name, type(error).__name__, str(error)[:300])


if __name__ == "__main__":
    main()
