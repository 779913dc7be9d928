//! Faults as bytes: those of foreign kernels are found in the process that runs them.

use serde::{Deserialize, Serialize};
use tilewright_machine::{CbId, Change, Edit};
use tilewright_metal::{ComputeSettings, DstSync, Site, intern};
use tilewright_tile::{Broadcast, DstWidth, Fidelity};

use super::fault::{Cause, Fault, FaultClass};
use super::places::Places;
use super::trial::{Clean, Trial};
use crate::injection::{Injection, Target};

/// A fault as JSON; nothing if it is another program.
pub(super) fn form(fault: &Fault) -> Option<serde_json::Value> {
    Some(serde_json::to_value(Form::of(fault)?).expect("plain JSON"))
}

/// A fault from JSON; nothing if it is none of ours.
pub(super) fn fault(form: serde_json::Value) -> Option<Fault> {
    serde_json::from_value::<Form>(form).ok()?.fault()
}

/// A line and the lines that called it, the innermost first.
type Lines = Vec<(String, u32, u32)>;

#[derive(Serialize, Deserialize)]
struct Form {
    class: String,
    program: usize,
    target: TargetForm,
    proof: Option<String>,
}

#[derive(Serialize, Deserialize)]
enum TargetForm {
    Call(Lines, ChangeForm),
    Argument(String, usize, i32),
    Settings(bool, bool, String),
}

#[derive(Serialize, Deserialize)]
enum ChangeForm {
    Skip,
    SkipOne(u64),
    Repeat,
    Pages(i32),
    Dst(i32),
    Tile(i32),
    Swap,
    Spread(usize),
    Keep,
    Early(u8),
}

/// Broadcasts by their numbers.
const BROADCASTS: [Broadcast; 4] =
    [Broadcast::None, Broadcast::Column, Broadcast::Row, Broadcast::Scalar];

/// The run without a fault as bytes.
pub(crate) fn encode_clean((clean, trial, places): &(Clean, Trial, Places)) -> Vec<u8> {
    let faults: Vec<Form> = places.faults.iter().filter_map(Form::of).collect();
    serde_json::to_vec(&(clean, trial, faults)).expect("plain JSON")
}

/// The run without a fault from bytes; nothing if they are none of ours.
pub(crate) fn decode_clean(bytes: &[u8]) -> Option<(Clean, Trial, Vec<Fault>)> {
    let (clean, trial, faults): (Clean, Trial, Vec<Form>) = serde_json::from_slice(bytes).ok()?;
    let faults = faults.into_iter().map(Form::fault).collect::<Option<_>>()?;
    Some((clean, trial, faults))
}

impl Form {
    fn of(fault: &Fault) -> Option<Form> {
        let Cause::Injected(Injection { program, target }) = &fault.cause else { return None };
        let target = match target {
            Target::Call(edit) => {
                let sites = std::iter::once(edit.site).chain(edit.site.callers());
                let lines = sites.map(|site| (site.file.to_owned(), site.line, site.column));
                TargetForm::Call(lines.collect(), ChangeForm::of(edit.change))
            }
            Target::Argument { kernel, index, by } => {
                TargetForm::Argument(kernel.clone(), *index, *by)
            }
            Target::Settings(ComputeSettings { width, sync, fidelity }) => TargetForm::Settings(
                *width == DstWidth::Bits32,
                *sync == DstSync::Full,
                fidelity.name().to_owned(),
            ),
        };
        let proof = fault.proof.map(str::to_owned);
        Some(Form { class: fault.class.name().to_owned(), program: *program, target, proof })
    }

    fn fault(self) -> Option<Fault> {
        let target = match self.target {
            TargetForm::Call(lines, change) => {
                let site = lines.iter().rev().fold(None, |caller, (file, line, column)| {
                    let caller = caller.map(|site| &*Box::leak(Box::new(site)));
                    Some(Site { caller, ..Site::new(intern(file), *line, *column) })
                });
                Target::Call(Edit { site: site?, change: change.change()? })
            }
            TargetForm::Argument(kernel, index, by) => Target::Argument { kernel, index, by },
            TargetForm::Settings(is_wide, is_full, fidelity) => {
                let mut all = Fidelity::ALL.into_iter();
                Target::Settings(ComputeSettings {
                    width: if is_wide { DstWidth::Bits32 } else { DstWidth::Bits16 },
                    sync: if is_full { DstSync::Full } else { DstSync::Half },
                    fidelity: all.find(|it| it.name() == fidelity)?,
                })
            }
        };
        let cause = Cause::Injected(Injection { program: self.program, target });
        let proof = self.proof.as_deref().map(intern);
        Some(Fault { class: FaultClass::named(&self.class)?, cause, proof })
    }
}

impl ChangeForm {
    fn of(change: Change) -> ChangeForm {
        let place = |wanted| BROADCASTS.iter().position(|it| *it == wanted).unwrap_or(0);
        match change {
            Change::Skip => ChangeForm::Skip,
            Change::SkipOne(number) => ChangeForm::SkipOne(number),
            Change::Repeat => ChangeForm::Repeat,
            Change::Pages(by) => ChangeForm::Pages(by),
            Change::Dst(by) => ChangeForm::Dst(by),
            Change::Tile(by) => ChangeForm::Tile(by),
            Change::Swap => ChangeForm::Swap,
            Change::Spread(broadcast) => ChangeForm::Spread(place(broadcast)),
            Change::Keep => ChangeForm::Keep,
            Change::Early(cb) => ChangeForm::Early(cb.0),
        }
    }

    fn change(self) -> Option<Change> {
        Some(match self {
            ChangeForm::Skip => Change::Skip,
            ChangeForm::SkipOne(number) => Change::SkipOne(number),
            ChangeForm::Repeat => Change::Repeat,
            ChangeForm::Pages(by) => Change::Pages(by),
            ChangeForm::Dst(by) => Change::Dst(by),
            ChangeForm::Tile(by) => Change::Tile(by),
            ChangeForm::Swap => Change::Swap,
            ChangeForm::Spread(place) => Change::Spread(*BROADCASTS.get(place)?),
            ChangeForm::Keep => Change::Keep,
            ChangeForm::Early(cb) => Change::Early(CbId(cb)),
        })
    }
}
