"""The logger that TensorFlow's programs know by the name "tensorflow", and functions that log."""

from __future__ import annotations

import logging
import sys
from collections import Counter
from functools import cache
from typing import Any

DEBUG, INFO, WARN, ERROR, FATAL = 10, 20, 30, 40, 50
WARNING = WARN

_counts: Counter[tuple[str, int]] = Counter()


class _ToStderr(logging.StreamHandler[Any]):
    """Writes to whatever is the standard error stream at the time."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> Any:
        return sys.stderr


@cache
def get_logger() -> logging.Logger:
    """Return the logger, which writes warnings by itself unless the program has handlers."""
    logger = logging.getLogger("tensorflow")
    if not logging.getLogger().handlers:
        handler = _ToStderr()
        handler.setFormatter(logging.Formatter(logging.BASIC_FORMAT))
        logger.addHandler(handler)
    return logger


def log(level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log a message at a level."""
    get_logger().log(level, msg, *args, stacklevel=2, **kwargs)


def debug(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log a message, with arguments put into it by %, at the level DEBUG."""
    get_logger().debug(msg, *args, stacklevel=2, **kwargs)


def info(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log a message, with arguments put into it by %, at the level INFO."""
    get_logger().info(msg, *args, stacklevel=2, **kwargs)


def warning(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log a message, with arguments put into it by %, at the level WARN."""
    get_logger().warning(msg, *args, stacklevel=2, **kwargs)


warn = warning


def error(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log a message, with arguments put into it by %, at the level ERROR."""
    get_logger().error(msg, *args, stacklevel=2, **kwargs)


def fatal(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log a message, with arguments put into it by %, at the level FATAL; go on."""
    get_logger().critical(msg, *args, stacklevel=2, **kwargs)


def vlog(level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log a message at a level."""
    get_logger().log(level, msg, *args, stacklevel=2, **kwargs)


def log_if(level: int, msg: Any, condition: Any, *args: Any) -> None:
    """Log a message at a level if a condition holds."""
    if condition:
        get_logger().log(level, msg, *args, stacklevel=2)


def log_every_n(level: int, msg: Any, n: int, *args: Any) -> None:
    """Log a message at a level, the first and each n-th time that the line is reached."""
    if _times_before() % n == 0:
        get_logger().log(level, msg, *args, stacklevel=2)


def log_first_n(level: int, msg: Any, n: int, *args: Any) -> None:
    """Log a message at a level, the first n times that the line is reached."""
    if _times_before() < n:
        get_logger().log(level, msg, *args, stacklevel=2)


def _times_before() -> int:
    """Return how often the line that logs was here before."""
    caller = sys._getframe(2)  # noqa: SLF001  how logging finds lines, too
    place = caller.f_code.co_filename, caller.f_lineno
    _counts[place] += 1
    return _counts[place] - 1


def get_verbosity() -> int:
    """Return the lowest level that is logged, a number."""
    return get_logger().getEffectiveLevel()


def set_verbosity(v: int | str) -> None:
    """Set the lowest level that is logged."""
    get_logger().setLevel(v)


def flush() -> None:
    """Let what was logged be written."""
    for handler in get_logger().handlers:
        handler.flush()


def TaskLevelStatusMessage(msg: Any) -> None:
    """Log a message at the level ERROR."""
    error(msg)
