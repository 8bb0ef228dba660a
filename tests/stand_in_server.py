"""A scripted OpenAI-compatible server on loopback: every answer is said by the test.

A script is a function of the request's JSON and its number (from 0) that returns an
`Answer`. No model is behind it.
"""

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]


@dataclass
class Answer:
    """What the server does with one request."""

    body: Json | bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    wait_sec: float = 0.0
    """Before the first byte."""
    drip_sec: float = 0.0
    """Between pieces of the body."""
    cut: bool = False
    """Close the connection in the middle of the body."""


Script = Callable[[Json, int], Answer]


def says(
    text: str | None = "",
    *,
    calls: list[tuple[str, str]] | None = None,
    finish: str = "stop",
    usage: tuple[int, int] = (100, 10),
    cached: int = 0,
    **message: object,
) -> Answer:
    """Return a completion: a text, native calls (name, arguments as text), or both."""
    said: Json = {"role": "assistant", "content": text, **message}
    if calls:
        said["tool_calls"] = [
            {
                "id": f"call-{number}",
                "type": "function",
                "function": {"name": name, "arguments": arguments},
            }
            for number, (name, arguments) in enumerate(calls)
        ]
        finish = "tool_calls"
    return Answer(
        {
            "id": "stand-in",
            "object": "chat.completion",
            "created": 0,
            "model": "stand-in",
            "choices": [{"index": 0, "message": said, "finish_reason": finish}],
            "usage": {
                "prompt_tokens": usage[0],
                "completion_tokens": usage[1],
                "total_tokens": sum(usage),
                "prompt_tokens_details": {"cached_tokens": cached},
            },
        }
    )


def refuses(status: int, message: str, *, code: str = "", **headers: str) -> Answer:
    """Return an error in OpenAI's form."""
    error = {"message": message, "type": code or "error", "code": code or None}
    return Answer({"error": error}, status=status, headers=headers)


def record_id_of(request: Json) -> str:
    """Return the record id that the prompt shows."""
    prompt = str(request["messages"][0]["content"])
    return prompt.partition('record_id: "')[2].partition('"')[0]


class StandIn:
    """The running server.

    Attributes
    ----------
    url : str
        For ``base_url``.
    requests : list of dict
        Every request's JSON, in order.
    most_at_once : int
        Most requests that waited for their answer at the same time.
    """

    def __init__(self, script: Script) -> None:
        self.requests: list[Json] = []
        self.most_at_once = self._n_now = 0
        self._script, self._lock = script, threading.Lock()
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                size = int(self.headers.get("Content-Length", 0))
                request = json.loads(self.rfile.read(size))
                with stand_in._lock:
                    number = len(stand_in.requests)
                    stand_in.requests.append(request)
                    stand_in._n_now += 1
                    stand_in.most_at_once = max(stand_in.most_at_once, stand_in._n_now)
                try:
                    with contextlib.suppress(OSError):
                        self._send(stand_in._script(request, number), request)
                finally:
                    with stand_in._lock:
                        stand_in._n_now -= 1

            def _send(self, answer: Answer, request: Json) -> None:
                time.sleep(answer.wait_sec)
                body = answer.body
                kind = "application/json"
                if isinstance(body, dict) and request.get("stream"):
                    body, kind = as_stream(body), "text/event-stream"
                elif isinstance(body, dict):
                    body = json.dumps(body).encode()
                self.send_response(answer.status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                for name, value in answer.headers.items():
                    self.send_header(name.replace("_", "-"), value)
                self.end_headers()
                if answer.cut:
                    self.wfile.write(body[: len(body) // 2])
                    self.close_connection = True
                    return
                step = 64 if answer.drip_sec else max(1, len(body))
                for start in range(0, len(body), step):
                    self.wfile.write(body[start : start + step])
                    self.wfile.flush()
                    time.sleep(answer.drip_sec)

            def log_message(self, *args: object) -> None:
                """Say nothing."""

        class Server(ThreadingHTTPServer):
            request_queue_size = 128  # 32 clients connect at the same moment

        self._server = Server(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> "StandIn":
        """Begin to serve."""
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *args: object) -> None:
        """Stop."""
        self._server.shutdown()
        self._server.server_close()


def as_stream(completion: Json) -> bytes:
    """Return a completion as server-sent events, a few characters each."""

    def events() -> Iterator[Json]:
        choice = completion["choices"][0]
        head = {"index": 0, "finish_reason": None}
        text = choice["message"]["content"] or ""
        for start in range(0, len(text), 8):
            delta = {"role": "assistant", "content": text[start : start + 8]}
            yield {"choices": [{**head, "delta": delta}]}
        last = {"index": 0, "finish_reason": choice["finish_reason"], "delta": {}}
        yield {"choices": [last]}
        yield {"choices": [], "usage": completion["usage"]}

    common = {
        "id": "stand-in",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "stand-in",
    }
    lines = [f"data: {json.dumps({**common, **event})}\n\n" for event in events()]
    return "".join([*lines, "data: [DONE]\n\n"]).encode()
