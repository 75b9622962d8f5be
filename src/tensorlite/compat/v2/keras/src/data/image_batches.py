"""Batches of changed images, of arrays, folders and tables: keras.preprocessing.image's iterators.

What is done to each image is said by an ImageDataGenerator, in image_generators.py.
"""

from __future__ import annotations

import math
import os
from abc import abstractmethod
from pathlib import Path
from typing import Any

import numpy as np

from tensorlite.compat.v2.keras import defaults
from tensorlite.compat.v2.keras.src.data.pictures import (
    array_to_img,
    img_to_array,
    load_img,
)
from tensorlite.compat.v2.keras.src.trainers.feeding import Sequence
from tensorlite.core.errors import InvalidArgumentError

_CHANNELS = {"grayscale": 1, "rgb": 3, "rgba": 4}
_ENDINGS = (".png", ".jpg", ".jpeg", ".bmp", ".ppm", ".tif", ".tiff")
_OF_CLASSES = ("binary", "categorical", "sparse")


class Iterator(Sequence):
    """Batches by their numbers, or one after the other without an end."""

    white_list_formats = tuple([x[1:] for x in _ENDINGS])

    def __init__(
        self, n: int, batch_size: int, shuffle: bool, seed: int | None
    ) -> None:
        self.n, self.batch_size, self.shuffle, self.seed = (
            n,
            batch_size,
            shuffle,
            seed,
        )
        self.batch_index = self.total_batches_seen = 0
        self.index_array: Any = None
        self._order = self._orders()

    def __len__(self) -> int:
        return math.ceil(self.n / self.batch_size)

    def __getitem__(self, idx: int) -> Any:
        if idx >= len(self):
            raise ValueError(
                f"Asked to retrieve element {idx}, but the Sequence has length {len(self)}"
            )
        self._seed()
        self.total_batches_seen += 1
        if self.index_array is None:
            self._set_index_array()
        first = self.batch_size * idx
        return self.batch_of(self.index_array[first : first + self.batch_size])

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        return self.batch_of(next(self._order))

    next = __next__

    def reset(self) -> None:
        """Begin with the first batch again."""
        self.batch_index = 0

    def on_epoch_end(self) -> None:
        """Choose the order of the next epoch."""
        self._set_index_array()

    def _seed(self) -> None:
        if self.seed is not None:
            np.random.seed(self.seed + self.total_batches_seen)

    def _set_index_array(self) -> None:
        self.index_array = (
            np.random.permutation(self.n) if self.shuffle else np.arange(self.n)
        )

    def _orders(self) -> Any:
        self.reset()
        while True:
            self._seed()
            if self.batch_index == 0:
                self._set_index_array()
            if self.n == 0:
                raise InvalidArgumentError("there are no images to make batches of")
            first = (self.batch_index * self.batch_size) % self.n
            is_last = self.n <= first + self.batch_size
            self.batch_index = 0 if is_last else self.batch_index + 1
            self.total_batches_seen += 1
            yield self.index_array[first : first + self.batch_size]

    @abstractmethod
    def batch_of(self, places: Any) -> Any:
        """Return the images at some places, changed, with what belongs to them."""


