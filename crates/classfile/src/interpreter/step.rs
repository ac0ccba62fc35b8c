//! One instruction on a frame: the table of opcodes defines operands and results, the domain their values.

use super::{CalledMethod, Decision, Domain, FieldAccess, Flow, Frame, FrameMismatch, Site};
use crate::constant::Constant;
use crate::descriptor::{of_class, primitive_element};
use crate::instructions::Operand;
use crate::opcode::{Action, StackType};

/// Executes an instruction; returns the control flow after it.
///
/// # Errors
///
/// The domain's error, and [`FrameMismatch`] if the instruction does not fit the frame.
pub fn step<D: Domain>(
    domain: &mut D,
    frame: &mut Frame<D::Value>,
    site: &Site<'_>,
) -> Result<Flow<D::Value>, D::Refusal> {
    if let Some(shuffle) = site.instruction.shuffle() {
        shuffle.apply(&mut frame.stack).ok_or(FrameMismatch)?;
        return Ok(Flow::All);
    }
    let (pops, pushes) = site.instruction.stack_types(site.class).ok_or(FrameMismatch)?;
    let operands = frame.pop_all(&pops)?;
    let result_type = pushes.first().copied();
    let mut run = InterpreterRun { domain, frame, site };
    match run.execute(operands, result_type)? {
        StepOutcome::Value(value) => {
            frame.push(value, result_type.ok_or(FrameMismatch)?);
            Ok(Flow::All)
        }
        StepOutcome::Nothing => Ok(Flow::All),
        StepOutcome::Flow(flow) => Ok(flow),
    }
}

/// The outcome of an instruction.
enum StepOutcome<V> {
    /// It pushes a value.
    Value(V),
    /// It pushes nothing.
    Nothing,
    /// It pushes nothing, and determines the control flow.
    Flow(Flow<V>),
}

struct InterpreterRun<'r, D: Domain> {
    domain: &'r mut D,
    frame: &'r mut Frame<D::Value>,
    site: &'r Site<'r>,
}

/// The operands as an array; their number is in the table.
fn exactly<V, const N: usize>(operands: Vec<V>) -> Result<[V; N], FrameMismatch> {
    operands.try_into().map_err(|_| FrameMismatch)
}

