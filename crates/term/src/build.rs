//! Term construction: one general entry point, and a method per operation.

use crate::arena::{TableId, Term, TermId, Terms};
use crate::op::{Op, Signature};
use crate::rules::{Rule, RuleCounters};
use crate::sort::Sort;
use crate::{rewrite, semantics};

/// Why a term cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{op}` does not take arguments of sorts {args:?} for a result of sort {to:?}")]
pub struct SortError {
    /// The operation's name.
    pub op: &'static str,
    /// The sorts of the arguments.
    pub args: Vec<Sort>,
    /// The requested sort, if any.
    pub to: Option<Sort>,
}

impl Terms {
    /// A constant; excess bits are dropped.
    pub fn constant(&mut self, sort: Sort, bits: u64) -> TermId {
        self.intern(Term::Constant { sort, bits: bits & sort.mask() })
    }

    /// `false` or `true`.
    #[must_use]
    pub fn bool(&self, value: bool) -> TermId {
        self.truth[usize::from(value)]
    }

    /// A constant `int`.
    pub fn int(&mut self, value: i32) -> TermId {
        self.constant(Sort::Bv32, Sort::Bv32.wrap(i64::from(value)))
    }

    /// A constant `long`.
    pub fn long(&mut self, value: i64) -> TermId {
        self.constant(Sort::Bv64, value as u64)
    }

    /// A constant `float`, its NaN payload kept.
    pub fn float(&mut self, value: f32) -> TermId {
        self.constant(Sort::F32, u64::from(value.to_bits()))
    }

    /// A constant `double`, its NaN payload kept.
    pub fn double(&mut self, value: f64) -> TermId {
        self.constant(Sort::F64, value.to_bits())
    }

    /// The entry of a table at a `Bv32` index; 0 if out of range.
    ///
    /// # Panics
    /// If the index is not `Bv32`.
    pub fn lookup(&mut self, table: TableId, index: TermId) -> TermId {
        assert_eq!(self.sort(index), Sort::Bv32, "the index of a table is a Bv32");
        let sort = self.table(table).sort();
        if self.rewriting {
            let (known, range) = (self.table(table), self.range(index));
            let first = known.run_of(range.umin);
            if first == known.run_of(range.umax) {
                let bits = known.runs()[first].value;
                self.counters.hit(Rule::LookupConstant);
                return self.constant(sort, bits);
            }
        }
        self.intern(Term::Lookup { sort, table, index })
    }

    /// Applies an operation and rewrites the result. `to` is only needed for `Truncate`, `SExt` and `ZExt`.
    ///
    /// # Errors
    /// The sorts do not fit the operation.
    pub fn try_apply(&mut self, op: Op, to: Option<Sort>, args: &[TermId]) -> Result<TermId, SortError> {
        let sorts: Vec<Sort> = args.iter().map(|arg| self.sort(*arg)).collect();
        let Some(sort) = op.signature().result(&sorts, to) else {
            return Err(SortError { op: op.name(), args: sorts, to });
        };
        let mut padded = [args[0]; 3];
        padded[..args.len()].copy_from_slice(args);
        Ok(self.apply(op, sort, padded))
    }

    /// Builds a well-sorted operation; arguments beyond `op.arity()` are ignored.
    pub(crate) fn apply(&mut self, op: Op, sort: Sort, mut args: [TermId; 3]) -> TermId {
        let arity = op.arity();
        for place in arity..3 {
            args[place] = args[0];
        }
        debug_assert_eq!(
            op.signature().result(&args.map(|arg| self.sort(arg))[..arity], Some(sort)),
            Some(sort),
            "ill-sorted {op:?}"
        );
        if self.rewriting {
            if let Some(bits) = self.fold(op, sort, &args[..arity]) {
                self.counters.hit(Rule::FoldConstants);
                return self.constant(sort, bits);
            }
            if op.commutes() {
                self.order(&mut args);
            }
            if let Some((rule, result)) = rewrite::rewrite(self, op, sort, args) {
                self.counters.hit(rule);
                return result;
            }
        }
        self.intern(Term::Apply { op, sort, args })
    }

    /// The value, if all arguments are constants.
    fn fold(&self, op: Op, sort: Sort, args: &[TermId]) -> Option<u64> {
        let mut values = [0; 3];
        for (value, arg) in values.iter_mut().zip(args) {
            *value = self.as_constant(*arg)?;
        }
        let from = if op == Op::Ite { sort } else { self.sort(args[0]) };
        Some(semantics::apply(op, from, sort, &values[..args.len()]))
    }

