// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import (
	"context"
	"io"
	"io/fs"
	"path"
	"sync/atomic"
	"unsafe"
)

// Session is a model ready to run: made from a file or from bytes, a plain ONNX model or a compiled
// one alike. Any number of goroutines may run one session at once. What it keeps of an environment
// and of options it keeps by itself.
type Session struct {
	object[*C.OrtSession]
	inputs, outputs, overridable []ValueInfo
	names                        *nameTable
}

// ValueInfo is name and type of an input or output.
type ValueInfo struct {
	Name string
	Type *TypeInfo
}

// NewSession makes a session from a model file. A compiled model is checked and mapped; nothing is
// optimised or copied then. External data and context binaries are looked for beside the file. nil
// options are the defaults. The end of the context stops the work.
func NewSession(ctx context.Context, env *Env, modelPath string,
	options *SessionOptions) (*Session, error) {
	return newSession(ctx, env, options, func(l *loading) *C.OrtStatus {
		return C.OrtCreateSession(l.env, l.m.text(modelPath), l.options, &l.session)
	})
}

// NewSessionFromBytes makes a session from the bytes of a model, which it does not need afterwards.
// Context binaries are looked for in the folder of the entry KeySessionOptionEpContextFilePath, or
// come from SessionOptions.SetContextReader.
func NewSessionFromBytes(ctx context.Context, env *Env, model []byte,
	options *SessionOptions) (*Session, error) {
	return newSession(ctx, env, options, func(l *loading) *C.OrtStatus {
		return C.OrtCreateSessionFromArray(l.env, unsafe.Pointer(first(model)),
			C.size_t(len(model)), l.options, &l.session)
	})
}

// NewSessionFromReader makes a session of everything that a reader has.
func NewSessionFromReader(ctx context.Context, env *Env, model io.Reader,
	options *SessionOptions) (*Session, error) {
	data, err := io.ReadAll(model)
	if err != nil {
		return nil, err
	}
	return NewSessionFromBytes(ctx, env, data, options)
}

// NewSessionFS makes a session from a file of a file system: an archive, or what a program embeds.
// Context binaries come from the folder of the model there. External data of plain models do not:
// see SessionOptions.AddExternalInitializerFiles.
func NewSessionFS(ctx context.Context, env *Env, files fs.FS, modelPath string,
	options *SessionOptions) (*Session, error) {
	data, err := fs.ReadFile(files, modelPath)
	if err != nil {
		return nil, err
	}
	own, err := cloneOrNew(options)
	if err != nil {
		return nil, err
	}
	defer own.Close()
	err = own.SetContextReader(func(name string) ([]byte, error) {
		return fs.ReadFile(files, path.Join(path.Dir(modelPath), name))
	})
	if err != nil {
		return nil, err
	}
	return NewSessionFromBytes(ctx, env, data, own)
}

// NewSessionFromCache makes a session by way of a cache, a folder: it loads what was compiled of
// the model before, or compiles it and keeps that for the next. With nil options nothing is
// compiled. What is wrong with the cache never makes a session fail; Session.Report says what
// happened.
func NewSessionFromCache(ctx context.Context, env *Env, modelPath, cacheFolder string,
	options *SessionOptions) (*Session, error) {
	return newSession(ctx, env, options, func(l *loading) *C.OrtStatus {
		return C.OrtCreateSessionFromCache(l.env, l.m.text(modelPath), l.m.text(cacheFolder),
			l.options, &l.session)
	})
}

func cloneOrNew(options *SessionOptions) (*SessionOptions, error) {
	if options == nil {
		return NewSessionOptions()
	}
	return options.Clone()
}

// loading is a session on its way.
type loading struct {
	env     *C.OrtEnv
	options *C.OrtSessionOptions
	m       *memory
	session *C.OrtSession
}

// newSession makes a session with one of the functions that do. A context that can end needs
// options of its own, whose progress callback stops the load.
func newSession(ctx context.Context, env *Env, options *SessionOptions,
	create func(*loading) *C.OrtStatus) (*Session, error) {
	ctx = orBackground(ctx)
	if err := ended(ctx, ErrorCodeModelLoadCanceled); err != nil {
		return nil, err
	}
	e, err := env.use()
	if err != nil {
		return nil, err
	}
	defer env.end()
	var isMade atomic.Bool
	if ctx.Done() != nil {
		if options, err = stoppedBy(ctx, options, &isMade); err != nil {
			return nil, err
		}
		defer options.Close()
	}
	p, end, err := options.use()
	if err != nil {
		return nil, err
	}
	defer end()
	l := &loading{env: e, options: p}
	err = withMemory(func(m *memory) *C.OrtStatus {
		l.m = m
		return create(l)
	})
	isMade.Store(true)
	if err != nil {
		if options != nil {
			err = resolveOperators(options.kept(), options.failures.resolve(err))
		}
		return nil, err
	}
	return ownSession(l.session, env, options)
}

// stoppedBy copies options for one load, which ends with the context. Prefetching goes on after the
// session is made, whatever becomes of the context.
func stoppedBy(ctx context.Context, options *SessionOptions,
	isMade *atomic.Bool) (*SessionOptions, error) {
	own, err := cloneOrNew(options)
	if err != nil {
		return nil, err
	}
	progress := own.progress
	err = check(setLoadProgress(own.pointer, func(p Progress) error {
		if !isMade.Load() && ctx.Err() != nil {
			return ctx.Err()
		}
		if progress == nil {
			return nil
		}
		return progress(p)
	}, own.failures))
	if err != nil {
		_ = own.Close()
		return nil, err
	}
	return own, nil
}

func ownSession(pointer *C.OrtSession, env *Env, options *SessionOptions) (*Session, error) {
	s := &Session{}
	s.own(pointer, func(p *C.OrtSession) { C.OrtReleaseSession(p) })
	s.keep(env.kept()...)
	if options != nil {
		s.keep(options.kept()...)
	}
	if err := s.readInfo(); err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

// Close gives the session back. Runs that are under way go on, and the last of them gives it back;
// later ones are refused. Values that it made stay usable. Closing twice is fine, and so is a nil
// session.
func (s *Session) Close() error {
	if s == nil {
		return nil
	}
	return s.close()
}

func (s *Session) use() (*C.OrtSession, error) {
	if s == nil {
		return nil, invalid("the session is nil")
	}
	return s.begin("session")
}

func (s *Session) ask(f func(*C.OrtSession, *memory) *C.OrtStatus) error {
	if s == nil {
		return invalid("the session is nil")
	}
	return s.call("session", f)
}
