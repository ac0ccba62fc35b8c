//! Types of terms, on which their Java form depends.

use crate::subject::Subject;
use crate::term::Term;
use cupping_case::JavaType;

/// The type of a term at a method; for a sequence, that of its elements.
pub fn type_of(subject: &Subject, method: Option<usize>, term: &Term) -> JavaType {
    let object = || JavaType::class("java/lang/Object");
    let invokable = method.map(|it| &subject.methods[it]);
    match term {
        Term::This => JavaType::class(&subject.name),
        Term::Parameter(at, _) => {
            invokable.and_then(|it| it.parameters.get(*at)).map_or_else(object, |it| it.ty.clone())
        }
        Term::Result => invokable.map_or_else(object, |it| it.result.clone()),
        Term::Field(of, name) => match type_of(subject, method, of) {
            JavaType::Class(class) => {
                let fields = subject.layouts.get(&class);
                let field = fields.and_then(|it| it.iter().find(|(own, _)| **own == **name));
                field.map_or_else(object, |it| it.1.clone())
            }
            _ => object(),
        },
        Term::Observer(_, name) => {
            let found = subject.observers.iter().find(|it| *it.shown == **name);
            found.map_or_else(object, |it| it.ty.clone())
        }
        Term::Old(of) => type_of(subject, method, of),
        Term::Length(_) | Term::Sum(_) | Term::Linear(..) => JavaType::Int,
        Term::Min(of) | Term::Max(of) => type_of(subject, method, of),
        Term::Elements(of) => match type_of(subject, method, of) {
            JavaType::Array(element) => *element,
            _ => object(),
        },
        Term::First(seq, _)
        | Term::Rest(seq, _)
        | Term::At(seq, ..)
        | Term::Append(seq, _)
        | Term::Prepend(_, seq)
        | Term::Reverse(seq) => type_of(subject, method, seq),
        Term::Constant(_) => JavaType::Void,
    }
}

/// Whether a term is a sequence rather than one value.
pub fn is_elements(term: &Term) -> bool {
    match term {
        Term::Elements(_)
        | Term::First(..)
        | Term::Rest(..)
        | Term::Append(..)
        | Term::Prepend(..)
        | Term::Reverse(_) => true,
        Term::Old(of) => is_elements(of),
        _ => false,
    }
}
