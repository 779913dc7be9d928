//! Kernels and their arguments, as the program builder takes them.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use tilewright_metal::{
    ApiGeneration, Architecture, CompileTimeArgs, ComputeConfig, CoreCoord, CoreSet,
    DataMovementConfig, DataMovementPlace, DataMovementProcessor, NocId, NocSharing, nearest,
};
use tilewright_tile::DstWidth;

use super::bindings;
use super::cores::{self, Work};
use crate::at::At;
use crate::document::{Kernel, Place};
use crate::problem::{Problem, Problems};
use crate::scope::{Here, Scope, in_order};
use crate::word::{Argument, Expression};

/// A kernel with every expression evaluated.
#[derive(Clone, Debug)]
pub struct KernelPlan {
    /// Its name in the manifest.
    pub name: String,
    /// Its source.
    pub file: PathBuf,
    /// Folders that are searched for headers.
    pub include_paths: Vec<PathBuf>,
    /// Generated names that stand before the source.
    pub prelude: String,
    /// Where it runs, in the manifest's word.
    pub runs_on: &'static str,
    /// Where a data-movement kernel runs; none for compute.
    pub place: Option<DataMovementPlace>,
    /// What a compute kernel is compiled with.
    pub config: ComputeConfig,
    /// Its cores.
    pub cores: CoreSet,
    /// Arguments that are fixed for all cores, and definitions.
    pub compile_time: CompileTimeArgs,
    /// Runtime arguments that all cores share.
    pub common: Vec<u32>,
    /// Runtime arguments of each core.
    pub runtime: Vec<(CoreCoord, Vec<u32>)>,
}

