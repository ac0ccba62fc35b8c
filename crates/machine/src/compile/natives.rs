//! Natives that need no frame: each has a few instructions in place of its method's compiled code, so that a
//! call site need not know what it calls.

use super::context::{DECLINED, RETURNED};
use super::helpers::{Helper, NOT_RUN, RUN};
use super::offsets::at;
use super::translation::{TABLE, VM, flags, method_signature};
use crate::classes::MethodId;
use crate::machine::{Machine, MethodBody};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{FuncRef, Function, InstBuilder};
use cranelift_codegen::isa::TargetFrontendConfig;
use cranelift_frontend::FunctionBuilder;
use cranelift_module::Module;

impl Machine {
    /// Lets compiled code call this method without a frame, if it is a native of that kind.
    pub(super) fn link_native(&mut self, method: MethodId) {
        let is_quick = matches!(self.method(method).body, MethodBody::Native(native) if native.quick);
        if !is_quick || self.classes.has_entry(method) {
            return;
        }
        let address = match self.compiler.natives.get(&method) {
            Some(address) => *address,
            None => {
                let Some(Some(engine)) = &mut self.compiler.engine else { return };
                let config = engine.module.isa().frontend_config();
                let made = engine.define(|function, import| build(function, import, method, config));
                let Some(address) = made else { return };
                self.compiler.natives.insert(method, address as usize);
                address as usize
            }
        };
        self.classes.set_entry(method, address);
    }
}

/// Runs the native. If it forwards to another method, that is called if it is compiled.
fn build(
    mut b: FunctionBuilder,
    import: &mut dyn FnMut(Helper, &mut Function) -> FuncRef,
    method: MethodId,
    config: TargetFrontendConfig,
) {
    let start = b.create_block();
    b.append_block_params_for_function_params(start);
    b.switch_to_block(start);
    let [vm, base, depth, entry] = [0, 1, 2, 3].map(|at| b.block_params(start)[at]);
    let number = b.ins().iconst(I64, i64::from(method.0));
    let helper = import(Helper::RunNative, b.func);
    let call = b.ins().call(helper, &[vm, number, base]);
    let state = b.inst_results(call)[0];
    let [ran, not_ran, declined, forwarded, compiled] = [(); 5].map(|()| b.create_block());
    let is_done = b.ins().icmp_imm_s(IntCC::Equal, state, RUN);
    b.ins().brif(is_done, ran, &[], not_ran, &[]);

    b.switch_to_block(ran);
    let slots = b.ins().load(I64, flags(VM), vm, at::SLOTS);
    let offset = b.ins().ishl_imm_u(base, 3);
    let slot = b.ins().iadd(slots, offset);
    let value = b.ins().load(I64, flags(TABLE), slot, 0);
    let returned = b.ins().iconst(I64, RETURNED);
    b.ins().return_(&[returned, value]);

    b.switch_to_block(not_ran);
    let is_declined = b.ins().icmp_imm_s(IntCC::Equal, state, NOT_RUN);
    b.ins().brif(is_declined, declined, &[], forwarded, &[]);

    b.switch_to_block(declined);
    let (state_declined, nothing) = (b.ins().iconst(I64, DECLINED), b.ins().iconst(I64, 0));
    b.ins().return_(&[state_declined, nothing]);

    b.switch_to_block(forwarded);
    let entries = b.ins().load(I64, flags(VM), vm, at::ENTRIES);
    let offset = b.ins().ishl_imm_u(state, 3);
    let target = b.ins().iadd(entries, offset);
    let target = b.ins().load(I64, flags(TABLE), target, 0);
    b.ins().brif(target, compiled, &[], declined, &[]);

    b.switch_to_block(compiled);
    let convention = b.func.signature.call_conv;
    let signature = b.import_signature(method_signature(convention));
    let call = b.ins().call_indirect(signature, target, &[vm, base, depth, entry]);
    let results = b.inst_results(call).to_vec();
    b.ins().return_(&results);

    b.seal_all_blocks();
    b.finalize(config);
}
