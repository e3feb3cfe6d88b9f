// SPDX-License-Identifier: MIT
//! What sessions and runs are to do.

mod configuration;
mod device_choice;
mod loading;
mod lora;
mod providers;
mod run_options;
mod session_options;
mod weights;

pub use device_choice::DeviceOffer;
pub use lora::LoraAdapter;
pub use run_options::RunOptions;
pub use session_options::SessionOptions;

pub(crate) use loading::Prepared;
