//! Sparse boolean matrices, the values of relational expressions (as in Kodkod). A missing cell is false.
//!
//! A tuple is packed into one number in base [`Algebra::base`], with the first atom as its most significant
//! digit.

use super::circuit::{Bit, Circuit};
use rustc_hash::FxHashMap;

/// A matrix with cells sorted by tuple; no cell is constant false.
#[derive(Clone, Debug)]
pub(crate) struct Matrix {
    pub(crate) arity: usize,
    pub(crate) cells: Vec<(u64, Bit)>,
}

impl Matrix {
    pub(crate) fn empty(arity: usize) -> Matrix {
        Matrix { arity, cells: Vec::new() }
    }

    pub(crate) fn new(arity: usize, mut cells: Vec<(u64, Bit)>) -> Matrix {
        cells.retain(|it| it.1 != Bit::FALSE);
        cells.sort_unstable_by_key(|it| it.0);
        Matrix { arity, cells }
    }

    pub(crate) fn get(&self, tuple: u64) -> Bit {
        match self.cells.binary_search_by_key(&tuple, |it| it.0) {
            Ok(at) => self.cells[at].1,
            Err(_) => Bit::FALSE,
        }
    }

    pub(crate) fn bits(&self) -> Vec<Bit> {
        self.cells.iter().map(|it| it.1).collect()
    }
}

/// Operations on matrices over atoms `0..base`.
pub(crate) struct Algebra {
    pub(crate) circuit: Circuit,
    pub(crate) base: u64,
}

impl Algebra {
    /// Disjunction of the bits collected for each tuple.
    fn gather(&mut self, arity: usize, mut collected: Vec<(u64, Bit)>) -> Matrix {
        collected.sort_by_key(|it| it.0);
        let mut cells = Vec::with_capacity(collected.len());
        for same in collected.chunk_by(|a, b| a.0 == b.0) {
            let bit = match same {
                [only] => only.1,
                _ => self.circuit.or_all(same.iter().map(|it| it.1).collect()),
            };
            if bit != Bit::FALSE {
                cells.push((same[0].0, bit));
            }
        }
        Matrix { arity, cells }
    }

    /// Combines two matrices cell by cell.
    fn merge(
        &mut self,
        a: &Matrix,
        b: &Matrix,
        mut with: impl FnMut(&mut Circuit, Bit, Bit) -> Bit,
    ) -> Matrix {
        let mut cells = Vec::with_capacity(a.cells.len().max(b.cells.len()));
        let (mut i, mut j) = (0, 0);
        while i < a.cells.len() || j < b.cells.len() {
            let x = a.cells.get(i).map_or(u64::MAX, |it| it.0);
            let y = b.cells.get(j).map_or(u64::MAX, |it| it.0);
            let tuple = x.min(y);
            let left = if x == tuple { a.cells[i].1 } else { Bit::FALSE };
            let right = if y == tuple { b.cells[j].1 } else { Bit::FALSE };
            i += usize::from(x == tuple);
            j += usize::from(y == tuple);
            let bit = with(&mut self.circuit, left, right);
            if bit != Bit::FALSE {
                cells.push((tuple, bit));
            }
        }
        Matrix { arity: a.arity.max(b.arity), cells }
    }

    pub(crate) fn union(&mut self, a: &Matrix, b: &Matrix) -> Matrix {
        self.merge(a, b, Circuit::or)
    }

    pub(crate) fn intersection(&mut self, a: &Matrix, b: &Matrix) -> Matrix {
        self.merge(a, b, Circuit::and)
    }

    pub(crate) fn difference(&mut self, a: &Matrix, b: &Matrix) -> Matrix {
        self.merge(a, b, |circuit, x, y| circuit.and(x, !y))
    }

    pub(crate) fn subset(&mut self, a: &Matrix, b: &Matrix) -> Bit {
        let parts = a.cells.iter().map(|&(tuple, bit)| self.circuit.implies(bit, b.get(tuple))).collect();
        self.circuit.and_all(parts)
    }

    pub(crate) fn choose(&mut self, condition: Bit, a: &Matrix, b: &Matrix) -> Matrix {
        self.merge(a, b, |circuit, x, y| circuit.choose(condition, x, y))
    }

