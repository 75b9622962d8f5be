"""Makes graphs of this folder with operators that older programs and their datasets have, as make.py does.

    python make_older.py FOLDER [NAME ...]
"""

import numpy as np
from make import GRAPHS, IS_OLD, floats, graph, main, only, step, tf

GRAPHS.clear()
ops = tf.raw_ops


@only(IS_OLD)
def tables_of_references():
    texts, numbers = {"key_dtype": tf.string, "value_dtype": tf.int64}, {"key_dtype": tf.int64, "value_dtype": tf.float32}
    fixed, open_ = ops.HashTable(**texts), ops.MutableHashTable(**numbers)
    dense = ops.MutableDenseHashTableV2(empty_key=tf.constant(-1, tf.int64), deleted_key=tf.constant(-2, tf.int64), value_dtype=tf.float32)
    keys = tf.placeholder(tf.int64, [3], "keys")
    begin = ops.InitializeTable(table_handle=fixed, keys=["a", "b"], values=tf.constant([1, 2], tf.int64))
    roots = tf.sqrt(tf.cast(keys, tf.float32))
    put = [ops.LookupTableInsert(table_handle=open_, keys=keys, values=roots)]
    put += [ops.LookupTableInsertV2(table_handle=dense, keys=keys, values=roots)]
    asked = tf.placeholder(tf.int64, [2], "asked")
    outs = [find(table_handle=x, keys=asked, default_value=-1.0) for find, x in ((ops.LookupTableFind, open_), (ops.LookupTableFindV2, dense))]
    outs += [ops.LookupTableSize(table_handle=fixed), ops.LookupTableSize(table_handle=open_), ops.LookupTableSizeV2(table_handle=dense)]
    outs += [ops.LookupTableFind(table_handle=fixed, keys=["b", "c"], default_value=tf.constant(7, tf.int64))]
    given = {keys: [4, 9, 16]}
    return [step(targets=[begin]), step(targets=put, feeds=given), step(outs, {asked: [9, 5]})], []


@graph
def barriers():
    barrier = ops.Barrier(component_types=[tf.float32, tf.string], shapes=[[2], []])
    rows = tf.placeholder(tf.float32, [None, 2], "rows")
    keys = tf.placeholder(tf.string, [None], "keys")
    first = ops.BarrierInsertMany(handle=barrier, keys=keys, values=rows, component_index=0)
    second = ops.BarrierInsertMany(handle=barrier, keys=keys, values=keys, component_index=1)
    sizes = [ops.BarrierReadySize(handle=barrier), ops.BarrierIncompleteSize(handle=barrier)]
    taken = ops.BarrierTakeMany(handle=barrier, num_elements=2, component_types=[tf.float32, tf.string], allow_small_batch=True)
    taken = [taken.indices, taken.keys, *taken.values]
    closed = ops.BarrierClose(handle=barrier)
    given = {keys: [b"a", b"b", b"c"], rows: floats(3, 2)}
    steps = [step(targets=[first], feeds={keys: given[keys][i:i + 1], rows: given[rows][i:i + 1]}) for i in range(3)]
    steps += [step(sizes), step(targets=[second], feeds={keys: [b"c", b"a"]})]
    steps += [step(sizes), step(taken), step(targets=[second], feeds={keys: [b"b"]}), step(targets=[closed])]
    return [*steps, step(taken), step(taken, error="OutOfRangeError")], []


@graph
def sparse_from_texts():
    values = tf.placeholder(tf.float32, [4], "values")
    shape = tf.constant([3, 4], tf.int64)
    indices = tf.constant([[0, 1], [0, 3], [2, 0], [2, 1]], tf.int64)
    parts = {"sparse_indices": indices, "sparse_values": values, "sparse_shape": shape}
    whole, rows = ops.SerializeSparse(**parts), ops.SerializeManySparse(**parts)
    outs = [*ops.DeserializeSparse(serialized_sparse=whole, dtype=tf.float32)]
    outs += [*ops.DeserializeSparse(serialized_sparse=tf.stack([whole, whole]), dtype=tf.float32)]
    outs += [*ops.DeserializeManySparse(serialized_sparse=rows, dtype=tf.float32)]
    given = {"input_indices": indices, "input_values": values, "input_shape": shape}
    for kind in (ops.SparseReduceSumSparse, ops.SparseReduceMaxSparse):
        for axes, kept in (([1], False), ([0], True), ([-1], True)):
            outs += [*kind(**given, reduction_axes=axes, keep_dims=kept)]
    return [step(outs, {values: [1.0, -1.0, 3.0, 4.0]}), step(outs, {values: floats(4)})], []


@graph
def one_example():
    text = tf.placeholder(tf.string, [], "text")
    found = ops.ParseSingleExample(
        serialized=text, dense_defaults=[[0.0, 0.0], tf.constant([5], tf.int64)], num_sparse=1, sparse_keys=["s"], dense_keys=["d", "e"],
        sparse_types=[tf.string], dense_shapes=[[2], [1]],
    )
    features = {
        "s": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"x", b"yz"])),
        "d": tf.train.Feature(float_list=tf.train.FloatList(value=[2.0, 2.0])),
    }
    made = tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()
    outs = [*found.sparse_indices, *found.sparse_values, *found.sparse_shapes, *found.dense_values]
    return [step(outs, {text: np.array(made, object)})], []


def _rules(names, resource):
    x = tf.placeholder(tf.float32, [3], "x")
    done, reads = [], []
    for name, slots, numbers in names:
        held = [tf.get_variable(f"{name}_{i}", initializer=np.float32([0.5, -1.0, 2.0]) * (0.5**i), use_resource=resource) for i in range(slots)]
        kind = getattr(ops, f"{'Resource' * resource}Apply{name}")
        handles = [v.handle if resource else v._ref() for v in held]
        done.append(kind(**dict(zip(("var", "m", "v"), handles)), **numbers, grad=x))
        reads += held
    steps = [step(targets=[tf.global_variables_initializer()])]
    for _ in range(2):
        steps += [step(targets=done, feeds={x: floats(3)}), step([v.value() for v in reads])]
    return steps, []


RULES = [
    ("PowerSign", 2, {"lr": 0.1, "logbase": 0.7, "sign_decay": 0.9, "beta": 0.8}),
    ("AddSign", 2, {"lr": 0.1, "alpha": 1.1, "sign_decay": 0.9, "beta": 0.8}),
    ("AdaMax", 3, {"beta1_power": 0.81, "lr": 0.1, "beta1": 0.9, "beta2": 0.99, "epsilon": 1e-6}),
]


@graph
def rules_by_signs():
    return _rules(RULES, True)


@only(IS_OLD)
def rules_by_signs_of_references():
    return _rules(RULES, False)


@graph
def datasets_reduced():
    n = tf.placeholder(tf.int64, [], "n")
    data = tf.data.Dataset.range(n)
    total, count = data.reduce((n, 0), lambda state, x: (state[0] + x * n, state[1] + 1))
    only_one = tf.data.experimental.get_single_element(data.batch(100))
    return [step([total, count, only_one], {n: 5}), step([total, count, only_one], {n: 2})], []


@graph
def gradients_given():
    x, images = tf.placeholder(tf.float32, [3], "x"), tf.placeholder(tf.float32, [1, 4, 6, 2], "images")
    outs = [ops.SoftplusGrad(gradients=x * x, features=x)]
    for aligned in (False, True):
        outs += [ops.ResizeNearestNeighborGrad(grads=images, size=[2, 3], align_corners=aligned)]
    return [step(outs, {x: floats(3), images: floats(1, 4, 6, 2)})], []


if __name__ == "__main__":
    main()
