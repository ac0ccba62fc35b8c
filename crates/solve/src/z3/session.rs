//! Safe wrappers of the functions of Z3's C interface that Cupping uses.
//!
//! A [`Session`] owns a Z3 context without reference counting: every [`Ast`] lives as long as the session. An
//! `Ast` never leaves the translator that owns its session, which makes the calls sound.

use std::ffi::CString;
use std::ptr;

use z3_sys::{
    Z3_L_FALSE, Z3_L_TRUE, Z3_ast, Z3_config, Z3_context, Z3_error_code, Z3_model, Z3_solver, Z3_sort,
};

/// A Z3 expression of one session.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ast(Z3_ast);

/// A Z3 sort of one session.
#[derive(Clone, Copy, Debug)]
pub(super) struct AstSort(Z3_sort);

/// The result of a check.
pub(super) enum Check {
    Sat,
    Unsat,
    Unknown,
}

/// A Z3 context with one solver.
pub(super) struct Session {
    context: Z3_context,
    solver: Z3_solver,
}

/// Z3's default handler ends the process; results are checked for null instead.
unsafe extern "C" fn ignore_error(_: Z3_context, _: Z3_error_code) {}

macro_rules! wrap {
    ($($(#[$doc:meta])* $name:ident($($arg:ident),*) = $function:ident;)*) => {
        $($(#[$doc])* pub(super) fn $name(&self, $($arg: Ast),*) -> Option<Ast> {
            // SAFETY: the context is live, and so are the arguments, which this session made.
            unsafe { z3_sys::$function(self.context, $($arg.0),*) }.map(Ast)
        })*
    };
}

impl Session {
    /// A new context with a solver for quantifier-free formulas over bit-vectors and floats; `None` if Z3 is
    /// out of memory.
    pub(super) fn new(resources: u32, milliseconds: u32) -> Option<Session> {
        // SAFETY: plain constructors; each result is checked, and freed in `drop` or here.
        unsafe {
            let config: Z3_config = z3_sys::Z3_mk_config()?;
            let context = z3_sys::Z3_mk_context(config);
            z3_sys::Z3_del_config(config);
            let context = context?;
            z3_sys::Z3_set_error_handler(context, Some(ignore_error));
            let Some(solver) = new_solver(context, resources, milliseconds) else {
                z3_sys::Z3_del_context(context);
                return None;
            };
            Some(Session { context, solver })
        }
    }

    /// Sets the budgets of the checks to come; returns false if Z3 is out of memory.
    pub(super) fn limit(&self, resources: u32, milliseconds: u32) -> bool {
        // SAFETY: the context and the solver are live.
        unsafe { set_limits(self.context, self.solver, resources, milliseconds) }.is_some()
    }

    wrap! {
        bvadd(a, b) = Z3_mk_bvadd;
        bvsub(a, b) = Z3_mk_bvsub;
        bvmul(a, b) = Z3_mk_bvmul;
        bvsdiv(a, b) = Z3_mk_bvsdiv;
        bvsrem(a, b) = Z3_mk_bvsrem;
        bvneg(a) = Z3_mk_bvneg;
        bvand(a, b) = Z3_mk_bvand;
        bvor(a, b) = Z3_mk_bvor;
        bvxor(a, b) = Z3_mk_bvxor;
        bvnot(a) = Z3_mk_bvnot;
        bvshl(a, b) = Z3_mk_bvshl;
        bvashr(a, b) = Z3_mk_bvashr;
        bvlshr(a, b) = Z3_mk_bvlshr;
        bvslt(a, b) = Z3_mk_bvslt;
        bvsle(a, b) = Z3_mk_bvsle;
        bvult(a, b) = Z3_mk_bvult;
        bvule(a, b) = Z3_mk_bvule;
        eq(a, b) = Z3_mk_eq;
        not(a) = Z3_mk_not;
        xor(a, b) = Z3_mk_xor;
        ite(c, a, b) = Z3_mk_ite;
        rne() = Z3_mk_fpa_rne;
        rtz() = Z3_mk_fpa_rtz;
        fp_add(rounding, a, b) = Z3_mk_fpa_add;
        fp_sub(rounding, a, b) = Z3_mk_fpa_sub;
        fp_mul(rounding, a, b) = Z3_mk_fpa_mul;
        fp_div(rounding, a, b) = Z3_mk_fpa_div;
        fp_sqrt(rounding, a) = Z3_mk_fpa_sqrt;
        fp_neg(a) = Z3_mk_fpa_neg;
        fp_abs(a) = Z3_mk_fpa_abs;
        fp_eq(a, b) = Z3_mk_fpa_eq;
        fp_lt(a, b) = Z3_mk_fpa_lt;
        fp_le(a, b) = Z3_mk_fpa_leq;
        fp_is_nan(a) = Z3_mk_fpa_is_nan;
        /// Unspecified for NaN.
        fp_bits(a) = Z3_mk_fpa_to_ieee_bv;
    }

    pub(super) fn and(&self, a: Ast, b: Ast) -> Option<Ast> {
        let both = [a.0, b.0];
        // SAFETY: the array holds the two live arguments that the count says.
        unsafe { z3_sys::Z3_mk_and(self.context, 2, both.as_ptr()) }.map(Ast)
    }

    pub(super) fn or(&self, a: Ast, b: Ast) -> Option<Ast> {
        let both = [a.0, b.0];
        // SAFETY: the array holds the two live arguments that the count says.
        unsafe { z3_sys::Z3_mk_or(self.context, 2, both.as_ptr()) }.map(Ast)
    }

    pub(super) fn bool_sort(&self) -> Option<AstSort> {
        // SAFETY: the context is live.
        unsafe { z3_sys::Z3_mk_bool_sort(self.context) }.map(AstSort)
    }

    pub(super) fn bv_sort(&self, bits: u32) -> Option<AstSort> {
        // SAFETY: the context is live; the width is not 0.
        unsafe { z3_sys::Z3_mk_bv_sort(self.context, bits) }.map(AstSort)
    }

    /// The sort of `float` (32 bits) or `double` (64 bits).
    pub(super) fn fp_sort(&self, bits: u32) -> Option<AstSort> {
        let (exponent, significand) = if bits == 32 { (8, 24) } else { (11, 53) };
        // SAFETY: the context is live; the widths are IEEE's.
        unsafe { z3_sys::Z3_mk_fpa_sort(self.context, exponent, significand) }.map(AstSort)
    }

    pub(super) fn truth(&self, value: bool) -> Option<Ast> {
        // SAFETY: the context is live.
        unsafe { if value { z3_sys::Z3_mk_true(self.context) } else { z3_sys::Z3_mk_false(self.context) } }
            .map(Ast)
    }

    pub(super) fn numeral(&self, sort: AstSort, bits: u64) -> Option<Ast> {
        // SAFETY: the context and the bit-vector sort are live.
        unsafe { z3_sys::Z3_mk_unsigned_int64(self.context, bits, sort.0) }.map(Ast)
    }

    pub(super) fn constant(&self, number: u32, sort: AstSort) -> Option<Ast> {
        let number = i32::try_from(number).ok()?;
        // SAFETY: the context and the sort are live; the symbol is made and used here.
        unsafe {
            let symbol = z3_sys::Z3_mk_int_symbol(self.context, number)?;
            z3_sys::Z3_mk_const(self.context, symbol, sort.0)
        }
        .map(Ast)
    }

    /// Bits `high` to `low`, inclusive.
    pub(super) fn extract(&self, high: u32, low: u32, a: Ast) -> Option<Ast> {
        // SAFETY: the context and the argument are live.
        unsafe { z3_sys::Z3_mk_extract(self.context, high, low, a.0) }.map(Ast)
    }

    pub(super) fn sign_extend(&self, by: u32, a: Ast) -> Option<Ast> {
        // SAFETY: the context and the argument are live.
        unsafe { z3_sys::Z3_mk_sign_ext(self.context, by, a.0) }.map(Ast)
    }

    pub(super) fn zero_extend(&self, by: u32, a: Ast) -> Option<Ast> {
        // SAFETY: the context and the argument are live.
        unsafe { z3_sys::Z3_mk_zero_ext(self.context, by, a.0) }.map(Ast)
    }

    pub(super) fn fp_of_bits(&self, a: Ast, sort: AstSort) -> Option<Ast> {
        // SAFETY: the context, the argument and the sort are live.
        unsafe { z3_sys::Z3_mk_fpa_to_fp_bv(self.context, a.0, sort.0) }.map(Ast)
    }

    pub(super) fn fp_of_fp(&self, rounding: Ast, a: Ast, sort: AstSort) -> Option<Ast> {
        // SAFETY: the context, the arguments and the sort are live.
        unsafe { z3_sys::Z3_mk_fpa_to_fp_float(self.context, rounding.0, a.0, sort.0) }.map(Ast)
    }

    pub(super) fn fp_of_signed(&self, rounding: Ast, a: Ast, sort: AstSort) -> Option<Ast> {
        // SAFETY: the context, the arguments and the sort are live.
        unsafe { z3_sys::Z3_mk_fpa_to_fp_signed(self.context, rounding.0, a.0, sort.0) }.map(Ast)
    }

    /// Unspecified for NaN and outside of the integer's range.
    pub(super) fn signed_of_fp(&self, rounding: Ast, a: Ast, bits: u32) -> Option<Ast> {
        // SAFETY: the context and the arguments are live.
        unsafe { z3_sys::Z3_mk_fpa_to_sbv(self.context, rounding.0, a.0, bits) }.map(Ast)
    }

    /// Checks the conjunction of Boolean expressions; after `Sat`, `values` reads constants of the model.
    pub(super) fn check(&self, assertions: &[Ast], constants: &[Ast]) -> (Check, Vec<u64>) {
        // SAFETY: the context, the solver and the assertions are live.
        let found = unsafe {
            z3_sys::Z3_solver_reset(self.context, self.solver);
            for assertion in assertions {
                z3_sys::Z3_solver_assert(self.context, self.solver, assertion.0);
            }
            z3_sys::Z3_solver_check(self.context, self.solver)
        };
        match found {
            Z3_L_TRUE => match self.values(constants) {
                Some(values) => (Check::Sat, values),
                None => (Check::Unknown, Vec::new()),
            },
            Z3_L_FALSE => (Check::Unsat, Vec::new()),
            _ => (Check::Unknown, Vec::new()),
        }
    }

    fn values(&self, constants: &[Ast]) -> Option<Vec<u64>> {
        // SAFETY: the solver's last check was satisfiable; the model is held while it is read.
        unsafe {
            let model: Z3_model = z3_sys::Z3_solver_get_model(self.context, self.solver)?;
            z3_sys::Z3_model_inc_ref(self.context, model);
            let values = constants.iter().map(|constant| self.value(model, *constant)).collect();
            z3_sys::Z3_model_dec_ref(self.context, model);
            values
        }
    }

    fn value(&self, model: Z3_model, constant: Ast) -> Option<u64> {
        let mut value: Z3_ast = constant.0;
        let mut bits = 0_u64;
        // SAFETY: the context, the model and the constant are live; Z3 writes to the two locals.
        unsafe {
            if !z3_sys::Z3_model_eval(self.context, model, constant.0, true, ptr::from_mut(&mut value)) {
                return None;
            }
            match z3_sys::Z3_get_bool_value(self.context, value) {
                Z3_L_TRUE => return Some(1),
                Z3_L_FALSE => return Some(0),
                _ => {}
            }
            z3_sys::Z3_get_numeral_uint64(self.context, value, ptr::from_mut(&mut bits)).then_some(bits)
        }
    }
}

/// A solver with its budgets; the caller owns one reference.
///
/// # Safety
/// The context must be live.
unsafe fn new_solver(context: Z3_context, resources: u32, milliseconds: u32) -> Option<Z3_solver> {
    // SAFETY: the caller guarantees a live context; the solver keeps the tactic alive.
    unsafe {
        // The solver of a tactic stores what is asserted. That of the logic would simplify it at once, outside of
        // all limits, for a second solver that one check never uses.
        let tactic = z3_sys::Z3_mk_tactic(context, c"qffpbv".as_ptr())?;
        z3_sys::Z3_tactic_inc_ref(context, tactic);
        let solver = z3_sys::Z3_mk_solver_from_tactic(context, tactic);
        z3_sys::Z3_tactic_dec_ref(context, tactic);
        let solver = solver?;
        z3_sys::Z3_solver_inc_ref(context, solver);
        set_limits(context, solver, resources, milliseconds)?;
        Some(solver)
    }
}

/// Sets the budgets of a solver.
///
/// # Safety
/// The context and the solver must be live.
unsafe fn set_limits(
    context: Z3_context,
    solver: Z3_solver,
    resources: u32,
    milliseconds: u32,
) -> Option<()> {
    let text = |s: &str| CString::new(s).ok();
    // SAFETY: the caller guarantees a live context and solver; the strings outlive the calls, which copy them.
    unsafe {
        let params = z3_sys::Z3_mk_params(context)?;
        z3_sys::Z3_params_inc_ref(context, params);
        for (name, value) in [("rlimit", resources), ("timeout", milliseconds), ("random_seed", 1)] {
            let name = text(name)?;
            let symbol = z3_sys::Z3_mk_string_symbol(context, name.as_ptr())?;
            z3_sys::Z3_params_set_uint(context, params, symbol, value);
        }
        // Otherwise Z3 catches SIGINT while it solves, ends only that query, and hides the signal from us.
        let ctrl_c = z3_sys::Z3_mk_string_symbol(context, c"ctrl_c".as_ptr())?;
        z3_sys::Z3_params_set_bool(context, params, ctrl_c, false);
        z3_sys::Z3_solver_set_params(context, solver, params);
        z3_sys::Z3_params_dec_ref(context, params);
        Some(())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: the solver's one reference is given back, then the context ends with all its expressions.
        unsafe {
            z3_sys::Z3_solver_dec_ref(self.context, self.solver);
            z3_sys::Z3_del_context(self.context);
        }
    }
}
