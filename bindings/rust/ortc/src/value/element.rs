// SPDX-License-Identifier: MIT
//! The types of Rust that elements of tensors have.

use super::half::{Bf16, F16};
use crate::ElementType;

/// A type that elements of tensors have: the numbers, `bool`, [`F16`], [`Bf16`], and pairs for
/// complex numbers. Types below a byte and of 8-bit floats are bytes:
/// [`Value::bytes`](crate::Value::bytes). Texts: [`Value::strings`](crate::Value::strings).
pub trait Element: sealed::Sealed + Copy + Send + Sync + 'static {
    /// What the library calls the type.
    const TYPE: ElementType;

    /// Zero.
    #[doc(hidden)]
    const ZERO: Self;

    /// Whether the bytes are values of the type: not all bytes are a bool.
    #[doc(hidden)]
    fn are_valid(_bytes: &[u8]) -> bool {
        true
    }
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! elements {
    ($($type:ty, $name:ident, $zero:expr;)*) => {$(
        impl sealed::Sealed for $type {}
        impl Element for $type {
            const TYPE: ElementType = ElementType::$name;
            const ZERO: Self = $zero;
        }
    )*};
}

elements! {
    f32, Float, 0.0;
    f64, Double, 0.0;
    i8, Int8, 0;
    i16, Int16, 0;
    i32, Int32, 0;
    i64, Int64, 0;
    u8, Uint8, 0;
    u16, Uint16, 0;
    u32, Uint32, 0;
    u64, Uint64, 0;
    F16, Float16, F16::from_bits(0);
    Bf16, Bfloat16, Bf16::from_bits(0);
    [f32; 2], Complex64, [0.0; 2];
    [f64; 2], Complex128, [0.0; 2];
}

impl sealed::Sealed for bool {}
impl Element for bool {
    const TYPE: ElementType = ElementType::Bool;
    const ZERO: Self = false;

    fn are_valid(bytes: &[u8]) -> bool {
        bytes.iter().all(|byte| *byte <= 1)
    }
}
