//! A host program from its source to its end, with the record that `run` makes of it.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;

use tilewright_check::{Tool, Tools};
use tilewright_metal::Capture;
use tilewright_metal::cpp::{
    CompileOptions, CppError, Executable, ExecutableParts, HeaderSet, Prebuilt, Runtime, Workshop,
};
use tilewright_run::record::{self, Failure, Printed, PrintedSource};
use tilewright_run::supervision::{Guard, adapt, keep_on_exec};
use tilewright_run::{FrontEnd, HostProgramEnding, LaunchCommand, Request, Witness, not_compiled};

use crate::grade::Grading;
use crate::message;
use crate::session::{HostSession, Refusal};

/// The headers of host programs.
pub(crate) const HOST_HEADERS: HeaderSet =
    HeaderSet { name: "host-headers", files: crate::HEADERS };
/// What is compiled once and linked to host programs, in one file for other build systems.
pub(crate) const WHOLE_RUNTIME: &str = "tilewright/host/runtime.cpp";
/// The same in two parts.
const RUNTIME: Runtime = Runtime {
    core: "tilewright/host/core.cpp",
    more: "tilewright/host/more.cpp",
    folders: &["ttnn", "tt-metalium/experimental", "tt-metalium/program_descriptors.hpp"],
    prebuilt: include!(concat!(env!("OUT_DIR"), "/prebuilt.rs")),
};
/// Names the descriptor of the way to this process.
const LINK: &str = "TILEWRIGHT_HOST_LINK";

/// A host program and how to run it.
#[derive(Clone, Debug)]
pub struct Exec {
    /// The program.
    pub program: HostProgram,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// How every launch is run; the subject is not looked at.
    pub request: Request,
    /// Where its streams go.
    pub streams: Streams,
    /// Which launch a witness sees, and which is captured; 1 is the first.
    pub launch: u64,
    /// Whether to capture that launch.
    pub is_captured: bool,
}

impl Exec {
    /// The command that runs it again.
    fn command(&self) -> LaunchCommand {
        let mut command = vec!["tilewright".to_owned(), "exec".to_owned()];
        let mut subject = Vec::new();
        let path = |path: &Path| path.display().to_string();
        match &self.program {
            HostProgram::Source { file, include_paths, arguments } => {
                for folder in include_paths {
                    command.extend(["-I".to_owned(), path(folder)]);
                }
                command.extend(arguments.iter().map(|argument| format!("--cxx-arg={argument}")));
                subject.push(path(file));
            }
            HostProgram::Compiled(file) => command.extend(["--program".to_owned(), path(file)]),
        }
        subject.extend(self.arguments.iter().map(|argument| argument.display().to_string()));
        LaunchCommand::new(&command, &self.request, &subject)
    }
}

/// What to run.
#[derive(Clone, Debug)]
pub enum HostProgram {
    /// A source file, with folders for its headers and further arguments for the compiler.
    Source {
        /// The file with `main`.
        file: PathBuf,
        /// Where headers are looked for.
        include_paths: Vec<PathBuf>,
        /// For the compiler and the linker.
        arguments: Vec<String>,
    },
    /// A program that was compiled with our flags.
    Compiled(PathBuf),
}

impl HostProgram {
    /// The file that the user names.
    pub fn file(&self) -> &Path {
        match self {
            HostProgram::Source { file, .. } | HostProgram::Compiled(file) => file,
        }
    }
}

/// Where the streams of a host program go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Streams {
    /// To those of this process, as they come.
    Shown,
    /// Into the record.
    Kept,
}

/// What came of a host program.
#[derive(Debug)]
pub struct HostOutcome {
    /// All launches in one record.
    pub run: record::Run,
    /// What a witness made of the launch that it saw.
    pub testimony: Vec<Vec<u8>>,
    /// The launch that was to be captured, if there was one.
    pub capture: Option<Capture>,
}

