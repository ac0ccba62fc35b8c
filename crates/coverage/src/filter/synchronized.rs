//! The handler that releases the monitor of a `synchronized` block when it is left by an exception.

use super::FilterResult;
use super::cursor::Cursor;
use crate::body::CoveredBody;
use cupping_classfile::Opcode;

pub(super) fn filter(body: &CoveredBody<'_>, filtered: &mut FilterResult) {
    for guard in body.guards.iter().filter(|guard| guard.catch_type.is_none() && guard.start != guard.handler)
    {
        if let Some(end) = release(&mut Cursor::new(body, guard.handler)) {
            filtered.ignore(guard.handler, end);
        }
    }
}

fn release(cursor: &mut Cursor<'_>) -> Option<usize> {
    cursor.variable(Opcode::Astore, "thrown")?;
    cursor.op(Opcode::Aload)?;
    cursor.op(Opcode::Monitorexit)?;
    cursor.variable(Opcode::Aload, "thrown")?;
    cursor.op(Opcode::Athrow)?;
    Some(cursor.at)
}
