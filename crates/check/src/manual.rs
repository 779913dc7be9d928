//! Manuals: the documentation of a checker's type is what `tilewright explain` prints.

use crate::FindingId;
use crate::ending_manual as ending;
use crate::{dst, format, init, memory, race, sync, value};

/// Declares a type whose documentation is also its constant `MANUAL`.
macro_rules! manual {
    ($(#[doc = $line:literal])* pub struct $name:ident { $($body:tt)* }) => {
        $(#[doc = $line])*
        #[derive(Default)]
        pub struct $name { $($body)* }

        impl $name {
            /// What `tilewright explain` prints.
            pub const MANUAL: &'static str = concat!($($line, "\n"),*);
        }
    };
}
pub(crate) use manual;

/// The manual of a kind of finding.
pub fn text(id: FindingId) -> String {
    let manual = match id {
        FindingId::KernelPanic => ending::KernelPanic::MANUAL,
        FindingId::MissingStartup => ending::MissingStartup::MANUAL,
        FindingId::MissingInit => ending::MissingInit::MANUAL,
        FindingId::OutOfBounds => ending::OutOfBounds::MANUAL,
        FindingId::Misaligned => ending::Misaligned::MANUAL,
        FindingId::NoSuchBuffer => ending::NoSuchBuffer::MANUAL,
        FindingId::NoSuchArgument => ending::NoSuchArgument::MANUAL,
        FindingId::NotModelled => ending::NotModelled::MANUAL,
        FindingId::CycleLimit => ending::CycleLimit::MANUAL,
        FindingId::Livelock => ending::Livelock::MANUAL,
        FindingId::EndlessLoop => ending::EndlessLoop::MANUAL,
        FindingId::UnstableOutput => ending::UnstableOutput::MANUAL,
        FindingId::KernelCrash => ending::KernelCrash::MANUAL,
        FindingId::AssertFailed => ending::AssertFailed::MANUAL,
        FindingId::Deadlock => ending::Deadlock::MANUAL,
        FindingId::CircularWait => sync::CircularWait::MANUAL,
        FindingId::StarvedWait => sync::StarvedWait::MANUAL,
        FindingId::MissingPush => sync::MissingPush::MANUAL,
        FindingId::MissingPop => sync::MissingPop::MANUAL,
        FindingId::LeftoverPages => sync::LeftoverPages::MANUAL,
        FindingId::UnflushedAtExit => sync::UnflushedAtExit::MANUAL,
        FindingId::StaleAccumulation => dst::StaleAccumulation::MANUAL,
        FindingId::NestedAcquire => dst::NestedAcquire::MANUAL,
        FindingId::DstOutsideSection => dst::DstOutsideSection::MANUAL,
        FindingId::DstCapacity => dst::DstCapacity::MANUAL,
        FindingId::UnawaitedRead => race::UnawaitedRead::MANUAL,
        FindingId::OverwrittenInFlight => race::OverwrittenInFlight::MANUAL,
        FindingId::ReadBeforeLanding => race::ReadBeforeLanding::MANUAL,
        FindingId::DataBeforeCredit => race::DataBeforeCredit::MANUAL,
        FindingId::ConflictingAccess => race::ConflictingAccess::MANUAL,
        FindingId::LostUpdate => race::LostUpdate::MANUAL,
        FindingId::SkippableWait => race::SkippableWait::MANUAL,
        FindingId::UninitialisedPage => init::UninitialisedPage::MANUAL,
        FindingId::StaleLap => init::StaleLap::MANUAL,
        FindingId::UninitialisedL1 => init::UninitialisedL1::MANUAL,
        FindingId::UninitialisedDst => init::UninitialisedDst::MANUAL,
        FindingId::PaddingInOutput => init::PaddingInOutput::MANUAL,
        FindingId::UnwrittenOutput => init::UnwrittenOutput::MANUAL,
        FindingId::UninitialisedBranch => init::UninitialisedBranch::MANUAL,
        FindingId::UninitialisedSemaphore => sync::UninitialisedSemaphore::MANUAL,
        FindingId::LostContribution => value::LostContribution::MANUAL,
        FindingId::BeyondBound => value::BeyondBound::MANUAL,
        FindingId::OutputPadding => value::OutputPadding::MANUAL,
        FindingId::LostOnRelease => dst::LostOnRelease::MANUAL,
        FindingId::UnreleasedSection => dst::UnreleasedSection::MANUAL,
        FindingId::UnpackFormat => format::UnpackFormat::MANUAL,
        FindingId::AluFormat => format::AluFormat::MANUAL,
        FindingId::PackFormat => format::PackFormat::MANUAL,
        FindingId::WrongInit => format::WrongInit::MANUAL,
        FindingId::RepeatedStartup => format::RepeatedStartup::MANUAL,
        FindingId::PageSize => format::PageSize::MANUAL,
        FindingId::OutsideTensor => memory::OutsideTensor::MANUAL,
        FindingId::OutsideWindow => memory::OutsideWindow::MANUAL,
        FindingId::OverReserve => memory::OverReserve::MANUAL,
        FindingId::OverPush => memory::OverPush::MANUAL,
        FindingId::OverPop => memory::OverPop::MANUAL,
        FindingId::StraddlesEnd => memory::StraddlesEnd::MANUAL,
        FindingId::L1Budget => memory::L1Budget::MANUAL,
    };
    manual.lines().map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line))).collect()
}

/// What a kind of finding is, in its manual's first sentence.
pub fn summary(id: FindingId) -> String {
    let text = text(id);
    let body = text.lines().filter(|line| !line.starts_with('#'));
    let body = body.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    body.split_once(". ").map_or_else(|| body.clone(), |(first, _)| format!("{first}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_manual_has_its_three_parts() {
        for id in FindingId::ALL {
            let text = text(id);
            assert!(text.starts_with("# What it finds\n"), "{id}:\n{text}");
            assert!(text.contains("\n# Why it matters\n"), "{id}:\n{text}");
            assert!(text.contains("\n# Instead\n"), "{id}:\n{text}");
            assert!(summary(id).ends_with('.'), "{id}: {}", summary(id));
        }
    }
}