class _OfImages(Iterator):
    """Batches whose images are changed, and written where that was asked for."""

    def __init__(self, n: int, changes: Any, given: dict[str, Any]) -> None:
        self.image_data_generator, self.dtype = changes, given["dtype"]
        self.save_to_dir, self.save_prefix = (
            given["save_to_dir"],
            given["save_prefix"],
        )
        self.save_format, self.subset = given["save_format"], given["subset"]
        self.data_format = given["data_format"] or defaults.chosen.image_data_format
        super().__init__(n, given["batch_size"], given["shuffle"], given["seed"])

    @abstractmethod
    def image_at(self, place: int) -> Any:
        """Return an image as an array."""

    @abstractmethod
    def beside(self, places: Any) -> tuple[Any, ...]:
        """Return what the images are of, and how much they count."""

    def batch_of(self, places: Any) -> Any:
        made = np.stack([self._changed(self.image_at(i)) for i in places])
        self._write(made, places)
        whole = (made.astype(self.dtype, copy=False), *self.beside(places))
        return whole[0] if len(whole) == 1 else whole

    def _changed(self, image: Any) -> Any:
        changes = self.image_data_generator
        image = np.asarray(image, self.dtype)
        if changes is None:
            return image
        drawn = changes.get_random_transform(image.shape)
        return changes.standardize(changes.apply_transform(image, drawn))

    def _write(self, images: Any, places: Any) -> None:
        for place, image in zip(places, images, strict=True):
            if self.save_to_dir:
                number = np.random.randint(10**7)
                name = f"{self.save_prefix}_{place}_{number}.{self.save_format}"
                shown = array_to_img(image, self.data_format, scale=True)
                shown.save(Path(self.save_to_dir) / name)


def part_of(count: int, changes: Any, subset: str | None) -> tuple[int, int]:
    """Return from where to where the images of a subset stand."""
    if subset is None:
        return 0, count
    if subset not in {"training", "validation"}:
        raise InvalidArgumentError(
            f"subset={subset!r}; it is 'training' or 'validation'"
        )
    held = int(changes._validation_split * count)  # noqa: SLF001  as it is named in Keras
    return (0, held) if subset == "validation" else (held, count)


class NumpyArrayIterator(_OfImages):
    """Batches of images that stand in an array, with what stands beside them in others."""

    def __init__(
        self,
        x: Any,
        y: Any,
        image_data_generator: Any,
        batch_size: int = 32,
        shuffle: bool = False,
        sample_weight: Any = None,
        seed: int | None = None,
        data_format: str | None = None,
        save_to_dir: Any = None,
        save_prefix: str = "",
        save_format: str = "png",
        subset: str | None = None,
        ignore_class_split: bool = False,
        dtype: Any = None,
    ) -> None:
        given = {**locals(), "dtype": dtype or defaults.floatx()}
        is_several = isinstance(x, (tuple, list))
        images = np.asarray(x[0] if is_several else x, given["dtype"])
        others = [np.asarray(a) for a in (x[1] if is_several else ())]
        if images.ndim != 4:
            raise InvalidArgumentError(
                f"flow: images of shape {images.shape}; they have four axes, the images first"
            )
        for array in (*others, *(a for a in (y, sample_weight) if a is not None)):
            if len(array) != len(images):
                raise InvalidArgumentError(
                    f"flow: {len(images)} images, and {len(array)} of what belongs to them"
                )
        first, last = part_of(len(images), image_data_generator, subset)
        if subset is not None and y is not None and not ignore_class_split:
            held = part_of(len(images), image_data_generator, "validation")[1]
            if set(np.ravel(y[:held])) != set(np.ravel(y[held:])):
                raise InvalidArgumentError(
                    "flow: the two subsets do not have the same classes; shuffle the arrays, or "
                    "give ignore_class_split=True"
                )

        def cut(array: Any) -> Any:
            return None if array is None else np.asarray(array)[first:last]

        self.x, self.x_misc = images[first:last], [cut(a) for a in others]
        self.y: Any = cut(y)
        self.sample_weight: Any = cut(sample_weight)
        super().__init__(len(self.x), image_data_generator, given)

    def image_at(self, place: int) -> Any:
        """Return the image of a place."""
        return self.x[place]

    def batch_of(self, places: Any) -> Any:
        """Return the batch of some places, with the other arrays' rows in it."""
        made = super().batch_of(places)
        if not self.x_misc:
            return made
        images, *rest = made if isinstance(made, tuple) else (made,)
        beside = [images, *[array[places] for array in self.x_misc]]
        return (beside, *rest) if rest else beside

    def beside(self, places: Any) -> tuple[Any, ...]:
        """Return the labels and weights of some places."""
        if self.y is None:
            return ()
        weights = () if self.sample_weight is None else (self.sample_weight[places],)
        return self.y[places], *weights


