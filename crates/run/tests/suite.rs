//! Manifests and examples through the pipeline, as one test binary.

mod examples_cpp;
mod given;
mod grade;
mod manifest;
mod manifest_cpp;
