// SPDX-License-Identifier: MIT

package main

import (
	"fmt"
	"io"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// bounds of the histogram, in seconds.
var bounds = []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5}

// metrics count what the service does, for Prometheus.
type metrics struct {
	running atomic.Int64
	mutex   sync.Mutex
	models  map[string]*figures
}

// figures are those of one model.
type figures struct {
	codes   map[int]uint64
	buckets []uint64 // one more than bounds
	seconds float64
	count   uint64
}

func (m *metrics) add(model string) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.models == nil {
		m.models = map[string]*figures{}
	}
	m.models[model] = &figures{codes: map[int]uint64{}, buckets: make([]uint64, len(bounds)+1)}
}

func (m *metrics) observe(model string, code int, took time.Duration) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	f := m.models[model]
	f.codes[code]++
	f.buckets[sort.SearchFloat64s(bounds, took.Seconds())]++
	f.seconds += took.Seconds()
	f.count++
}

// write gives everything in Prometheus' text format, version 0.0.4.
func (m *metrics) write(w io.Writer) error {
	var text strings.Builder
	m.mutex.Lock()
	names := make([]string, 0, len(m.models))
	for name := range m.models {
		names = append(names, name)
	}
	sort.Strings(names)
	head(&text, "ortc_requests_total", "counter", "Inferences that were answered.")
	for _, name := range names {
		m.models[name].writeCodes(&text, name)
	}
	head(&text, "ortc_request_duration_seconds", "histogram", "How long inferences took.")
	for _, name := range names {
		m.models[name].writeHistogram(&text, name)
	}
	m.mutex.Unlock()
	head(&text, "ortc_runs_in_flight", "gauge", "Runs that are under way.")
	fmt.Fprintf(&text, "ortc_runs_in_flight %d\n", m.running.Load())
	_, err := io.WriteString(w, text.String())
	return err
}

func head(text *strings.Builder, name, kind, help string) {
	fmt.Fprintf(text, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

func (f *figures) writeCodes(text *strings.Builder, model string) {
	codes := make([]int, 0, len(f.codes))
	for code := range f.codes {
		codes = append(codes, code)
	}
	sort.Ints(codes)
	for _, code := range codes {
		fmt.Fprintf(text, "ortc_requests_total{model=%s,code=\"%d\"} %d\n", label(model), code,
			f.codes[code])
	}
}

func (f *figures) writeHistogram(text *strings.Builder, model string) {
	const name = "ortc_request_duration_seconds"
	sum := uint64(0)
	for i, count := range f.buckets {
		sum += count
		bound := "+Inf"
		if i < len(bounds) {
			bound = strconv.FormatFloat(bounds[i], 'g', -1, 64)
		}
		fmt.Fprintf(text, "%s_bucket{model=%s,le=\"%s\"} %d\n", name, label(model), bound, sum)
	}
	fmt.Fprintf(text, "%s_sum{model=%s} %g\n", name, label(model), f.seconds)
	fmt.Fprintf(text, "%s_count{model=%s} %d\n", name, label(model), f.count)
}

// label puts a text into quotes as the format wants it.
func label(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`).Replace(text) + `"`
}