class _OfFiles(_OfImages):
    """Batches of images that are read from files when it is their turn."""

    filepaths: list[str]
    sample_weight: Any = None

    def __init__(self, changes: Any, given: dict[str, Any]) -> None:
        self.target_size = tuple(given["target_size"])
        self.color_mode, self.class_mode = given["color_mode"], given["class_mode"]
        self.interpolation = given["interpolation"]
        self.keep_aspect_ratio = given["keep_aspect_ratio"]
        if self.color_mode not in _CHANNELS:
            raise InvalidArgumentError(
                f"color_mode={self.color_mode!r}; it is 'grayscale', 'rgb' or 'rgba'"
            )
        given = {**given, "dtype": given["dtype"] or defaults.floatx()}
        self.samples = len(self.filepaths)
        super().__init__(self.samples, changes, given)

    @property
    def image_shape(self) -> tuple[int, ...]:
        count = _CHANNELS[self.color_mode]
        if self.data_format == "channels_first":
            return (count, *self.target_size)
        return (*self.target_size, count)

    def image_at(self, place: int) -> Any:
        image = load_img(
            self.filepaths[place],
            self.color_mode,
            self.target_size,
            self.interpolation,
            self.keep_aspect_ratio,
        )
        return img_to_array(image, self.data_format, self.dtype)

    def batch_of(self, places: Any) -> Any:
        made = super().batch_of(places)
        return (made, made.copy()) if self.class_mode == "input" else made

    def of_classes(self, numbers: Any, count: int) -> Any:
        """Return the numbers of classes as losses take them."""
        if self.class_mode == "binary":
            return numbers.astype(self.dtype)
        if self.class_mode == "categorical":
            return np.eye(count, dtype=self.dtype)[numbers]
        return numbers.astype(self.dtype)


class DirectoryIterator(_OfFiles):
    """Batches of the images in a folder's folders, one for each class."""

    def __init__(
        self,
        directory: Any,
        image_data_generator: Any,
        target_size: Any = (256, 256),
        color_mode: str = "rgb",
        classes: Any = None,
        class_mode: str | None = "categorical",
        batch_size: int = 32,
        shuffle: bool = True,
        seed: int | None = None,
        data_format: str | None = None,
        save_to_dir: Any = None,
        save_prefix: str = "",
        save_format: str = "png",
        follow_links: bool = False,
        subset: str | None = None,
        interpolation: str = "nearest",
        keep_aspect_ratio: bool = False,
        dtype: Any = None,
    ) -> None:
        given = {**locals()}
        if class_mode not in (*_OF_CLASSES, "input", None):
            raise InvalidArgumentError(
                f"class_mode={class_mode!r}; it is one of {_OF_CLASSES}, 'input' or None"
            )
        self.directory = directory
        there = sorted(x.name for x in Path(directory).iterdir() if x.is_dir())
        self.class_indices = {name: i for i, name in enumerate(classes or there)}
        self.num_classes = len(self.class_indices)
        self.filenames: list[str] = []
        numbers: list[int] = []
        for name, number in self.class_indices.items():
            found = _images_in(Path(directory), name, follow_links)
            first, last = part_of(len(found), image_data_generator, subset)
            self.filenames += found[first:last]
            numbers += [number] * (last - first)
        self.classes = self.labels = np.array(numbers, np.int32)
        self.filepaths = [str(Path(directory) / x) for x in self.filenames]
        print(
            f"Found {len(self.filenames)} images belonging to {self.num_classes} classes."
        )
        super().__init__(image_data_generator, given)

    def beside(self, places: Any) -> tuple[Any, ...]:
        """Return the classes of some places, in the form of class_mode."""
        if self.class_mode not in _OF_CLASSES:
            return ()
        return (self.of_classes(self.classes[places], self.num_classes),)


