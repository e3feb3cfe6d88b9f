// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import (
	"fmt"
	"unsafe"
)

// Env is the first object of a program: it has the logger, the execution providers with their
// devices, and what sessions share. Several are possible; most programs need one. What was made
// from it keeps what it needs, so it may be closed first. All methods may be called by any number
// of goroutines.
type Env struct {
	object[*C.OrtEnv]
}

type envSettings struct {
	level   LoggingLevel
	logger  Logger
	threads *ThreadingOptions
	entries KeyValuePairs
}

// EnvOption changes what NewEnv makes.
type EnvOption func(*envSettings)

// WithLogger hands log lines to a function; without one, warnings and worse go to stderr.
func WithLogger(logger Logger) EnvOption {
	return func(s *envSettings) { s.logger = logger }
}

// WithLoggingLevel drops milder lines. The default is LoggingLevelWarning.
func WithLoggingLevel(level LoggingLevel) EnvOption {
	return func(s *envSettings) { s.level = level }
}

// WithThreads makes threads that sessions share: those whose options say DisablePerSessionThreads.
func WithThreads(threads *ThreadingOptions) EnvOption {
	return func(s *envSettings) { s.threads = threads }
}

// WithEnvEntries sets entries of the environment, as KeyEnvAllowVirtualDevices.
func WithEnvEntries(entries KeyValuePairs) EnvOption {
	return func(s *envSettings) { s.entries = entries }
}

// NewEnv makes an environment. The id stands in its log lines and may be empty. It fails with a
// *VersionError when the library does not fit the headers of this package.
func NewEnv(id string, options ...EnvOption) (*Env, error) {
	if err := checkVersion(LibraryVersion(), headersVersion()); err != nil {
		return nil, err
	}
	settings := envSettings{level: LoggingLevelWarning}
	for _, option := range options {
		option(&settings)
	}
	e := &Env{}
	pointer, err := e.create(id, &settings)
	if err != nil {
		return nil, err
	}
	e.own(pointer, func(p *C.OrtEnv) { C.OrtReleaseEnv(p) })
	return e, nil
}

// create takes the function of the library that has what the settings need.
func (e *Env) create(id string, s *envSettings) (pointer *C.OrtEnv, err error) {
	var threads *C.OrtThreadingOptions
	if s.threads != nil {
		if threads, err = s.threads.begin("threading options"); err != nil {
			return nil, err
		}
		defer s.threads.end()
		e.keep(s.threads.kept()...)
	}
	var state C.uintptr_t
	if s.logger != nil {
		logger := keptState(s.logger, nil)
		e.keep(logger)
		state = logger.state()
	}
	level := C.OrtLoggingLevel(s.level)
	entries, err := entriesOf(s.entries)
	if err != nil {
		return nil, err
	}
	defer entries.Close()
	err = withMemory(func(m *memory) *C.OrtStatus {
		switch {
		case entries != nil:
			return C.ortc_create_env_with_options(state, level, m.text(id), threads,
				entries.pointer, &pointer)
		case s.logger != nil && threads != nil:
			return C.ortc_create_env_with_logger_and_threads(state, level, m.text(id), threads,
				&pointer)
		case s.logger != nil:
			return C.ortc_create_env_with_logger(state, level, m.text(id), &pointer)
		case threads != nil:
			return C.OrtCreateEnvWithGlobalThreadPools(level, m.text(id), threads, &pointer)
		}
		return C.OrtCreateEnv(level, m.text(id), &pointer)
	})
	return pointer, err
}

func entriesOf(pairs KeyValuePairs) (*PairList, error) {
	if len(pairs) == 0 {
		return nil, nil
	}
	return NewPairList(pairs)
}

// Close gives the environment back; closing twice is fine, and so is a nil environment.
func (e *Env) Close() error {
	if e == nil {
		return nil
	}
	return e.close()
}

func (e *Env) use() (*C.OrtEnv, error) {
	if e == nil {
		return nil, invalid("the environment is nil")
	}
	return e.begin("environment")
}

// SetLoggingLevel changes below which severity lines are dropped: of the environment, and of
// sessions made from now on.
func (e *Env) SetLoggingLevel(level LoggingLevel) error {
	return e.call("environment", func(p *C.OrtEnv, _ *memory) *C.OrtStatus {
		return C.OrtUpdateEnvWithCustomLogLevel(p, C.OrtLoggingLevel(level))
	})
}

// SetLanguageProjection takes note of the program's language. Nothing depends on it.
func (e *Env) SetLanguageProjection(language LanguageProjection) error {
	return e.call("environment", func(p *C.OrtEnv, _ *memory) *C.OrtStatus {
		return C.OrtSetLanguageProjection(p, C.OrtLanguageProjection(language))
	})
}

// SetTelemetry does nothing: the library sends no telemetry. It is here for programs that ask.
func (e *Env) SetTelemetry(enabled bool) error {
	return e.call("environment", func(p *C.OrtEnv, _ *memory) *C.OrtStatus {
		if enabled {
			return C.OrtEnableTelemetryEvents(p)
		}
		return C.OrtDisableTelemetryEvents(p)
	})
}

// AvailableProviders lists the execution providers of the library, the preferred ones first, the
// CPU provider last.
func AvailableProviders() ([]string, error) {
	var list **C.char
	var count C.int
	if err := check(C.OrtGetAvailableProviders(&list, &count)); err != nil {
		return nil, err
	}
	names := make([]string, 0, int(count))
	for _, name := range unsafe.Slice(list, int(count)) {
		names = append(names, C.GoString(name))
	}
	return names, check(C.OrtReleaseAvailableProviders(list, count))
}

// LibraryVersion tells the release of the library, as "1.0.0".
func LibraryVersion() string {
	return C.GoString(C.OrtGetVersionString())
}

// BuildInfo tells how the library was built, in one line for bug reports.
func BuildInfo() string {
	return C.GoString(C.OrtGetBuildInfoString())
}

// APITable gives ONNX Runtime's table of functions (an OrtApi) in a version of its interface, for
// C code of the program that wants one, and the release that the table names. The table is nil
// when the library does not have the version.
func APITable(version uint32) (table unsafe.Pointer, release string) {
	base := C.OrtcGetApiBase()
	return unsafe.Pointer(C.ortc_table(base, C.uint32_t(version))), goText(C.ortc_table_version(base))
}

func headersVersion() string {
	return fmt.Sprintf("%d.%d.%d", int(C.ORTC_VERSION_MAJOR), int(C.ORTC_VERSION_MINOR),
		int(C.ORTC_VERSION_PATCH))
}

// checkVersion wants the same major release and the same minor one or a later one.
func checkVersion(library, headers string) error {
	var haveMajor, haveMinor, needMajor, needMinor int
	_, err := fmt.Sscanf(library, "%d.%d", &haveMajor, &haveMinor)
	if _, other := fmt.Sscanf(headers, "%d.%d", &needMajor, &needMinor); err != nil || other != nil ||
		haveMajor != needMajor || haveMinor < needMinor {
		return &VersionError{Library: library, Headers: headers}
	}
	return nil
}
