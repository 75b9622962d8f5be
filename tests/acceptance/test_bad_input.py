"""Mistakes of a careless user: each has its error class and a builtin base, and says what to do.

The message or its notes name the function and the argument, what came, what is allowed, and the
user's line; whatever the mistake concerned is as it was before. Mistakes in
traces, gradients and files are in test_bad_traces_and_files.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

import tensorlite as tl
from tensorlite.config import get_soft_placement, set_soft_placement

E = tl.errors
MATRIX = tl.ones((2, 3))
INTS = tl.asarray([0, 1, 2])
IMAGE = tl.ones((1, 5, 5, 2))
FILTERS = tl.ones((3, 3, 2, 4))
TRUE = tl.asarray(True)


class Mistake(NamedTuple):
    """A call that is wrong, its error and builtin base, and words that must be told."""

    call: Callable[[], Any]
    error: type[Exception]
    base: type[Exception]
    words: tuple[str, ...]


MISTAKES: dict[str, Mistake] = {
    # Shapes.
    "shapes that do not broadcast": Mistake(
        lambda: MATRIX + tl.ones((2, 4)),
        E.ShapeError,
        ValueError,
        ("__add__", "[2, 3]", "[2, 4]"),
    ),
    "matmul": Mistake(
        lambda: MATRIX @ MATRIX,
        E.ShapeError,
        ValueError,
        ("matmul", "3 and 2", "transpose"),
    ),
    "a negative size": Mistake(
        lambda: tl.zeros((-1, 2)),
        E.ShapeError,
        ValueError,
        ("zeros", "[-1, 2]", "0 and up"),
    ),
    "a size that is a float": Mistake(
        lambda: tl.zeros((2.5,)),
        E.DTypeError,
        TypeError,
        ("zeros", "shape", "2.5", "integers"),
    ),
    "a shape that is text": Mistake(
        lambda: tl.zeros("ab"), E.DTypeError, TypeError, ("zeros", "'ab'", "integers")
    ),
    "reshape": Mistake(
        lambda: tl.reshape(MATRIX, (4, 2)),
        E.ShapeError,
        ValueError,
        ("reshape", "6 values", "8"),
    ),
    "reshape with -2": Mistake(
        lambda: tl.reshape(MATRIX, (-2, 3)),
        E.ShapeError,
        ValueError,
        ("non-negative", "-2", "-1"),
    ),
    "concat": Mistake(
        lambda: tl.concat([MATRIX, tl.ones((3, 4))], axis=0),
        E.ShapeError,
        ValueError,
        ("concat", "[2, 3]", "[3, 4]"),
    ),
    "concat of nothing": Mistake(
        lambda: tl.concat([]),
        E.InvalidArgumentError,
        ValueError,
        ("concat", "at least one"),
    ),
    "lists of different lengths": Mistake(
        lambda: tl.asarray([[1, 2], [3]]),
        E.ShapeError,
        ValueError,
        ("asarray", "lengths"),
    ),
    "channels": Mistake(
        lambda: tl.nn.conv2d(IMAGE, tl.ones((3, 3, 5, 4))),
        E.ShapeError,
        ValueError,
        ("conv2d", "2 channels", "take 5"),
    ),
    "labels": Mistake(
        lambda: tl.nn.sparse_softmax_cross_entropy(INTS, MATRIX),
        E.ShapeError,
        ValueError,
        ("sparse_softmax_cross_entropy", "labels", "int32[3]", "[2, 3]"),
    ),
    # Axes.
    "sum over an axis": Mistake(
        lambda: tl.sum(MATRIX, axis=2),
        E.AxisError,
        IndexError,
        ("sum", "axis 2", "-2 to 1"),
    ),
    "an axis that is a float": Mistake(
        lambda: tl.sum(MATRIX, axis=1.5),  # type: ignore[arg-type]
        E.DTypeError,
        TypeError,
        ("sum", "axis=1.5", "integer"),
    ),
    "gather along an axis": Mistake(
        lambda: tl.gather(MATRIX, [0], axis=3),
        E.AxisError,
        IndexError,
        ("gather", "axis 3", "1"),
    ),
    "one_hot along an axis": Mistake(
        lambda: tl.one_hot([0], 3, axis=5),
        E.AxisError,
        IndexError,
        ("one_hot", "axis 5", "1"),
    ),
    "axes named twice": Mistake(
        lambda: tl.permute_dims(MATRIX, (0, 0)),
        E.ShapeError,
        ValueError,
        ("[0, 0]", "once"),
    ),
    "axes that are text": Mistake(
        lambda: tl.permute_dims(MATRIX, "ab"),  # type: ignore[arg-type]
        E.DTypeError,
        TypeError,
        ("permute_dims", "axes", "integers"),
    ),
    "an index that is not there": Mistake(
        lambda: MATRIX[5],
        E.PlaceError,
        IndexError,
        ("index 5", "size 2", "-2 to 1"),
    ),
    "an index that is a float": Mistake(
        lambda: MATRIX[0.5], E.DTypeError, TypeError, ("0.5", "ints, slices")
    ),
    # Dtypes.
    "a name of no dtype": Mistake(
        lambda: tl.asarray([1.0], dtype="flaot32"),
        E.DTypeError,
        TypeError,
        ("flaot32", "float32"),
    ),
    "numbers with text": Mistake(
        lambda: MATRIX + "a",
        E.DTypeError,
        TypeError,
        ("float32", "string", "tl.astype"),
    ),
    "the sum of text": Mistake(
        lambda: tl.sum("abc"), E.DTypeError, TypeError, ("sum", "string", "tl.astype")
    ),
    "bits of floats": Mistake(
        lambda: MATRIX & MATRIX,
        E.DTypeError,
        TypeError,
        ("integers and bools", "float32"),
    ),
    "labels that are floats": Mistake(
        lambda: tl.nn.sparse_softmax_cross_entropy([0.0, 1.0], MATRIX),
        E.DTypeError,
        TypeError,
        ("integer labels", "float32[2]", "softmax_cross_entropy"),
    ),
    "a number that does not fit": Mistake(
        lambda: tl.asarray([300], dtype=tl.int8),
        E.InvalidArgumentError,
        ValueError,
        ("300", "int8"),
    ),
    # Devices.
    "a device that is not there": Mistake(
        lambda: tl.asarray([1.0], device="/device:GPU:77"),
        E.DeviceError,
        ValueError,
        ("/device:GPU:77", "does not exist"),
    ),
    "a name of no device": Mistake(
        lambda: tl.asarray([1.0], device="gpu0"),
        E.DeviceError,
        ValueError,
        ("gpu0", "/gpu:1"),
    ),
    # Arguments.
    "a depth that is negative": Mistake(
        lambda: tl.one_hot([0], -3),
        E.InvalidArgumentError,
        ValueError,
        ("depth=-3", "0 and more"),
    ),
    "a depth that is text": Mistake(
        lambda: tl.one_hot([0], "three"),
        E.DTypeError,
        TypeError,
        ("depth='three'", "integers"),
    ),
    "k": Mistake(
        lambda: tl.top_k(MATRIX, -1),
        E.InvalidArgumentError,
        ValueError,
        ("top_k: k=-1", "0 and"),
    ),
    "more than there are": Mistake(
        lambda: tl.top_k(MATRIX, 9),
        E.ShapeError,
        ValueError,
        ("top_k", "no 9 elements"),
    ),
    "a padding misspelt": Mistake(
        lambda: tl.nn.conv2d(IMAGE, FILTERS, padding="SMAE"),
        E.InvalidArgumentError,
        ValueError,
        ("Conv2D", "padding='SMAE'", "VALID"),
    ),
    "a layout misspelt": Mistake(
        lambda: tl.nn.conv2d(IMAGE, FILTERS, data_format="NWHC"),
        E.InvalidArgumentError,
        ValueError,
        ("data_format='NWHC'", "NHWC"),
    ),
    "strides of zero": Mistake(
        lambda: tl.nn.conv2d(IMAGE, FILTERS, strides=0),
        E.InvalidArgumentError,
        ValueError,
        ("strides", "positive integers"),
    ),
    "strides that are text": Mistake(
        lambda: tl.nn.conv2d(IMAGE, FILTERS, strides="2"),  # type: ignore[arg-type]
        E.DTypeError,
        TypeError,
        ("strides", "'2'", "integers"),
    ),
    "a window that does not fit": Mistake(
        lambda: tl.nn.max_pool2d(IMAGE, 9),
        E.ShapeError,
        ValueError,
        ("9", "5", "SAME"),
    ),
    "an equation that comes last": Mistake(
        lambda: tl.einsum(MATRIX, MATRIX),  # type: ignore[arg-type]
        E.DTypeError,
        TypeError,
        ("einsum", "the equation comes first"),
    ),
    "an equation of other operands": Mistake(
        lambda: tl.einsum("ij,jk->ik", MATRIX),
        E.InvalidArgumentError,
        ValueError,
        ("einsum", "2 operands, not 1"),
    ),
    "parts that do not divide": Mistake(
        lambda: tl.split(MATRIX, 2, axis=1),
        E.ShapeError,
        ValueError,
        ("split", "2 equal parts"),
    ),
    "repeats": Mistake(
        lambda: tl.repeat(MATRIX, -1),
        E.InvalidArgumentError,
        ValueError,
        ("repeat", "0 and more"),
    ),
    "dropout": Mistake(
        lambda: tl.nn.dropout(MATRIX, 1.5),
        E.InvalidArgumentError,
        ValueError,
        ("rate=1.5", "1"),
    ),
    "a range that is empty": Mistake(
        lambda: tl.random.uniform((2,), 5, 1, dtype=tl.int32),
        E.InvalidArgumentError,
        ValueError,
        ("uniform", "[5, 1)", "empty"),
    ),
    "a seed that is text": Mistake(
        lambda: tl.random.set_seed("abc"),  # type: ignore[arg-type]
        E.DTypeError,
        TypeError,
        ("set_seed", "'abc'", "integers"),
    ),
    # Structures and things that are no tensors.
    "None": Mistake(
        lambda: tl.exp(None),  # type: ignore[arg-type]
        E.ConversionError,
        TypeError,
        ("exp", "NoneType", "numbers"),
    ),
    "an object": Mistake(
        lambda: tl.asarray(object()),  # type: ignore[arg-type]
        E.ConversionError,
        TypeError,
        ("asarray", "object", "numbers"),
    ),
    "a value for a function": Mistake(
        lambda: tl.cond(TRUE, 1, 2),  # type: ignore[arg-type]
        E.DTypeError,
        TypeError,
        ("cond: true_fn=1", "lambda"),
    ),
    "a loop without a condition": Mistake(
        lambda: tl.while_loop(True, lambda x: x, [MATRIX]),  # type: ignore[arg-type]
        E.DTypeError,
        TypeError,
        ("while_loop: cond=True", "lambda"),
    ),
    "a predicate of many": Mistake(
        lambda: tl.cond(MATRIX, lambda: 1, lambda: 2),
        E.ShapeError,
        ValueError,
        ("cond", "(2, 3)", "tl.all"),
    ),
    "no turn in flight": Mistake(
        lambda: tl.while_loop(
            lambda i: i < 3, lambda i: [i + 1], [0], parallel_iterations=0
        ),
        E.InvalidArgumentError,
        ValueError,
        ("parallel_iterations=0", "1 and more"),
    ),
    "swapping perhaps": Mistake(
        lambda: tl.while_loop(
            lambda i: i < 3,
            lambda i: [i + 1],
            [0],
            swap_memory="yes",  # type: ignore[arg-type]
        ),
        E.DTypeError,
        TypeError,
        ("while_loop", "swap_memory='yes'", "give True or False"),
    ),
    "a body that returns too little": Mistake(
        lambda: tl.while_loop(lambda i, j: i < 3, lambda i, j: [i + 1], [0, 1]),
        E.LoopError,
        ValueError,
        ("returns 1 for 2",),
    ),
}
EAGER_ONLY = {"a seed that is text"}


def told(error: BaseException) -> str:
    """Return the message of an error with its notes."""
    return "\n".join([str(error), *getattr(error, "__notes__", ())])


@pytest.fixture(autouse=True)
def _devices_must_be_there() -> Iterator[None]:
    """Undo what importing TensorFlow 2's names sets."""
    before = get_soft_placement()
    set_soft_placement(False)
    yield
    set_soft_placement(before)


