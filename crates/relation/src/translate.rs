//! Translates typed logic to circuits. The same code evaluates formulas: constant leaves give a constant
//! result.

use crate::boolean::circuit::{Bit, Circuit};
use crate::boolean::matrix::{Algebra, Matrix};
use crate::boolean::number::{OrderEncoding, TooManyValues};
use crate::error::{Error, Result, Span};
use crate::logic::{
    Bound, FieldId, FieldState, Formula, FormulaKind, Number, NumberKind, Operation, Rel, RelKind, SigId, Var,
};
use crate::model::Model;
use crate::syntax::ast::Mult;
use crate::universe::{Atom, Universe};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The values of signatures and fields.
#[derive(Debug, Default)]
pub(crate) struct Leaves {
    pub(crate) sigs: BTreeMap<(SigId, FieldState), Rc<Matrix>>,
    pub(crate) fields: BTreeMap<(FieldId, FieldState), Rc<Matrix>>,
}

/// Limit on the cells of a matrix, and on the tuples of a quantifier.
const LARGEST: usize = 4_000_000;

/// Initial capacity of the cache: the number of expressions of a small specification.
const USUAL: usize = 200;

/// A cache key: an expression with the atoms of its free variables.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    /// The atoms as digits of one number, if they fit; this avoids an allocation in most cases.
    Packed(u32, u128),
    Wide(u32, Box<[u32]>),
}

/// Translates under an assignment of atoms to variables.
pub(crate) struct Translator<'a> {
    pub(crate) model: &'a Model,
    pub(crate) universe: &'a Universe,
    pub(crate) leaves: &'a Leaves,
    pub(crate) algebra: Algebra,
    env: FxHashMap<Var, u32>,
    rels: FxHashMap<Key, Rc<Matrix>>,
    formulas: FxHashMap<Key, Bit>,
    numbers: FxHashMap<Key, Rc<OrderEncoding>>,
    /// The singleton matrices made so far.
    singletons: Vec<Option<Rc<Matrix>>>,
}

