//! What the run of a unit test reveals about its call.

use crate::binding::{Binding, TraceStep, path_to, statics};
use crate::conditions::CaseClass;
use crate::dependence::Reads;
use crate::method_names::named;
use crate::path::{Path, RETURNED, THREW, flatten};
use crate::record::{CallRecord, CallStep};
use crate::shape::{Shape, shape_of};
use cupping_contract::{CompiledCase, CompiledTriple};
use cupping_machine::{Addr, CallEnd, Kind, Machine, Value};
use std::collections::BTreeSet;

/// What the run of a passed triple revealed about its call.
#[derive(Clone, Debug)]
pub(crate) struct CallProfile {
    pub(crate) case: usize,
    pub(crate) triple: usize,
    pub(crate) path: Path,
    pub(crate) bindings: Vec<Binding>,
    /// Shapes of the arguments, the receiver first.
    pub(crate) arguments: Vec<Shape>,
    pub(crate) kinds: Vec<Kind>,
    /// Class-path classes whose code ran.
    pub(crate) classes: BTreeSet<String>,
}

/// The testcase whose triple ran.
pub(crate) struct ProfiledTest<'t> {
    pub(crate) case: &'t CompiledCase,
    /// Its number.
    pub(crate) at: usize,
    pub(crate) class: Option<&'t CaseClass>,
    /// Depth to which objects are compared.
    pub(crate) depth: usize,
}

impl CallProfile {
    /// Collects what test mode needs to know about the call.
    pub(crate) fn of(
        machine: &mut Machine,
        test: &ProfiledTest<'_>,
        number: usize,
        triple: &CompiledTriple,
        variables: &[Value],
        seen: CallRecord,
    ) -> CallProfile {
        let method = machine.method(seen.call.method).clone();
        let mut labels = seen.labels.clone();
        labels.push(if matches!(seen.how, Some(CallEnd::Threw(_))) { THREW } else { RETURNED });
        let kinds = std::iter::once(Kind::Reference).filter(|_| !method.is_static());
        let kinds: Vec<Kind> = kinds.chain(method.parameters.iter().copied()).collect();
        let after = machine.memory_version();
        machine.restore_memory(&seen.before);
        let depth = test.depth;
        let reads: Reads = seen.reads.iter().copied().collect();
        let reads = Some(&reads);
        let arguments: Vec<Shape> = kinds
            .iter()
            .zip(&seen.arguments)
            .map(|(kind, value)| shape_of(machine, *kind, value.bits, depth, reads))
            .collect();
        let roots: Vec<(usize, Addr)> = kinds
            .iter()
            .zip(&seen.arguments)
            .enumerate()
            .filter(|(_, (kind, _))| **kind == Kind::Reference)
            .map(|(at, (_, value))| (at, value.as_ref()))
            .collect();
        let is_instance = !method.is_static() as usize;
        let statics = statics(machine);
        let bindings = (0..triple.seen)
            .map(|at| {
                if triple.receiver == Some(at) && !method.is_static() {
                    return Binding::Argument(0);
                }
                if let Some(place) = triple.arguments.iter().position(|it| *it == Some(at)) {
                    return Binding::Argument(place + is_instance);
                }
                let kind = test.class.map_or(Kind::Reference, |class| {
                    let fields = &machine.class(class.class).fields;
                    fields
                        .iter()
                        .find(|it| *it.name == *test.case.variables[at].0)
                        .map_or(Kind::Reference, |it| it.kind)
                });
                let shape = shape_of(machine, kind, variables[at].bits, 0, None);
                if matches!(shape, Shape::Null | Shape::Bits(..) | Shape::Text(_)) {
                    return Binding::Constant(shape);
                }
                let wanted = variables[at].as_ref();
                if let Some((root, way)) = path_to(machine, &roots, wanted) {
                    return Binding::Field(root, way);
                }
                for (class, field, object) in &statics {
                    let is_condition = test.class.is_some_and(|it| machine.class(it.class).name == *class);
                    if let Some((_, way)) =
                        path_to(machine, &[(0, *object)], wanted).filter(|_| !is_condition)
                    {
                        return Binding::Static(class.clone(), field.clone(), way);
                    }
                }
                let met = seen.met.iter().find(|met| met.variable == at);
                // A trace identifies the position only if no step occurs twice before it (Theorem 8.4).
                let unique = met.filter(|met| flatten(&met.steps).len() == met.steps.len());
                unique.map_or(Binding::Unknown, |met| {
                    let steps = met.steps.iter().map(|step| match step {
                        CallStep::Label(label) => TraceStep::Label(*label),
                        CallStep::Enter(method) => TraceStep::Enter(named(machine, *method)),
                    });
                    Binding::Trace(steps.collect(), named(machine, met.method), met.position)
                })
            })
            .collect();
        machine.restore_memory(&after);
        let path = Path::of(&labels);
        let classes = seen.classes.iter().map(|it| machine.class(*it).name.replace('/', ".")).collect();
        let (case, triple) = (test.at, number);
        CallProfile { case, triple, path, bindings, arguments, kinds, classes }
    }
}
