"""What TensorBoard's projector of embeddings is told: variables, and files with their labels."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tensorlite.compat.missing import attribute_error
from tensorlite.compat.shared import gfile
from tensorlite.core.errors import InvalidArgumentError

_MESSAGES = ("EmbeddingInfo", "ProjectorConfig", "SpriteMetadata")
_FILE = "projector_config.pbtxt"


def visualize_embeddings(summary_writer: Any, config: Any) -> None:
    """Write the projector's config into the folder of the summaries' writer.

    A writer without a folder raises InvalidArgumentError.
    """
    folder = summary_writer.get_logdir()
    if folder is None:
        raise InvalidArgumentError(
            "visualize_embeddings: the summary writer has no folder to put the config in"
        )
    with gfile.GFile(gfile.path_of(folder) / _FILE, "w") as file:
        file.write(str(config))


def __dir__() -> list[str]:
    return [*_MESSAGES, "visualize_embeddings"]


def __getattr__(name: str) -> Any:
    """Import the messages when they are first asked for: they are of the package tensorboard."""
    if name not in _MESSAGES:
        raise attribute_error(__name__, name, [*_MESSAGES, "visualize_embeddings"])
    try:
        module = import_module("tensorboard.plugins.projector.projector_config_pb2")
    except ImportError as error:
        raise ImportError(
            f"projector.{name} is a message of the tensorboard package: pip install tensorboard "
            f"({error})"
        ) from error
    return getattr(module, name)
