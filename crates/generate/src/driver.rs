//! Executes a plan on the machine step by step; the execution can fork between and within steps.

use crate::input::{Symbols, fixed, make_concrete, make_symbolic, make_symbolic_again};
use crate::invokable::Invokable;
use crate::plan::is_preparation;
use crate::plan::{Plan, PlanStep};
use crate::stub::Stub;
use cupping_explore::{Driver, DriverRequest, InvocationEnd, Path};
use cupping_machine::{
    Addr, ClassId, ExportedFile, Kind, Machine, Snapshot, Step, Trap, Value, WORDS_OF_FUEL, term_of,
};
use cupping_term::{Evaluator, Model, TermId, VarIndex};
use std::collections::BTreeSet;
use std::rc::Rc;

/// The value of a plan variable.
#[derive(Clone, Debug, Default)]
pub struct Slot {
    /// The value; `None` before its step.
    pub value: Option<Value>,
    /// For an input, its symbolic variables.
    pub symbols: Symbols,
}

/// The execution of a plan.
#[derive(Clone)]
pub struct PlanDriver {
    /// The plan.
    pub plan: Rc<Plan>,
    /// The current or next step.
    pub next: usize,
    /// The variables' values.
    pub slots: Vec<Slot>,
    /// How the last invocation ended, if the path is complete.
    pub ended: Option<InvocationEnd>,
    /// Steps whose exceptions were caught, with the class of the exception.
    pub caught: Vec<(usize, ClassId)>,
    /// Number of volatile reads by the test itself, without those of the steps that prepare files.
    volatile_reads: Option<u32>,
    /// The test's folder before the last invocation, in a run with concrete inputs.
    pub files: Rc<Vec<ExportedFile>>,
    /// The state before the last invocation, in a run with concrete inputs.
    pub before: Option<Rc<Snapshot>>,
    /// Whether stubs record the calls that they receive.
    records_calls: bool,
}

/// How inputs are created.
pub enum Inputs<'a> {
    /// Symbolic.
    Symbolic,
    /// Symbolic, with the variables of an earlier run of the same plan.
    Again {
        /// The slots of that run.
        slots: &'a [Slot],
    },
    /// Concrete, with the values under a model of the symbols of an earlier run.
    Concrete {
        /// The slots of that run.
        slots: &'a [Slot],
        /// The values.
        model: &'a Model,
        /// Whether strings and boxes are fresh objects.
        fresh: bool,
    },
}

impl PlanDriver {
    /// Starts a plan.
    pub fn new(plan: Rc<Plan>) -> PlanDriver {
        let slots = vec![Slot::default(); plan.variables.len()];
        PlanDriver {
            plan,
            next: 0,
            slots,
            ended: None,
            caught: Vec::new(),
            volatile_reads: None,
            files: Rc::default(),
            before: None,
            records_calls: false,
        }
    }

    /// Starts a plan whose stubs record the calls that they receive.
    pub(crate) fn recording(plan: Rc<Plan>) -> PlanDriver {
        PlanDriver { records_calls: true, ..PlanDriver::new(plan) }
    }

    /// The same execution with a longer plan; completed steps stay.
    pub fn extended(&self, plan: Rc<Plan>) -> PlanDriver {
        let mut slots = self.slots.clone();
        slots.resize(plan.variables.len(), Slot::default());
        PlanDriver {
            plan,
            next: self.next,
            slots,
            ended: None,
            caught: self.caught.clone(),
            volatile_reads: self.volatile_reads,
            files: Rc::default(),
            before: None,
            records_calls: self.records_calls,
        }
    }

    /// The execution `start` with a longer plan, or a new one.
    pub(crate) fn continuing(start: Option<PlanDriver>, plan: Rc<Plan>) -> PlanDriver {
        start.map_or_else(|| PlanDriver::new(plan.clone()), |start| start.extended(plan.clone()))
    }

    /// The plan with the values of its inputs under a model, without symbols; `None` if an input has not been
    /// created.
    pub(crate) fn fixed_plan(&self, model: &Model) -> Option<Plan> {
        self.plan_fixing(model, |_| true)
    }

    /// As [`fixed_plan`](Self::fixed_plan), but inputs on which no decision of the path depends stay free.
    pub(crate) fn decided_plan(&self, machine: &Machine, path: &Path, model: &Model) -> Option<Plan> {
        let terms = machine.terms();
        let mut decided: BTreeSet<VarIndex> = BTreeSet::new();
        for taken in path.decisions().iter().filter(|it| !it.is_assumption()) {
            decided.extend(terms.variables(taken.constraint).iter().copied());
        }
        self.plan_fixing(model, |it| it.length.iter().chain(&it.values).any(|var| decided.contains(var)))
    }

