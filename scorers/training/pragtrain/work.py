"""Small things that every step needs: saying, seeds, files that are whole or not there."""

import hashlib
import os
import sys
import time
from pathlib import Path


def say(text: str) -> None:
    """A line of progress on standard error, with the time."""
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def sha256_of(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def write_whole(path: Path, raw: bytes) -> None:
    """Writes a file so that a reader sees the old one or the new one, never a half."""
    part = path.with_name(f"{path.name}.part")
    with part.open("wb") as file:
        file.write(raw)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)
