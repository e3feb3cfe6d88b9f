// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import (
	"context"
	"unsafe"
)

// PrepackedWeights are shared by sessions: those made with one container keep equal packed weights
// once. Files that are mapped (compiled models) are shared without it. Several goroutines may make
// sessions with one container.
type PrepackedWeights struct {
	object[*C.OrtPrepackedWeightsContainer]
}

// NewPrepackedWeights makes an empty container.
func NewPrepackedWeights() (*PrepackedWeights, error) {
	var pointer *C.OrtPrepackedWeightsContainer
	if err := check(C.OrtCreatePrepackedWeightsContainer(&pointer)); err != nil {
		return nil, err
	}
	w := &PrepackedWeights{}
	w.own(pointer, func(p *C.OrtPrepackedWeightsContainer) {
		C.OrtReleasePrepackedWeightsContainer(p)
	})
	return w, nil
}

// Close gives the container back; sessions keep the weights they use. Closing twice is fine.
func (w *PrepackedWeights) Close() error {
	if w == nil {
		return nil
	}
	return w.close()
}

// NewSession makes a session as NewSession does, which shares weights.
func (w *PrepackedWeights) NewSession(ctx context.Context, env *Env, modelPath string,
	options *SessionOptions) (*Session, error) {
	if w == nil {
		return nil, isNil("container of weights")
	}
	p, err := w.begin("container of weights")
	if err != nil {
		return nil, err
	}
	defer w.end()
	return newSession(ctx, env, options, func(l *loading) *C.OrtStatus {
		return C.OrtCreateSessionWithPrepackedWeightsContainer(l.env, l.m.text(modelPath),
			l.options, p, &l.session)
	})
}

// NewSessionFromBytes makes a session as NewSessionFromBytes does, which shares weights.
func (w *PrepackedWeights) NewSessionFromBytes(ctx context.Context, env *Env, model []byte,
	options *SessionOptions) (*Session, error) {
	if w == nil {
		return nil, isNil("container of weights")
	}
	p, err := w.begin("container of weights")
	if err != nil {
		return nil, err
	}
	defer w.end()
	return newSession(ctx, env, options, func(l *loading) *C.OrtStatus {
		return C.OrtCreateSessionFromArrayWithPrepackedWeightsContainer(l.env,
			unsafe.Pointer(first(model)), C.size_t(len(model)), l.options, p, &l.session)
	})
}
