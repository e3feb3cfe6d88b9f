// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import "context"

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
// for writing are called until then; its progress and deadline mean nothing here. A compiler of
// options with SessionOptions.SetSharingGroup makes a member by its own methods, which heed them.
func (g *SharingGroup) Add(member *ModelCompiler) error {
	return g.AddContext(context.Background(), member)
}

// AddContext does the same. The end of the context gives the group up while the member is compiled:
// it fails when it turns to the group again, and so do others.
func (g *SharingGroup) AddContext(ctx context.Context, member *ModelCompiler) error {
	if g == nil {
		return isNil("sharing group")
	}
	if member == nil {
		return isNil("member")
	}
	ctx = orBackground(ctx)
	if err := ended(ctx, ErrorCodeModelLoadCanceled); err != nil {
		return err
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
	join := watch(ctx, func() { _ = g.Abort() })
	err = g.call("sharing group", func(p *C.OrtSharingGroup, _ *memory) *C.OrtStatus {
		return C.OrtSharingGroup_Add(p, options)
	})
	if wasStopped := join(); wasStopped && err == nil {
		err = ended(ctx, ErrorCodeModelLoadCanceled) // too late for this member, not for the group
	} else if wasStopped {
		err = because(ctx, err)
	}
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
