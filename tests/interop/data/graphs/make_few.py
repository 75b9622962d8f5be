"""Makes graphs of this folder with operators of few programs, as make.py does, with TensorFlow 2.

    python make_few.py FOLDER [NAME ...]
"""

import numpy as np
from make import GRAPHS, IS_OLD, floats, graph, main, only, step, tf

GRAPHS.clear()
ops = tf.raw_ops
NONE = np.zeros(0, np.float32)


def longs(values):
    return np.array(values, np.int64)


@only(not IS_OLD)
def counted_numbers():
    matrix = tf.placeholder(tf.int32, [None, 3], "matrix")
    row = tf.placeholder(tf.int64, [None], "row")
    weights = tf.placeholder(tf.float32, [None], "weights")
    indices, shape = longs([[0, 0], [0, 1], [2, 0], [2, 2]]), longs([3, 4])
    splits = longs([0, 2, 2, 4])
    outs = []
    for binary in (False, True):
        for least, most in ((-1, -1), (7, -1), (-1, 3)):
            how = {"binary_output": binary, "minlength": least, "maxlength": most}
            outs += ops.DenseCountSparseOutput(values=matrix, weights=NONE, **how)
            outs += ops.DenseCountSparseOutput(values=row, weights=weights, **how)
            outs += ops.SparseCountSparseOutput(indices=indices, values=row, dense_shape=shape, weights=weights, **how)
            outs += ops.RaggedCountSparseOutput(splits=splits, values=row, weights=NONE, **how)
        how = {"binary_output": binary, "size": longs(5)}
        outs += [ops.SparseBincount(indices=indices, values=row, dense_shape=shape, weights=NONE, **how)]
        outs += [ops.SparseBincount(indices=longs([[0], [1], [2], [3]]), values=row, dense_shape=longs([4]), weights=weights, **how)]
        outs += [ops.RaggedBincount(splits=splits, values=row, weights=weights, **how)]
    given = {matrix: np.array([[1, 1, 3], [0, 4, 3]]), row: longs([1, 4, 1, 2]), weights: floats(4)}
    return [step(outs, given)], []


@only(not IS_OLD)
def lists_at_places():
    x = tf.placeholder(tf.float32, [3, 2], "x")
    places = tf.placeholder(tf.int32, [3], "places")
    shape = {"element_shape": [2], "element_dtype": tf.float32}
    whole = ops.TensorListFromTensor(tensor=x, element_shape=[2])
    some = ops.TensorListGather(input_handle=whole, indices=places[:2], **shape)
    made = ops.TensorListScatterV2(tensor=x, indices=places, element_shape=[2], num_elements=-1)
    more = ops.TensorListScatterV2(tensor=x, indices=places, element_shape=[2], num_elements=4)
    into = ops.TensorListScatterIntoExistingList(input_handle=whole, tensor=x * 2.0, indices=places)
    both = ops.TensorListConcatLists(input_a=whole, input_b=made, element_dtype=tf.float32)
    outs = [some, *[ops.TensorListStack(input_handle=y, **shape) for y in (made, into, both)]]
    outs += [ops.TensorListLength(input_handle=y) for y in (more, both)]
    feeds = {x: floats(3, 2), places: np.array([2, 0, 1])}
    return [step(outs, feeds)], [(some, [x], feeds)]


