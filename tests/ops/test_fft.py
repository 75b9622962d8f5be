"""Fourier transforms at their edges: precision, sizes, shifts of odd axes, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl


def test_single_precision_stays_single() -> None:
    x = tl.asarray([1.0, 2.0, 4.0])
    assert tl.fft.fft(x).dtype is tl.complex64
    assert tl.fft.rfft(x).dtype is tl.complex64
    assert tl.fft.irfft(tl.fft.rfft(x), n=3).dtype is tl.float32
    assert tl.fft.fft(tl.asarray([1, 2])).dtype is tl.complex64
    assert tl.fft.rfft(tl.astype(x, tl.float64)).dtype is tl.complex128


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
@pytest.mark.parametrize("size", [1, 2, 7, 8])
def test_inverses_undo(norm: str, size: int) -> None:
    x = tl.asarray(np.random.default_rng(size).normal(size=(2, size)))
    np.testing.assert_allclose(
        tl.real(tl.fft.ifft(tl.fft.fft(x, norm=norm), norm=norm)), x
    )
    np.testing.assert_allclose(
        tl.fft.irfft(tl.fft.rfft(x, norm=norm), n=size, norm=norm), x
    )
    half = tl.fft.ihfft(x, norm=norm)
    np.testing.assert_allclose(tl.fft.hfft(half, n=size, norm=norm), x, atol=1e-12)
    np.testing.assert_array_equal(tl.fft.ifftshift(tl.fft.fftshift(x)), x)


def test_a_batch_of_unknown_size_is_transformed_in_a_trace() -> None:
    traced = tl.function(tl.fft.rfft, input_signature=[tl.TensorSpec((None, 6))])
    for rows in (1, 3):
        x = np.random.default_rng(rows).normal(size=(rows, 6)).astype(np.float32)
        np.testing.assert_allclose(
            traced(tl.asarray(x)), np.fft.rfft(x), rtol=1e-5, atol=1e-5
        )
    assert traced.trace_count == 1


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        (
            lambda: tl.fft.fft([1.0], norm="no"),
            tl.errors.InvalidArgumentError,
            "norm='no'; allowed",
        ),
        (
            lambda: tl.fft.hfft([1.0], norm="no"),
            tl.errors.InvalidArgumentError,
            "norm='no'",
        ),
        (lambda: tl.fft.fft([1.0], axis=1), tl.errors.AxisError, "axis 1"),
        (
            lambda: tl.fft.fft([1.0], n=0),
            tl.errors.InvalidArgumentError,
            "n=0; allowed are 1",
        ),
        (lambda: tl.fft.rfft([1j]), tl.errors.DTypeError, "RFFTND takes floats"),
        (
            lambda: tl.fft.fftn([1.0], s=(1, 1), axes=(0,)),
            tl.errors.ShapeError,
            "2 sizes for 1",
        ),
        (
            lambda: tl.fft.fftfreq(3, dtype=tl.int32),
            tl.errors.DTypeError,
            "fftfreq: dtype",
        ),
        (lambda: tl.fft.fft("text"), tl.errors.DTypeError, "string"),
    ],
)
def test_what_is_refused_is_told(wrong: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        wrong()


SIGNAL = np.random.default_rng(3).normal(size=(2, 6)).astype(np.float32)


@pytest.mark.parametrize("shape", [None, (None, None), (2, None)])
@pytest.mark.parametrize(
    ("function", "reference"),
    [
        (lambda x: tl.fft.fft(tl.astype(x, tl.complex64)), np.fft.fft),
        (tl.fft.rfft, np.fft.rfft),
        (lambda x: tl.fft.rfft(x, n=4), lambda x: np.fft.rfft(x, n=4)),
        (lambda x: tl.fft.rfft(x, n=9), lambda x: np.fft.rfft(x, n=9)),
        (lambda x: tl.fft.irfft(tl.astype(x, tl.complex64)), np.fft.irfft),
        (
            lambda x: tl.fft.rfftn(x, axes=(-2, -1)),
            lambda x: np.fft.rfftn(x, axes=(-2, -1)),
        ),
    ],
)
def test_sizes_that_a_trace_does_not_know_are_the_signals_own(
    function: Any, reference: Any, shape: Any
) -> None:
    traced = tl.function(function, input_signature=[tl.TensorSpec(shape, tl.float32)])
    found = traced(tl.asarray(SIGNAL)).numpy()
    assert np.allclose(found, reference(SIGNAL), atol=1e-5)


@pytest.mark.parametrize(
    "function",
    [
        tl.fft.rfft,
        lambda x: tl.fft.rfft(x, n=4),
        lambda x: tl.fft.rfft(x, n=9),
        lambda x: tl.fft.irfft(tl.astype(x, tl.complex64)),
        lambda x: tl.fft.irfft(tl.astype(x, tl.complex64), n=7),
        lambda x: tl.fft.irfft(tl.astype(x, tl.complex64), n=14),
    ],
)
def test_gradients_are_those_of_signals_of_known_sizes(function: Any) -> None:
    def gradient(x: Any) -> Any:
        with tl.GradientTape() as tape:
            tape.watch(x)
            y = tl.sum(tl.square(tl.abs(function(x))) * 0.5)
        return tape.gradient(y, x)

    x = tl.asarray(SIGNAL)
    traced = tl.function(gradient, input_signature=[tl.TensorSpec((None,) * 2)])
    assert np.allclose(traced(x).numpy(), gradient(x).numpy(), atol=1e-4)


def test_nothing_has_no_frequencies() -> None:
    assert tl.fft.fft(tl.zeros((0,), dtype=tl.complex64)).shape == (0,)
    assert tl.fft.rfft(tl.zeros((2, 0))).shape == (2, 0)
