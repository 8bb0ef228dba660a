from collections import Counter

import pytest

from bench.sets import SCHEMAS, StandInTools, instance
from eegbench.agents import Agent
from eegbench.agents.baselines import ConstantAgent, IdOnlyAgent, RandomAgent
from eegbench.agents.registry import make_agent
from eegbench.answerschema import problems
from eegbench.episode import Episode, Outcome
from eegbench.instances import instance_seed, opaque_id

KEY = "ab" * 16
N = 600


def answer(agent: Agent, number: int, task: str, *, seed: int = 0) -> dict[str, object]:
    one = instance(number, task)
    episode = Episode(
        one,
        opaque_id(one.instance_id, KEY),
        tools=None if task == "T1" else StandInTools(),
        seed=instance_seed(one.instance_id, seed),
    )
    agent.start(episode.view)
    end = episode.step(agent.reply(episode.start()))
    assert isinstance(end, Outcome)
    assert end.ended == "answer"
    assert end.answer is not None
    return end.answer


@pytest.mark.parametrize("task", SCHEMAS)
@pytest.mark.parametrize("name", ["constant", "random", "id-only"])
def test_answers_are_valid_at_once(name, task):
    agent = make_agent(name)
    assert agent.name == name
    for number in range(20):
        given = answer(agent, number, task)
        n_epochs = 20 if task == "T6" else None
        assert problems(given, SCHEMAS[task], n_epochs=n_epochs) == ()


def test_constant_says_a_first_class_nothing_and_wake():
    agent = ConstantAgent()
    assert answer(agent, 1, "T1") == {"answer": "A"}
    assert answer(agent, 1, "T3") == {"classification": "normal"}
    assert answer(agent, 1, "T5") == {"seizure_events": []}
    assert answer(agent, 1, "T6") == {
        "hypnogram_rle": [{"start_epoch": 0, "end_epoch": 19, "stage": "W"}],
        "architecture": {"REM_pct": 0.0, "N3_pct": 0.0, "sleep_efficiency": 0.0},
    }


def test_random_repeats_with_its_seed_and_differs_with_another():
    agent = RandomAgent()
    first = [answer(agent, number, "T1") for number in range(50)]
    assert first == [answer(agent, number, "T1") for number in range(50)]
    assert first != [answer(agent, number, "T1", seed=1) for number in range(50)]


def test_random_is_even_over_options():
    counts = Counter(answer(RandomAgent(), i, "T1")["answer"] for i in range(N))
    assert set(counts) == set("ABCD")
    assert max(counts.values()) < N / 4 + 4 * (N * 3 / 16) ** 0.5


def test_random_shares_are_those_of_its_hypnogram():
    given = answer(RandomAgent(), 3, "T6")
    counts: Counter[str] = Counter()
    for run in given["hypnogram_rle"]:
        counts[run["stage"]] += run["end_epoch"] - run["start_epoch"] + 1
    assert sum(counts.values()) == 20
    assert given["architecture"]["REM_pct"] == counts["REM"] / 20
    assert given["architecture"]["sleep_efficiency"] == 1 - counts["W"] / 20


def test_id_only_would_find_ids_that_follow_the_labels():
    view = Episode(instance(), "rec-1000000000", tools=StandInTools()).view
    low = IdOnlyAgent().reply(Episode(instance(), "rec-0fffffffff", tools=None).start())
    high = IdOnlyAgent().reply(
        Episode(instance(), "rec-ffffffffff", tools=None).start()
    )
    assert view.record_id == "rec-1000000000"
    assert (low.answer, high.answer) == (
        {"classification": "normal"},
        {"classification": "epileptic"},
    )


def test_id_only_is_at_chance_on_ids_in_the_order_of_the_labels():
    agent = IdOnlyAgent()
    labels = ["normal"] * (N // 2) + ["epileptic"] * (N // 2)
    right = sum(
        answer(agent, number, "T3")["classification"] == label
        for number, label in enumerate(labels)
    )
    assert abs(right - N / 2) < 3 * (N / 4) ** 0.5


def test_id_only_takes_any_id():
    episode = Episode(instance(), "EEG_0x", tools=None)
    assert IdOnlyAgent().reply(episode.start()).answer is not None
