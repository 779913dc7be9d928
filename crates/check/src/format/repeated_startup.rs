//! Start-up called again after operations.

use tilewright_machine::{Event, EventKind, Site};

use crate::FindingId;
use crate::class::Class;
use crate::declaration::declare;
use crate::finding::{Finding, Mark};
use crate::of_class;
use crate::per_core::PerCore;
use crate::session::{Checker, Found};
use crate::tool::Tool;

declare! {
    /// # What it finds
    /// `compute_kernel_hw_startup` called after operations: in a loop, or inside a kernel. Called
    /// twice before the first operation it does no harm, and is no finding. Nor are the older calls
    /// that contain the same steps and an init, such as `mm_init` and `binary_op_init_common`: they
    /// are not documented as calls to make once.
    /// # Why it matters
    /// It writes configuration registers past the units' queues, which is only sound while they are
    /// idle. tt-metal's header says to call it once, before any other call of the compute API, and
    /// that behaviour is undefined otherwise. The simulator waits until pack has drained Dst; on a
    /// card, what unpack, math and pack are still doing may come out wrong, now and then.
    /// # Instead
    /// Call it once, at the top of the kernel. For other formats later call `reconfig_data_format`
    /// or `pack_reconfig_data_format`, for another operation its init.
    pub struct RepeatedStartup {
        /// The last operation of each processor since it started up.
        operations: PerCore<[Option<Site>; 5]>,
    }
    Declaration { name: "repeated-startup", tool: Some(Tool::Format) }
}

impl Checker for RepeatedStartup {
    fn classes(&self) -> &'static [Class] {
        &[Class::Section, Class::Unpack, Class::Matrix, Class::Vector, Class::Pack]
    }

    fn event(&mut self, event: &Event, found: &mut Found) {
        let who = event.processor;
        let operation = &mut self.operations.at(who.core)[who.processor as usize];
        match event.kind {
            EventKind::Unpacked { .. }
            | EventKind::Computed { .. }
            | EventKind::Vectored { .. }
            | EventKind::Packed { .. } => *operation = Some(event.site),
            EventKind::StartupRepeated => {
                if let Some(operation) = *operation {
                    report(event, operation, found);
                }
            }
            EventKind::StartedUp
            | EventKind::DstAcquired
            | EventKind::DstCommitted
            | EventKind::DstWaited
            | EventKind::DstReleased
            | EventKind::Zeros { .. }
            | of_class!(Ring, Wait, UnpackFormat, AluFormat, Operation, PackSetting, Network)
            | of_class!(Word, Kernel) => {}
        }
    }
}

fn report(event: &Event, operation: Site, found: &mut Found) {
    let (id, who) = (FindingId::RepeatedStartup, event.processor);
    found.add(id, event.site, (event.cycle, who.core), || {
        let mark = |site, role: &str| Mark {
            role: format!("{} {role}", who.processor),
            site,
            processor: Some(who),
        };
        Finding {
            title: format!(
                "{} on core {} starts up again after operations",
                who.processor, who.core
            ),
            marks: vec![
                mark(operation, "did its last operation before that"),
                mark(event.site, "starts up again"),
            ],
            facts: vec![
                "proof: (2) comes after (1); start-up may only come before every operation"
                    .to_owned(),
            ],
            help: Some(
                "start up once before the loop; use `reconfig_data_format`, \
                 `pack_reconfig_data_format` and the operation's init here"
                    .to_owned(),
            ),
            ..Finding::of(id)
        }
        .at(event.cycle)
    });
}
