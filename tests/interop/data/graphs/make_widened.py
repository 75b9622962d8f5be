"""Makes graphs of this folder with gradients and older forms as operators, as make.py does, with TensorFlow 2 or 1.15.

    python make_widened.py FOLDER [NAME ...]
"""

import numpy as np
import tensorflow
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


@only(not IS_OLD)
def kept_sparse_tensors():
    x, feeds = given(values=floats(4))
    places, shape = longs([[0, 1], [0, 3], [2, 0], [2, 2]]), longs([3, 4])
    numbers = ops.AddManySparseToTensorsMap(sparse_indices=places, sparse_values=x["values"], sparse_shape=shape, shared_name="kept")
    one = ops.AddSparseToTensorsMap(sparse_indices=longs([[4]]), sparse_values=x["values"][:1], sparse_shape=longs([5]), shared_name="kept")
    chosen = tf.concat([numbers[2:], [one], numbers[:2]], 0)
    outs = list(ops.TakeManySparseFromTensorsMap(sparse_handles=chosen, dtype=tf.float32, shared_name="kept"))
    return [step(outs, feeds)], []


@only(not IS_OLD)
def counted_loops():
    from tensorflow.python.framework import function
    from tensorflow.python.ops import functional_ops

    @function.Defun(tf.int32, tf.float32)
    def body(i, x):
        return x * 2.0 + tf.cast(i, tf.float32)

    x, n = tf.placeholder(tf.float32, [2], "x"), tf.placeholder(tf.int32, [], "n")
    outs = [functional_ops.For(0, n, 1, [x], body)[0], functional_ops.For(n, 0, -2, [x], body)[0]]
    called = ops.RemoteCall(target="/job:localhost/replica:0/task:0/device:CPU:0", args=[n, x], Tout=[tf.float32], f=body)
    return [step([*outs, called[0]], {x: floats(2), n: k}) for k in (0, 3)], []


@only(not IS_OLD)
def datasets_by_key():
    data = tensorflow.data
    first = data.Dataset.range(10).map(lambda i: (i % 3, i * 2))
    reducer = data.experimental.Reducer(lambda key: key * 100, lambda state, element: state + element[1], lambda state: (state, state + 1))
    keyed = first.apply(data.experimental.group_by_reducer(lambda key, _: key, reducer))
    rows = data.Dataset.range(7)._variant_tensor
    kinds = {"output_types": [tf.int64], "output_shapes": [[None]]}
    slid = ops.SlidingWindowDataset(input_dataset=rows, window_size=longs(3), window_shift=longs(2), window_stride=longs(1), **kinds)
    slid = ops.SleepDataset(input_dataset=slid, sleep_microseconds=longs(1), **kinds)
    packed = ops.CompressElement(components=[tf.constant([1.5, 2.5]), tf.constant(3)])
    outs = list(ops.UncompressElement(compressed=packed, output_types=[tf.float32, tf.int32], output_shapes=[[2], []]))
    for one in (slid, ops.ConcatenateDataset(input_dataset=slid, another_dataset=slid, **kinds)):
        whole = ops.BatchDatasetV2(input_dataset=one, batch_size=longs(9), drop_remainder=False, output_types=[tf.int64], output_shapes=[[None, None]])
        outs += ops.DatasetToSingleElement(dataset=whole, output_types=[tf.int64], output_shapes=[[None, None]])
    outs += data.experimental.get_single_element(keyed.batch(9))
    return [step(outs)], []


@only(not IS_OLD)
def nearest_centres():
    x, feeds = given(points=floats(5, 3), centres=floats(4, 3))
    outs = []
    for count in (1, 3, 9):
        outs += ops.NearestNeighbors(points=x["points"], centers=x["centres"], k=longs(count))
    return [step(outs, feeds)], []


TREES = """
trees {
  nodes { bucketized_split { feature_id: 1 threshold: 1 left_id: 1 right_id: 2 } metadata { gain: 0.5 } }
  nodes { leaf { scalar: -0.25 } }
  nodes { bucketized_split { threshold: 2 left_id: 3 right_id: 4 } metadata { gain: 0.1 original_leaf { scalar: 0.5 } } }
  nodes { leaf { scalar: 0.75 } }
  nodes { leaf { scalar: 1.5 } }
}
trees { nodes { leaf { scalar: 0.125 } } }
tree_weights: 0.5 tree_weights: 2.0
tree_metadata { num_layers_grown: 2 is_finalized: true } tree_metadata { num_layers_grown: 1 }
"""


@only(IS_OLD)
def boosted_trees():
    from google.protobuf import text_format
    from tensorflow.core.kernels.boosted_trees import boosted_trees_pb2

    message = text_format.Parse(TREES, boosted_trees_pb2.TreeEnsemble()).SerializeToString()
    first, second = tf.placeholder(tf.int32, [None], "first"), tf.placeholder(tf.int32, [None], "second")
    handle = ops.BoostedTreesEnsembleResourceHandleOp(shared_name="trees")
    made = ops.BoostedTreesCreateEnsemble(tree_ensemble_handle=handle, stamp_token=longs(3), tree_ensemble_serialized=message)
    there = ops.IsBoostedTreesEnsembleInitialized(tree_ensemble_handle=handle)
    told = ops.BoostedTreesPredict(tree_ensemble_handle=handle, bucketized_features=[first, second], logits_dimension=1)
    number, kept = ops.BoostedTreesSerializeEnsemble(tree_ensemble_handle=handle)
    feeds = {first: np.array([0, 2, 3, 3], np.int32), second: np.array([0, 2, 2, 1], np.int32)}
    return [step([there]), step(targets=[made]), step([there, told, number, kept], feeds)], []


if __name__ == "__main__":
    main()