/// Every kernel that has a core, in the order of the manifest.
pub(super) fn plans(
    (arch, scope, work): (&Architecture, &Scope<'_>, &Work),
    folder: &Path,
    problems: &mut Problems,
) -> Vec<KernelPlan> {
    let mut plans: Vec<KernelPlan> = Vec::new();
    for (key, kernel) in in_order(&scope.program.kernels) {
        problems.keep(source(folder, &kernel.file));
        kernel.include.iter().for_each(|folder_of| {
            problems.keep(include(folder, folder_of));
        });
        let place = problems.keep(place(kernel)).flatten();
        let config = config(scope, kernel, problems);
        let cores = problems.keep(cores::own(arch, scope, work, kernel.cores.as_ref()));
        let mut compile_time = compile_time(scope, kernel, problems);
        let bound = bindings::bind(scope, kernel, compile_time.values.len(), problems);
        compile_time.values.extend(bound.compile_time);
        let mut common = bound.common;
        common.extend(words(scope, &kernel.common_args, None, problems));
        let Some(cores) = cores else { continue };
        let runtime = runtime(scope, work, kernel, &cores, problems);
        problems.keep(apart(key, kernel, &cores, &plans));
        // The second group of a split that comes out even.
        if cores.is_empty() {
            continue;
        }
        plans.push(KernelPlan {
            name: key.value.clone(),
            file: folder.join(&kernel.file.value),
            include_paths: kernel.include.iter().map(|it| folder.join(&it.value)).collect(),
            prelude: bound.prelude,
            runs_on: kernel.runs_on.value.name(),
            place,
            config,
            cores,
            compile_time,
            common,
            runtime,
        });
    }
    plans.iter_mut().flat_map(|plan| &mut plan.include_paths).for_each(shorten);
    plans
}

fn source(folder: &Path, file: &At<String>) -> Result<(), Problem> {
    if folder.join(&file.value).is_file() {
        return Ok(());
    }
    let message = format!("there is no file `{}`", file.value);
    Err(Problem::new(file.span.clone(), message).help("paths begin at the manifest's folder"))
}

fn include(folder: &Path, include: &At<String>) -> Result<(), Problem> {
    if folder.join(&include.value).is_dir() {
        return Ok(());
    }
    let message = format!("there is no folder `{}`", include.value);
    Err(Problem::new(include.span.clone(), message).help("paths begin at the manifest's folder"))
}

/// Says a path without `..` where that is the same: reports name headers by it.
fn shorten(path: &mut PathBuf) {
    let mut short = PathBuf::new();
    for part in path.components() {
        let can_drop = matches!(short.components().next_back(), Some(Component::Normal(_)));
        if part == Component::ParentDir && can_drop {
            short.pop();
        } else {
            short.push(part);
        }
    }
    // Where a folder is a link, `..` leads elsewhere.
    if matches!((path.canonicalize(), short.canonicalize()), (Ok(a), Ok(b)) if a == b) {
        *path = short;
    }
}

/// Where a kernel moves data, if it does: a processor, and its usual network or the one it names.
fn place(kernel: &Kernel) -> Result<Option<DataMovementPlace>, Problem> {
    let usual = kernel.runs_on.value.data_movement();
    let Some(noc) = &kernel.noc else { return Ok(usual) };
    let wrong = |message: String| Problem::new(noc.span.clone(), message);
    let named = match noc.value {
        0 => NocId::Zero,
        1 => NocId::One,
        other => return Err(wrong(format!("there is no network {other}")).help("write 0 or 1")),
    };
    let (processor, usual_noc) = match kernel.runs_on.value {
        Place::Reader => (DataMovementProcessor::Riscv1, NocId::Zero),
        Place::Writer => (DataMovementProcessor::Riscv0, NocId::One),
        Place::Compute => return Err(wrong("a compute kernel has no network".to_owned())),
    };
    let config = DataMovementConfig { processor, noc: named, noc_mode: NocSharing::default() };
    Ok(if named == usual_noc { usual } else { Some(DataMovementPlace::On(config)) })
}

/// A processor runs one kernel.
fn apart(
    key: &At<String>,
    kernel: &Kernel,
    cores: &CoreSet,
    before: &[KernelPlan],
) -> Result<(), Problem> {
    let here = before.iter().filter(|other| other.runs_on == kernel.runs_on.value.name());
    let clash = here.flat_map(|other| other.cores.iter().map(move |core| (other, core)));
    match clash.into_iter().find(|(_, core)| cores.contains(*core)) {
        None => Ok(()),
        Some((other, core)) => {
            let (first, second) = (&other.name, &key.value);
            let place = kernel.runs_on.value.name();
            let message =
                format!("kernels `{first}` and `{second}` are both the {place} of core {core}");
            Err(Problem::new(kernel.runs_on.span.clone(), message)
                .help("give them different cores or places"))
        }
    }
}

fn config(scope: &Scope<'_>, kernel: &Kernel, problems: &mut Problems) -> ComputeConfig {
    let place = kernel.runs_on.value;
    let given = [
        ("fidelity", kernel.fidelity.as_ref().map(|it| &it.span)),
        ("dst_bits", kernel.dst_bits.as_ref().map(|it| &it.span)),
        ("dst_sync", kernel.dst_sync.as_ref().map(|it| &it.span)),
        ("math_approx_mode", kernel.math_approx_mode.as_ref().map(|it| &it.span)),
        ("bfp8_pack_precise", kernel.bfp8_pack_precise.as_ref().map(|it| &it.span)),
        ("unpack_to_dst", kernel.unpack_to_dst.as_ref().map(|it| &it.span)),
    ];
    for (name, span) in given.iter().filter(|_| place != Place::Compute) {
        if let Some(span) = span {
            let message = format!("`{name}` says nothing for a {}", place.name());
            problems.add(Problem::new((*span).clone(), message).help("it is for compute kernels"));
        }
    }
    let mut config = ComputeConfig::default();
    let settings = &mut config.settings;
    if let Some(fidelity) = &kernel.fidelity {
        settings.fidelity = fidelity.value.into();
    }
    if let Some(sync) = &kernel.dst_sync {
        settings.sync = sync.value.into();
    }
    match &kernel.dst_bits {
        Some(At { value: 32, .. }) => settings.width = DstWidth::Bits32,
        Some(At { value: 16, .. }) | None => {}
        Some(At { value, span }) => {
            let message = format!("`dst_bits` is {value}; it must be 16 or 32");
            problems.add(Problem::new(span.clone(), message));
        }
    }
    config.math_approx_mode = kernel.math_approx_mode.as_ref().is_some_and(|it| it.value);
    config.bfp8_pack_precise = kernel.bfp8_pack_precise.as_ref().is_some_and(|it| it.value);
    config.unpack_to_dst = unpack_to_dst(scope, kernel, problems);
    config
}

fn unpack_to_dst(scope: &Scope<'_>, kernel: &Kernel, problems: &mut Problems) -> BTreeSet<u8> {
    let mut indices = BTreeSet::new();
    let buffers = &scope.program.buffers;
    for name in kernel.unpack_to_dst.iter().flat_map(|names| &names.value) {
        let Some((_, buffer)) = buffers.iter().find(|(key, _)| key.value == name.value) else {
            problems.add(no_such("buffer", name, buffers.keys()));
            continue;
        };
        if let Some(index) = problems.keep(scope.in_range(&buffer.index, "`index`", 0..=63)) {
            indices.insert(index as u8);
        }
    }
    indices
}

/// A name that is none of those declared.
pub(super) fn no_such<'n>(
    what: &str,
    name: &At<String>,
    known: impl Iterator<Item = &'n At<String>>,
) -> Problem {
    let known: Vec<&str> = known.map(|key| key.value.as_str()).collect();
    let problem = Problem::new(name.span.clone(), format!("unknown {what} `{}`", name.value));
    match nearest(&name.value, known.iter().copied()) {
        Some(near) => problem.help(format!("did you mean `{near}`?")),
        None if known.is_empty() => problem.help(format!("the manifest declares no {what}")),
        None => problem.help(format!("known: {}", known.join(", "))),
    }
}

