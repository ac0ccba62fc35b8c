//! The variables of a program point: fields, elements, sizes, observers, and their values before the call.

use crate::capture::VIEWS;
use crate::program_point::ProgramPoint;
use crate::sort::Sort;
use crate::subject::Subject;
use crate::term::Term;
use cupping_case::JavaType;

/// A variable, its type and its sort.
pub type Variable = (Term, JavaType, Sort);

/// The largest number of variables.
const MOST: usize = 100;

/// The variables of a program point, simplest first.
pub fn variables(subject: &Subject, point: &ProgramPoint) -> Vec<Variable> {
    let own = JavaType::class(&subject.name);
    let mut found = Vec::new();
    let Some(method) = point.method().and_then(|it| subject.find(it)) else {
        of_object(subject, &Term::This, &own, 2, "", &mut found);
        // Fields that may refer back to the object itself.
        if found.iter().any(|it| it.1 == own) {
            found.push((Term::This, own, Sort::Reference));
        }
        found.truncate(MOST);
        return found;
    };
    let invokable = &subject.methods[method];
    let is_exit = matches!(point, ProgramPoint::Exit(_));
    // A hash code should not be compared with other numbers.
    let is_worth_naming = &*invokable.reference.name != "hashCode" || !invokable.parameters.is_empty();
    if is_exit && is_worth_naming && !invokable.is_constructor() && invokable.result != JavaType::Void {
        of_value(subject, &Term::Result, &invokable.result, 1, "", &mut found);
    }
    for (at, parameter) in invokable.parameters.iter().enumerate() {
        let term = Term::Parameter(at, parameter.name.clone());
        of_value(subject, &term, &parameter.ty, 1, "", &mut found);
    }
    if invokable.has_receiver() || is_exit && invokable.is_constructor() {
        // A method's result is not explained by the method itself as an observer.
        let itself = format!("{}()", invokable.reference.name);
        let mut state = Vec::new();
        of_object(subject, &Term::This, &own, 2, &itself, &mut state);
        // Elements beyond the used ones concern invariants.
        state.retain(|it| !matches!(it.0, Term::Rest(..)));
        if is_exit && invokable.has_receiver() {
            let old = state
                .iter()
                .map(|(term, ty, sort)| (Term::Old(Box::new(term.clone())), ty.clone(), sort.clone()));
            let old: Vec<Variable> = old.collect();
            let itself = (Term::This, own.clone(), Sort::Reference);
            found.extend(state);
            found.extend(old);
            if found.iter().any(|it| it.0 == Term::Result && it.2 == Sort::Reference) {
                found.push(itself);
            }
        } else {
            found.extend(state);
        }
    }
    if is_exit {
        // A call may change an array that was passed.
        let passed: Vec<Variable> = found
            .iter()
            .filter(|it| matches!(&it.0, Term::Elements(of) if matches!(**of, Term::Parameter(..))))
            .map(|(term, ty, sort)| (Term::Old(Box::new(term.clone())), ty.clone(), sort.clone()))
            .collect();
        found.extend(passed);
        // Elements at an index that a parameter or the state before the call gives.
        let mut at = Vec::new();
        for (seq, ty, sort) in &found {
            let (Sort::Elements(element), Term::Elements(of)) = (sort, seq) else { continue };
            let is_own = matches!(&**of, Term::Field(this, _) if **this == Term::This);
            if !(is_own || **of == Term::This && subject.is_list) {
                continue;
            }
            for (index, index_ty, _) in &found {
                let is_passed = matches!(index, Term::Parameter(..)) && *index_ty == JavaType::Int;
                let is_old =
                    matches!(index, Term::Old(it) if is_index(subject, of, it)) && *index_ty == JavaType::Int;
                if is_passed || is_old {
                    let seq = Box::new(seq.clone());
                    at.push((Term::At(seq, Box::new(index.clone()), 0), ty.clone(), (**element).clone()));
                }
            }
        }
        // Past elements at an index that the call has changed.
        for (seq, ty, sort) in &found {
            let (Sort::Elements(element), Term::Old(of)) = (sort, seq) else { continue };
            let Term::Elements(array) = &**of else { continue };
            for (index, ..) in found.iter().filter(|it| is_index(subject, array, &it.0)) {
                let term = Term::At(Box::new(seq.clone()), Box::new(index.clone()), 0);
                at.push((term, ty.clone(), (**element).clone()));
            }
        }
        found.extend(at.into_iter().take(12));
    }
    found.truncate(MOST);
    found
}

