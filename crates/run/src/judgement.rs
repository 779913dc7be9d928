//! Outputs read back once, and judged: values against their references, padding against what is
//! declared.

use std::collections::BTreeMap;

use tilewright_check::value::{Beyond, Padded};
use tilewright_metal::{
    Device, DeviceTensor, Expected, Prepared, Shape, Tensor, TensorError, fingerprint,
};
use tilewright_ops::judge::{self, Judgement, Worst};

use crate::heat::{HeatMap, heat_map};
use crate::padding::padding_faults;
use crate::record;

/// Cells of a heat map a side, at most.
const HEAT_CELLS: usize = 96;

/// What came of judging the outputs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Judged {
    /// A fingerprint of each output's bits, if the run completed.
    pub(crate) bits: Option<Vec<(String, u64)>>,
    /// The outputs with their errors.
    pub(crate) outputs: BTreeMap<String, record::Output>,
    /// The outputs outside their bounds.
    pub(crate) beyond: Vec<Beyond>,
    /// The outputs whose padding is not as declared.
    pub(crate) padded: Vec<Padded>,
    /// Where the errors of each output lie, if that is asked for.
    pub(crate) heat: Vec<(String, HeatMap)>,
}

/// What the outputs hold, those that are compared first.
pub struct Outputs(Vec<Output>);

/// An output that has been read.
struct Output {
    name: String,
    place: DeviceTensor,
    contents: Tensor,
}

impl Outputs {
    /// Reads every output.
    pub fn read(prepared: &Prepared, device: &mut Device) -> Result<Outputs, TensorError> {
        let compared = prepared.outputs.iter().map(|output| (output.name, output.tensor));
        let others = prepared.uncompared().into_iter().map(|it| (it.name.as_str(), it.tensor));
        let read = |(name, place): (&str, DeviceTensor)| {
            let contents = place.to_host(device)?;
            Ok(Output { name: name.to_owned(), place, contents })
        };
        compared.chain(others).map(read).collect::<Result<_, _>>().map(Outputs)
    }

    /// Every output whose padding is not as its program declares.
    pub fn padding_faults(
        &self,
        prepared: &Prepared,
        device: &mut Device,
    ) -> Result<Vec<Padded>, TensorError> {
        padding_faults(prepared, device, self)
    }

    /// What each of them holds.
    pub(crate) fn contents(&self) -> impl Iterator<Item = &Tensor> {
        self.0.iter().map(|output| &output.contents)
    }

    /// What a tensor holds, if it is one of them.
    pub(crate) fn of(&self, tensor: &DeviceTensor) -> Option<&Tensor> {
        let output = self.0.iter().find(|output| output.place == *tensor)?;
        Some(&output.contents)
    }

    /// A fingerprint of each output's bits, padding included: equal for equal bits.
    pub(crate) fn bits(&self) -> Vec<(String, u64)> {
        let bits = |it: &Output| (it.name.clone(), fingerprint(it.contents.bytes()));
        self.0.iter().map(bits).collect()
    }

    /// Compares each output with its reference.
    pub(crate) fn judge(
        &self,
        prepared: &Prepared,
        device: &mut Device,
        is_mapped: bool,
    ) -> Result<Judged, TensorError> {
        let padded = self.padding_faults(prepared, device)?;
        let mut all = Judged { bits: Some(self.bits()), padded, ..Judged::default() };
        for (expected, contents) in prepared.outputs.iter().zip(self.contents()) {
            all.judge(expected, contents, is_mapped);
        }
        Ok(all)
    }
}

impl Judged {
    fn judge(&mut self, expected: &Expected, contents: &Tensor, is_mapped: bool) {
        let (name, shape) = (expected.name.to_owned(), &expected.tensor.shape);
        let judgement = match is_mapped {
            false => judge::judge_output(expected, contents),
            true => {
                let reference = (expected.reference)();
                let map = heat_map(&contents.to_f32(), &reference, shape, HEAT_CELLS);
                self.heat.push((name.clone(), map));
                judge::judge_expected(expected, contents, &reference)
            }
        };
        self.beyond.extend(beyond(expected.tensor_name(), shape, &judgement));
        self.outputs.insert(name, record::Output::new(shape, &judgement));
    }
}

/// What the finding `beyond-bound` says of an output, if elements are outside their bounds.
pub fn beyond(name: &str, shape: &Shape, judgement: &Judgement) -> Option<Beyond> {
    let Worst { index, wanted, got, bound, .. } = judgement.worst;
    (!judgement.in_bound).then(|| Beyond {
        output: name.to_owned(),
        shape: *shape,
        worst: index,
        wanted,
        got,
        bound,
        outside: judgement.outside.clone(),
    })
}
