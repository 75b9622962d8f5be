"""The file `checkpoint` of a folder: which checkpoints are there, and which is the latest.

It is the text of a CheckpointState message. The checkpoints themselves are checkpoints.py's.
"""

from __future__ import annotations

import ast
import os
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tensorlite.core.errors import DataLossError, InvalidArgumentError
from tensorlite.interop.tensorflow.stored.bundle_writing import replaced

FILE = "checkpoint"
_LARGEST = 2**24
_LINE = re.compile(
    r"""\s*(\w+)\s*:\s*("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[-+\w.]+)\s*[,;]?"""
)


@dataclass
class CheckpointState:
    """What the file says; the latest checkpoint is also the last of all.

    >>> CheckpointState("model-2", ["model-1", "model-2"]).model_checkpoint_path
    'model-2'
    """

    model_checkpoint_path: str = ""
    all_model_checkpoint_paths: list[str] = field(default_factory=list)
    all_model_checkpoint_timestamps: list[float] = field(default_factory=list)
    last_preserved_timestamp: float = 0.0

    def __str__(self) -> str:
        lines = [f'model_checkpoint_path: "{_escaped(self.model_checkpoint_path)}"']
        lines += [
            f'all_model_checkpoint_paths: "{_escaped(x)}"'
            for x in self.all_model_checkpoint_paths
        ]
        lines += [
            f"all_model_checkpoint_timestamps: {x!r}"
            for x in self.all_model_checkpoint_timestamps
        ]
        if self.last_preserved_timestamp:
            lines.append(
                f"last_preserved_timestamp: {self.last_preserved_timestamp!r}"
            )
        return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    """Return a text as protobuf writes it: what is not ASCII in octal."""
    return "".join(
        [
            chr(x) if 32 <= x < 127 and x not in b'"\\' else f"\\{x:03o}"
            for x in os.fsencode(text)
        ]
    )


def state_of(text: str) -> CheckpointState:
    """Return what the text of a state file says; DataLossError when it is damaged.

    >>> state_of('model_checkpoint_path: "model-2"').model_checkpoint_path
    'model-2'
    """
    found = CheckpointState()
    place = 0
    while text[place:].strip():
        line = _LINE.match(text, place)
        if line is None:
            raise DataLossError(
                f"this is no list of checkpoints: {text[place : place + 80]!r}"
            )
        place = line.end()
        name, value = line.groups()
        try:
            if name == "model_checkpoint_path":
                found.model_checkpoint_path = _path(value)
            elif name == "all_model_checkpoint_paths":
                found.all_model_checkpoint_paths.append(_path(value))
            elif name == "all_model_checkpoint_timestamps":
                found.all_model_checkpoint_timestamps.append(float(value))
            elif name == "last_preserved_timestamp":
                found.last_preserved_timestamp = float(value)
        except (ValueError, SyntaxError):
            raise DataLossError(
                f"{name} of checkpoints cannot be {value[:80]}"
            ) from None
    return found


def _path(text: str) -> str:
    content = ast.literal_eval(
        "b" + text.encode("latin1", "backslashreplace").decode("latin1")
    )
    return os.fsdecode(content)


def get_checkpoint_state(
    checkpoint_dir: str | Path, latest_filename: str | None = None
) -> CheckpointState | None:
    """Return what a folder's state file says, None where there is none; paths begin at the folder.

    InvalidArgumentError, a ValueError, is raised where the file names no checkpoint.

    >>> import tempfile
    >>> print(tl.interop.tensorflow.get_checkpoint_state(tempfile.mkdtemp()))
    None
    """
    path = Path(checkpoint_dir) / (latest_filename or FILE)
    if not path.is_file():
        return None
    if path.stat().st_size > _LARGEST:
        raise DataLossError(f"{path} is too large to be a list of checkpoints")
    state = state_of(path.read_bytes().decode("utf-8", "surrogateescape"))
    if not state.model_checkpoint_path:
        raise InvalidArgumentError(
            f"Invalid checkpoint state loaded from {checkpoint_dir}: {path} names no checkpoint; "
            "remove it, or save once more"
        )
    state.model_checkpoint_path = _below(checkpoint_dir, state.model_checkpoint_path)
    state.all_model_checkpoint_paths = [
        _below(checkpoint_dir, x) for x in state.all_model_checkpoint_paths
    ]
    return state