/// A value and what it refers to.
fn of_value(
    subject: &Subject,
    term: &Term,
    ty: &JavaType,
    depth: usize,
    without: &str,
    found: &mut Vec<Variable>,
) {
    let sort = Sort::of(ty);
    found.push((term.clone(), ty.clone(), sort.clone()));
    let length = || (Term::Length(Box::new(term.clone())), JavaType::Int, Sort::Number);
    match ty {
        JavaType::Array(element) => {
            found.push(length());
            found.push(elements(term, element));
        }
        JavaType::Class(name) => {
            if sort == Sort::Text {
                found.push(length());
            } else if subject.collections.contains(name) {
                found.push(length());
                found.push(elements(term, &JavaType::class("java/lang/Object")));
            }
            if depth > 0 && *term != Term::This {
                of_object(subject, term, ty, depth, without, found);
            }
        }
        _ => {}
    }
}

fn elements(term: &Term, element: &JavaType) -> Variable {
    let sort = Sort::Elements(Box::new(Sort::of(element)));
    (Term::Elements(Box::new(term.clone())), element.clone(), sort)
}

/// The fields and observers of an object.
fn of_object(
    subject: &Subject,
    term: &Term,
    ty: &JavaType,
    depth: usize,
    without: &str,
    found: &mut Vec<Variable>,
) {
    let JavaType::Class(name) = ty else { return };
    let begin = found.len();
    if let Some(fields) = subject.layouts.get(name) {
        for (field, ty) in fields {
            of_value(subject, &term.clone().field(field), ty, depth - 1, "", found);
        }
    }
    if **name == *subject.name {
        for observer in subject.observers.iter().filter(|it| *it.shown != *without) {
            let term = Term::Observer(Box::new(term.clone()), observer.shown.to_string());
            found.push((term, observer.ty.clone(), Sort::of(&observer.ty)));
        }
        if subject.collections.contains(name) && *term == Term::This {
            found.push(elements(term, &JavaType::class("java/lang/Object")));
        }
        if subject.is_map && *term == Term::This {
            for (shown, ..) in VIEWS {
                let view = Term::Observer(Box::new(Term::This), shown.to_owned());
                found.push(elements(&view, &JavaType::class("java/lang/Object")));
            }
        }
    }
    slices(subject, term, begin, found);
}

/// Whether the code uses a field as an index of an array.
fn is_index(subject: &Subject, array: &Term, index: &Term) -> bool {
    match (array, index) {
        (Term::Field(_, array), Term::Field(_, index)) => {
            subject.indices.contains(&(array.as_str().into(), index.as_str().into()))
        }
        _ => false,
    }
}

/// Slices of an array by a field that counts or indexes its elements, and the elements next to it.
fn slices(subject: &Subject, of: &Term, begin: usize, found: &mut Vec<Variable>) {
    let own = found[begin..].to_vec();
    let is_of = |term: &Term| matches!(term, Term::Field(parent, _) if **parent == *of);
    let counts: Vec<Term> =
        own.iter().filter(|it| it.1 == JavaType::Int && is_of(&it.0)).map(|it| it.0.clone()).collect();
    for (seq, ty, sort) in own {
        let (Sort::Elements(element), Term::Elements(array)) = (&sort, &seq) else { continue };
        if !is_of(array) {
            continue;
        }
        for count in counts.iter().filter(|it| is_index(subject, array, it)).take(3) {
            let boxed = Box::new(seq.clone());
            found.push((Term::First(boxed.clone(), Box::new(count.clone())), ty.clone(), sort.clone()));
            for offset in [-1, 0] {
                let at = Term::At(boxed.clone(), Box::new(count.clone()), offset);
                found.push((at, ty.clone(), (**element).clone()));
            }
            let next = Term::Linear(vec![(1, count.clone())], 1);
            found.push((Term::First(boxed.clone(), Box::new(next.clone())), ty.clone(), sort.clone()));
            for from in [count.clone(), next] {
                found.push((Term::Rest(boxed.clone(), Box::new(from)), ty.clone(), sort.clone()));
            }
        }
    }
}
