//! Objects of `MethodHandles.Lookup`: the lookup class, and the members that it may access.

use crate::classes::ClassId;
use crate::dynamic::names::LOOKUP;
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::Args;
use cupping_classfile::AccessFlags;

/// `Lookup.TRUSTED`: everything at all.
const TRUSTED: i32 = -1;

/// A new `Lookup` of this class.
pub(super) fn new_lookup(m: &mut Machine, class: ClassId, modes: i32) -> Step<Addr> {
    let mirror = m.mirror(class)?;
    let lookup_class = m.load(LOOKUP)?;
    let lookup = m.new_object(lookup_class)?;
    for (name, value) in [("lookupClass", mirror as u64), ("allowedModes", modes as u32 as u64)] {
        if let Some(offset) = m.field_offset(lookup_class, name) {
            m.set_field(lookup, offset, value);
        }
    }
    Ok(lookup)
}

/// The class and the modes of a `Lookup`.
pub(super) fn lookup_parts(m: &Machine, lookup: Addr) -> (ClassId, i32) {
    let class = m.class_of(lookup);
    let read = |name: &str| m.field_offset(class, name).map_or(0, |o| m.field(lookup, o));
    (m.class_of_mirror(read("lookupClass") as Addr), read("allowedModes") as i32)
}

/// The class whose nest this one belongs to.
fn nest_host(m: &Machine, class: ClassId) -> String {
    let class = m.hidden_nest(class).unwrap_or(class);
    let class = m.class(class);
    let host = class.file.as_ref().and_then(|f| f.nest_host.clone());
    host.unwrap_or_else(|| class.name.clone()).to_string()
}

/// Checks that a lookup may use a member with these flags.
pub(super) fn check_access(
    m: &Machine,
    lookup: Addr,
    owner: ClassId,
    access: AccessFlags,
    what: &str,
) -> Step<()> {
    let (class, modes) = lookup_parts(m, lookup);
    let same_package = m.class(class).package() == m.class(owner).package();
    let allowed = modes == TRUSTED
        || (access.is_public() && (m.class(owner).access.is_public() || same_package))
        || (access.is_private() && modes & 2 != 0 && nest_host(m, class) == nest_host(m, owner))
        || (!access.is_private() && modes & 8 != 0 && same_package)
        || (access.is_protected() && modes & 4 != 0 && m.is_subtype(class, owner));
    if allowed {
        return Ok(());
    }
    let reason = if access.is_private() { "member is private" } else { "no such accessible member" };
    let message = format!("{reason}: {what}, from class {}", m.class(class).name.replace('/', "."));
    Err(Trap::Raise("java/lang/IllegalAccessException", Some(message)))
}

/// The class that a `Class` argument stands for.
pub(super) fn class_argument(m: &Machine, args: &Args, slot: u32) -> Step<ClassId> {
    Ok(m.class_of_mirror(args.non_null(m, slot)?))
}
