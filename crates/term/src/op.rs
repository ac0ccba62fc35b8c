//! The operations, each declared once with its name in the text format, its symbol for display, and its
//! signature.

use crate::sort::Sort;

/// The sorts of an operation's arguments and result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signature {
    /// `(s, s) -> s` over bit-vectors.
    BvBinary,
    /// `s -> s` over bit-vectors.
    BvUnary,
    /// `(s, s) -> s` over bit-vectors and `Bool`.
    BitsBinary,
    /// `s -> s` over bit-vectors and `Bool`.
    BitsUnary,
    /// `(s, Bv32) -> s` over bit-vectors; only the low log2(width) bits of the distance count.
    Shift,
    /// Conversion to a narrower bit-vector or `Bool`; the result's sort is part of the term.
    Narrow,
    /// Conversion to a wider bit-vector; the result's sort is part of the term.
    Widen,
    /// `(s, s) -> Bool` over bit-vectors and `Bool`.
    BitsCompare,
    /// `(s, s) -> Bool` over bit-vectors.
    BvCompare,
    /// `(Bool, s, s) -> s` over every sort.
    Choice,
    /// `(s, s) -> s` over floats.
    FloatBinary,
    /// `s -> s` over floats.
    FloatUnary,
    /// `(s, s) -> Bool` over floats.
    FloatCompare,
    /// Conversion from one fixed sort to another.
    Convert(Sort, Sort),
}

impl Signature {
    /// Number of arguments, 1 to 3.
    #[must_use]
    pub const fn arity(self) -> usize {
        use Signature::*;
        match self {
            BvUnary | BitsUnary | FloatUnary | Narrow | Widen | Convert(..) => 1,
            BvBinary | BitsBinary | Shift | BitsCompare | BvCompare | FloatBinary | FloatCompare => 2,
            Choice => 3,
        }
    }

    /// The sort of the result for arguments of these sorts; `None` if they do not fit. `explicit` is the
    /// requested sort, which only `Narrow` and `Widen` use.
    #[must_use]
    pub fn result(self, args: &[Sort], explicit: Option<Sort>) -> Option<Sort> {
        use Signature::*;
        if args.len() != self.arity() {
            return None;
        }
        let first = args[0];
        let bits = first.is_bv() || first == Sort::Bool;
        let same = args.len() < 2 || args[1] == first;
        let (fits, result) = match self {
            BvBinary | BvUnary => (first.is_bv() && same, first),
            BitsBinary | BitsUnary => (bits && same, first),
            Shift => (first.is_bv() && args[1] == Sort::Bv32, first),
            Narrow => {
                let to = explicit?;
                ((to.is_bv() || to == Sort::Bool) && first.is_bv() && to.bits() < first.bits(), to)
            }
            Widen => {
                let to = explicit?;
                (to.is_bv() && bits && to.bits() > first.bits(), to)
            }
            BitsCompare => (bits && same, Sort::Bool),
            BvCompare => (first.is_bv() && same, Sort::Bool),
            Choice => (first == Sort::Bool && args[1] == args[2], args[1]),
            FloatBinary | FloatUnary => (first.is_float() && same, first),
            FloatCompare => (first.is_float() && same, Sort::Bool),
            Convert(from, to) => (first == from, to),
        };
        fits.then_some(result)
    }
}

macro_rules! operations {
    ($($(#[$doc:meta])* $variant:ident $name:literal $symbol:literal $signature:expr;)*) => {
        /// An operation. [`crate::semantics::apply`] defines its meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Op { $($(#[$doc])* $variant,)* }

        impl Op {
            /// Every operation, in the order of declaration.
            pub const ALL: &'static [Op] = &[$(Op::$variant),*];

            /// The name in the text format.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Op::$variant => $name),* }
            }

            /// The infix operator, prefix operator, cast or function name for display.
            #[must_use]
            pub const fn symbol(self) -> &'static str {
                match self { $(Op::$variant => $symbol),* }
            }

            /// The sorts it takes and gives.
            #[must_use]
            pub const fn signature(self) -> Signature {
                use Signature::*;
                match self { $(Op::$variant => $signature),* }
            }
        }
    };
}

