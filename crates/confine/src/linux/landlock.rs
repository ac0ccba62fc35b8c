//! The Landlock rules for files.

use crate::policy::{SYSTEM, link_targets};
use crate::{ConfineError, Policy, PrivateFolder};
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, Ruleset, RulesetAttr,
    RulesetCreatedAttr, Scope, path_beneath_rules,
};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// The newest supported ABI; older kernels enforce the rights that they know.
const NEWEST: ABI = ABI::V7;

/// A rule set, ready to be enforced by the child.
pub fn rules(policy: &Policy, folder: &PrivateFolder) -> Result<Option<OwnedFd>, ConfineError> {
    let refused = |error: landlock::RulesetError| ConfineError::Refused(error.to_string());
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let writable: Vec<&Path> =
        std::iter::once(folder.root()).chain(policy.writable.iter().map(PathBuf::as_path)).collect();
    // Executable files: the system's loader and the JDK's programs.
    let runnable = std::iter::once(policy.jdk_home.as_path()).chain(SYSTEM.iter().map(Path::new));
    let readable = policy.readable.iter().cloned().chain(link_targets(&policy.jdk_home));
    let created = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))
        .and_then(|rules| rules.handle_access(AccessNet::from_all(NEWEST)))
        .and_then(|rules| rules.scope(Scope::from_all(NEWEST)))
        .and_then(Ruleset::create)
        .and_then(|rules| rules.add_rules(path_beneath_rules(runnable, read | AccessFs::Execute)))
        .and_then(|rules| rules.add_rules(path_beneath_rules(readable, read)))
        .and_then(|rules| rules.add_rules(path_beneath_rules(["/dev/null"], read | AccessFs::WriteFile)))
        .and_then(|rules| rules.add_rules(path_beneath_rules(writable, in_own_folder())))
        .map_err(refused)?;
    Ok(created.into())
}

/// All rights except for creating devices and executing programs.
fn in_own_folder() -> BitFlags<AccessFs> {
    let not = AccessFs::Execute
        | AccessFs::MakeChar
        | AccessFs::MakeBlock
        | AccessFs::MakeSock
        | AccessFs::IoctlDev;
    AccessFs::from_all(NEWEST) & !not
}
