"""Makes graphs of this folder with operators that are made of others when they are read, as make.py does.

    python make_rewritten.py FOLDER [NAME ...]
"""

import numpy as np
from make import GRAPHS, IS_OLD, floats, graph, main, only, step, tf

GRAPHS.clear()
ops = tf.raw_ops


def given(**arrays):
    """Return placeholders by name, and the feeds for them."""
    made = {k: tf.placeholder(tf.as_dtype(v.dtype), v.shape, k) for k, v in arrays.items()}
    return made, {made[k]: v for k, v in arrays.items()}


@graph
def sounds():
    x, feeds = given(sound=0.3 * floats(60, 1), spectrum=np.abs(floats(1, 3, 65)))
    wave = ops.EncodeWav(audio=x["sound"], sample_rate=8000)
    read = ops.DecodeWav(contents=wave, desired_channels=2, desired_samples=70)
    outs = [read.audio, read.sample_rate]
    for size, stride, squared in ((30, 10, True), (32, 14, False)):
        outs += [ops.AudioSpectrogram(input=x["sound"], window_size=size, stride=stride, magnitude_squared=squared)]
    limits = {"upper_frequency_limit": 3000, "lower_frequency_limit": 50}
    outs += [ops.Mfcc(spectrogram=x["spectrum"], sample_rate=8000, filterbank_channel_count=8, dct_coefficient_count=5, **limits)]
    return [step(outs, feeds)], []


