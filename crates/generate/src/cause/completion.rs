//! Objects that a constructor leaves to others: to a setter, or to a factory of the class.

use super::objects::{code_of, constructors_run};
use crate::driver::PlanDriver;
use crate::plan::PlanStep;
use cupping_classfile::{Action, Constant, instructions};
use cupping_machine::{Addr, ClassId, Kind, Machine, MethodId, ReferenceOrigin};

/// The text about an object that the test has made by a constructor and not completed, if the code misses a field, or
/// the result of a method that reads it.
pub(super) fn not_completed(
    machine: &Machine,
    driver: &PlanDriver,
    missed: &ReferenceOrigin,
) -> Option<String> {
    driver.plan.steps.iter().find_map(|step| {
        let PlanStep::Call { invokable, result: Some(var), .. } = step else { return None };
        let object = driver.object(*var)?;
        if !invokable.is_constructor() {
            return None;
        }
        let class = machine.class_name_of(object).rsplit(['/', '$']).next()?;
        let (field, by) = left_open(machine, object, invokable.method, missed)?;
        let name = &machine.method(by).name;
        Some(match machine.method(by).is_static() {
            true => format!("the test makes `{class}` by its constructor, and only `{name}` sets `{field}`"),
            false => format!("the test does not call `{name}`, which sets `{field}` of `{class}`"),
        })
    })
}

/// A field that is null since the constructor does not set it, and the method that does: a public setter, or a static
/// method that makes such objects, if no public method does.
fn left_open<'m>(
    machine: &'m Machine,
    object: Addr,
    constructor: MethodId,
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
    let mut factories = lineage().flat_map(|id| machine.class(id).methods.iter().copied()).filter(makes);
    let run = constructors_run(machine, constructor);
    let of_class = |declaring: ClassId| {
        let is_set = |name: &str| {
            let mut own = run.iter().filter(|it| machine.method(**it).class == declaring);
            own.any(|it| code_of(machine, *it).stores.contains(name))
        };
        let mut fields = machine.class(declaring).fields.iter().filter(|it| {
            !it.is_static() && it.kind == Kind::Reference && machine.field(object, u32::from(it.offset)) == 0
        });
        let field = fields.find(|it| is_missed(machine, declaring, &it.name, missed) && !is_set(&it.name))?;
        Some((&*field.name, accessors(machine, declaring, &field.name, Action::PutField)))
    };
    let (field, stores) = lineage().find_map(of_class)?;
    let is_open = |it: &MethodId| {
        let method = machine.method(*it);
        method.access.is_public() && !method.is_static() && &*method.name != "<init>"
    };
    if let Some(setter) = stores.iter().find(|it| is_open(it) && machine.method(**it).name.starts_with("set"))
    {
        return Some((field, *setter));
    }
    let is_constructor = |it: &MethodId| &*machine.method(*it).name == "<init>";
    if stores.iter().any(|it| is_open(it) || is_constructor(it)) {
        return None;
    }
    let completes = |it: &MethodId| stores.contains(it) || stores.iter().any(|to| calls(machine, *it, *to));
    Some((field, factories.find(completes)?))
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
    class
        .methods
        .iter()
        .copied()
        .filter(|it| has_instruction(machine, *it, |action| action == access, is_it))
        .collect()
}

/// Whether the code of a method calls one of this name and type.
pub(super) fn calls(machine: &Machine, from: MethodId, to: MethodId) -> bool {
    let to = machine.method(to);
    let is_it = |constant: &Constant<'_>| matches!(constant, Constant::Method { name, descriptor, .. } if *name == *to.name && *descriptor == *to.descriptor);
    has_instruction(machine, from, |action| matches!(action, Action::Invoke(_)), is_it)
}

/// Whether the code of a method has an instruction with this action and this constant.
pub(super) fn has_instruction(
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
