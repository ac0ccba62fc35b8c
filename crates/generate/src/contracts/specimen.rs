//! Objects on which contracts are tried, and plans that make several of them.

use super::bench::Bench;
use crate::canonical::canonical;
use crate::case_writer::Draft;
use crate::driver::Slot;
use crate::input::{Input, Symbols};
use crate::invokable::Subject;
use crate::plan::{Plan, PlanStep, Var};
use cupping_case::JavaType;
use cupping_explore::{InvocationEnd, Path};
use cupping_machine::{Kind, Machine, Value};
use cupping_term::{Model, Sort};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Maximum number of objects that are compared with each other.
const MAX_SPECIMENS: usize = 12;
/// Maximum number of objects taken as tests have reached them; the others are created with other inputs.
const MAX_REACHED: usize = 5;
/// Maximum number of tests at whose ends objects are looked for.
const MAX_TESTS: usize = 60;
/// Ways to vary the inputs of an object.
const WAYS: usize = 6;

/// An object that a test has reached.
pub(super) struct Specimen {
    plan: Rc<Plan>,
    slots: Rc<Vec<Slot>>,
    model: Model,
    /// The variable that holds it.
    object: Var,
    /// Whether strings and boxes have to be fresh objects.
    fresh: bool,
}

/// The objects of the class under test at the ends of these tests, simplest first, and objects that the same
/// calls create from similar inputs. Each state occurs once.
pub(super) fn specimens(bench: &mut Bench<'_>, subject: &Subject, drafts: &[Draft]) -> Vec<Specimen> {
    let class = JavaType::class(&bench.machine.class(subject.class).name);
    let mut reached: Vec<Specimen> = drafts.iter().filter_map(|draft| specimen(draft, &class)).collect();
    reached.sort_by_key(|it| it.plan.steps.len());
    reached.truncate(MAX_TESTS);
    let mut known = BTreeSet::new();
    let mut keep = |bench: &mut Bench<'_>, specimen: &Specimen| {
        let alone = Combination::of(bench.machine, &[specimen])?;
        let objects = alone.make(bench)?;
        let state = canonical(bench.machine, &objects, &Path::default())?.key;
        known.insert(state).then_some(())
    };
    reached.retain(|specimen| keep(bench, specimen).is_some());
    let mut kept: Vec<Specimen> = Vec::new();
    for specimen in reached.iter().take(MAX_REACHED) {
        for way in 0..WAYS {
            let varied = specimen.varied(bench.machine, way);
            kept.extend(varied.filter(|varied| keep(bench, varied).is_some()));
        }
    }
    kept.truncate(MAX_SPECIMENS.saturating_sub(reached.len().min(MAX_REACHED)));
    reached.truncate(MAX_SPECIMENS - kept.len());
    reached.append(&mut kept);
    reached
}

impl Specimen {
    /// The same calls with other inputs; `None` if there is no input to vary.
    fn varied(&self, machine: &Machine, way: usize) -> Option<Specimen> {
        let mut model = self.model.clone();
        let mut is_varied = false;
        for step in &self.plan.steps {
            let PlanStep::Input { input, var } = step else { continue };
            let Some(slot) = self.slots.get(*var) else { continue };
            let is_text = matches!(input, Input::String { .. } | Input::Primitive(Kind::Char));
            for symbol in &slot.symbols.values {
                let sort = machine.terms().variable(*symbol).sort;
                let bits = model.get(*symbol);
                model.set(
                    *symbol,
                    if is_text { neighbouring_letter(bits, way) } else { neighbour(sort, bits, way) },
                );
                is_varied = true;
            }
        }
        is_varied.then(|| Specimen { model, plan: self.plan.clone(), slots: self.slots.clone(), ..*self })
    }
}

/// The same letter in the other case, or the next one.
fn neighbouring_letter(bits: u64, way: usize) -> u64 {
    let is_letter = u8::try_from(bits).is_ok_and(|it| it.is_ascii_alphabetic());
    match way {
        0 if is_letter => bits ^ 0x20,
        2 => bits + 1,
        _ => bits,
    }
}

