//! What a specification with very many inputs leaves open: objects outside of the sets that it refers to, which a
//! conjunct on reachability would exclude, and fields that take every value.

use crate::error::Error;
use crate::specification::Specification;
use cupping_relation::syntax::ast::{Expr, ExprKind, Unary};
use cupping_relation::syntax::parse_expression;
use cupping_relation::{
    Atom, Condition, Error as Doubt, FieldId, Instance, Model, SigId, Span, States, Structure, Universe,
    evaluate,
};
use std::collections::BTreeMap;

/// The range of inputs that are examined: the first thousand are not representative.
const LOOKED_AT: std::ops::Range<u64> = 1000..1200;
/// One input in this many is changed, to find fields that may take any value.
const CHANGED: u64 = 10;
/// The number of changes from which the result is significant.
const LEAST_CHANGES: u64 = 20;

/// A class, and the set of its objects that the specification refers to.
struct MentionedObjects {
    sig: SigId,
    set: String,
    /// Where the set is first used.
    span: Span,
    is_within: Condition,
    meets: Condition,
    /// Inputs with an object outside the set.
    outside: u64,
}

/// What the inputs leave open.
pub struct Freedom<'a> {
    specification: &'a Specification,
    known: Vec<MentionedObjects>,
    required: Condition,
    /// Data fields, with the number of changes that kept an input valid; `None` once one did not.
    fields: BTreeMap<FieldId, Option<u64>>,
    seen: u64,
    looked_at: u64,
}

