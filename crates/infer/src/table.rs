//! The samples of a program point: a column for each variable, a row for each distinct execution.

use crate::formula::Formula;
use crate::program_point::ProgramPoint;
use crate::sort::Sort;
use crate::subject::Subject;
use crate::term::Term;
use crate::trace::Execution;
use crate::value::Value;
use cupping_case::JavaType;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::rc::Rc;

/// A variable and its values.
#[derive(Clone, Debug)]
pub struct Column {
    /// The variable.
    pub term: Term,
    /// Its declared type; for a sequence, that of its elements.
    pub ty: JavaType,
    /// What kind of values it has.
    pub sort: Sort,
    /// A value for each row.
    pub values: Vec<Value>,
    /// The number of distinct values.
    pub distinct: usize,
}

impl Column {
    /// The value, if it is always the same.
    pub fn constant(&self) -> Option<&Value> {
        self.values.first().filter(|it| self.distinct == 1 && it.is_present())
    }

    /// Whether it has a value in every row.
    pub fn is_always_present(&self) -> bool {
        self.values.iter().all(Value::is_present)
    }

    /// Its values as numbers.
    pub fn numbers(&self) -> Vec<Option<i128>> {
        self.values.iter().map(Value::number).collect()
    }

    /// Whether values of another column may be elements of this sequence: those of its sort, and numbers and strings
    /// if it has such elements although its type is more general, as that of a list is.
    pub fn may_contain(&self, other: &Column) -> bool {
        let Sort::Elements(element) = &self.sort else { return false };
        let is_seen = |value: &Value| match other.sort {
            Sort::Text => matches!(value, Value::Text(_)),
            Sort::Number => matches!(value, Value::Int(_) | Value::Char(_)),
            _ => false,
        };
        let mut elements = self.values.iter().filter_map(Value::elements).flatten();
        **element == other.sort || **element == Sort::Reference && elements.any(is_seen)
    }

    /// Whether it is about the state before the call.
    pub fn is_old(&self) -> bool {
        self.term.any(&mut |it| matches!(it, Term::Old(_)))
    }
}

/// The samples of a program point.
#[derive(Clone, Debug)]
pub struct Table<'e> {
    /// The program point.
    pub point: ProgramPoint,
    /// The variables.
    pub columns: Vec<Column>,
    /// For each row, the first execution with these values.
    pub rows: Vec<&'e Execution>,
    /// The number of executions, including those with equal values.
    pub samples: usize,
    /// Whole numbers in the code, and their neighbours.
    pub constants: Rc<BTreeSet<i64>>,
}

/// The largest number of rows.
const MOST_ROWS: usize = 1_500;

impl<'e> Table<'e> {
    /// Collects the samples of a program point from executions.
    pub fn new(subject: &Subject, point: &ProgramPoint, executions: &[&'e Execution]) -> Table<'e> {
        let samples: Vec<&Execution> =
            executions.iter().copied().filter(|it| point.samples(subject, it)).collect();
        Table::of_entries(subject, point, &samples)
    }

    /// As [`Table::new`], from executions that are all taken as samples, however they ended.
    pub fn of_entries(subject: &Subject, point: &ProgramPoint, executions: &[&'e Execution]) -> Table<'e> {
        let variables = crate::variables::variables(subject, point);
        let when = point.phase();
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
                    values.iter().filter(|it| it.is_present()).map(|it| format!("{it:?}")).collect();
                Column { term, ty, sort, values, distinct: distinct.len() }
            })
            .filter(|column| column.distinct > 0)
            .collect();
        let informative: Vec<bool> = columns.iter().map(|it| is_informative(it, &columns)).collect();
        let mut informative = informative.into_iter();
        columns.retain(|_| informative.next().unwrap_or(true));
        Table { point: point.clone(), columns, rows, samples, constants: subject.constants.clone() }
    }

    /// The rows for which a formula holds, or does not; `None` if it is undecided for some row.
    pub fn part(&self, formula: &Formula, holds: bool) -> Option<Table<'e>> {
        let when = self.point.phase();
        let mut chosen = Vec::new();
        for (at, execution) in self.rows.iter().enumerate() {
            if formula.holds(execution, when)? == holds {
                chosen.push(at);
            }
        }
        let columns = self.columns.iter().map(|column| {
            let values: Vec<Value> = chosen.iter().map(|at| column.values[*at].clone()).collect();
            let distinct: FxHashSet<String> =
                values.iter().filter(|it| it.is_present()).map(|it| format!("{it:?}")).collect();
            Column { values, distinct: distinct.len(), ..column.clone() }
        });
        let columns = columns.filter(|it| it.distinct > 0).collect();
        let rows: Vec<&Execution> = chosen.iter().map(|at| self.rows[*at]).collect();
        let constants = self.constants.clone();
        Some(Table { point: self.point.clone(), columns, samples: rows.len(), rows, constants })
    }
}

/// Whether a slice, or an element at an index, is worth a column: the index varies, the element usually exists, and
/// other columns do not say the same. For a count, the slice ends before it; for an index, at it.
fn is_informative(column: &Column, all: &[Column]) -> bool {
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
        find(&first).is_some_and(Column::is_always_present)
    };
    let known = column.values.iter().filter(|it| it.is_present()).count();
    match term {
        // An observer that fails in some states cannot be called there.
        Term::Observer(..) => column.is_always_present(),
        Term::First(seq, count) => {
            let is_next = matches!(&**count, Term::Linear(..));
            let plain = match &**count {
                Term::Linear(terms, _) if terms.len() == 1 => &terms[0].1,
                other => other,
            };
            column.is_always_present() && varies(plain) && (!is_next || !is_count(seq, plain))
        }
        Term::Rest(seq, count) => {
            let is_next = matches!(&**count, Term::Linear(..));
            let plain = match &**count {
                Term::Linear(terms, _) if terms.len() == 1 => &terms[0].1,
                other => other,
            };
            column.is_always_present() && varies(plain) && (is_next != is_count(seq, plain))
        }
        // If the index is unchanged, the past alone says the same.
        Term::At(seq, index, _) if matches!(**seq, Term::Old(_)) && matches!(**index, Term::Field(..)) => {
            let old = Term::Old(index.clone());
            let past = all.iter().find(|it| it.term == old);
            past.zip(find(index)).is_some_and(|(old, new)| old.values != new.values)
        }
        Term::At(seq, index, offset) => {
            let is_own = matches!(&**index, Term::Field(..));
            // An index has an element wherever the array has one; a count sometimes equals the length.
            let first = Term::At(seq.clone(), index.clone(), 0);
            let is_index = find(&first).zip(find(seq)).is_some_and(|(first, all)| {
                let mut rows = first.values.iter().zip(&all.values);
                rows.all(|(it, all)| it.is_present() || all.elements().is_none_or(<[Value]>::is_empty))
            });
            let fits = !is_own || (*offset == -1) == (is_count(seq, index) && !is_index);
            varies(index) && known * 2 >= column.values.len() && fits
        }
        _ => true,
    }
}
