// SPDX-License-Identifier: MIT
//! A library of operators for programs in any language: it exports `RegisterCustomOps`.

use ortc::{
    CallbackResult, ElementType, Kernel, KernelContext, KernelInfo, Operator, OperatorDomain,
    OperatorInput, OperatorOutput,
};

/// A "Leaky" that does not leak: y = 0 where x is negative, else x.
struct Cut;

impl Operator for Cut {
    fn name(&self) -> &str {
        "Leaky"
    }

    fn inputs(&self) -> Vec<OperatorInput> {
        vec![OperatorInput::required(ElementType::Float)]
    }

    fn outputs(&self) -> Vec<OperatorOutput> {
        vec![OperatorOutput::required(ElementType::Float)]
    }

    fn create_kernel(&self, _: &KernelInfo) -> CallbackResult<Box<dyn Kernel>> {
        Ok(Box::new(|call: &KernelContext| -> CallbackResult {
            let x = call.input(0)?;
            let mut y = call.output(0, x.shape()?)?;
            for (to, from) in y.data_mut::<f32>()?.iter_mut().zip(x.data::<f32>()?) {
                *to = from.max(0.0);
            }
            Ok(())
        }))
    }
}

ortc::export_operators!(OperatorDomain::new("samples")?.with(Cut));
