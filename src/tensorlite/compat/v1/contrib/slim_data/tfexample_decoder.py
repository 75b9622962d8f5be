"""slim.tfexample_decoder: items of tf.train.Examples, as tensors, boxes and images."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tensorlite.compat.shared import arrays, elementwise
from tensorlite.compat.shared.choices import case
from tensorlite.compat.shared.cutting import slice as cut
from tensorlite.compat.shared.images.image import decode_image, decode_jpeg, is_jpeg
from tensorlite.compat.shared.parsing import FixedLenFeature
from tensorlite.compat.v1 import sparse
from tensorlite.compat.v1.contrib.slim_data.data_decoder import DataDecoder
from tensorlite.compat.v1.functions import arrays as v1_arrays, control_flow, numbers
from tensorlite.compat.v1.pipelines.parsing import decode_raw, parse_single_example
from tensorlite.core.dtypes import int64, uint8
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.sparse import tensor as sparse_tensors

Parsed = Mapping[str, Any]
"""Parsed features by their keys."""
_FIXED: Any = FixedLenFeature


class ItemHandler(ABC):
    """Makes an item of the parsed features whose keys it has."""

    def __init__(self, keys: Any) -> None:
        self._keys = keys if isinstance(keys, (tuple, list)) else [keys]

    @property
    def keys(self) -> Any:
        """The keys of the features that the item is made of."""
        return self._keys

    @abstractmethod
    def tensors_to_item(self, keys_to_tensors: Parsed) -> Any:
        """Return the item, made of parsed features."""


class ItemHandlerCallback(ItemHandler):
    """Makes an item by a function of the dict of parsed features."""

    def __init__(self, keys: Any, func: Callable[[Parsed], Any]) -> None:
        super().__init__(keys)
        self._func = func

    def tensors_to_item(self, keys_to_tensors: Parsed) -> Any:
        """Return what the function gives."""
        return self._func(keys_to_tensors)


class BoundingBox(ItemHandler):
    """Makes boxes, [number, 4], of four features: ymin, xmin, ymax and xmax, behind a prefix."""

    def __init__(self, keys: Sequence[str] | None = None, prefix: str = "") -> None:
        sides = ["ymin", "xmin", "ymax", "xmax"] if keys is None else keys
        if len(sides) != 4:
            raise InvalidArgumentError(
                f"BoundingBox expects 4 keys but got {len(sides)}"
            )
        super().__init__([prefix + key for key in sides])

    def tensors_to_item(self, keys_to_tensors: Parsed) -> Any:
        """Return the boxes."""
        sides = [
            arrays.expand_dims(_values(keys_to_tensors[key]), 0) for key in self.keys
        ]
        return arrays.transpose(arrays.concat(sides, 0))


class Tensor(ItemHandler):
    """Makes a dense tensor of a feature, of a shape that is given or that other features have."""

    def __init__(
        self,
        tensor_key: str,
        shape_keys: Any = None,
        shape: Any = None,
        default_value: Any = 0,
    ) -> None:
        if shape_keys and shape is not None:
            raise InvalidArgumentError(
                "Cannot specify both shape_keys and shape parameters."
            )
        listed = shape_keys if isinstance(shape_keys, list) else [shape_keys]
        self._tensor_key = tensor_key
        self._shape_keys = listed if shape_keys else []
        self._shape = shape
        self._default_value = default_value
        super().__init__([tensor_key, *self._shape_keys])

    def tensors_to_item(self, keys_to_tensors: Parsed) -> Any:
        """Return the tensor, with the default value where a sparse one has none."""
        found, shape = keys_to_tensors[self._tensor_key], self._shape
        if self._shape_keys:
            sizes = [_dense(keys_to_tensors[key]) for key in self._shape_keys]
            shape = arrays.reshape(arrays.stack(sizes), [-1])
        if not _is_sparse(found):
            return found if shape is None else arrays.reshape(found, shape)
        shaped = found if shape is None else sparse.reshape(found, shape)
        return sparse.to_dense(shaped, self._default_value)


class LookupTensor(Tensor):
    """Makes a tensor of what a table has for the values of a feature."""

    def __init__(
        self,
        tensor_key: str,
        table: Any,
        shape_keys: Any = None,
        shape: Any = None,
        default_value: Any = "",
    ) -> None:
        self._table = table
        super().__init__(tensor_key, shape_keys, shape, default_value)

    def tensors_to_item(self, keys_to_tensors: Parsed) -> Any:
        """Return what the table has."""
        return self._table.lookup(super().tensors_to_item(keys_to_tensors))


class BackupHandler(ItemHandler):
    """Makes an item by one handler, by another where that one's item has no elements."""

    def __init__(self, handler: ItemHandler, backup: ItemHandler) -> None:
        for title, given in (("Primary", handler), ("Backup", backup)):
            if not isinstance(given, ItemHandler):
                raise InvalidArgumentError(
                    f"{title} handler is of type {type(given)} instead of ItemHandler"
                )
        self._handler, self._backup = handler, backup
        super().__init__([*handler.keys, *backup.keys])

    def tensors_to_item(self, keys_to_tensors: Parsed) -> Any:
        """Return the first handler's item, or the other's."""
        item = self._handler.tensors_to_item(keys_to_tensors)
        return control_flow.cond(
            elementwise.equal(numbers.reduce_prod(v1_arrays.shape(item)), 0),
            lambda: self._backup.tensors_to_item(keys_to_tensors),
            lambda: item,
        )


