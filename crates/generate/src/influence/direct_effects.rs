//! Direct effects: what the code of a method does itself, and which methods it calls.

use super::effects::{Effects, FieldReference, element_key};
use super::files::{FileAccess, file_access};
use super::hierarchy::Hierarchy;
use super::library::{Library, is_harmless};
use crate::facts::{MemberName, Reference, References};
use cupping_case::{JavaType, parse_method_descriptor};
use cupping_machine::{ClassId, Kind, Machine, MethodId};
use std::collections::{BTreeMap, BTreeSet};

/// A method's own effects and its possible callees.
#[derive(Debug, Default)]
pub struct DirectEffects {
    pub effects: Effects,
    pub calls: Vec<MethodId>,
}

/// The direct effects and callees of a method that runs as part of an invocation on an object of class
/// `receiver`.
pub fn direct(
    machine: &mut Machine,
    hierarchy: &mut Hierarchy,
    library: &mut Library,
    receiver: ClassId,
    method: MethodId,
) -> DirectEffects {
    let loaded = machine.method(method);
    let (own, index) = (loaded.class, loaded.index);
    let mut look = EffectScan {
        machine,
        hierarchy,
        library,
        receiver,
        found: DirectEffects::default(),
        outer: BTreeMap::new(),
        changed_outer: BTreeSet::new(),
    };
    look.found.effects.runs.insert(method);
    let Some(file) = look.machine.class(own).file.clone() else { return look.found };
    let Ok(Some(References(all))) = file.fact(&file.methods[index]) else { return look.found };
    all.iter().for_each(|it| look.reference(it));
    look.change_outer();
    look.found
}

struct EffectScan<'a> {
    machine: &'a mut Machine,
    hierarchy: &'a mut Hierarchy,
    library: &'a mut Library,
    receiver: ClassId,
    found: DirectEffects,
    /// For JDK types: the types of the objects that their objects were taken from in this method.
    outer: BTreeMap<ClassId, BTreeSet<ClassId>>,
    /// Types of objects through which their origin may have been changed.
    changed_outer: BTreeSet<ClassId>,
}

