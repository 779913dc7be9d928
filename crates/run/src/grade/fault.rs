//! The kinds of single faults that a test is graded by.
//!
//! Their names are values of `class` in the JSON of `grade`, and stay. `stale-accumulation` and
//! `missing-init` are ids of findings, too: those are what is seen in a run, these what is done to
//! a kernel.

use tilewright_machine::{Change, Site};

use crate::injection::{Injection, Target};

/// One fault.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    /// Its kind.
    pub(crate) class: FaultClass,
    /// What is changed.
    pub(crate) cause: Cause,
    /// Why no output can change, where the run without a fault proves it.
    pub(crate) proof: Option<&'static str>,
}

/// What makes a run faulty.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cause {
    /// One change to a right program.
    Injected(Injection),
    /// Another program with a fault that was reported: its name, and its number among them.
    Reported(String, usize),
}

impl Fault {
    /// The source line that is changed, if it is one.
    pub(crate) fn site(&self) -> Option<Site> {
        match &self.cause {
            Cause::Injected(Injection { target: Target::Call(edit), .. }) => Some(edit.site),
            Cause::Injected(_) | Cause::Reported(..) => None,
        }
    }

    /// Whether both are the same fault of programs for different shapes: the last of ten tiles and
    /// the last of twelve.
    pub(crate) fn is_like(&self, other: &Fault) -> bool {
        let is_like = match (&self.cause, &other.cause) {
            (Cause::Injected(one), Cause::Injected(other)) => {
                one.program == other.program
                    && match (&one.target, &other.target) {
                        (Target::Call(one), Target::Call(other)) => {
                            one.site == other.site && is_like(one.change, other.change)
                        }
                        (one, other) => one == other,
                    }
            }
            (Cause::Injected(_) | Cause::Reported(..), _) => false,
        };
        is_like && self.class == other.class
    }

    /// What is changed, in words.
    pub(crate) fn text(&self) -> String {
        match &self.cause {
            Cause::Injected(injection) => injection.change_text(),
            Cause::Reported(name, _) => name.clone(),
        }
    }
}

/// Whether both are the same change, whichever call it is that is left out.
fn is_like(one: Change, other: Change) -> bool {
    match (one, other) {
        (Change::SkipOne(_), Change::SkipOne(_)) => true,
        (one, other) => one == other,
    }
}

macro_rules! classes {
    ($($class:ident $name:literal $about:literal,)*) => {
        /// A kind of fault.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum FaultClass {
            $(#[doc = $about] $class,)*
        }

        impl FaultClass {
            /// Every kind.
            pub const ALL: &[FaultClass] = &[$(FaultClass::$class),*];

            /// Its name.
            pub fn name(self) -> &'static str {
                match self { $(FaultClass::$class => $name),* }
            }

            /// What is wrong with such a kernel.
            pub fn about(self) -> &'static str {
                match self { $(FaultClass::$class => $about),* }
            }
        }
    };
}

classes! {
    DroppedTile "dropped-tile" "the first tile is not read, computed, packed or written",
    LostLastBlock "lost-last-block" "the last tile is not read, computed, packed or written",
    DoubledTile "doubled-tile" "a tile is computed twice",
    WrongTile "wrong-tile" "the next tile of the buffer is read",
    SwappedOperands "swapped-operands" "the two operands are exchanged",
    WrongBroadcast "wrong-broadcast" "a row, column or value is broadcast in another way",
    SkippedMask "skipped-mask" "a mask is not applied",
    StaleAccumulation "stale-accumulation" "a register is not cleared before it is added to",
    LostCarry "lost-carry" "an intermediate result is not taken up again",
    WrongRegister "wrong-register" "the next register of Dst is used",
    EarlyPush "early-push" "a page is pushed before it is filled",
    LateBarrier "late-barrier" "a barrier is left out, up to the next one",
    MissingWait "missing-wait" "a wait for pages or for a semaphore is left out",
    MissingInit "missing-init" "an init or reconfiguration is left out",
    LessPrecision "less-precision" "products or Dst have one step of precision less",
    WrongShare "wrong-share" "a core's share of the work begins or ends one off",
    Reported "reported" "a fault that was found in a published kernel",
}

impl FaultClass {
    /// The class with a name.
    pub(crate) fn named(name: &str) -> Option<FaultClass> {
        FaultClass::ALL.iter().copied().find(|class| class.name() == name)
    }
}
