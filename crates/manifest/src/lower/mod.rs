//! From what a manifest says to tensors on a device and a program.
//!
//! Each part notes its problems and gives what it can, so that one run of it tells them all.

mod bindings;
mod buffers;
pub(super) mod cores;
mod declarations;
mod expected;
mod filling;
pub(super) mod kernels;
mod tensors;

use std::collections::BTreeMap;

use tilewright_metal::{
    Architecture, Device, Expected, KernelId, Prepared, Program, ProgramBuilder,
};

use self::cores::Work;
use self::declarations::Uses;
use self::expected::Known;
pub use self::kernels::KernelPlan;
use super::document;
use super::problem::{ManifestError, Problem, Problems};
use super::programs::Part;
use super::reference::References;
use super::scope::{Scope, in_order};
use super::{Manifest, Overrides, Ready, names};

/// Puts a kernel into a program.
pub type AddKernel<'a> = dyn FnMut(&mut ProgramBuilder, &KernelPlan) -> KernelId + 'a;

/// A program of which everything is known but its tensors' declarations.
struct Making<'a> {
    part: &'a Part,
    scope: Scope<'a>,
    work: Option<Work>,
    builder: ProgramBuilder,
    plans: Vec<KernelPlan>,
}

/// Puts the tensors on the device and makes the programs.
pub(super) fn prepare(
    manifest: &Manifest,
    device: &mut Device,
    (overrides, references): (&Overrides, &dyn References),
    add_kernel: &mut AddKernel<'_>,
) -> Result<Ready, ManifestError> {
    let (document, folder) = (&manifest.document, manifest.folder.as_path());
    let arch = device.architecture().clone();
    let mut problems = Problems::default();
    names::check_values(document, &mut problems);
    let files = tensors::files(document, folder, &mut problems);
    let several = shared_by_several(manifest);
    let first = several.as_ref().unwrap_or(&manifest.programs[0].program);
    let mut scope = Scope::new(
        (document, first),
        (arch.grid_columns, arch.grid_rows),
        &manifest.text,
        &overrides.values,
        &files,
    );
    let work = deal(&arch, &mut scope, overrides, &mut problems);
    let sources = tensors::place(device, &mut scope, overrides, &mut problems);
    let mut programs = Vec::new();
    let mut make = |part, (scope, work), problems: &mut Problems| {
        programs.push(making(manifest, &arch, part, (scope, work), problems));
    };
    match manifest.programs.as_slice() {
        [alone] => make(alone, (scope, work), &mut problems),
        parts => parts.iter().for_each(|part| {
            let mut scope = scope.with_program(&part.program);
            let work = deal(&arch, &mut scope, overrides, &mut problems);
            make(part, (scope, work), &mut problems);
        }),
    }
    let values = values(&programs, &mut problems);
    let placed = &programs[0].scope.placed;
    let filled = filling::fill(device, &programs[0].scope, &sources, &mut problems);
    let known = Known { device, references, document, folder, placed, filled };
    let outputs = outputs(&known, &programs, &mut problems);
    let named = programs.iter().map(|program| (program.part.name.as_str(), &program.scope));
    let uses = Uses::new(named, &outputs);
    let row_sums = uses.check(programs.iter().map(|program| &program.scope), &mut problems);
    let tiles = |name: &String| known.placed[name].shape.tiles() as u64;
    let input_tiles = known.filled.keys().map(tiles).sum();
    let few_cores = few_cores(&programs);
    problems.into_result(manifest.file, &manifest.text)?;
    let in_order = in_order(&document.tensors).into_iter();
    let tensors = in_order.map(|(key, _)| (key.value.clone(), known.placed[&key.value])).collect();
    let mut made = Vec::new();
    for (number, (mut program, row_sums)) in programs.into_iter().zip(row_sums).enumerate() {
        uses.declare(&mut program.builder, manifest, &program.scope, number);
        declarations::declare_row_sums(&mut program.builder, manifest, row_sums);
        made.push(finish(manifest, (device, &arch), program, add_kernel)?);
    }
    let prepared = Prepared { programs: made, input_tiles, outputs };
    Ok(Ready { prepared, tensors, values, few_cores })
}

