//! What the outputs of a capture must hold: the exact values with their bounds, or bits.
//!
//! Values are stored and not the reference's name, so that the verdict does not depend on the
//! version that runs the capture.

use std::sync::Arc;

use safetensors::tensor::{Dtype, SafeTensors};
use serde::{Deserialize, Serialize};
use tilewright_machine::Architecture;
use tilewright_tile::bound::Approx;

use super::CaptureError;
use crate::description::{TensorDescription, TensorRole};
use crate::expected::Expected;
use crate::intern::intern;

/// An output and what it must hold.
#[derive(Clone, Debug)]
pub(super) struct CapturedOutput {
    form: OutputForm,
    values: Vec<Approx>,
    bits: Option<Vec<f32>>,
}

/// What the metadata has of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OutputForm {
    name: String,
    tensor: TensorDescription,
    has_bits: bool,
}

/// An entry of the file: its name, the type of its numbers, and their bytes.
pub(super) type Entry = (String, Dtype, Vec<u8>);

impl CapturedOutput {
    pub(super) fn new(expected: &Expected) -> CapturedOutput {
        let (name, tensor) = (expected.tensor_name(), &expected.tensor);
        let form = OutputForm {
            name: expected.name.to_owned(),
            tensor: TensorDescription::new(name, TensorRole::Output, tensor),
            has_bits: expected.bits.is_some(),
        };
        CapturedOutput { form, values: (expected.reference)(), bits: expected.bits.clone() }
    }

    pub(super) fn name(&self) -> &str {
        &self.form.name
    }

    pub(super) fn form(&self) -> OutputForm {
        self.form.clone()
    }

    /// The entries of the output with a number.
    pub(super) fn entries(&self, number: usize) -> Vec<Entry> {
        let numbers = |of: fn(&Approx) -> f64| {
            self.values.iter().flat_map(|value| of(value).to_le_bytes()).collect()
        };
        let mut entries = vec![
            (entry(number, "value"), Dtype::F64, numbers(|it| it.value)),
            (entry(number, "error"), Dtype::F64, numbers(|it| it.error)),
        ];
        if let Some(bits) = &self.bits {
            let bytes = bits.iter().flat_map(|value| value.to_le_bytes()).collect();
            entries.push((entry(number, "bits"), Dtype::F32, bytes));
        }
        entries
    }

    /// Reads the output with a number.
    pub(super) fn read(
        form: OutputForm,
        number: usize,
        file: &SafeTensors<'_>,
    ) -> Result<CapturedOutput, CaptureError> {
        let volume = form.tensor.shape.volume();
        let wrong = |part: &str| {
            let name = &form.name;
            CaptureError(format!("not a capture: output `{name}` has no {volume} of `{part}`"))
        };
        let bytes = |part: &str, dtype: Dtype| {
            let view = file.tensor(&entry(number, part)).map_err(|_| wrong(part))?;
            let is_right = view.dtype() == dtype && view.shape() == [volume];
            if is_right { Ok(view.data().to_vec()) } else { Err(wrong(part)) }
        };
        let doubles = |part: &str| {
            let bytes = bytes(part, Dtype::F64)?;
            let (chunks, _) = bytes.as_chunks::<8>();
            Ok(chunks.iter().map(|chunk| f64::from_le_bytes(*chunk)).collect::<Vec<f64>>())
        };
        let (values, errors) = (doubles("value")?, doubles("error")?);
        let values = values.into_iter().zip(errors);
        let values = values.map(|(value, error)| Approx { value, error }).collect();
        let bits = match form.has_bits {
            false => None,
            true => {
                let bytes = bytes("bits", Dtype::F32)?;
                let (chunks, _) = bytes.as_chunks::<4>();
                Some(chunks.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect())
            }
        };
        Ok(CapturedOutput { form, values, bits })
    }

    /// The output on a chip.
    pub(super) fn expected(&self, arch: &Architecture) -> Result<Expected, CaptureError> {
        let tensor = self.form.tensor.on(arch).map_err(|it| CaptureError(it.to_string()))?;
        let values = self.values.clone();
        Ok(Expected {
            name: intern(&self.form.name),
            tensor,
            reference: Arc::new(move || values.clone()),
            parts: None,
            bits: self.bits.clone(),
        })
    }
}

fn entry(number: usize, part: &str) -> String {
    format!("expected/{number}/{part}")
}
