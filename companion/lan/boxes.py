"""Letters that only one table can open: how a hall's secret length travels.

Theory. The hub makes a fresh X25519 key for each letter, agrees on a secret with the table's public key, and derives
from it the key of one ChaCha20-Poly1305 message. Whoever reads the wire, the hub's pages or its ledger sees random
bytes of a fixed length. What the letter is about (table, hall, seal) is bound in: a letter for another table, or for
another hall, does not open. Since the key is used once, its nonce may be zero.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import ClassVar

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

KEY_BYTES = 32
_NONCE = bytes(12)
_PURPOSE = b"table companion: a length in a box, 1"


_PROVING = b"table companion: what a table says now, 1"


class BoxUnreadable(ValueError):
    """A letter is not for this table, or was changed on its way."""

    code: ClassVar[str] = "box-unreadable"


def fresh_key() -> bytes:
    """A private key from the operating system's chance."""
    return X25519PrivateKey.generate().private_bytes_raw()


def public_of(private: bytes) -> bytes:
    """The public half of a private key."""
    return _raw(X25519PrivateKey.from_private_bytes(private).public_key())


def fingerprint(public: bytes) -> str:
    """What two people compare to know that they mean the same key: 16 digits in groups of four."""
    digits = hashlib.sha256(public).hexdigest()[:16]
    return " ".join(digits[at : at + 4] for at in range(0, 16, 4))


class Question:
    """A question that only the owner of a key can answer, and only now: its own key is made for it alone.

    Attributes:
        asked: What is sent, in hexadecimal.
    """

    def __init__(self) -> None:
        self._mine = X25519PrivateKey.generate()
        self.asked = _raw(self._mine.public_key()).hex()

    def is_answered(self, proof: str, content: bytes, *, public: bytes) -> bool:
        """Whether the owner of `public` said this content in answer to this question."""
        shared = self._mine.exchange(X25519PublicKey.from_public_bytes(public))
        return hmac.compare_digest(_proof(shared, bytes.fromhex(self.asked), public, content).encode(), proof.encode())


def answer(asked: str, content: bytes, *, private: bytes) -> str:
    """The proof that the owner of a key says this content now, in hexadecimal.

    Raises:
        ValueError: What was asked is no question.
    """
    question = bytes.fromhex(asked)
    shared = X25519PrivateKey.from_private_bytes(private).exchange(X25519PublicKey.from_public_bytes(question))
    return _proof(shared, question, public_of(private), content)


def is_key(public: bytes) -> bool:
    """Whether somebody can be written to under a public key: all zeros, for one, is nobody's."""
    try:
        X25519PrivateKey.generate().exchange(X25519PublicKey.from_public_bytes(public))
    except ValueError:
        return False
    return True


def closed(content: bytes, *, public: bytes, about: bytes) -> bytes:
    """A letter that only the owner of `public` can open.

    Args:
        content: What is in it; of a fixed length, since that shows.
        public: The reader's public key, 32 bytes.
        about: What it is for; the reader must say the same.

    Raises:
        ValueError: `public` is no key.
    """
    mine = X25519PrivateKey.generate()
    sender = _raw(mine.public_key())
    shared = mine.exchange(X25519PublicKey.from_public_bytes(public))
    return sender + ChaCha20Poly1305(_key(shared, sender, public)).encrypt(_NONCE, content, about)


def opened(box: bytes, *, private: bytes, about: bytes) -> bytes:
    """What is in a letter.

    Raises:
        BoxUnreadable: It is for somebody else, about something else, or not as it was written.
    """
    sender, sealed = box[:KEY_BYTES], box[KEY_BYTES:]
    try:
        shared = X25519PrivateKey.from_private_bytes(private).exchange(X25519PublicKey.from_public_bytes(sender))
        return ChaCha20Poly1305(_key(shared, sender, public_of(private))).decrypt(_NONCE, sealed, about)
    except (InvalidTag, ValueError):
        raise BoxUnreadable(
            "the letter with the length cannot be opened by this table: let the hub ask for the table's key again"
        ) from None


def _proof(shared: bytes, asked: bytes, public: bytes, content: bytes) -> str:
    key = HKDF(algorithm=SHA256(), length=32, salt=asked + public, info=_PROVING).derive(shared)
    return hmac.new(key, content, hashlib.sha256).hexdigest()


def _key(shared: bytes, sender: bytes, reader: bytes) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=sender + reader, info=_PURPOSE).derive(shared)


def _raw(key: X25519PublicKey) -> bytes:
    return key.public_bytes(Encoding.Raw, PublicFormat.Raw)