@only(not IS_OLD)
def of_few_programs():
    x = tf.placeholder(tf.float32, [2, 16], "x")
    n = tf.placeholder(tf.int32, [4], "n")
    rows = tf.placeholder(tf.float32, [4, 2], "rows")
    square = tf.placeholder(tf.float32, [2, 2], "square")
    symmetric = square + tf.transpose(square)
    pair = longs([[0, 1], [1, 0]])
    outs = [
        ops.PopulationCount(x=n),
        ops.InplaceUpdate(x=rows + 0.0, i=[1, 3], v=square),
        ops.InplaceAdd(x=rows * 2.0, i=[0, 2], v=square),
        tf.abs(ops.SelfAdjointEigV2(input=symmetric, compute_v=True)[0]),
        tf.sort(tf.math.real(ops.Eig(input=symmetric, compute_v=False, Tout=tf.complex64)[0])),
        ops.ToBool(input=n[0]),
        ops.ToBool(input=n[0] * 0),
        ops.ToBool(input=n),
        tf.shape(ops.Empty(shape=[2, 3], dtype=tf.float32)),
        ops.TensorScatterMax(tensor=rows, indices=pair[:, :1], updates=square),
        ops.SparseDenseCwiseAdd(sp_indices=pair, sp_values=[1.0, 2.0], sp_shape=longs([2, 2]), dense=square),
        ops.SparseDenseCwiseDiv(sp_indices=pair, sp_values=[1.0, 2.0], sp_shape=longs([2, 2]), dense=square),
        *ops.SparseSparseMinimum(a_indices=pair, a_values=[1.0, -2.0], a_shape=longs([2, 2]), b_indices=pair[:1], b_values=[0.5], b_shape=longs([2, 2])),
        *ops.SparseFillEmptyRowsGrad(reverse_index_map=longs([0, 2]), grad_values=rows[:, 0]),
        *ops.AllCandidateSampler(true_classes=longs([[1]]), num_true=1, num_sampled=4, unique=True),
        ops.StatelessRandomGetAlg(),
    ]
    feeds = {x: floats(2, 16), n: np.array([0, 1, 255, -3]), rows: floats(4, 2), square: floats(2, 2)}
    return [step(outs, feeds)], []


@only(not IS_OLD)
def tables_of_rows():
    table = ops.MutableHashTableOfTensorsV2(key_dtype=tf.int64, value_dtype=tf.float32, value_shape=[2])
    keys, values = tf.placeholder(tf.int64, [2], "keys"), tf.placeholder(tf.float32, [2, 2], "values")
    put = ops.LookupTableInsertV2(table_handle=table, keys=keys, values=values)
    found = ops.LookupTableFindV2(table_handle=table, keys=longs([3, 4]), default_value=[-1.0, -2.0])
    feeds = {keys: [3, 9], values: floats(2, 2)}
    return [step(targets=[put], feeds=feeds), step([found, ops.LookupTableSizeV2(table_handle=table)])], []


@only(not IS_OLD)
def parts_of_pictures():
    pixels = tf.placeholder(tf.uint8, [12, 16, 3], "pixels")
    file = ops.EncodeJpegVariableQuality(images=pixels, quality=100)
    outs = [ops.ExtractJpegShape(contents=file, output_type=tf.int64)]
    outs += [tf.shape(ops.DecodeAndCropJpeg(contents=file, crop_window=[2, 3, 5, 7], channels=3))]
    boxes = tf.constant([[[0.1, 0.2, 0.8, 0.9]]])
    for least in (0.1, 1.0):
        begin, size, box = ops.SampleDistortedBoundingBoxV2(
            image_size=[12, 16, 3], bounding_boxes=boxes, min_object_covered=least, aspect_ratio_range=[0.5, 2.0],
            area_range=[0.9, 1.0], max_attempts=1, use_image_if_no_bounding_boxes=True, seed=1, seed2=2)
        outs += [tf.shape(begin), tf.shape(size), tf.shape(box), begin + size <= [12, 16, 3]]
    grid = np.indices((12, 16)).sum(0)[..., None] * np.array([3, 5, 7])
    return [step(outs, {pixels: grid.astype(np.uint8)})], []


@only(not IS_OLD)
def sounds_at_their_rate():
    samples, rate = tf.placeholder(tf.float32, [200, 1], "samples"), tf.placeholder(tf.int32, [], "rate")
    read = ops.DecodeWav(contents=ops.EncodeWav(audio=samples, sample_rate=rate), desired_channels=1, desired_samples=180)
    seen = ops.AudioSpectrogram(input=read.audio, window_size=64, stride=32, magnitude_squared=True)
    outs = [ops.Mfcc(spectrogram=seen, sample_rate=read.sample_rate, upper_frequency_limit=3500.0, dct_coefficient_count=8)]
    sound = np.clip(floats(200, 1) * 0.4, -1, 1)
    return [step(outs, {samples: sound, rate: hertz}) for hertz in (8000, 16000)], []


if __name__ == "__main__":
    main()
