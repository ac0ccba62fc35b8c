//! Recording of tests: executions of the class's methods, and the calls that constructed its objects.

use crate::capture::{self, CaptureLimits, Observers, find_observers, value_of};
use crate::sequence::{Arg, CallSequence, Construction, Invocation};
use crate::subject::Subject;
use crate::trace::{CallOutcome, Execution, ExecutionOrigin};
use crate::value::{Image, Moment, Value};
use cupping_case::{JavaType, Literal};
use cupping_machine::{
    Addr, CallEnd, Kind, Machine, MethodId, Observer, Value as Slot, WatchScope, WatchedCall,
};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// The observations that tests make of a class.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// The executions, in order.
    pub executions: Vec<Execution>,
    /// Distinct calls, with their argument values.
    pub tests: Vec<Rc<CallSequence>>,
    /// The number of executions that were dropped because there were too many.
    pub left_out: u64,
}

impl Recording {
    /// Adds what another suite showed.
    pub fn append(&mut self, other: Recording) {
        let Recording { executions, tests, left_out } = other;
        self.executions.extend(executions);
        self.tests.extend(tests);
        self.left_out += left_out;
    }
}

/// The largest number of recorded executions of a method.
const MOST_EXECUTIONS: usize = 1_000;
/// The largest number of calls that are followed on one object.
const MOST_CALLS: usize = 24;

struct OpenCall {
    call: WatchedCall,
    method: usize,
    this: Option<Addr>,
    is_constructor: bool,
    entry: Moment,
    arguments: Vec<Slot>,
    /// The arguments as source expressions, if they can be written.
    stated: Option<Vec<Arg>>,
    before: Option<Rc<Construction>>,
}

struct RecorderState {
    subject: Rc<Subject>,
    /// The class on this machine, once it is loaded.
    class: Option<cupping_machine::ClassId>,
    observers: Option<Observers>,
    known: FxHashMap<MethodId, Option<usize>>,
    running: Option<OpenCall>,
    counts: Vec<usize>,
    histories: FxHashMap<Addr, Rc<Construction>>,
    recorded: Recording,
}

/// Listens to a machine.
#[derive(Clone)]
pub struct Recorder(Rc<RefCell<RecorderState>>);

impl Recorder {
    /// Begins to record calls of the methods of a class.
    pub fn install(machine: &mut Machine, subject: &Rc<Subject>) -> Recorder {
        let state = RecorderState {
            subject: subject.clone(),
            class: None,
            observers: None,
            known: FxHashMap::default(),
            running: None,
            counts: vec![0; subject.methods.len()],
            histories: FxHashMap::default(),
            recorded: Recording::default(),
        };
        let recorder = Recorder(Rc::new(RefCell::new(state)));
        let mut scope = WatchScope::default();
        scope.classes.extend(subject.ancestors.iter().map(|it| Arc::from(&**it)));
        machine.watch(scope, Some(Box::new(recorder.clone())));
        recorder
    }

    /// Takes the recording out.
    pub fn take(&self) -> Recording {
        std::mem::take(&mut self.0.borrow_mut().recorded)
    }

    /// Forgets all objects: the machine has been restored.
    pub fn forget(&self) {
        let mut state = self.0.borrow_mut();
        state.histories.clear();
        state.running = None;
    }
}

impl Observer for Recorder {
    fn entered(&mut self, machine: &mut Machine, call: WatchedCall) -> bool {
        self.0.borrow_mut().entered(machine, call)
    }

    fn left(&mut self, machine: &mut Machine, call: WatchedCall, how: CallEnd) {
        self.0.borrow_mut().left(machine, call, how);
    }
}

impl RecorderState {
    fn method(&mut self, machine: &Machine, id: MethodId) -> Option<usize> {
        if let Some(known) = self.known.get(&id) {
            return *known;
        }
        let method = machine.method(id);
        let found = self.subject.method(&method.name, &method.descriptor).filter(|at| {
            let is_static = self.subject.methods[*at].is_static;
            let own = *self.subject.name == *machine.class(method.class).name;
            own || !is_static && &*method.name != "<init>"
        });
        self.known.insert(id, found);
        found
    }

    fn entered(&mut self, machine: &mut Machine, call: WatchedCall) -> bool {
        // Calls among the class's own methods are not recorded (slides: "call depth").
        if self.running.is_some() {
            return false;
        }
        let Some(method) = self.method(machine, call.method) else { return false };
        let loaded = machine.method(call.method).clone();
        let arguments = machine.arguments_of_call(call.method);
        let is_constructor = &*loaded.name == "<init>";
        let this = (!loaded.is_static()).then(|| arguments[0].as_ref());
        let subject = self.subject.clone();
        if self.class.is_none() {
            self.class = machine.load(&subject.name).ok();
        }
        let Some(class) = self.class else { return false };
        if let Some(object) = this {
            // A constructor called by that of a subclass, or a method of an object of another class.
            let of = machine.class_of(object);
            if is_constructor && of != class || !machine.is_subtype(of, class) {
                return false;
            }
        }
        let plain = &arguments[usize::from(this.is_some())..];
        let stated = self.state(machine, &subject.methods[method].parameters, plain);
        let before = this.and_then(|it| self.histories.get(&it).cloned());
        self.counts[method] += 1;
        let entry = if self.counts[method] > MOST_EXECUTIONS {
            Moment { this: Value::Absent, arguments: Vec::new(), state: Rc::default(), others: Rc::default() }
        } else {
            let shown = if is_constructor { None } else { this };
            self.moment(machine, &loaded.parameters, shown, plain, None)
        };
        self.running = Some(OpenCall {
            call,
            method,
            this,
            is_constructor,
            entry,
            arguments: plain.to_vec(),
            stated,
            before,
        });
        true
    }

