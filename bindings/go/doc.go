// SPDX-License-Identifier: MIT

// Package ortc runs and compiles ONNX models with ort_c, the C library of ortc.
//
// The shape of a program: NewEnv, NewSession, tensors, Session.Run as often as you like. To start
// faster, compile the model once (ModelCompiler, or NewSessionFromCache) and give sessions the
// compiled file: it is mapped, not worked on.
//
// # Lifetimes
//
// Things of the library have Close, which may be called twice and at any time: calls that are under
// way go on, and the last of them gives the thing back; later ones fail with ErrClosed. Things keep
// what they need of others, so any order is right. The garbage collector closes what a program forgets, but it does not know how much
// memory of C there is: close tensors and sessions.
//
// Slices that show memory of a tensor live as long as the tensor. Keep it, and close it after their
// last use; `defer x.Close()` does both.
//
// # Goroutines
//
// Any number of goroutines may run one Session, and use one Env. What describes work to come
// (SessionOptions, ModelCompiler, Model, IoBinding) is for one goroutine at a time.
//
// Functions that take a context end soon after it does, and return its error then: errors.Is(err,
// context.Canceled) holds. A goroutine watches the context during the call, unless it can never
// end.
//
// # Errors
//
// Failures of the library are *Error: a code and a text. errors.Is compares with the sentinels, as
// ErrInvalidGraph. Errors and panics of functions that the program gave come back to the caller of
// the operation; a panic of an Operator comes back as an error. Getters without an error result
// panic when their object is closed.
//
// # Building
//
// The package is found by pkg-config as ort_c, at build time (PKG_CONFIG_PATH) and linked against
// libort_c.so.1. The build tag ortc_debug makes every use of an object collect garbage first, which
// shows lifetimes that are too short.
package ortc
