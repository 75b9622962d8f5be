"""What the guides on tensors, variables and tapes have shown to be unlike TensorFlow 2's."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
import tensorlite.compat.v2 as tf
from tensorlite.compat import shapes as v1_shapes
from tensorlite.core.errors import SideEffectWarning
from tensorlite.core.shapes import Results

MATRIX = "tf.Tensor(\n[[1. 2.]\n [3. 4.]], shape=(2, 2), dtype=float32)"
SHOWN = (
    "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>",
    "<tf.Tensor: shape=(), dtype=string, numpy=b'a'>",
    "<tf.Tensor: shape=(2,), dtype=string, numpy=array([b'a', b'b'], dtype=object)>",
    "<tf.Tensor: shape=(), dtype=bool, numpy=True>",
)


def test_tensors_print_as_tensorflows() -> None:
    assert str(tf.constant([[1.0, 2.0], [3.0, 4.0]])) == MATRIX
    given: tuple[Any, ...] = ([1, 2], "a", ["a", "b"], True)
    for value, wanted in zip(given, SHOWN, strict=True):
        assert repr(tf.constant(value)) == wanted
    assert f"{tf.constant([1, 2])} {tf.constant(3.5):.2f}" == "[1 2] 3.50"
    tl.config.set_tensorflow_results(False)
    assert str(tf.constant([1, 2])) == "[1 2]"


def test_what_describes_tensors_prints_as_tensorflows() -> None:
    assert (str(tf.float32), repr(tf.float32)) == ("<dtype: 'float32'>", "tf.float32")
    shape = tf.TensorShape([None, 3])
    assert (str(shape), repr(shape)) == ("(None, 3)", "TensorShape([None, 3])")
    unknown = tf.TensorShape(None)
    assert (str(unknown), repr(unknown)) == ("<unknown>", "TensorShape(None)")
    spec = tf.TensorSpec([2], tf.int32, name="x")
    assert repr(spec) == "TensorSpec(shape=(2,), dtype=tf.int32, name='x')"
    v = tf.Variable(3, name="v")
    assert repr(v) == "<tf.Variable 'v:0' shape=() dtype=int32, numpy=3>"


def test_what_consists_of_tensors_prints_as_tensorflows() -> None:
    slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([2]))
    assert str(slices) == (
        "IndexedSlices(indices=tf.Tensor([2], shape=(1,), dtype=int32), "
        "values=tf.Tensor([1.], shape=(1,), dtype=float32))"
    )
    sparse = tf.sparse.from_dense([0, 7])
    assert str(sparse) == (
        "SparseTensor(indices=tf.Tensor([[1]], shape=(1, 1), dtype=int64), "
        "values=tf.Tensor([7], shape=(1,), dtype=int32), "
        "dense_shape=tf.Tensor([2], shape=(1,), dtype=int64))"
    )


def test_tensors_of_traces_print_as_tensorflows() -> None:
    seen = []

    @tf.function
    def f(x: Any) -> Any:
        seen.append((str(x), repr(x)))
        return x

    with pytest.warns(SideEffectWarning):
        f.get_concrete_function(tf.TensorSpec([None], tf.int32))
    assert seen == [
        (
            'Tensor("x:0", shape=(None,), dtype=int32)',
            "<tf.Tensor 'x:0' shape=(None,) dtype=int32>",
        )
    ]


def test_single_numbers_are_scalars_of_numpy() -> None:
    value = tf.constant(2.5).numpy()
    assert isinstance(value, np.float32)
    assert {value: 1} == {np.float32(2.5): 1}
    assert np.asarray(tf.constant(2.5)).shape == ()


def test_numpys_functions_give_arrays() -> None:
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        y = np.mean(x**2, axis=0)
        z = tf.reduce_mean(y)
    assert isinstance(y, np.ndarray)
    assert tape.gradient(z, x) is None
    assert isinstance(np.exp(x), np.ndarray)
    assert isinstance(np.add.reduce(tf.constant([1.0, 2.0])), np.float32)
    assert tf.is_tensor(np.ones(2, np.float32) + tf.constant(1.0))


def test_a_variable_is_a_target_of_its_own() -> None:
    v, w = tf.Variable([2.0, 3.0]), tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        _ = w * 2.0
    dv, dw = tape.gradient(v, [v, w])
    assert dv.numpy().tolist() == [1.0, 1.0]
    assert dw is None


def test_watched_variables_are_known_after_gradients() -> None:
    v = tf.Variable(2.0, name="v")
    with tf.GradientTape() as tape:
        y = v * v
    assert tape.gradient(y, v).numpy() == 4.0
    assert [x.name for x in tape.watched_variables()] == ["v:0"]


def test_contrasts_have_no_gradients() -> None:
    image = tf.Variable([[[0.5, 0.0, 0.0]]])
    with tf.GradientTape() as tape:
        changed = tf.image.adjust_contrast(image, 0.1)
    with pytest.raises(LookupError, match="no entry for: AdjustContrastv2"):
        tape.gradient(changed, image)


def test_devices_are_texts() -> None:
    device = tf.constant(1).device
    assert isinstance(device, str)
    assert device.endswith("CPU:0")
    assert device == "/device:CPU:0"
    whole = tl.DeviceName.parse("/job:ps/task:1/gpu:0")
    assert pickle.loads(pickle.dumps(whole)).parts() == whole.parts()  # noqa: S301  # made here
    assert bool(tl.DeviceName())


def test_complex_numbers_of_python_are_of_128_bits() -> None:
    assert tf.constant(2j).dtype is tf.complex128
    assert tf.constant([1 + 0.1j]).numpy()[0] == 1 + 0.1j
    assert tf.constant(np.complex64(2j)).dtype is tf.complex64
    assert tf.constant(2j, tf.complex64).dtype is tf.complex64


def test_specs_are_computed_with_while_shapes_have_sizes_of_version_1() -> None:
    """Programs of TensorFlow 2 that disable its behaviour use datasets with such specs."""
    before = Results.kind
    Results.kind = v1_shapes.TensorShape
    try:
        rows = tf.TensorSpec([None, 3])
        assert rows.shape[:1][0] is None
        assert rows.shape[1:].as_list() == [3]

        def product(x: Any) -> Any:
            y = x @ tf.ones([3, 2])
            assert y.get_shape().as_list() == [None, 2]
            return tf.zeros(tf.shape(y))

        traced: Any = tf.function(product, input_signature=[rows])
        assert traced(tf.ones([4, 3])).get_shape().as_list() == [4, 2]
    finally:
        Results.kind = before


def test_functions_of_numpy_are_made_by_a_decorator() -> None:
    @tf.numpy_function(Tout=[tf.float32, tf.int32])  # type: ignore[untyped-decorator]
    def both(x: Any) -> Any:
        return x * 2, x.astype(np.int32)

    doubled, whole = both(tf.constant([1.5, 2.0]))
    assert (doubled.numpy().tolist(), whole.numpy().tolist()) == ([3.0, 4.0], [1, 2])


def test_losses_are_averaged_over_batches_of_unknown_size() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None])])  # type: ignore[untyped-decorator]
    def averaged(x: Any) -> Any:
        return tf.nn.compute_average_loss(x)

    assert float(averaged(tf.constant([1.0, 2.0, 6.0]))) == 3.0
    with pytest.raises(ValueError, match="at least one axis"):
        tf.nn.compute_average_loss(tf.constant(2.0))


def test_one_worker_trains_without_a_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    made = tf.distribute.MultiWorkerMirroredStrategy
    monkeypatch.delenv("TF_CONFIG", raising=False)
    strategy = made(tf.distribute.cluster_resolver.TFConfigClusterResolver())
    assert strategy.num_replicas_in_sync == 1
    assert strategy.cluster_resolver.task_type is None
    options = tf.distribute.experimental.CommunicationOptions(timeout_seconds=120.0)
    alone = made(communication_options=options)
    with alone.scope():
        assert float(alone.run(lambda: tf.constant(2.0))) == 2.0
    central = tf.distribute.experimental.CentralStorageStrategy()
    assert central.num_replicas_in_sync == 1


def test_models_tell_what_they_take() -> None:
    keras: Any = tf.keras

    class Own(keras.Model):  # type: ignore[misc]
        def call(self, x: Any) -> Any:
            return x * 2.0

    own = Own()
    assert own.save_spec() is None
    own(tf.ones((2, 4)))
    ((spec,), named) = own.save_spec()
    assert (tuple(spec.shape), spec.dtype, named) == ((None, 4), tf.float32, {})


def test_attributes_of_text_are_given_as_bytes_too() -> None:
    strings: Any = tf.strings
    made = strings.regex_replace([b"a<br />c"], b"<br\\s*/?>", b" ")
    assert made.numpy().tolist() == [b"a c"]
    assert strings.regex_full_match(["ab"], b"a.").numpy().tolist() == [True]
    assert strings.join(["a", b"b"], b"-").numpy() == b"a-b"
    assert strings.reduce_join(["a", "b"], separator=b" ").numpy() == b"a b"


def test_numbers_that_functions_of_elements_return_have_specs() -> None:
    data: Any = tf.data.Dataset
    first = data.from_tensor_slices(["a"]).map(lambda x: (x, 0))
    assert first.element_spec[1] == tf.TensorSpec((), tf.int32)
    both = first.concatenate(data.from_tensor_slices(["b"]).map(lambda x: (x, 1)))
    pairs = [(x.numpy(), int(y)) for x, y in both]
    assert pairs == [(b"a", 0), (b"b", 1)]


def test_models_of_one_listed_output_give_it_alone() -> None:
    keras: Any = tf.keras
    given = keras.Input((3,))
    model = keras.Model([given], [keras.layers.Dense(2)(given)])
    assert model(tf.ones((4, 3))).shape == (4, 2)
    assert model.predict(tf.ones((4, 3)), verbose=0).shape == (4, 2)
    assert isinstance(model.output, list)


def test_inputs_of_models_are_given_by_shapes_of_tensors() -> None:
    batch = tf.zeros((2, 3, 4))
    assert tuple(tf.keras.Input(shape=batch.shape[1:]).shape) == (None, 3, 4)
    with pytest.warns(UserWarning, match="Use `shape` instead"):
        layer = tf.keras.layers.InputLayer(input_shape=batch.shape[1:])
    assert tuple(layer.output.shape) == (None, 3, 4)


def test_models_inputs_are_compared() -> None:
    """What differs is computed by the model; two inputs are equal if they are one."""
    numbers = tf.keras.Input((None,), dtype="int32")
    zero = 0
    model = tf.keras.Model(numbers, [numbers != zero, zero != numbers])
    first, second = model(tf.constant([[0, 1, 2]]))
    assert first.numpy().tolist() == [[False, True, True]]
    assert second.numpy().tolist() == [[False, True, True]]
    assert (numbers == numbers, numbers == tf.keras.Input((3,))) == (True, False)  # noqa: PLR0124


def test_layers_of_texts_take_one_text() -> None:
    words = tf.keras.layers.TextVectorization()
    words.adapt(["a b", "b c"])
    assert words("b a").numpy().tolist() == [2, 4]
    many = tf.keras.layers.Hashing(5)(["a", "b"]).numpy()
    assert tf.keras.layers.Hashing(5)("a").numpy() == many[0]


def test_elements_as_arrays_are_given_one_by_one() -> None:
    elements = tf.data.Dataset.range(3).as_numpy_iterator()
    assert (elements.next(), next(elements), list(elements)) == (0, 1, [2])


def test_crosses_cut_numbers() -> None:
    """As tf.sparse.cross of TensorFlow casts what is no text to int64."""
    found = tf.sparse.cross([[["a"]], [[1.7]]])
    assert found.values.numpy().tolist() == [b"a_X_1"]
