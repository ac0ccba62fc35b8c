use super::{Plan, PlanStep, Var};
use crate::input::Input;
use crate::invokable::Invokable;
use crate::testing;
use cupping_case::JavaType;
use cupping_machine::{ClassId, Kind, MethodId};
use std::rc::Rc;

fn invokable(name: &str, result: JavaType) -> Rc<Invokable> {
    Rc::new(Invokable { result, ..testing::invokable("Box", name, "()V") })
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

#[test]
fn calls_are_named_without_packages_and_outer_classes() {
    let mut plan = Plan::default();
    plan.call(&Rc::new(testing::invokable("p/Map$Entry", "<init>", "(I)V")), vec![], "entry");
    int(&mut plan, "key");
    plan.call(&Rc::new(testing::invokable("p/Map$Entry", "setKey", "(I)V")), vec![0, 1], "");
    assert_eq!(plan.calls_by_name(), ["Entry()", "setKey()"]);
}

#[test]
fn set_up_and_recipes_do_not_count_as_calls() {
    let mut plan = sample();
    assert_eq!(plan.calls(), 5);
    plan.setup = 3;
    assert_eq!(plan.calls(), 3, "the constructor and add are given by the set-up");
    plan.given = 2;
    assert_eq!(plan.calls(), 1);
    plan.given = 9;
    assert_eq!(plan.calls(), 0);
}

#[test]
fn the_preparation_of_files_counts_only_without_a_folder_of_the_test() {
    let mut plan = Plan::default();
    let file = plan.call(&Rc::new(testing::invokable("java/io/File", "<init>", "()V")), vec![], "file");
    plan.call(&Rc::new(testing::invokable("Box", "read", "(Ljava/io/File;)V")), vec![0, file.unwrap()], "");
    assert_eq!(plan.calls(), 2, "the file may be what is under test");
    let var = plan.variable(JavaType::class("java/io/File"), "folder");
    plan.steps.insert(0, PlanStep::TestFolder { var });
    assert!(plan.has_folder());
    assert_eq!(plan.calls(), 1);
}

#[test]
fn calls_on_the_object_are_told_from_those_that_make_its_arguments() {
    let mut plan = Plan::default();
    let object = plan.call(&invokable("<init>", JavaType::class("Box")), vec![], "box").expect("an object");
    let other = plan.call(&invokable("<init>", JavaType::class("Lid")), vec![], "lid").expect("an object");
    plan.call(&invokable("polish", JavaType::Void), vec![other], "");
    plan.call(&invokable("close", JavaType::Void), vec![object, other], "");
    assert_eq!(plan.calls_of(Some(object)), [2, 2], "new Box and close; new Lid and polish");
    assert_eq!(plan.calls_of(None), [2, 2], "nothing uses what polish and close return");
    plan.given = 1;
    assert_eq!(plan.calls_of(Some(object)), [2, 1], "the recipe made an argument");
    plan.given = 3;
    assert_eq!(plan.calls_of(Some(object)), [1, 0], "with more recipes than arguments, one made the object");
}

#[test]
fn a_renamed_step_reads_and_sets_the_new_variables() {
    let plan = sample();
    let PlanStep::Call { invokable, .. } = &plan.steps[3] else { panic!("size() is a call") };
    let step = PlanStep::Call {
        invokable: invokable.clone(),
        arguments: vec![4, 5],
        result: Some(6),
        catches: true,
    };
    let moved = step.renamed(&|var| Some(var + 10)).expect("each has a new name");
    assert_eq!((moved.uses(), moved.defines()), ([14, 15].as_slice(), Some(16)));
    assert!(matches!(moved, PlanStep::Call { catches: true, .. }));
    for lost in [4, 5, 6] {
        assert!(step.renamed(&|var| (var != lost).then_some(var)).is_none(), "{lost} has no name");
    }
    let read = PlanStep::GetField { field: (ClassId(1), 0), object: 2, var: 3 };
    let moved = read.renamed(&|var| Some(var * 2)).expect("each has a new name");
    assert_eq!((moved.uses(), moved.defines()), ([4].as_slice(), Some(6)));
}

#[test]
fn the_method_under_test_is_that_of_the_last_step() {
    let mut plan = sample();
    let found = plan.under_test().map(|it| it.reference.name.clone());
    assert_eq!(found.as_deref(), Some("warning"));
    int(&mut plan, "later");
    assert!(plan.under_test().is_none(), "an input is no call");
    assert_eq!(plan.methods(), [MethodId(0); 5]);
}

#[test]
fn an_object_comes_with_the_effects_on_what_it_is_made_of() {
    let mut plan = sample();
    let other = plan.call(&invokable("<init>", JavaType::class("Box")), vec![], "other").expect("an object");
    let copy = plan.call(&invokable("copy", JavaType::class("Box")), vec![other], "copy").expect("an object");
    plan.call(&invokable("add", JavaType::Void), vec![copy, other], "");
    assert_eq!(
        names(&plan.leading_to(3)),
        ["<init>", "input", "add", "size"],
        "what comes later is left out"
    );
    let all = ["<init>", "input", "add", "size", "addAll", "warning"];
    assert_eq!(names(&plan.leading_to(5)), all, "every call on the receiver may matter");
    assert_eq!(names(&plan.leading_to(7)), ["<init>", "copy"], "other objects are left out");
    assert_eq!(names(&plan.leading_to(8)), ["<init>", "copy", "add"]);
    assert_eq!(plan.leading_to(7).variables.len(), plan.variables.len(), "variables keep their numbers");
}