impl<D: Domain> InterpreterRun<'_, D> {
    fn execute(
        &mut self,
        operands: Vec<D::Value>,
        result: Option<StackType>,
    ) -> Result<StepOutcome<D::Value>, D::Refusal> {
        use StepOutcome::{Nothing, Value};
        let (domain, site) = (&mut *self.domain, self.site);
        let instruction = site.instruction;
        let ty = || instruction.stack_type().ok_or(FrameMismatch);
        Ok(match instruction.action() {
            Action::Nop | Action::Wide => Nothing,
            Action::Constant => Value(domain.literal(site, instruction.literal().ok_or(FrameMismatch)?)?),
            Action::LoadConstant => {
                let constant = site.constant().ok_or(FrameMismatch)?;
                Value(match constant.literal() {
                    Some(literal) => domain.literal(site, literal)?,
                    None => domain.constant(site, &constant, result.ok_or(FrameMismatch)?)?,
                })
            }
            Action::Load | Action::Store | Action::Increment => return self.local(operands),
            Action::ArrayLoad(element) => {
                let [array, index] = exactly(operands)?;
                Value(domain.array_load(site, element, array, index)?)
            }
            Action::ArrayStore(element) => {
                let [array, index, value] = exactly(operands)?;
                domain.array_store(site, element, array, index, value)?;
                Nothing
            }
            Action::ArrayLength => {
                let [array] = exactly(operands)?;
                Value(domain.array_length(site, array)?)
            }
            Action::Arithmetic(operator) => {
                Value(domain.arithmetic(site, operator, ty()?, exactly(operands)?)?)
            }
            Action::Negate => {
                let [operand] = exactly(operands)?;
                Value(domain.negate(site, ty()?, operand)?)
            }
            Action::Convert => {
                let [operand] = exactly(operands)?;
                Value(domain.convert(site, ty()?, result.ok_or(FrameMismatch)?, operand)?)
            }
            Action::Narrow(element) => {
                let [operand] = exactly(operands)?;
                Value(domain.narrow(site, element, operand)?)
            }
            Action::Compare(nan) => Value(domain.compare(site, ty()?, nan, exactly(operands)?)?),
            Action::Branch(_) | Action::Switch => return self.decide(operands),
            Action::Goto => {
                let Operand::Branch(target) = instruction.operand else { return Err(FrameMismatch.into()) };
                StepOutcome::Flow(Flow::To(target))
            }
            Action::Jsr => Value(domain.unknown(site, StackType::Address)?),
            Action::Ret => StepOutcome::Flow(Flow::Stop),
            Action::Return => StepOutcome::Flow(Flow::Return(operands.into_iter().next())),
            Action::Throw => {
                let [thrown] = exactly(operands)?;
                StepOutcome::Flow(Flow::Throw(thrown))
            }
            Action::GetField | Action::PutField | Action::GetStatic | Action::PutStatic => {
                return self.field(operands);
            }
            Action::Invoke(_) => return self.call(operands, result),
            Action::New => {
                let Some(Constant::Class(class)) = site.constant() else { return Err(FrameMismatch.into()) };
                Value(domain.new_object(site, &class)?)
            }
            Action::NewArray | Action::NewMultiArray => {
                let class = self.array_class()?;
                Value(self.domain.new_array(site, &class, operands)?)
            }
            Action::CheckCast | Action::InstanceOf => {
                let Some(Constant::Class(class)) = site.constant() else { return Err(FrameMismatch.into()) };
                let [value] = exactly(operands)?;
                Value(match instruction.action() {
                    Action::CheckCast => domain.check_cast(site, &class, value)?,
                    _ => domain.instance_of(site, &class, value)?,
                })
            }
            Action::MonitorEnter | Action::MonitorExit => {
                let [object] = exactly(operands)?;
                domain.monitor(site, object)?;
                Nothing
            }
            Action::Shuffle => return Err(FrameMismatch.into()),
        })
    }

    fn local(&mut self, operands: Vec<D::Value>) -> Result<StepOutcome<D::Value>, D::Refusal> {
        let (domain, site, instruction) = (&mut *self.domain, self.site, self.site.instruction);
        let local = instruction.local().ok_or(FrameMismatch)?;
        let stored = match &instruction.operand {
            Operand::LocalIncrement { by, .. } => {
                domain.increment(site, local, self.frame.local(local), i32::from(*by))?
            }
            _ => match operands.into_iter().next() {
                None => return domain.load(site, local, self.frame.local(local)).map(StepOutcome::Value),
                Some(value) => domain.store(site, local, value)?,
            },
        };
        let (_, slots) = instruction.stored_local().ok_or(FrameMismatch)?;
        self.frame.set_local(local, stored, slots);
        Ok(StepOutcome::Nothing)
    }

    fn decide(&mut self, operands: Vec<D::Value>) -> Result<StepOutcome<D::Value>, D::Refusal> {
        let (site, instruction) = (self.site, self.site.instruction);
        let mut operands = operands.into_iter();
        let first = operands.next().ok_or(FrameMismatch)?;
        let flow = match (instruction.action(), &instruction.operand) {
            (Action::Branch(comparison), Operand::Branch(target)) => {
                let ty = instruction.stack_type().ok_or(FrameMismatch)?;
                match self.domain.branch(site, comparison, ty, first, operands.next())? {
                    Decision::Either => Flow::All,
                    Decision::Taken => Flow::To(*target),
                    Decision::Past => Flow::Next,
                }
            }
            _ => match self.domain.switch(site, first)? {
                Some(value) => Flow::To(instruction.switch_target(value).ok_or(FrameMismatch)?),
                None => Flow::All,
            },
        };
        Ok(StepOutcome::Flow(flow))
    }

    fn field(&mut self, operands: Vec<D::Value>) -> Result<StepOutcome<D::Value>, D::Refusal> {
        let Some(Constant::Field { class, name, descriptor }) = self.site.constant() else {
            return Err(FrameMismatch.into());
        };
        let field = FieldAccess { class: &class, name: &name, descriptor: &descriptor };
        let (domain, site) = (&mut *self.domain, self.site);
        let mut operands = operands.into_iter();
        let is_store = matches!(site.instruction.action(), Action::PutField | Action::PutStatic);
        let value = if is_store { operands.next_back() } else { None };
        let object = operands.next();
        Ok(match value {
            Some(value) => {
                domain.put_field(site, &field, object, value)?;
                StepOutcome::Nothing
            }
            None => StepOutcome::Value(domain.get_field(site, &field, object)?),
        })
    }

    fn call(
        &mut self,
        operands: Vec<D::Value>,
        result: Option<StackType>,
    ) -> Result<StepOutcome<D::Value>, D::Refusal> {
        let Action::Invoke(how) = self.site.instruction.action() else { return Err(FrameMismatch.into()) };
        let (class, name, descriptor) = match self.site.constant() {
            Some(Constant::Method { class, name, descriptor, .. }) => (class, name, descriptor),
            Some(Constant::InvokeDynamic { name, descriptor, .. }) => ("".into(), name, descriptor),
            _ => return Err(FrameMismatch.into()),
        };
        let call = CalledMethod { how, class: &class, name: &name, descriptor: &descriptor };
        let value = self.domain.call(self.site, self.frame, &call, operands, result)?;
        Ok(value.map_or(StepOutcome::Nothing, StepOutcome::Value))
    }

    /// The class of the array that an instruction creates.
    fn array_class(&self) -> Result<String, FrameMismatch> {
        let named = || match self.site.constant() {
            Some(Constant::Class(class)) => Ok(class),
            _ => Err(FrameMismatch),
        };
        Ok(match self.site.instruction.operand {
            Operand::ArrayType(code) => format!("[{}", primitive_element(code).ok_or(FrameMismatch)?),
            Operand::MultiArray { .. } => named()?.into_owned(),
            _ => format!("[{}", of_class(&named()?)),
        })
    }
}
