use super::{Admission, SeenStates, Subsumption};
use crate::testing::machine;
use cupping_explore::Path;
use cupping_machine::{Addr, Kind, Machine, Value, shadow_of};
use cupping_solve::{Solver, SolverLimits};
use cupping_term::{Model, Sort, TermId};

const SAMPLES: &str = "
public class Samples {
    int low, high;
}
";

struct Bench {
    machine: Machine,
    solver: Solver,
    seen: SeenStates,
}

impl Bench {
    fn new() -> Bench {
        Bench {
            machine: machine(SAMPLES),
            solver: Solver::new(SolverLimits::default()),
            seen: SeenStates::default(),
        }
    }

    fn symbol(&mut self) -> TermId {
        self.machine.terms_mut().new_variable("x", Sort::Bv32)
    }

    /// An object with these terms in its fields, after a path with these constraints.
    fn admit(
        &mut self,
        low: TermId,
        high: TermId,
        constraints: &[TermId],
        values: &[(TermId, i32)],
    ) -> Admission {
        let m = &mut self.machine;
        let class = m.load("Samples").expect("it is loaded");
        let object = m.new_object(class).expect("there is memory");
        for (field, term) in [("low", low), ("high", high)] {
            let at = object + m.field_offset(class, field).expect("it is there");
            m.set_heap_shadow(at as Addr as u64 * 8, 8, shadow_of(term));
        }
        let path = constraints.iter().fold(Path::default(), |path, c| path.assume(*c));
        let model: Model = values
            .iter()
            .map(|(term, v)| (m.terms().as_variable(*term).expect("one"), *v as u32 as u64))
            .collect();
        let root = [Value::reference(object)];
        self.seen.admit(
            m,
            &mut self.solver,
            &root.map(|it| (Kind::Reference, it)),
            (&path, &model),
            Subsumption::Implication,
        )
    }

    fn less(&mut self, a: TermId, b: TermId) -> TermId {
        self.machine.terms_mut().slt(a, b)
    }
}

#[test]
fn a_stronger_state_is_pruned_and_a_weaker_one_is_not() {
    let mut bench = Bench::new();
    let [a, b, c, d, e, f] = [0; 6].map(|_| bench.symbol());
    let ordered = bench.less(a, b);
    assert_eq!(bench.admit(a, b, &[ordered], &[(a, 1), (b, 2)]), Admission::New);
    let same = bench.less(c, d);
    assert_eq!(bench.admit(c, d, &[same], &[(c, 1), (d, 2)]), Admission::Isomorphic);
    // c < d and d < 10 implies a < b.
    let ten = bench.machine.terms_mut().int(10);
    let bounded = bench.less(d, ten);
    assert_eq!(bench.admit(c, d, &[same, bounded], &[(c, 1), (d, 2)]), Admission::Subsumed);
    // Without conditions it contains states that a < b excludes, and from now on it contains every state.
    assert_eq!(bench.admit(e, f, &[], &[(e, 1), (f, 2)]), Admission::New);
    let turned = bench.less(f, e);
    assert_eq!(bench.admit(e, f, &[turned], &[(e, 2), (f, 1)]), Admission::Subsumed);
}

#[test]
fn values_that_are_gone_do_not_matter_unless_they_bound_what_is_left() {
    let mut bench = Bench::new();
    let [a, gone, b, c, d] = [0; 5].map(|_| bench.symbol());
    let between = [bench.less(a, gone), bench.less(gone, b)];
    assert_eq!(bench.admit(a, b, &between, &[(a, 1), (gone, 2), (b, 3)]), Admission::New);
    // c < d allows neighbours, which a and b exclude.
    let ordered = bench.less(c, d);
    assert_eq!(bench.admit(c, d, &[ordered], &[(c, 1), (d, 2)]), Admission::New);
    let again = [bench.less(c, gone), bench.less(gone, d)];
    let values = [(c, 1), (gone, 2), (d, 3)];
    assert_eq!(bench.admit(c, d, &again, &values), Admission::Isomorphic);
    let apart = bench.machine.terms_mut().int(7);
    let far = [again[0], again[1], bench.less(d, apart)];
    assert_eq!(bench.admit(c, d, &far, &values), Admission::Subsumed);
}

#[test]
fn one_value_in_two_places_is_part_of_two_values_and_not_the_other_way() {
    let mut bench = Bench::new();
    let [a, b, c] = [0; 3].map(|_| bench.symbol());
    assert_eq!(bench.admit(a, a, &[], &[(a, 1)]), Admission::New);
    assert_eq!(bench.admit(b, c, &[], &[(b, 1), (c, 2)]), Admission::New);
    let zero = bench.machine.terms_mut().int(0);
    let positive = bench.less(zero, a);
    assert_eq!(bench.admit(a, a, &[positive], &[(a, 1)]), Admission::Subsumed);
}

#[test]
fn computed_values_do_not_subsume_states_with_unknown_inputs() {
    let mut bench = Bench::new();
    let [a, b] = [0; 2].map(|_| bench.symbol());
    let one = bench.machine.terms_mut().int(1);
    let doubled = bench.machine.terms_mut().shl(a, one);
    // 2a takes only even values, so it subsumes no other state.
    assert_eq!(bench.admit(doubled, b, &[], &[(a, 1), (b, 1)]), Admission::New);
    let [c, d] = [0; 2].map(|_| bench.symbol());
    assert_eq!(bench.admit(c, d, &[], &[(c, 1), (d, 1)]), Admission::New);
    // But a state without conditions subsumes it.
    let [e, f] = [0; 2].map(|_| bench.symbol());
    let squared = bench.machine.terms_mut().mul(e, e);
    assert_eq!(bench.admit(squared, f, &[], &[(e, 1), (f, 1)]), Admission::Subsumed);
}

#[test]
fn without_implication_only_isomorphic_states_are_pruned() {
    let mut bench = Bench::new();
    let [a, b] = [0; 2].map(|_| bench.symbol());
    let ordered = bench.less(a, b);
    let mut admit = |constraints: &[TermId], subsumption| {
        let m = &mut bench.machine;
        let path = constraints.iter().fold(Path::default(), |path, it| path.assume(*it));
        let roots = [a, b].map(|it| (Kind::Int, Value { bits: 0, shadow: shadow_of(it) }));
        bench.seen.admit(m, &mut bench.solver, &roots, (&path, &Model::new()), subsumption)
    };
    assert_eq!(admit(&[], Subsumption::Off), Admission::New);
    assert_eq!(
        admit(&[], Subsumption::Isomorphism),
        Admission::New,
        "a search without pruning has no memory"
    );
    assert_eq!(admit(&[], Subsumption::Isomorphism), Admission::Isomorphic);
    assert_eq!(admit(&[], Subsumption::Off), Admission::New);
    assert_eq!(
        admit(&[ordered], Subsumption::Isomorphism),
        Admission::New,
        "though it is a part of the first"
    );
    assert_eq!((bench.seen.isomorphic, bench.seen.subsumed), (1, 0));
}
