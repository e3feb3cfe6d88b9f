# SPDX-License-Identifier: MIT
"""Counts of requests, as Prometheus reads them."""

import collections
import threading

BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)


class Metrics:
    """Threads may share one."""

    def __init__(self):
        self._lock = threading.Lock()
        self._requests = collections.Counter()
        self._buckets = collections.defaultdict(lambda: [0] * (len(BOUNDS) + 1))
        self._seconds = collections.Counter()
        self._runs = 0

    def run(self, change):
        """A run begins (1) or ends (-1)."""
        with self._lock:
            self._runs += change

    def request(self, model, code, seconds):
        """A request was answered."""
        with self._lock:
            self._requests[model, code] += 1
            self._seconds[model] += seconds
            index = sum(seconds > bound for bound in BOUNDS)
            self._buckets[model][index] += 1

    def text(self):
        """Prometheus' text format, version 0.0.4."""
        with self._lock:
            lines = ["# HELP ortc_requests_total Requests for inference, by model and answer.",
                     "# TYPE ortc_requests_total counter"]
            lines += [f'ortc_requests_total{{model="{model}",code="{code}"}} {count}'
                      for (model, code), count in sorted(self._requests.items())]
            name = "ortc_request_duration_seconds"
            lines += [f"# HELP {name} Time from a request for inference to its answer.",
                      f"# TYPE {name} histogram"]
            for model, counts in sorted(self._buckets.items()):
                total = 0
                for bound, count in zip((*BOUNDS, "+Inf"), counts):
                    total += count
                    lines.append(f'{name}_bucket{{model="{model}",le="{bound}"}} {total}')
                lines.append(f'{name}_sum{{model="{model}"}} {self._seconds[model]:.9f}')
                lines.append(f'{name}_count{{model="{model}"}} {total}')
            lines += ["# HELP ortc_runs_in_flight Runs under way.",
                      "# TYPE ortc_runs_in_flight gauge", f"ortc_runs_in_flight {self._runs}"]
        return "\n".join(lines) + "\n"
