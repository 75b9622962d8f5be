"""Keys: the secret of a cluster and the certificates of its tasks. Showing them is handshake.py's.

Each cluster has an authority of its own, whose private key never leaves the object that made it.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from hashlib import sha256, sha512
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tensorlite.core.errors import InvalidArgumentError
from tensorlite.distributed.engines.engine import Keys
from tensorlite.distributed.engines.extras import extra
from tensorlite.distributed.transport.endpoints import Tls, mutual

DAYS = 30.0
_SECRET = 32
"""Bytes of a secret."""
_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
"""How many points P-256 has: private keys are less."""
LONGEST = 64
"""Characters of a name in a certificate, by the standard."""
_SKEW = timedelta(hours=1)
"""How far clocks of nodes may be apart: certificates were valid already then."""


class Authority:
    """Makes the keys of one cluster's tasks, now and later.

    Certificates are valid for `days`, within which tasks and clients can link; links that are
    there stay. One that is `derived` from what is given is the same authority in all processes
    that are given the same. FailedPreconditionError when the package `cryptography` is not
    installed.

    >>> keys = Authority("demo").keys("/job:ps/task:0")
    >>> keys.certificate.splitlines()[0]
    '-----BEGIN CERTIFICATE-----'
    """

    def __init__(
        self, cluster: str, days: float = DAYS, *, derived: bytes | None = None
    ) -> None:
        self._x509 = _cryptography("x509")
        self._secret = (
            secrets.token_bytes(_SECRET)
            if derived is None
            else sha256(b"secret" + derived).digest()
        )
        self._until = datetime.now(UTC) + timedelta(days=days)
        self._key = _new_key() if derived is None else _derived_key(derived)
        self._name = self._named(f"authority of {cluster}"[:LONGEST])
        self.certificate = _text(
            self._certified(self._name, self._key, authority=True)
        )
        """In PEM; whoever has it knows the cluster's tasks from others."""

    def keys(self, task: str) -> Keys:
        """Return new keys of a task or client."""
        if not 0 < len(task) <= LONGEST:
            raise InvalidArgumentError(
                f"the name {task!r} has {len(task)} characters, and a certificate takes 1 to "
                f"{LONGEST}: give the job a shorter name"
            )
        key = _new_key()
        certificate = self._certified(self._named(task), key, authority=False)
        return Keys(self._secret, _text(certificate), _private(key), self.certificate)

    def _named(self, name: str) -> Any:
        part = self._x509.NameAttribute(self._x509.NameOID.COMMON_NAME, name)
        return self._x509.Name([part])

    def _certified(self, subject: Any, key: Any, authority: bool) -> Any:
        """Return a certificate that says whose a key is."""
        x509 = self._x509
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(datetime.now(UTC) - _SKEW)
            .not_valid_after(self._until)
        )
        for extension, critical in self._extensions(key.public_key(), authority):
            builder = builder.add_extension(extension, critical)
        return builder.sign(
            self._key, _cryptography("hazmat.primitives.hashes").SHA256()
        )

    def _extensions(self, public: Any, authority: bool) -> Iterable[tuple[Any, bool]]:
        """Yield what a certificate may be used for, and how the keys in it are known."""
        x509 = self._x509
        issuer = self._key.public_key()
        yield x509.BasicConstraints(authority, 0 if authority else None), True
        yield x509.SubjectKeyIdentifier.from_public_key(public), False
        yield x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer), False
        yield _usage(x509, authority), True
        if not authority:
            usages = x509.ExtendedKeyUsageOID
            both = [usages.SERVER_AUTH, usages.CLIENT_AUTH]
            yield x509.ExtendedKeyUsage(both), False


def make_keys(
    cluster: str, tasks: Iterable[str], certificates: bool = True
) -> dict[str, Keys]:
    """Return keys for each task, of an authority that makes no others.

    Without certificates, tasks of one node can talk; the package `cryptography` is not needed.

    >>> keys = make_keys("demo", ["/job:ps/task:0", "/job:ps/task:1"])
    >>> keys["/job:ps/task:0"].secret == keys["/job:ps/task:1"].secret
    True
    """
    if not certificates:
        keys = Keys(secrets.token_bytes(_SECRET))
        return dict.fromkeys(tasks, keys)
    authority = Authority(cluster)
    return {task: authority.keys(task) for task in tasks}


def tls_of(keys: Keys) -> Tls:
    """Return what speaks TLS with a task's certificate."""
    if not (keys.certificate and keys.private_key and keys.authority):
        raise InvalidArgumentError(
            "a task is to be reached from other nodes, and has no certificate: take keys from an "
            "Authority"
        )
    # The standard library reads them from files only.
    with TemporaryDirectory(prefix="tensorlite-keys-") as folder:
        paths = []
        for name in ("certificate", "private_key", "authority"):
            path = Path(folder, name)
            path.touch(mode=0o600)
            path.write_text(getattr(keys, name), "ascii")
            paths.append(str(path))
        return mutual(*paths)


def _usage(x509: Any, authority: bool) -> Any:
    return x509.KeyUsage(
        digital_signature=not authority,
        key_cert_sign=authority,
        crl_sign=authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _cryptography(module: str) -> Any:
    return extra(f"cryptography.{module}", "a cluster over several nodes")


def _new_key() -> Any:
    curves = _cryptography("hazmat.primitives.asymmetric.ec")
    return curves.generate_private_key(curves.SECP256R1())


def _derived_key(given: bytes) -> Any:
    curves = _cryptography("hazmat.primitives.asymmetric.ec")
    number = int.from_bytes(sha512(b"authority" + given).digest(), "big")
    return curves.derive_private_key(number % (_ORDER - 1) + 1, curves.SECP256R1())


def _text(certificate: Any) -> str:
    pem = _cryptography("hazmat.primitives.serialization").Encoding.PEM
    return str(certificate.public_bytes(pem), "ascii")


def _private(key: Any) -> str:
    forms = _cryptography("hazmat.primitives.serialization")
    pem = key.private_bytes(
        forms.Encoding.PEM, forms.PrivateFormat.PKCS8, forms.NoEncryption()
    )
    return str(pem, "ascii")
