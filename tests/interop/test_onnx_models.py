"""Models of many kinds, exported and run by onnxruntime: the same results, few nodes."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tests.interop.onnxruns import check, exported, operators, run

RNG = np.random.default_rng(0)


def normal(*shape: int) -> Any:
    """Return an array of normally distributed numbers."""
    return RNG.normal(size=shape).astype(np.float32)


@pytest.fixture(autouse=True)
def _seeded() -> None:
    tl.random.set_seed(0)


def test_dense_layers() -> None:
    first, last = (
        tl.layers.Dense(16, tl.nn.relu, inputs=4),
        tl.layers.Dense(3, inputs=16),
    )
    model = check(
        lambda x: tl.nn.softmax(last(first(x))), normal(5, 4), sizes=[(None, 4)]
    )
    assert operators(model) == {"MatMul": 2, "Add": 2, "Relu": 1, "Softmax": 1}
    assert model.ir_version == 10
    assert [x.version for x in model.opset_import] == [21]
    assert len(run(model, normal(9, 4))[0]) == 9


def convolutional() -> tl.layers.Sequential:
    """Return a small network of every layer for images."""
    model = tl.layers.Sequential(
        [
            tl.layers.Conv2D(8, 3, padding="SAME", activation=tl.nn.relu),
            tl.layers.MaxPool2D(2),
            tl.layers.Conv2D(16, 3, strides=2, padding="SAME", use_bias=False),
            tl.layers.BatchNorm(),
            tl.layers.Flatten(),
            tl.layers.Dropout(0.25),
            tl.layers.Dense(10),
        ]
    )
    for _ in range(3):
        model(tl.asarray(normal(8, 9, 9, 3)), training=True)
    return model


def test_a_convolutional_network_has_one_transpose() -> None:
    model = convolutional()
    made = check(model, normal(3, 9, 9, 3), sizes=[(None, 9, 9, 3)], tolerance=1e-4)
    counted = operators(made)
    assert counted["Transpose"] == 1  # of the images, which come with channels last
    assert counted["Conv"] == 2


def test_images_of_any_size() -> None:
    first = tl.layers.Conv2D(8, 3, strides=2, padding="SAME", channels=3)
    second = tl.layers.Conv2D(8, 3, padding="SAME", channels=8)

    def net(x: tl.Tensor) -> tl.Tensor:
        y = tl.nn.relu(first(x))
        y = y + second(y) * tl.asarray([0.5])
        return tl.mean(tl.nn.max_pool2d(y, 2, 2, "SAME"), axis=(1, 2))

    for size in (8, 9):
        images = normal(2, size, size + 3, 3)
        made = check(net, images, sizes=[(None, None, None, 3)], tolerance=1e-4)
        assert operators(made)["Transpose"] == 1


CONVOLUTIONS = {
    "dilated": {"dilations": 2, "padding": "SAME"},
    "explicit": {"padding": [[0, 0], [1, 2], [0, 1], [0, 0]]},
    "plain": {},
    "strided": {"strides": (2, 1), "padding": "SAME"},
}


@pytest.mark.parametrize("options", CONVOLUTIONS.values(), ids=CONVOLUTIONS)
def test_convolutions(options: Any) -> None:
    images, filters = normal(2, 8, 7, 4), tl.asarray(normal(3, 2, 4, 6))
    check(lambda x: tl.nn.conv2d(x, filters, **options), images)
    grouped = tl.asarray(normal(3, 2, 2, 6))
    check(lambda x: tl.nn.conv2d(x, grouped, **options), images)
    if options.get("padding") in (None, "SAME"):
        apart = tl.asarray(normal(3, 2, 4, 2))
        check(lambda x: tl.nn.depthwise_conv2d(x, apart, **options), images)
        first = {**options, "data_format": "NCHW"}
        made = check(lambda x: tl.nn.conv2d(x, filters, **first), normal(2, 4, 8, 7))
        assert "Transpose" not in operators(made)


def test_filters_that_are_computed() -> None:
    images, filters = normal(2, 6, 6, 3), normal(3, 3, 3, 5)
    check(lambda x, w: tl.nn.conv2d(x, w * 2.0, padding="SAME"), images, filters)
    check(lambda x, w: tl.nn.depthwise_conv2d(x, w[..., :2]), images, filters)


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("strides", [1, 2, 3])
def test_transposed_convolutions(padding: str, strides: int) -> None:
    filters = tl.asarray(normal(3, 2, 5, 4))
    size = 6 * strides if padding == "SAME" else 5 * strides + 3
    across = 6 * strides if padding == "SAME" else 5 * strides + 2

    def upward(x: tl.Tensor) -> tl.Tensor:
        shape = (2, size, across, 5)
        return tl.nn.conv2d_transpose(
            x, filters, shape, strides=strides, padding=padding
        )

    check(upward, normal(2, 6, 6, 4))


def test_sequences() -> None:
    filters = tl.asarray(normal(3, 3, 4))

    def net(x: tl.Tensor) -> tl.Tensor:
        return tl.nn.max_pool1d(tl.nn.conv1d(x, filters, 2, "SAME"), 2)

    check(net, normal(2, 9, 3))
    check(net, normal(2, 9, 3), sizes=[(None, None, 3)])


def test_residual_blocks_have_no_transposes_between_them() -> None:
    stem, head = tl.Variable(normal(3, 3, 3, 8) * 0.3), tl.layers.Dense(10, inputs=8)
    weights = [tl.Variable(normal(3, 3, 8, 8) * 0.1) for _ in range(4)]

    def net(x: tl.Tensor) -> tl.Tensor:
        y = tl.nn.conv2d(x, stem, strides=2, padding="SAME")
        for first, second in zip(weights[::2], weights[1::2], strict=True):
            z = tl.nn.relu(tl.nn.conv2d(y, first, padding="SAME"))
            y = tl.nn.relu(tl.nn.conv2d(z, second, padding="SAME") + y)
        gate = tl.nn.sigmoid(tl.mean(y, axis=(1, 2), keepdims=True))
        return head(tl.mean(y * gate, axis=(1, 2)))

    sizes = [(None, None, None, 3)]
    made = check(net, normal(2, 16, 16, 3), sizes=sizes, tolerance=1e-4)
    assert operators(made)["Transpose"] == 1


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("size", [2, 3])
def test_pools(padding: str, size: int) -> None:
    def pooled(x: tl.Tensor) -> Any:
        return [
            pool(x, size, strides, padding)
            for pool in (tl.nn.max_pool2d, tl.nn.avg_pool2d)
            for strides in (1, 2)
        ]

    check(pooled, normal(2, 7, 8, 3))
    check(pooled, normal(2, 7, 8, 3), sizes=[(None, None, None, 3)])


def test_layouts_go_through_what_joins_and_cuts_channels() -> None:
    filters = tl.asarray(normal(3, 3, 4, 8))

    def net(x: tl.Tensor) -> tl.Tensor:
        y = tl.nn.conv2d(x, filters, padding="SAME")
        left, right = tl.split(y, 2, axis=-1)
        y = tl.concat([tl.nn.relu(left), tl.nn.sigmoid(right) * left, right], axis=-1)
        y = tl.pad(tl.nn.softmax(y), [[0, 0], [1, 1], [2, 0], [0, 0]])
        return tl.sum(tl.clip(tl.maximum(y, 0.01), 0.0, 0.5), axis=(1, 2))

    made = check(net, normal(2, 5, 5, 4), sizes=[(None, 5, 5, 4)])
    assert operators(made)["Transpose"] == 1


def block(d: int, heads: int, size: int) -> Any:
    """Return a transformer's block over the embeddings of `size` words, as a function of ids."""
    first, second = tl.layers.LayerNorm(d), tl.layers.LayerNorm(d)
    query, key, value, out = (tl.layers.Dense(d, inputs=d) for _ in range(4))
    up = tl.layers.Dense(4 * d, tl.nn.gelu, inputs=d)
    down = tl.layers.Dense(d, inputs=4 * d)
    table = tl.layers.Embedding(size, d)
    places = tl.Variable(tl.random.normal((64, d)))

    def run_block(ids: tl.Tensor) -> tl.Tensor:
        x = table(ids) + places[: tl.shape(ids)[1]]
        y = first(x)
        found = tl.nn.multi_head_attention(
            query(y), key(y), value(y), heads, causal=True
        )
        x = x + out(found)
        x = x + down(up(second(x)))
        return tl.nn.softmax(tl.matmul(x, table.table, transpose_b=True))

    return run_block


