//! Arguments, the same for both kinds of kernels.

use tilewright_machine::{CoreCoord, Site, StopReason};

use crate::api::{Compute, DataMovement};
use crate::kernel::ArgumentKind;

macro_rules! arguments {
    ($kernel:ident) => {
        impl $kernel<'_> {
            /// A runtime argument of this core.
            #[inline]
            #[track_caller]
            pub fn arg(&self, index: usize) -> u32 {
                let site = Site::here();
                self.arguments.positional(self.context, site, ArgumentKind::Runtime, index)
            }

            /// A runtime argument that all cores share.
            #[inline]
            #[track_caller]
            pub fn common_arg(&self, index: usize) -> u32 {
                let site = Site::here();
                self.arguments.positional(self.context, site, ArgumentKind::Common, index)
            }

            /// A compile-time argument.
            #[inline]
            #[track_caller]
            pub fn compile_time_arg(&self, index: usize) -> u32 {
                let site = Site::here();
                self.arguments.positional(self.context, site, ArgumentKind::CompileTime, index)
            }

            /// All compile-time arguments, for accessors that are chained in them.
            pub fn compile_time_args(&self) -> &[u32] {
                &self.arguments.compile_time.values
            }

            /// A compile-time argument by name.
            #[inline]
            #[track_caller]
            pub fn named_arg(&self, name: &str) -> u32 {
                let site = Site::here();
                let named = &self.arguments.compile_time.named;
                named.get(name).copied().unwrap_or_else(|| {
                    let names: Vec<&str> = named.keys().map(String::as_str).collect();
                    let given = format!("named arguments: {}", names.join(", "));
                    let name = format!("compile-time argument `{name}`");
                    self.context.stop(site, StopReason::NoSuchArgument { name, given })
                })
            }

            /// Whether a definition was given.
            pub fn is_defined(&self, name: &str) -> bool {
                self.arguments.compile_time.defines.contains_key(name)
            }

            /// The core this kernel runs on.
            pub fn core(&self) -> CoreCoord {
                self.context.coord()
            }
        }
    };
}

arguments!(Compute);
arguments!(DataMovement);
