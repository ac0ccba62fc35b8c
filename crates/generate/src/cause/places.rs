//! Elements at an index that the code states, in arrays and collections that the test makes too small.

use super::CauseRun;
use crate::plan::{PlanStep, Var};
use cupping_classfile::{Action, Instruction, Literal, instructions};
use cupping_machine::TraceRow;

/// Calls between the elements and what is passed: `new ArrayList<>(Arrays.asList(...))`.
const MAX_CALLS: usize = 3;

impl CauseRun<'_> {
    /// What the test passes with too few elements, and how many the code expects: it accesses an element at a
    /// constant index.
    pub(super) fn too_few(&self) -> Option<(String, i64)> {
        let row = self.rows.get(self.rows_in_jdk())?;
        let least = self.literal_before(row)? + 1;
        let PlanStep::Call { arguments, .. } = self.plan.steps.last()? else { return None };
        let is_small = |var: &&Var| self.count(**var, MAX_CALLS).is_some_and(|count| count < least);
        let name = self.name(*arguments.iter().find(is_small)?)?;
        Some((name, least))
    }

    /// The constant that is pushed right before an element access, or before a call that takes an index.
    fn literal_before(&self, row: &TraceRow) -> Option<i64> {
        let method = self.machine.method(row.method);
        let file = self.machine.class(method.class).file.as_ref()?;
        let code = file.code(file.methods.get(method.index)?).ok()??;
        let mut before: Option<Instruction> = None;
        for instruction in instructions(&code.bytecode).map_while(Result::ok) {
            if instruction.pc == row.offset {
                let asks = matches!(instruction.action(), Action::ArrayLoad(_) | Action::Invoke(_));
                return match before.filter(|_| asks)?.literal()? {
                    Literal::Int(number) if number >= 0 => Some(i64::from(number)),
                    _ => None,
                };
            }
            before = Some(instruction);
        }
        None
    }

    /// The number of elements of an array that the test creates, or of a collection that it creates from one.
    fn count(&self, var: Var, calls: usize) -> Option<i64> {
        self.plan.steps.iter().find_map(|step| match step {
            PlanStep::NewArray { elements, var: made, .. } if *made == var => {
                i64::try_from(elements.len()).ok()
            }
            PlanStep::Call { arguments, result: Some(made), .. } if *made == var && calls > 0 => {
                self.count(*arguments.first()?, calls - 1)
            }
            _ => None,
        })
    }
}
