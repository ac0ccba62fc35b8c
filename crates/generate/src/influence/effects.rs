//! What an invocation may define and use, and when that influences another (thesis §4.3.1, §4.3.4).

use super::types::Types;
use cupping_machine::{ClassId, Kind, Machine, MethodId};
use std::collections::BTreeSet;

/// A field, identified by declaring class and index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldReference {
    /// The declaring class.
    pub class: ClassId,
    /// Its index in [`cupping_machine::Class::fields`].
    pub index: u32,
}

/// The effects of an invocation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// Fields defined.
    pub defines: BTreeSet<FieldReference>,
    /// Fields used.
    pub uses: BTreeSet<FieldReference>,
    /// Kinds of array elements stored; `boolean` counts as `byte`, like in the bytecode.
    pub stores: BTreeSet<u8>,
    /// Kinds of array elements loaded.
    pub loads: BTreeSet<u8>,
    /// JDK types whose objects may be changed.
    pub changes: Types,
    /// JDK types whose objects may be read.
    pub reads: Types,
    /// Methods outside of the JDK that may run.
    pub runs: BTreeSet<MethodId>,
    /// Whether JDK code may copy array elements.
    pub copies_arrays: bool,
    /// Whether files may be changed.
    pub changes_files: bool,
    /// Whether files may be read.
    pub uses_files: bool,
    /// Whether the call graph was cut off, so that anything may be defined or used.
    pub is_unknown: bool,
}

impl Effects {
    /// Whether a definition here may reach a use in `later`.
    pub fn influences(&self, later: &Effects) -> bool {
        self.defines.intersection(&later.uses).next().is_some() || self.influences_beside_fields(later)
    }

    /// Whether a definition of something other than a field may reach a use in `later`.
    pub fn influences_beside_fields(&self, later: &Effects) -> bool {
        self.stores.intersection(&later.loads).next().is_some()
            || self.changes.meets(&later.reads)
            || self.changes_files && (later.uses_files || later.changes_files)
            || (self.is_unknown && !later.is_blind())
            || (later.is_unknown && !self.is_pure())
    }

    /// Whether it may influence `later` without a common object, through static fields.
    pub fn influences_globally(&self, machine: &Machine, later: &Effects) -> bool {
        let is_static = |f: &&FieldReference| machine.class(f.class).fields[f.index as usize].is_static();
        let sets = self.defines.intersection(&later.uses).any(|f| is_static(&f));
        // What a static field holds may be changed and read without setting the field.
        let changes =
            self.changes.meets(&later.reads) && self.uses.intersection(&later.uses).any(|f| is_static(&f));
        sets || changes || self.is_unknown || later.is_unknown
    }

    /// Whether two consecutive invocations have the same effect in either order (partial order reduction,
    /// §4.3.4).
    pub fn commutes_with(&self, other: &Effects) -> bool {
        let same_field = self.defines.intersection(&other.defines).next().is_some();
        let same_element = self.stores.intersection(&other.stores).next().is_some();
        let same_type = self.changes.meets(&other.changes);
        !self.influences(other) && !other.influences(self) && !same_field && !same_element && !same_type
    }

    /// Whether the invocation leads to further states after `last`: it defines something, and if the two
    /// commute, only one order is tried. `earlier` says that this invocation has the lower number (§4.3.4).
    pub fn is_step_after(&self, last: &Effects, earlier: bool) -> bool {
        !(self.is_pure() || earlier && last.commutes_with(self))
    }

    /// Whether it defines nothing.
    pub fn is_pure(&self) -> bool {
        self.defines.is_empty()
            && self.stores.is_empty()
            && self.changes.is_empty()
            && !self.changes_files
            && !self.is_unknown
    }

    /// Whether it defines a field of an object of this class.
    pub fn defines_of(&self, machine: &Machine, class: ClassId) -> bool {
        self.defines.iter().any(|field| machine.is_subtype(class, field.class))
    }

    /// Whether it may change a field of an existing object of this class. Final fields do not count, since they
    /// are set while an object is created, nor do fields of a copy that it returns.
    pub fn changes_of(&self, machine: &Machine, class: ClassId) -> bool {
        self.defines.iter().any(|field| {
            let is_final = machine.class(field.class).fields[field.index as usize].access.is_final();
            !is_final && machine.is_subtype(class, field.class)
        })
    }

    /// Whether it uses nothing.
    fn is_blind(&self) -> bool {
        self.uses.is_empty()
            && self.loads.is_empty()
            && self.reads.is_empty()
            && !self.uses_files
            && !self.changes_files
            && !self.is_unknown
    }

    /// Adds what another invocation does.
    pub(super) fn add(&mut self, other: &Effects) {
        let Effects { defines, uses, stores, loads, changes, reads, runs, .. } = other;
        let Effects { copies_arrays, changes_files, uses_files, is_unknown, .. } = other;
        self.defines.extend(defines);
        self.uses.extend(uses);
        self.stores.extend(stores);
        self.loads.extend(loads);
        self.changes.add(changes);
        self.reads.add(reads);
        self.runs.extend(runs);
        self.copies_arrays |= copies_arrays;
        self.changes_files |= changes_files;
        self.uses_files |= uses_files;
        self.is_unknown |= is_unknown;
    }
}

