//! Offsets of the machine's fields for compiled code.

/// Offset of a field of the context from the address of the machine.
macro_rules! context_offset {
    ($field:ident) => {
        (offset_of!(Machine, compiler) + Compiler::CONTEXT + offset_of!(Context, $field)) as i32
    };
}

/// Offsets from the address of the machine.
pub(super) mod at {
    use super::super::compiler::Compiler;
    use super::super::context::Context;
    use crate::machine::Machine;
    use crate::memory::Memory;
    use crate::state::Registers;
    use std::mem::offset_of;

    pub(in crate::compile) const WORDS: i32 = context_offset!(words);
    pub(in crate::compile) const WORD_COUNT: i32 = context_offset!(word_count);
    pub(in crate::compile) const LAST_OBJECT: i32 = context_offset!(last_object);
    pub(in crate::compile) const PAGE_EPOCHS: i32 = context_offset!(page_epochs);
    pub(in crate::compile) const SHADOW_PAGES: i32 = context_offset!(shadow_pages);
    pub(in crate::compile) const SHADOW_PAGE_COUNT: i32 = context_offset!(shadow_page_count);
    pub(in crate::compile) const SLOTS: i32 = context_offset!(slots);
    pub(in crate::compile) const ENTRIES: i32 = context_offset!(entries);
    pub(in crate::compile) const COVERAGE: i32 = context_offset!(coverage);
    pub(in crate::compile) const COVERAGE_WORDS: i32 = context_offset!(coverage_words);
    pub(in crate::compile) const LISTENS: i32 = context_offset!(listens);
    pub(in crate::compile) const TOP: i32 = context_offset!(top);
    pub(in crate::compile) const STACK_LIMIT: i32 = context_offset!(stack_limit);
    pub(in crate::compile) const FRAME_LIMIT: i32 = context_offset!(frame_limit);
    pub(in crate::compile) const EPOCH: i32 = (offset_of!(Machine, memory) + Memory::EPOCH) as i32;
    pub(in crate::compile) const FUEL: i32 =
        (offset_of!(Machine, registers) + offset_of!(Registers, fuel)) as i32;
    pub(in crate::compile) const FRAME_COUNT: i32 =
        (offset_of!(Machine, registers) + offset_of!(Registers, frame_count)) as i32;
}