operations! {
    /// Wrapping sum.
    Add "add" "+" BvBinary;
    /// Wrapping difference.
    Sub "sub" "-" BvBinary;
    /// Wrapping product.
    Mul "mul" "*" BvBinary;
    /// Signed quotient towards zero, `MIN / -1 = MIN`, `x / 0 = 0` (a branch before it excludes that).
    SDiv "sdiv" "/" BvBinary;
    /// Signed remainder with the dividend's sign, `MIN % -1 = 0`, `x % 0 = x`.
    SRem "srem" "%" BvBinary;
    /// Wrapping negation.
    Neg "neg" "-" BvUnary;
    /// Bitwise and; conjunction on `Bool`.
    And "and" "&" BitsBinary;
    /// Bitwise or; disjunction on `Bool`.
    Or "or" "|" BitsBinary;
    /// Bitwise exclusive or; inequality on `Bool`.
    Xor "xor" "^" BitsBinary;
    /// Bitwise complement; negation on `Bool`.
    Not "not" "~" BitsUnary;
    /// Shift left, distance modulo the width (JVMS `ishl`, `lshl`).
    Shl "shl" "<<" Shift;
    /// Shift right with sign, distance modulo the width (JVMS `ishr`, `lshr`).
    AShr "ashr" ">>" Shift;
    /// Shift right with zeros, distance modulo the width (JVMS `iushr`, `lushr`).
    LShr "lshr" ">>>" Shift;
    /// The low bits.
    Truncate "truncate" "truncate" Narrow;
    /// Widening with the sign.
    SExt "sext" "sext" Widen;
    /// Widening with zeros; of a `Bool`, 0 or 1.
    ZExt "zext" "zext" Widen;
    /// Equality of bits.
    Eq "eq" "==" BitsCompare;
    /// Signed less.
    Slt "slt" "<" BvCompare;
    /// Signed less or equal.
    Sle "sle" "<=" BvCompare;
    /// Unsigned less.
    Ult "ult" "<u" BvCompare;
    /// Unsigned less or equal.
    Ule "ule" "<=u" BvCompare;
    /// `condition ? second : third`.
    Ite "ite" "?:" Choice;
    /// IEEE sum, to nearest even.
    FAdd "fadd" "+" FloatBinary;
    /// IEEE difference, to nearest even.
    FSub "fsub" "-" FloatBinary;
    /// IEEE product, to nearest even.
    FMul "fmul" "*" FloatBinary;
    /// IEEE quotient, to nearest even.
    FDiv "fdiv" "/" FloatBinary;
    /// Java's `%` on floats: C's `fmod`, exact, with the dividend's sign (JVMS `frem`, `drem`).
    FRem "frem" "%" FloatBinary;
    /// The sign bit flipped, also of NaN.
    FNeg "fneg" "-" FloatUnary;
    /// IEEE square root, to nearest even.
    FSqrt "fsqrt" "Math.sqrt" FloatUnary;
    /// The sign bit cleared, also of NaN.
    FAbs "fabs" "Math.abs" FloatUnary;
    /// IEEE equality: false with NaN, `-0.0 == 0.0`.
    FEq "feq" "==" FloatCompare;
    /// IEEE less: false with NaN.
    FLt "flt" "<" FloatCompare;
    /// IEEE less or equal: false with NaN.
    FLe "fle" "<=" FloatCompare;
    /// `int` to `float`, to nearest even.
    I2F "i2f" "float" Convert(Sort::Bv32, Sort::F32);
    /// `int` to `double`, exact.
    I2D "i2d" "double" Convert(Sort::Bv32, Sort::F64);
    /// `long` to `float`, to nearest even.
    L2F "l2f" "float" Convert(Sort::Bv64, Sort::F32);
    /// `long` to `double`, to nearest even.
    L2D "l2d" "double" Convert(Sort::Bv64, Sort::F64);
    /// `float` to `int`: towards zero, saturating, NaN to 0 (JVMS `f2i`).
    F2I "f2i" "int" Convert(Sort::F32, Sort::Bv32);
    /// `float` to `long`: towards zero, saturating, NaN to 0.
    F2L "f2l" "long" Convert(Sort::F32, Sort::Bv64);
    /// `double` to `int`: towards zero, saturating, NaN to 0.
    D2I "d2i" "int" Convert(Sort::F64, Sort::Bv32);
    /// `double` to `long`: towards zero, saturating, NaN to 0.
    D2L "d2l" "long" Convert(Sort::F64, Sort::Bv64);
    /// `float` to `double`, exact.
    F2D "f2d" "double" Convert(Sort::F32, Sort::F64);
    /// `double` to `float`, to nearest even.
    D2F "d2f" "float" Convert(Sort::F64, Sort::F32);
    /// The bits of a `float`, NaN unchanged (`Float.floatToRawIntBits`).
    FBits "fbits" "Float.floatToRawIntBits" Convert(Sort::F32, Sort::Bv32);
    /// The bits of a `double`, NaN unchanged (`Double.doubleToRawLongBits`).
    DBits "dbits" "Double.doubleToRawLongBits" Convert(Sort::F64, Sort::Bv64);
    /// The `float` of these bits (`Float.intBitsToFloat`).
    BitsF "bitsf" "Float.intBitsToFloat" Convert(Sort::Bv32, Sort::F32);
    /// The `double` of these bits (`Double.longBitsToDouble`).
    BitsD "bitsd" "Double.longBitsToDouble" Convert(Sort::Bv64, Sort::F64);
}

impl Op {
    /// Number of arguments, 1 to 3.
    #[must_use]
    pub const fn arity(self) -> usize {
        self.signature().arity()
    }

    /// The operation with this name in the text format.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Op> {
        Op::ALL.iter().copied().find(|op| op.name() == name)
    }

    /// Whether the arguments commute.
    #[must_use]
    pub const fn commutes(self) -> bool {
        use Op::*;
        matches!(self, Add | Mul | And | Or | Xor | Eq | FAdd | FMul | FEq)
    }
}
