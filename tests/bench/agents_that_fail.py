"""Agents that misbehave, importable by name in worker processes."""

import os
import signal
import time

from eegbench.agents import InstanceView, Observation, Reply, ToolCall


class Asks:
    """Calls one tool, then answers; what the tool said becomes the rationale."""

    name = "asks"
    tool = "get_recording_info"

    def start(self, view: InstanceView) -> None:
        pass

    def reply(self, observation: Observation) -> Reply:
        if observation.kind == "prompt" and observation.view.tools:
            args = {"record_id": observation.record_id}
            return Reply(tool_calls=(ToolCall(self.tool, args),))
        return Reply(answer={"classification": "normal"})


class MeasuresPower(Asks):
    """Calls a tool whose answer is a table."""

    name = "measures-power"
    tool = "compute_band_power"


class OnFact(Asks):
    """Does what the fact ``deed`` of the instance says."""

    name = "on-fact"

    def reply(self, observation: Observation) -> Reply:
        deed = observation.facts.get("deed")
        if deed == "raise":
            raise RuntimeError("lost the thread")
        if deed == "hang":
            time.sleep(600)
        if deed == "spin":
            while True:
                pass
        if deed == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if deed == "exit":
            raise SystemExit(3)
        if deed == "nonsense":
            return Reply(text="colourless green ideas")
        return super().reply(observation)


class Slow(Asks):
    """Takes a while over each answer, and talks."""

    name = "slow"

    def __init__(self, pause_sec: float = 0.05) -> None:
        self._pause_sec = pause_sec

    def reply(self, observation: Observation) -> Reply:
        time.sleep(self._pause_sec)
        print("let me see")  # noqa: T201 - what it prints must not reach the data
        return super().reply(observation)
