"""A small mutation fuzzer: seeded, no coverage, runs where atheris does not."""

from collections.abc import Iterator, Sequence
from random import Random

TOKENS: dict[str, Sequence[bytes]] = {
    "header": (
        *(b"-1      ", b"0       ", b"1e300   ", b"nan     ", b"inf     ", b"99999999"),
        *(b"EDF+C", b"EDF+D", b"BDF+D", b"\xffBIOSEMI", b"EDF Annotations "),
        *(b"1e-300  ", b"1,5     ", b"Startdate 02-JAN-2005", b"\0" * 8, b"uV", b"mV"),
        *(b"-32768  ", b"32767   ", b"9999", b"10000", b"0.001   ", b"512     "),
    ),
    "annotations": (
        *(b"\x14", b"\x15", b"\0", b"\x14\x14\0", b"+0", b"-1.5", b"+1e5", b"+.5"),
        *(b"+999999999999999", b"\xff\xfe", "Schlafstadium ü".encode(), b"+,", b" "),
    ),
    "replies": (
        *(b"{", b"}", b"[", b"]", b"(", b'"', b"'", b"`", b",", b":", b"\\", b"\n"),
        *(b"```json", b"<think>", b"</think>", b"<|channel|>final<|message|>"),
        *(b'"action": "final_answer"', b'"tool_calls"', b'"arguments"', b'"answer"'),
        *(b"<function=", b"<parameter=", b"</parameter>", b"</function>", b"//", b"/*"),
        *(b"#", b"NaN", b"1e999", b"\\ud800", b"seizure_events", b"hypnogram_rle"),
        *(b"1_0", b"-", b"None", b"\xe2\x80\x9c", b'"function"', b"start_epoch"),
    ),
}
TOKENS["files"] = (*TOKENS["header"], *TOKENS["annotations"])


def mutated(
    seeds: Sequence[bytes], tokens: Sequence[bytes], seed: int
) -> Iterator[bytes]:
    """Endless variants of seeds; the same ones for the same arguments."""
    random = Random(seed)
    while True:
        data = bytearray(random.choice(seeds))
        for _ in range(1 + int(random.expovariate(0.5))):
            _change(data, random, seeds, tokens)
        yield bytes(data)


def _change(
    data: bytearray, random: Random, seeds: Sequence[bytes], tokens: Sequence[bytes]
) -> None:
    at = random.randrange(len(data) + 1)
    kind = random.randrange(8)
    if kind == 0:
        data[at : at + 1] = random.randbytes(1)
    elif kind == 1:
        del data[at : at + random.randrange(1, 40)]
    elif kind == 2:
        data[at:at] = random.choice(tokens)
    elif kind == 3:
        token = random.choice(tokens)
        data[at : at + len(token)] = token
    elif kind == 4:
        piece = bytes(data[at : at + random.randrange(1, 60)])
        data[at:at] = piece * random.randrange(1, 30)
    elif kind == 5:
        other = random.choice(seeds)
        data[at:] = other[random.randrange(len(other) + 1) :]
    elif kind == 6:
        del data[at:]
    else:  # a field of a header: eight bytes on their own grid
        at -= at % 8
        data[at : at + 8] = random.choice(tokens)[:8].ljust(8)
