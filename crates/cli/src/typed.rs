//! Values that are typed in a form of their own: threads, choices as `name=value`, words for the
//! machine's settings, numbers. Which argument takes which is in `args`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use tilewright_check::FindingId;
use tilewright_develop::{Language, Template};
use tilewright_metal::{Architecture, DstSync, Family, NocMode, nearest};
use tilewright_report::terminal::Prints;
use tilewright_run::Keep;
use tilewright_run::doctor::host_threads;
use tilewright_tile::{DataFormat, DstWidth, Fidelity, SimdLevel};

use crate::output::Colours;

/// How many host threads to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// As many as the host has.
    Auto,
    /// So many.
    Count(usize),
}

impl Threads {
    /// The number that was asked for.
    pub fn asked(self) -> Option<usize> {
        match self {
            Threads::Auto => None,
            Threads::Count(count) => Some(count),
        }
    }

    /// The number of threads.
    pub fn count(self) -> usize {
        match self {
            Threads::Auto => host_threads(),
            Threads::Count(count) => count,
        }
    }
}

impl FromStr for Threads {
    type Err = String;

    fn from_str(text: &str) -> Result<Threads, String> {
        match text.parse() {
            Ok(count @ 1..=1024) => Ok(Threads::Count(count)),
            _ if text == "auto" => Ok(Threads::Auto),
            _ => Err("it may be auto, or a number from 1 to 1024".to_owned()),
        }
    }
}

/// A choice as it is typed: `name=value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The choice.
    pub name: String,
    /// Its value.
    pub value: String,
}

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Setting, String> {
        let halves = text.split_once('=').filter(|(name, _)| !name.is_empty());
        let (name, value) = halves.ok_or("write a choice as name=value")?;
        Ok(Setting { name: name.to_owned(), value: value.to_owned() })
    }
}

/// Something to save, and the file to save it to: `name=file`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Save {
    /// What to save.
    pub keep: Keep,
    /// Where to save it.
    pub file: PathBuf,
}

impl FromStr for Save {
    type Err = String;

    fn from_str(text: &str) -> Result<Save, String> {
        let halves =
            text.split_once('=').filter(|(name, file)| !name.is_empty() && !file.is_empty());
        let (name, file) = halves.ok_or("write it as NAME=FILE or NAME@X,Y=FILE")?;
        let file = PathBuf::from(file);
        let ending = file.extension().and_then(|ending| ending.to_str());
        if !ending.is_some_and(|ending| ["npy", "safetensors"].contains(&ending)) {
            return Err("the file must end in .npy or .safetensors".to_owned());
        }
        Ok(Save { keep: name.parse()?, file })
    }
}

/// How to write what `check` found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// For a terminal.
    Terminal,
    /// One JSON object.
    Json,
    /// SARIF 2.1.0.
    Sarif,
    /// JUnit's XML.
    Junit,
    /// Annotations of GitHub Actions.
    Github,
    /// GitLab's code quality report.
    Gitlab,
}

impl Form {
    const ALL: [(&'static str, Form); 6] = [
        ("terminal", Form::Terminal),
        ("json", Form::Json),
        ("sarif", Form::Sarif),
        ("junit", Form::Junit),
        ("github", Form::Github),
        ("gitlab", Form::Gitlab),
    ];
}

/// What `--format` takes: the format of values, and for `check` also how to write its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormatWord {
    /// Of inputs and outputs.
    Values(DataFormat),
    /// Of the answer.
    Answer(Form),
}

impl FromStr for FormatWord {
    type Err = String;

    fn from_str(text: &str) -> Result<FormatWord, String> {
        match Form::ALL.iter().find(|(name, _)| *name == text) {
            Some((_, form)) => Ok(FormatWord::Answer(*form)),
            None => DataFormat::from_name(text).map(FormatWord::Values).map_err(|error| {
                let forms: Vec<&str> = Form::ALL.iter().map(|(name, _)| *name).collect();
                format!("{error}; `check` also takes {}", forms.join(", "))
            }),
        }
    }
}

/// What to do with the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheAction {
    /// Say what it holds.
    Show,
    /// Remove what was used longest ago, until it is small enough.
    Prune,
    /// Remove everything.
    Clear,
}

/// The actions on the cache.
pub(crate) const CACHE: [(&str, CacheAction); 3] =
    [("show", CacheAction::Show), ("prune", CacheAction::Prune), ("clear", CacheAction::Clear)];
