//! Circular buffers and semaphores, added to a program.

use std::collections::BTreeMap;

use tilewright_metal::{
    Architecture, CbDescription, CbPlacement, CbSpec, CoreSet, ProgramBuilder, Site,
};
use tilewright_tile::DataFormat;

use super::cores::{self, Work};
use super::kernels::no_such;
use crate::at::At;
use crate::document::{Buffer, Program};
use crate::names;
use crate::problem::{Problem, Problems};
use crate::scope::{Scope, in_order};

/// Buffers that lie in the same memory.
struct Group {
    site: Site,
    cores: CoreSet,
    specs: Vec<CbSpec>,
    placement: CbPlacement,
}

/// Declares every buffer at its line of the manifest.
pub(super) fn declare(
    builder: &mut ProgramBuilder,
    (arch, scope, work): (&Architecture, &Scope<'_>, &Work),
    site: impl Fn(usize) -> Site,
    problems: &mut Problems,
) {
    let mut groups: Vec<Group> = Vec::new();
    let mut group_of: BTreeMap<&str, usize> = BTreeMap::new();
    let mut taken: BTreeMap<u8, Vec<(&str, CoreSet)>> = BTreeMap::new();
    for (key, buffer) in in_order(&scope.program.buffers) {
        problems.keep(names::check(key));
        let spec = problems.keep(spec(arch, scope, key, buffer));
        let cores = problems.keep(cores::own(arch, scope, work, buffer.cores.as_ref()));
        let shared = problems.keep(shared(buffer, scope.program, &group_of));
        let placement = problems.keep(placement(scope, key, buffer));
        let (Some(spec), Some(cores), Some(shared), Some(placement)) =
            (spec, cores, shared, placement)
        else {
            continue;
        };
        let of_index = taken.entry(spec.id).or_default();
        problems.keep(unique(key, buffer, (spec.id, &cores), of_index));
        of_index.push((&key.value, cores.clone()));
        let group = shared.unwrap_or(groups.len());
        group_of.insert(&key.value, group);
        match groups.get_mut(group) {
            Some(group) => group.specs.push(spec),
            None => {
                let (site, specs) = (site(key.span.start), vec![spec]);
                groups.push(Group { site, cores, specs, placement });
            }
        }
    }
    for Group { site, cores, specs, placement } in groups {
        builder.circular_buffer_as(CbDescription { specs, cores, placement, site });
    }
}

/// Where a buffer lies: in a tensor, or where the program puts it.
fn placement(scope: &Scope<'_>, key: &At<String>, buffer: &Buffer) -> Result<CbPlacement, Problem> {
    let Some(tensor) = &buffer.in_tensor else {
        let Some(offset) = &buffer.offset else { return Ok(CbPlacement::Allocated) };
        let message = format!("buffer `{}` has `offset`, which is for `in_tensor`", key.value);
        return Err(Problem::new(offset.span.clone(), message));
    };
    if let Some(shares) = &buffer.shares {
        let message = format!("buffer `{}` has both `in_tensor` and `shares`", key.value);
        return Err(Problem::new(shares.span.clone(), message)
            .help("a buffer that shares lies where the other does"));
    }
    if !scope.document.tensors.keys().any(|known| known.value == tensor.value) {
        return Err(no_such("tensor", tensor, scope.document.tensors.keys()));
    }
    scope.uses(&tensor.value);
    let offset = buffer.offset.as_ref();
    let offset = offset.map(|it| scope.in_range(it, "`offset`", 0..=i64::from(u32::MAX)));
    let offset = offset.transpose()?.unwrap_or(0);
    Ok(CbPlacement::Tensor { name: tensor.value.clone(), offset })
}

fn spec(
    arch: &Architecture,
    scope: &Scope<'_>,
    key: &At<String>,
    buffer: &Buffer,
) -> Result<CbSpec, Problem> {
    let most = i64::from(arch.circular_buffers) - 1;
    let id = scope.in_range(&buffer.index, "`index`", 0..=most)? as u8;
    let pages = scope.in_range(&buffer.pages, "`pages`", 1..=0xffff)?;
    let format: DataFormat = buffer.format.into();
    let Some(bytes) = &buffer.page_bytes else {
        return Ok(scratch(buffer, CbSpec::tiles(id, &key.value, format, pages)));
    };
    let page_bytes = scope.in_range(bytes, "`page_bytes`", 16..=i64::from(arch.l1_bytes))?;
    if page_bytes % 16 != 0 {
        let message = format!("`page_bytes` is {page_bytes}; it must be a multiple of 16");
        return Err(Problem::new(bytes.span.clone(), message)
            .help("compute processors count a ring in units of 16 bytes"));
    }
    Ok(scratch(buffer, CbSpec::pages(id, &key.value, format, page_bytes, pages)))
}

fn scratch(buffer: &Buffer, spec: CbSpec) -> CbSpec {
    if buffer.scratch { spec.scratch() } else { spec }
}

/// The group whose memory a buffer uses, if it uses another's.
fn shared(
    buffer: &Buffer,
    program: &Program,
    group_of: &BTreeMap<&str, usize>,
) -> Result<Option<usize>, Problem> {
    let Some(other) = &buffer.shares else { return Ok(None) };
    if let Some(group) = group_of.get(other.value.as_str()) {
        return Ok(Some(*group));
    }
    let is_later = program.buffers.keys().any(|key| key.value == other.value);
    let message = format!("no buffer `{}` is declared before this one", other.value);
    let problem = Problem::new(other.span.clone(), message);
    Err(if is_later { problem.help("declare the one that is shared first") } else { problem })
}

/// An index belongs to one buffer of a core.
fn unique(
    key: &At<String>,
    buffer: &Buffer,
    (id, cores): (u8, &CoreSet),
    of_index: &[(&str, CoreSet)],
) -> Result<(), Problem> {
    let overlaps = |(_, other): &&(&str, CoreSet)| other.iter().any(|core| cores.contains(core));
    match of_index.iter().find(overlaps) {
        None => Ok(()),
        Some((other, _)) => {
            let message = format!("buffers `{other}` and `{}` both have index {id}", key.value);
            Err(Problem::new(buffer.index.span.clone(), message)
                .help("a core has one buffer of each index"))
        }
    }
}

/// Declares the semaphores in their order, which is their number.
pub(super) fn declare_semaphores(
    builder: &mut ProgramBuilder,
    (arch, scope, work): (&Architecture, &Scope<'_>, &Work),
    problems: &mut Problems,
) {
    let most = arch.semaphores as usize;
    for (index, (key, semaphore)) in in_order(&scope.program.semaphores).into_iter().enumerate() {
        problems.keep(names::check(key));
        if index == most {
            let message = format!("more than {most} semaphores; a core holds no more");
            problems.add(Problem::new(key.span.clone(), message));
        }
        let initial = semaphore
            .initial
            .as_ref()
            .map_or(Ok(0), |initial| scope.in_range(initial, "`initial`", 0..=i64::from(u32::MAX)));
        let cores = problems.keep(cores::own(arch, scope, work, semaphore.cores.as_ref()));
        if let (Some(initial), Some(cores)) = (problems.keep(initial), cores) {
            builder.semaphore(cores, initial);
        }
    }
}
