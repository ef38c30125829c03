"""Secret lengths beside the chain, in a file that only its owner can read.

The chain holds the seal; what was sealed lies here until it is revealed. So the file must be on the disk before the
seal is, must be the same after a power cut, and must tell when it is not: a length that was made up anew would be one
that somebody chose. Whoever finds it readable by others, changed or gone is told which of the three, and people
decide. All entries are of one size, so that not even the size of the file tells anything.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from companion.journal.errors import JournalUnwritable
from companion.journal.opening import sync_folder
from companion.session.seal import SALT, Secret

Fault = Literal["missing", "altered", "exposed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What a file of secrets holds.

    Attributes:
        secrets: Secrets by seal.
        fault: Why what is not among them can't be vouched for.
    """

    secrets: Mapping[str, Secret] = field(repr=False)
    fault: Fault = "missing"


class SecretFile:
    """A file of secrets, mode 0600.

    Args:
        path: Where it lies; made with the first secret.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def keep(self, secrets: Iterable[Secret]) -> None:
        """Write these secrets in place of what was there, and wait until they are on the disk.

        Raises:
            JournalUnwritable: The disk refuses; then the old ones are still there.
        """
        entries = [{"seal": one.seal, "minutes": f"{one.minutes:04}", "salt": one.salt} for one in secrets]
        fresh = self._path.with_name(self._path.name + ".new")
        try:
            fresh.unlink(missing_ok=True)
            handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            with os.fdopen(handle, "w", encoding="ascii") as file:
                os.fchmod(file.fileno(), 0o600)
                json.dump({"secrets": entries}, file)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(self._path)
            sync_folder(self._path.parent)
        except OSError as error:
            raise JournalUnwritable(
                f"{self._path} cannot be written ({error.strerror or type(error).__name__}): "
                "check the disk and the rights of its folder",
                path=str(self._path),
            ) from error

    def read(self) -> Kept:
        """What is kept, as far as it can be vouched for."""
        try:
            handle = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except FileNotFoundError:
            return Kept(secrets={})
        except OSError:
            return Kept(secrets={}, fault="altered")
        with os.fdopen(handle, "rb") as file:
            found = os.fstat(file.fileno())
            if stat.S_IMODE(found.st_mode) & 0o077 or found.st_uid != os.geteuid():
                return Kept(secrets={}, fault="exposed")
            try:
                entries = [_secret(entry) for entry in json.load(file)["secrets"]]
            except (OSError, ValueError, KeyError, TypeError, RecursionError):
                return Kept(secrets={}, fault="altered")
        whole = {secret.seal: secret for seal, secret in entries if secret.seal == seal}
        return Kept(secrets=whole, fault="missing" if len(whole) == len(entries) else "altered")


def _secret(entry: Mapping[str, Any]) -> tuple[str, Secret]:
    seal, minutes, salt = entry["seal"], entry["minutes"], entry["salt"]
    if SALT.fullmatch(salt) is None:
        raise ValueError("no salt")
    return seal, Secret(minutes=int(minutes), salt=salt)
