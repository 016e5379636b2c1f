"""Serve the built site on this machine only: python book/_tools/serve.py [folder] [--port n]."""
from __future__ import annotations

import argparse
import gzip
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path

SITE = Path(__file__).resolve().parents[2] / "_build" / "html"
COMPRESSED = (".html", ".css", ".js", ".json", ".svg", ".txt")


class Handler(SimpleHTTPRequestHandler):
    """Files, compressed as a public host sends them, and no line of log per request."""

    protocol_version = "HTTP/1.1"

    def send_head(self):
        path = Path(self.translate_path(self.path))
        if path.is_dir():
            path = path / "index.html"
        if path.suffix not in COMPRESSED or not path.is_file() or "gzip" not in self.headers.get("Accept-Encoding", ""):
            return super().send_head()
        stamp = path.stat()
        tag = f'"{stamp.st_mtime_ns:x}-{stamp.st_size:x}"'
        if self.headers.get("If-None-Match") == tag:
            self.send_response(304)
            self.send_header("ETag", tag)
            self.end_headers()
            return None
        body = gzip.compress(path.read_bytes(), mtime=0)
        self.send_response(200)
        self.send_header("ETag", tag)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-cache")
        self.end_headers()
        return BytesIO(body)

    def log_message(self, format, *args):
        pass


def server(folder: Path = SITE, port: int = 0) -> ThreadingHTTPServer:
    """A server bound to 127.0.0.1; port 0 takes any free one. The caller runs `serve_forever`."""
    return ThreadingHTTPServer(("127.0.0.1", port), partial(Handler, directory=str(folder)))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=SITE)
    parser.add_argument("--port", type=int, default=0, help="default: any free one")
    options = parser.parse_args(arguments)
    if not (options.folder / "index.html").is_file():
        print(f"{options.folder} holds no built site; run: make html", file=sys.stderr)
        return 1
    with server(options.folder, options.port) as running:
        print(f"\nThe book is open at  http://127.0.0.1:{running.server_port}/  (Ctrl-C ends it)\n", flush=True)
        try:
            running.serve_forever()
        except KeyboardInterrupt:
            print("closed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