    /// The plan in which some inputs have their values under a model.
    fn plan_fixing(&self, model: &Model, is_fixed: impl Fn(&Symbols) -> bool) -> Option<Plan> {
        let mut plan = self.plan.as_ref().clone();
        for step in &mut plan.steps {
            if let PlanStep::Input { input, var } = step {
                let symbols = &self.slots.get(*var)?.symbols;
                if is_fixed(symbols) {
                    *input = fixed(input, symbols, model);
                }
            }
        }
        Some(plan)
    }

    /// Creates inputs up to the next invocation and enters it.
    ///
    /// # Errors
    /// An input cannot be created, or the invocation cannot be entered.
    pub fn enter_next(
        &mut self,
        machine: &mut Machine,
        inputs: &Inputs<'_>,
        bounds: &mut Vec<TermId>,
    ) -> Step<bool> {
        let plan = self.plan.clone();
        while let Some(step) = plan.steps.get(self.next) {
            match step {
                PlanStep::Input { input, var } => {
                    let value = match inputs {
                        Inputs::Symbolic => {
                            let made = make_symbolic(machine, input, &plan.variables[*var].name)?;
                            bounds.extend(made.bounds);
                            self.slots[*var].symbols = made.symbols;
                            made.value
                        }
                        Inputs::Again { slots } => {
                            let name = &plan.variables[*var].name;
                            let made = make_symbolic_again(machine, input, name, &slots[*var].symbols)?;
                            bounds.extend(made.bounds);
                            self.slots[*var].symbols = made.symbols;
                            made.value
                        }
                        Inputs::Concrete { slots, model, fresh } => {
                            let symbols = slots[*var].symbols.clone();
                            let value = make_concrete(machine, input, &symbols, model, *fresh)?;
                            self.slots[*var].symbols = symbols;
                            value
                        }
                    };
                    self.slots[*var].value = Some(value);
                }
                PlanStep::TestFolder { var } => {
                    self.slots[*var].value = Some(make_folder(machine)?);
                }
                PlanStep::NewArray { element: element_class, elements, var } => {
                    let class = machine.array_of(*element_class)?;
                    let array = machine.new_array(class, elements.len() as u32)?;
                    for (at, element) in elements.iter().enumerate() {
                        is_of(machine, self.value(*element)?, *element_class)?;
                        machine.set_element_ref(array, at as u32, self.value(*element)?.as_ref());
                    }
                    self.slots[*var].value = Some(Value::reference(array));
                }
                PlanStep::Stub { stub, results, var } => {
                    let values: Vec<Value> = results.iter().map(|v| self.value(*v)).collect::<Step<_>>()?;
                    self.slots[*var].value = Some(Value::reference(self.make(machine, stub, &values)?));
                }
                PlanStep::StaticField { field, var } => {
                    machine.initialize_class_now(field.0)?;
                    let name = machine.class(field.0).fields[field.1].name.clone();
                    let bits = machine.static_field(field.0, &name).unwrap_or(0);
                    self.slots[*var].value = Some(Value::concrete(bits));
                }
                PlanStep::GetField { field, object, var } => {
                    let object = self.value(*object)?;
                    if object.as_ref() == 0 {
                        return Err(Trap::Raise("java/lang/NullPointerException", None));
                    }
                    is_of(machine, object, field.0)?;
                    let word = object.as_ref() + u32::from(machine.class(field.0).fields[field.1].offset);
                    let shadow = machine.heap_shadow(u64::from(word) * 8);
                    self.slots[*var].value = Some(Value { bits: machine.memory().read(word), shadow });
                }
                PlanStep::SetField { field, operands, .. } => self.set_field(machine, *field, operands)?,
                PlanStep::Call { .. } => {
                    if matches!(inputs, Inputs::Concrete { .. }) && self.next + 1 == plan.steps.len() {
                        self.before = Some(Rc::new(machine.snapshot()));
                    }
                    self.enter_call(machine, step)?;
                    return Ok(true);
                }
            }
            self.next += 1;
        }
        Ok(false)
    }

    fn set_field(
        &self,
        machine: &mut Machine,
        (class, index): (ClassId, usize),
        operands: &[usize],
    ) -> Step<()> {
        let values: Vec<Value> = operands.iter().map(|v| self.value(*v)).collect::<Step<_>>()?;
        let (start, value) = match values.as_slice() {
            [object, value] if object.as_ref() != 0 => {
                is_of(machine, *object, class)?;
                (object.as_ref(), value)
            }
            [value] => {
                machine.initialize_class_now(class)?;
                (machine.statics(class)?, value)
            }
            _ => return Err(Trap::Raise("java/lang/NullPointerException", None)),
        };
        let field = &machine.class(class).fields[index];
        let (word, descriptor) = (start + u32::from(field.offset), field.descriptor.clone());
        if field.kind == Kind::Reference {
            let declared = machine.load_descriptor(&descriptor)?;
            is_of(machine, *value, declared)?;
        }
        machine.write_word(word, value.bits);
        machine.set_heap_shadow(u64::from(word) * 8, 8, value.shadow);
        Ok(())
    }

