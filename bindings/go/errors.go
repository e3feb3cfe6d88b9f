// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
)

// Error is what the library says of a failure: a code to act on, and a text for people.
//
// errors.Is compares codes with the sentinels (ErrInvalidGraph and so on); a missing file is
// fs.ErrNotExist too. When a function of the program failed inside the library, or a context ended
// the work, Unwrap gives that error: errors.Is(err, context.Canceled) holds then.
type Error struct {
	Code    ErrorCode
	Message string
	cause   error
}

// Error gives the text, with the code in front.
func (e *Error) Error() string {
	if e == nil {
		return "ortc: no error"
	}
	if e.Message == "" {
		return "ortc: " + e.Code.String()
	}
	return "ortc: " + e.Code.String() + ": " + e.Message
}

// Unwrap gives the error of the program behind this one, if there is one.
func (e *Error) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.cause
}

// Is holds for a sentinel with the same code.
func (e *Error) Is(target error) bool {
	if e == nil {
		return false
	}
	if target == fs.ErrNotExist {
		return e.Code == ErrorCodeNoSuchFile
	}
	sentinel, isError := target.(*Error)
	return isError && sentinel != nil && sentinel.Message == "" && sentinel.cause == nil && sentinel.Code == e.Code
}

// VersionError says that the library at run time does not fit the headers this package was built
// with: another major release, or an older minor one.
type VersionError struct {
	Library string // the release of the library
	Headers string // the release of the headers
}

// Error names both releases.
func (e *VersionError) Error() string {
	return fmt.Sprintf("ortc: this program was built for ort_c %s and cannot use the library %s",
		e.Headers, e.Library)
}

// check takes a status over.
func check(status *C.OrtStatus) error {
	if status == nil {
		return nil
	}
	err := &Error{
		Code:    ErrorCode(C.OrtGetErrorCode(status)),
		Message: C.GoString(C.OrtGetErrorMessage(status)),
	}
	C.OrtReleaseStatus(status)
	return err
}

// newStatus makes a status of an error, for callbacks.
func newStatus(err error) *C.OrtStatus {
	code, text := describe(err)
	var m memory
	defer m.free()
	return C.OrtCreateStatus(C.OrtErrorCode(code), m.text(withoutZeros(text)))
}

// describe finds code and text for an error of the program.
func describe(err error) (ErrorCode, string) {
	var ours *Error
	if errors.As(err, &ours) && ours.Code != ErrorCodeOK {
		if ours.Message == "" || ours != err {
			return ours.Code, err.Error()
		}
		return ours.Code, ours.Message
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return ErrorCodeModelLoadCanceled, err.Error()
	}
	return ErrorCodeFail, err.Error()
}

func withoutZeros(text string) string {
	clean := []byte(text)
	for i, b := range clean {
		if b == 0 {
			clean[i] = ' '
		}
	}
	return string(clean)
}

func unknownName(kind string, value int32) string {
	return fmt.Sprintf("%s(%d)", kind, value)
}