    fn moment(
        &mut self,
        machine: &mut Machine,
        kinds: &[Kind],
        this: Option<Addr>,
        arguments: &[Slot],
        result: Option<Addr>,
    ) -> Moment {
        let subject = self.subject.clone();
        if self.observers.is_none() {
            let class = self.class.unwrap_or(subject.class);
            self.observers = Some(find_observers(machine, class, &subject));
        }
        let observers = self.observers.clone().unwrap_or_default();
        let of = Subjects { subject: &subject };
        of.moment(machine, &observers, kinds, this, arguments, result)
    }

    /// The arguments as source expressions.
    fn state(
        &self,
        machine: &Machine,
        parameters: &[cupping_generate::Parameter],
        values: &[Slot],
    ) -> Option<Vec<Arg>> {
        let stated = parameters.iter().zip(values).map(|(parameter, value)| {
            if parameter.kind != Kind::Reference {
                return primitive(parameter.kind, value.bits).map(Arg::Literal);
            }
            let object = value.as_ref();
            if let Some(made) = self.histories.get(&object) {
                return Some(Arg::Make(made.clone()));
            }
            reference(machine, object)
        });
        stated.collect()
    }

    fn left(&mut self, machine: &mut Machine, call: WatchedCall, how: CallEnd) {
        let Some(running) = self.running.take_if(|it| it.call == call) else { return };
        let subject = self.subject.clone();
        let invokable = &subject.methods[running.method];
        let stated = running
            .stated
            .as_ref()
            .map(|arguments| Invocation { invokable: invokable.clone(), arguments: arguments.clone() });
        let test = stated.clone().and_then(|call| {
            let receiver = running.before.clone();
            let is_known = running.is_constructor || running.this.is_none() || receiver.is_some();
            is_known.then(|| Rc::new(CallSequence { receiver, call }))
        });
        self.follow(&running, stated, &how);
        if let CallEnd::Threw(exception) = how
            && machine.class_name_of(exception) == "java/lang/OutOfMemoryError"
        {
            // Exhausted memory is a limit of this machine, not a property of the code.
            return;
        }
        if self.counts[running.method] > MOST_EXECUTIONS {
            self.recorded.left_out += 1;
            return;
        }
        let loaded = machine.method(call.method).clone();
        let (ending, result) = match how {
            CallEnd::Returned(value) => {
                let is_object = loaded.result == Kind::Reference && value.as_ref() != 0;
                let shown = if running.is_constructor {
                    Value::Absent
                } else {
                    value_of(machine, loaded.result, value.bits)
                };
                (CallOutcome::Returned(shown), is_object.then(|| value.as_ref()))
            }
            CallEnd::Threw(exception) => {
                let class: Rc<str> = Rc::from(machine.class_name_of(exception));
                (CallOutcome::Threw { declared: declares(machine, invokable, exception), class }, None)
            }
        };
        let exit = self.moment(machine, &loaded.parameters, running.this, &running.arguments, result);
        if let Some(test) = &test
            && !self.recorded.tests.contains(test)
            && self.recorded.tests.len() < MOST_EXECUTIONS
        {
            self.recorded.tests.push(test.clone());
        }
        let effects = machine.effects();
        let OpenCall { method, entry, .. } = running;
        self.recorded.executions.push(Execution {
            method,
            entry,
            exit,
            ending,
            origin: ExecutionOrigin::Suite,
            test,
            effects,
        });
    }

    /// How the receiver, or a new object, was constructed, if it is known.
    fn follow(&mut self, running: &OpenCall, stated: Option<Invocation>, how: &CallEnd) {
        let returned = matches!(how, CallEnd::Returned(_));
        let Some(this) = running.this else {
            if let (CallEnd::Returned(value), Some(maker)) = (how, stated)
                && maker.invokable.result == JavaType::class(&self.subject.name)
                && value.as_ref() != 0
            {
                self.histories.insert(value.as_ref(), Rc::new(Construction::new(maker)));
            }
            return;
        };
        // Methods return objects, too.
        if let (CallEnd::Returned(value), Some(maker), Some(before)) = (how, &stated, &running.before)
            && maker.invokable.result == JavaType::class(&self.subject.name)
            && ![0, this].contains(&value.as_ref())
            && before.calls() < MOST_CALLS
        {
            let made = || Rc::new(Construction::grown(before.clone(), maker.clone()));
            self.histories.entry(value.as_ref()).or_insert_with(made);
        }
        let next = match (stated, &running.before) {
            (Some(maker), _) if running.is_constructor && returned => Some(Construction::new(maker)),
            (Some(call), Some(before)) if returned && before.calls() < MOST_CALLS => Some(before.and(call)),
            _ => None,
        };
        match next {
            Some(made) => self.histories.insert(this, Rc::new(made)),
            None => self.histories.remove(&this),
        };
    }
}

