"""Makes graphs of this folder as programs have them, with operators of many kinds, as make.py does.

    python make_programs.py FOLDER [NAME ...]
"""

import numpy as np
from make import GRAPHS, IS_OLD, floats, graph, main, only, step, tf

GRAPHS.clear()


@only(IS_OLD)
def word_vectors():
    x, y = tf.placeholder(tf.int32, [4], "x"), tf.placeholder(tf.int64, [4, 1], "y")
    vectors = tf.get_variable("vectors", initializer=floats(20, 3))
    weights, biases = tf.get_variable("weights", initializer=floats(20, 3)), tf.get_variable("biases", initializer=floats(20))
    given = tf.nn.embedding_lookup(vectors, x)
    loss = tf.reduce_mean(tf.nn.nce_loss(weights, biases, y, given, 5, 20))
    other = tf.reduce_mean(tf.nn.sampled_softmax_loss(weights, biases, y, given, 5, 20))
    drawn = tf.nn.uniform_candidate_sampler(y, 1, 4, True, 20)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    feeds = {x: [1, 2, 3, 4], y: [[5], [6], [7], [8]]}
    steps = [step(targets=[tf.global_variables_initializer()])]
    for _ in range(3):
        steps += [step([loss, other, drawn[0], drawn[2]], feeds), step(targets=[train], feeds=feeds)]
    return steps, []


@graph
def metrics():
    y, p = tf.placeholder(tf.int64, [6], "y"), tf.placeholder(tf.float32, [6, 3], "p")
    chosen = tf.argmax(p, 1)
    made = [
        tf.metrics.accuracy(y, chosen), tf.metrics.auc(y > 0, tf.sigmoid(p[:, 1])), tf.metrics.mean_iou(y, chosen, 3),
        tf.metrics.recall_at_k(y, p, 2), tf.metrics.precision(y > 0, chosen > 0), tf.metrics.mean_per_class_accuracy(y, chosen, 3),
    ]
    feeds = {y: [0, 1, 2, 1, 0, 2], p: floats(6, 3)}
    steps = [step(targets=[tf.local_variables_initializer()])]
    steps += [step([one[1]], feeds) for one in made] * 2
    return steps + [step([one[0] for one in made]), step([tf.math.confusion_matrix(y, chosen, 3)], feeds)], []


@graph
def signals():
    x = tf.placeholder(tf.float32, [2, 32], "x")
    waves = tf.signal.stft(x, 8, 4, fft_length=8)
    plane = tf.reshape(tf.complex(x, x * 2.0), [4, 4, 4])
    many = [tf.signal.fft(plane), tf.signal.fft2d(plane), tf.signal.ifft(plane), tf.signal.fft3d(plane)]
    many += [tf.signal.irfft2d(tf.signal.rfft2d(tf.real(plane))), tf.signal.rfft(x), tf.abs(waves), tf.signal.dct(x)]
    back = tf.signal.inverse_stft(waves, 8, 4, window_fn=tf.signal.inverse_stft_window_fn(4))
    return [step([*many, back], {x: floats(2, 32)})], [(tf.abs(many[5]), [x], {x: floats(2, 32)})]


@graph
def sets_and_rest():
    x, n = tf.placeholder(tf.float32, [3], "x"), tf.placeholder(tf.int32, [2, 3], "n")
    sparse = tf.SparseTensor([[0, 1], [0, 1], [1, 0]], x, [2, 2])
    rows = tf.constant(np.array([[2, 3, 3], [7, 1, 2]], np.int32))
    both = [tf.sets.set_intersection(n, rows), tf.sets.set_difference(n, rows), tf.sets.set_union(n, rows)]
    rest = [tf.sparse.add(sparse, tf.ones([2, 2])), tf.expand_dims(x, [1]), tf.math.igammac(2.0, tf.abs(x)), tf.math.bessel_i0(x)]
    rest += tf.io.decode_csv(tf.constant(["1,a", "2,", ","]), [[7], ["b"]])
    rest += tf.setdiff1d([1, 4, 2, 4], [4])
    rest += [y for one in both for y in (one.indices, one.values, one.dense_shape)]
    return [step([*rest, tf.math.erfc(x)], {x: floats(3), n: [[1, 2, 3], [7, 8, 7]]})], []


@graph
def searched_and_matched():
    x, n = tf.placeholder(tf.float32, [2, 3], "x"), tf.placeholder(tf.int32, [3, 2], "n")
    ops, one = tf.raw_ops, tf.reshape(n, [-1])
    listed = [ops.UniqueV2(x=n, axis=[0]), ops.UniqueV2(x=n, axis=[1]), ops.UniqueWithCounts(x=one)]
    listed += [ops.UniqueWithCountsV2(x=n, axis=[-2], out_idx=tf.int64), ops.UniqueWithCountsV2(x=one, axis=np.zeros(0, np.int64))]
    rest = [y for some in listed for y in some]
    rest += [ops.Bucketize(input=x, boundaries=[-0.5, 0.0, 0.5]), ops.Bucketize(input=n, boundaries=[2.0, 7.0])]
    rest += [ops.EuclideanNorm(input=x, axis=[1], keep_dims=True), ops.UnravelIndex(indices=one, dims=[3, 5])]
    words = tf.constant([b"a1b22", b"c"])
    rest += [ops.RegexReplace(input=words, pattern="[0-9]", rewrite="#"), ops.RegexFullMatch(input=words, pattern="[a-c]")]
    rest += [ops.RegexReplace(input=words, pattern="([a-b])", rewrite="<\\1>", replace_global=False)]
    rest += [ops.NthElement(input=x, n=1), ops.NthElement(input=x, n=0, reverse=True), ops.Reverse(tensor=x, dims=[False, True])]
    rest += [ops.ScatterNdNonAliasingAdd(input=x, indices=[[1], [1]], updates=tf.ones([2, 3]))]
    rest += [ops.ConjugateTranspose(x=tf.complex(x, x), perm=[1, 0])]
    grads = {"grad": x, "indices": [0, 3, 3], "segment_ids": [0, 0, 1], "output_dim0": 5}
    rest += [ops.SparseSegmentMeanGrad(**grads), ops.SparseSegmentSqrtNGrad(**grads)]
    segments = {"data": x, "indices": [0, 1, 1], "segment_ids": [0, 0, 2], "num_segments": 4}
    rest += [getattr(ops, f"SparseSegment{kind}WithNumSegments")(**segments) for kind in ("Sum", "Mean", "SqrtN")]
    image = tf.reshape(tf.range(32.0), [1, 4, 4, 2])
    rest += [ops.MaxPoolV2(input=image, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")]
    volume = tf.reshape(tf.range(54.0), [1, 3, 3, 3, 2])
    rest += [ops.ExtractVolumePatches(input=volume, ksizes=[1, 2, 2, 2, 1], strides=[1, 1, 1, 1, 1], padding="VALID")]
    return [step(rest, {x: floats(2, 3), n: [[1, 2], [7, 2], [1, 2]]})], []


@graph
def drawn_by_parameters():
    seed, ops = {"seed": 7, "seed2": 3}, tf.raw_ops
    alphas = tf.constant([0.5, 1.0, 3.0])
    outs = [ops.RandomGamma(shape=[4], alpha=alphas, **seed), ops.RandomGamma(shape=[2], alpha=tf.cast(alphas, tf.float64), **seed)]
    outs += [ops.RandomPoissonV2(shape=[2, 3], rate=[0.5, 20.0], dtype=tf.int32, **seed)]
    return [step(outs), step(outs[:3])], []


if __name__ == "__main__":
    main()
