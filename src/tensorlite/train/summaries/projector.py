"""embedding: vectors with labels and pictures, for TensorBoard's projector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.tensor import TensorLike
from tensorlite.core.xp import to_host
from tensorlite.ops.arrays.create import asarray
from tensorlite.ops.summaries.event_messages import board
from tensorlite.ops.summaries.values import bytes_of_image, png
from tensorlite.train.summaries.event_file import Pathlike

Labels: TypeAlias = "Sequence[Any] | Mapping[str, Sequence[Any]]"
_CONFIG = "projector_config.pbtxt"


def embedding(
    logdir: Pathlike,
    name: str,
    vectors: TensorLike,
    labels: Labels | None = None,
    images: TensorLike | None = None,
) -> None:
    """Write the rows of `vectors` to a folder, for TensorBoard's projector.

    `labels` are one for each row, or columns of them by name; `images` one for each,
    (rows, height, width, channels) as for `image`. Another `name` adds to the folder; the same one
    is written anew.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tl.summary.embedding(folder, "words", [[0.0, 1.0], [1.0, 0.0]], ["north", "east"])
    """
    rows = np.asarray(_array(vectors))
    if rows.ndim != 2 or not rows.size:
        raise InvalidArgumentError(
            f"embedding({name!r}): vectors are rows of numbers, not of shape {rows.shape}"
        )
    folder = Path(logdir)
    stem = "".join([x if x.isalnum() else "_" for x in name])
    parts = {"tensor_path": (f"{stem}.tensor.tsv", _table(rows.tolist()))}
    if labels is not None:
        parts["metadata_path"] = (
            f"{stem}.metadata.tsv",
            _labels(name, labels, len(rows)),
        )
    sprite, size = (None, ()) if images is None else _sprite(name, images, len(rows))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, content in parts.values():
            Path(folder, file).write_text(content, encoding="utf-8")
        if sprite is not None:
            Path(folder, f"{stem}.sprite.png").write_bytes(sprite)
        paths = {key: file for key, (file, _) in parts.items()}
        _configure(folder / _CONFIG, name, paths, f"{stem}.sprite.png", size)
    except OSError as error:
        raise InvalidArgumentError(
            f"logdir={str(folder)!r} cannot be written: {error.strerror or error}; give the path "
            "of a folder where files may be made"
        ) from error


def _array(given: TensorLike) -> Any:
    return to_host(asarray(given).array)


def _table(rows: Sequence[Sequence[Any]]) -> str:
    return "".join("\t".join(map(str, row)) + "\n" for row in rows)


def _labels(name: str, labels: Labels, count: int) -> str:
    """Return labels as lines; with columns of them, the first line names those."""
    columns = dict(labels) if isinstance(labels, Mapping) else {"": labels}
    for key, column in columns.items():
        if len(column) != count:
            raise InvalidArgumentError(
                f"embedding({name!r}): there are {count} vectors and {len(column)} labels {key}"
            )
    cells = [[_cell(x) for x in column] for column in columns.values()]
    head = [list(columns)] if isinstance(labels, Mapping) and len(columns) > 1 else []
    return _table([*head, *map(list, zip(*cells, strict=True))])


def _cell(value: Any) -> str:
    text = value.decode() if isinstance(value, bytes) else str(value)
    return " ".join(text.split())


def _sprite(
    name: str, images: TensorLike, count: int
) -> tuple[bytes, tuple[int, ...]]:
    """Return pictures put side by side in a square, as PNG, and the size of one."""
    given = bytes_of_image(_array(images))
    if given.ndim != 4 or len(given) != count:
        raise InvalidArgumentError(
            f"embedding({name!r}): images are ({count}, height, width, channels), not "
            f"{given.shape}"
        )
    _, height, width, channels = given.shape
    side = int(np.ceil(np.sqrt(count)))
    sheet = np.zeros((side * side, height, width, channels), np.uint8)
    sheet[:count] = given
    rows = sheet.reshape(side, side, height, width, channels).swapaxes(1, 2)
    return png(rows.reshape(side * height, side * width, channels)), (width, height)


def _configure(
    path: Path, name: str, paths: dict[str, str], sprite: str, size: tuple[int, ...]
) -> None:
    """Write where the parts of an embedding are, beside what the file tells of others."""
    texts = board("google.protobuf.text_format")
    config = board(
        "tensorboard.plugins.projector.projector_config_pb2"
    ).ProjectorConfig()
    if path.exists():
        texts.Parse(path.read_text(encoding="utf-8"), config)
    others = [x for x in config.embeddings if x.tensor_name != name]
    del config.embeddings[:]
    config.embeddings.extend(others)
    made = config.embeddings.add(tensor_name=name, **paths)
    if size:
        made.sprite.image_path = sprite
        made.sprite.single_image_dim.extend(size)
    path.write_text(texts.MessageToString(config), encoding="utf-8")
