//! Manifests and examples through the pipeline, as one test binary.

mod devices;
mod examples_cpp;
mod given;
mod manifest;
mod manifest_cpp;