impl<'a> Freedom<'a> {
    /// Finds the sets that the conditions on inputs refer to.
    pub fn new(specification: &'a Specification) -> Freedom<'a> {
        let modelled = &specification.before;
        let all: Vec<Condition> = specification.required.iter().map(|it| it.condition.clone()).collect();
        let is_data = |sig: &SigId| [Model::INT, Model::BOOL, Model::TEXT].contains(sig);
        let fields = modelled.fields.iter().filter(|(id, _)| {
            let columns = &modelled.model.field(*id).columns;
            columns.arity == 2 && columns.products.iter().all(|it| is_data(&it[1]))
        });
        Freedom {
            specification,
            known: sets(specification),
            required: modelled.model.conjunction(&all),
            fields: fields.map(|(id, _)| (*id, Some(0))).collect(),
            seen: 0,
            looked_at: 0,
        }
    }

    /// The last input that is looked at.
    pub const LAST: u64 = LOOKED_AT.end;

    /// Examines an input. Returns true once there is something to report.
    ///
    /// # Errors
    ///
    /// A condition cannot be evaluated.
    pub fn look(&mut self, instance: &Instance) -> Result<bool, Error> {
        self.seen += 1;
        if !LOOKED_AT.contains(&self.seen) {
            return Ok(self.seen == LOOKED_AT.end);
        }
        self.looked_at += 1;
        let model = &self.specification.before.model;
        let states = States { universe: &instance.universe, now: &instance.structure, before: None };
        for it in &mut self.known {
            it.outside +=
                u64::from(!evaluate(model, &states, &it.is_within)? && evaluate(model, &states, &it.meets)?);
        }
        if self.seen.is_multiple_of(CHANGED) {
            self.change(instance)?;
        }
        Ok(false)
    }

    /// Changes the value of each field, if possible, and records whether the result is still an input.
    fn change(&mut self, instance: &Instance) -> Result<(), Error> {
        let model = &self.specification.before.model;
        for (field, changes) in &mut self.fields {
            let Some(count) = *changes else { continue };
            for at in 0..instance.tuples(*field).len() {
                let Some(other) = changed(&instance.universe, &instance.structure, *field, at) else {
                    continue;
                };
                let states = States { universe: &instance.universe, now: &other, before: None };
                if !evaluate(model, &states, &self.required)? {
                    *changes = None;
                    break;
                }
                *changes = Some(count + 1);
            }
        }
        Ok(())
    }

    /// Sets outside of which most inputs have other objects.
    pub fn doubts(&self) -> Vec<Doubt> {
        let model = &self.specification.before.model;
        let most = self.known.iter().filter(|it| self.looked_at > 0 && it.outside * 2 > self.looked_at);
        most.map(|it| {
            let (class, set) = (&model.signature(it.sig).name, &it.set);
            let message = format!(
                "most inputs have objects of {class} outside this set, which the specification does not constrain ({} \
                 of {} inputs)",
                it.outside, self.looked_at
            );
            Doubt::new(it.span, message).help(format!("to leave them out, add to `pre`: `{class} in {set}`"))
        })
        .collect()
    }

    /// The fields that take every value in the examined inputs.
    pub fn free(&self) -> Vec<String> {
        let model = &self.specification.before.model;
        let free = self.fields.iter().filter(|it| it.1.is_some_and(|it| it >= LEAST_CHANGES));
        let name = |id: FieldId| {
            let field = model.field(id);
            format!("{}.{}", model.signature(field.owner).name, field.name)
        };
        free.map(|it| name(*it.0)).filter(|it| !it.starts_with('$')).collect()
    }
}

/// The state with the next value in a tuple of a field.
fn changed(universe: &Universe, state: &Structure, field: FieldId, at: usize) -> Option<Structure> {
    let old = state.fields[field.0 as usize][at][1];
    let is_alike =
        |atom: &Atom| std::mem::discriminant(atom) == std::mem::discriminant(&universe.atoms[old as usize]);
    let mut alike = (0..universe.atoms.len() as u32).filter(|it| is_alike(&universe.atoms[*it as usize]));
    let first = alike.clone().next()?;
    let new = alike.find(|it| *it > old).unwrap_or(first);
    let mut other = state.clone();
    other.fields[field.0 as usize][at][1] = new;
    (new != old).then_some(other)
}

/// The sets of reachable objects that quantifiers of the conditions on inputs range over, joined for each class.
fn sets(specification: &Specification) -> Vec<MentionedObjects> {
    let mut bounds: Vec<(String, Span)> = Vec::new();
    let modelled = &specification.before;
    for section in ["invariant", "pre"].into_iter().flat_map(|it| modelled.model.sections(it)) {
        section.each(&mut |it| {
            let (ExprKind::Quantified(_, decls, _) | ExprKind::Comprehension(decls, _)) = &it.kind else {
                return;
            };
            for decl in decls.iter().filter(|it| is_reachable_set(&it.bound)) {
                let words = specification.words(decl.bound.span);
                let dense = |text: &str| text.split_whitespace().collect::<String>();
                if !bounds.iter().any(|it| dense(&it.0) == dense(&words)) {
                    bounds.push((words, decl.bound.span));
                }
            }
        });
    }
    let condition = |text: &str| {
        let parsed = parse_expression(text).ok()?;
        modelled.condition_of_one_state(&parsed).ok()
    };
    let mut known = Vec::new();
    for (name, class) in &specification.plan.classes.classes {
        let sig = modelled.classes[name];
        let is_root = modelled.model.signature(sig).parent.is_none();
        if class.constants.is_some() || !is_root || specification.plan.receiver.as_ref() == Some(name) {
            continue;
        }
        let shown = &modelled.model.signature(sig).name;
        // A bound with a variable of another quantifier has no meaning on its own.
        let meets = |set: &str| condition(&format!("some {shown} & ({set})"));
        let own: Vec<&(String, Span)> = bounds.iter().filter(|it| meets(&it.0).is_some()).collect();
        let set = own.iter().map(|it| it.0.as_str()).collect::<Vec<_>>().join(" + ");
        if let (Some((_, span)), Some(is_within), Some(meets)) =
            (own.first(), condition(&format!("{shown} in {set}")), meets(&set))
        {
            known.push(MentionedObjects { sig, set, span: *span, is_within, meets, outside: 0 });
        }
    }
    known
}

/// Whether a closure is taken in the expression.
fn is_reachable_set(bound: &Expr) -> bool {
    let mut found = false;
    bound.each(&mut |it| found |= matches!(it.kind, ExprKind::Unary(Unary::Closure | Unary::Reflexive, _)));
    found
}
