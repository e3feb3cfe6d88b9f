// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import (
	"sort"
	"unsafe"
)

// KeyValuePairs are texts by their keys: options of providers, metadata of devices, entries.
type KeyValuePairs map[string]string

// Keys lists the keys in ascending order.
func (p KeyValuePairs) Keys() []string {
	keys := make([]string, 0, len(p))
	for key := range p {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}

// goPairs copies a borrowed list.
func goPairs(list *C.OrtKeyValuePairs) KeyValuePairs {
	var keys, values **C.char
	var count C.size_t
	C.OrtGetKeyValuePairs(list, &keys, &values, &count)
	pairs := make(KeyValuePairs, int(count))
	if count == 0 {
		return pairs
	}
	names, texts := unsafe.Slice(keys, int(count)), unsafe.Slice(values, int(count))
	for i := range names {
		pairs[goText(names[i])] = goText(texts[i])
	}
	return pairs
}

// takePairs copies a list and gives it back.
func takePairs(list *C.OrtKeyValuePairs) KeyValuePairs {
	defer C.OrtReleaseKeyValuePairs(list)
	return goPairs(list)
}

// PairList is a list of pairs that keeps their order: what a KeyValuePairs is made into for the
// library. Most programs need only the map. One goroutine at a time may use a list.
type PairList struct {
	object[*C.OrtKeyValuePairs]
}

// NewPairList makes a list of pairs, in ascending order of their keys.
func NewPairList(pairs KeyValuePairs) (*PairList, error) {
	l := &PairList{}
	var pointer *C.OrtKeyValuePairs
	C.OrtCreateKeyValuePairs(&pointer)
	if pointer == nil {
		return nil, ErrRuntimeException
	}
	l.own(pointer, func(p *C.OrtKeyValuePairs) { C.OrtReleaseKeyValuePairs(p) })
	for _, key := range pairs.Keys() {
		if err := l.Set(key, pairs[key]); err != nil {
			_ = l.Close()
			return nil, err
		}
	}
	return l, nil
}

// Close gives the list back; closing twice is fine.
func (l *PairList) Close() error {
	if l == nil {
		return nil
	}
	return l.close()
}

// Set adds a pair at the end, or changes the value of a key where it stands.
func (l *PairList) Set(key, value string) error {
	if key == "" {
		return invalid("a key is empty")
	}
	return l.call("list", func(p *C.OrtKeyValuePairs, m *memory) *C.OrtStatus {
		C.OrtAddKeyValuePair(p, m.text(key), m.text(value))
		return nil
	})
}

// Get looks a key up.
func (l *PairList) Get(key string) (value string, isThere bool) {
	must(l.call("list", func(p *C.OrtKeyValuePairs, m *memory) *C.OrtStatus {
		text := C.OrtGetKeyValue(p, m.text(withoutZeros(key)))
		value, isThere = goText(text), text != nil
		return nil
	}))
	return value, isThere
}

// Delete removes a pair; nothing happens when the key is not there.
func (l *PairList) Delete(key string) {
	must(l.call("list", func(p *C.OrtKeyValuePairs, m *memory) *C.OrtStatus {
		C.OrtRemoveKeyValuePair(p, m.text(withoutZeros(key)))
		return nil
	}))
}

// Pairs copies all pairs.
func (l *PairList) Pairs() (pairs KeyValuePairs) {
	must(l.call("list", func(p *C.OrtKeyValuePairs, _ *memory) *C.OrtStatus {
		pairs = goPairs(p)
		return nil
	}))
	return pairs
}

// use gives the C list to a call; a nil list is the defaults.
func (l *PairList) use() (*C.OrtKeyValuePairs, func(), error) {
	if l == nil {
		return nil, func() {}, nil
	}
	pointer, err := l.begin("list")
	return pointer, l.end, err
}