/// Compiles a host program and runs it: everything that it launches is simulated and checked.
pub fn exec<'a>(
    asked: &'a Exec,
    front: &'a Arc<dyn FrontEnd>,
    witness: Option<&'a mut dyn Witness>,
) -> Result<HostOutcome, Failure> {
    ended(asked, front, (witness, Grading::default())).map(|(outcome, ..)| outcome)
}

/// Runs a host program for its grade: whether it exits with 0, and what was noted of its launches.
pub(crate) fn exec_graded(
    asked: &Exec,
    front: &Arc<dyn FrontEnd>,
    grading: Grading,
) -> Result<(bool, Grading), Failure> {
    let (_, is_content, grading) = ended(asked, front, (None, grading))?;
    Ok((is_content, grading))
}

/// Runs a host program to its end, and says whether it exits with 0.
fn ended<'a>(
    asked: &'a Exec,
    front: &'a Arc<dyn FrontEnd>,
    (witness, grading): (Option<&'a mut dyn Witness>, Grading),
) -> Result<(HostOutcome, bool, Grading), Failure> {
    let _guard = Guard::hold().map_err(no_process)?;
    let program = compiled(asked)?;
    let (stream, theirs) = UnixStream::pair().map_err(no_process)?;
    stream.set_read_timeout(asked.request.timeout).map_err(no_process)?;
    let file = asked.program.file();
    let request = Request { check: useful(&asked.request.check), ..asked.request.clone() };
    let mut session = HostSession::new(request, front, (file, asked.command()))?;
    let mut child = start(asked, &program, theirs).map_err(no_process)?;
    (session.chosen, session.is_captured, session.witness) =
        (asked.launch, asked.is_captured, witness);
    session.is_echoed = asked.streams == Streams::Shown;
    session.grading = grading;
    let served = serve(&mut session, stream);
    let served = match served {
        Ok(Served::Ended(())) => Served::Ended(child.wait().map_err(no_process)?),
        Ok(Served::Over) => Served::Over,
        Ok(Served::Silent) => Served::Silent,
        Err(failure) => {
            end(&mut child);
            return Err(failure);
        }
    };
    end(&mut child);
    let is_content = matches!(&served, Served::Ended(status) if status.success());
    let grading = std::mem::take(&mut session.grading);
    Ok((outcome(asked, &program, session, served), is_content, grading))
}

/// The tools without the one that needs declarations, which host programs do not have.
fn useful(asked: &Tools) -> Tools {
    let left = Tool::ALL.into_iter().filter(|tool| asked.has(*tool) && *tool != Tool::Value);
    let names: Vec<&str> = left.map(Tool::name).collect();
    Tools::parse(&names.join(",")).unwrap_or_default()
}

/// The flags for a host program, for other build systems: those of the compiler, and what to link.
pub fn print_flags(cxx: Option<&Path>) -> Result<String, Failure> {
    let options = CompileOptions { cxx: cxx.map(Path::to_owned), ..CompileOptions::default() };
    let flags = Workshop::open(&options).and_then(|it| it.executable_flags(HOST_HEADERS));
    let (flags, folder) = flags.map_err(|error| not_compiled(&error))?;
    let runtime = folder.join(WHOLE_RUNTIME);
    Ok(format!("{} -I{} {}\n", flags.join(" "), folder.display(), runtime.display()))
}

/// How serving a host program ended; `Status` is how it exited, once that is known.
enum Served<Status> {
    /// It closed its end.
    Ended(Status),
    /// A launch did not complete.
    Over,
    /// It took more time than it may.
    Silent,
}

/// Compiles the program, or takes it as it is.
fn compiled(asked: &Exec) -> Result<Executable, Failure> {
    let options =
        CompileOptions { cxx: asked.request.cxx.clone(), adapt: Some(adapt), ..Default::default() };
    let workshop = Workshop::open(&options).map_err(|error| not_compiled(&error))?;
    let made = match &asked.program {
        HostProgram::Compiled(file) => workshop.compiled_elsewhere(file),
        HostProgram::Source { file, include_paths, arguments } => {
            if !file.is_file() {
                return Err(Failure::new(format!("there is no file {}", file.display()))
                    .help("give the C++ file with the host program's `main`"));
            }
            workshop.executable(&ExecutableParts {
                file,
                headers: HOST_HEADERS,
                runtime: RUNTIME,
                include_paths,
                arguments,
            })
        }
    };
    made.map_err(|error| told(&error))
}