    fn make(&self, machine: &mut Machine, stub: &Stub, results: &[Value]) -> Step<Addr> {
        match self.records_calls {
            true => stub.make_recording(machine, results),
            false => stub.make(machine, results),
        }
    }

    fn enter_call(&mut self, machine: &mut Machine, step: &PlanStep) -> Step<()> {
        let PlanStep::Call { invokable, arguments, result, .. } = step else { return Ok(()) };
        let before =
            self.plan.steps[..self.next].iter().filter(|s| matches!(s, PlanStep::Call { .. })).count();
        machine.set_invocation(before as u32);
        if let Some(before) = self.volatile_reads.take() {
            machine.set_volatile_reads(before);
        }
        if self.next + 1 < self.plan.steps.len() && self.plan.has_folder() && is_preparation(invokable) {
            self.volatile_reads = Some(machine.registers().volatile_reads);
        }
        self.check_types(machine, invokable, arguments)?;
        let mut values = Vec::with_capacity(arguments.len() + 1);
        let mut method = invokable.method;
        let mut arguments = arguments.as_slice();
        if invokable.is_constructor() {
            machine.initialize_class_now(invokable.class)?;
            let object = match &invokable.stub {
                Some(stub) => {
                    let results;
                    (arguments, results) = arguments.split_at(arguments.len() - stub.returning().count());
                    let results: Vec<Value> = results.iter().map(|v| self.value(*v)).collect::<Step<_>>()?;
                    self.make(machine, stub, &results)?
                }
                None => machine.new_object(invokable.class)?,
            };
            let object = Value::reference(object);
            values.push(object);
            if let Some(result) = result {
                self.slots[*result].value = Some(object);
            }
        }
        for argument in arguments {
            values.push(self.value(*argument)?);
        }
        if invokable.has_receiver() {
            let receiver = values[0].as_ref();
            if receiver == 0 {
                return Err(Trap::Raise("java/lang/NullPointerException", None));
            }
            method = machine.select(machine.class_of(receiver), method);
        }
        machine.enter(method, &values)
    }

    /// Checks that a call receives objects of the declared types. With other arguments, a call that makes an
    /// object may return one of another class.
    fn check_types(&self, machine: &mut Machine, invokable: &Invokable, arguments: &[usize]) -> Step<()> {
        let mut arguments = arguments;
        if invokable.has_receiver() {
            let Some((receiver, rest)) = arguments.split_first() else {
                return Err(Trap::unsupported("a plan that calls a method on nothing"));
            };
            is_of(machine, self.value(*receiver)?, invokable.class)?;
            arguments = rest;
        }
        for (argument, parameter) in arguments.iter().zip(&invokable.parameters) {
            let value = self.value(*argument)?;
            if parameter.kind == Kind::Reference && value.as_ref() != 0 {
                let declared = machine.load_descriptor(&parameter.ty.descriptor())?;
                is_of(machine, value, declared)?;
            }
        }
        Ok(())
    }

    /// The value of a variable that has been set.
    pub fn value(&self, var: usize) -> Step<Value> {
        self.slots[var]
            .value
            .ok_or_else(|| Trap::unsupported("a plan that reads a variable before it is set"))
    }

    /// The object that a variable refers to, unless it is null, not an object or not set yet.
    pub fn object(&self, var: usize) -> Option<Addr> {
        let is_reference = self.plan.variables.get(var)?.ty.is_reference();
        let value = self.slots.get(var)?.value.filter(|_| is_reference)?;
        Some(value.as_ref()).filter(|object| *object != 0)
    }

    /// Records how the current invocation ended; returns whether it returned normally.
    pub fn finish_call(&mut self, ended: &InvocationEnd) -> bool {
        let InvocationEnd::Returned(value) = ended else { return false };
        if let Some(PlanStep::Call { invokable, result: Some(result), .. }) = self.plan.steps.get(self.next)
            && !invokable.is_constructor()
        {
            self.slots[*result].value = Some(*value);
        }
        self.next += 1;
        true
    }