def test_a_transformers_block() -> None:
    model = block(16, 4, 20)
    ids = RNG.integers(0, 20, (2, 6)).astype(np.int32)
    made = check(model, ids)
    assert operators(made)["Transpose"] == 4  # three into heads, one back
    made = check(model, ids, sizes=[(None, None)])
    (longer,) = run(made, RNG.integers(0, 20, (3, 11)).astype(np.int32))
    assert longer.shape == (3, 11, 20)


@pytest.mark.parametrize("sizes", [(2, 5, 3), (None, 5, 3), (None, None, 3)])
@pytest.mark.parametrize("kind", [tl.layers.LSTM, tl.layers.GRU])
def test_recurrent_layers(kind: Any, sizes: Any) -> None:
    for sequences in (False, True):
        layer = kind(4, return_sequences=sequences, inputs=3)
        made = check(layer, normal(2, 5, 3), sizes=[sizes])
        if None in sizes:
            x = normal(7, 5, 3)
            np.testing.assert_allclose(
                run(made, x)[0], layer(tl.asarray(x)).numpy(), rtol=1e-5, atol=1e-5
            )


def test_strings_of_layers_in_loops() -> None:
    cell = tl.layers.Dense(4, tl.tanh, inputs=4)
    table = tl.Variable(tl.asarray(normal(9, 4)))

    @tl.function
    def unrolled(ids: tl.Tensor) -> tl.Tensor:
        h = tl.zeros((4,))
        for i in ids:
            h = cell(tl.reshape(h + tl.take(table, i, axis=0), (1, 4)))[0]
        return h

    check(unrolled, np.asarray([3, 1, 4, 1, 5]), sizes=[(None,)])


