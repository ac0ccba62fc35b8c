//! What commands share: groups of arguments that they flatten, and the one way to do what several of them do.

pub mod accepted_findings;
pub mod applicability;
pub mod assertions;
pub mod budget;
pub mod class_facts;
pub mod class_of_file;
pub mod class_path;
pub mod emission;
pub mod emit;
pub mod jdk;
pub mod junit;
pub mod missing_libraries;
pub mod names;
pub mod output;
pub mod program;
pub mod project;
pub mod provenance;
pub mod selection;
pub mod sources;
pub mod specifications;
pub mod store;
pub mod suite;
pub mod write;
