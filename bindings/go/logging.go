// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import (
	"fmt"
	"os"
	"unsafe"
)

// Record is one log line.
type Record struct {
	Severity LoggingLevel
	Category string // the stage of the library, as "context" or "partition"
	ID       string // the log id of the environment, the session or the run
	Location string // file and line inside the library
	Message  string
}

// Logger receives log lines, from any thread and from several at once. It must not close the
// environment it serves. A panic is caught and written to stderr, since there is no caller to have
// it.
type Logger func(Record)

//export ortcGoLog
func ortcGoLog(state C.uintptr_t, severity C.OrtLoggingLevel, category, id, location,
	message *C.char) {
	defer func() {
		if found := recover(); found != nil {
			fmt.Fprintln(os.Stderr, "ortc: a logger panicked:", found)
		}
	}()
	stateOf[Logger](state).function(Record{LoggingLevel(severity), goText(category), goText(id),
		goText(location), goText(message)})
}

// ProviderLogger is the logger that the library hands to provider code: an OrtLogger. Programs that
// link such code with cgo write to the library's log through it.
type ProviderLogger struct {
	pointer *C.OrtLogger
}

// ProviderLoggerAt wraps an OrtLogger*, which lives as long as the library says.
func ProviderLoggerAt(logger unsafe.Pointer) ProviderLogger {
	return ProviderLogger{(*C.OrtLogger)(logger)}
}

// Log writes a line, unless it is milder than the logger's severity.
func (l ProviderLogger) Log(severity LoggingLevel, message, file string, line int,
	function string) error {
	return withMemory(func(m *memory) *C.OrtStatus {
		return C.OrtLogger_LogMessage(l.pointer, C.OrtLoggingLevel(severity), m.text(message),
			m.text(file), C.int(line), m.text(function))
	})
}

// Severity tells below which severity lines are dropped.
func (l ProviderLogger) Severity() (LoggingLevel, error) {
	var level C.OrtLoggingLevel
	err := check(C.OrtLogger_GetLoggingSeverityLevel(l.pointer, &level))
	return LoggingLevel(level), err
}
