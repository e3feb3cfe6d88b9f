// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;
using System.Threading;

namespace Service;

/// <summary>What the service counts, as Prometheus reads it.</summary>
internal sealed class Metrics
{
    private static readonly double[] s_bounds =
        [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

    private readonly SortedDictionary<(string Model, int Code), long> _requests = [];
    private readonly SortedDictionary<string, Histogram> _durations = [];
    private int _inFlight;

    internal void RunStarts() => Interlocked.Increment(ref _inFlight);

    internal void RunEnds() => Interlocked.Decrement(ref _inFlight);

    internal void Count(string model, int code, double seconds)
    {
        lock (_requests)
        {
            _requests[(model, code)] = _requests.GetValueOrDefault((model, code)) + 1;
            if (!_durations.TryGetValue(model, out var histogram))
            {
                _durations.Add(model, histogram = new Histogram());
            }
            var bucket = Array.FindIndex(s_bounds, bound => seconds <= bound);
            histogram.Buckets[bucket < 0 ? s_bounds.Length : bucket]++;
            histogram.Sum += seconds;
        }
    }

    public override string ToString()
    {
        var text = new StringBuilder();
        lock (_requests)
        {
            Head(text, "ortc_requests_total", "counter", "Requests for inference.");
            foreach (var ((model, code), count) in _requests)
            {
                Line(text, "ortc_requests_total", $"{{model=\"{model}\",code=\"{code}\"}}", count);
            }
            const string Name = "ortc_request_duration_seconds";
            Head(text, Name, "histogram", "From the first byte of a request to its answer.");
            foreach (var (model, histogram) in _durations)
            {
                var sum = 0L;
                for (var i = 0; i <= s_bounds.Length; i++)
                {
                    sum += histogram.Buckets[i];
                    var bound = i < s_bounds.Length ? Number(s_bounds[i]) : "+Inf";
                    Line(text, Name + "_bucket", $"{{model=\"{model}\",le=\"{bound}\"}}", sum);
                }
                Line(text, Name + "_sum", $"{{model=\"{model}\"}}", histogram.Sum);
                Line(text, Name + "_count", $"{{model=\"{model}\"}}", sum);
            }
        }
        Head(text, "ortc_runs_in_flight", "gauge", "Runs that are under way.");
        Line(text, "ortc_runs_in_flight", "", Volatile.Read(ref _inFlight));
        return text.ToString();
    }

    private static void Head(StringBuilder text, string name, string kind, string help) =>
        text.Append($"# HELP {name} {help}\n# TYPE {name} {kind}\n");

    private static void Line(StringBuilder text, string name, string labels, double value) =>
        text.Append($"{name}{labels} {Number(value)}\n");

    private static string Number(double value) => value.ToString(CultureInfo.InvariantCulture);

    private sealed class Histogram
    {
        internal long[] Buckets { get; } = new long[s_bounds.Length + 1];

        internal double Sum { get; set; }
    }
}
