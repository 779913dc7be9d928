//! `tilewright corpus`: a tree of C++ kernels against the headers.

use tilewright_report::record::Failure;

use crate::args::Corpus;
use crate::output::{Output, Status};

/// Compiles every kernel below a folder and counts what is missing.
#[cfg(target_os = "linux")]
pub fn corpus(asked: &Corpus, output: &Output) -> Result<Status, Failure> {
    use tilewright_metal::Architecture;
    use tilewright_metal::cpp::corpus::{self, Role, Tally, Target};
    use tilewright_metal::cpp::{CompileOptions, CppError, Workshop};
    use tilewright_report::record::{self, NotCompiled};
    use tilewright_report::{json, terminal};

    let failed = |error: CppError| tilewright_run::not_compiled(&error);
    let folder = asked.folder.canonicalize().map_err(|_| absent(asked))?;
    if !folder.is_dir() {
        return Err(not_a_folder(asked));
    }
    let kernels = corpus::find(&folder, &asked.exclude)
        .map_err(|error| Failure::new(format!("{}: {error}", folder.display())))?;
    if kernels.is_empty() {
        return Err(empty(asked));
    }
    let mut paths = corpus::include_paths(&folder);
    paths.extend(asked.include.iter().cloned());
    let options = CompileOptions { cxx: asked.cxx.clone(), ..CompileOptions::default() };
    let workshop = Workshop::open(&options).map_err(failed)?;
    let progress = output.progress();
    let show = |done, all| progress.show(&format!("{done} of {all} kernels compiled"));
    let arch = Architecture::named(&asked.device).map_err(|it| Failure::new(it.to_string()))?;
    let target = Target { arch: &arch, include_paths: &paths };
    let answers = corpus::survey(&workshop, &kernels, target, &show).map_err(failed)?;
    let strings = corpus::op_strings(&workshop, &folder, &asked.exclude, target).map_err(failed)?;
    drop(progress);
    let (mut compute, mut dataflow) = (Tally::default(), Tally::default());
    let mut not_compiled = Vec::new();
    for (kernel, answer) in kernels.iter().zip(&answers) {
        match kernel.role {
            Role::Compute => compute.add(answer),
            Role::Dataflow => dataflow.add(answer),
        }
        not_compiled.extend(NotCompiled::of(corpus::shown(kernel, &folder), answer));
    }
    let answer = record::Corpus {
        compute: (&compute).into(),
        dataflow: (&dataflow).into(),
        op_strings: strings.iter().map(|it| shown(it, &folder)).collect(),
        note: corpus::NOTE.to_owned(),
        compiler: workshop.compiler().version().to_owned(),
        not_compiled,
    };
    let text = |paint| terminal::corpus(&answer, paint);
    Ok(output.answer(|| json::text(&answer), text, Status::Clean))
}

#[cfg(target_os = "linux")]
fn shown(
    strings: &tilewright_metal::cpp::corpus::OpStrings,
    folder: &std::path::Path,
) -> tilewright_report::record::CorpusOpStrings {
    let file = strings.file.strip_prefix(folder).unwrap_or(&strings.file);
    tilewright_report::record::CorpusOpStrings::of(file.display().to_string(), strings)
}

/// C++ kernels need pointers to L1 below 4 GiB, which only Linux gives.
#[cfg(not(target_os = "linux"))]
pub fn corpus(_: &Corpus, _: &Output) -> Result<Status, Failure> {
    Err(Failure::new("C++ kernels are served on Linux only".to_owned()))
}

#[cfg(target_os = "linux")]
fn absent(asked: &Corpus) -> Failure {
    let message = format!("there is no folder {}", asked.folder.display());
    Failure::new(message).help("give a folder with C++ kernels, such as a checkout of tt-metal")
}

#[cfg(target_os = "linux")]
fn not_a_folder(asked: &Corpus) -> Failure {
    let message = format!("{} is a file; a folder is needed", asked.folder.display());
    Failure::new(message).help("give the folder that it is in")
}

#[cfg(target_os = "linux")]
fn empty(asked: &Corpus) -> Failure {
    let message = format!("there is no C++ kernel below {}", asked.folder.display());
    Failure::new(message).help("a kernel is a .cpp file with `kernel_main` in it")
}
