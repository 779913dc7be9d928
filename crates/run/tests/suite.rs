//! Manifests and examples through the pipeline, as one test binary.

mod devices;
mod examples_cpp;
mod given;
mod grade;
mod grade_cpp;
mod manifest;
mod manifest_cpp;
mod sweep;
mod threads;