@pytest.mark.parametrize("how", ["eager", "traced"])
@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told(name: str, how: str) -> None:
    mistake = MISTAKES[name]
    run = tl.function(mistake.call) if how == "traced" else mistake.call
    for _ in range(2):  # a mistake made again is told again
        with pytest.raises(mistake.error) as caught:
            run()
        assert type(caught.value) is mistake.error
        assert isinstance(caught.value, mistake.base)
        assert isinstance(caught.value, E.TensorliteError)
        assert [
            word for word in mistake.words if word not in told(caught.value)
        ] == []
        assert "test_bad_input.py:" in told(caught.value)
    assert tl.executing_eagerly()


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        (
            lambda: tl.optimizers.Adam(-1.0),
            E.InvalidArgumentError,
            "learning_rate=-1.0",
        ),
        (lambda: tl.layers.Dense(0), E.InvalidArgumentError, "units"),
        (lambda: tl.layers.Dense("ten"), E.TensorliteError, "units"),  # type: ignore[arg-type]
        (
            lambda: tl.function(len, runner="fast"),
            E.InvalidArgumentError,
            "runner='fast'",
        ),
        (lambda: tl.function(3), E.TensorliteError, "3"),  # type: ignore[call-overload]
        (
            lambda: tl.optimizers.SGD(0.1).apply_gradients([]),
            E.InvalidArgumentError,
            "gradient",
        ),
        (
            lambda: tl.optimizers.SGD(0.1).minimize(1.0, [], None),
            E.DTypeError,
            "minimize: tape=None",
        ),
        (lambda: tl.checkpoint.Checkpoint(model=3), E.TensorliteError, "model"),
        (lambda: tl.grad(3), E.DTypeError, "grad: function=3"),  # type: ignore[arg-type]
        (
            lambda: tl.TensorArray(tl.float32, size=-2),
            E.InvalidArgumentError,
            "size=-2",
        ),
        (lambda: tl.fft.fft([1.0], norm="no"), E.InvalidArgumentError, "norm='no'"),
        (lambda: tl.fft.fft([1.0], n=0), E.InvalidArgumentError, "n=0"),
        (lambda: tl.fft.fftn([1.0], s=(1, 1)), E.TensorliteError, ""),
        (lambda: tl.arange("a"), E.DTypeError, "arange"),
        (lambda: tl.eye(-1), E.InvalidArgumentError, "n_rows=-1"),
        (lambda: tl.sequence_mask([1.5]), E.DTypeError, "lengths"),
    ],
)
def test_arguments_of_other_functions(wrong: Any, error: Any, words: str) -> None:
    with pytest.raises(error) as caught:
        wrong()
    assert words in told(caught.value)
    assert "test_bad_input.py:" in told(caught.value)


