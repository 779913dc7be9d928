//! A sweep file: what to run, and the values of each axis.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tilewright_metal::{Family, Shape, fingerprint};
use tilewright_tile::DataFormat;

use crate::record::Failure;
use crate::request::Request;

/// A sweep: every combination of the axes' values is one run. An axis without values is left to
/// the subject.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// An operation, or the file of a manifest or capture, relative to the sweep file.
    pub subject: String,
    /// Shapes of the first input, such as `1x1x64x128`.
    #[serde(default)]
    pub shapes: Vec<String>,
    /// Formats of inputs and outputs.
    #[serde(default)]
    pub formats: Vec<String>,
    /// What the inputs hold.
    #[serde(default)]
    pub inputs: Vec<String>,
    /// Seeds of the inputs.
    #[serde(default)]
    pub data_seeds: Vec<u64>,
    /// Schedules.
    #[serde(default)]
    pub seeds: Vec<u64>,
    /// The most cores to use.
    #[serde(default)]
    pub cores: Vec<u32>,
    /// The operation's own choices or the manifest's values, each with the values it takes.
    #[serde(default)]
    pub options: BTreeMap<String, Vec<Word>>,
}

/// A value of an option.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Word {
    /// A number.
    Number(i64),
    /// A word.
    Text(String),
}

impl Word {
    fn text(&self) -> String {
        match self {
            Word::Number(number) => number.to_string(),
            Word::Text(text) => text.clone(),
        }
    }
}

/// Runs that a sweep may have: its results are kept in memory at the end.
const RUNS_MAX: usize = 1_000_000;

/// The axes that are no options.
const AXES: [&str; 6] = ["shape", "format", "input", "data-seed", "seed", "cores"];

/// One combination: the axes that have values, in the order of the plan, each with its value.
pub type Point = Vec<(String, String)>;

impl Plan {
    /// Reads a sweep file and checks every value in it.
    pub fn read(path: &Path) -> Result<Plan, Failure> {
        let shown = path.display();
        let text = fs::read_to_string(path)
            .map_err(|error| Failure::new(format!("{shown} cannot be read: {error}")))?;
        let mut plan: Plan = toml::from_str(&text).map_err(|error| {
            Failure::new(format!("{shown}: {}", error.message().trim()))
                .help("a sweep has `subject` and lists of values; docs/src/sweep.md shows all keys")
        })?;
        let is_file = [".toml", ".cap"].iter().any(|end| plan.subject.ends_with(end));
        if is_file && let Some(folder) = path.parent() {
            plan.subject = folder.join(&plan.subject).display().to_string();
        }
        plan.check().map_err(|failure| Failure {
            message: format!("{shown}: {}", failure.message),
            ..failure
        })?;
        Ok(plan)
    }

    /// A plan as JSON, with every value checked; files are relative to the working folder.
    pub fn from_json(text: &str) -> Result<Plan, Failure> {
        let plan: Plan = serde_json::from_str(text).map_err(|error| {
            Failure::new(format!("the sweep is not understood: {error}"))
                .help("a sweep has `subject` and lists of values; docs/src/sweep.md shows all keys")
        })?;
        plan.check()?;
        Ok(plan)
    }

    /// Refuses values that no run could have, before the first one.
    pub fn check(&self) -> Result<(), Failure> {
        if let Some(name) = self.options.keys().find(|name| AXES.contains(&name.as_str())) {
            return Err(Failure::new(format!("the option `{name}` has the name of an axis"))
                .help("an axis has a key of its own: `shapes`, `cores` and so on"));
        }
        let axes = self.axes();
        let sizes = axes.iter().map(|(_, values)| values.len());
        let runs = sizes.fold(1_usize, |runs, values| runs.saturating_mul(values));
        if runs > RUNS_MAX {
            return Err(Failure::new(format!("there are {runs} combinations"))
                .help(format!("a sweep has at most {RUNS_MAX}; divide it into several files")));
        }
        for (axis, values) in axes {
            if let Some(twice) =
                values.iter().find(|it| values.iter().filter(|other| other == it).count() > 1)
            {
                return Err(Failure::new(format!("{axis} has `{twice}` twice"))
                    .help("each combination is run once"));
            }
        }
        self.points().iter().try_for_each(|point| self.request(point).map(drop))
    }

    /// The axes that have values.
    pub fn axes(&self) -> Vec<(String, Vec<String>)> {
        let numbers = |values: &[u64]| values.iter().map(u64::to_string).collect();
        let cores = self.cores.iter().map(u32::to_string).collect();
        let fixed: [Vec<String>; 6] = [
            self.shapes.clone(),
            self.formats.clone(),
            self.inputs.clone(),
            numbers(&self.data_seeds),
            numbers(&self.seeds),
            cores,
        ];
        let fixed = AXES.into_iter().map(str::to_owned).zip(fixed);
        let options = self.options.iter();
        let options =
            options.map(|(name, words)| (name.clone(), words.iter().map(Word::text).collect()));
        fixed.chain(options).filter(|(_, values)| !values.is_empty()).collect()
    }

    /// Every combination, the last axis running fastest.
    pub fn points(&self) -> Vec<Point> {
        self.axes().into_iter().fold(vec![Point::new()], |points, (axis, values)| {
            let with = |point: &Point, value: &String| {
                point.iter().cloned().chain([(axis.clone(), value.clone())]).collect()
            };
            points
                .iter()
                .flat_map(|point| values.iter().map(|value| with(point, value)).collect::<Vec<_>>())
                .collect()
        })
    }

    /// The request of a combination, on one host thread.
    pub fn request(&self, point: &Point) -> Result<Request, Failure> {
        let mut request = Request { threads: Some(1), ..Request::new(self.subject.clone()) };
        for (axis, value) in point {
            let wrong = |what: &str| Failure::new(format!("{axis} `{value}` is no {what}"));
            match axis.as_str() {
                "shape" => {
                    let shape = value
                        .parse::<Shape>()
                        .map_err(|error| wrong("shape").help(error.to_string()))?;
                    request.shape = Some(shape);
                }
                "format" => {
                    let format = DataFormat::from_name(value)
                        .map_err(|_| wrong("format").help("give bf16, fp32 or bfp8"))?;
                    request.format = Some(format);
                }
                "input" => {
                    let all = Family::ALL.map(Family::name).join(", ");
                    let family = Family::from_name(value);
                    let family = family.ok_or_else(|| wrong("input").help(format!("known: {all}")));
                    request.input = Some(family?);
                }
                "data-seed" => request.data_seed = value.parse().map_err(|_| wrong("seed"))?,
                "seed" => request.seed = Some(value.parse().map_err(|_| wrong("seed"))?),
                "cores" => request.cores = Some(value.parse().map_err(|_| wrong("number"))?),
                option => request.set.push((option.to_owned(), value.clone())),
            }
        }
        Ok(request)
    }

    /// A number that tells this sweep from others.
    pub fn fingerprint(&self) -> String {
        let text = serde_json::to_vec(self).expect("a plan is plain JSON");
        format!("{:016x}", fingerprint(&text))
    }
}
