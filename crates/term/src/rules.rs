//! The named rewrite rules as *match → result*, with counters of their uses.

macro_rules! rules {
    ($($variant:ident $text:literal;)*) => {
        /// A rewrite rule. Rules preserve a term's value under every model, bit by bit.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Rule { $(#[doc = concat!("`", $text, "`")] $variant,)* }

        impl Rule {
            /// Every rule.
            pub const ALL: &'static [Rule] = &[$(Rule::$variant),*];

            /// The rule as *match → result*.
            #[must_use]
            pub const fn text(self) -> &'static str {
                match self { $(Rule::$variant => $text),* }
            }
        }
    };
}

rules! {
    FoldConstants "op(k, ...) → its value";
    FoldChoiceOfConstants "op(c ? k1 : k2, k3) → c ? op(k1, k3) : op(k2, k3)";
    AddZero "x + 0 → x; x - 0 → x";
    AddConstants "(x + k1) + k2 → x + (k1 + k2)";
    AddConstantOutwards "(x + k) + y → (x + y) + k; (x + k) - y → (x - y) + k; x - (y + k) → (x - y) - k";
    SubConstant "x - k → x + (-k)";
    SubSelf "x - x → 0";
    SubZeroMinus "0 - x → -x";
    AddCancel "(x - y) + y → x; (x + y) - y → x; x - (x - y) → y";
    AddNegated "x + (-y) → x - y; x - (-y) → x + y";
    MulZeroOne "x * 0 → 0; x * 1 → x; x * -1 → -x";
    MulConstants "(x * k1) * k2 → x * (k1 * k2)";
    DivOne "x / 1 → x; x / -1 → -x; 0 / x → 0";
    DivPower "x / 2^k → x >>> k where x is never negative";
    RemOne "x % 1 → 0; x % -1 → 0; 0 % x → 0";
    RemPower "x % 2^k → x & (2^k - 1) where x is never negative";
    RemSmall "x % k → x where 0 <= x < k";
    NegNeg "-(-x) → x; -(x - y) → y - x";
    BitsIdentity "x & 0 → 0; x & -1 → x; x | 0 → x; x | -1 → -1; x ^ 0 → x; x ^ -1 → ~x";
    BitsSame "x & x → x; x | x → x; x ^ x → 0";
    BitsComplement "x & ~x → 0; x | ~x → -1; x ^ ~x → -1";
    BitsConstants "(x & k1) & k2 → x & (k1 & k2); so for | and ^";
    BitsAbsorb "x & (x | y) → x; x | (x & y) → x; x & (x & y) → x & y; x & (~x | y) → x & y; dually";
    BitsOfWidened "ext(x) op ext(y) → ext(x op y); ext(x) op k → ext(x op k) where k fits, op of & | ^ ~";
    MaskWidth "x & 0xff → zext(truncate8(x)); so for 16 and 32 bits";
    NotNot "~~x → x; !!x → x";
    NotCompare "!(x < y) → y <= x; !(x <= y) → y < x, not of floats";
    JoinSlices "(x[hi] << n) | x[lo] → x[hi..lo], also with + and ^";
    CompareSamePair "two comparisons of the same x and y under && or || → one comparison or a constant";
    CompareSpans "two comparisons of x with constants under && or || → one comparison or a constant";
    ShiftZero "x << 0 → x; 0 << y → 0; so for >> and >>>";
    ShiftDistance "x << (y & 31) → x << y for 32 bits, 63 for 64; k → k modulo the width";
    ShiftTwice "(x << k1) << k2 → x << (k1 + k2), or 0; so for >> and >>>";
    ShiftNonNegative "x >> k → x >>> k where x is never negative";
    ShiftOut "x >>> k → 0 where x < 2^k";
    ShiftPairExtends "(x << k) >> k → sext(truncate(x)); (x << k) >>> k → zext(truncate(x)), k = width - 8, 16, 32";
    ResizeChain "truncate(truncate(x)), zext(zext(x)), sext(sext(x)), sext(zext(x)), truncate(ext(x)) → one or none";
    ResizeNonNegative "sext(x) → zext(x) where x is never negative";
    TruncateMasked "truncate(x & k) → truncate(x) where k covers the width";
    TruncateOperands "truncate(x op y) → truncate(x) op truncate(y) where both get simpler, op of + - * & | ^";
    EqSame "x == x → true; x <= x → true; x < x → false";
    EqTruth "b == true → b; b == false → !b; a == b → !(a ^ b) on Bool";
    EqPeel "x + k1 == k2 → x == k2 - k1; -x, ~x, x ^ k, k - x and x * odd likewise";
    EqDifference "x - y == 0 → x == y; x + z == y + z → x == y; x + y == x → y == 0; so for ^";
    EqOrZero "x | y == 0 → x == 0 && y == 0";
    EqShiftZero "x >>> k == 0 → x <=u 2^k - 1";
    CompareWidened "ext(x) op ext(y) → x op y; ext(x) op k → x op k, or a constant";
    CompareChoice "(c ? k1 : t) op k → c ? (k1 op k) : (t op k)";
    CompareRange "x op y → true or false by the bounds of x and y";
    CompareConstant "x < k → x <= k - 1; k < x → k + 1 <= x; x <= MIN → x == MIN; MAX <= x → x == MAX";
    CompareShifted "x + k1 <= k2 → x <= k2 - k1 where x + k1 cannot overflow; so on both sides and with ==";
    CompareUnsigned "x <u y → x < y where neither is ever negative";
    IteCondition "true ? x : y → x; false ? x : y → y; !c ? x : y → c ? y : x";
    IteSame "c ? x : x → x";
    IteTruth "c ? true : x → c || x; c ? false : x → !c && x; c ? x : true → !c || x; c ? x : false → c && x";
    IteZeroOne "c ? 1 : 0 → zext(c); c ? 0 : 1 → zext(!c)";
    IteNested "c ? (c ? x : y) : z → c ? x : z; c ? x : (c ? y : z) → c ? x : z";
    IteEqual "x == k ? k : x → x";
    FloatSame "x < x → false; x <= x → x == x";
    FloatSigns "-(-x) → x; abs(-x) → abs(x); abs(abs(x)) → abs(x)";
    FloatBits "bits(ofBits(x)) → x; ofBits(bits(x)) → x; bits(-x) → bits(x) ^ MIN; bits(abs(x)) → bits(x) & MAX";
    FloatOfInteger "(double) i op k → a comparison of i; (double) i op (double) j → i op j where exact";
    FloatWidened "(double) x op (double) y → x op y; (double) x op k → x op k where k is a float, on floats x, y";
    LookupConstant "table[k] → its entry; equal entries at all indices in range → their value";
}

/// Number of uses of each rule.
#[derive(Clone, Debug)]
pub struct RuleCounters(Vec<u64>);

impl Default for RuleCounters {
    fn default() -> Self {
        RuleCounters(vec![0; Rule::ALL.len()])
    }
}

impl RuleCounters {
    pub(crate) fn hit(&mut self, rule: Rule) {
        self.0[rule as usize] += 1;
    }

    /// The count of one rule.
    #[must_use]
    pub fn count(&self, rule: Rule) -> u64 {
        self.0[rule as usize]
    }

    /// Every rule with its count, in the order of declaration.
    pub fn iter(&self) -> impl Iterator<Item = (Rule, u64)> + '_ {
        Rule::ALL.iter().map(|&rule| (rule, self.count(rule)))
    }
}
