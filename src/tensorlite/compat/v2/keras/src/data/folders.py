"""Datasets of keras.utils: texts, images and sounds in folders, windows of series."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.shared import arrays, audio
from tensorlite.compat.shared.datasets.tf_data import Dataset
from tensorlite.compat.v2 import strings
from tensorlite.compat.v2.keras.ops import imaging
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.ragged.tensor import RaggedTensor

_IMAGES = (".bmp", ".gif", ".jpeg", ".jpg", ".png")
_CHANNELS = {"rgb": 3, "rgba": 4, "grayscale": 1}


class _Found:
    """The files in a folder, with what they are of."""

    def __init__(
        self, paths: list[str], labels: Any, names: list[str] | None
    ) -> None:
        self.paths, self.labels, self.names = paths, labels, names

    def shuffled(self, seed: int) -> _Found:
        order = np.arange(len(self.paths))
        np.random.RandomState(seed).shuffle(order)
        return self.taken(order)

    def taken(self, order: Any) -> _Found:
        labels = None if self.labels is None else [self.labels[i] for i in order]
        return _Found([self.paths[i] for i in order], labels, self.names)

    def divided(self, share: float | None, subset: str | None) -> _Found:
        if not share:
            return self
        if not 0 < share < 1 or subset not in {"training", "validation", "both"}:
            raise InvalidArgumentError(
                f"validation_split={share} and subset={subset!r}: a share between 0 and 1, and "
                "'training', 'validation' or 'both'"
            )
        held, count = int(share * len(self.paths)), len(self.paths)
        first = subset == "training"
        return self.taken(
            range(count - held) if first else range(count - held, count)
        )


def _files(folder: Path, formats: tuple[str, ...], follow: bool) -> list[str]:
    walked = sorted(os.walk(folder, followlinks=follow))
    return [
        str(Path(root) / name)
        for root, _, names in walked
        for name in sorted(names)
        if name.lower().endswith(formats)
    ]


def _searched(
    directory: Any, labels: Any, names: Any, formats: tuple[str, ...], follow: bool
) -> _Found:
    folder = Path(directory)
    if labels != "inferred":
        paths = _files(folder, formats, follow)
        if labels is not None and len(labels) != len(paths):
            raise InvalidArgumentError(
                f"there are {len(paths)} files in {folder}, and {len(labels)} labels"
            )
        known = None if labels is None else [str(x) for x in sorted(set(labels))]
        return _Found(paths, None if labels is None else list(labels), known)
    there = sorted(
        x.name for x in folder.iterdir() if x.is_dir() and not x.name.startswith(".")
    )
    chosen = there if names is None else list(names)
    if not set(chosen) <= set(there):
        raise InvalidArgumentError(
            f"class_names={chosen}: the folders in {folder} are {there}"
        )
    groups = [_files(folder / name, formats, follow) for name in chosen]
    numbers = [i for i, group in enumerate(groups) for _ in group]
    return _Found([path for group in groups for path in group], numbers, chosen)


def _of_labels(found: _Found, mode: str | None) -> Any:
    """Return the labels of files as arrays, in the form that losses take."""
    count = len(found.names or [])
    numbers = np.asarray(found.labels)
    if mode == "int":
        return numbers.astype(np.int32)
    if mode == "binary":
        if count != 2:
            raise InvalidArgumentError(
                f'label_mode="binary" is for 2 classes; there are {count}'
            )
        return numbers.astype(np.float32)[:, None]
    if mode == "categorical":
        return np.eye(count, dtype=np.float32)[numbers]
    raise InvalidArgumentError(
        f"label_mode={mode!r}; it is 'int', 'binary', 'categorical' or None"
    )


def _batched(made: Any, batch_size: int | None) -> Any:
    return made if batch_size is None else made.batch(batch_size)


def _padded(made: Any, batch_size: int | None) -> Any:
    """Return batches whose elements are brought to the size of the largest of each."""
    return made if batch_size is None else made.padded_batch(batch_size)


def _dataset(
    found: _Found,
    read: Any,
    mode: str | None,
    batch_size: Any,
    seed: int | None,
    gather: Any,
) -> Any:
    if not found.paths:
        raise InvalidArgumentError("there are no files of the wanted kinds")
    made: Any = Dataset.from_tensor_slices(found.paths)
    if mode is not None and found.labels is not None:
        labels = Dataset.from_tensor_slices(_of_labels(found, mode))
        made = Dataset.zip((made, labels))
        reading: Any = lambda path, label: (read(path), label)  # noqa: E731
    else:
        reading = read
    if seed is not None:
        made = made.shuffle(8 * (batch_size or 128), seed=seed)
    made = made.map(reading)
    made = gather(made, batch_size)
    made.class_names, made.file_paths = found.names, found.paths
    return made


def _from_directory(
    directory: Any,
    formats: tuple[str, ...],
    read: Any,
    given: dict[str, Any],
    gather: Any = _batched,
) -> Any:
    found = _searched(
        directory,
        given["labels"],
        given["class_names"],
        formats,
        given["follow_links"],
    )
    if given["verbose"]:
        kinds = (
            "" if found.names is None else f" belonging to {len(found.names)} classes"
        )
        print(f"Found {len(found.paths)} files{kinds}.")
    seed = given["seed"]
    if given["shuffle"]:
        seed = int(np.random.randint(10**6)) if seed is None else int(seed)
        found = found.shuffled(seed)
    mode = None if given["labels"] is None else given["label_mode"]
    chosen = given["subset"]

    def made(subset: Any) -> Any:
        part = found.divided(given["validation_split"], subset)
        order = seed if given["shuffle"] else None
        return _dataset(part, read, mode, given["batch_size"], order, gather)

    if chosen == "both":
        return [made("training"), made("validation")]
    return made(chosen)


def text_dataset_from_directory(
    directory: Any,
    labels: Any = "inferred",
    label_mode: str | None = "int",
    class_names: Any = None,
    batch_size: int | None = 32,
    max_length: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    validation_split: float | None = None,
    subset: str | None = None,
    follow_links: bool = False,
    format: str = "tf",
    verbose: bool = True,
) -> Any:
    """Return a dataset of the texts in a folder, with labels by the folders they lie in.

    label_mode is "int", "binary", "categorical" or None for texts alone; labels may be given as a
    list in the order of paths. validation_split and subset ("training", "validation", "both") part
    the files. Texts are cut after max_length bytes. format and verbose have no effect.
    """
    given = {**locals()}

    def read(path: Any) -> Any:
        text = tl.io.read_file(path)
        return text if max_length is None else strings.substr(text, 0, max_length)

    return _from_directory(directory, (".txt",), read, given)


def image_dataset_from_directory(
    directory: Any,
    labels: Any = "inferred",
    label_mode: str | None = "int",
    class_names: Any = None,
    color_mode: str = "rgb",
    batch_size: int | None = 32,
    image_size: Any = (256, 256),
    shuffle: bool = True,
    seed: int | None = None,
    validation_split: float | None = None,
    subset: str | None = None,
    interpolation: str = "bilinear",
    follow_links: bool = False,
    crop_to_aspect_ratio: bool = False,
    pad_to_aspect_ratio: bool = False,
    data_format: str | None = None,
    format: str = "tf",
    verbose: bool = True,
) -> Any:
    """Return a dataset of images in a folder, as float32 of one size, 0 to 255.

    label_mode is "int", "binary", "categorical" or None for images alone; color_mode "rgb", "rgba"
    or "grayscale", else InvalidArgumentError is raised. crop_to_aspect_ratio and
    pad_to_aspect_ratio keep shapes as they are. format and verbose have no effect.
    """
    given = {**locals()}
    if color_mode not in _CHANNELS:
        raise InvalidArgumentError(
            f"color_mode={color_mode!r}; it is 'rgb', 'rgba' or 'grayscale'"
        )
    channels = _CHANNELS[color_mode]

    def read(path: Any) -> Any:
        image = tl.image.decode_image(tl.io.read_file(path), channels)
        whole = arrays.ensure_shape(image, (None, None, channels))
        made = imaging.resize(
            tl.astype(whole, tl.float32),
            image_size,
            interpolation,
            crop_to_aspect_ratio=crop_to_aspect_ratio,
            pad_to_aspect_ratio=pad_to_aspect_ratio,
        )
        return (
            tl.permute_dims(made, (2, 0, 1))
            if data_format == "channels_first"
            else made
        )

    return _from_directory(directory, _IMAGES, read, given)


def audio_dataset_from_directory(
    directory: Any,
    labels: Any = "inferred",
    label_mode: str | None = "int",
    class_names: Any = None,
    batch_size: int | None = 32,
    sampling_rate: int | None = None,
    output_sequence_length: int | None = None,
    ragged: bool = False,
    shuffle: bool = True,
    seed: int | None = None,
    validation_split: float | None = None,
    subset: str | None = None,
    follow_links: bool = False,
    verbose: bool = True,
) -> Any:
    """Return a dataset of the WAV files in a folder, of samples and channels.

    Sounds are filled up with zeros to the longest of a batch, cut to output_sequence_length, or
    ragged. InvalidArgumentError is raised for a sampling_rate, as sounds keep that of their files.
    verbose has no effect.
    """
    given = {**locals()}
    if sampling_rate is not None:
        raise InvalidArgumentError(
            "sampling_rate: sounds are read at the rate of their files; leave it out, and "
            "resample in a map"
        )
    if ragged and output_sequence_length is not None:
        raise InvalidArgumentError(
            "ragged=True and output_sequence_length: rows either have one length or their own"
        )
    samples = -1 if output_sequence_length is None else output_sequence_length

    def read(path: Any) -> Any:
        sound = audio.decode_wav(tl.io.read_file(path), -1, samples).audio
        return RaggedTensor.from_tensor(sound) if ragged else sound

    lengths_differ = output_sequence_length is None and not ragged
    gather = _padded if lengths_differ else _batched
    return _from_directory(directory, (".wav",), read, given, gather)


def timeseries_dataset_from_array(
    data: Any,
    targets: Any,
    sequence_length: int,
    sequence_stride: int = 1,
    sampling_rate: int = 1,
    batch_size: int | None = 128,
    shuffle: bool = False,
    seed: int | None = None,
    start_index: int | None = None,
    end_index: int | None = None,
    format: str = "tf",
) -> Any:
    """Return a dataset of windows of rows that follow each other, with targets.

    A window has sequence_length rows, sampling_rate apart; windows begin sequence_stride apart, and
    have the target at their first row. InvalidArgumentError is raised for numbers beyond the data.
    """
    start, end = start_index or 0, len(data) if end_index is None else end_index
    for name, value in (
        ("sampling_rate", sampling_rate),
        ("stride", sequence_stride),
    ):
        if not 0 < value < len(data):
            raise InvalidArgumentError(
                f"{name}={value}; it is between 0 and the length of data, {len(data)}"
            )
    if not 0 <= start < end <= len(data):
        raise InvalidArgumentError(
            f"start_index={start_index} and end_index={end_index} are no part of {len(data)} rows"
        )
    count = end - start - (sequence_length - 1) * sampling_rate
    count = count if targets is None else min(count, len(targets))
    starts = np.arange(0, count, sequence_stride)
    if shuffle:
        seed = int(np.random.randint(10**6)) if seed is None else seed
        np.random.RandomState(seed).shuffle(starts)
    rows = tl.asarray(np.asarray(data[start:end]))
    steps = np.arange(sequence_length) * sampling_rate
    wanted = None if targets is None else tl.asarray(np.asarray(targets[start:end]))

    def window(place: Any) -> Any:
        x = tl.gather(rows, place + steps)
        return x if wanted is None else (x, tl.gather(wanted, place))

    made: Any = Dataset.from_tensor_slices(starts).map(window)
    if shuffle:
        made = made.shuffle(1024 if batch_size is None else 8 * batch_size, seed=seed)
    return made if batch_size is None else made.batch(batch_size)
