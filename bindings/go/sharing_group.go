// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

// SharingGroup compiles several models into one context binary that holds equal weights once. N
// models make N + 1 files, all in one folder, which appear together at the commit: until then, and
// after any failure, the folder is as it was. Several goroutines may add members.
//
// Sessions of compiled models need none of this: whoever opens the same binary shares it.
type SharingGroup struct {
	object[*C.OrtSharingGroup]
}

// NewSharingGroup makes a group without members.
func NewSharingGroup(env *Env) (*SharingGroup, error) {
	e, err := env.use()
	if err != nil {
		return nil, err
	}
	defer env.end()
	var pointer *C.OrtSharingGroup
	if err := check(C.OrtCreateSharingGroup(e, &pointer)); err != nil {
		return nil, err
	}
	g := &SharingGroup{}
	g.own(pointer, func(p *C.OrtSharingGroup) { C.OrtReleaseSharingGroup(p) })
	g.keep(env.kept()...)
	return g, nil
}

// Close gives the group back. One that was not published is given up, unless options or members of
// it are still there. Closing twice is fine.
func (g *SharingGroup) Close() error {
	if g == nil {
		return nil
	}
	return g.close()
}

// Add compiles a model as a member; its files appear at the commit. Functions that the compiler has
// for writing are called until then; its progress and deadline mean nothing here. Abort stops
// members that are being compiled.
func (g *SharingGroup) Add(member *ModelCompiler) error {
	if member == nil {
		return invalid("the member is nil")
	}
	if err := member.settled(); err != nil {
		return err
	}
	options, err := member.begin("compiler")
	if err != nil {
		return err
	}
	defer member.end()
	g.keep(member.kept()...)
	for _, thing := range member.inUse {
		g.keep(thing)
	}
	err = g.call("sharing group", func(p *C.OrtSharingGroup, _ *memory) *C.OrtStatus {
		return C.OrtSharingGroup_Add(p, options)
	})
	return resolveOperators(member.kept(), member.failures.resolve(err))
}

// Commit publishes the files of all members, or none.
func (g *SharingGroup) Commit() error {
	return g.call("sharing group", func(p *C.OrtSharingGroup, _ *memory) *C.OrtStatus {
		return C.OrtSharingGroup_Commit(p)
	})
}

// Abort gives the group up: nothing is written, and members that are being compiled fail.
func (g *SharingGroup) Abort() error {
	return g.call("sharing group", func(p *C.OrtSharingGroup, _ *memory) *C.OrtStatus {
		return C.OrtSharingGroup_Abort(p)
	})
}

// Report describes the group: its state, members, the files that were written with their sizes,
// bytes of all tensors so far and of those stored.
func (g *SharingGroup) Report() (JSON, error) {
	var text *C.char
	err := g.call("sharing group", func(p *C.OrtSharingGroup, _ *memory) *C.OrtStatus {
		return C.OrtSharingGroup_GetReportJson(p, defaultAllocator(), &text)
	})
	return JSON(takeText(text)), err
}
