"""Images in version 1's graphs: TensorFlow 1.15.5's nodes, and what is made eagerly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.compat import v1

tf: Any = v1
image: Any = tf.image
usual: Any = tl.image
DRAW = np.random.default_rng(3)
MANY = DRAW.uniform(0, 1, (2, 6, 8, 3)).astype(np.float32)
GREY = MANY[..., :1]
BYTES = DRAW.integers(0, 256, (6, 8, 3)).astype(np.uint8)

Case = tuple[Callable[[Any], Any], Callable[[Any], Any], Any, str]
CASES: dict[str, Case] = {
    "brightness": (
        lambda x: image.adjust_brightness(x, 0.1),
        lambda x: usual.adjust_brightness(x, 0.1),
        MANY,
        "adjust_brightness:Add adjust_brightness/Identity:Identity",
    ),
    "brightness_of_bytes": (
        lambda x: image.adjust_brightness(x, 0.1),
        lambda x: usual.adjust_brightness(x, 0.1),
        BYTES,
        "",
    ),
    "contrast": (
        lambda x: image.adjust_contrast(x, 0.5),
        lambda x: usual.adjust_contrast(x, 0.5),
        MANY,
        "adjust_contrast:AdjustContrastv2 adjust_contrast/Identity:Identity",
    ),
    "hue": (
        lambda x: image.adjust_hue(x, 0.1),
        lambda x: usual.adjust_hue(x, 0.1),
        MANY,
        "adjust_hue/AdjustHue:AdjustHue adjust_hue/Identity:Identity",
    ),
    "saturation": (
        lambda x: image.adjust_saturation(x, 0.5),
        lambda x: usual.adjust_saturation(x, 0.5),
        MANY,
        (
            "adjust_saturation/AdjustSaturation:AdjustSaturation "
            "adjust_saturation/Identity:Identity"
        ),
    ),
    "gamma": (
        lambda x: image.adjust_gamma(x, 2.0, 0.5),
        lambda x: usual.adjust_gamma(x, 2.0, 0.5),
        MANY,
        "adjust_gamma/pow:Pow adjust_gamma/mul:Mul adjust_gamma/Identity:Identity",
    ),
    "to_floats": (
        lambda x: image.convert_image_dtype(x, tf.float32),
        lambda x: usual.convert_image_dtype(x, tl.float32),
        BYTES,
        "convert_image/Cast:Cast convert_image:Mul",
    ),
    "to_bytes": (
        lambda x: image.convert_image_dtype(x, tf.uint8, saturate=True),
        lambda x: usual.convert_image_dtype(x, tl.uint8, saturate=True),
        MANY,
        "",
    ),
    "to_wider": (
        lambda x: image.convert_image_dtype(x, tf.int32),
        lambda x: usual.convert_image_dtype(x, tl.int32),
        BYTES,
        "convert_image/Cast:Cast convert_image:Mul",
    ),
    "grey": (image.rgb_to_grayscale, usual.rgb_to_grayscale, MANY, ""),
    "grey_bytes": (image.rgb_to_grayscale, usual.rgb_to_grayscale, BYTES, ""),
    "grey_to_rgb": (image.grayscale_to_rgb, usual.grayscale_to_rgb, GREY, ""),
    "yuv": (image.rgb_to_yuv, usual.rgb_to_yuv, MANY, ""),
    "from_yiq": (image.yiq_to_rgb, usual.yiq_to_rgb, MANY, ""),
    "flip": (
        image.flip_left_right,
        usual.flip_left_right,
        MANY[0],
        "flip_left_right/control_dependency:Identity flip_left_right/ReverseV2:ReverseV2",
    ),
    "flip_down": (image.flip_up_down, usual.flip_up_down, MANY, ""),
    "transpose": (
        image.transpose_image,
        usual.transpose,
        MANY,
        "transpose/control_dependency:Identity transpose/transpose:Transpose",
    ),
    "centre": (
        lambda x: image.central_crop(x, 0.6),
        lambda x: usual.central_crop(x, 0.6),
        MANY,
        "central_crop/control_dependency:Identity central_crop/Slice:Slice",
    ),
    "crop": (
        lambda x: image.crop_to_bounding_box(x, 1, 2, 3, 4),
        lambda x: usual.crop_to_bounding_box(x, 1, 2, 3, 4),
        MANY,
        "crop_to_bounding_box/control_dependency:Identity crop_to_bounding_box/Slice:Slice",
    ),
    "pad": (
        lambda x: image.pad_to_bounding_box(x, 1, 2, 9, 11),
        lambda x: usual.pad_to_bounding_box(x, 1, 2, 9, 11),
        MANY[0],
        "",
    ),
    "crop_or_pad": (
        lambda x: image.resize_image_with_crop_or_pad(x, 9, 5),
        lambda x: usual.resize_with_crop_or_pad(x, 9, 5),
        MANY[0],
        "",
    ),
    "crop_and_pad": (
        lambda x: image.resize_image_with_crop_or_pad(x, 3, 11),
        lambda x: usual.resize_with_crop_or_pad(x, 3, 11),
        MANY,
        "",
    ),
    "standard": (
        image.per_image_standardization,
        usual.per_image_standardization,
        MANY,
        "",
    ),
    "sobel": (image.sobel_edges, usual.sobel_edges, MANY, ""),
    "down": (
        lambda x: image.image_gradients(x)[0],
        lambda x: usual.image_gradients(x)[0],
        MANY,
        "",
    ),
    "across": (
        lambda x: image.image_gradients(x)[1],
        lambda x: usual.image_gradients(x)[1],
        MANY,
        "",
    ),
}


@pytest.mark.parametrize("are_known", [True, False], ids=["known", "open"])
@pytest.mark.parametrize("what", CASES)
def test_images_are_those_made_eagerly(what: str, are_known: bool) -> None:
    make, eagerly, value, names = CASES[what]
    wanted = np.asarray(eagerly(value))
    with tf.Graph().as_default() as graph, tf.Session() as session:
        sizes = value.shape if are_known else [None] * value.ndim
        x = tf.placeholder(tf.as_dtype(value.dtype), sizes)
        made = make(x)
        ops = [
            op
            for op in graph.get_operations()
            if op.type not in ("Const", "Placeholder")
        ]
        found = session.run(made, {x: value})
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=2e-6)
    if are_known:
        assert made.shape.as_list() == list(wanted.shape)
    if are_known and names:
        assert " ".join(f"{op.name}:{op.type}" for op in ops) == names


def test_colours_that_are_turned_have_no_gradient() -> None:
    with tf.Graph().as_default():
        x = tf.constant(MANY)
        for made in (image.adjust_hue(x, 0.1), image.adjust_contrast(x, 0.5)):
            with pytest.raises(LookupError, match="No gradient defined"):
                tf.gradients(made, x)


DRAWN: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "brightness": (lambda x: image.random_brightness(x, 0.3, seed=1) - x, MANY),
    "flips": (lambda x: image.random_flip_left_right(x, seed=1), MANY),
    "flip": (lambda x: image.random_flip_up_down(x, seed=1), MANY[0]),
    "contrast": (lambda x: image.random_contrast(x, 0.5, 0.9, seed=1), MANY),
    "hue": (lambda x: image.random_hue(x, 0.3, seed=1), MANY),
    "saturation": (lambda x: image.random_saturation(x, 0.5, 0.9, seed=1), MANY),
}


@pytest.mark.parametrize("what", DRAWN)
def test_what_is_drawn_comes_again_from_its_seed(what: str) -> None:
    make, value = DRAWN[what]
    found = []
    for _ in range(2):
        with tf.Graph().as_default(), tf.Session() as session:
            made = make(tf.constant(value))
            found.append([session.run(made) for _ in range(6)])
    np.testing.assert_array_equal(found[0], found[1])
    assert any(not np.array_equal(one, found[0][0]) for one in found[0])
    if what == "brightness":
        assert all(np.ptp(one) < 1e-6 for one in found[0])
    if what == "flip":
        sides = [value, value[::-1]]
        assert all(any(np.array_equal(x, one) for x in sides) for one in found[0])


def _sized(*sizes: int | None) -> Any:
    return tf.placeholder(tf.float32, sizes)


def test_images_of_unknown_sizes_are_checked_when_they_run() -> None:
    picture = np.arange(24.0, dtype=np.float32).reshape(2, 4, 3)
    with tf.Graph().as_default(), tf.Session() as session:
        x = _sized(None, None, 3)
        cut = tf.image.crop_to_bounding_box(x, 0, 1, 2, 2)
        framed = tf.image.resize_image_with_crop_or_pad(x, 4, 2)
        turned = tf.image.rot90(x, 3)
        found = session.run([cut, framed, turned], {x: picture})
        np.testing.assert_array_equal(found[0], picture[:, 1:3])
        np.testing.assert_array_equal(found[1][1:3], picture[:, 1:3])
        np.testing.assert_array_equal(found[2], np.rot90(picture, 3))
        assert cut.name == "crop_to_bounding_box/Squeeze:0"
        with pytest.raises(tf.errors.InvalidArgumentError, match="width must be >="):
            session.run(cut, {x: picture[:, :2]})
        with pytest.raises(tf.errors.InvalidArgumentError, match="must be > 0"):
            session.run(turned, {x: picture[:0]})


def test_images_fit_into_sizes_as_tensorflow_1_has_them() -> None:
    picture = np.ones([1, 4, 8, 1], np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        fitted = tf.image.resize_images(picture, [3, 4], preserve_aspect_ratio=True)
        padded = tf.image.resize_image_with_pad(_sized(None, None, None, 1), 4, 4)
        assert session.run(fitted).shape == (1, 2, 4, 1)
        given = tf.get_default_graph().get_tensor_by_name("Placeholder:0")
        found = session.run(padded, {given: picture})
        np.testing.assert_array_equal(found[0, :, 0, 0], [0.0, 1.0, 1.0, 0.0])


def test_files_are_decoded_by_what_they_begin_with() -> None:
    picture = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    with tf.Graph().as_default(), tf.Session() as session:
        contents = tf.placeholder(tf.string, [])
        decoded = tf.image.decode_image(contents, 3)
        png = session.run(tf.image.encode_png(picture))
        np.testing.assert_array_equal(session.run(decoded, {contents: png}), picture)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Unable to decode"):
            session.run(decoded, {contents: b"nothing"})
