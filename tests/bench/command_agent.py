"""A program for the tests of the command agent; its first argument says what it does.

It imports nothing of the project, as a stranger's program would.
"""

import json
import os
import sys
import time


def say(**reply):
    sys.stdout.write(json.dumps(reply) + "\n")
    sys.stdout.flush()


def main(deed):
    record_id = ""
    for line in sys.stdin:
        message = json.loads(line)
        if message["event"] == "start":
            record_id = message["record_id"]
            if deed == "tell":
                message["folder"] = os.listdir(".")  # noqa: PTH208 - nothing but names
                message["environment"] = sorted(os.environ)
                told = json.dumps(message)
            continue
        if deed == "hang":
            time.sleep(600)
        if deed == "die":
            sys.stderr.write("out of ideas\n")
            sys.exit(4)
        if deed == "close":
            os.close(1)
            time.sleep(600)
        if deed == "nonsense":
            sys.stdout.write("\xff what?\n")
            sys.stdout.flush()
        elif deed == "flood":
            sys.stdout.write("x" * 20_000_000)
            sys.stdout.flush()
        elif deed == "tell":
            say(answer={"classification": "normal", "findings": [told]})
        elif deed == "text":
            answer = {"action": "final_answer", "classification": "normal"}
            say(text=json.dumps(answer), usage={"input_tokens": 7, "output_tokens": 3})
        elif message["kind"] == "prompt":
            args = {"record_id": record_id}
            say(tool_calls=[{"name": "compute_psd", "arguments": args}] * 2)
        else:
            say(answer={"classification": "epileptic", "findings": [line[-200:]]})


main(sys.argv[1])
