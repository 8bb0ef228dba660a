"""A chat model as an agent: its options, and one dialogue in its provider's terms.

Inspect AI (extra ``llm``) does providers, keys, retries and rate limits; the episode
does the protocol. What lies between is here: observations into messages, and a model's
output into a `Reply`. Inspect is imported where it is used, since it loads slowly.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import orjson

from eegbench.agents import Observation, Reply, ToolCall, Usage
from eegbench.agents.chat_failures import ContextFullError, one_line
from eegbench.config import NotNegative, Positive, Seconds
from eegbench.errors import ConfigError, ProviderError
from eegbench.prompts import calls_left_note
from eegbench.records import JsonObject

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, Model, ModelOutput
    from inspect_ai.tool import ToolInfo

LOCAL_HOSTS = ("//127.0.0.1", "//localhost", "//[::1]")
_OURS = {"max_retries", "attempt_timeout", "max_connections"}


class ChatOptions(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True
):
    """Which model, and how it is asked; no key stands here or in any file of a run."""

    model: str
    """Inspect's name of a model, such as ``openai/gpt-5.5``; an OpenAI-compatible
    endpoint is ``openai-api/SERVICE/MODEL`` with ``base_url``."""
    base_url: str | None = None
    api_key_env: str | None = None
    """Environment variable of the key; None: the provider's own."""
    model_args: JsonObject = {}
    """Arguments of the provider in Inspect."""
    generate: JsonObject = {}
    """Inspect's generate options: temperature, max_tokens, reasoning_effort, ..."""
    connections: Positive = 16
    """Episodes at the same time."""
    max_retries: NotNegative = 6
    """Of a request that met a busy or failing provider; Inspect waits 3 s, then twice
    as long each time."""
    attempt_limit_sec: Seconds = 600.0
    """Of one request."""
    give_up_after: Positive = 8
    """Episodes in a row that the provider spoiled, after which the run stops."""


def inspect_version() -> str:
    """Return the version of Inspect; ConfigError names the extra that is missing."""
    try:
        import inspect_ai
        import openai  # noqa: F401 - the provider of every compatible endpoint
    except ImportError as error:
        raise ConfigError(
            f"chat models need {error.name}; pip install 'eegbench[llm]'"
        ) from error
    return str(inspect_ai.__version__)


def open_model(options: ChatOptions, *, key: str | None) -> "Model":
    """Make a model of its options.

    Parameters
    ----------
    options : ChatOptions
    key : str or None
        The provider's key; None: the provider reads its own variable.

    Raises
    ------
    ConfigError
        The extra or a provider's package is missing, the key is not set, or the name or
        an option is unknown.
    """
    inspect_version()
    from inspect_ai.model import GenerateConfig, get_model

    clash = sorted(_OURS & set(options.generate))
    if clash:
        raise ConfigError(
            f"generate options {', '.join(clash)} are options of the chat agent: "
            "max_retries, attempt_limit_sec, connections"
        )
    unknown = sorted(set(options.generate) - set(GenerateConfig.model_fields))
    if unknown:
        known = ", ".join(sorted(GenerateConfig.model_fields))
        raise ConfigError(
            f"unknown generate options {', '.join(unknown)}; Inspect knows {known}"
        )
    url = options.base_url
    if key is None and url is not None and any(host in url for host in LOCAL_HOSTS):
        key = "none"  # servers on this machine ask for none, Inspect for some
    limit_sec = max(1, round(options.attempt_limit_sec))
    try:
        config = GenerateConfig(
            **options.generate,
            max_retries=options.max_retries,
            attempt_timeout=limit_sec,
            max_connections=options.connections,
        )
        return get_model(
            options.model,
            config=config,
            base_url=url,
            api_key=key,
            memoize=False,
            **options.model_args,
        )
    except Exception as error:
        # Inspect and its providers raise what they like: all of it before a request
        message = f"cannot use model {options.model!r}: {one_line(error)}"
        raise ConfigError(message) from error