fn told(error: &CppError) -> Failure {
    let failure = not_compiled(error);
    let message = failure.message.replace("the kernels do not", "the host program does not");
    Failure { message, ..failure }
}

/// Starts the program with its end of the socket.
fn start(asked: &Exec, program: &Executable, theirs: UnixStream) -> io::Result<Child> {
    let mut command = Command::new(program.path());
    command.arg0(asked.program.file()).args(&asked.arguments);
    command.env(LINK, theirs.as_fd().as_raw_fd().to_string());
    match asked.streams {
        Streams::Shown => {}
        Streams::Kept => {
            command.stdin(Stdio::null());
            command.stdout(File::create(program.folder().join("stdout"))?);
            command.stderr(File::create(program.folder().join("stderr"))?);
        }
    }
    adapt(&mut command);
    keep_on_exec(theirs.as_fd())?;
    command.spawn()
}

/// Answers the program until it ends.
fn serve(session: &mut HostSession<'_>, mut stream: UnixStream) -> Result<Served<()>, Failure> {
    loop {
        let (call, data) = match message::receive(&mut stream) {
            Ok(Some(request)) => request,
            Ok(None) => return Ok(Served::Ended(())),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(Served::Silent),
            Err(error) => return Err(Failure::new(error.to_string())),
        };
        let answered = match session.call(call, &data) {
            Ok(None) => continue,
            Ok(Some(answer)) => message::answer(&mut stream, Ok(&answer)),
            Err(Refusal::ToHost(why)) => message::answer(&mut stream, Err(&why)),
            Err(Refusal::Failure(failure)) => return Err(failure),
            Err(Refusal::Over) => return Ok(Served::Over),
        };
        // A program that is gone needs no answer.
        if answered.is_err() {
            return Ok(Served::Ended(()));
        }
    }
}

/// All that is known in the end.
fn outcome(
    asked: &Exec,
    program: &Executable,
    session: HostSession<'_>,
    served: Served<ExitStatus>,
) -> HostOutcome {
    let name = asked.program.file().display().to_string();
    let HostSession { launches, last_words, testimony, capture, command, .. } = session;
    let ending = match served {
        Served::Ended(status) => last_words.ending(program, status),
        Served::Over => HostProgramEnding::Stopped,
        Served::Silent => HostProgramEnding::Silent,
    };
    let mut run = launches.record(&asked.request, &name, ending);
    run.replay = command.replay(asked.request.seed.unwrap_or(0));
    match asked.streams {
        // Shown already, in their place.
        Streams::Shown => run.printed.clear(),
        Streams::Kept => {
            let host = [(PrintedSource::Stdout, "stdout"), (PrintedSource::Stderr, "stderr")];
            let host = host.map(|(source, file)| kept(source, &program.folder().join(file)));
            run.printed.extend(host.into_iter().flatten());
        }
    }
    HostOutcome { run, testimony, capture }
}

/// What the host program has printed.
fn kept(source: PrintedSource, file: &Path) -> Option<Printed> {
    let text = String::from_utf8_lossy(&fs::read(file).ok()?).into_owned();
    (!text.is_empty()).then_some(Printed {
        source,
        core: None,
        processor: None,
        cycle: None,
        omitted_lines: 0,
        text,
        omitted_bytes: 0,
    })
}

/// Ends the program, if it has not.
fn end(child: &mut Child) {
    drop(child.kill());
    drop(child.wait());
}

fn no_process(error: io::Error) -> Failure {
    Failure::new(format!("the host program could not be started: {error}"))
        .help("`ulimit -a` says how many processes and open files this user may have")
}
