//! The methods from which a change is visible: the transitive callers of a changed method.

use crate::api::is_accessible;
use cupping_classfile::instructions::instructions;
use cupping_classfile::{AccessFlags, ClassFile, Constant, Program};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// A method: class, name and descriptor.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MethodName {
    /// Internal name of the class that declares it.
    pub class: Box<str>,
    /// Its name.
    pub name: Box<str>,
    /// Its descriptor.
    pub descriptor: Box<str>,
}

/// Name and descriptor of a method that is called.
type Signature = (Box<str>, Box<str>);

/// The class that a call names, and the method that calls.
type CallByClass = (Box<str>, MethodName);

/// The reversed call graph of a program.
///
/// A call names a class; the method that runs may be declared in a superclass or a subclass of it, so both count.
/// Calls by the JDK (`compareTo`, `run`, `hashCode`) are not followed.
pub struct Influence {
    files: BTreeMap<Arc<str>, Arc<ClassFile>>,
    /// Named class and caller of each call, by name and descriptor of the callee.
    callers: BTreeMap<Signature, Vec<CallByClass>>,
    /// Supertypes of each class, with itself.
    above: BTreeMap<Arc<str>, BTreeSet<Arc<str>>>,
    open: BTreeSet<Arc<str>>,
}

impl Influence {
    /// Reads the calls of these classes. Damaged classes have none.
    pub fn of(program: &Program, names: &BTreeSet<String>) -> Influence {
        let find = |name: &String| program.find(name).ok().flatten().filter(|it| !it.origin().is_jdk());
        let files: BTreeMap<Arc<str>, Arc<ClassFile>> =
            names.iter().filter_map(find).map(|it| (it.name.clone(), it)).collect();
        let mut callers: BTreeMap<Signature, Vec<CallByClass>> = BTreeMap::new();
        for file in files.values() {
            for (name, caller) in calls(file) {
                callers.entry((name.name, name.descriptor)).or_default().push((name.class, caller));
            }
        }
        let above = files.keys().map(|name| (name.clone(), supertypes(program, name))).collect();
        let open = files.values().filter(|it| is_accessible(program, it)).map(|it| it.name.clone()).collect();
        Influence { files, callers, above, open }
    }

    /// The methods that other packages can call and that may run this one, nearest first; includes this one if it
    /// can be called itself.
    pub fn visible_from(&self, method: &MethodName) -> Vec<MethodName> {
        self.running(method).into_iter().filter(|it| self.is_open(it)).collect()
    }

    /// This method and all that may run it, nearest first.
    pub fn running(&self, method: &MethodName) -> Vec<MethodName> {
        let mut seen = BTreeSet::from([method.clone()]);
        let mut queue = VecDeque::from([method.clone()]);
        let mut found = Vec::new();
        while let Some(next) = queue.pop_front() {
            for caller in self.callers_of(&next) {
                if seen.insert(caller.clone()) {
                    queue.push_back(caller);
                }
            }
            found.push(next);
        }
        found
    }

    /// Whether a method is static, if it is known.
    pub fn is_static(&self, method: &MethodName) -> Option<bool> {
        let declared = self.files.get(&*method.class)?.method(&method.name, &method.descriptor)?;
        Some(declared.access.is_static())
    }

    /// Whether a class is abstract, or an interface.
    pub fn is_abstract(&self, class: &str) -> bool {
        self.files.get(class).is_some_and(|it| it.access.is_abstract())
    }

    /// The concrete subclasses or implementations of a class, those with the shortest names first.
    pub fn concrete_subclasses(&self, class: &str) -> Vec<Box<str>> {
        let is_below = |(name, above): &(&Arc<str>, &BTreeSet<Arc<str>>)| {
            ***name != *class && above.contains(class) && !self.is_abstract(name)
        };
        let mut found: Vec<Box<str>> =
            self.above.iter().filter(is_below).map(|(name, _)| (&**name).into()).collect();
        found.sort_by_key(|it| (it.len(), it.clone()));
        found
    }

    fn is_open(&self, method: &MethodName) -> bool {
        let declared =
            self.files.get(&*method.class).and_then(|it| it.method(&method.name, &method.descriptor));
        self.open.contains(&*method.class)
            && declared.is_some_and(|it| {
                it.access.has_any(AccessFlags::PUBLIC.or(AccessFlags::PROTECTED)) && !it.access.is_synthetic()
            })
    }

    fn callers_of(&self, method: &MethodName) -> Vec<MethodName> {
        // An initialiser runs before everything else in its class.
        if &*method.name == "<clinit>" {
            let Some(file) = self.files.get(&*method.class) else { return Vec::new() };
            let others = file.methods.iter().filter(|it| it.name != "<clinit>".into());
            return others.map(|it| named(file, &it.name, &it.descriptor)).collect();
        }
        let key = (method.name.clone(), method.descriptor.clone());
        let is_related = |named: &str| {
            let has = |of: &str, other: &str| self.above.get(of).is_some_and(|it| it.contains(other));
            let is_inherited = || has(named, &method.class) || has(&method.class, named);
            // Constructors are neither inherited nor overridden.
            *named == *method.class || &*method.name != "<init>" && is_inherited()
        };
        let callers = self.callers.get(&key).into_iter().flatten();
        callers.filter(|(named, _)| is_related(named)).map(|(_, caller)| caller.clone()).collect()
    }
}

fn named(file: &ClassFile, name: &str, descriptor: &str) -> MethodName {
    MethodName { class: (&*file.name).into(), name: name.into(), descriptor: descriptor.into() }
}

/// The methods that the code of a class calls, or creates handles of, each with the calling method.
fn calls(file: &ClassFile) -> Vec<(MethodName, MethodName)> {
    let mut found = BTreeSet::new();
    for method in &file.methods {
        let Ok(Some(code)) = file.code(method) else { continue };
        let caller = named(file, &method.name, &method.descriptor);
        for instruction in instructions(&code.bytecode).map_while(Result::ok) {
            let Some(constant) = instruction.constant(file) else { continue };
            for callee in callees(file, &constant) {
                found.insert((callee, caller.clone()));
            }
        }
    }
    found.into_iter().collect()
}

fn callees(file: &ClassFile, constant: &Constant<'_>) -> Vec<MethodName> {
    match constant {
        Constant::Method { class, name, descriptor, .. } => {
            vec![MethodName {
                class: (&**class).into(),
                name: (&**name).into(),
                descriptor: (&**descriptor).into(),
            }]
        }
        Constant::MethodHandle { reference, .. } => {
            file.constant(*reference).map_or(Vec::new(), |it| callees(file, &it))
        }
        Constant::InvokeDynamic { bootstrap, .. } | Constant::Dynamic { bootstrap, .. } => {
            let method = file.bootstrap_methods.get(usize::from(*bootstrap));
            let parts = method.into_iter().flat_map(|it| &*it.arguments);
            parts
                .filter_map(|at| file.constant(*at).ok())
                .filter(|it| matches!(it, Constant::MethodHandle { .. }))
                .flat_map(|it| callees(file, &it))
                .collect()
        }
        _ => Vec::new(),
    }
}

fn supertypes(program: &Program, name: &Arc<str>) -> BTreeSet<Arc<str>> {
    let mut found = BTreeSet::from([name.clone()]);
    let mut open = vec![name.clone()];
    while let Some(next) = open.pop() {
        let Ok(Some(file)) = program.find(&next) else { continue };
        for above in file.super_name.iter().chain(&*file.interfaces) {
            if found.insert(above.clone()) {
                open.push(above.clone());
            }
        }
    }
    found
}