impl EffectScan<'_> {
    fn reference(&mut self, reference: &Reference) {
        match reference {
            Reference::Load(element) => {
                self.found.effects.loads.insert(element_key((*element).into()));
            }
            Reference::Store(element) => {
                self.found.effects.stores.insert(element_key((*element).into()));
            }
            Reference::Use(field) => {
                let field = self.field(field);
                self.found.effects.uses.extend(field);
            }
            Reference::Definition(field) => {
                let field = self.field(field);
                self.found.effects.defines.extend(field);
            }
            Reference::Call { method: (class, name, descriptor), is_virtual, on_this } => {
                self.call(class, name, descriptor, *is_virtual, *on_this);
            }
            Reference::Creation(name) => self.made(name),
        }
    }

    fn field(&mut self, (class, name, descriptor): &MemberName) -> Option<FieldReference> {
        let class = self.machine.load(class).ok()?;
        let (class, index) = self.machine.find_field(class, name, descriptor)?;
        Some(FieldReference { class, index: index as u32 })
    }

    /// Whether code of a class is followed rather than summarised.
    fn is_followed(&self, class: ClassId) -> bool {
        let loaded = self.machine.class(class);
        if !loaded.from_jdk {
            return true;
        }
        let receiver = self.machine.class(self.receiver);
        let outermost = |name: &str| name.find('$').map_or(name.len(), |at| at);
        let same_file = loaded.name[..outermost(&loaded.name)] == receiver.name[..outermost(&receiver.name)];
        let above = receiver.from_jdk && self.machine.is_subtype(self.receiver, class);
        same_file || above && &*loaded.name != "java/lang/Object"
    }

    fn call(&mut self, class: &str, name: &str, descriptor: &str, is_virtual: bool, on_this: bool) {
        if class.starts_with('[') {
            self.found.effects.copies_arrays |= name == "clone";
            return;
        }
        let Ok(called) = self.machine.load(class) else { return };
        let Some(method) = self.machine.find_method(called, name, descriptor) else { return };
        let declaring = self.machine.method(method).class;
        let mine = self.machine.is_subtype(self.receiver, declaring);
        if is_virtual && mine {
            let selected = self.machine.select(self.receiver, method);
            if self.is_followed(self.machine.method(selected).class) {
                self.found.calls.push(selected);
                if on_this && descriptor.starts_with("()") {
                    return;
                }
            }
        }
        if self.is_followed(declaring) {
            self.found.calls.push(method);
            // Overriding methods of JDK classes are found only on demand.
            if is_virtual && !self.machine.class(declaring).from_jdk {
                let overriding = self.hierarchy.overriding(self.machine, method);
                self.found.calls.extend(overriding);
            }
            return;
        }
        if is_virtual && self.machine.class(called).is_interface() {
            let overriding = self.hierarchy.overriding(self.machine, method);
            self.found.calls.extend(overriding);
        }
        if &*self.machine.class(declaring).name == "java/lang/System" && name == "arraycopy" {
            let kinds = KINDS.map(element_key);
            self.found.effects.copies_arrays = true;
            self.found.effects.stores.extend(kinds);
            self.found.effects.loads.extend(kinds);
        }
        let by_declaring = self.machine.class(declaring).name.clone();
        // A method that takes a file or path may open it.
        let opens = !is_harmless(class)
            && &*by_declaring != "java/io/File"
            && ["Ljava/io/File;", "Ljava/nio/file/Path;"].iter().any(|it| descriptor.contains(it));
        match file_access(class, name).or_else(|| file_access(&by_declaring, name)) {
            Some(FileAccess::Writes) => self.found.effects.changes_files = true,
            Some(FileAccess::Reads) => self.found.effects.uses_files = true,
            None if opens && name == "<init>" => self.found.effects.changes_files = true,
            None => {}
        }
        if !is_harmless(class) && !is_harmless(&self.machine.class(declaring).name.clone()) {
            self.library_call(called, method, descriptor);
        }
    }

    /// A JDK method reads its receiver and arguments, and may change them.
    fn library_call(&mut self, called: ClassId, method: MethodId, descriptor: &str) {
        let loaded = self.machine.method(method);
        let (is_static, is_constructor) = (loaded.is_static(), &*loaded.name == "<init>");
        let Some((parameters, result)) = parse_method_descriptor(descriptor) else { return };
        let mut touched: Vec<ClassId> = Vec::new();
        if !is_static && !is_constructor {
            touched.push(called);
        }
        let has_array = parameters.iter().any(|p| matches!(p, JavaType::Array(_)));
        for parameter in
            parameters.iter().filter(|p| matches!(p, JavaType::Class(name) if !is_harmless(name)))
        {
            let class = self.machine.load_descriptor(&parameter.descriptor()).ok();
            touched.extend(class.filter(|c| self.machine.class(*c).from_jdk));
        }
        if touched.is_empty() && !has_array {
            return;
        }
        let summary = self.library.summary(self.machine, method);
        if has_array {
            self.found.effects.copies_arrays = true;
            self.found.effects.stores.extend(&summary.stores);
            self.found.effects.loads.extend(&summary.loads);
        }
        for class in &touched {
            self.found.effects.reads.insert(self.machine, *class);
            if summary.changes && !is_constructor {
                self.found.effects.changes.insert(self.machine, *class);
            }
            if summary.changes_outer {
                self.changed_outer.insert(*class);
            }
        }
        if let JavaType::Class(name) = &result
            && !is_harmless(name)
            && let Ok(result) = self.machine.load(name)
        {
            self.outer.entry(result).or_default().extend(&touched);
        }
    }

    /// Propagates changes to the objects that others were taken from: an iterator's `remove` changes its
    /// list.
    fn change_outer(&mut self) {
        let mut open: Vec<ClassId> = self.changed_outer.iter().copied().collect();
        let mut seen = self.changed_outer.clone();
        while let Some(next) = open.pop() {
            self.found.effects.changes.insert(self.machine, next);
            let outer = self.outer.get(&next).into_iter().flatten();
            open.extend(outer.filter(|c| seen.insert(**c)));
        }
    }

    /// The JDK may call back an object created here: its methods of comparator, runnable and so on count as
    /// called.
    fn made(&mut self, name: &str) {
        let Ok(class) = self.machine.load(name) else { return };
        if self.machine.class(class).from_jdk {
            return;
        }
        let above: Vec<ClassId> = self.machine.class(class).supertypes.iter().copied().collect();
        let library = |c: &ClassId| {
            let loaded = self.machine.class(*c);
            loaded.from_jdk && loaded.is_interface()
        };
        let mut above: Vec<ClassId> = above.into_iter().filter(library).collect();
        above.sort_unstable();
        for method in self.machine.class(class).methods.clone() {
            let loaded = self.machine.method(method);
            if loaded.is_static() || loaded.is_private() || loaded.is_abstract() {
                continue;
            }
            let (name, descriptor) = (loaded.name.clone(), loaded.descriptor.clone());
            if above.iter().any(|a| self.machine.declared_method(*a, &name, &descriptor).is_some()) {
                self.found.calls.push(method);
            }
        }
    }
}

const KINDS: [Kind; 8] =
    [Kind::Byte, Kind::Char, Kind::Short, Kind::Int, Kind::Long, Kind::Float, Kind::Double, Kind::Reference];