fn compile_time(scope: &Scope<'_>, kernel: &Kernel, problems: &mut Problems) -> CompileTimeArgs {
    let mut args =
        CompileTimeArgs { defines: kernel.defines.clone(), ..CompileTimeArgs::default() };
    let api = ApiGeneration::from(kernel.api).define();
    args.defines.extend(api.map(|name| (name.to_owned(), "1".to_owned())));
    for given in &kernel.compile_time_args {
        match accessor(given) {
            Some(tensor) => accessor_words(scope, given, tensor, &mut args.values, problems),
            None => args.values.extend(problems.keep(word(scope, given, None))),
        }
    }
    for (name, given) in &kernel.named_args {
        let value = problems.keep(word(scope, given, None));
        args.named.extend(value.map(|value| (name.value.clone(), value)));
    }
    args
}

/// The tensor whose accessor an entry stands for.
fn accessor(given: &At<Expression>) -> Option<&str> {
    match &given.value {
        Expression::Text(text) => text.trim().strip_prefix("tensor.")?.strip_suffix(".accessor"),
        Expression::Number(_) => None,
    }
}

fn accessor_words(
    scope: &Scope<'_>,
    given: &At<Expression>,
    tensor: &str,
    words: &mut Vec<u32>,
    problems: &mut Problems,
) {
    let tensors = &scope.document.tensors;
    if !tensors.keys().any(|key| key.value == tensor) {
        let name = At { value: tensor.to_owned(), span: given.span.clone() };
        problems.add(no_such("tensor", &name, tensors.keys()));
    }
    scope.uses(tensor);
    // One that could not be placed has been reported.
    if let Some(placed) = scope.placed.get(tensor) {
        placed.accessor_args().append_to(words);
    }
}

fn runtime(
    scope: &Scope<'_>,
    work: &Work,
    kernel: &Kernel,
    cores: &CoreSet,
    problems: &mut Problems,
) -> Vec<(CoreCoord, Vec<u32>)> {
    let args = bindings::runtime_args(kernel);
    for list in &args {
        if let Argument::PerCore(list_values) = &list.value
            && list_values.len() != cores.len()
        {
            let (given, wanted) = (list_values.len(), cores.len());
            let message = format!("a list of {given} for {wanted} cores");
            problems.add(
                Problem::new(list.span.clone(), message)
                    .help("an argument that is a list has an entry for each core of the kernel"),
            );
        }
    }
    let on_core = |(index, core): (usize, CoreCoord), problems: &mut Problems| {
        let here = Some(work.here(core, index));
        let given = args.iter().filter_map(|argument| match &argument.value {
            Argument::One(one) => Some(At { value: one.clone(), span: argument.span.clone() }),
            Argument::PerCore(list) => list.get(index).cloned(),
        });
        let given: Vec<At<Expression>> = given.collect();
        (core, words(scope, &given, here, problems))
    };
    cores.iter().enumerate().map(|core| on_core(core, problems)).collect()
}

fn words(
    scope: &Scope<'_>,
    given: &[At<Expression>],
    here: Option<Here>,
    problems: &mut Problems,
) -> Vec<u32> {
    given.iter().filter_map(|given| problems.keep(word(scope, given, here))).collect()
}

/// A number as the 32 bits that a kernel gets; negative ones as two's complement.
pub(super) fn word(
    scope: &Scope<'_>,
    given: &At<Expression>,
    here: Option<Here>,
) -> Result<u32, Problem> {
    let number = scope.number_on(given, here)?;
    let least = i64::from(i32::MIN);
    if (least..=i64::from(u32::MAX)).contains(&number) {
        return Ok(number as u32);
    }
    let message = format!("the argument is {number}, which does not fit in 32 bits");
    Err(Problem::new(given.span.clone(), message))
}
