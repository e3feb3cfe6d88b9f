#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Serves the models of a folder by the Open Inference Protocol over HTTP.

    service.py --models FOLDER --address 127.0.0.1:0
"""

import argparse
import http.server
import json
import pathlib
import select
import signal
import sys
import threading
import time
import urllib.parse

import ortc
import protocol
from metrics import Metrics

BODY_MOST = 64 << 20
SECONDS_IDLE = 30  # of a connection between two requests, and of one read
SECONDS_BODY = 60  # for all of a body
SECONDS_DRAIN = 5  # for what is under way when the service is told to stop
CONNECTIONS_MOST = 256


class Refused(Exception):
    """An answer that is an error."""

    def __init__(self, code, text, **headers):
        super().__init__(text)
        self.code, self.headers = code, headers


class Watch:
    """Stops runs whose clients have gone: one thread waits for the other ends of connections."""

    def __init__(self):
        self._epoll = select.epoll()
        self._tokens = {}
        threading.Thread(target=self._wait, daemon=True).start()

    def begin(self, connection, token):
        self._tokens[connection.fileno()] = token
        self._epoll.register(connection, select.EPOLLRDHUP | select.EPOLLONESHOT)

    def end(self, connection):
        self._epoll.unregister(connection)
        self._tokens.pop(connection.fileno(), None)

    def stop_all(self):
        for token in list(self._tokens.values()):
            token.cancel()

    def _wait(self):
        while True:
            for number, _ in self._epoll.poll():
                token = self._tokens.get(number)
                if token is not None:
                    token.cancel()


class Service(http.server.ThreadingHTTPServer):
    """The models, and a thread for each connection."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address, folder):
        self.metrics, self.watch = Metrics(), Watch()
        options = ortc.SessionOptions()
        options.intra_op_num_threads = 1  # requests run beside each other
        self.sessions = {path.stem[:-4] if path.stem.endswith("_ctx") else path.stem:
                         ortc.Session(path, options, providers=["AOT"])
                         for path in sorted(pathlib.Path(folder).glob("*.onnx"))}
        self.ready = True
        self._room = threading.Semaphore(CONNECTIONS_MOST)
        self._under_way = 0
        self._changed = threading.Condition()
        super().__init__(address, Handler)

    def process_request(self, request, client_address):
        """There is room for so many connections, and no more."""
        if self._room.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request, client_address):
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.release()

    def handle_error(self, request, client_address):
        """Clients that go away are no news."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)

    def count(self, change):
        with self._changed:
            self._under_way += change
            self._changed.notify_all()

    def drain(self):
        """Takes no more connections, and waits for what is under way."""
        self.ready = False
        self.shutdown()
        self.server_close()
        with self._changed:
            if not self._changed.wait_for(lambda: not self._under_way, SECONDS_DRAIN):
                self.watch.stop_all()
                self._changed.wait_for(lambda: not self._under_way, 1)

    def infer(self, name, request, connection):
        """Runs a model, as long as its client is there."""
        session = self.sessions[name]
        feed, names, identifier = protocol.read_request(request)
        token = ortc.CancelToken()
        self.metrics.run(1)
        self.watch.begin(connection, token)
        try:
            outputs = session.run(feed, names, cancel=token)
        finally:
            self.watch.end(connection)
            self.metrics.run(-1)
        return protocol.write_answer(name, outputs, identifier)


class Handler(http.server.BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server_version = "ortc/" + ortc.get_version_string()
    timeout = SECONDS_IDLE
    wbufsize = -1  # head and body leave together
    disable_nagle_algorithm = True

    def do_GET(self):
        self.server.count(1)
        try:
            self.answer_all()
        finally:
            self.wfile.flush()
            self.server.count(-1)

    do_POST = do_PUT = do_DELETE = do_PATCH = do_HEAD = do_GET

    def answer_all(self):
        """Answers, with an error where one came up."""
        try:
            body = self.body()
            self.send(200, *self.route(self.parts(), body))
        except Refused as refused:
            self.refuse(refused.code, str(refused), refused.headers)
        except (protocol.BadRequest, ortc.InvalidArgument) as error:
            self.refuse(400, str(error))
        except ortc.Cancelled:
            self.close_connection = True  # nobody listens any more
        except OSError:
            self.close_connection = True
            raise
        except Exception as error:  # pylint: disable=broad-except
            self.refuse(500, f"{type(error).__name__}: {error}")

    def body(self):
        if self.command not in ("POST", "PUT", "PATCH") and "Content-Length" not in self.headers:
            return b""
        text = self.headers.get("Content-Length")
        self.close_connection, keep = True, self.close_connection
        if text is None:
            raise Refused(411, "a body needs a Content-Length")
        if not (text.isascii() and text.isdigit()):
            raise Refused(400, f"Content-Length is {text!r}")
        if len(text) > 10 or int(text) > BODY_MOST:
            raise Refused(413, f"a body has at most {BODY_MOST} bytes")
        pieces, left, deadline = [], int(text), time.monotonic() + SECONDS_BODY
        while left:
            piece = self.rfile.read1(min(left, 1 << 20))
            if not piece or time.monotonic() > deadline:
                raise TimeoutError("the body did not come")
            pieces.append(piece)
            left -= len(piece)
        self.close_connection = keep
        return b"".join(pieces)

    def parts(self):
        """The path, of which each part is decoded after the slashes have parted them."""
        try:
            return [urllib.parse.unquote(part, errors="strict")
                    for part in self.path.split("?")[0].strip("/").split("/")]
        except UnicodeDecodeError:
            raise Refused(404, "the path is not UTF-8") from None

    def route(self, parts, body):
        """(content type, body) of an answer."""
        if parts[0] == "metrics" and len(parts) == 1:
            self.only("GET")
            return "text/plain; version=0.0.4", self.server.metrics.text().encode()
        return "application/json", json.dumps(self.route_json(parts, body)).encode()

    def route_json(self, parts, body):
        if parts == ["v2"]:
            self.only("GET")
            return {"name": "ortc", "version": ortc.get_version_string(), "extensions": []}
        if parts[:2] == ["v2", "health"] and parts[2:] in (["live"], ["ready"]):
            self.only("GET")
            if parts[2] == "ready" and not self.server.ready:
                raise Refused(503, "the service is stopping")
            return {parts[2]: True}
        if parts[:2] == ["v2", "models"] and len(parts) > 2:
            name, rest = parts[2], parts[3:]
            if rest[:1] == ["versions"] and rest[1:2] == ["1"]:
                rest = rest[2:]
            if name not in self.server.sessions:
                raise Refused(404, f"there is no model '{name}'")
            if rest in ([], ["ready"]):
                self.only("GET")
                return {"name": name, "ready": True} if rest else protocol.describe(
                    name, self.server.sessions[name])
            if rest == ["infer"]:
                self.only("POST")
                return self.infer(name, body)
        raise Refused(404, f"there is nothing at {self.path}")

    def infer(self, name, body):
        begin, code = time.monotonic(), 500
        try:
            if not self.server.ready:
                code = 503
                raise Refused(503, "the service is stopping")
            code = 400
            request = read_json(body)
            answer = self.server.infer(name, request, self.connection)
            code = 200
            return answer
        except (protocol.BadRequest, ortc.InvalidArgument, Refused):
            raise
        except Exception:
            code = 500
            raise
        finally:
            self.server.metrics.request(name, code, time.monotonic() - begin)

    def only(self, method):
        if self.command != method:
            raise Refused(405, f"{self.path} takes {method}", Allow=method)

    def refuse(self, code, text, headers=None):
        self.send(code, "application/json", json.dumps({"error": text}).encode(), headers)

    def send(self, code, kind, body, headers=None):
        self.send_response(code)
        if not self.server.ready:
            self.close_connection = True
        for name, value in {"Content-Type": kind, "Content-Length": len(body),
                            **(headers or {})}.items():
            self.send_header(name, str(value))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_):
        """Metrics tell what happens."""


def read_json(body):
    def refuse(word):
        raise protocol.BadRequest(f"JSON has no {word}")

    try:
        return json.loads(body, parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise protocol.BadRequest(f"the body is not JSON: {error}") from None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--models", required=True)
    parser.add_argument("--address", default="127.0.0.1:8000")
    arguments = parser.parse_args()
    host, _, port = arguments.address.rpartition(":")
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    service = Service((host, int(port)), arguments.models)
    threading.Thread(target=service.serve_forever, args=(0.1,), daemon=True).start()
    print(f"listening on {host}:{service.server_address[1]}", flush=True)
    stop.wait()
    service.drain()


if __name__ == "__main__":
    main()
