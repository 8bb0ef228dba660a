"""What a run of chat episodes watches: money, the provider, and the event loop."""

import time
from collections import Counter
from dataclasses import dataclass, field

from eegbench.agents import Usage
from eegbench.agents.chat_failures import Trouble
from eegbench.errors import ProviderError
from eegbench.prices import Price

TICK_SEC = 0.02


class StoppedError(ProviderError):
    """The run was stopped while this episode was played."""


@dataclass
class Watch:
    """Decides when a run stops before its end.

    Attributes
    ----------
    stopped : str or None
        Why no further instance is begun; None: the run goes on.
    """

    give_up_after: int
    price: Price | None = None
    max_cost_usd: float | None = None
    spent_usd: float = 0.0
    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    stopped: str | None = None
    _n_spoiled: int = 0

    def paid(self, usage: Usage) -> None:
        """Count a reply; the one that reaches the limit is still used."""
        self.input_tokens += usage.input_tokens
        self.cached_input_tokens += usage.cached_input_tokens
        self.output_tokens += usage.output_tokens
        self._n_spoiled = 0
        if self.price is not None:
            self.spent_usd += self.price.cost_usd(usage)
        if self.max_cost_usd is not None and self.spent_usd >= self.max_cost_usd:
            self.stopped = (
                f"the budget of {self.max_cost_usd:g} USD is used up "
                f"({self.spent_usd:.4f} USD spent)"
            )

    def check(self) -> None:
        """Raise StoppedError where no further request may be made."""
        if self.stopped is not None:
            raise StoppedError(self.stopped)

    def spoiled(self, trouble: Trouble) -> None:
        """Count an episode that the provider spoiled."""
        self._n_spoiled += 1
        if trouble.is_final or self._n_spoiled >= self.give_up_after:
            self.stopped = trouble.message


@dataclass
class LoopDelay:
    """How late the event loop wakes a sleeper: what concurrent episodes do to it."""

    is_running: bool = False
    """Set by whoever starts it."""
    counts: Counter[int] = field(default_factory=Counter)
    """Wakings by their delay in tenths of a millisecond."""

    async def measure(self) -> None:
        """Sleep and wake until cancelled."""
        import anyio

        try:
            while True:
                began = time.perf_counter()
                await anyio.sleep(TICK_SEC)
                late_sec = time.perf_counter() - began - TICK_SEC
                self.counts[round(max(0.0, late_sec) * 10_000)] += 1
        finally:
            self.is_running = False

    def summary_ms(self) -> dict[str, float]:
        """Return number of wakings, median, 95 and 99 % points and maximum."""
        total = self.counts.total()
        if not total:
            return {"n": 0}
        ordered = sorted(self.counts.items())
        told = {"n": float(total)}
        for name, share in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99)):
            seen = 0
            for tenths, number in ordered:
                seen += number
                if seen >= share * total:
                    told[name] = tenths / 10
                    break
        return {**told, "max": ordered[-1][0] / 10}
