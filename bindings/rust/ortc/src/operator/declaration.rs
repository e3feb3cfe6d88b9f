// SPDX-License-Identifier: MIT
//! Inputs and outputs of an operator, as it declares them.

use std::os::raw::c_int;

use ortc_sys as sys;

use crate::ElementType;

/// Whether a value must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Characteristic {
    /// It must.
    Required,
    /// A node may leave it out.
    Optional,
    /// Any number of values, as the last one only.
    Variadic {
        /// How many there are at least.
        least: i32,
        /// Whether all are of one type.
        is_of_one_type: bool,
    },
}

/// The type of an input or output, and whether it must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Formal {
    element: Option<ElementType>,
    characteristic: Characteristic,
}

impl Formal {
    pub(super) fn element(&self) -> sys::ONNXTensorElementDataType {
        self.element.unwrap_or(ElementType::Undefined).to_raw()
    }

    pub(super) fn characteristic(&self) -> sys::OrtCustomOpInputOutputCharacteristic {
        match self.characteristic {
            Characteristic::Required => sys::INPUT_OUTPUT_REQUIRED,
            Characteristic::Optional => sys::INPUT_OUTPUT_OPTIONAL,
            Characteristic::Variadic { .. } => sys::INPUT_OUTPUT_VARIADIC,
        }
    }

    pub(super) fn least(&self) -> c_int {
        match self.characteristic {
            Characteristic::Variadic { least, .. } => least,
            _ => 1,
        }
    }

    pub(super) fn is_of_one_type(&self) -> c_int {
        match self.characteristic {
            Characteristic::Variadic { is_of_one_type, .. } => c_int::from(is_of_one_type),
            _ => 1,
        }
    }
}

macro_rules! formals {
    ($(#[$text:meta] $name:ident: $any:literal,)*) => {$(
        #[$text]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name(pub(super) Formal);

        impl $name {
            #[doc = concat!("Says everything. No element type: ", $any)]
            pub fn new(
                element: impl Into<Option<ElementType>>,
                characteristic: Characteristic,
            ) -> Self {
                Self(Formal { element: element.into(), characteristic })
            }

            #[doc = concat!("One that must be there. No element type: ", $any)]
            pub fn required(element: impl Into<Option<ElementType>>) -> Self {
                Self::new(element, Characteristic::Required)
            }

            #[doc = concat!("One that a node may leave out. No element type: ", $any)]
            pub fn optional(element: impl Into<Option<ElementType>>) -> Self {
                Self::new(element, Characteristic::Optional)
            }

            /// One or more values of one type, as the last one.
            pub fn variadic(element: impl Into<Option<ElementType>>) -> Self {
                Self::new(element, Characteristic::Variadic { least: 1, is_of_one_type: true })
            }
        }
    )*};
}

formals! {
    /// An input that an operator declares.
    OperatorInput: "any value, also a sequence.",
    /// An output that an operator declares: a tensor.
    OperatorOutput: "the type that the operator's shape inference says, or the model.",
}