def tool_infos(schemas: Sequence[JsonObject]) -> "list[ToolInfo]":
    """Return the ten tools for native function calling, from Anthropic's form."""
    from inspect_ai.tool import ToolInfo, ToolParams

    return [
        ToolInfo(
            name=schema["name"],
            description=schema["description"],
            parameters=ToolParams.model_validate(schema["input_schema"]),
        )
        for schema in schemas
    ]


class Dialogue:
    """One instance as a conversation with one model.

    Parameters
    ----------
    model : Model
        Of Inspect.
    tools : sequence of ToolInfo
        For native function calling; empty: the text protocol, or no tools.
    on_usage : callable, optional
        Told of the usage of every reply as soon as it is there; may raise.

    Attributes
    ----------
    messages : list of ChatMessage
        All that was said.
    broken : dict
        Why the arguments of a native call could not be read, by the call's id; such a
        call is answered by an error, not carried out.
    """

    def __init__(
        self,
        model: "Model",
        tools: "Sequence[ToolInfo]" = (),
        on_usage: Callable[[Usage], None] | None = None,
    ) -> None:
        self.messages: list[ChatMessage] = []
        self.broken: dict[str, str] = {}
        self._model, self._tools = model, list(tools)
        self._on_usage = on_usage
        self._asked: list[tuple[str, str]] = []

    async def reply(self, observation: Observation) -> Reply:
        """Show an observation, return what the model says.

        Raises
        ------
        ProviderError
            The reply holds no message.
        ContextFullError
            The conversation is longer than the model takes.
        """
        self.messages += self._shown(observation)
        output = await self._model.generate(self.messages, tools=self._tools)
        usage = usage_of(output)
        if self._on_usage is not None:
            self._on_usage(usage)
        return self._heard(output, usage)

    def _shown(self, observation: Observation) -> "list[ChatMessage]":
        """Turn an observation into messages; native calls get one answer each."""
        from inspect_ai.model import ChatMessageTool, ChatMessageUser

        asked, self._asked = self._asked, []
        user: ChatMessage = ChatMessageUser(content=observation.text)
        if not asked:
            return [user]
        results = [orjson.dumps(result).decode() for result in observation.results]
        note = calls_left_note(observation.calls_left)
        if results and note:
            results[-1] += f"\n{note}"
        told = results or ["not carried out"] * len(asked)
        answers: list[ChatMessage] = [
            ChatMessageTool(content=text, tool_call_id=call_id, function=name)
            for (call_id, name), text in zip(asked, told, strict=True)
        ]
        return answers if results else [*answers, user]

    def _heard(self, output: "ModelOutput", usage: Usage) -> Reply:
        from inspect_ai.model import ChatMessageAssistant

        if not output.choices:
            raise ProviderError("the provider's reply has no choices")
        message, text = output.message, output.message.text
        if output.stop_reason == "model_length":
            raise ContextFullError(text or "the provider says no more")
        self.broken = {
            call.id: call.parse_error
            for call in message.tool_calls or ()
            if call.parse_error
        }
        calls = tuple(
            ToolCall(call.function, call.arguments, call.id)
            for call in message.tool_calls or ()
        )
        self._asked = [(call.call_id or "", call.name) for call in calls]
        if not calls and not text.strip():
            # some providers refuse a conversation that holds an empty message
            message = ChatMessageAssistant(content="(no reply)")
        self.messages.append(message)
        return Reply(text=text, tool_calls=calls, usage=usage)


def usage_of(output: "ModelOutput") -> Usage:
    """Return what a reply took; tokens read from a cache are input, and told apart."""
    used: Any = output.usage
    if used is None:
        return Usage()
    cached = used.input_tokens_cache_read or 0
    written = used.input_tokens_cache_write or 0
    return Usage(
        input_tokens=used.input_tokens + cached + written,
        cached_input_tokens=cached,
        output_tokens=used.output_tokens,
    )
