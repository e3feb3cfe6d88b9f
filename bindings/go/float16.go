// SPDX-License-Identifier: MIT

package ortc

import "math"

// Float16 is a number of half precision (IEEE 754 binary16), as its bits.
type Float16 uint16

// BFloat16 is the upper half of a float32, as its bits.
type BFloat16 uint16

// Numbers of eight bits, as ONNX defines them, as their bits.
type (
	Float8E4M3FN   uint8
	Float8E4M3FNUZ uint8
	Float8E5M2     uint8
	Float8E5M2FNUZ uint8
	Float8E8M0     uint8
)

// Float32 gives the number exactly.
func (h Float16) Float32() float32 {
	sign := uint32(h&0x8000) << 16
	exponent := uint32(h>>10) & 0x1f
	fraction := uint32(h & 0x3ff)
	switch {
	case exponent == 0x1f: // infinite or not a number
		return math.Float32frombits(sign | 0x7f800000 | fraction<<13)
	case exponent == 0: // below the normal numbers: fraction * 2^-24
		value := float32(fraction) * (1.0 / (1 << 24))
		return math.Float32frombits(sign | math.Float32bits(value))
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}

// NewFloat16 rounds to the nearest, ties to even.
func NewFloat16(f float32) Float16 {
	bits := math.Float32bits(f)
	sign := uint16(bits >> 16 & 0x8000)
	exponent := int(bits>>23&0xff) - 112
	fraction := bits & 0x7fffff
	switch {
	case exponent == 0x8f: // infinite or not a number, which stays one
		if fraction != 0 {
			return Float16(sign | 0x7e00 | uint16(fraction>>13))
		}
		return Float16(sign | 0x7c00)
	case exponent >= 0x1f:
		return Float16(sign | 0x7c00)
	case exponent < -10:
		return Float16(sign)
	case exponent <= 0: // below the normal numbers
		return Float16(sign | uint16(roundShift(fraction|0x800000, uint(14-exponent))))
	}
	// A carry out of the fraction goes on into the exponent, and up to infinity, as it should.
	return Float16(sign) + Float16(roundShift(uint32(exponent)<<23|fraction, 13))
}

// Float32 gives the number exactly.
func (b BFloat16) Float32() float32 {
	return math.Float32frombits(uint32(b) << 16)
}

// NewBFloat16 rounds to the nearest, ties to even.
func NewBFloat16(f float32) BFloat16 {
	bits := math.Float32bits(f)
	if bits&0x7fffffff > 0x7f800000 { // not a number stays one
		return BFloat16(bits>>16 | 0x40)
	}
	return BFloat16(roundShift(bits, 16))
}

// roundShift shifts right, to the nearest, ties to even.
func roundShift(bits uint32, shift uint) uint32 {
	half := uint32(1) << (shift - 1)
	result, rest := bits>>shift, bits&(1<<shift-1)
	if rest > half || rest == half && result&1 == 1 {
		result++
	}
	return result
}
