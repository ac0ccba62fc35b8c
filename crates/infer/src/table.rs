//! Samples of a program point: its variables as columns, what was seen as rows.

use crate::formula::Formula;
use crate::subject::Subject;
use crate::term::{Phase, Term};
use crate::trace::{Ending, Execution};
use crate::value::Value;
use cupping_case::JavaType;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

/// A program point. Methods are named as class files name them, so that it has a meaning in a later run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ProgramPoint {
    /// Objects whenever nobody is at work on them.
    Class,
    /// The entry of a method whose call returns.
    Entry(String),
    /// The exit of a method that returns.
    Exit(String),
}

impl ProgramPoint {
    /// The method it belongs to.
    pub fn method(&self) -> Option<&str> {
        match self {
            ProgramPoint::Class => None,
            ProgramPoint::Entry(method) | ProgramPoint::Exit(method) => Some(method),
        }
    }

    /// When the terms at this place are looked at.
    pub fn when(&self) -> Phase {
        if let ProgramPoint::Entry(_) = self { Phase::Before } else { Phase::After }
    }

    /// Whether an execution is a sample of the place.
    pub fn samples(&self, subject: &Subject, execution: &Execution) -> bool {
        let returned = matches!(execution.ending, Ending::Returned(_));
        match self {
            // An object whose constructor has thrown is none.
            ProgramPoint::Class => {
                let is_new = subject.methods[execution.method].is_constructor();
                execution.exit.this.is_there() && (returned || !is_new)
            }
            ProgramPoint::Entry(method) | ProgramPoint::Exit(method) => {
                returned && subject.key(execution.method) == *method
            }
        }
    }
}

/// What kind of values a term has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sort {
    /// Whole numbers and characters.
    Number,
    /// `float` and `double`.
    Real,
    /// Truth values.
    Truth,
    /// Strings.
    Text,
    /// Other references.
    Reference,
    /// Elements, of this sort.
    Elements(Box<Sort>),
}

impl Sort {
    /// The sort of a type.
    pub fn of(ty: &JavaType) -> Sort {
        match ty {
            JavaType::Boolean => Sort::Truth,
            JavaType::Float | JavaType::Double => Sort::Real,
            JavaType::Class(_) if ty.is_string() => Sort::Text,
            JavaType::Class(_) | JavaType::Array(_) | JavaType::Void => Sort::Reference,
            _ => Sort::Number,
        }
    }

    /// Whether values may be `null`.
    pub fn is_nullable(&self) -> bool {
        matches!(self, Sort::Text | Sort::Reference)
    }
}

/// A variable and its values.
#[derive(Clone, Debug)]
pub struct Column {
    /// The variable.
    pub term: Term,
    /// Its declared type; that of the elements for elements.
    pub ty: JavaType,
    /// What kind of values it has.
    pub sort: Sort,
    /// A value for each row.
    pub values: Vec<Value>,
    /// How many different ones there are.
    pub distinct: usize,
}

impl Column {
    /// The value that it always has.
    pub fn constant(&self) -> Option<&Value> {
        self.values.first().filter(|it| self.distinct == 1 && it.is_there())
    }

    /// Whether it has a value in each row.
    pub fn is_always_there(&self) -> bool {
        self.values.iter().all(Value::is_there)
    }

    /// Its numbers, where all that is there is one.
    pub fn numbers(&self) -> Vec<Option<i128>> {
        self.values.iter().map(Value::number).collect()
    }

    /// Whether its term speaks of the moment before.
    pub fn is_old(&self) -> bool {
        self.term.any(&mut |it| matches!(it, Term::Old(_)))
    }
}

/// The samples of a place.
#[derive(Clone, Debug)]
pub struct Table<'e> {
    /// The place.
    pub point: ProgramPoint,
    /// The variables.
    pub columns: Vec<Column>,
    /// An execution for each row; the first that had these values.
    pub rows: Vec<&'e Execution>,
    /// How many executions there were, equal rows included.
    pub samples: usize,
}

/// Different rows at most.
const MOST_ROWS: usize = 1_500;

