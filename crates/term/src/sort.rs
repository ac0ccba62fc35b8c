//! The sorts of terms, and the encoding of their values in a `u64`.

use std::fmt;

/// The sort (type) of a term. Java's `int` is `Bv32`. Bit-vectors have no sign; operations interpret it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sort {
    /// A boolean, encoded as 0 or 1; also usable as a one-bit vector.
    Bool,
    /// Eight bits: `byte`.
    Bv8,
    /// Sixteen bits: `short`, `char`.
    Bv16,
    /// Thirty-two bits: `int`.
    Bv32,
    /// Sixty-four bits: `long`.
    Bv64,
    /// IEEE 754 binary32, encoded as its bits.
    F32,
    /// IEEE 754 binary64, encoded as its bits.
    F64,
}

/// The canonical NaN of `float`, as in `Float.floatToIntBits`.
pub const CANONICAL_NAN_F32: u64 = 0x7fc0_0000;
/// The canonical NaN of `double`, as in `Double.doubleToLongBits`.
pub const CANONICAL_NAN_F64: u64 = 0x7ff8_0000_0000_0000;

impl Sort {
    /// Every sort, narrowest first.
    pub const ALL: [Sort; 7] =
        [Sort::Bool, Sort::Bv8, Sort::Bv16, Sort::Bv32, Sort::Bv64, Sort::F32, Sort::F64];

    /// Number of bits of a value.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Sort::Bool => 1,
            Sort::Bv8 => 8,
            Sort::Bv16 => 16,
            Sort::Bv32 | Sort::F32 => 32,
            Sort::Bv64 | Sort::F64 => 64,
        }
    }

    /// A mask of the bits that a value may use.
    #[must_use]
    pub const fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    /// Whether this is `Bv8` to `Bv64`.
    #[must_use]
    pub const fn is_bv(self) -> bool {
        matches!(self, Sort::Bv8 | Sort::Bv16 | Sort::Bv32 | Sort::Bv64)
    }

    /// Whether this is `F32` or `F64`.
    #[must_use]
    pub const fn is_float(self) -> bool {
        matches!(self, Sort::F32 | Sort::F64)
    }

    /// The value read as a two's complement number of this width.
    #[must_use]
    pub const fn signed(self, value: u64) -> i64 {
        let unused = 64 - self.bits();
        ((value << unused) as i64) >> unused
    }

    /// The low bits of a number as a value of this sort.
    #[must_use]
    pub const fn wrap(self, number: i64) -> u64 {
        number as u64 & self.mask()
    }

    /// The least two's complement number of this width.
    #[must_use]
    pub const fn min_signed(self) -> i64 {
        i64::MIN >> (64 - self.bits())
    }

    /// The greatest two's complement number of this width.
    #[must_use]
    pub const fn max_signed(self) -> i64 {
        i64::MAX >> (64 - self.bits())
    }

    /// The bit-vector sort of a given width, if there is one.
    #[must_use]
    pub const fn bv(bits: u32) -> Option<Sort> {
        match bits {
            8 => Some(Sort::Bv8),
            16 => Some(Sort::Bv16),
            32 => Some(Sort::Bv32),
            64 => Some(Sort::Bv64),
            _ => None,
        }
    }

    /// The name in the text format.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Sort::Bool => "Bool",
            Sort::Bv8 => "Bv8",
            Sort::Bv16 => "Bv16",
            Sort::Bv32 => "Bv32",
            Sort::Bv64 => "Bv64",
            Sort::F32 => "F32",
            Sort::F64 => "F64",
        }
    }

    /// The sort with this name in the text format.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Sort> {
        Sort::ALL.into_iter().find(|sort| sort.name() == name)
    }
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
