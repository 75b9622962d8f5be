"""Images: TensorFlow's numbers for what has no short formula, files, boxes, refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.nn.pool import max_pool_in_depth

STRIPES = (np.arange(12.0).reshape(1, 2, 6, 1) ** 2 % 13).astype(np.float32)
SEVENTHS = (np.arange(144).reshape(1, 12, 12, 1) % 7 / 7).astype(np.float32)
FIFTHS = (np.arange(144).reshape(1, 12, 12, 1) % 5 / 5).astype(np.float32)

# TensorFlow 2.21: tf.image.resize(STRIPES, (1, 4), method, antialias=method != "area")
RESIZED = {
    "bicubic": [5.06715, 7.09265, 6.11868, 7.29450],
    "lanczos3": [4.97980, 7.15909, 6.11136, 7.25655],
    "area": [5.16667, 7.16667, 6.0, 7.33333],
    "gaussian": [5.30926, 6.81546, 6.33742, 7.16914],
    "mitchellcubic": [5.17698, 6.93969, 6.23537, 7.22285],
    "lanczos5": [4.91863, 7.20923, 6.10214, 7.21276],
}


@pytest.mark.parametrize("method", RESIZED)
def test_resizing_by_each_kernel(method: str) -> None:
    found = tl.image.resize(STRIPES, (1, 4), method, antialias=method != "area")
    np.testing.assert_allclose(found.numpy()[0, 0, :, 0], RESIZED[method], 1e-4)


def test_resizing_as_the_first_version_does() -> None:
    # TensorFlow 2.21: tf.compat.v1.image.resize_images(STRIPES, (3, 4), method=2)
    found = tl.image.resize(STRIPES, (3, 4), "bicubic", half_pixel_centers=False)
    wanted = [
        [0.0, 2.125, 9.0, 6.9375],
        [6.85538, 8.78757, 4.88677, 7.02319],
        [11.11111, 12.92361, 2.33333, 7.07639],
    ]
    np.testing.assert_allclose(found.numpy()[0, :, :, 0], wanted, 1e-4)


def test_resizing_keeps_proportions_if_asked() -> None:
    assert tl.image.resize(STRIPES, (9, 12), preserve_aspect_ratio=True).shape == (
        *(1, 4, 12, 1),
    )
    assert tl.image.resize_with_pad(STRIPES, 9, 12).shape == (1, 9, 12, 1)


def test_resizing_to_a_size_that_a_trace_computes() -> None:
    @tl.function
    def doubled(x: Any) -> Any:
        return tl.image.resize(x, tl.shape(x)[1:3] * 2)

    wanted = tl.image.resize(STRIPES, (4, 12)).numpy()
    np.testing.assert_allclose(doubled(tl.asarray(STRIPES)).numpy(), wanted)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"size": (1, 2, 3)}, "it is \\(height, width\\)"),
        ({"size": (1, 2), "method": "sinc"}, "method='sinc'"),
    ],
)
def test_what_resizing_refuses(arguments: Any, words: str) -> None:
    with pytest.raises(tl.errors.TensorliteError, match=words):
        tl.image.resize(STRIPES, **arguments)


def test_likeness_of_images() -> None:
    # TensorFlow 2.21: tf.image.ssim and psnr of the two; ssim_multiscale of one and 0.8 of it
    assert tl.image.ssim(SEVENTHS, FIFTHS, 1.0).item() == pytest.approx(
        -0.12678921, abs=1e-5
    )
    assert tl.image.psnr(SEVENTHS, FIFTHS, 1.0).item() == pytest.approx(
        8.006453, abs=1e-4
    )
    found = tl.image.ssim_multiscale(
        SEVENTHS, 0.8 * SEVENTHS, 1.0, power_factors=(0.5, 0.5), filter_size=5
    )
    assert found.item() == pytest.approx(0.9640806, abs=1e-4)


def test_the_likeness_of_images_whose_channels_only_a_run_knows() -> None:
    traced = tl.function(
        lambda x, y: tl.image.ssim(x, y, 1.0),
        input_signature=[tl.TensorSpec((None,) * 4), tl.TensorSpec((None,) * 4)],
    )
    expected = tl.image.ssim(SEVENTHS, FIFTHS, 1.0)
    np.testing.assert_array_equal(traced(SEVENTHS, FIFTHS), expected)


BOXES = np.asarray(
    [[0, 0, 4, 4], [0, 0, 4, 3], [5, 5, 9, 9], [5, 5, 8, 9], [1, 0, 4, 4]], np.float32
)
SCORES = np.asarray([0.5, 0.9, 0.3, 0.8, 0.7], np.float32)


def test_boxes_that_overlap_are_left_out() -> None:
    found = tl.image.non_max_suppression(BOXES, SCORES, 5, 0.5, 0.1)
    assert found.tolist() == [1, 3]


def test_boxes_that_overlap_lose_score() -> None:
    # TensorFlow 2.21: tf.image.non_max_suppression_with_scores(BOXES, SCORES, 5, 0.5, 0.1, 0.5)
    numbers, scores = tl.image.non_max_suppression_with_scores(
        BOXES, SCORES, 5, 1.0, 0.1, 0.5
    )
    assert numbers.tolist()[:2] == [1, 3]
    assert (np.diff(scores.numpy()) <= 0).all()


def test_files_hold_what_was_written() -> None:
    rng = np.random.default_rng(0)
    for channels in (1, 3, 4):
        pixels = rng.integers(0, 256, (3, 5, channels)).astype(np.uint8)
        file = tl.image.encode_png(pixels)
        np.testing.assert_array_equal(tl.image.decode_png(file).numpy(), pixels)
        assert (
            tl.image.decode_image(file, channels=3, dtype=tl.float32).dtype
            is tl.float32
        )
    smooth = np.full((16, 16, 3), 100, np.uint8)
    found = tl.image.decode_jpeg(tl.image.encode_jpeg(smooth)).numpy()
    assert np.abs(found.astype(int) - 100).max() <= 2


def test_damaged_files_are_refused() -> None:
    file = tl.image.encode_png(np.zeros((9, 9, 3), np.uint8)).item()
    with pytest.raises(tl.errors.InvalidArgumentError, match="image"):
        tl.image.decode_png(file[: len(file) // 2])
    with pytest.raises(
        tl.errors.InvalidArgumentError, match="no image that can be read"
    ):
        tl.image.decode_image(b"GIF89a")


def test_files_in_a_traced_function() -> None:
    file = tl.image.encode_png(np.full((2, 2, 3), 7, np.uint8))
    read = tl.function(lambda data: tl.image.decode_png(data, channels=3))
    assert read(file).numpy().tolist() == np.full((2, 2, 3), 7).tolist()


def test_integers_are_scaled_between_dtypes() -> None:
    x = tl.asarray(np.asarray([0, 128, 255], np.uint8))
    assert tl.image.convert_image_dtype(x, tl.int16).tolist() == [0, 16384, 32640]
    back = tl.image.convert_image_dtype(
        tl.asarray([0.0, 0.5, 1.2]), tl.uint8, saturate=True
    )
    assert back.tolist() == [0, 127, 255]


def test_images_drawn_at_random_come_from_the_seed() -> None:
    seed = tl.random.Seed((1, 2))
    changes: tuple[Callable[[Any], tl.Tensor], ...] = (
        lambda x: tl.image.random_brightness(x, 0.5, seed),
        lambda x: tl.image.random_flip_left_right(x, seed),
        lambda x: tl.image.random_crop(x, (1, 5, 5, 1), seed),
        lambda x: tl.image.random_contrast(x, 0.5, 2.0, seed),
    )
    for change in changes:
        np.testing.assert_array_equal(
            change(SEVENTHS).numpy(), change(SEVENTHS).numpy()
        )


def test_a_part_of_an_image_covers_its_box() -> None:
    begin, size, box = tl.image.sample_distorted_bounding_box(
        (40, 60, 3), [[[0.2, 0.2, 0.8, 0.8]]], 0.5, generator=tl.random.Seed((3, 4))
    )
    top, left, _ = begin.tolist()
    height, width, _ = size.tolist()
    shared = np.prod(
        np.minimum([32, 48], [top + height, left + width])
        - np.maximum([8, 12], [top, left])
    )
    assert shared >= 0.5 * 24 * 36
    np.testing.assert_allclose(box.numpy()[0, 0, :2], [top / 40, left / 60], 1e-6)


def test_gradients_of_crops_flow_to_boxes() -> None:
    image = tl.asarray(np.arange(25.0).reshape(1, 5, 5, 1))
    boxes = tl.asarray([[0.1, 0.1, 0.9, 0.9]], dtype=tl.float64)
    with tl.GradientTape() as tape:
        tape.watch(boxes)
        total = tl.sum(tl.image.crop_and_resize(image, boxes, [0], (2, 2)))
    # A row more is 5 more, a column 1: each corner is in two of four samples, over 4 elements.
    assert tape.gradient(total, boxes).numpy().round(6).tolist() == [[40, 8, 40, 8]]


IMAGE = np.arange(12.0).reshape(3, 4, 1)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: tl.image.crop_to_bounding_box(IMAGE, -1, 0, 2, 2), "offset_height"),
        (lambda: tl.image.crop_to_bounding_box(IMAGE, 0, 0, 2, 0), "target_width"),
        (
            lambda: tl.image.crop_to_bounding_box(IMAGE, 2, 0, 2, 2),
            "height must be >=",
        ),
        (lambda: tl.image.pad_to_bounding_box(IMAGE, 0, -1, 9, 9), "offset_width"),
        (lambda: tl.image.pad_to_bounding_box(IMAGE, 0, 6, 9, 9), "width must be <="),
        (lambda: tl.image.resize_with_crop_or_pad(IMAGE, 0, 2), "target_height must"),
        (lambda: tl.image.resize_with_crop_or_pad(IMAGE[:0], 2, 2), "all dims"),
    ],
)
def test_parts_that_are_refused(call: Callable[[], tl.Tensor], words: str) -> None:
    with pytest.raises(tl.errors.InvalidArgumentError, match=words):
        call()


def test_turns_and_sizes_that_only_a_run_knows() -> None:
    turned = tl.function(lambda k: tl.image.rot90(IMAGE, k))
    for k in range(-1, 5):
        expected = np.rot90(IMAGE, k)
        np.testing.assert_array_equal(turned(tl.asarray(k)).numpy(), expected)
    boxes = [[0.0, 0.0, 0.6, 1.0]]
    cropped = tl.function(
        lambda size: tl.image.crop_and_resize(IMAGE[None], boxes, [0], size)
    )
    for size in ((1, 3), (2, 1)):
        expected = tl.image.crop_and_resize(IMAGE[None], boxes, [0], size).numpy()
        found = cropped(tl.asarray(list(size))).numpy()
        np.testing.assert_allclose(found, expected)


def test_pooling_in_depth() -> None:
    from_channels = tl.reshape(tl.arange(8.0), (1, 1, 2, 4))
    found = tl.function(lambda x: max_pool_in_depth(x, 2))(from_channels)
    assert found.numpy().ravel().tolist() == [1.0, 3.0, 5.0, 7.0]
    with pytest.raises(
        tl.errors.ShapeError, match="evenly divide the channels, not 3"
    ):
        max_pool_in_depth(from_channels, 3)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda x: tl.image.random_hue(x, 0.6), "max_delta=0.6 must be <= 0.5"),
        (lambda x: tl.image.random_hue(x, -0.1), "max_delta=-0.1 must be non-neg"),
        (lambda x: tl.image.random_brightness(x, -1.0), "must be non-negative"),
        (lambda x: tl.image.random_contrast(x, -1.0, 1.0), "lower=-1.0 must be non"),
        (lambda x: tl.image.random_contrast(x, 1.0, 1.0), "upper=1.0 must be > low"),
        (lambda x: tl.image.random_saturation(x, 2.0, 1.0), "upper=1.0 must be >"),
        (lambda x: tl.image.adjust_gamma(x, -1.0), "Gamma should be a non-negative"),
    ],
)
def test_changes_beyond_their_bounds_are_refused(
    change: Callable[[Any], Any], told: str
) -> None:
    with pytest.raises(InvalidArgumentError, match=told):
        change(tl.ones((2, 2, 3)))
