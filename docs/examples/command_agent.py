# ruff: noqa: T201 - its standard output is the protocol
"""An agent as a program: JSON Lines in, JSON Lines out, nothing to install.

    eegbench run SET --agent command --exec "python command_agent.py" -o RUN

It asks for the band powers once and calls much slow activity the last class.
"""

import json
import sys


def classify(results: list[dict], classes: list[str]) -> str:
    """Return the last class if delta and theta hold over 60 % of the power."""
    rows = [row for answer in results for row in answer.get("channels", [])]
    shares = [row["relative_power"] for row in rows if row.get("relative_power")]
    slow = [(one.get("delta") or 0) + (one.get("theta") or 0) for one in shares]
    return classes[-1] if slow and sum(slow) / len(slow) > 0.6 else classes[0]


for line in sys.stdin:
    message = json.loads(line)
    if message["event"] == "start":
        task = message  # record_id, question, facts, answer_schema, tools, ...
        fields = task["answer_schema"]["properties"]
    elif message["kind"] == "prompt" and "compute_band_power" in task["tools"]:
        call = {
            "name": "compute_band_power",
            "arguments": {"record_id": task["record_id"]},
        }
        print(json.dumps({"tool_calls": [call]}), flush=True)
    elif "classification" in fields:
        label = classify(message["results"], fields["classification"]["enum"])
        print(json.dumps({"answer": {"classification": label}}), flush=True)
    else:
        print(json.dumps({"text": "this example only classifies"}), flush=True)
