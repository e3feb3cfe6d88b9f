// SPDX-License-Identifier: MIT
//! Numbers of 16 bits. They carry values between float and tensors; arithmetic is done in float.

use std::cmp::Ordering;
use std::fmt;

/// A number of IEEE 754's binary16: 1 sign bit, 5 of exponent, 10 of fraction.
///
/// ```
/// use ortc::F16;
///
/// assert_eq!(f32::from(F16::from(0.5)), 0.5);
/// assert_eq!(F16::from(1.0).to_bits(), 0x3c00);
/// ```
#[derive(Clone, Copy, Default)]
#[repr(transparent)]
pub struct F16(u16);

/// The upper half of a float: 1 sign bit, 8 of exponent, 7 of fraction.
///
/// ```
/// use ortc::Bf16;
///
/// assert_eq!(f32::from(Bf16::from(-2.0)), -2.0);
/// assert_eq!(Bf16::from(1.0).to_bits(), 0x3f80);
/// ```
#[derive(Clone, Copy, Default)]
#[repr(transparent)]
pub struct Bf16(u16);

/// Drops the lower `bits` of `x`, to nearest, ties to even.
fn round_off(x: u32, bits: u32) -> u32 {
    let (half, odd) = (1 << (bits - 1), (x >> bits) & 1);
    (x + half - 1 + odd) >> bits
}

impl From<f32> for F16 {
    /// To the nearest, ties to even; what is too large becomes infinite.
    fn from(value: f32) -> Self {
        let bits = value.to_bits();
        let sign = (bits >> 16) as u16 & 0x8000;
        let magnitude = bits & 0x7fff_ffff;
        let rest = match magnitude {
            // A quiet NaN with the upper bits of its payload.
            m if m > 0x7f80_0000 => 0x7e00 | (m >> 13 & 0x1ff) as u16,
            // 65520 and more.
            m if m >= 0x477f_f000 => 0x7c00,
            // 2^-14 and more: normal. The exponent's bias goes from 127 to 15.
            m if m >= 0x3880_0000 => round_off(m - (112 << 23), 13) as u16,
            // 2^-25 and more: subnormal, in units of 2^-24.
            m if m >= 0x3300_0000 => {
                let fraction = m & 0x007f_ffff | 0x0080_0000;
                round_off(fraction, 126 - (m >> 23)) as u16
            }
            _ => 0,
        };
        F16(sign | rest)
    }
}

impl From<F16> for f32 {
    fn from(value: F16) -> f32 {
        let sign = u32::from(value.0 & 0x8000) << 16;
        let exponent = u32::from(value.0 >> 10 & 0x1f);
        let fraction = u32::from(value.0 & 0x3ff);
        let magnitude = match exponent {
            0 => return f32::from_bits(sign | (fraction as f32 / 16_777_216.0).to_bits()),
            31 => 0x7f80_0000 | fraction << 13,
            _ => (exponent + 112) << 23 | fraction << 13,
        };
        f32::from_bits(sign | magnitude)
    }
}

impl From<f32> for Bf16 {
    /// To the nearest, ties to even.
    fn from(value: f32) -> Self {
        let bits = value.to_bits();
        if value.is_nan() {
            return Bf16((bits >> 16) as u16 | 0x40); // stays a NaN
        }
        Bf16(round_off(bits, 16) as u16)
    }
}

impl From<Bf16> for f32 {
    fn from(value: Bf16) -> f32 {
        f32::from_bits(u32::from(value.0) << 16)
    }
}

macro_rules! sixteen_bits {
    ($($name:ident)*) => {$(
        impl $name {
            /// The number with those bits.
            pub const fn from_bits(bits: u16) -> Self {
                $name(bits)
            }

            /// The bits of the number.
            pub const fn to_bits(self) -> u16 {
                self.0
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                f32::from(*self) == f32::from(*other)
            }
        }

        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                f32::from(*self).partial_cmp(&f32::from(*other))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&f32::from(*self), f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&f32::from(*self), f)
            }
        }
    )*};
}

sixteen_bits!(F16 Bf16);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_f16_survives_the_way_to_f32_and_back() {
        for bits in 0..=u16::MAX {
            let value = F16::from_bits(bits);
            let back = F16::from(f32::from(value));
            if f32::from(value).is_nan() {
                assert!(f32::from(back).is_nan(), "{bits:#06x}");
            } else {
                assert_eq!(back.to_bits(), bits, "{bits:#06x}");
            }
        }
    }

    #[test]
    fn f16_rounds_to_the_nearest_and_ties_to_even() {
        let ulp = f32::powi(2.0, -24);
        let cases = [
            (1.0 + f32::powi(2.0, -11), 0x3c00),
            (1.0 + 3.0 * f32::powi(2.0, -11), 0x3c02),
            (65519.0, 0x7bff),
            (65520.0, 0x7c00),
            (f32::INFINITY, 0x7c00),
            (-f32::INFINITY, 0xfc00),
            (0.5 * ulp, 0x0000),
            (0.75 * ulp, 0x0001),
            (1.5 * ulp, 0x0002),
            (1023.5 * ulp, 0x0400),
            (-0.0, 0x8000),
        ];
        for (value, bits) in cases {
            assert_eq!(F16::from(value).to_bits(), bits, "{value}");
        }
    }

    #[test]
    fn every_bf16_survives_the_way_to_f32_and_back() {
        for bits in 0..=u16::MAX {
            let value = Bf16::from_bits(bits);
            let back = Bf16::from(f32::from(value));
            if f32::from(value).is_nan() {
                assert!(f32::from(back).is_nan(), "{bits:#06x}");
            } else {
                assert_eq!(back.to_bits(), bits, "{bits:#06x}");
            }
        }
    }

    #[test]
    fn bf16_rounds_to_the_nearest_and_ties_to_even() {
        assert_eq!(Bf16::from(f32::from_bits(0x3f80_8000)).to_bits(), 0x3f80);
        assert_eq!(Bf16::from(f32::from_bits(0x3f81_8000)).to_bits(), 0x3f82);
        assert_eq!(Bf16::from(f32::MAX).to_bits(), 0x7f80);
    }
}