    /// Normalises commuting arguments: constants right, otherwise the older term left.
    fn order(&self, args: &mut [TermId; 3]) {
        let key = |arg: TermId| (self.as_constant(arg).is_some(), arg);
        if key(args[0]) > key(args[1]) {
            args.swap(0, 1);
            args[2] = args[0];
        }
    }

    /// Number of uses of each rewrite rule.
    #[must_use]
    pub fn rule_counters(&self) -> &RuleCounters {
        &self.counters
    }

    fn unary(&mut self, op: Op, a: TermId) -> TermId {
        let sort = match op.signature() {
            Signature::Convert(_, to) => to,
            _ => self.sort(a),
        };
        self.checked(op, sort, [a, a, a])
    }

    fn binary(&mut self, op: Op, a: TermId, b: TermId) -> TermId {
        let sort = match op.signature() {
            Signature::BitsCompare | Signature::BvCompare | Signature::FloatCompare => Sort::Bool,
            _ => self.sort(a),
        };
        self.checked(op, sort, [a, b, a])
    }

    /// Builds an operation that the caller guarantees to be well sorted.
    fn checked(&mut self, op: Op, sort: Sort, args: [TermId; 3]) -> TermId {
        let sorts = args.map(|arg| self.sort(arg));
        let fits = op.signature().result(&sorts[..op.arity()], Some(sort)) == Some(sort);
        assert!(fits, "`{}` on sorts {:?}", op.name(), &sorts[..op.arity()]);
        self.apply(op, sort, args)
    }

    /// The low bits of a bit-vector; the term itself if the sort is the same.
    ///
    /// # Panics
    /// If the sorts are not bit-vectors or `to` is wider.
    pub fn truncate(&mut self, to: Sort, a: TermId) -> TermId {
        if self.sort(a) == to { a } else { self.checked(Op::Truncate, to, [a, a, a]) }
    }

    /// Sign extension; the term itself if the sort is the same.
    ///
    /// # Panics
    /// If the sorts are not bit-vectors (or `Bool`) or `to` is narrower.
    pub fn sext(&mut self, to: Sort, a: TermId) -> TermId {
        if self.sort(a) == to { a } else { self.checked(Op::SExt, to, [a, a, a]) }
    }

    /// Zero extension; the term itself if the sort is the same.
    ///
    /// # Panics
    /// If the sorts are not bit-vectors (or `Bool`) or `to` is narrower.
    pub fn zext(&mut self, to: Sort, a: TermId) -> TermId {
        if self.sort(a) == to { a } else { self.checked(Op::ZExt, to, [a, a, a]) }
    }

    /// `condition ? then : other`.
    ///
    /// # Panics
    /// If the condition is not `Bool` or the sides have different sorts.
    pub fn ite(&mut self, condition: TermId, then: TermId, other: TermId) -> TermId {
        let sort = self.sort(then);
        self.checked(Op::Ite, sort, [condition, then, other])
    }
}

macro_rules! builders {
    ($($kind:ident $($name:ident $op:ident),*;)*) => { $($(builders!(@ $kind $name $op);)*)* };
    (@ unary $name:ident $op:ident) => {
        impl Terms {
            #[doc = concat!("[`Op::", stringify!($op), "`] of `a`.")]
            ///
            /// # Panics
            /// If the sort does not fit.
            pub fn $name(&mut self, a: TermId) -> TermId {
                self.unary(Op::$op, a)
            }
        }
    };
    (@ binary $name:ident $op:ident) => {
        impl Terms {
            #[doc = concat!("[`Op::", stringify!($op), "`] of `a` and `b`.")]
            ///
            /// # Panics
            /// If the sorts do not fit.
            pub fn $name(&mut self, a: TermId, b: TermId) -> TermId {
                self.binary(Op::$op, a, b)
            }
        }
    };
}

builders! {
    binary add Add, sub Sub, mul Mul, sdiv SDiv, srem SRem, and And, or Or, xor Xor;
    binary shl Shl, ashr AShr, lshr LShr, eq Eq, slt Slt, sle Sle, ult Ult, ule Ule;
    binary fadd FAdd, fsub FSub, fmul FMul, fdiv FDiv, frem FRem, feq FEq, flt FLt, fle FLe;
    unary neg Neg, not Not, fneg FNeg, fsqrt FSqrt, fabs FAbs;
    unary i2f I2F, i2d I2D, l2f L2F, l2d L2D, f2i F2I, f2l F2L, d2i D2I, d2l D2L, f2d F2D, d2f D2F;
    unary float_to_raw_bits FBits, double_to_raw_bits DBits, bits_to_float BitsF, bits_to_double BitsD;
}
