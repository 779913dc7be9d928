//! One unit through the compiler: its arguments, missing headers, and older compilers.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::build_folder::{BuildFolder, at};
use super::diagnostics::{self, Folders, GENERATED, SHIM};
use super::dialect;
use super::error::{CppError, Diagnostic, DiagnosticKind};
use super::headers;
use super::lines::{SHIM_PREFIX, TEXT_FOLDER, UNIT_FOLDER};
use super::precompiled::{self, Before};
use super::roots::Roots;
use super::unit::Unit;
use super::workshop::{Tools, Workshop};

/// What a compilation is for.
#[derive(Clone, Copy)]
pub(super) enum Purpose<'a> {
    /// An object that runs, and calls these folders by their numbers.
    Object(&'a Roots),
    /// What is wrong, and nothing else; the text before the kernel is in these headers.
    Survey(&'a Before),
}

/// What comes out. Surveys assemble too: kernels may hold instructions of another machine.
const OUT: [&str; 3] = ["-c", "-o", "unit.o"];
/// Missing headers that are passed over to see what else is missing.
const MISSING_HEADERS_MAX: usize = 64;
/// The file with a kernel that is given as text.
const TEXT: &str = "kernel.cpp";
/// The file with what comes before a kernel.
const BEFORE: &str = "unit.h";
/// Makes our headers include the vector functions of the kernel's own tree. Few kernels call them,
/// most trees are read faster without, and some lack what they need (tt-llk was a submodule).
const WITH_FUNCTIONS: &str = "#define TW_WITH_FUNCTIONS\n";

impl Workshop {
    pub(super) fn compile(
        &self,
        unit: &Unit,
        build_folder: &BuildFolder,
        tools: &Tools,
        purpose: Purpose<'_>,
    ) -> Result<(), CppError> {
        let file = self.source(unit, build_folder)?;
        if matches!(purpose, Purpose::Object(_)) {
            build_folder.write("chlkc_descriptors.h", &unit.descriptors)?;
        }
        let mut found = self.attempt(unit, &file, (build_folder, tools), (purpose, ""))?;
        if may_lie_beneath(&found) && self.has_vector_functions(unit, &file) {
            let beneath = (purpose, WITH_FUNCTIONS);
            let again = self.attempt(unit, &file, (build_folder, tools), beneath)?;
            found = without_cured(found, again);
        }
        if found.is_empty() { Ok(()) } else { Err(CppError::Kernels(found)) }
    }

    /// What is wrong with a unit, if some text comes before everything else.
    fn attempt(
        &self,
        unit: &Unit,
        file: &Path,
        (build_folder, tools): (&BuildFolder, &Tools),
        (purpose, first): (Purpose<'_>, &str),
    ) -> Result<Vec<Diagnostic>, CppError> {
        let text = match purpose {
            Purpose::Object(_) => unit.text.as_str(),
            Purpose::Survey(_) => "",
        };
        build_folder.write(BEFORE, format!("{first}{text}{}\n", unit.prelude))?;
        let found = self.complaints(unit, file, (build_folder, tools), purpose)?;
        if dialect::may_be_old(&found)
            && let Some(adapted) = self.adapted(unit, file, (build_folder, tools), purpose)?
        {
            return Ok(adapted);
        }
        Ok(found)
    }

    /// The user's file.
    pub(super) fn user_file(&self, unit: &Unit) -> Result<PathBuf, CppError> {
        let file = self.folder.join(&unit.source.file);
        fs::canonicalize(&file).map_err(at(&file))
    }

    /// The file that is compiled: the user's, or one with the kernel's text.
    fn source(&self, unit: &Unit, build_folder: &BuildFolder) -> Result<PathBuf, CppError> {
        let Some(text) = &unit.source.text else { return self.user_file(unit) };
        let shown = format!("{TEXT_FOLDER}/{}", unit.source.file.display());
        build_folder.write(TEXT, format!("#line 1 {shown:?}\n{text}\n"))?;
        Ok(build_folder.path.join(TEXT))
    }

    /// Everything that the compiler has to say, missing headers passed over.
    fn complaints(
        &self,
        unit: &Unit,
        file: &Path,
        (build_folder, tools): (&BuildFolder, &Tools),
        purpose: Purpose<'_>,
    ) -> Result<Vec<Diagnostic>, CppError> {
        let mut found = BTreeSet::new();
        for _ in 0..MISSING_HEADERS_MAX {
            let mut args = self.arguments(unit, file, (build_folder, tools), purpose);
            args.extend(OUT.map(OsString::from));
            args.extend(["-x".into(), "c++".into(), file.into()]);
            let more = self.said(unit, (build_folder, tools), args)?;
            let header = more.iter().find_map(|it| match &it.kind {
                DiagnosticKind::MissingHeader(header) => Some(header.clone()),
                DiagnosticKind::MissingName(_) | DiagnosticKind::Other => None,
            });
            // Our own headers can only be missing if somebody has removed them.
            if header.as_deref().is_some_and(headers::is_ours) {
                headers::install(&tools.scratch).map_err(at(&tools.scratch))?;
                continue;
            }
            found.extend(more);
            match header {
                // An empty one in its place shows what else is missing.
                Some(header) if build_folder.stand_in(&header)? => {}
                _ => break,
            }
        }
        Ok(found.into_iter().collect())
    }

    /// The same after what the compiler is too old for has been put in its words; nothing if
    /// there is no such thing in the unit.
    fn adapted(
        &self,
        unit: &Unit,
        file: &Path,
        (build_folder, tools): (&BuildFolder, &Tools),
        purpose: Purpose<'_>,
    ) -> Result<Option<Vec<Diagnostic>>, CppError> {
        let flags = self.arguments(unit, file, (build_folder, tools), purpose);
        let mut args = flags.clone();
        args.extend(["-E", "-o", "unit.ii", "-x", "c++"].map(OsString::from));
        args.push(file.into());
        if !self.compiler.run(&build_folder.path, args)?.status.success() {
            return Ok(None);
        }
        let path = build_folder.path.join("unit.ii");
        let text = fs::read(&path).map_err(at(&path))?;
        let Some(text) = dialect::adapted(&String::from_utf8_lossy(&text)) else { return Ok(None) };
        build_folder.write("unit.ii", text)?;
        let mut args = preprocessed(flags);
        args.extend(OUT.map(OsString::from));
        args.extend(["-x", "c++-cpp-output", "unit.ii"].map(OsString::from));
        self.said(unit, (build_folder, tools), args).map(Some)
    }

    /// Runs the compiler: its errors, none if it succeeds.
    fn said(
        &self,
        unit: &Unit,
        (build_folder, tools): (&BuildFolder, &Tools),
        args: Vec<OsString>,
    ) -> Result<Vec<Diagnostic>, CppError> {
        let output = self.compiler.run(&build_folder.path, args)?;
        let said = String::from_utf8_lossy(&output.stderr);
        let mut wrong = diagnostics::parse(&unit.kernel, &said, &self.folders(build_folder, tools));
        if wrong.is_empty() && !output.status.success() {
            wrong.push(unparsed(unit, &said));
        }
        Ok(wrong)
    }

    fn arguments(
        &self,
        unit: &Unit,
        file: &Path,
        (build_folder, tools): (&BuildFolder, &Tools),
        purpose: Purpose<'_>,
    ) -> Vec<OsString> {
        let mut args = match purpose {
            Purpose::Object(roots) => {
                let mut flags = self.object_flags(unit, (build_folder, tools), roots);
                flags.extend(["-MD", "-MFunit.d", "-MTunit.o"].map(OsString::from));
                // A precompiled header must come first.
                let standard = tools.standard.as_deref().map(precompiled::header);
                // Somebody may have cleared the cache since.
                if let Some(header) = standard.filter(|header| header.is_file()) {
                    flags.extend(["-include".into(), header.into()]);
                }
                flags
            }
            Purpose::Survey(before) => {
                let mut flags: Vec<OsString> =
                    self.survey_flags(tools).into_iter().map(OsString::from).collect();
                for header in &before.headers {
                    flags.extend(["-include".into(), header.into()]);
                }
                let last = before.headers.last().and_then(|header| header.parent());
                flags.extend(last.map(|folder| joined("-I", folder)));
                flags
            }
        };
        // The kernel is the file that is compiled: no `#include` can spell every path.
        args.extend(["-include", BEFORE].map(OsString::from));
        args.extend([&build_folder.path, &tools.headers].map(|folder| joined("-I", folder)));
        args.extend(self.searched(unit, file).iter().map(|folder| joined("-I", folder)));
        args.push(joined("-I", &build_folder.path.join("missing")));
        args
    }

    fn object_flags(
        &self,
        unit: &Unit,
        (build_folder, tools): (&BuildFolder, &Tools),
        roots: &Roots,
    ) -> Vec<OsString> {
        let mut args: Vec<OsString> = self.compiler.kernel_flags().map(OsString::from).collect();
        let mut map = |flag: &str, folder: &Path, shown: &str| {
            let mut flag = joined(flag, folder);
            flag.push(format!("={shown}"));
            args.push(flag);
        };
        for (folder, shown) in roots.maps() {
            map("-ffile-prefix-map=", Path::new(&folder), &shown);
        }
        map("-ffile-prefix-map=", &tools.headers, SHIM_PREFIX);
        map("-ffile-prefix-map=", &build_folder.path, UNIT_FOLDER);
        if unit.source.file.is_relative() && roots.count() == 0 {
            // `__FILE__` is what the user typed. Not for lines: compilers differ in which of
            // several maps they follow.
            map("-fmacro-prefix-map=", &self.folder.join(""), "");
        }
        args
    }

    /// Flags that a header and whoever includes it precompiled must have in common.
    pub(super) fn survey_flags(&self, tools: &Tools) -> Vec<String> {
        let mut flags: Vec<String> = self.compiler.survey_flags().map(str::to_owned).collect();
        flags.push(format!("-I{}", tools.headers.display()));
        flags
    }

    pub(super) fn folders(&self, build_folder: &BuildFolder, tools: &Tools) -> Folders {
        Folders {
            known: vec![
                (format!("{}/", tools.headers.display()), SHIM.to_owned()),
                (format!("{TEXT_FOLDER}/"), String::new()),
                (format!("{}/", build_folder.path.display()), GENERATED.to_owned()),
                (format!("{}/", self.folder.display()), String::new()),
            ],
        }
    }
}

/// Whether a kernel may call functions of its tree that it does not include.
fn may_lie_beneath(found: &[Diagnostic]) -> bool {
    !found.is_empty() && !found.iter().any(is_header)
}

fn is_header(found: &Diagnostic) -> bool {
    matches!(found.kind, DiagnosticKind::MissingHeader(_))
}

/// What is wrong with a kernel whether or not the functions of its tree are included. If they cure
/// all there was, it is what is wrong then: a compiler that misses a name does not come to the
/// calls that we refuse. Functions that lack a header cure nothing.
fn without_cured(found: Vec<Diagnostic>, again: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let (of_both, cured): (Vec<_>, Vec<_>) = found.into_iter().partition(|it| again.contains(it));
    if !of_both.is_empty() {
        return of_both;
    }
    if again.iter().any(is_header) { cured } else { again }
}

/// Flags for a text that holds all it includes, whose dependencies are known.
fn preprocessed(flags: Vec<OsString>) -> Vec<OsString> {
    let mut kept = Vec::new();
    let mut flags = flags.into_iter();
    while let Some(flag) = flags.next() {
        if flag == "-include" {
            flags.next();
        } else if !flag.as_encoded_bytes().starts_with(b"-M") {
            kept.push(flag);
        }
    }
    kept
}

/// A flag and its path as one argument.
fn joined(flag: &str, path: &Path) -> OsString {
    let mut argument = OsString::from(flag);
    argument.push(path);
    argument
}

pub(super) fn unparsed(unit: &Unit, said: &str) -> Diagnostic {
    Diagnostic {
        kernel: unit.kernel.clone(),
        file: unit.source.file.display().to_string(),
        line: 0,
        column: 0,
        kind: DiagnosticKind::Other,
        message: said.trim().to_owned(),
    }
}