def _below(folder: str | Path, path: str) -> str:
    return path if Path(path).is_absolute() else os.path.join(folder, path)  # noqa: PTH118


def latest_checkpoint(
    checkpoint_dir: str | Path, latest_filename: str | None = None
) -> str | None:
    """Return the prefix of a folder's latest checkpoint, None where there is none.

    >>> import tempfile, os
    >>> folder = tempfile.mkdtemp()
    >>> prefix = os.path.join(folder, "model-1")
    >>> tl.interop.tensorflow.save_checkpoint(prefix, {"w": np.ones(2)})
    >>> tl.interop.tensorflow.update_checkpoint_state(folder, prefix)
    >>> tl.interop.tensorflow.latest_checkpoint(folder) == prefix
    True
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None or not state.model_checkpoint_path:
        return None
    prefix = Path(state.model_checkpoint_path)
    there = [Path(f"{prefix}.index"), prefix]
    shards = prefix.name if "?" in prefix.name else f"{prefix.name}-?????-of-?????"
    is_there = any(x.is_file() for x in there) or (
        prefix.parent.is_dir() and any(prefix.parent.glob(shards))
    )
    return state.model_checkpoint_path if is_there else None


def update_checkpoint_state(
    save_dir: str | Path,
    model_checkpoint_path: str | Path,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    latest_filename: str | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
    save_relative_paths: bool = False,
) -> None:
    """Write a folder's state file: the latest checkpoint, and all that are kept.

    In a folder that is given by a relative path, paths are written relative to it, as TensorFlow
    does, and also where `save_relative_paths` asks for it.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tl.interop.tensorflow.update_checkpoint_state(folder, folder + "/model-1")
    >>> tl.interop.tensorflow.get_checkpoint_state(folder).model_checkpoint_path.split("/")[-1]
    'model-1'
    """
    state = state_after(
        save_dir,
        model_checkpoint_path,
        all_model_checkpoint_paths,
        all_model_checkpoint_timestamps,
        last_preserved_timestamp,
        save_relative_paths,
    )
    target = Path(save_dir) / (latest_filename or FILE)
    if str(target) == str(model_checkpoint_path):
        raise InvalidArgumentError(
            f"the checkpoint {target} has the name of the list of checkpoints; give another"
        )
    with replaced(target) as file:
        file.write(str(state).encode())


def state_after(
    save_dir: str | Path,
    model_checkpoint_path: str | Path,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
    save_relative_paths: bool = False,
) -> CheckpointState:
    """Return what a folder's state file is to say, as `update_checkpoint_state` writes it.

    >>> state_after("/models", "/models/model-2", ["/models/model-1"]).all_model_checkpoint_paths
    ['/models/model-1', '/models/model-2']
    """
    latest = str(model_checkpoint_path)
    paths = [str(x) for x in all_model_checkpoint_paths or ()]
    times = list(all_model_checkpoint_timestamps or ())
    if latest not in paths[-1:]:
        paths.append(latest)
        times += [time.time()] if times else []
    if times and len(times) != len(paths):
        raise InvalidArgumentError(
            f"{len(times)} timestamps for {len(paths)} checkpoints"
        )
    if save_relative_paths or not Path(save_dir).is_absolute():
        latest, *paths = [
            _relative(save_dir, x, save_relative_paths) for x in (latest, *paths)
        ]
    return CheckpointState(latest, paths, times, last_preserved_timestamp or 0.0)


def _relative(folder: str | Path, path: str, only_absolute: bool) -> str:
    if only_absolute and Path(folder).is_absolute() and not Path(path).is_absolute():
        return path
    return (
        path
        if Path(path).is_absolute() and not only_absolute
        else os.path.relpath(path, folder)
    )
