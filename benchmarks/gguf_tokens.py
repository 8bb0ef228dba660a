"""Token counts by the vocabulary of a GGUF file (SentencePiece merges by score).

Reads the tokenizer's metadata from the file itself; needs no llama.cpp. Used by
bench_tokens.py.
"""

import struct
from collections.abc import Iterator
from heapq import heappop, heappush
from pathlib import Path
from typing import Any, BinaryIO

_PLAIN = {
    0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i",
    6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d",
}  # fmt: skip
_TEXT, _ARRAY = 8, 9
_SPACE = "\u2581"


def _value(file: BinaryIO, kind: int) -> Any:
    if kind == _TEXT:
        (size,) = struct.unpack("<Q", file.read(8))
        return file.read(size).decode("utf-8", "replace")
    if kind == _ARRAY:
        inner, count = struct.unpack("<IQ", file.read(12))
        if inner in _PLAIN:
            form = f"<{count}{_PLAIN[inner][1]}"
            return list(struct.unpack(form, file.read(struct.calcsize(form))))
        return [_value(file, inner) for _ in range(count)]
    form = _PLAIN[kind]
    return struct.unpack(form, file.read(struct.calcsize(form)))[0]


def metadata(path: Path) -> dict[str, Any]:
    """Key-value pairs in front of the tensors."""
    with path.open("rb") as file:
        magic, _, _, count = struct.unpack("<4sIQQ", file.read(24))
        if magic != b"GGUF":
            raise ValueError(f"{path.name} is no GGUF file")
        found = {}
        for _ in range(count):
            key = _value(file, _TEXT)
            (kind,) = struct.unpack("<I", file.read(4))
            found[key] = _value(file, kind)
        return found


class GgufTokenizer:
    """Counts tokens as SentencePiece does: the best-scored neighbours merge first."""

    def __init__(self, path: Path) -> None:
        facts = metadata(path)
        if facts["tokenizer.ggml.model"] != "llama":
            raise ValueError(f"tokenizer {facts['tokenizer.ggml.model']!r}, not llama")
        self.name = str(facts.get("general.name", path.stem))
        tokens = facts["tokenizer.ggml.tokens"]
        self.scores = dict(zip(tokens, facts["tokenizer.ggml.scores"], strict=True))

    def pieces(self, text: str) -> list[str]:
        """Texts of the tokens, in order."""
        parts: list[str | None] = list(text.replace(" ", _SPACE))
        left = list(range(-1, len(parts) - 1))
        right = [*range(1, len(parts)), -1]
        queue: list[tuple[float, int, int, str]] = []

        def offer(a: int, b: int) -> None:
            if a >= 0 and b >= 0:
                joined = f"{parts[a]}{parts[b]}"
                if joined in self.scores:
                    heappush(queue, (-self.scores[joined], a, b, joined))

        for i in range(len(parts) - 1):
            offer(i, i + 1)
        while queue:
            _, a, b, joined = heappop(queue)
            if parts[a] is None or parts[b] is None or right[a] != b:
                continue
            if f"{parts[a]}{parts[b]}" != joined:
                continue
            parts[a], parts[b] = joined, None
            right[a] = right[b]
            if right[a] >= 0:
                left[right[a]] = a
            offer(left[a], a)
            offer(a, right[a])
        return [
            piece for part in parts if part is not None for piece in self._whole(part)
        ]

    def _whole(self, part: str) -> Iterator[str]:
        """A piece of the vocabulary, or the bytes of an unknown character."""
        if part in self.scores:
            yield part
        else:
            yield from (f"<0x{byte:02X}>" for byte in part.encode())

    def count(self, text: str) -> int:
        """Number of tokens."""
        return len(self.pieces(text))