/// Another number: one or two above, its opposite, the extremes. Floating-point numbers become the two zeros and NaN.
fn neighbour(sort: Sort, bits: u64, way: usize) -> u64 {
    match (sort, way) {
        (_, 0) => bits,
        (Sort::Bool, way) => bits ^ (way as u64 % 2),
        (Sort::F32, way) => {
            let number = f32::from_bits(bits as u32);
            let varied = [number + 1.0, number + 2.0, 0.0, -0.0, f32::NAN];
            u64::from(varied[way - 1].to_bits())
        }
        (Sort::F64, way) => {
            let number = f64::from_bits(bits);
            let varied = [number + 1.0, number + 2.0, 0.0, -0.0, f64::NAN];
            varied[way - 1].to_bits()
        }
        (sort, way) => {
            let number = sort.signed(bits);
            let greatest = match sort {
                Sort::Bv8 => i64::from(i8::MAX),
                Sort::Bv16 => i64::from(i16::MAX),
                Sort::Bv32 => i64::from(i32::MAX),
                _ => i64::MAX,
            };
            let varied = [
                number.wrapping_add(1),
                number.wrapping_add(2),
                number.wrapping_neg(),
                greatest,
                -greatest - 1,
            ];
            sort.wrap(varied[way - 1])
        }
    }
}

/// The object that a test makes or calls last, if it has this type.
fn specimen(draft: &Draft, class: &JavaType) -> Option<Specimen> {
    let plan = &draft.realized.plan;
    let is_apart = |step: &PlanStep| matches!(step, PlanStep::Stub { .. } | PlanStep::TestFolder { .. });
    if !matches!(draft.realized.ended, InvocationEnd::Returned(_))
        || plan.setup > 0
        || plan.steps.iter().any(is_apart)
    {
        return None;
    }
    let Some(PlanStep::Call { invokable, arguments, result, .. }) = plan.steps.last() else { return None };
    let receiver = arguments.first().copied().filter(|_| invokable.has_receiver());
    let object = receiver.into_iter().chain(*result).find(|var| plan.variables[*var].ty == *class)?;
    // A call without effect is not part of the object's construction.
    let is_idle = draft.candidate.is_pure && receiver == Some(object);
    let made = plan.without(plan.steps.len() - 1).filter(|_| is_idle).map(Rc::new);
    Some(Specimen {
        plan: made.unwrap_or_else(|| plan.clone()),
        slots: Rc::new(draft.candidate.driver.slots.clone()),
        model: draft.candidate.model.clone(),
        object,
        fresh: draft.realized.fresh,
    })
}

/// A plan that makes several objects, one after the other.
pub(super) struct Combination {
    pub plan: Rc<Plan>,
    pub slots: Vec<Slot>,
    pub model: Model,
    /// The variables that hold them.
    pub objects: Vec<Var>,
    pub fresh: bool,
}

impl Combination {
    /// Makes the objects. The machine is then in the state in which they are.
    pub fn make(&self, bench: &mut Bench<'_>) -> Option<Vec<Value>> {
        let (driver, _) = bench.run(&self.plan, &self.slots, &self.model, self.fresh)?;
        let values = self.objects.iter().map(|var| driver.slots[*var].value).collect::<Option<Vec<_>>>()?;
        values.iter().all(|it| it.as_ref() != 0).then_some(values)
    }