/// What expressions of tensors know where programs are several: the manifest's cores alone.
fn shared_by_several(manifest: &Manifest) -> Option<document::Program> {
    let cores = manifest.document.cores.clone();
    (manifest.programs.len() > 1)
        .then(|| document::Program { cores, ..document::Program::default() })
}

/// Buffers, semaphores and kernels of a program.
fn making<'a>(
    manifest: &Manifest,
    arch: &Architecture,
    part: &'a Part,
    (scope, work): (Scope<'a>, Option<Work>),
    problems: &mut Problems,
) -> Making<'a> {
    let mut builder = Program::builder(&part.name);
    let mut plans = Vec::new();
    if let Some(work) = &work {
        let known = (arch, &scope, work);
        buffers::declare(&mut builder, known, |at| manifest.site(at), problems);
        buffers::declare_semaphores(&mut builder, known, problems);
        plans = kernels::plans(known, &manifest.folder, problems);
    }
    Making { part, scope, work, builder, plans }
}

/// The least number of cores that a program's share asks for, if all programs leave it to us.
fn few_cores(programs: &[Making<'_>]) -> Option<u32> {
    let few = programs.iter().map(|program| {
        let work = program.work.as_ref()?;
        cores::few(&program.scope, work)
    });
    let few: Vec<u32> = few.collect::<Option<_>>()?;
    let few = few.into_iter().min()?;
    let used = programs.iter().filter_map(|program| program.work.as_ref());
    let used = used.map(|work| work.shares.len()).max()?;
    ((few as usize) < used).then_some(few)
}

/// What must come out of all programs.
fn outputs(known: &Known<'_>, programs: &[Making<'_>], problems: &mut Problems) -> Vec<Expected> {
    let mut outputs = Vec::new();
    for program in programs {
        let Some(reference) = &program.part.program.reference else { continue };
        let compute = program.plans.iter().find(|plan| plan.place.is_none());
        let config = compute.map(|plan| plan.config.clone()).unwrap_or_default();
        let cores = program.work.as_ref().map_or(1, |work| work.shares.len() as u32);
        let judged = expected::by_reference(known, reference, (config, cores), problems);
        let is_known = |it: &Expected| outputs.iter().any(|known: &Expected| known.name == it.name);
        if let Some(twice) = judged.iter().find(|it| is_known(it)) {
            let message = format!("the reference of another program judges `{}`, too", twice.name);
            problems.add(Problem::new(reference.span.clone(), message));
        }
        outputs.extend(judged);
    }
    outputs.extend(expected::by_files(known, &outputs, problems));
    outputs
}

/// Adds the kernels and builds the program.
fn finish(
    manifest: &Manifest,
    (device, arch): (&Device, &Architecture),
    program: Making<'_>,
    add_kernel: &mut AddKernel<'_>,
) -> Result<Program, ManifestError> {
    let Making { part, mut builder, plans, .. } = program;
    for plan in &plans {
        let kernel = add_kernel(&mut builder, plan);
        builder.common_args(kernel, &plan.common);
        for (core, args) in &plan.runtime {
            builder.runtime_args(kernel, *core, args);
        }
    }
    let built = builder.build(arch, device.l1_lowest());
    built.map_err(|error| manifest.whole(part, &error.to_string()))
}

/// Every value of the manifest, in the first program that can tell it; one that differs from core
/// to core as on the first.
fn values(programs: &[Making<'_>], problems: &mut Problems) -> BTreeMap<String, i64> {
    let scope = &programs[0].scope;
    let mut values = BTreeMap::new();
    for (key, value) in &scope.document.values {
        let on_first = |Making { scope, work, .. }: &Making<'_>| {
            let first = work.as_ref().and_then(|work| Some((work, work.shares.first()?.core)));
            scope.number_on(value, first.map(|(work, core)| work.here(core, 0)))
        };
        let mut told: Vec<_> = programs.iter().map(on_first).collect();
        let right = told.iter().position(Result::is_ok).unwrap_or(0);
        let number = match scope.set.get(&key.value) {
            Some(number) => Some(*number),
            None => problems.keep(told.swap_remove(right)),
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
