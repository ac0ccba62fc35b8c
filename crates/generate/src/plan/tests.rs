use super::{Plan, PlanStep, Var};
use crate::input::Input;
use crate::invokable::Invokable;
use cupping_case::{JavaType, MethodRef};
use cupping_machine::{ClassId, Kind, MethodId};
use std::rc::Rc;

fn invokable(name: &str, result: JavaType) -> Rc<Invokable> {
    Rc::new(Invokable {
        method: MethodId(0),
        class: ClassId(0),
        parameters: Vec::new(),
        result,
        reference: MethodRef {
            class: "Box".into(),
            name: name.into(),
            descriptor: "()V".into(),
            varargs: false,
            throws: Vec::new(),
            parameter_names: Vec::new(),
        },
        is_static: false,
        stub: None,
    })
}

fn int(plan: &mut Plan, name: &str) -> Var {
    plan.input(Input::Primitive(Kind::Int), JavaType::Int, name)
}

/// `new Box()`, `add(1)`, `size()`, `addAll(size)`, `warning()`.
fn sample() -> Plan {
    let mut plan = Plan::default();
    let receiver = plan.call(&invokable("<init>", JavaType::class("Box")), vec![], "box").expect("an object");
    let first = int(&mut plan, "first");
    plan.call(&invokable("add", JavaType::Void), vec![receiver, first], "");
    let size = plan.call(&invokable("size", JavaType::Int), vec![receiver], "size").expect("a result");
    plan.call(&invokable("addAll", JavaType::Void), vec![receiver, size], "");
    plan.call(&invokable("warning", JavaType::Boolean), vec![receiver], "warning");
    plan
}

fn names(plan: &Plan) -> Vec<&str> {
    plan.steps
        .iter()
        .map(|step| match step {
            PlanStep::Call { invokable, .. } => &*invokable.reference.name,
            PlanStep::Input { .. } => "input",
            PlanStep::NewArray { .. } => "array",
            PlanStep::StaticField { .. } | PlanStep::GetField { .. } => "field",
            PlanStep::SetField { .. } => "store",
            PlanStep::Stub { .. } => "stub",
            PlanStep::TestFolder { .. } => "folder",
        })
        .collect()
}

#[test]
fn a_call_goes_with_the_inputs_that_only_it_needs() {
    let plan = sample();
    assert_eq!(names(&plan), ["<init>", "input", "add", "size", "addAll", "warning"]);
    let shorter = plan.without(2).expect("nothing needs what add makes");
    assert_eq!(names(&shorter), ["<init>", "size", "addAll", "warning"]);
    assert_eq!(shorter.variables.len(), plan.variables.len(), "variables keep their numbers");
}

#[test]
fn steps_that_later_steps_use_stay() {
    let plan = sample();
    for index in [0, 1, 3] {
        assert!(plan.without(index).is_none(), "step {index} is needed");
    }
    let without_use = plan.without(4).expect("addAll makes nothing");
    assert_eq!(
        names(&without_use),
        ["<init>", "input", "add", "size", "warning"],
        "calls stay, for their effects"
    );
    assert_eq!(
        names(&without_use.without(3).expect("now size is not needed")),
        ["<init>", "input", "add", "warning"]
    );
}

#[test]
fn inputs_shared_by_two_calls_and_elements_of_arrays_stay() {
    let mut plan = Plan::default();
    let (shared, element) = (int(&mut plan, "shared"), int(&mut plan, "element"));
    let array = plan.variable(JavaType::class("java/lang/Object"), "array");
    plan.steps.push(PlanStep::NewArray { element: ClassId(0), elements: vec![element], var: array });
    plan.call(&invokable("one", JavaType::Void), vec![shared], "");
    plan.call(&invokable("two", JavaType::Void), vec![shared, array], "");
    assert_eq!(names(&plan.without(3).expect("one is not needed")), ["input", "input", "array", "two"]);
    let without_two = plan.without(4).expect("two is not needed");
    assert_eq!(names(&without_two), ["input", "one"], "the array goes, and its element with it");
    assert_eq!((plan.calls(), without_two.calls()), (2, 1));
}