impl<'e> Table<'e> {
    /// Takes the samples of a place from executions.
    pub fn new(subject: &Subject, point: &ProgramPoint, executions: &[&'e Execution]) -> Table<'e> {
        let samples: Vec<&Execution> =
            executions.iter().copied().filter(|it| point.samples(subject, it)).collect();
        Table::of_entries(subject, point, &samples)
    }

    /// The same of executions that are all samples, however they ended.
    pub fn of_entries(subject: &Subject, point: &ProgramPoint, executions: &[&'e Execution]) -> Table<'e> {
        let variables = crate::variables::variables(subject, point);
        let when = point.when();
        let mut seen = FxHashSet::default();
        let (mut rows, mut samples) = (Vec::new(), 0);
        let mut values: Vec<Vec<Value>> = vec![Vec::new(); variables.len()];
        for execution in executions.iter().copied() {
            samples += 1;
            if rows.len() >= MOST_ROWS {
                continue;
            }
            let row: Vec<Value> = variables.iter().map(|it| it.0.value(execution, when)).collect();
            if seen.insert(format!("{row:?}")) {
                rows.push(execution);
                values.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
            }
        }
        let mut columns: Vec<Column> = variables
            .into_iter()
            .zip(values)
            .map(|((term, ty, sort), values)| {
                let distinct: FxHashSet<String> =
                    values.iter().filter(|it| it.is_there()).map(|it| format!("{it:?}")).collect();
                Column { term, ty, sort, values, distinct: distinct.len() }
            })
            .filter(|column| column.distinct > 0)
            .collect();
        let telling: Vec<bool> = columns.iter().map(|it| is_telling(it, &columns)).collect();
        let mut telling = telling.into_iter();
        columns.retain(|_| telling.next().unwrap_or(true));
        Table { point: point.clone(), columns, rows, samples }
    }

    /// The rows of which this holds or does not; `None` where that cannot be said of all.
    pub fn part(&self, formula: &Formula, holds: bool) -> Option<Table<'e>> {
        let when = self.point.when();
        let mut chosen = Vec::new();
        for (at, execution) in self.rows.iter().enumerate() {
            if formula.holds(execution, when)? == holds {
                chosen.push(at);
            }
        }
        let columns = self.columns.iter().map(|column| {
            let values: Vec<Value> = chosen.iter().map(|at| column.values[*at].clone()).collect();
            let distinct: FxHashSet<String> =
                values.iter().filter(|it| it.is_there()).map(|it| format!("{it:?}")).collect();
            Column { values, distinct: distinct.len(), ..column.clone() }
        });
        let columns = columns.filter(|it| it.distinct > 0).collect();
        let rows: Vec<&Execution> = chosen.iter().map(|at| self.rows[*at]).collect();
        Some(Table { point: self.point.clone(), columns, samples: rows.len(), rows })
    }
}

/// Whether a column of elements up to an index, or at one, says something that others do not: the index varies, and mostly
/// there is such an element. Of a count, the elements before it are told; of an index, those up to it.
fn is_telling(column: &Column, all: &[Column]) -> bool {
    let (is_old, term) = match &column.term {
        Term::Old(of) => (true, &**of),
        other => (false, other),
    };
    let find = |wanted: &Term| {
        all.iter().find(|it| match &it.term {
            Term::Old(of) => is_old && **of == *wanted,
            own => !is_old && own == wanted,
        })
    };
    let varies = |index: &Term| find(index).is_none_or(|it| it.constant().is_none());
    let is_count = |seq: &Term, count: &Term| {
        let first = Term::First(Box::new(seq.clone()), Box::new(count.clone()));
        find(&first).is_some_and(Column::is_always_there)
    };
    let known = column.values.iter().filter(|it| it.is_there()).count();
    match term {
        // One that fails on some states cannot be asked of them.
        Term::Observer(..) => column.is_always_there(),
        Term::First(seq, count) => {
            let is_next = matches!(&**count, Term::Linear(..));
            let plain = match &**count {
                Term::Linear(terms, _) if terms.len() == 1 => &terms[0].1,
                other => other,
            };
            column.is_always_there() && varies(plain) && (!is_next || !is_count(seq, plain))
        }
        Term::Rest(seq, count) => {
            let is_next = matches!(&**count, Term::Linear(..));
            let plain = match &**count {
                Term::Linear(terms, _) if terms.len() == 1 => &terms[0].1,
                other => other,
            };
            column.is_always_there() && varies(plain) && (is_next != is_count(seq, plain))
        }
        // Where the index is as it was, this is as well said of the past alone.
        Term::At(seq, index, _) if matches!(**seq, Term::Old(_)) && matches!(**index, Term::Field(..)) => {
            let old = Term::Old(index.clone());
            let past = all.iter().find(|it| it.term == old);
            past.zip(find(index)).is_some_and(|(old, new)| old.values != new.values)
        }
        Term::At(seq, index, offset) => {
            let is_own = matches!(&**index, Term::Field(..));
            // An index is one wherever there is an element; a count is the length, sometimes.
            let first = Term::At(seq.clone(), index.clone(), 0);
            let is_index = find(&first).zip(find(seq)).is_some_and(|(first, all)| {
                let mut rows = first.values.iter().zip(&all.values);
                rows.all(|(it, all)| it.is_there() || all.elements().is_none_or(<[Value]>::is_empty))
            });
            let fits = !is_own || (*offset == -1) == (is_count(seq, index) && !is_index);
            varies(index) && known * 2 >= column.values.len() && fits
        }
        _ => true,
    }
}
