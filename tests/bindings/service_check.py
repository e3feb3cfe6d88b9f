#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks a sample service as its clients see it.

    service_check.py --models FOLDER [--seconds N] -- COMMAND...

Starts COMMAND --models FOLDER --address 127.0.0.1:0, waits for its line "listening on HOST:PORT",
asks everything that bindings/README.md promises, loads it with wrk (when that is installed) and with
clients that misbehave, and stops it with SIGTERM in the middle of requests. The models are those of
make_models.py. Exit code 0 when all holds; each broken promise is a line on stderr.
"""
import argparse
import http.client
import json
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

DIGITS = pathlib.Path(__file__).resolve().parents[2] / "demo" / "digits"
problems = []


def check(holds, what):
    if not holds:
        problems.append(what)
        print(f"service: {what}", file=sys.stderr)
    return holds


def read_npy(path):
    """(shape, elements) of a little-endian .npy file of float32 or int64."""
    data = path.read_bytes()
    size, = struct.unpack("<H", data[8:10])
    header = eval(data[10:10 + size].decode(), {"__builtins__": {}})  # a literal that numpy wrote
    kind = {"<f4": "f", "<i8": "q", "|u1": "B", "<i4": "i"}[header["descr"]]
    body = data[10 + size:]
    count = len(body) // struct.calcsize("<" + kind)
    return header["shape"], struct.unpack(f"<{count}{kind}", body)


class Service:
    """A started service, and one request to it at a time from each caller."""

    def __init__(self, command, models):
        self.process = subprocess.Popen([*command, "--models", models, "--address", "127.0.0.1:0"],
                                        stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.fullmatch(r"listening on ([\d.]+):(\d+)\s*", line)
        if not found:
            sys.exit(f"the service said {line!r}, not 'listening on HOST:PORT'")
        self.host, self.port = found.group(1), int(found.group(2))

    def connect(self):
        return http.client.HTTPConnection(self.host, self.port, timeout=20)

    def ask(self, method, path, body=None, headers=None, connection=None):
        """(status, headers, text)."""
        used = connection or self.connect()
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        used.request(method, path, body, {"Content-Type": "application/json", **(headers or {})})
        answer = used.getresponse()
        text = answer.read().decode()
        if not connection:
            used.close()
        return answer.status, answer.headers, text

    def infer(self, model, request):
        status, _, text = self.ask("POST", f"/v2/models/{model}/infer", request)
        return status, json.loads(text)


def ones(size=256):
    return {"inputs": [{"name": "x", "shape": [1, size], "datatype": "FP32", "data": [1] * size}]}


def check_health(service):
    for path, key in (("live", "live"), ("ready", "ready")):
        status, _, text = service.ask("GET", f"/v2/health/{path}")
        check(status == 200 and json.loads(text) == {key: True}, f"health/{path}: {status} {text}")
    status, headers, text = service.ask("GET", "/v2")
    about = json.loads(text)
    check(status == 200 and about["name"] == "ortc" and "version" in about and
          about["extensions"] == [], f"/v2: {status} {text}")
    check(headers["Content-Type"].startswith("application/json"), "/v2 is not application/json")


def check_models(service):
    wanted = {"name": "digits", "versions": ["1"], "platform": "onnx",
              "inputs": [{"name": "images", "datatype": "FP32", "shape": [-1, 1, 8, 8]}]}
    for path in ("/v2/models/digits", "/v2/models/digits/versions/1"):
        status, _, text = service.ask("GET", path)
        about = json.loads(text)
        check(status == 200 and wanted.items() <= about.items(), f"{path}: {status} {text}")
        check(sorted(o["name"] for o in about["outputs"]) == ["logits", "probabilities"] and
              all(o["shape"] == [-1, 10] for o in about["outputs"]), f"{path}: outputs in {text}")
    for name in ("digits", "first", "second"):
        status, _, text = service.ask("GET", f"/v2/models/{name}/ready")
        check(status == 200 and json.loads(text) == {"name": name, "ready": True},
              f"{name}/ready: {status} {text}")


def check_digits(service):
    """Reads digits that the network was not trained on, as often right as it does."""
    shape, images = read_npy(DIGITS / "test_images.npy")
    _, labels = read_npy(DIGITS / "test_labels.npy")
    count = 100
    request = {"id": "a hundred", "outputs": [{"name": "logits"}], "inputs": [
        {"name": "images", "datatype": "FP32", "shape": [count, *shape[1:]],
         "data": images[:count * 64]}]}
    status, answer = service.infer("digits", request)
    if not check(status == 200, f"digits: {status} {answer}"):
        return
    check(answer["model_name"] == "digits" and answer["model_version"] == "1" and
          answer["id"] == "a hundred", "digits: model_name, model_version or id")
    output, = answer["outputs"]
    check(output["name"] == "logits" and output["datatype"] == "FP32" and
          output["shape"] == [count, 10] and len(output["data"]) == 10 * count,
          "digits: name, type or shape of the output")
    rows = [output["data"][i * 10:i * 10 + 10] for i in range(count)]
    right = sum(row.index(max(row)) == label for row, label in zip(rows, labels))
    check(right >= 90, f"digits: {right} of {count} are right")
    nested = [[images[r * 8:r * 8 + 8] for r in range(8)]]
    flat_row, nested_row = (service.infer("digits", {"inputs": [
        {"name": "images", "datatype": "FP32", "shape": [1, 1, 8, 8], "data": data}]})
        for data in (images[:64], [nested]))
    check(flat_row == nested_row and "id" not in flat_row[1] and len(flat_row[1]["outputs"]) == 2,
          "digits: nested data differ from flat ones")


def check_pair(service):
    sums = []
    for name in ("first", "second"):
        status, answer = service.infer(name, ones())
        if check(status == 200, f"{name}: {status} {answer}"):
            check(answer["outputs"][0]["shape"] == [1, 4], f"{name}: {answer['outputs'][0]}")
            sums.append(sum(answer["outputs"][0]["data"]))
    check(len(set(sums)) == 2, f"first and second of the pair give {sums}")


def tensor(data, shape=(1, 2), datatype="FP32", **more):
    return {"inputs": [{"name": "x", "shape": shape, "datatype": datatype, "data": data}], **more}


def nest(data, times):
    for _ in range(times):
        data = [data]
    return data


def check_forms(service):
    """What a request may say in several ways, and what it may not."""
    both = [1.0, 2.0]
    for request in (tensor([1, 2]), tensor([[1, 2]]), tensor([[1, 2]], [2, 1]), tensor([[1], [2]]),
                    tensor([1, [2]]), tensor(nest([1, 2], 40)), tensor([1, 2], outputs=[]),
                    tensor([1, 2], outputs=None), tensor([1, 2], outputs=[{"name": "y"}]),
                    tensor([1, 2], id="me"), tensor([1, 2], id=None), tensor([1, 2], more={})):
        status, answer = service.infer("numbers", request)
        output, = answer.get("outputs", [{}])
        check(status == 200 and output.get("data") == both and
              output.get("shape") == list(request["inputs"][0]["shape"]) and
              answer.get("id") == request.get("id") and ("id" in answer) == bool(request.get("id")),
              f"{str(request)[:200]}: {status} {answer}")
    huge = json.dumps(tensor([1, 2])).replace("[1, 2]}", "[1, 1e%d]}")
    for request in (tensor([1, 2], id=5), tensor([1, 2], id=True), tensor([1, 2], outputs={}),
                    tensor([1, 2], outputs=""), tensor([[1, 2], [3]]), tensor([[]]), tensor(1, []),
                    tensor(nest([1, 2], 70)), tensor([1, True]), tensor([1, None]),
                    tensor([1, 2], outputs=[{}]), huge % 39, huge % 400):
        status, _, text = service.ask("POST", "/v2/models/numbers/infer", request)
        check(status == 400 and isinstance(json.loads(text).get("error"), str),
              f"{str(request)[:200]}: {status} {text[:200]}")
    for data, expected in (([True, False], 200), ([1, 0], 400), ([True, 0], 400),
                           (["true", "false"], 400)):
        status, answer = service.infer("flags", tensor(data, datatype="BOOL"))
        check(status == expected and (status != 200 or answer["outputs"][0]["data"] == data),
              f"BOOL {data}: {status} {answer}")


def check_parts(service):
    """An output that the protocol has no type for is refused, and the others are there."""
    for outputs, expected in (([], 400), ([{"name": "list"}], 400), ([{"name": "y"}], 200)):
        status, answer = service.infer("parts", tensor([1, 2], [2], outputs=outputs))
        check(status == expected and (status == 200 or "list" in answer["error"]),
              f"a sequence, outputs {outputs}: {status} {answer}")
    _, _, text = service.ask("GET", "/v2/models/parts")
    found = {output["name"]: output["datatype"] for output in json.loads(text)["outputs"]}
    check(found == {"y": "FP32", "list": "UNKNOWN"}, f"types of outputs: {found}")
    for path, expected in (("/v2/models/p%61rts", 200), ("/v2/models/p%61rts/re%61dy", 200),
                           ("/v2%2Fmodels/parts", 404), ("/v2/models/parts%2Fready", 404)):
        status, _, text = service.ask("GET", path)
        check(status == expected, f"{path}: {status} {text}")


def check_errors(service):
    good = ones()
    wrong = ones()
    wrong["inputs"][0]["name"] = "z"
    short = ones()
    short["inputs"][0]["data"] = [1, 2]
    kind = ones()
    kind["inputs"][0]["datatype"] = "INT64"
    words = ones()
    words["inputs"][0]["data"] = ["a"] * 256
    huge = ones()
    huge["inputs"][0]["shape"] = [2**62, 2**62]
    negative = ones()
    negative["inputs"][0]["shape"] = [-1, -256]
    infer = "/v2/models/first/infer"
    rows = [("POST", infer, "{", 400), ("POST", infer, "", 400), ("POST", infer, "[]", 400),
            ("POST", infer, {}, 400), ("POST", infer, {"inputs": 3}, 400),
            ("POST", infer, "[" * 100000, 400),
            ("POST", infer, wrong, 400), ("POST", infer, short, 400), ("POST", infer, kind, 400),
            ("POST", infer, words, 400), ("POST", infer, huge, 400), ("POST", infer, negative, 400),
            ("POST", infer, {**good, "outputs": [{"name": "nothing"}]}, 400),
            ("POST", infer, {"inputs": good["inputs"] * 2}, 400),
            ("POST", infer, {"inputs": []}, 400), ("POST", infer, b"\xff\xfe{}", 400),
            ("POST", "/v2/models/absent/infer", good, 404), ("GET", "/v2/models/absent", None, 404),
            ("GET", "/v2/models/digits/versions/2", None, 404), ("GET", "/nothing", None, 404),
            ("GET", "/v2/models/..%2f..%2fetc", None, 404), ("GET", infer, None, 405),
            ("DELETE", "/v2/models/first", None, 405), ("POST", "/v2/health/live", "", 405)]
    for method, path, body, expected in rows:
        status, headers, text = service.ask(method, path, body)
        what = f"{method} {path} {str(body)[:60]}"
        if not check(status == expected, f"{what}: {status}, not {expected}: {text[:200]}"):
            continue
        try:
            said = json.loads(text)["error"]
        except (ValueError, KeyError, TypeError):
            said = None
        check(isinstance(said, str) and said, f"{what}: the error is {text[:200]!r}")
        check(expected != 405 or headers["Allow"], f"{what}: 405 without Allow")
    status, answer = service.infer("first", wrong)
    check("z" in answer.get("error", ""), f"the error does not name the input: {answer}")


def check_limits(service):
    """A body that is too long is refused when its length is read, not when memory is gone."""
    for header, what in ((f"Content-Length: {65 << 20}", "a body over 64 MiB"),
                         ("Content-Length: -5", "a negative length"),
                         ("Content-Length: 99999999999999999999", "a length beyond 64 bits")):
        with socket.create_connection((service.host, service.port), 20) as client:
            client.sendall(f"POST /v2/models/first/infer HTTP/1.1\r\nHost: x\r\n{header}\r\n\r\n"
                           .encode())
            client.settimeout(20)
            try:
                first = client.recv(100).decode(errors="replace")
            except OSError as error:
                first = str(error)
        check(re.match(r"HTTP/1.1 (413|400) ", first), f"{what}: {first[:60]!r}")


def check_connections(service):
    connection = service.connect()
    for _ in range(3):
        status, _, _ = service.ask("GET", "/v2/health/live", connection=connection)
        check(status == 200 and connection.sock, "the connection does not stay open")
    connection.close()
    silent = [socket.create_connection((service.host, service.port)) for _ in range(50)]
    for client in silent[:25]:
        client.sendall(b"POST /v2/models/first/infer HTTP/1.1\r\nContent-Le")
    started = time.monotonic()
    status, _ = service.infer("first", ones())
    took = time.monotonic() - started
    check(status == 200 and took < 5, f"50 silent clients: {status} after {took:.1f} s")
    for client in silent:
        client.close()
    for _ in range(20):  # clients that go away in the middle
        with socket.create_connection((service.host, service.port)) as client:
            body = json.dumps(ones())
            client.sendall(f"POST /v2/models/first/infer HTTP/1.1\r\nHost: x\r\nContent-Length: "
                           f"{len(body)}\r\n\r\n{body}".encode())
    check(service.infer("first", ones())[0] == 200, "clients that went away broke it")


def check_many_at_once(service):
    expected = {name: service.infer(name, ones())[1]["outputs"] for name in ("first", "second")}
    wrong = []

    def client(name):
        connection = service.connect()
        for _ in range(50):
            status, _, text = service.ask("POST", f"/v2/models/{name}/infer", ones(),
                                          connection=connection)
            if status != 200 or json.loads(text)["outputs"] != expected[name]:
                wrong.append(f"{status} {text[:100]}")
        connection.close()

    threads = [threading.Thread(target=client, args=(name,)) for name in expected for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check(not wrong, f"16 clients at once: {len(wrong)} of 800 answers are wrong: {wrong[:1]}")


def load(service, seconds):
    """Requests a second and percentiles by wrk."""
    if not shutil.which("wrk"):
        print("service: no load by wrk, which is not installed (apt-get install wrk)")
        return
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(f'wrk.method = "POST"\nwrk.body = [[{json.dumps(ones())}]]\n'
                     'wrk.headers["Content-Type"] = "application/json"\n')
        script.flush()
        result = subprocess.run(
            ["wrk", "-t1", "-c8", f"-d{seconds}s", "--latency", "-s", script.name,
             f"http://{service.host}:{service.port}/v2/models/first/infer"],
            capture_output=True, text=True, check=True).stdout
    found = {key: re.search(pattern, result) for key, pattern in (
        ("p50", r"50%\s+(\S+)"), ("p99", r"99%\s+(\S+)"), ("rate", r"Requests/sec:\s+(\S+)"))}
    check(all(found.values()), f"wrk: {result}")
    failed = re.search(r"Non-2xx.*|Socket errors.*", result)
    check(not failed, f"under load: {failed and failed.group()}")
    print("service: {rate} requests/s, p50 {p50}, p99 {p99}".format(
        **{key: match and match.group(1) for key, match in found.items()}))


def metric(text, name, labels=""):
    found = re.search(rf"^{name}{re.escape(labels)} (\S+)$", text, re.M)
    return float(found.group(1)) if found else None


def check_metrics(service):
    def read():
        status, headers, text = service.ask("GET", "/metrics")
        check(status == 200 and headers["Content-Type"].startswith("text/plain"), "metrics")
        return text

    good, bad = '{model="second",code="200"}', '{model="second",code="400"}'
    before = read()
    for _ in range(3):
        service.infer("second", ones())
    service.infer("second", {})
    after = read()
    for labels, more in ((good, 3), (bad, 1)):
        counts = [metric(text, "ortc_requests_total", labels) or 0 for text in (before, after)]
        check(counts[1] - counts[0] == more, f"ortc_requests_total{labels}: {counts}, {more} sent")
    for name, kind in (("ortc_requests_total", "counter"), ("ortc_runs_in_flight", "gauge"),
                       ("ortc_request_duration_seconds", "histogram")):
        check(f"# TYPE {name} {kind}" in after and f"# HELP {name} " in after, f"TYPE of {name}")
    check(metric(after, "ortc_runs_in_flight") == 0, "ortc_runs_in_flight is not 0 at rest")
    buckets = [float(value) for value in re.findall(
        r'^ortc_request_duration_seconds_bucket\{model="second",le="[^"]+"\} (\S+)$', after, re.M)]
    count = metric(after, "ortc_request_duration_seconds_count", '{model="second"}')
    check(len(buckets) == 13 and buckets == sorted(buckets) and buckets[-1] == count,
          f"the buckets of ortc_request_duration_seconds: {buckets}, count {count}")


def check_stop(service):
    """Requests that are under way at SIGTERM are answered; then the process ends with 0."""
    answers = []
    _, images = read_npy(DIGITS / "test_images.npy")
    body = {"inputs": [{"name": "images", "datatype": "FP32", "shape": [445, 1, 8, 8],
                        "data": images}]}

    def client():
        try:
            answers.append(service.infer("digits", body)[0])
        except (OSError, http.client.HTTPException) as error:
            answers.append(repr(error))

    threads = [threading.Thread(target=client) for _ in range(4)]
    for thread in threads:
        thread.start()
    time.sleep(0.1)
    service.process.send_signal(signal.SIGTERM)
    for thread in threads:
        thread.join()
    try:
        code = service.process.wait(8)
    except subprocess.TimeoutExpired:
        service.process.kill()
        code = "none within 8 s"
    check(code == 0, f"after SIGTERM the exit code is {code}")
    check(answers.count(200) >= 1 and all(answer in (200, 503) or isinstance(answer, str)
                                          for answer in answers), f"at SIGTERM: {answers}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--models", required=True)
    parser.add_argument("--seconds", type=int, default=2, help="of load")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    command = [word for word in arguments.command if word != "--"]
    service = Service(command, arguments.models)
    try:
        for step in (check_health, check_models, check_digits, check_pair, check_forms,
                     check_parts, check_errors, check_limits, check_connections,
                     check_many_at_once, check_metrics):
            step(service)
        load(service, arguments.seconds)
        check_stop(service)
    finally:
        if service.process.poll() is None:
            service.process.kill()
    print(f"service: {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