def test_a_name_that_is_elsewhere_says_where() -> None:
    with pytest.raises(AttributeError, match=r"there is tl\.nn\.sigmoid"):
        tl.sigmoid  # noqa: B018
    with pytest.raises(AttributeError, match=r"there is tl\.queue\.Coordinator"):
        tl.Coordinator  # noqa: B018


GOOD_THEN_BAD: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "reshape": (
        lambda: tl.reshape(MATRIX, (3, 2)),
        lambda: tl.reshape(MATRIX, (-2, 3)),
    ),
    "pad": (
        lambda: tl.pad(MATRIX, ((1, 1), (1, 1)), mode="reflect"),
        lambda: tl.pad(MATRIX, ((5, 5), (0, 0)), mode="reflect"),
    ),
    "tril": (lambda: tl.tril(MATRIX), lambda: tl.tril(tl.ones(3))),
    "gather": (
        lambda: tl.gather(MATRIX, [0], axis=1),
        lambda: tl.gather(MATRIX, [0], axis=3),
    ),
    "one_hot": (lambda: tl.one_hot([0], 3), lambda: tl.one_hot([0], 3, axis=5)),
    "top_k": (lambda: tl.top_k(MATRIX, 1), lambda: tl.top_k(MATRIX, 9)),
    "sum": (lambda: tl.sum(MATRIX, axis=1), lambda: tl.sum(MATRIX, axis=2)),
    "zeros": (lambda: tl.zeros((1,)), lambda: tl.zeros((-1,))),
}


@pytest.mark.parametrize("name", GOOD_THEN_BAD)
def test_a_good_call_before_does_not_let_a_bad_one_pass(name: str) -> None:
    """Dispatch asks inference once for each combination of dtypes: kernels hold the rest."""
    good, bad = GOOD_THEN_BAD[name]
    good()
    with pytest.raises(E.InvalidArgumentError):
        bad()
