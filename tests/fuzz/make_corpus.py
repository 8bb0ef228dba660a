"""Write the stored seeds: small files by the test writer, and replies as models write.

Run once after a change: ``PYTHONPATH=tests python tests/fuzz/make_corpus.py``.
"""

from dataclasses import replace
from pathlib import Path

from edf_writer import Annotations, Edf, Signal

CORPUS = Path(__file__).resolve().parent / "corpus"
EEG = Signal("EEG C3", [(37 * n) % 4001 - 2000 for n in range(400)], 100)
EOG = replace(EEG, label="EOG", per_record=50, samples=EEG.samples[:200], unit="mV")


def tal(onset: str, *texts: str, duration: str = "") -> bytes:
    """Bytes of one annotation list."""
    stamp = onset + (f"\x15{duration}" if duration else "")
    return (stamp + "\x14" + "\x14".join(texts) + "\x14").encode() + b"\0"


LISTS = [tal(f"+{n}", "") + tal(f"+{n}.5", "x", duration="2") for n in range(4)]
GAPPED = [tal(f"+{n + 5 * (n > 1)}", "") for n in range(4)]
FILES = {
    "plain": Edf([EEG, EOG], patient="X F 02-FEB-1980 X"),
    "continuous": Edf([EEG, Annotations(LISTS)], reserved="EDF+C"),
    "gaps": Edf([EEG, Annotations(GAPPED)], reserved="EDF+D"),
    "bdf": Edf([EEG], width=3, version=b"\xffBIOSEMI", reserved="24BIT"),
    "only_annotations": Edf([Annotations(LISTS)], reserved="EDF+C", duration="0"),
    "many": Edf([replace(EEG, label=f"E{n}", samples=EEG.samples[:80], per_record=20)
                 for n in range(12)]),
    "unknown_length": Edf([EEG], n_records="-1", behind=b"123"),
    "long_header": Edf([EEG], between=b" " * 257),
}  # fmt: skip
REPLIES = (
    '{"thought": "x", "action": "tool_call", "tool_name": "compute_psd", '
    '"arguments": {"channels": ["C3"], "tmin": 0}}',
    '{"action": "final_answer", "answer": {"classification": "normal"}}',
    "<think>maybe [1, 2]</think>```json\n{'action': 'final_answer', 'seizure_events':"
    " [{'onset_sec': 1.5, 'offset_sec': 20}],}\n```",
    "hypnogram_rle = [[0, 9, W], [10, 39, N2]] // done",
    '{"hypnogram_rle": [{"start_epoch": 0, "end_epoch": 39, "stage": "REM"}], '
    '"architecture": {"REM_pct": "15%", "N3_pct": 0.2, "sleep_efficiency": 88}}',
    "<function=compute_psd><parameter=channels>[\"C3\"]</parameter></function>",
    "<|channel|>analysis<|message|>hm<|channel|>final<|message|>The answer is B.",
    '"{\\"answer\\": \\"C\\"}"',
    '{"tool_calls": [{"function": {"name": "compute_psd", "arguments": "{}"}}]}',
    "normal",
)  # fmt: skip


def main() -> None:
    """Write all seeds."""
    seeds = {
        "header": [file.header() for file in FILES.values()],
        "files": [file.to_bytes() for file in FILES.values()],
        "annotations": [
            *LISTS[:2],
            GAPPED[2],
            b"+1.5\x15.5\x14a\x14b\x14\0\0",
            b"x\0y",
        ],
        "replies": [text.encode() for text in REPLIES],
    }
    for name, rows in seeds.items():
        folder = CORPUS / name
        folder.mkdir(parents=True, exist_ok=True)
        for number, data in enumerate(rows):
            (folder / f"{number:02d}").write_bytes(data)


if __name__ == "__main__":
    main()
