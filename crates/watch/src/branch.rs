//! Branches: triples compiled for test mode (`testBranch`, paper §5, Figure 8). A branch says which calls its
//! triple applies to and what must hold of them.

use crate::assumed_range::AssumedRange;
use crate::binding::Binding;
use crate::check::SpecificationResults;
use crate::conditions::field_names;
use crate::dependence::Dependence;
use crate::path::Path;
use crate::profile::CallProfile;
use crate::random::Space;
use crate::shape::Shape;
use cupping_contract::{CompiledSpecifications, Specification};
use cupping_machine::{Addr, Kind};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The source of a triple that does not come from a specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TripleOrigin {
    /// File, line and test.
    pub place: String,
    /// The assertion, for display.
    pub text: String,
}

/// A condition on the value of a variable that must hold for a triple to apply.
#[derive(Clone, Debug, PartialEq)]
pub enum Restriction {
    /// The value has this shape.
    Shape(Shape),
    /// The value is within bounds. The index of the variable serves to evaluate predicates.
    #[allow(private_interfaces)]
    Within(usize, Space),
}

/// A triple that passed its unit test, compiled for test mode.
#[derive(Clone, Debug)]
pub struct Branch {
    /// Index of its testcase.
    pub case: usize,
    /// Its index within the testcase.
    pub triple: usize,
    /// How to find each variable's value.
    pub bindings: Vec<Binding>,
    /// Restrictions on the arguments, by position; 0 is the receiver.
    pub restrictions: Vec<(usize, Restriction)>,
    /// Assumed ranges of numbers (§6.2.1), by position and field path.
    #[allow(private_interfaces)]
    pub assumed: Vec<AssumedRange>,
    /// Whether it holds of every call from outside its class for which the precondition holds, whatever path the call
    /// takes.
    pub is_always: bool,
    /// The paths that the call took in the test.
    pub path: Path,
    /// Whether the test ran with other code of the method, so that paths cannot be compared.
    pub is_pathless: bool,
    /// Class-path classes whose code ran during the call.
    pub classes: BTreeSet<String>,
    /// The test that it comes from, if it comes from a suite.
    pub origin: Option<TripleOrigin>,
    /// The state that the call of a suite's triple depends on. It must fit for the triple to apply.
    pub(crate) dependence: Option<Arc<Dependence>>,
    /// What the call and its condition together depend on. It must fit for the condition to be conclusive.
    pub(crate) wider: Option<Arc<Dependence>>,
    /// Why the state before the call does not determine the behaviour of the call, if it does not.
    pub(crate) unsure: Option<&'static str>,
    /// Whether the condition of a suite's triple reads the result.
    pub uses_result: bool,
    /// The suite's own predicate method that the condition consists of, and the truth value it asserts.
    pub property: Option<(String, bool)>,
    /// Whether the condition of a suite's triple makes further calls that write.
    pub is_long: bool,
    pub(crate) kinds: Vec<Kind>,
}

impl Branch {
    /// Which of the program's objects that correspond to the test's its condition may read.
    pub(crate) fn objects_needed<'m>(&self, matched: &'m [Addr]) -> impl Iterator<Item = Addr> + use<'m> {
        let is_needed = self.bindings.iter().any(|it| matches!(it, Binding::Matched(_) | Binding::Copy(..)));
        matched.iter().copied().filter(move |it| is_needed && *it != 0)
    }

    /// Whether parts of the objects that its condition may read could not be copied. `is_matched` says whether the
    /// nodes of the dependence have corresponding objects.
    pub(crate) fn has_holes(&self, is_matched: bool) -> bool {
        let has_holes =
            |it: &Binding| matches!(it, Binding::Copy(copy, root) if copy.has_holes(*root, is_matched));
        self.bindings.iter().any(has_holes)
    }
}