/// The class on a machine.
pub(crate) struct Subjects<'s> {
    pub(crate) subject: &'s Subject,
}

impl Subjects<'_> {
    /// Captures a moment.
    pub(crate) fn moment(
        &self,
        machine: &mut Machine,
        observers: &Observers,
        kinds: &[Kind],
        this: Option<Addr>,
        arguments: &[Slot],
        result: Option<Addr>,
    ) -> Moment {
        let state = match this {
            Some(object) => self.image(machine, observers, &[object], None),
            None => Image::default(),
        };
        self.with_state(machine, observers, Rc::new(state), kinds, this, arguments, result)
    }

    /// As `moment`, with a known image of what the receiver refers to.
    #[expect(clippy::too_many_arguments, reason = "they are what a call is")]
    pub(crate) fn with_state(
        &self,
        machine: &mut Machine,
        observers: &Observers,
        state: Rc<Image>,
        kinds: &[Kind],
        this: Option<Addr>,
        arguments: &[Slot],
        result: Option<Addr>,
    ) -> Moment {
        let values: Vec<Value> =
            kinds.iter().zip(arguments).map(|(kind, it)| value_of(machine, *kind, it.bits)).collect();
        let mut roots: Vec<Addr> = values
            .iter()
            .filter_map(|it| match it {
                Value::Object(object) => Some(*object),
                _ => None,
            })
            .collect();
        roots.extend(result);
        let others = self.image(machine, observers, &roots, Some(&state));
        let this = this.map_or(Value::Absent, Value::Object);
        Moment { this, arguments: values, state, others: Rc::new(others) }
    }

    pub(crate) fn image(
        &self,
        machine: &mut Machine,
        observers: &Observers,
        roots: &[Addr],
        known: Option<&Image>,
    ) -> Image {
        capture::image(machine, self.subject, observers, roots, known, CaptureLimits::default())
    }
}

/// Whether a method declares an exception or a superclass of it.
pub(crate) fn declares(
    machine: &mut Machine,
    invokable: &cupping_generate::Invokable,
    exception: Addr,
) -> bool {
    let class = machine.class_of(exception);
    invokable
        .reference
        .throws
        .iter()
        .any(|it| machine.load(it).is_ok_and(|declared| machine.is_subtype(class, declared)))
}

/// The literal of a primitive.
pub(crate) fn primitive(kind: Kind, bits: u64) -> Option<Literal> {
    Some(match kind {
        Kind::Boolean => Literal::Boolean(bits & 1 != 0),
        Kind::Byte => Literal::Byte(bits as i8),
        Kind::Char => Literal::Char(bits as u16),
        Kind::Short => Literal::Short(bits as i16),
        Kind::Int => Literal::Int(bits as u32 as i32),
        Kind::Long => Literal::Long(bits as i64),
        Kind::Float => Literal::Float(f32::from_bits(bits as u32)),
        Kind::Double => Literal::Double(f64::from_bits(bits)),
        Kind::Reference | Kind::Void => return None,
    })
}

/// An object as a source expression: `null`, strings, boxes, arrays of primitives.
pub(crate) fn reference(machine: &Machine, object: Addr) -> Option<Arg> {
    use cupping_machine::ClassKind;
    if object == 0 {
        return Some(Arg::Literal(Literal::Null));
    }
    let class = machine.class(machine.class_of(object));
    if &*class.name == "java/lang/String" {
        let units = machine.string_units(object);
        return (units.len() <= 40).then_some(Arg::Literal(Literal::String(units)));
    }
    if let ClassKind::Array { kind, .. } = class.kind {
        let length = machine.array_length(object);
        if kind == Kind::Reference || length > 16 {
            return None;
        }
        let elements: Option<Vec<Arg>> = (0..length)
            .map(|at| primitive(kind, kind.narrow(machine.element(object, at, kind))).map(Arg::Literal))
            .collect();
        let ty = JavaType::parse(&kind.letter().to_string())?;
        return Some(Arg::Array(ty, elements?));
    }
    if let Value::Enum(class, field) = value_of(machine, Kind::Reference, u64::from(object)) {
        return Some(Arg::Literal(Literal::Constant { class: class.into(), field: field.into() }));
    }
    let name = class.name.strip_prefix("java/lang/")?;
    let is_box =
        ["Integer", "Long", "Short", "Byte", "Character", "Boolean", "Double", "Float"].contains(&name);
    let field = class.fields.iter().find(|it| &*it.name == "value" && !it.is_static()).filter(|_| is_box)?;
    let literal = primitive(field.kind, machine.field(object, u32::from(field.offset)))?;
    Some(Arg::Literal(Literal::Boxed(Box::new(literal))))
}