@graph
def gradients_as_operators():
    boxes = np.array([[0.1, 0.2, 0.7, 0.8], [0.05, 0.0, 0.9, 0.95]], np.float32)
    x, feeds = given(dy=floats(2, 3, 3, 2), images=floats(2, 5, 6, 2), boxes=boxes, filters=floats(2, 2, 2), flow=floats(2, 5, 6, 2), factor=np.array([[2, 0], [1, 3]], np.float32), dfactor=floats(2, 2))
    outs = [ops.CropAndResizeGradImage(grads=x["dy"], boxes=x["boxes"], box_ind=[0, 1], image_size=[2, 5, 6, 2], T=tf.float32)]
    outs += [ops.CropAndResizeGradBoxes(grads=x["dy"], image=x["images"], boxes=x["boxes"], box_ind=[0, 1])]
    options = {"strides": [1, 1, 1, 1], "rates": [1, 1, 1, 1], "padding": "SAME"}
    for kind in (ops.Dilation2DBackpropInput, ops.Dilation2DBackpropFilter):
        outs += [kind(input=x["images"], filter=x["filters"], out_backprop=x["flow"], **options)]
    outs += [ops.CholeskyGrad(l=x["factor"], grad=x["dfactor"])]
    pooled = tf.nn.max_pool(x["images"], [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    outs += [ops.MaxPoolGradV2(orig_input=x["images"], orig_output=pooled, grad=pooled, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")]
    return [step(outs, feeds)], []


@graph
def arranged_and_solved():
    diagonals = np.stack([floats(4), 5 + floats(4) ** 2, floats(4)])
    x, feeds = given(images=floats(1, 4, 4, 2), wide=floats(4, 3, 3, 2), a=floats(5, 3), b=floats(5, 2), diagonals=diagonals, right=floats(4, 2), axes=np.array([0, -1, 2, 1], np.int32), filters=floats(2, 2, 2, 3))
    outs = [ops.SpaceToBatch(input=x["images"], paddings=[[0, 0], [1, 1]], block_size=2)]
    outs += [ops.BatchToSpace(input=x["wide"], crops=[[0, 1], [1, 0]], block_size=2)]
    outs += [ops.SparseMatMul(a=x["a"], b=x["b"], transpose_a=True)]
    outs += [ops.MatrixSolveLs(matrix=x["a"], rhs=x["b"], l2_regularizer=tf.constant(0.5, tf.float64))]
    outs += [ops.TridiagonalSolve(diagonals=x["diagonals"], rhs=x["right"])]
    outs += [ops.DataFormatDimMap(x=x["axes"], src_format="NHWC", dst_format="NCHW")]
    outs += [ops.DataFormatVecPermute(x=x["axes"], src_format="NHWC", dst_format="NCHW")]
    layers = {"filter": x["filters"], "mode": "REFLECT", "strides": [1, 1, 1, 1], "padding": "VALID", "paddings": [[0, 0], [1, 1], [2, 0], [0, 0]]}
    outs += [ops.FusedPadConv2D(input=x["images"], **layers)]
    outs += [ops.FusedResizeAndPadConv2D(input=x["images"], size=[6, 5], **layers)]
    outs += [ops.MatrixDiagV2(diagonal=x["a"], k=1, num_rows=-1, num_cols=-1, padding_value=0.0)]
    outs += [ops.MatrixDiagPartV2(input=x["a"], k=[-1, 1], padding_value=9.0)]
    outs += [ops.QuantizeAndDequantizeV3(input=x["a"], input_min=-1.0, input_max=1.0, num_bits=8)]
    outs += [ops.UnsortedSegmentJoin(inputs=["a", "b", "c"], segment_ids=[1, 0, 1], num_segments=2, separator="-")]
    outs += [ops.Fingerprint(data=x["a"], method="farmhash64")]
    return [step(outs, feeds)], []


@only(IS_OLD)
def quantised_layers():
    x, feeds = given(images=np.clip(floats(1, 4, 4, 3), -2.9, 2.9), filters=np.clip(floats(3, 3, 3, 2), -1.9, 2.4), biases=np.clip(floats(3), -1, 1))
    q = [ops.QuantizeV2(input=one, min_range=low, max_range=high, T=tf.quint8, mode="MIN_FIRST") for one, (low, high) in zip(x.values(), ((-3.0, 3.0), (-2.0, 2.5), (-1.0, 1.0)))]
    image, weights, bias = q
    ends = {"min_input": image.output_min, "max_input": image.output_max}
    made = ops.QuantizedConv2D(input=image.output, filter=weights.output, min_filter=weights.output_min, max_filter=weights.output_max, strides=[1, 2, 2, 1], padding="SAME", **ends)
    made = tuple(made)
    narrow = ops.QuantizeDownAndShrinkRange(input=made[0], input_min=made[1], input_max=made[2], out_type=tf.quint8)
    flat = ops.QuantizedReshape(tensor=weights.output, shape=[9, 6], input_min=weights.output_min, input_max=weights.output_max)
    product = tuple(ops.QuantizedMatMul(a=flat[0], b=flat[0], min_a=flat[1], max_a=flat[2], min_b=flat[1], max_b=flat[2], transpose_a=True))
    found = tuple(ops.RequantizationRange(input=product[0], input_min=product[1], input_max=product[2]))
    again = ops.Requantize(input=product[0], input_min=product[1], input_max=product[2], requested_output_min=found[0], requested_output_max=found[1], out_type=tf.quint8)
    sums = ops.QuantizedBiasAdd(input=image.output, bias=bias.output, min_bias=bias.output_min, max_bias=bias.output_max, out_type=tf.qint32, **ends)
    all_ = [made, narrow, flat, product, again, sums]
    for kind in (ops.QuantizedRelu, ops.QuantizedRelu6):
        all_ += [kind(features=image.output, min_features=image.output_min, max_features=image.output_max, out_type=tf.quint8)]
    window = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
    all_ += [kind(input=image.output, **ends, **window) for kind in (ops.QuantizedMaxPool, ops.QuantizedAvgPool)]
    twice = {"values": [image.output] * 2, "input_mins": [image.output_min] * 2, "input_maxes": [image.output_max] * 2}
    all_ += [ops.QuantizedConcat(concat_dim=3, **twice)]
    outs = [*found]
    for one in all_:
        numbers, low, high = tuple(one)
        outs += [tf.bitcast(numbers, tf.int32 if numbers.dtype == tf.qint32 else tf.uint8), low, high]
    return [step(outs, feeds)], []


@only(IS_OLD)
def parts_of_variables():
    x, feeds = given(rows=1 + np.abs(floats(2, 3)))
    one = tf.get_variable("one", initializer=np.full((4, 3), 2, np.float32), use_resource=False)
    part = tf.identity(one[1:3].assign(x["rows"]))
    two = tf.get_variable("two", initializer=np.full((4, 3), 2, np.float32), use_resource=False)
    found = two
    for write, places in ((tf.scatter_mul, [1, 2]), (tf.scatter_div, [1, 3]), (tf.scatter_max, [0, 0]), (tf.scatter_min, [0, 1])):
        found = write(found, places, x["rows"])
    three = tf.get_variable("three", initializer=np.full((4, 3), 2, np.float32), use_resource=True)
    put = ops.ResourceStridedSliceAssign(ref=three.handle, begin=[1], end=[3], strides=[1], value=x["rows"])
    with tf.control_dependencies([put]):
        put = ops.ResourceScatterMul(resource=three.handle, indices=[1, 2], updates=x["rows"])
    with tf.control_dependencies([put]):
        some = ops.ResourceGatherNd(resource=three.handle, indices=[[1, 2], [3, 0]], dtype=tf.float32)
    brief = ops.TemporaryVariable(shape=[2, 3], dtype=tf.float32, var_name="brief")
    brief = ops.DestroyTemporaryVariable(ref=tf.assign(brief, x["rows"]), var_name="brief")
    outs = [part, tf.identity(found), some, brief]
    return [step(targets=[tf.global_variables_initializer()]), step(outs, feeds)], []


if __name__ == "__main__":
    main()
