//! Objects that a test makes or changes in a way that only the code around them may: by a constructor that leaves
//! fields unset for a subclass or a framework, or by a store to a field that is not public.

use crate::driver::PlanDriver;
use crate::plan::{PlanStep, Var};
use cupping_classfile::{Action, Constant, instructions};
use cupping_machine::{ClassId, Field, Kind, Machine, MethodId};
use std::collections::BTreeSet;

/// Calls between a constructor and the method that sets a field for it, at most.
const MAX_CALLS: usize = 2;

/// What the test has done to an object that users of its class cannot or should not do.
pub(super) fn incomplete(machine: &Machine, driver: &PlanDriver) -> Option<String> {
    driver.plan.steps.iter().find_map(|step| match step {
        PlanStep::Call { invokable, result: Some(var), .. } if invokable.is_constructor() => {
            made_without(machine, driver, invokable.method, *var)
        }
        PlanStep::Stub { stub, var, .. } => {
            let constructor = machine.declared_method(stub.interface, "<init>", "()V")?;
            made_without(machine, driver, constructor, *var)
        }
        PlanStep::SetField { field: (class, index), .. } => {
            let field = &machine.class(*class).fields[*index];
            let file = machine.class(*class).file.as_ref();
            let declared = file.and_then(|it| it.field(&field.name));
            // What a framework sets, as annotations show, a test may set.
            let is_own = !field.access.is_public()
                && (!declared.is_some_and(is_annotated)
                    || stores_in(machine, constructors(machine, *class), &field.name));
            is_own.then(|| format!("the test itself sets the field `{}`, which is not public", field.name))
        }
        _ => None,
    })
}

/// The text about an object that misses a field.
fn made_without(machine: &Machine, driver: &PlanDriver, constructor: MethodId, var: Var) -> Option<String> {
    let field = unset_field(machine, driver, constructor, var)?;
    let class = machine.class(machine.method(constructor).class).name.rsplit(['/', '$']).next()?;
    Some(format!("the test makes `{class}` by a constructor that is not public and leaves `{field}` null"))
}

/// A field of an object that is null, since the constructor that the test calls is not public and does not set it,
/// though another one does, or leaves it to other classes of the package. A public constructor that leaves a field null
/// is a mistake in the code.
fn unset_field(machine: &Machine, driver: &PlanDriver, constructor: MethodId, var: Var) -> Option<String> {
    let object = driver.object(var)?;
    if machine.method(constructor).access.is_public() {
        return None;
    }
    let run = constructors_run(machine, constructor);
    let is_set = |class: ClassId, name: &str, ran: bool| {
        stores_in(machine, constructors(machine, class).filter(|it| run.contains(it) == ran), name)
    };
    let is_for_others = |class: ClassId, field: &Field| {
        let all = machine.class(class).methods.iter().copied();
        !field.access.is_private() && !stores_in(machine, all, &field.name)
    };
    let classes: BTreeSet<ClassId> = run.iter().map(|it| machine.method(*it).class).collect();
    classes.into_iter().find_map(|class| {
        let fields = machine.class(class).fields.iter();
        let mut references = fields.filter(|it| !it.is_static() && it.kind == Kind::Reference);
        let unset = references.find(|it| {
            machine.field(object, u32::from(it.offset)) == 0
                && (is_set(class, &it.name, false) && !is_set(class, &it.name, true)
                    || is_for_others(class, it))
        });
        unset.map(|it| it.name.to_string())
    })
}

/// A constructor and those that it calls first, of its class and superclasses.
pub(super) fn constructors_run(machine: &Machine, constructor: MethodId) -> Vec<MethodId> {
    let mut next = Some(constructor);
    let mut run: Vec<MethodId> = Vec::new();
    while let Some(method) = next.filter(|it| !run.contains(it)) {
        run.push(method);
        next = code_of(machine, method).calls;
    }
    run
}

/// Whether one of these methods of a class stores to its field of this name.
fn stores_in(machine: &Machine, mut methods: impl Iterator<Item = MethodId>, field: &str) -> bool {
    methods.any(|it| code_of(machine, it).stores.contains(field))
}

/// Whether a field has annotations, such as those of frameworks that set it.
pub(super) fn is_annotated(field: &cupping_classfile::Field) -> bool {
    field.annotations.visible.is_some() || field.annotations.types.is_some()
}

fn constructors(machine: &Machine, class: ClassId) -> impl Iterator<Item = MethodId> + '_ {
    machine.class(class).methods.iter().copied().filter(|it| &*machine.method(*it).name == "<init>")
}

/// What matters here of a constructor's code.
#[derive(Default)]
pub(super) struct ConstructorCode {
    /// The fields that it sets, directly or by methods of its class.
    pub(super) stores: BTreeSet<String>,
    /// The constructor of its class or superclass that it calls first, unless that is the JDK's.
    calls: Option<MethodId>,
}

pub(super) fn code_of(machine: &Machine, constructor: MethodId) -> ConstructorCode {
    code_within(machine, constructor, MAX_CALLS)
}

/// The same with the fields that methods of the class set which it calls.
fn code_within(machine: &Machine, method: MethodId, calls: usize) -> ConstructorCode {
    let mut found = ConstructorCode::default();
    let method = machine.method(method);
    let class = machine.class(method.class);
    let Some(file) = class.file.as_ref().filter(|_| !class.from_jdk) else { return found };
    let Some(Ok(Some(code))) = file.methods.get(method.index).map(|it| file.code(it)) else { return found };
    let mut is_called = false;
    for instruction in instructions(&code.bytecode).flatten() {
        match (instruction.action(), instruction.constant(file)) {
            (Action::PutField, Some(Constant::Field { class: of, name, .. })) if *of == *class.name => {
                found.stores.insert(name.into_owned());
            }
            (Action::Invoke(_), Some(Constant::Method { class: of, name, descriptor, .. }))
                if name == "<init>" && !is_called =>
            {
                let near = [Some(method.class), class.super_class];
                let own = near.into_iter().flatten().find(|it| *of == *machine.class(*it).name);
                is_called = own.is_some();
                found.calls = own.and_then(|it| machine.declared_method(it, "<init>", &descriptor));
            }
            (Action::Invoke(_), Some(Constant::Method { class: of, name, descriptor, .. }))
                if name != "<init>" && *of == *class.name && calls > 0 =>
            {
                let called = machine.declared_method(method.class, &name, &descriptor);
                found
                    .stores
                    .extend(called.into_iter().flat_map(|it| code_within(machine, it, calls - 1).stores));
            }
            _ => {}
        }
    }
    found
}