impl<'a> Translator<'a> {
    pub(crate) fn new(
        model: &'a Model,
        universe: &'a Universe,
        leaves: &'a Leaves,
        circuit: Circuit,
    ) -> Translator<'a> {
        let base = universe.atoms.len().max(1) as u64;
        Translator {
            model,
            universe,
            leaves,
            algebra: Algebra { circuit, base },
            env: FxHashMap::default(),
            rels: FxHashMap::with_capacity_and_hasher(USUAL, Default::default()),
            formulas: FxHashMap::with_capacity_and_hasher(USUAL, Default::default()),
            numbers: FxHashMap::default(),
            singletons: vec![None; universe.atoms.len()],
        }
    }

    pub(crate) fn bind(&mut self, var: Var, atom: u32) {
        self.env.insert(var, atom);
    }

    pub(crate) fn bound(&self, var: Var) -> Option<u32> {
        self.env.get(&var).copied()
    }

    fn key(&self, id: u32, free: &[Var]) -> Key {
        let unbound = self.algebra.base as u32;
        let atoms = || free.iter().map(|it| self.env.get(it).copied().unwrap_or(unbound));
        let packed = atoms().try_fold(0u128, |packed, it| {
            packed.checked_mul(u128::from(unbound) + 1)?.checked_add(u128::from(it))
        });
        packed.map_or_else(|| Key::Wide(id, atoms().collect()), |it| Key::Packed(id, it))
    }

    /// The singleton set of an atom.
    fn singleton(&mut self, atom: u32) -> Rc<Matrix> {
        let made = || Rc::new(Matrix { arity: 1, cells: vec![(u64::from(atom), Bit::TRUE)] });
        self.singletons.get_mut(atom as usize).map_or_else(made, |it| it.get_or_insert_with(made).clone())
    }

    fn circuit(&mut self) -> &mut Circuit {
        &mut self.algebra.circuit
    }

    pub(crate) fn rel(&mut self, rel: &Rel) -> Result<Rc<Matrix>> {
        match &rel.kind {
            RelKind::Sig(id, when) => {
                let found =
                    self.leaves.sigs.get(&(*id, *when)).or(self.leaves.sigs.get(&(*id, FieldState::Now)));
                return Ok(found.cloned().unwrap_or_else(|| Rc::new(Matrix::empty(1))));
            }
            RelKind::Field(id, when) => {
                let found =
                    self.leaves.fields.get(&(*id, *when)).or(self.leaves.fields.get(&(*id, FieldState::Now)));
                let arity = self.model.field(*id).columns.arity;
                return Ok(found.cloned().unwrap_or_else(|| Rc::new(Matrix::empty(arity))));
            }
            RelKind::Var(var) => {
                let atom = self.env.get(var).copied().unwrap_or(0);
                return Ok(self.singleton(atom));
            }
            _ => {}
        }
        let key = self.key(rel.id, &rel.free);
        if let Some(known) = self.rels.get(&key) {
            return Ok(known.clone());
        }
        let matrix = self.compute(rel)?;
        if matrix.cells.len() > LARGEST {
            return Err(too_large(rel.span));
        }
        let matrix = Rc::new(matrix);
        self.rels.insert(key, matrix.clone());
        Ok(matrix)
    }

    fn compute(&mut self, rel: &Rel) -> Result<Matrix> {
        use RelKind as K;
        Ok(match &rel.kind {
            K::Empty => Matrix::empty(0),
            K::Univ | K::Iden => {
                let base = self.algebra.base;
                let all = self.everything();
                let square = |at: u64| if matches!(rel.kind, K::Iden) { at * base + at } else { at };
                let cells = all.cells.iter().map(|&(at, bit)| (square(at), bit)).collect();
                Matrix::new(if matches!(rel.kind, K::Iden) { 2 } else { 1 }, cells)
            }
            K::Bool(value) => self.constant(&Atom::Bool(*value)),
            K::Text(value) => self.constant(&Atom::Text(value.clone())),
            K::Sig(..) | K::Field(..) | K::Var(_) => return Ok((*self.rel(rel)?).clone()),
            K::Union(a, b) => self.pair(a, b, Algebra::union)?,
            K::Intersection(a, b) => self.pair(a, b, Algebra::intersection)?,
            K::Difference(a, b) => self.pair(a, b, Algebra::difference)?,
            K::Override(a, b) => self.pair(a, b, Algebra::overridden)?,
            K::Join(a, b) => self.pair(a, b, Algebra::join)?,
            K::Product(a, b) => {
                let (x, y) = (self.rel(a)?, self.rel(b)?);
                let columns = (x.arity + y.arity) as u32;
                if x.cells.len().saturating_mul(y.cells.len()) > LARGEST
                    || self.algebra.base.checked_pow(columns).is_none()
                {
                    return Err(too_large(rel.span));
                }
                self.algebra.product(&x, &y)
            }
            K::Domain(set, relation) => self.pair(set, relation, |it, s, r| it.restrict(r, s, true))?,
            K::Range(relation, set) => self.pair(relation, set, |it, r, s| it.restrict(r, s, false))?,
            K::Transpose(a) => {
                let a = self.rel(a)?;
                self.algebra.transpose(&a)
            }
            K::Closure(a) => {
                let a = self.rel(a)?;
                self.algebra.closure(&a)
            }
            K::Reflexive(a) => {
                let a = self.rel(a)?;
                let closure = self.algebra.closure(&a);
                let base = self.algebra.base;
                let identity = (0..base).map(|at| (at * base + at, Bit::TRUE)).collect();
                self.algebra.union(&closure, &Matrix { arity: 2, cells: identity })
            }
            K::Comprehension(bounds, body) => {
                let mut cells = Vec::new();
                self.each(bounds, &mut |it, condition| {
                    let holds = it.formula(body)?;
                    let bit = it.circuit().and(condition, holds);
                    let tuple = bounds.iter().fold(0, |tuple, bound| {
                        tuple * it.algebra.base + u64::from(it.env.get(&bound.var).copied().unwrap_or(0))
                    });
                    cells.push((tuple, bit));
                    Ok(())
                })?;
                Matrix::new(bounds.len(), cells)
            }
            K::If(condition, a, b) => match self.formula(condition)? {
                Bit::TRUE => (*self.rel(a)?).clone(),
                Bit::FALSE => (*self.rel(b)?).clone(),
                condition => {
                    let (a, b) = (self.rel(a)?, self.rel(b)?);
                    self.algebra.choose(condition, &a, &b)
                }
            },
            K::Integer(number) => {
                let number = self.number(number)?;
                let cases = number.cases(self.circuit());
                let cells = cases.into_iter().filter_map(|(value, bit)| {
                    Some((u64::from(self.universe.find(&Atom::Int(value))?), bit))
                });
                Matrix::new(1, cells.collect())
            }
        })
    }

    fn constant(&self, atom: &Atom) -> Matrix {
        let cells = self.universe.find(atom).map(|at| (u64::from(at), Bit::TRUE)).into_iter().collect();
        Matrix { arity: 1, cells }
    }

    /// All atoms that exist.
    fn everything(&mut self) -> Matrix {
        let mut cells = Vec::new();
        for (at, atom) in self.universe.atoms.iter().enumerate() {
            let bit = match atom {
                Atom::Of(sig, _) => {
                    self.leaves.sigs.get(&(*sig, FieldState::Now)).map_or(Bit::FALSE, |it| it.get(at as u64))
                }
                _ => Bit::TRUE,
            };
            cells.push((at as u64, bit));
        }
        Matrix::new(1, cells)
    }

    fn pair(
        &mut self,
        a: &Rel,
        b: &Rel,
        operation: impl Fn(&mut Algebra, &Matrix, &Matrix) -> Matrix,
    ) -> Result<Matrix> {
        let (a, b) = (self.rel(a)?, self.rel(b)?);
        Ok(operation(&mut self.algebra, &a, &b))
    }

    pub(crate) fn formula(&mut self, formula: &Formula) -> Result<Bit> {
        let key = self.key(formula.id, &formula.free);
        if let Some(known) = self.formulas.get(&key) {
            return Ok(*known);
        }
        let bit = self.compute_formula(formula)?;
        self.formulas.insert(key, bit);
        Ok(bit)
    }

    fn compute_formula(&mut self, formula: &Formula) -> Result<Bit> {
        use FormulaKind as K;
        Ok(match &formula.kind {
            K::Not(inner) => !self.formula(inner)?,
            K::And(parts) | K::Or(parts) => {
                let and = matches!(formula.kind, K::And(_));
                let mut bits = Vec::with_capacity(parts.len());
                for part in parts {
                    let bit = self.formula(part)?;
                    if bit == Bit::constant(!and) {
                        return Ok(bit);
                    }
                    bits.push(bit);
                }
                if and { self.circuit().and_all(bits) } else { self.circuit().or_all(bits) }
            }
            K::Iff(a, b) => {
                let (a, b) = (self.formula(a)?, self.formula(b)?);
                self.circuit().iff(a, b)
            }
            K::If(condition, a, b) => match self.formula(condition)? {
                Bit::TRUE => self.formula(a)?,
                Bit::FALSE => self.formula(b)?,
                condition => {
                    let (a, b) = (self.formula(a)?, self.formula(b)?);
                    self.circuit().choose(condition, a, b)
                }
            },
            K::In(a, b) => {
                let (x, y) = (self.rel(a)?, self.rel(b)?);
                let inside = self.algebra.subset(&x, &y);
                let (beyond, other) = (self.beyond(a)?, self.beyond(b)?);
                let covered = self.circuit().implies(beyond, other);
                self.circuit().and(inside, covered)
            }
            K::Equal(a, b) => {
                let (x, y) = (self.rel(a)?, self.rel(b)?);
                let forth = self.algebra.subset(&x, &y);
                let back = self.algebra.subset(&y, &x);
                let (beyond, other) = (self.beyond(a)?, self.beyond(b)?);
                let both = self.circuit().iff(beyond, other);
                self.circuit().and_all(vec![forth, back, both])
            }
            K::Count(mult, rel) => {
                let bits = self.rel(rel)?.bits();
                self.count(*mult, bits)
            }
            K::AtMost(a, b) => {
                let (a, b) = (self.number(a)?, self.number(b)?);
                a.at_most(self.circuit(), &b)
            }
            K::Same(a, b) => {
                let (a, b) = (self.number(a)?, self.number(b)?);
                a.same(self.circuit(), &b)
            }
            K::All(bounds, body) | K::Some(bounds, body) => {
                let all = matches!(formula.kind, K::All(..));
                let mut parts = Vec::new();
                self.each(bounds, &mut |it, condition| {
                    let holds = it.formula(body)?;
                    let circuit = it.circuit();
                    let part =
                        if all { circuit.implies(condition, holds) } else { circuit.and(condition, holds) };
                    parts.push(part);
                    Ok(())
                })?;
                if all { self.circuit().and_all(parts) } else { self.circuit().or_all(parts) }
            }
            K::Few(one, bounds, body) => {
                let mut bits = Vec::new();
                self.each(bounds, &mut |it, condition| {
                    let holds = it.formula(body)?;
                    bits.push(it.circuit().and(condition, holds));
                    Ok(())
                })?;
                self.count(if *one { Mult::One } else { Mult::Lone }, bits)
            }
        })
    }

    /// Whether a relation contains an integer without an atom. Such a value belongs to no set, but it is not empty
    /// either.
    fn beyond(&mut self, rel: &Rel) -> Result<Bit> {
        use RelKind as K;
        Ok(match &rel.kind {
            K::Integer(number) => {
                let number = self.number(number)?;
                let cases = number.cases(self.circuit());
                let strays = cases.into_iter().filter(|it| self.universe.find(&Atom::Int(it.0)).is_none());
                let strays = strays.map(|it| it.1).collect();
                self.circuit().or_all(strays)
            }
            K::Product(a, b) => {
                let (x, y) = (self.beyond(a)?, self.beyond(b)?);
                if x == Bit::FALSE && y == Bit::FALSE {
                    return Ok(Bit::FALSE);
                }
                let (some_a, some_b) = (self.rel(a)?.bits(), self.rel(b)?.bits());
                let circuit = self.circuit();
                let (some_a, some_b) = (circuit.or_all(some_a), circuit.or_all(some_b));
                let (first, second) = (circuit.or(some_b, y), circuit.or(some_a, x));
                let (first, second) = (circuit.and(x, first), circuit.and(y, second));
                circuit.or(first, second)
            }
            K::Union(a, b) => {
                let (x, y) = (self.beyond(a)?, self.beyond(b)?);
                self.circuit().or(x, y)
            }
            K::If(condition, a, b) => {
                let condition = self.formula(condition)?;
                let (x, y) = (self.beyond(a)?, self.beyond(b)?);
                self.circuit().choose(condition, x, y)
            }
            _ => Bit::FALSE,
        })
    }

    fn count(&mut self, mult: Mult, bits: Vec<Bit>) -> Bit {
        let circuit = self.circuit();
        match mult {
            Mult::Set => Bit::TRUE,
            Mult::No => !circuit.or_all(bits),
            Mult::Some => circuit.or_all(bits),
            Mult::Lone => circuit.at_most_one(&bits),
            Mult::One => {
                let few = circuit.at_most_one(&bits);
                let some = circuit.or_all(bits);
                circuit.and(few, some)
            }
        }
    }

    pub(crate) fn number(&mut self, number: &Number) -> Result<Rc<OrderEncoding>> {
        let key = self.key(number.id, &number.free);
        if let Some(known) = self.numbers.get(&key) {
            return Ok(known.clone());
        }
        let order = Rc::new(self.compute_number(number)?);
        self.numbers.insert(key, order.clone());
        Ok(order)
    }

    fn compute_number(&mut self, number: &Number) -> Result<OrderEncoding> {
        use NumberKind as K;
        let order = match &number.kind {
            K::Constant(value) => Ok(OrderEncoding::constant(*value)),
            K::Cardinality(rel) => {
                let bits = self.rel(rel)?.bits();
                OrderEncoding::count(self.circuit(), &bits)
            }
            K::Value(rel, single) => {
                let cells = self.rel(rel)?.cells.clone();
                let parts = cells.iter().map(|&(at, bit)| (self.value(at), bit)).collect::<Vec<_>>();
                if *single {
                    Ok(OrderEncoding::only(self.circuit(), &parts))
                } else {
                    OrderEncoding::sum(self.circuit(), parts)
                }
            }
            K::Sum(bounds, body) => {
                let mut total = OrderEncoding::constant(0);
                let zero = OrderEncoding::constant(0);
                self.each(bounds, &mut |it, condition| {
                    let value = it.number(body)?;
                    let part = OrderEncoding::choose(it.circuit(), condition, &value, &zero);
                    total = total.add(it.circuit(), &part).map_err(|_| too_many(number.span))?;
                    Ok(())
                })?;
                Ok(total)
            }
            K::Negate(a) => Ok(self.number(a)?.negate()),
            K::If(condition, a, b) => {
                let condition = self.formula(condition)?;
                let (a, b) = (self.number(a)?, self.number(b)?);
                Ok(OrderEncoding::choose(self.circuit(), condition, &a, &b))
            }
            K::Arithmetic(operation, a, b) => {
                let (a, b) = (self.number(a)?, self.number(b)?);
                let circuit = self.circuit();
                match operation {
                    Operation::Add => a.add(circuit, &b),
                    Operation::Subtract => a.add(circuit, &b.negate()),
                    Operation::Multiply => a.combine(circuit, &b, i64::checked_mul),
                    Operation::Divide => a.combine(circuit, &b, i64::checked_div),
                    Operation::Remainder => a.combine(circuit, &b, i64::checked_rem),
                }
            }
        };
        order.map_err(|TooManyValues| too_many(number.span))
    }

    fn value(&self, atom: u64) -> i64 {
        match self.universe.atoms.get(atom as usize) {
            Some(Atom::Int(value)) => *value,
            _ => 0,
        }
    }

    /// Calls `visit` for all assignments of the variables, with the condition that the values belong to the
    /// variables' domains.
    fn each(&mut self, bounds: &[Bound], visit: &mut dyn FnMut(&mut Self, Bit) -> Result<()>) -> Result<()> {
        self.each_from(bounds, 0, Bit::TRUE, visit)
    }

    fn each_from(
        &mut self,
        bounds: &[Bound],
        at: usize,
        condition: Bit,
        visit: &mut dyn FnMut(&mut Self, Bit) -> Result<()>,
    ) -> Result<()> {
        let Some(bound) = bounds.get(at) else { return visit(self, condition) };
        let set = self.rel(&bound.set)?;
        let outer = self.env.get(&bound.var).copied();
        for &(atom, bit) in &set.cells {
            let atom = atom as u32;
            if bound.distinct.iter().any(|it| self.env.get(it) == Some(&atom)) {
                continue;
            }
            let condition = self.circuit().and(condition, bit);
            if condition == Bit::FALSE {
                continue;
            }
            self.env.insert(bound.var, atom);
            self.each_from(bounds, at + 1, condition, visit)?;
        }
        match outer {
            Some(atom) => self.env.insert(bound.var, atom),
            None => self.env.remove(&bound.var),
        };
        Ok(())
    }
}

fn too_large(span: Span) -> Error {
    Error::new(span, "this relation is too large for the scope").help("reduce the scope")
}

fn too_many(span: Span) -> Error {
    Error::new(span, "this integer expression has too many possible values")
        .help("reduce the range of integers or the scope")
}
