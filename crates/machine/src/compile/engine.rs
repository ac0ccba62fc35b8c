//! Cranelift: its configuration, and the compilation of one method.

use super::compiler::Engine;
use super::context::Cells;
use super::helpers::{HELPERS, Helper};
use super::translation::{Translation, TranslationInput, method_signature};
use cranelift_codegen::ir::{AbiParam, FuncRef, Function, Signature};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Linkage, Module};

impl Engine {
    /// Cranelift for this computer, if it has code for it.
    pub(super) fn new() -> Option<Engine> {
        let mut flags = settings::builder();
        for (name, value) in [
            ("opt_level", "speed"),
            ("is_pic", "false"),
            ("use_colocated_libcalls", "false"),
            ("enable_probestack", "false"),
            ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
        ] {
            flags.set(name, value).ok()?;
        }
        let isa = cranelift_native::builder().ok()?.finish(settings::Flags::new(flags)).ok()?;
        let mut builder = JITBuilder::with_isa(isa, cranelift_module::default_libcall_names());
        for row in HELPERS {
            builder.symbol(row.name, (row.address)());
        }
        let mut module = JITModule::new(builder);
        let mut ids = Vec::new();
        for (at, row) in HELPERS.iter().enumerate() {
            debug_assert_eq!(row.helper as usize, at);
            let mut signature = Signature::new(module.isa().default_call_conv());
            signature.params.extend(row.parameters.iter().map(|kind| AbiParam::new(*kind)));
            signature.returns.extend(row.result.map(AbiParam::new));
            ids.push(module.declare_function(row.name, Linkage::Import, &signature).ok()?);
        }
        let compilation = module.make_context();
        Some(Engine { module, compilation, builder: FunctionBuilderContext::new(), helpers: ids })
    }

    /// The code of one method and the cells in it.
    pub(super) fn translate(&mut self, source: TranslationInput) -> Option<(*const u8, Cells)> {
        let mut cells = Cells::new();
        let address =
            self.define(|function, import| Translation::run(function, source, import, &mut cells))?;
        Some((address, cells))
    }

    /// The code of a function with the signature of methods, emitted by `build`.
    pub(super) fn define(
        &mut self,
        build: impl FnOnce(FunctionBuilder, &mut dyn FnMut(Helper, &mut Function) -> FuncRef),
    ) -> Option<*const u8> {
        let Engine { module, compilation, builder, helpers } = self;
        module.clear_context(compilation);
        compilation.func.signature = method_signature(module.isa().default_call_conv());
        let mut import = |helper: Helper, function: &mut Function| {
            module.declare_func_in_func(helpers[helper as usize], function)
        };
        build(FunctionBuilder::new(&mut compilation.func, builder), &mut import);
        let id = module.declare_anonymous_function(&compilation.func.signature).ok()?;
        module.define_function(id, compilation).ok()?;
        module.clear_context(compilation);
        module.finalize_definitions().ok()?;
        Some(module.get_finalized_function(id))
    }
}
