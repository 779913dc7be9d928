//! Manifests and examples through the pipeline, as one test binary.

mod corpus;
mod devices;
mod examples_cpp;
mod given;
mod grade;
mod grade_cpp;
mod manifest;
mod manifest_cpp;
mod own_program;
mod repro;
mod sweep;
mod threads;
mod vector;
