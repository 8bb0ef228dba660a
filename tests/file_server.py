"""A file server on loopback that drops connections, lies about sizes, changes files."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import unquote, urlsplit


@dataclass
class Faults:
    """What goes wrong, and what was asked for."""

    cuts: list[int] = field(default_factory=list)
    """Bytes after which the connection is cut, one an answer; then none is cut."""
    claim: int = 0
    """Added to the length that the server states."""
    ranges: bool = True
    """Whether ranges are honoured."""
    tags: list[str] = field(default_factory=lambda: ['"one"'])
    """Mark of the version; one an answer, the last one stays."""
    range_shift: int = 0
    """Added to the range that is sent back."""
    asked: list[str] = field(default_factory=list)
    """Range of each GET, "" without."""


class Server:
    """Address and files of a running server."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.files: dict[str, bytes] = {}
        self.faults = Faults()
        self.repository: dict[str, dict[str, str]] = {}
        """Repositories in the manner of Hugging Face: file name to its mark."""


def _handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args: object) -> None:
            """Say nothing."""

        def do_HEAD(self) -> None:
            self._answer(body=False)

        def do_GET(self) -> None:
            if urlsplit(self.path).path.startswith("/api/datasets/"):
                self._listing()
            else:
                self._answer(body=True)

        def _listing(self) -> None:
            path = urlsplit(self.path).path
            for name, marks in server.repository.items():
                if path.startswith(f"/api/datasets/{name}"):
                    rows = [{"rfilename": each} for each in marks]
                    facts = {"id": name, "sha": "c" * 40, "siblings": rows}
                    if "/tree/" in path:
                        facts = [  # type: ignore[assignment]
                            {
                                "type": "file",
                                "path": each,
                                "oid": mark[:40],
                                "size": len(server.files[f"/{each}"]),
                            }
                            for each, mark in marks.items()
                        ]
                    data = json.dumps(facts).encode()
                    self.send_response(200)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
                    return
            self.send_error(404)

        def _answer(self, *, body: bool) -> None:
            faults = server.faults
            path = unquote(urlsplit(self.path).path)
            marks: dict[str, str] = {}
            for name, known in server.repository.items():
                head = f"/datasets/{name}/resolve/"
                if path.startswith(head):
                    marks = known
                    path = "/" + path.removeprefix(head).partition("/")[2]
            data = server.files.get(path)
            if data is None:
                self.send_error(404)
                return
            tag = faults.tags[0]
            if body and len(faults.tags) > 1:
                faults.tags.pop(0)
            wanted = self.headers.get("Range", "")
            if body:
                faults.asked.append(wanted)
            start = 0
            mark = self.headers.get("If-Range")
            if wanted and faults.ranges and mark in (None, tag):
                start = int(wanted.removeprefix("bytes=").partition("-")[0])
                if start >= len(data):
                    self.send_response(416)
                    total = len(data) + faults.claim
                    self.send_header("Content-Range", f"bytes */{total}")
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                self.send_response(206)
                first = start + faults.range_shift
                total = len(data) + faults.claim
                self.send_header("Content-Range", f"bytes {first}-{total - 1}/{total}")
            else:
                self.send_response(200)
            if marks:
                name = path.removeprefix("/")
                self.send_header("X-Repo-Commit", "c" * 40)
                self.send_header("X-Linked-Etag", f'"{marks[name]}"')
                self.send_header("X-Linked-Size", str(len(data)))
            self.send_header("ETag", tag)
            rest = data[start:]
            self.send_header("Content-Length", str(len(rest) + faults.claim))
            self.end_headers()
            if not body:
                return
            if faults.claim < 0:
                rest = rest[: faults.claim]
            if faults.cuts:
                self.wfile.write(rest[: faults.cuts.pop(0)])
                self.close_connection = True
                return
            self.wfile.write(rest)
            if faults.claim > 0:
                self.close_connection = True

    return Handler


@contextmanager
def file_server() -> Iterator[Server]:
    """Run a server on a free port of loopback."""
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    server = Server(httpd.server_address[1])
    httpd.RequestHandlerClass = _handler(server)
    thread = Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        httpd.shutdown()
        thread.join()
        httpd.server_close()
