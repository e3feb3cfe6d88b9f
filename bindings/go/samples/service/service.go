// SPDX-License-Identifier: MIT

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	ortc "github.com/ortc/ortc/bindings/go"
)

// bodyMost is the most that a request may have, in bytes.
const bodyMost = 64 << 20

// service answers requests; its models do not change once it is ready.
type service struct {
	models  map[string]*ortc.Session
	metrics metrics
	ready   atomic.Bool
}

func newService() *service { return &service{models: map[string]*ortc.Session{}} }

// load makes a session of each model of a folder.
func (s *service) load(ctx context.Context, folder string) error {
	paths, err := filepath.Glob(filepath.Join(folder, "*.onnx"))
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return fmt.Errorf("there are no models in %s", folder)
	}
	env, err := ortc.NewEnv("service")
	if err != nil {
		return err
	}
	defer env.Close()
	options, err := ortc.NewSessionOptions()
	if err != nil {
		return err
	}
	defer options.Close()
	if err := options.AddProvider("AOT", nil); err != nil {
		return err
	}
	for _, path := range paths {
		name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".onnx"), "_ctx")
		session, err := ortc.NewSession(ctx, env, path, options)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		s.models[name] = session
		s.metrics.add(name)
	}
	return nil
}

// failure is an answer that is not 200.
type failure struct {
	status int
	text   string
}

func (f *failure) Error() string { return f.text }

func fail(status int, format string, arguments ...any) error {
	return &failure{status, fmt.Sprintf(format, arguments...)}
}

// ServeHTTP answers one request.
func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	parts := strings.Split(strings.Trim(r.URL.EscapedPath(), "/"), "/")
	for i, part := range parts { // decoded after the slashes have parted them
		if decoded, err := url.PathUnescape(part); err == nil {
			parts[i] = decoded
		}
	}
	if r.URL.Path == "/metrics" {
		if err := allow(w, r, http.MethodGet); err != nil {
			refuse(w, err)
			return
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		_ = s.metrics.write(w)
		return
	}
	answer, model, err := s.answer(w, r, parts)
	status := http.StatusOK
	if err != nil {
		status = refuse(w, err)
	} else {
		write(w, status, answer)
	}
	if model != "" {
		s.metrics.observe(model, status, time.Since(start))
	}
}

// answer finds who has to answer, and names the model of an inference.
func (s *service) answer(w http.ResponseWriter, r *http.Request, parts []string) (answer any,
	model string, err error) {
	if parts[0] != "v2" {
		return nil, "", fail(http.StatusNotFound, "there is nothing at %s", r.URL.Path)
	}
	switch rest := parts[1:]; {
	case len(rest) == 0:
		err = allow(w, r, http.MethodGet)
		return map[string]any{"name": "ortc", "version": ortc.LibraryVersion(),
			"extensions": []string{}}, "", err
	case len(rest) == 2 && rest[0] == "health" && (rest[1] == "live" || rest[1] == "ready"):
		if err := allow(w, r, http.MethodGet); err != nil {
			return nil, "", err
		}
		if rest[1] == "ready" && !s.ready.Load() {
			return nil, "", fail(http.StatusServiceUnavailable, "not ready")
		}
		return map[string]bool{rest[1]: true}, "", nil
	case len(rest) >= 2 && rest[0] == "models":
		return s.modelAnswer(w, r, rest[1], rest[2:])
	}
	return nil, "", fail(http.StatusNotFound, "there is nothing at %s", r.URL.Path)
}

func (s *service) modelAnswer(w http.ResponseWriter, r *http.Request, name string,
	rest []string) (answer any, model string, err error) {
	if !s.ready.Load() {
		return nil, "", fail(http.StatusServiceUnavailable, "not ready")
	}
	session, isThere := s.models[name]
	if len(rest) >= 2 && rest[0] == "versions" {
		isThere = isThere && rest[1] == "1"
		rest = rest[2:]
	}
	switch {
	case !isThere:
		return nil, "", fail(http.StatusNotFound, "there is no model %q with that version", name)
	case len(rest) == 0:
		err = allow(w, r, http.MethodGet)
		return describe(name, session), "", err
	case len(rest) == 1 && rest[0] == "ready":
		err = allow(w, r, http.MethodGet)
		return map[string]any{"name": name, "ready": true}, "", err
	case len(rest) == 1 && rest[0] == "infer":
		if err := allow(w, r, http.MethodPost); err != nil {
			return nil, "", err
		}
		answer, err = s.infer(w, r, name, session)
		return answer, name, err
	}
	return nil, "", fail(http.StatusNotFound, "there is nothing at %s", r.URL.Path)
}

// allow wants a method.
func allow(w http.ResponseWriter, r *http.Request, method string) error {
	if r.Method == method {
		return nil
	}
	w.Header().Set("Allow", method)
	return fail(http.StatusMethodNotAllowed, "%s is not for %s", r.URL.Path, r.Method)
}

// readBody reads a request whose length is said and not too large.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.ContentLength < 0 {
		return nil, fail(http.StatusLengthRequired, "the length of the request must be said")
	}
	if r.ContentLength > bodyMost {
		w.Header().Set("Connection", "close") // the rest is not read
		return nil, fail(http.StatusRequestEntityTooLarge, "the request has more than %d bytes",
			bodyMost)
	}
	body := make([]byte, r.ContentLength)
	if _, err := io.ReadFull(r.Body, body); err != nil {
		return nil, fail(http.StatusBadRequest, "the request ends too early: %v", err)
	}
	return body, nil
}

// refuse answers an error, and gives the status it chose.
func refuse(w http.ResponseWriter, err error) int {
	status := http.StatusInternalServerError
	var known *failure
	switch {
	case errors.As(err, &known):
		status = known.status
	case errors.Is(err, context.Canceled):
		status = http.StatusServiceUnavailable // the client is gone, or the service is going
	case errors.Is(err, ortc.ErrInvalidArgument):
		status = http.StatusBadRequest
	default:
		log.Print("service: ", err)
	}
	write(w, status, map[string]string{"error": err.Error()})
	return status
}

func write(w http.ResponseWriter, status int, answer any) {
	text, err := json.Marshal(answer)
	if err != nil {
		status, text = http.StatusInternalServerError, []byte(`{"error": "the answer is not JSON"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // a client that is gone hears nothing
}