class SparseTensor(ItemHandler):
    """Makes a sparse tensor of a feature of places along the last axis, and one of values.

    The shape is that of shape_key's feature, or `shape`, or that of the places. densify makes it
    dense, with default_value where there is no value.
    """

    def __init__(
        self,
        indices_key: str | None = None,
        values_key: str | None = None,
        shape_key: str | None = None,
        shape: Any = None,
        densify: bool = False,
        default_value: Any = 0,
    ) -> None:
        self._indices_key = indices_key or "indices"
        self._values_key = values_key or "values"
        self._shape_key, self._shape = shape_key, shape
        self._densify, self._default_value = densify, default_value
        keys = [self._indices_key, self._values_key]
        super().__init__([*keys, shape_key] if shape_key else keys)

    def tensors_to_item(self, keys_to_tensors: Parsed) -> Any:
        """Return the sparse tensor, or the dense one."""
        places = keys_to_tensors[self._indices_key]
        if self._shape_key:
            shape = _dense(keys_to_tensors[self._shape_key])
        else:
            shape = self._shape or places.dense_shape
        rank = v1_arrays.shape(places.indices)[1]
        last = arrays.reshape(elementwise.cast(places.values, int64), [-1, 1])
        before = cut(places.indices, [0, 0], arrays.stack([-1, rank - 1]))
        values = keys_to_tensors[self._values_key].values
        made = sparse.SparseTensor(arrays.concat([before, last], 1), values, shape)
        return sparse.to_dense(made, self._default_value) if self._densify else made


class Image(ItemHandler):
    """Makes images of a feature of encoded ones, and one of their formats; "raw" are bytes.

    A feature of several, with `repeated`, makes several, of one shape. `shape` is theirs, where it
    is known. dct_method has no effect.
    """

    def __init__(
        self,
        image_key: str | None = None,
        format_key: str | None = None,
        shape: Any = None,
        channels: int = 3,
        dtype: Any = uint8,
        repeated: bool = False,
        dct_method: str = "",
    ) -> None:
        self._image_key = image_key or "image/encoded"
        self._format_key = format_key or "image/format"
        super().__init__([self._image_key, self._format_key])
        self._shape, self._channels, self._dtype = shape, channels, dtype
        self._repeated, self._dct_method = repeated, dct_method

    def tensors_to_item(self, keys_to_tensors: Parsed) -> Any:
        """Return the image, or the images."""
        encoded = keys_to_tensors[self._image_key]
        kind = keys_to_tensors[self._format_key]
        if not self._repeated:
            return self._decode(encoded, kind)
        return control_flow.map_fn(
            lambda x: self._decode(x, kind), encoded, dtype=self._dtype
        )

    def _decode(self, encoded: Any, kind: Any) -> Any:
        is_raw = elementwise.logical_or(
            elementwise.equal(kind, "raw"), elementwise.equal(kind, "RAW")
        )
        image = case(
            [(is_raw, lambda: decode_raw(encoded, out_type=self._dtype))],
            default=lambda: self._decode_file(encoded),
            exclusive=True,
        )
        image.set_shape([None, None, self._channels])
        return image if self._shape is None else arrays.reshape(image, self._shape)

    def _decode_file(self, encoded: Any) -> Any:
        """Return a file as an image; JPEG's decoder is told apart, as TensorFlow does."""
        channels = self._channels

        def jpeg() -> Any:
            found = decode_jpeg(encoded, channels, dct_method=self._dct_method)
            return elementwise.cast(found, self._dtype)

        def other() -> Any:
            return elementwise.cast(decode_image(encoded, channels), self._dtype)

        return control_flow.cond(is_jpeg(encoded), jpeg, other, name="cond_jpeg")


class TFExampleDecoder(DataDecoder):
    """Makes items of bytes of tf.train.Examples: parses features, which handlers make items of."""

    def __init__(
        self,
        keys_to_features: Mapping[str, Any],
        items_to_handlers: Mapping[str, ItemHandler],
    ) -> None:
        self._keys_to_features = keys_to_features
        self._items_to_handlers = items_to_handlers

    def list_items(self) -> list[str]:
        """Return the names of all items that there are."""
        return list(self._items_to_handlers)

    def decode(
        self, serialized_example: Any, items: Sequence[str] | None = None
    ) -> list[Any]:
        """Return the items, all of them unless some are named."""
        example = parse_single_example(serialized_example, self._keys_to_features)
        for key in sorted(self._keys_to_features):
            feature = self._keys_to_features[key]
            if isinstance(feature, _FIXED):
                example[key] = arrays.reshape(example[key], feature.shape)
        handlers = [
            self._items_to_handlers[item] for item in items or self.list_items()
        ]
        return [
            x.tensors_to_item({key: example[key] for key in x.keys}) for x in handlers
        ]


def _is_sparse(x: Any) -> bool:
    return isinstance(x, sparse_tensors.SparseTensor)


def _values(x: Any) -> Any:
    return x.values if _is_sparse(x) else x


def _dense(x: Any) -> Any:
    return sparse.to_dense(x) if _is_sparse(x) else x