    pub(crate) fn product(&mut self, a: &Matrix, b: &Matrix) -> Matrix {
        let shift = self.base.pow(b.arity as u32);
        let mut cells = Vec::with_capacity(a.cells.len() * b.cells.len());
        for &(x, p) in &a.cells {
            for &(y, q) in &b.cells {
                cells.push((x * shift + y, self.circuit.and(p, q)));
            }
        }
        Matrix::new(a.arity + b.arity, cells)
    }

    pub(crate) fn join(&mut self, a: &Matrix, b: &Matrix) -> Matrix {
        let shift = self.base.pow(b.arity as u32 - 1);
        let mut collected = Vec::with_capacity(a.cells.len());
        for &(x, p) in &a.cells {
            let (init, last) = (x / self.base, x % self.base);
            let start = b.cells.partition_point(|it| it.0 < last * shift);
            for &(y, q) in b.cells[start..].iter().take_while(|it| it.0 < (last + 1) * shift) {
                let bit = self.circuit.and(p, q);
                if bit != Bit::FALSE {
                    collected.push((init * shift + y % shift, bit));
                }
            }
        }
        self.gather(a.arity + b.arity - 2, collected)
    }

    /// The tuples of `relation` whose first (or last) atom is in `set`.
    pub(crate) fn restrict(&mut self, relation: &Matrix, set: &Matrix, first: bool) -> Matrix {
        let shift = self.base.pow(relation.arity as u32 - 1);
        let cells = relation.cells.iter().map(|&(tuple, bit)| {
            let atom = if first { tuple / shift } else { tuple % self.base };
            (tuple, self.circuit.and(bit, set.get(atom)))
        });
        Matrix::new(relation.arity, cells.collect())
    }

    /// `a ++ b`
    pub(crate) fn overridden(&mut self, a: &Matrix, b: &Matrix) -> Matrix {
        let shift = self.base.pow(b.arity as u32 - 1);
        let mut firsts: FxHashMap<u64, Vec<Bit>> = FxHashMap::default();
        for &(tuple, bit) in &b.cells {
            firsts.entry(tuple / shift).or_default().push(bit);
        }
        let kept = a.cells.iter().map(|&(tuple, bit)| {
            let replaced = firsts.get(&(tuple / shift)).cloned().unwrap_or_default();
            let replaced = self.circuit.or_all(replaced);
            (tuple, self.circuit.and(bit, !replaced))
        });
        let kept = Matrix::new(a.arity, kept.collect());
        self.union(&kept, b)
    }

    pub(crate) fn transpose(&mut self, a: &Matrix) -> Matrix {
        let cells =
            a.cells.iter().map(|&(tuple, bit)| (tuple % self.base * self.base + tuple / self.base, bit));
        Matrix::new(2, cells.collect())
    }

    /// Warshall's algorithm on the atoms that occur; for small matrices this takes a third of the gates of
    /// iterated squaring.
    pub(crate) fn closure(&mut self, a: &Matrix) -> Matrix {
        let mut atoms: Vec<u64> =
            a.cells.iter().flat_map(|it| [it.0 / self.base, it.0 % self.base]).collect();
        atoms.sort_unstable();
        atoms.dedup();
        let n = atoms.len();
        let place = |atom: u64| atoms.binary_search(&atom).unwrap_or(0);
        let mut dense = vec![Bit::FALSE; n * n];
        for &(tuple, bit) in &a.cells {
            dense[place(tuple / self.base) * n + place(tuple % self.base)] = bit;
        }
        for k in 0..n {
            for i in 0..n {
                let first = dense[i * n + k];
                if first == Bit::FALSE || i == k {
                    continue;
                }
                for j in 0..n {
                    let second = dense[k * n + j];
                    if second != Bit::FALSE && j != k {
                        let path = self.circuit.and(first, second);
                        dense[i * n + j] = self.circuit.or(dense[i * n + j], path);
                    }
                }
            }
        }
        let cells = (0..n * n).map(|at| (atoms[at / n] * self.base + atoms[at % n], dense[at]));
        Matrix::new(2, cells.collect())
    }
}
