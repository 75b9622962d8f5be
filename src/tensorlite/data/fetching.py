"""Files that a program names by their address: fetched once, verified, unpacked.

What is read out of them stands in data/files.py; which folder a program keeps them in is its own.
"""

from __future__ import annotations

import hashlib
import shutil
import tarfile
import tempfile
import zipfile
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import build_opener

from tensorlite.core.errors import (
    DataLossError,
    InvalidArgumentError,
    UnavailableError,
)

SCHEMES = ("http", "https", "ftp", "file")
ARCHIVES = ("tar", "zip")
_SHA256_DIGITS = 64


def fetch(address: str, target: Path) -> None:
    """Write what is at an address into a file, which is there whole or not at all."""
    if urlsplit(address).scheme not in SCHEMES:
        raise InvalidArgumentError(
            f"{address!r} is no address; allowed are those that begin with one of "
            f"{', '.join(scheme + '://' for scheme in SCHEMES)}"
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        part = Path(folder, "part")
        try:
            with build_opener().open(address) as source, part.open("wb") as copy:
                shutil.copyfileobj(source, copy)
        except (URLError, ConnectionError) as error:
            raise UnavailableError(
                f"{address} cannot be fetched: {error}; put the file at {target} yourself"
            ) from error
        part.replace(target)


def digest(path: Path, algorithm: str) -> str:
    """Return the digest of a file's bytes, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()


def has_digest(path: Path, wanted: str, algorithm: str = "auto") -> bool:
    """Return whether a file's digest is `wanted`; its length tells "auto" SHA-256 from MD5."""
    if algorithm == "auto":
        algorithm = "sha256" if len(wanted) == _SHA256_DIGITS else "md5"
    return digest(path, algorithm) == wanted


def checked_digest(path: Path, wanted: str, algorithm: str = "auto") -> None:
    """Raise DataLossError where a file's digest is another one than `wanted`."""
    if not has_digest(path, wanted, algorithm):
        raise DataLossError(f"{path}: its digest is not {wanted}, which was expected")


def unpack(archive: Path, folder: Path, kinds: tuple[str, ...] = ARCHIVES) -> bool:
    """Unpack an archive of one of the kinds into a folder; return whether it is one."""
    if "tar" in kinds and tarfile.is_tarfile(archive):
        shutil.unpack_archive(archive, folder, "tar", filter="data")
    elif "zip" in kinds and zipfile.is_zipfile(archive):
        shutil.unpack_archive(archive, folder, "zip")
    else:
        return False
    return True
