"""Makes graphs of this folder with gradients and older forms as operators, as make.py does, with TensorFlow 2.

    python make_widened.py FOLDER [NAME ...]
"""

import numpy as np
from make import GRAPHS, IS_OLD, floats, main, only, step, tf
from make_rewritten import given

GRAPHS.clear()
ops = tf.raw_ops
POOL = {"ksize": [1, 2, 2, 1], "strides": [1, 1, 1, 1], "padding": "VALID"}


def longs(values):
    return np.array(values, np.int64)


@only(not IS_OLD)
def pools_of_depths():
    x, feeds = given(x=floats(2, 3, 3, 4), dx=floats(2, 3, 3, 4))
    depth = {"ksize": [1, 1, 1, 2], "strides": [1, 1, 1, 2], "padding": "SAME"}
    outs = [ops.MaxPool(input=x["x"], **depth), ops.MaxPoolV2(input=x["x"], **depth)]
    y = ops.MaxPool(input=x["x"], **POOL)
    outs += [ops.MaxPoolGradGradV2(orig_input=x["x"], orig_output=y, grad=x["dx"], **POOL)]
    return [step(outs, feeds)], []


@only(not IS_OLD)
def convolved_whole_numbers():
    x, feeds = given(x=np.arange(32, dtype=np.int32).reshape(1, 4, 4, 2) % 7, w=np.arange(24, dtype=np.int32).reshape(2, 2, 2, 3) % 5)
    how = {"strides": [1, 1, 1, 1], "padding": "SAME"}
    y = ops.Conv2D(input=x["x"], filter=x["w"], **how)
    return [step([y, ops.Conv2DBackpropInput(input_sizes=[1, 4, 4, 2], filter=x["w"], out_backprop=y, **how)], feeds)], []


@only(not IS_OLD)
def gradients_of_sparse():
    x, feeds = given(dy=floats(4), part=floats(2), rounded=floats(5), ends=np.array([-0.3, 0.4], np.float32))
    first, second = longs([[0, 1], [2, 0], [2, 3]]), longs([[0, 0], [2, 0]])
    sums = longs([[0, 0], [0, 1], [2, 0], [2, 3]])
    outs = list(ops.SparseAddGrad(backprop_val_grad=x["dy"], a_indices=first, b_indices=second, sum_indices=sums))
    outs += ops.SparseAddGrad(backprop_val_grad=x["part"], a_indices=first, b_indices=second, sum_indices=sums[1:3])
    outs += [ops.SparseSliceGrad(backprop_val_grad=x["part"], input_indices=sums, input_start=longs([0, 1]), output_indices=longs([[0, 0], [2, 2]]))]
    outs += ops.QuantizeAndDequantizeV4Grad(gradients=x["rounded"] * 2.0, input=x["rounded"], input_min=x["ends"][0], input_max=x["ends"][1])
    element = ops.RaggedTensorToVariant(rt_nested_splits=[longs([0, 1, 4])], rt_dense_values=x["dy"], batched_input=True)
    outs += [ops.RaggedTensorToVariantGradient(encoded_ragged_grad=element, row_splits=longs([0, 1, 4]), dense_values_shape=[4], Tvalues=tf.float32)]
    return [step(outs, feeds)], []


@only(not IS_OLD)
def bands_and_locks():
    x, feeds = given(bands=floats(3, 2, 1, 4), rhs=floats(2, 4, 3))
    product = ops.TridiagonalMatMul(superdiag=x["bands"][0], maindiag=x["bands"][1], subdiag=x["bands"][2], rhs=x["rhs"])
    done = ops.ConsumeMutexLock(mutex_lock=ops.MutexLock(mutex=ops.MutexV2()))
    return [step([product], feeds, [done])], []


if __name__ == "__main__":
    main()