def test_branches_and_loops() -> None:
    @tl.function
    def collatz(n: tl.Tensor) -> tl.Tensor:
        steps = tl.asarray(0)
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        return steps

    for n in (1, 6, 27):
        check(collatz, np.int32(n))

    weights = tl.Variable(normal(3))

    @tl.function
    def nested(x: tl.Tensor) -> tl.Tensor:
        total = tl.zeros_like(x)
        for i in tl.arange(5):
            if i % 2 == 0:
                total = total + x * weights
            else:
                total -= tl.exp(x)
                j = tl.asarray(0)
                while j < i:
                    total *= 0.5
                    j += 1
        return total

    check(nested, normal(2, 3), sizes=[(None, 3)])


def test_variables_of_loops_that_change_places() -> None:
    @tl.function
    def fibonacci(n: tl.Tensor) -> Any:
        start = (0, tl.asarray(0), tl.asarray(1))
        return tl.while_loop(
            lambda i, a, b: i < n, lambda i, a, b: (i + 1, b, a + b), start
        )

    for n in (0, 1, 10):
        check(fibonacci, np.int32(n))


def test_branches_that_give_what_they_are_given() -> None:
    @tl.function
    def chosen(x: tl.Tensor, y: tl.Tensor) -> Any:
        if tl.sum(x) > 0:
            a, b, c = x, x, tl.asarray([1.0, 2.0])
        else:
            a, b, c = y, x * 2, y
        return a, b, c

    for sign in (1, -1):
        check(chosen, sign * np.abs(normal(2)), normal(2))


def test_images_within_loops_are_transposed_outside() -> None:
    filters = tl.asarray(normal(3, 3, 2, 2))

    @tl.function
    def smoothed(x: tl.Tensor, n: tl.Tensor) -> tl.Tensor:
        first = tl.nn.conv2d(x, filters, padding="SAME")
        y = x
        while n > 0:
            y = tl.nn.relu(first) + y * 0.5
            n -= 1
        return y

    made = check(smoothed, normal(1, 4, 4, 2), np.int32(3))
    (loop,) = [node for node in made.graph.node if node.op_type == "Loop"]
    inside = {node.op_type for node in loop.attribute[0].g.node}
    assert "Conv" not in inside