/// The widths of Dst.
pub(crate) const DST: [(&str, DstWidth); 2] = [("16", DstWidth::Bits16), ("32", DstWidth::Bits32)];
/// How math and pack share Dst.
pub(crate) const SYNC: [(&str, DstSync); 2] = [("half", DstSync::Half), ("full", DstSync::Full)];
/// The host's SIMD instructions.
pub(crate) const SIMD: [(&str, SimdLevel); 3] =
    [("portable", SimdLevel::Portable), ("avx2", SimdLevel::Avx2), ("avx512", SimdLevel::Avx512)];
/// When transfers land.
pub(crate) const NOC: [(&str, NocMode); 2] = [("timed", NocMode::Timed), ("late", NocMode::Late)];
/// When text is coloured.
pub(crate) const COLOURS: [(&str, Colours); 3] =
    [("auto", Colours::Auto), ("always", Colours::Always), ("never", Colours::Never)];
/// The phases of a product.
pub(crate) const FIDELITY: [(&str, Fidelity); 4] = [
    ("lofi", Fidelity::LoFi),
    ("hifi2", Fidelity::HiFi2),
    ("hifi3", Fidelity::HiFi3),
    ("hifi4", Fidelity::HiFi4),
];

/// One of a few words, each of which means a value.
pub(crate) fn one_of<Value: Copy + Send + Sync + 'static>(
    words: &'static [(&'static str, Value)],
) -> impl TypedValueParser<Value = Value> {
    let names = words.iter().map(|(name, _)| *name);
    PossibleValuesParser::new(names).try_map(move |text| {
        let found = words.iter().find(|(name, _)| name.eq_ignore_ascii_case(&text));
        found.map(|(_, value)| *value).ok_or("no such word")
    })
}

/// What an operation may begin as.
pub(crate) const TEMPLATES: [(&str, Template); 4] = [
    (Template::Elementwise.name(), Template::Elementwise),
    (Template::Reduction.name(), Template::Reduction),
    (Template::Normalisation.name(), Template::Normalisation),
    (Template::Matmul.name(), Template::Matmul),
];

/// How much of what kernels print is shown.
pub(crate) const PRINTS: [(&str, Prints); 3] =
    [("first", Prints::First), ("all", Prints::All), ("none", Prints::None)];

/// What the host's side of an operation may be written in.
pub(crate) const LANGUAGES: [(&str, Language); 2] =
    [(Language::Python.name(), Language::Python), (Language::Rust.name(), Language::Rust)];

/// The number of a stage.
pub(crate) fn stage(text: &str) -> Result<u32, &'static str> {
    let number = text.parse().ok().filter(|number| (1..=7).contains(number));
    number.ok_or("a stage from 1 to 7 is needed")
}

/// A whole number that is not negative.
pub(crate) fn number<Value: FromStr>(text: &str) -> Result<Value, &'static str> {
    let digits = text.replace('_', "");
    digits.parse().map_err(|_| "a whole number that is not negative is needed")
}

/// A tolerance.
pub(crate) fn tolerance(text: &str) -> Result<f64, &'static str> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
    number.ok_or("a number that is not negative is needed")
}

/// A share of a whole.
pub(crate) fn share(text: &str) -> Result<f64, &'static str> {
    let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or("a number from 0 to 1 is needed")
}

/// The name of a simulated device.
pub(crate) fn device(name: &str) -> Result<String, String> {
    Architecture::named(name).map(|arch| arch.name.to_owned()).map_err(|error| error.to_string())
}

/// A finding that may be allowed.
pub(crate) fn finding(name: &str) -> Result<FindingId, String> {
    let unknown = || match nearest(name, FindingId::ALL.iter().map(|id| id.name())) {
        Some(near) => format!("unknown finding `{name}`; did you mean `{near}`?"),
        None => format!("unknown finding `{name}`; `tilewright explain` lists all"),
    };
    let id = FindingId::from_name(name).ok_or_else(unknown)?;
    let ends = || format!("{name} ends the run, and cannot be allowed");
    id.tool().map(|_| id).ok_or_else(ends)
}

/// What inputs may hold.
pub(crate) fn families() -> impl TypedValueParser<Value = Family> {
    let names = Family::ALL.map(Family::name);
    PossibleValuesParser::new(names)
        .try_map(|text| Family::from_name(&text).ok_or("no such family"))
}