/// The branches of all triples that passed.
pub fn branches(
    compiled: &CompiledSpecifications,
    specifications: &[Specification],
    checked: &SpecificationResults,
) -> Vec<Branch> {
    let mut branches: Vec<Branch> = Vec::new();
    for lesson in &checked.profiles {
        let known = branches.iter_mut().find(|it| (it.case, it.triple) == (lesson.case, lesson.triple));
        match known {
            Some(branch) => merge(branch, lesson),
            None => branches.push(branch_of(compiled, specifications, checked, lesson)),
        }
    }
    branches
}

fn branch_of(
    compiled: &CompiledSpecifications,
    specifications: &[Specification],
    checked: &SpecificationResults,
    lesson: &CallProfile,
) -> Branch {
    let case = &compiled.cases[lesson.case];
    let triple = &case.triples[lesson.triple];
    let source = &specifications[case.specification].source;
    let probed = field_names(source.slice(triple.pre_span));
    let mut restrictions = Vec::new();
    for (position, shape) in lesson.arguments.iter().enumerate() {
        if triple.is_new && position == 0 {
            continue;
        }
        let variable = lesson.bindings.iter().position(|it| *it == Binding::Argument(position));
        let space = variable.and_then(|it| Some((it, checked.spaces.get(&(lesson.case, it))?.clone())));
        let is_named = variable.is_some_and(|it| triple.pre_names.contains(&it));
        let restriction = match (space, shape) {
            (Some((variable, space)), _) => Restriction::Within(variable, space),
            // A subclass may do otherwise.
            (None, Shape::Object(class, _) | Shape::Some(class))
                if case.is_always && position == 0 && triple.receiver.is_some() =>
            {
                Restriction::Shape(Shape::Some(class.clone()))
            }
            (None, _) if case.is_always => continue,
            // The precondition already restricts this number or string.
            (None, Shape::Bits(..) | Shape::Text(_) | Shape::Null) if is_named => continue,
            (None, shape) if is_named => Restriction::Shape(shape.clone().without(&probed)),
            (None, shape) => Restriction::Shape(shape.clone()),
        };
        restrictions.push((position, restriction));
    }
    Branch {
        case: lesson.case,
        triple: lesson.triple,
        bindings: lesson.bindings.clone(),
        restrictions,
        assumed: Vec::new(),
        is_always: case.is_always,
        path: lesson.path.clone(),
        is_pathless: false,
        kinds: lesson.kinds.clone(),
        classes: lesson.classes.clone(),
        origin: None,
        dependence: None,
        wider: None,
        unsure: None,
        uses_result: false,
        property: None,
        is_long: false,
    }
}

/// Merges another try of the same triple: whatever differs between tries is irrelevant.
fn merge(branch: &mut Branch, lesson: &CallProfile) {
    branch.path.merge(&lesson.path);
    branch.classes.extend(lesson.classes.iter().cloned());
    for (position, restriction) in &mut branch.restrictions {
        if let (Restriction::Shape(shape), Some(other)) = (restriction, lesson.arguments.get(*position)) {
            join(shape, other);
        }
    }
    for (mine, other) in branch.bindings.iter_mut().zip(&lesson.bindings) {
        if mine != other {
            *mine = Binding::Unknown;
        }
    }
}

/// Keeps what two shapes have in common.
pub(crate) fn join(shape: &mut Shape, other: &Shape) {
    match (&mut *shape, other) {
        (Shape::Object(class, fields), Shape::Object(other_class, other_fields)) if class == other_class => {
            for (name, mine) in fields.iter_mut() {
                match other_fields.iter().find(|(other, _)| other == name) {
                    Some((_, theirs)) => join(mine, theirs),
                    None => *mine = Shape::Any,
                }
            }
        }
        (Shape::Elements(class, length, elements), Shape::Elements(other_class, other_length, others))
            if class == other_class && length == other_length =>
        {
            for (at, mine) in elements.iter_mut() {
                match others.iter().find(|(other, _)| other == at) {
                    Some((_, theirs)) => join(mine, theirs),
                    None => *mine = Shape::Any,
                }
            }
        }
        (mine, theirs) if *mine == *theirs => {}
        (mine, _) => *mine = Shape::Any,
    }
}