def _images_in(folder: Path, name: str, follow: bool) -> list[str]:
    """Return the paths of the images in a class's folder, from the folder of the classes on."""
    walked = sorted(os.walk(folder / name, followlinks=follow))
    return [
        str(Path(root).relative_to(folder) / file)
        for root, _, files in walked
        for file in sorted(files)
        if file.lower().endswith(_ENDINGS)
    ]


class DataFrameIterator(_OfFiles):
    """Batches of the images that a table names, with what it has beside them."""

    def __init__(
        self,
        dataframe: Any,
        directory: Any = None,
        image_data_generator: Any = None,
        x_col: str = "filename",
        y_col: Any = "class",
        weight_col: str | None = None,
        target_size: Any = (256, 256),
        color_mode: str = "rgb",
        classes: Any = None,
        class_mode: str | None = "categorical",
        batch_size: int = 32,
        shuffle: bool = True,
        seed: int | None = None,
        data_format: str | None = "channels_last",
        save_to_dir: Any = None,
        save_prefix: str = "",
        save_format: str = "png",
        subset: str | None = None,
        interpolation: str = "nearest",
        keep_aspect_ratio: bool = False,
        dtype: Any = "float32",
        validate_filenames: bool = True,
    ) -> None:
        given = {**locals()}
        self.directory = "" if directory is None else directory
        names = [str(x) for x in dataframe[x_col]]
        paths = [str(Path(self.directory) / x) for x in names]
        kept = [
            i
            for i, path in enumerate(paths)
            if not validate_filenames
            or (path.lower().endswith(_ENDINGS) and Path(path).is_file())
        ]
        columns = {key: np.asarray(dataframe[key]) for key in _listed(y_col)}
        if class_mode in _OF_CLASSES:
            self.class_indices = _numbered(columns[y_col], classes)
            kept = [i for i in kept if columns[y_col][i] in self.class_indices]
        kept = kept[slice(*part_of(len(kept), image_data_generator, subset))]
        self._columns = {key: values[kept] for key, values in columns.items()}
        self.filenames = [names[i] for i in kept]
        self.filepaths = [paths[i] for i in kept]
        if weight_col is not None:
            self.sample_weight = np.asarray(dataframe[weight_col])[kept]
        self._targets = self._made_of_columns(class_mode, y_col)
        print(
            f"Found {len(kept)} validated image filenames{self._kinds(class_mode)}."
        )
        super().__init__(image_data_generator, given)

    def _kinds(self, mode: str | None) -> str:
        is_told = mode in _OF_CLASSES
        return f" belonging to {len(self.class_indices)} classes" if is_told else ""

    def _made_of_columns(self, mode: str | None, y_col: Any) -> Any:
        if mode in _OF_CLASSES:
            known = self.class_indices
            numbers = [known[x] for x in self._columns[y_col].tolist()]
            self.classes = self.labels = np.array(numbers, np.int32)
            return self.classes
        if mode == "raw":
            listed = list(self._columns.values())
            return listed[0] if isinstance(y_col, str) else np.stack(listed, 1)
        if mode == "multi_output":
            return list(self._columns.values())
        if mode in ("input", None):
            return None
        raise InvalidArgumentError(
            f"class_mode={mode!r}; it is one of {_OF_CLASSES}, 'raw', 'multi_output', 'input' "
            "or None"
        )

    def beside(self, places: Any) -> tuple[Any, ...]:
        """Return what the table has beside some images, and their weights."""
        if self._targets is None:
            return ()
        if self.class_mode in _OF_CLASSES:
            made = self.of_classes(self._targets[places], len(self.class_indices))
        elif self.class_mode == "multi_output":
            made = [column[places] for column in self._targets]
        else:
            made = self._targets[places]
        weights = () if self.sample_weight is None else (self.sample_weight[places],)
        return made, *weights


def _numbered(column: Any, classes: Any) -> dict[Any, int]:
    named = sorted(set(column.tolist())) if classes is None else list(classes)
    return {name: i for i, name in enumerate(named)}


def _listed(names: Any) -> list[Any]:
    if names is None:
        return []
    return list(names) if isinstance(names, (list, tuple)) else [names]
