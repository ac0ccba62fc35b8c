//! Objects that only a factory of their class completes: their constructor is public, but the method that sets a field
//! is not.

use crate::driver::PlanDriver;
use crate::plan::PlanStep;
use cupping_classfile::{Action, Constant, instructions};
use cupping_machine::{Addr, ClassId, Kind, Machine, MethodId, ReferenceOrigin};

/// The text about an object that the test has made by a constructor although a factory sets more, if the code misses
/// what that sets: a field, or the result of a method that reads it.
pub(super) fn without_factory(
    machine: &Machine,
    driver: &PlanDriver,
    missed: &ReferenceOrigin,
) -> Option<String> {
    driver.plan.steps.iter().find_map(|step| {
        let PlanStep::Call { invokable, result: Some(var), .. } = step else { return None };
        let object = driver.slots.get(*var)?.value?.as_ref();
        if object == 0 || !invokable.is_constructor() {
            return None;
        }
        let class = machine.class_name_of(object).rsplit(['/', '$']).next()?;
        let (field, factory) = left_to_factory(machine, object, missed)?;
        let factory = &machine.method(factory).name;
        Some(format!("the test makes `{class}` by its constructor, and only `{factory}` sets `{field}`"))
    })
}

/// A field that is null although a static method that makes such objects sets it, and no constructor or public
/// method does; and that static method.
fn left_to_factory<'m>(
    machine: &'m Machine,
    object: Addr,
    missed: &ReferenceOrigin,
) -> Option<(&'m str, MethodId)> {
    let class = machine.class_of(object);
    let lineage = || {
        let all = std::iter::successors(Some(class), |id| machine.class(*id).super_class);
        all.filter(|id| !machine.class(*id).from_jdk)
    };
    let makes = |method: &MethodId| {
        let method = machine.method(*method);
        let made = method.descriptor.rsplit(')').next().and_then(|it| it.strip_prefix('L'));
        method.is_static()
            && made.is_some_and(|it| lineage().any(|id| it.trim_end_matches(';') == &*machine.class(id).name))
    };
    let factories = || lineage().flat_map(|id| machine.class(id).methods.iter().copied()).filter(makes);
    lineage().find_map(|declaring| {
        let fields = machine.class(declaring).fields.iter();
        let mut null = fields.filter(|it| {
            !it.is_static() && it.kind == Kind::Reference && machine.field(object, u32::from(it.offset)) == 0
        });
        null.find_map(|field| {
            if !is_missed(machine, declaring, &field.name, missed) {
                return None;
            }
            let setters = accessors(machine, declaring, &field.name, Action::PutField);
            let is_open = |it: &&MethodId| {
                let method = machine.method(**it);
                &*method.name == "<init>" || method.access.is_public() && !method.is_static()
            };
            if setters.iter().any(|it| is_open(&it)) {
                return None;
            }
            let completes =
                |it: &MethodId| setters.contains(it) || setters.iter().any(|to| calls(machine, *it, *to));
            Some((&*field.name, factories().find(completes)?))
        })
    })
}

/// Whether a field of a class, or the result of a method of the class that reads it, is what the code has missed.
fn is_missed(machine: &Machine, class: ClassId, field: &str, missed: &ReferenceOrigin) -> bool {
    match missed {
        ReferenceOrigin::Field(_, name) => name == field,
        ReferenceOrigin::Result(_, method) => {
            let mut readers = accessors(machine, class, field, Action::GetField).into_iter();
            readers.any(|it| *machine.method(it).name == **method)
        }
        _ => false,
    }
}

/// The methods of a class that load or store its field.
fn accessors(machine: &Machine, class: ClassId, field: &str, access: Action) -> Vec<MethodId> {
    let class = machine.class(class);
    let is_it = |constant: &Constant<'_>| match constant {
        Constant::Field { class: of, name, .. } => *of == *class.name && name == field,
        _ => false,
    };
    class.methods.iter().copied().filter(|it| has(machine, *it, |action| action == access, is_it)).collect()
}

fn calls(machine: &Machine, from: MethodId, to: MethodId) -> bool {
    let to = machine.method(to);
    let is_it = |constant: &Constant<'_>| matches!(constant, Constant::Method { name, descriptor, .. } if *name == *to.name && *descriptor == *to.descriptor);
    has(machine, from, |action| matches!(action, Action::Invoke(_)), is_it)
}

/// Whether the code of a method has an instruction with this action and this constant.
fn has(
    machine: &Machine,
    method: MethodId,
    action: impl Fn(Action) -> bool,
    constant: impl Fn(&Constant<'_>) -> bool,
) -> bool {
    let method = machine.method(method);
    let Some(file) = &machine.class(method.class).file else { return false };
    let Some(Ok(Some(code))) = file.methods.get(method.index).map(|it| file.code(it)) else { return false };
    let mut all = instructions(&code.bytecode).flatten().filter(|it| action(it.action()));
    all.any(|it| it.constant(file).is_some_and(|it| constant(&it)))
}