/// The number of an array-element kind in [`Effects`].
pub fn element_key(kind: Kind) -> u8 {
    if kind == Kind::Boolean { Kind::Byte as u8 } else { kind as u8 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(indices: &[u32]) -> BTreeSet<FieldReference> {
        indices.iter().map(|index| FieldReference { class: ClassId(3), index: *index }).collect()
    }

    /// An invocation that defines and uses these fields.
    fn effects(defines: &[u32], uses: &[u32]) -> Effects {
        Effects { defines: fields(defines), uses: fields(uses), ..Effects::default() }
    }

    #[test]
    fn a_definition_influences_a_later_use_of_the_same_field() {
        let setter = effects(&[1], &[]);
        assert!(setter.influences(&effects(&[], &[1, 2])));
        assert!(!setter.influences(&effects(&[], &[2])));
        assert!(!setter.influences(&effects(&[1], &[])), "overwriting is no use");
        assert!(!effects(&[], &[1]).influences(&setter), "a use changes nothing");
        let of_other = FieldReference { class: ClassId(4), index: 1 };
        let other = Effects { uses: [of_other].into(), ..Effects::default() };
        assert!(!setter.influences(&other), "a field of another class");
    }

    #[test]
    fn elements_of_arrays_meet_by_their_kind() {
        let stores = |kind| Effects { stores: [element_key(kind)].into(), ..Effects::default() };
        let loads = |kind| Effects { loads: [element_key(kind)].into(), ..Effects::default() };
        assert!(stores(Kind::Int).influences(&loads(Kind::Int)));
        assert!(!stores(Kind::Int).influences(&loads(Kind::Long)));
        assert!(
            stores(Kind::Boolean).influences(&loads(Kind::Byte)),
            "the bytecode does not tell them apart"
        );
        assert!(!stores(Kind::Int).commutes_with(&stores(Kind::Int)));
        assert!(stores(Kind::Int).commutes_with(&stores(Kind::Char)));
    }

    #[test]
    fn writing_a_file_influences_reading_and_writing() {
        let writes = Effects { changes_files: true, ..Effects::default() };
        let reads = Effects { uses_files: true, ..Effects::default() };
        assert!(writes.influences(&reads) && writes.influences(&writes));
        assert!(!reads.influences(&writes) && !reads.influences(&reads));
        assert!(!writes.is_pure() && reads.is_pure());
        assert!(!writes.commutes_with(&writes) && reads.commutes_with(&reads));
    }

    #[test]
    fn unknown_code_may_define_and_use_anything() {
        let unknown = Effects { is_unknown: true, ..Effects::default() };
        assert!(unknown.influences(&effects(&[], &[1])));
        assert!(effects(&[1], &[]).influences(&unknown));
        assert!(unknown.influences(&unknown) && !unknown.is_pure());
        assert!(!unknown.influences(&effects(&[1], &[])), "it uses nothing");
        assert!(!effects(&[], &[1]).influences(&unknown), "it defines nothing");
    }

    #[test]
    fn calls_commute_unless_one_sees_what_the_other_does() {
        assert!(effects(&[1], &[1]).commutes_with(&effects(&[2], &[2])));
        assert!(!effects(&[1], &[]).commutes_with(&effects(&[1], &[])), "the last one wins");
        let (writer, reader) = (effects(&[1], &[]), effects(&[2], &[1]));
        assert!(!writer.commutes_with(&reader) && !reader.commutes_with(&writer));
        assert!(effects(&[], &[1]).commutes_with(&effects(&[], &[1])));
    }

    #[test]
    fn of_two_orders_of_commuting_calls_one_is_tried() {
        let (one, other, same) = (effects(&[1], &[]), effects(&[2], &[]), effects(&[1], &[]));
        assert!(one.is_step_after(&other, false));
        assert!(!one.is_step_after(&other, true));
        assert!(one.is_step_after(&same, true), "both orders differ");
        assert!(!effects(&[], &[1]).is_step_after(&one, false), "it leads to no other state");
    }

    #[test]
    fn together_two_invocations_do_what_each_does() {
        let mut both = effects(&[1], &[2]);
        both.add(&Effects {
            stores: [1].into(),
            loads: [2].into(),
            runs: [MethodId(5)].into(),
            copies_arrays: true,
            changes_files: true,
            uses_files: true,
            is_unknown: true,
            ..effects(&[3], &[4])
        });
        assert_eq!((&both.defines, &both.uses), (&fields(&[1, 3]), &fields(&[2, 4])));
        assert_eq!((both.stores.len(), both.loads.len(), both.runs.len()), (1, 1, 1));
        assert!(both.copies_arrays && both.changes_files && both.uses_files && both.is_unknown);
        let before = both.clone();
        both.add(&Effects::default());
        assert_eq!(both, before, "nothing is taken back");
    }
}