    /// Concatenates plans. All inputs but those of the first plan get fresh symbols, since two plans may share
    /// some.
    pub fn of(machine: &mut Machine, parts: &[&Specimen]) -> Option<Combination> {
        let (first, rest) = parts.split_first()?;
        let mut plan = Plan::clone(&first.plan);
        let mut slots = first.slots.as_ref().clone();
        slots.resize(plan.variables.len(), Slot::default());
        let mut model = first.model.clone();
        let mut objects = vec![first.object];
        for part in rest {
            let offset = plan.variables.len();
            plan.variables.extend(part.plan.variables.iter().cloned());
            for step in &part.plan.steps {
                plan.steps.push(step.renamed(&|var| Some(var + offset))?);
            }
            for var in 0..part.plan.variables.len() {
                let symbols = part.slots.get(var).map(|slot| &slot.symbols);
                let symbols = match symbols {
                    Some(symbols) => renewed(machine, symbols, &part.model, &mut model)?,
                    None => Symbols::default(),
                };
                slots.push(Slot { symbols, ..Slot::default() });
            }
            objects.push(part.object + offset);
        }
        let fresh = parts.iter().any(|it| it.fresh);
        Some(Combination { plan: Rc::new(plan), slots, model, objects, fresh })
    }
}

/// New symbols with the same values.
fn renewed(machine: &mut Machine, symbols: &Symbols, from: &Model, to: &mut Model) -> Option<Symbols> {
    let mut own = |symbol| {
        let sort = machine.terms().variable(symbol).sort;
        let term = machine.terms_mut().new_variable("input", sort);
        let own = machine.terms().as_variable(term)?;
        to.set(own, from.get(symbol));
        Some(own)
    };
    Some(Symbols {
        length: match symbols.length {
            Some(length) => Some(own(length)?),
            None => None,
        },
        values: symbols.values.iter().map(|symbol| own(*symbol)).collect::<Option<_>>()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(unit: char) -> Vec<u64> {
        (0..WAYS).map(|way| neighbouring_letter(u64::from(unit), way)).collect()
    }

    #[test]
    fn a_letter_is_varied_in_its_case_or_to_the_next_one() {
        let (small, capital) = (u64::from('a'), u64::from('A'));
        assert_eq!(letters('a'), [capital, small, small + 1, small, small, small]);
        assert_eq!(letters('A')[0], small);
        assert_eq!(letters('1')[0], u64::from('1'), "a digit has no case");
        assert_eq!(letters('\u{141}')[0], 0x141, "nor have letters beyond ASCII");
    }

    #[test]
    fn an_integer_is_varied_to_its_neighbours_its_opposite_and_the_extremes() {
        let ways = |sort: Sort, number: i64| {
            let varied = (0..WAYS).map(|way| sort.signed(neighbour(sort, sort.wrap(number), way)));
            varied.collect::<Vec<i64>>()
        };
        let (least, greatest) = (i64::from(i32::MIN), i64::from(i32::MAX));
        assert_eq!(ways(Sort::Bv32, 5), [5, 6, 7, -5, greatest, least]);
        assert_eq!(ways(Sort::Bv8, 127), [127, -128, -127, -127, 127, -128], "bytes overflow");
        assert_eq!(ways(Sort::Bv16, -1), [-1, 0, 1, 1, 32767, -32768]);
        assert_eq!(ways(Sort::Bv64, i64::MIN)[3..], [i64::MIN, i64::MAX, i64::MIN]);
    }

    #[test]
    fn a_floating_point_number_is_varied_to_both_zeros_and_nan() {
        let ways = |way| f64::from_bits(neighbour(Sort::F64, 1.5_f64.to_bits(), way));
        assert_eq!([0, 1, 2].map(ways), [1.5, 2.5, 3.5]);
        assert_eq!([3, 4].map(|way| ways(way).to_bits()), [0.0_f64.to_bits(), (-0.0_f64).to_bits()]);
        assert!(ways(5).is_nan());
        let single = |way| f32::from_bits(neighbour(Sort::F32, u64::from(1.5_f32.to_bits()), way) as u32);
        assert_eq!([1, 2].map(single), [2.5, 3.5]);
        assert!(single(4).is_sign_negative() && single(5).is_nan());
    }

    #[test]
    fn a_truth_value_is_varied_to_the_other_one() {
        assert_eq!([0, 1].map(|way| neighbour(Sort::Bool, 0, way)), [0, 1]);
        assert_eq!([0, 1].map(|way| neighbour(Sort::Bool, 1, way)), [1, 0]);
    }
}
