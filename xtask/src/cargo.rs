//! Runs cargo, saying first what it runs.

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// One call of cargo: `environment` before it, `words` after it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Call {
    pub environment: Vec<(String, String)>,
    pub words: Vec<String>,
}

impl Call {
    /// A call written as on a command line; no word of it may contain a space.
    pub fn new(line: &str) -> Self {
        let words = line.split_whitespace().map(str::to_owned).collect();
        Self { environment: Vec::new(), words }
    }

    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn and(mut self, words: &[&str]) -> Self {
        self.words.extend(words.iter().map(|&word| word.to_owned()));
        self
    }

    /// The call as one would type it.
    pub fn typed(&self) -> String {
        let mut line = String::new();
        for (name, value) in &self.environment {
            let quote = if value.contains(' ') { "'" } else { "" };
            line.push_str(&format!("{name}={quote}{value}{quote} "));
        }
        line + "cargo " + &self.words.join(" ")
    }

    pub fn run(&self, root: &Path) -> Result<(), String> {
        println!("+ {}", self.typed());
        let cargo = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
        let environment = self.environment.iter().map(|(name, value)| (name, value));
        let status = Command::new(cargo)
            .args(&self.words)
            .envs(environment)
            .current_dir(root)
            .status()
            .map_err(|error| format!("cargo did not start: {error}"))?;
        if status.success() { Ok(()) } else { Err(format!("failed: {}", self.typed())) }
    }
}

#[cfg(test)]
mod tests {
    use super::Call;

    #[test]
    fn a_call_prints_as_it_would_be_typed() {
        let call = Call::new("doc --no-deps").with("RUSTDOCFLAGS", "-D warnings").and(&["-q"]);
        assert_eq!(call.typed(), "RUSTDOCFLAGS='-D warnings' cargo doc --no-deps -q");
    }
}
