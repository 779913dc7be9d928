//! From what a manifest says to tensors on a device and a program.
//!
//! Each part notes its problems and gives what it can, so that one run of it tells them all.

mod bindings;
mod buffers;
pub(super) mod cores;
mod declarations;
mod expected;
pub(super) mod kernels;
mod tensors;

use std::collections::BTreeMap;

use tilewright_metal::{Architecture, Device, KernelId, Program, ProgramBuilder};

use self::cores::Work;
use self::expected::Known;
pub use self::kernels::KernelPlan;
use super::problem::{ManifestError, Problems};
use super::scope::{Scope, in_order};
use super::{Manifest, Overrides, Ready, names};
use crate::operation::Prepared;

/// Puts a kernel into a program.
pub type AddKernel<'a> = dyn FnMut(&mut ProgramBuilder, &KernelPlan) -> KernelId + 'a;

/// Puts the tensors on the device and makes the program.
pub(super) fn prepare(
    manifest: &Manifest,
    device: &mut Device,
    overrides: &Overrides,
    add_kernel: &mut AddKernel<'_>,
) -> Result<Ready, ManifestError> {
    let (document, folder) = (&manifest.document, manifest.folder.as_path());
    let arch = device.architecture().clone();
    let mut problems = Problems::default();
    names::check_values(document, &mut problems);
    let files = tensors::files(document, folder, &mut problems);
    let mut scope = Scope::new(document, &manifest.text, &overrides.values, &files);
    let work = deal(&arch, &mut scope, overrides, &mut problems);
    let filled = tensors::place(device, &mut scope, overrides, &mut problems);
    let mut builder = Program::builder(&manifest.name);
    let mut plans = Vec::new();
    if let Some(work) = &work {
        let known = (&arch, &scope, work);
        buffers::declare(&mut builder, known, |at| manifest.site(at), &mut problems);
        buffers::declare_semaphores(&mut builder, known, &mut problems);
        plans = kernels::plans(known, folder, &mut problems);
    }
    let values = values(&scope, work.as_ref(), &mut problems);
    let compute = plans.iter().find(|plan| plan.place.is_none());
    let known = Known {
        device,
        document,
        folder,
        placed: &scope.placed,
        filled: &filled,
        config: compute.map(|plan| plan.config.clone()).unwrap_or_default(),
        cores: work.map_or(1, |work| work.shares.len() as u32),
    };
    let outputs = expected::outputs(&known, &mut problems);
    let input_tiles = filled.keys().map(|name| scope.placed[name].shape.tiles() as u64).sum();
    let row_sums = declarations::check(&scope, &mut problems);
    problems.into_result(manifest.file, &manifest.text)?;
    declarations::declare(&mut builder, manifest, &scope, &outputs);
    declarations::declare_row_sums(&mut builder, manifest, row_sums);
    for plan in &plans {
        let kernel = add_kernel(&mut builder, plan);
        builder.common_args(kernel, &plan.common);
        for (core, args) in &plan.runtime {
            builder.runtime_args(kernel, *core, args);
        }
    }
    let built = builder.build(&arch, device.l1_lowest());
    let program = built.map_err(|error| manifest.whole(&error.to_string()))?;
    let prepared = Prepared { programs: vec![program], input_tiles, outputs };
    let in_order = in_order(&document.tensors).into_iter();
    let tensors = in_order.map(|(key, _)| (key.value.clone(), scope.placed[&key.value]));
    Ok(Ready { prepared, tensors: tensors.collect(), values })
}

/// Every value of the manifest; one that differs from core to core as on the first.
fn values(
    scope: &Scope<'_>,
    work: Option<&Work>,
    problems: &mut Problems,
) -> BTreeMap<String, i64> {
    let first = work.and_then(|work| Some(work.here(work.shares.first()?.core, 0)));
    let mut values = BTreeMap::new();
    for (key, value) in &scope.document.values {
        let number = match scope.set.get(&key.value) {
            Some(number) => Some(*number),
            None => problems.keep(scope.number_on(value, first)),
        };
        values.extend(number.map(|number| (key.value.clone(), number)));
    }
    values
}

/// The cores of the program, and its work dealt out to them.
fn deal(
    arch: &Architecture,
    scope: &mut Scope<'_>,
    overrides: &Overrides,
    problems: &mut Problems,
) -> Option<Work> {
    let all = problems.keep(cores::program_cores(arch, scope, overrides.cores))?;
    scope.cores = Some(all.len());
    let work = problems.keep(cores::work(arch, scope, &all))?;
    scope.work = Some(work.clone());
    Some(work)
}