def test_lists() -> None:
    @tl.function
    def doubled(x: tl.Tensor) -> Any:
        rows = []
        for row in x:
            rows.append(row * 2)  # noqa: PERF401  appending is what is tested
        return tl.stack(rows)

    check(doubled, normal(4, 3), sizes=[(None, 3)])

    @tl.function
    def grown(x: tl.Tensor, n: tl.Tensor) -> tl.Tensor:
        shape = (3,)
        array = tl.TensorArray(tl.float32, 0, dynamic_size=True, element_shape=shape)
        i = tl.asarray(0)
        while i < n:
            array = array.write(i, x[i])
            array = array.write(0, array.read(0) + 1.0)
            i += 1
        return array.stack()

    check(grown, normal(4, 3), np.int32(3))

    @tl.function
    def written(x: tl.Tensor) -> Any:
        array = tl.TensorArray(tl.float32, 3, element_shape=(3,))
        array = array.write(2, x[0]).write(1, x[1])
        return array.stack(), array.size()

    check(written, normal(4, 3))


def test_results_have_the_names_of_their_keys() -> None:
    @tl.function
    def both(pair: Any) -> Any:
        return {"sum": pair["a"] + pair["b"], "first": pair["a"]}

    spec = tl.TensorSpec((None, 2), tl.float32)
    made = exported(both, {"a": spec, "b": spec})
    assert sorted(x.name for x in made.graph.output) == ["first", "sum"]
    a, b = normal(3, 2), normal(3, 2)
    found = dict(
        zip([x.name for x in made.graph.output], run(made, a, b), strict=True)
    )
    np.testing.assert_allclose(found["sum"], a + b)
    np.testing.assert_array_equal(found["first"], a)


def test_inputs_and_constants_may_be_results() -> None:
    check(lambda x, y: (x, x, tl.asarray([1.0, 2.0])), normal(2), normal(3))


def test_sizes_that_are_not_known_have_names() -> None:
    made = exported(
        lambda images: images + 1.0, tl.TensorSpec((None, 3, None), tl.float32)
    )
    (given,) = made.graph.input
    dims = given.type.tensor_type.shape.dim
    assert [d.dim_param or d.dim_value for d in dims] == ["images_0", 3, "images_2"]
    (result,) = made.graph.output
    assert result.type.tensor_type.shape == given.type.tensor_type.shape


def test_variables_are_as_they_were() -> None:
    scale = tl.Variable(2.0)
    traced = tl.function(lambda x: x * scale)
    spec = tl.TensorSpec((2,), tl.float32)
    before = exported(traced, spec)
    scale.assign(3.0)
    after = exported(traced, spec)
    x = np.ones(2, np.float32)
    assert [run(before, x)[0][0], run(after, x)[0][0]] == [2.0, 3.0]


def test_concrete_functions_and_signatures(tmp_path: Path) -> None:
    spec = tl.TensorSpec((None,), tl.float32)
    signed = tl.function(lambda x: x * 2.0, input_signature=[spec])
    path = tmp_path / "model.onnx"
    first = tl.interop.onnx.export(signed, path)
    second = tl.interop.onnx.export(signed.get_concrete_function(), str(path))
    assert first == second == import_module("onnx").load(str(path))


@pytest.mark.parametrize("opset", range(18, 24))
def test_versions(opset: int) -> None:
    layer = tl.layers.LSTM(4, inputs=3)
    made = exported(layer, tl.TensorSpec((None, 5, 3), tl.float32), opset=opset)
    assert run(made, normal(2, 5, 3))[0].shape == (2, 4)


def test_what_is_not_needed_is_not_written() -> None:
    def model(x: tl.Tensor) -> tl.Tensor:
        tl.debugging.assert_less(tl.max(x), 100.0)
        unused = tl.linalg.inv(x)
        return tl.reshape(x, (tl.shape(x)[0], -1)) + 0.0 * tl.shape(unused)[0]

    made = check(model, normal(3, 3))
    assert "Reshape" in operators(made) or made.graph.node
