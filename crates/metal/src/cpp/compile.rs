//! One unit through the compiler: its arguments, missing headers, and older compilers.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::bench::{Bench, at};
use super::diagnostics::{self, Folders, GENERATED, SHIM};
use super::dialect;
use super::error::{CppError, Diagnostic, DiagnosticKind};
use super::headers;
use super::lines::{SHIM_PREFIX, TEXT_FOLDER, UNIT_FOLDER};
use super::precompiled;
use super::unit::Unit;
use super::workshop::{Tools, Workshop};

/// What a compilation is for.
#[derive(Clone, Copy)]
pub(super) enum Purpose<'a> {
    /// An object that runs.
    Object,
    /// What is wrong, and nothing else; the text before the kernel is in this header.
    Survey(&'a Path),
}

/// What comes out. Surveys assemble too: kernels may hold instructions of another machine.
const OUT: [&str; 3] = ["-c", "-o", "unit.o"];
/// Missing headers that are passed over to see what else is missing.
const MISSING_HEADERS_MAX: usize = 64;
/// The file with a kernel that is given as text.
const TEXT: &str = "kernel.cpp";
/// The file with what comes before a kernel.
const BEFORE: &str = "unit.h";

impl Workshop {
    pub(super) fn compile(
        &self,
        unit: &Unit,
        bench: &Bench,
        tools: &Tools,
        purpose: Purpose<'_>,
    ) -> Result<(), CppError> {
        let file = self.source(unit, bench)?;
        match purpose {
            Purpose::Object => {
                bench.write(BEFORE, format!("{}{}\n", unit.text, unit.prelude))?;
                bench.write("chlkc_descriptors.h", &unit.descriptors)?;
            }
            Purpose::Survey(_) => bench.write(BEFORE, format!("{}\n", unit.prelude))?,
        }
        let mut found = self.complaints(unit, &file, (bench, tools), purpose)?;
        if dialect::may_be_old(&found)
            && let Some(adapted) = self.adapted(unit, &file, (bench, tools), purpose)?
        {
            found = adapted;
        }
        if found.is_empty() { Ok(()) } else { Err(CppError::Kernels(found)) }
    }

    /// The file that is compiled: the user's, or one with the kernel's text.
    fn source(&self, unit: &Unit, bench: &Bench) -> Result<PathBuf, CppError> {
        let Some(text) = &unit.source.text else {
            let file = self.folder.join(&unit.source.file);
            return fs::canonicalize(&file).map_err(at(&file));
        };
        let shown = format!("{TEXT_FOLDER}/{}", unit.source.file.display());
        bench.write(TEXT, format!("#line 1 {shown:?}\n{text}\n"))?;
        Ok(bench.folder.join(TEXT))
    }

    /// Everything that the compiler has to say, missing headers passed over.
    fn complaints(
        &self,
        unit: &Unit,
        file: &Path,
        (bench, tools): (&Bench, &Tools),
        purpose: Purpose<'_>,
    ) -> Result<Vec<Diagnostic>, CppError> {
        let mut found = BTreeSet::new();
        for _ in 0..MISSING_HEADERS_MAX {
            let mut args = self.arguments(unit, file, (bench, tools), purpose);
            args.extend(OUT.map(OsString::from));
            args.extend(["-x".into(), "c++".into(), file.into()]);
            let more = self.said(unit, (bench, tools), args)?;
            let header = more.iter().find_map(|it| match &it.kind {
                DiagnosticKind::MissingHeader(header) => Some(header.clone()),
                DiagnosticKind::MissingName(_) | DiagnosticKind::Other => None,
            });
            // Our own headers can only be missing if somebody has removed them.
            if header.as_deref().is_some_and(headers::is_ours) {
                headers::install(&tools.bench).map_err(at(&tools.bench))?;
                continue;
            }
            found.extend(more);
            match header {
                // An empty one in its place shows what else is missing.
                Some(header) if bench.stand_in(&header)? => {}
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
        (bench, tools): (&Bench, &Tools),
        purpose: Purpose<'_>,
    ) -> Result<Option<Vec<Diagnostic>>, CppError> {
        let flags = self.arguments(unit, file, (bench, tools), purpose);
        let mut args = flags.clone();
        args.extend(["-E", "-o", "unit.ii", "-x", "c++"].map(OsString::from));
        args.push(file.into());
        if !self.compiler.run(&bench.folder, args)?.status.success() {
            return Ok(None);
        }
        let path = bench.folder.join("unit.ii");
        let text = fs::read(&path).map_err(at(&path))?;
        let Some(text) = dialect::adapted(&String::from_utf8_lossy(&text)) else { return Ok(None) };
        bench.write("unit.ii", text)?;
        let mut args = preprocessed(flags);
        args.extend(OUT.map(OsString::from));
        args.extend(["-x", "c++-cpp-output", "unit.ii"].map(OsString::from));
        self.said(unit, (bench, tools), args).map(Some)
    }

    /// Runs the compiler: its errors, none if it succeeds.
    fn said(
        &self,
        unit: &Unit,
        (bench, tools): (&Bench, &Tools),
        args: Vec<OsString>,
    ) -> Result<Vec<Diagnostic>, CppError> {
        let output = self.compiler.run(&bench.folder, args)?;
        let said = String::from_utf8_lossy(&output.stderr);
        let mut wrong = diagnostics::parse(&unit.kernel, &said, &self.folders(bench, tools));
        if wrong.is_empty() && !output.status.success() {
            wrong.push(unparsed(unit, &said));
        }
        Ok(wrong)
    }

    fn arguments(
        &self,
        unit: &Unit,
        file: &Path,
        (bench, tools): (&Bench, &Tools),
        purpose: Purpose<'_>,
    ) -> Vec<OsString> {
        let mut args = match purpose {
            Purpose::Object => {
                let mut flags = self.object_flags(unit, bench, tools);
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
                flags.extend(["-include".into(), before.into()]);
                flags.extend(before.parent().map(|folder| joined("-I", folder)));
                flags
            }
        };
        // The kernel is the file that is compiled: no `#include` can spell every path.
        args.extend(["-include", BEFORE].map(OsString::from));
        args.extend([&bench.folder, &tools.headers].map(|folder| joined("-I", folder)));
        args.extend(self.searched(unit, file).iter().map(|folder| joined("-I", folder)));
        args.push(joined("-I", &bench.folder.join("missing")));
        args
    }

    fn object_flags(&self, unit: &Unit, bench: &Bench, tools: &Tools) -> Vec<OsString> {
        let mut args: Vec<OsString> = self.compiler.kernel_flags().map(OsString::from).collect();
        let mut map = |flag: &str, folder: &Path, shown: &str| {
            let mut flag = joined(flag, folder);
            flag.push(format!("={shown}"));
            args.push(flag);
        };
        map("-ffile-prefix-map=", &tools.headers, SHIM_PREFIX);
        map("-ffile-prefix-map=", &bench.folder, UNIT_FOLDER);
        if unit.source.file.is_relative() {
            // Not for lines: compilers differ in which of several maps they follow.
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

    pub(super) fn folders(&self, bench: &Bench, tools: &Tools) -> Folders {
        Folders {
            known: vec![
                (format!("{}/", tools.headers.display()), SHIM.to_owned()),
                (format!("{TEXT_FOLDER}/"), String::new()),
                (format!("{}/", bench.folder.display()), GENERATED.to_owned()),
                (format!("{}/", self.folder.display()), String::new()),
            ],
        }
    }
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
