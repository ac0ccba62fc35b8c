//! What a triple says to test mode (`testBranch`, paper §5, Figure 8): which calls it applies to, and what they come to.

use crate::bind::Binding;
use crate::check::{Checked, Lesson};
use crate::generalize::{Assumed, assume};
use crate::host::field_names;
use crate::path::Path;
use crate::random::Space;
use crate::shape::Shape;
use cupping_contract::{Compiled, Specification};
use cupping_machine::Kind;
use std::collections::BTreeSet;

/// Where a triple comes from that no specification has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// File and line, and the test.
    pub place: String,
    /// What it says, for people.
    pub text: String,
}

/// What the value of a variable must be for a triple to apply.
#[derive(Clone, Debug, PartialEq)]
pub enum Restriction {
    /// It is of this shape.
    Shape(Shape),
    /// It is within bounds; the variable is this one, for predicates.
    #[allow(private_interfaces)]
    Within(usize, Space),
}

/// A triple that was checked, made ready for test mode.
#[derive(Clone, Debug)]
pub struct Branch {
    /// Its testcase, by place.
    pub case: usize,
    /// Its place in the testcase.
    pub triple: usize,
    /// How variables find their values.
    pub bindings: Vec<Binding>,
    /// What holds of the arguments, by position; the receiver is 0.
    pub restrictions: Vec<(usize, Restriction)>,
    /// Numbers for which it is assumed to hold, too (§6.2.1), by position and field.
    #[allow(private_interfaces)]
    pub assumed: Vec<Assumed>,
    /// The ways that its call took.
    pub path: Path,
    /// Classes of the class path whose code runs in its call.
    pub classes: BTreeSet<String>,
    /// Where it comes from, if it is of a suite.
    pub origin: Option<Origin>,
    /// What else holds of the arguments where its condition says something: what only the condition reads.
    pub later: Vec<(usize, Shape)>,
    /// Whether its condition, of a suite, looks at the result.
    pub uses_result: bool,
    /// The predicate of a suite that its condition is, if it is one, and whether it is to hold.
    pub property: Option<(String, bool)>,
    pub(crate) kinds: Vec<Kind>,
}

impl Branch {
    /// Whether objects that its condition may look at are not all there.
    pub(crate) fn has_holes(&self) -> bool {
        self.bindings.iter().any(|it| matches!(it, Binding::Graft(graft) if graft.has_holes()))
    }
}

/// The branches of all triples that passed.
pub fn branches(compiled: &Compiled, specifications: &[Specification], checked: &Checked) -> Vec<Branch> {
    let mut branches: Vec<Branch> = Vec::new();
    for lesson in &checked.lessons {
        let known = branches.iter_mut().find(|it| (it.case, it.triple) == (lesson.case, lesson.triple));
        match known {
            Some(branch) => merge(branch, lesson),
            None => branches.push(branch_of(compiled, specifications, checked, lesson)),
        }
    }
    branches
}

/// Lets branches that differ in numbers apply between these (§6.2.1); all branches together.
pub fn generalize(compiled: &Compiled, branches: &mut [Branch]) {
    assume(compiled, branches);
}

fn branch_of(
    compiled: &Compiled,
    specifications: &[Specification],
    checked: &Checked,
    lesson: &Lesson,
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
            // The precondition speaks of it: that is all there is to ask of a number or a string.
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
        path: lesson.path.clone(),
        kinds: lesson.kinds.clone(),
        classes: lesson.classes.clone(),
        origin: None,
        later: Vec::new(),
        uses_result: false,
        property: None,
    }
}

/// Another try of the same triple: what differs between tries does not matter.
fn merge(branch: &mut Branch, lesson: &Lesson) {
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

/// What two shapes have in common.
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