    /// Runs to the end of the next invocation with concrete inputs. Returns how it ended and whether the sequence
    /// goes on, since it returned normally or its exception is caught; `None` if there is no further invocation.
    ///
    /// # Errors
    /// An input cannot be created, or the invocation cannot be entered.
    pub fn call_concrete(
        &mut self,
        machine: &mut Machine,
        inputs: &Inputs<'_>,
        fuel: u64,
    ) -> Step<Option<(InvocationEnd, bool)>> {
        if !self.enter_next(machine, inputs, &mut Vec::new())? {
            return Ok(None);
        }
        if self.next + 1 == self.plan.steps.len() && self.plan.has_folder() {
            self.files = Rc::new(machine.export(machine.test_folder()));
        }
        machine.set_fuel(fuel);
        let ended = match machine.run() {
            cupping_machine::Exit::Returned(value) => InvocationEnd::Returned(value),
            cupping_machine::Exit::Threw(exception) => InvocationEnd::Threw(exception),
            cupping_machine::Exit::Halted(halt) => InvocationEnd::Halted(halt),
            cupping_machine::Exit::Decision(_) => {
                return Err(Trap::unsupported("a run without symbols reached a decision"));
            }
        };
        let mut goes_on = self.finish_call(&ended);
        if let InvocationEnd::Threw(exception) = ended
            && self.catches()
        {
            self.caught.push((self.next, machine.class_of(exception)));
            self.next += 1;
            goes_on = true;
        }
        self.ended = Some(ended.clone());
        Ok(Some((ended, goes_on)))
    }

    /// Whether the test catches what the current step throws, and goes on.
    fn catches(&self) -> bool {
        matches!(self.plan.steps.get(self.next), Some(PlanStep::Call { catches: true, .. }))
    }

    /// Whether all steps have been run.
    pub fn is_done(&self) -> bool {
        self.next >= self.plan.steps.len()
    }
}

impl Driver for PlanDriver {
    /// Each invocation is explored separately from the states that its predecessor left (sequence grouping,
    /// §4.4.3), so a path is complete when its invocation ends.
    fn advance(&mut self, _machine: &mut Machine, ended: InvocationEnd) -> DriverRequest {
        self.finish_call(&ended);
        self.ended = Some(ended);
        DriverRequest::Complete
    }

    fn adopt(&mut self, machine: &mut Machine, model: &Model) {
        let mut evaluator = Evaluator::new();
        for slot in &mut self.slots {
            if let Some(value) = &mut slot.value
                && let Some(term) = term_of(value.shadow)
            {
                value.bits = evaluator.eval(machine.terms(), model, term);
            }
        }
    }
}

/// Whether a reference is `null` or an instance of a class. Verified code would otherwise misinterpret its
/// fields.
fn is_of(machine: &Machine, value: Value, class: ClassId) -> Step<()> {
    let object = value.as_ref();
    if object == 0 || machine.is_subtype(machine.class_of(object), class) {
        return Ok(());
    }
    Err(Trap::Raise("java/lang/ClassCastException", None))
}

/// The test's folder as a `File`.
fn make_folder(machine: &mut Machine) -> Step<Value> {
    let class = machine.load("java/io/File")?;
    machine.initialize_class_now(class)?;
    let constructor = machine.declared_method(class, "<init>", "(Ljava/lang/String;)V");
    let constructor = constructor.ok_or_else(|| Trap::unsupported("File without a constructor"))?;
    let units: Vec<u16> = machine.test_folder().encode_utf16().collect();
    let path = Value::reference(machine.new_string(&units)?);
    let file = Value::reference(machine.new_object(class)?);
    machine.call(constructor, &[file, path])?;
    Ok(file)
}

/// The descriptor of `System.out`.
pub(crate) const OUT: u8 = 1;

/// Runs a plan to its end with concrete inputs. Returns how the last invocation ended; all earlier ones
/// returned normally. The fuel is for all invocations together. Stubs record the calls that they receive.
pub fn run_concrete(
    machine: &mut Machine,
    plan: &Rc<Plan>,
    slots: &[Slot],
    model: &Model,
    fresh: bool,
    mut fuel: u64,
) -> Step<(PlanDriver, InvocationEnd)> {
    let mut driver = PlanDriver::recording(plan.clone());
    let mut used = machine.used_words();
    let inputs = Inputs::Concrete { slots, model, fresh };
    loop {
        let Some((ended, returned)) = driver.call_concrete(machine, &inputs, fuel)? else {
            return Err(Trap::unsupported("a plan without an invocation"));
        };
        let grown = machine.used_words().saturating_sub(used);
        used += grown;
        fuel = machine.fuel().saturating_sub(u64::from(grown / WORDS_OF_FUEL)).max(1);
        machine.set_fuel(fuel);
        if !returned || driver.is_done() {
            return Ok((driver, ended));
        }
    }
}

#[cfg(test)]
mod tests {
    /// Cases refer to the folder by the machine's path.
    #[test]
    fn a_run_has_one_test_folder() {
        assert_eq!(cupping_case::TEST_FOLDER, cupping_machine::TEST_FOLDER);
    }
}
