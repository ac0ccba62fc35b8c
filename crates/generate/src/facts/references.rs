//! What a body names: the fields and methods that it accesses, the objects and arrays that it works on.

use cupping_classfile::facts::BodyFact;
use cupping_classfile::{
    Action, ArrayElement, ClassFile, Code, Constant, Instruction, Invocation, Method, StackType, instructions,
};
use rustc_hash::FxHashSet;

/// A field or method by the internal name of the class, its name and descriptor.
pub type MemberName = (String, String, String);

/// What an instruction names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Reference {
    /// A field that it loads.
    Use(MemberName),
    /// A field that it stores into.
    Definition(MemberName),
    /// Elements of arrays that it loads.
    Load(ArrayElement),
    /// Elements of arrays that it stores into.
    Store(ArrayElement),
    /// A method that it calls.
    Call {
        /// The method.
        method: MemberName,
        /// Whether the class of the object decides which method runs.
        is_virtual: bool,
        /// Whether it is called on `this`.
        on_this: bool,
    },
    /// A class of which it creates an object.
    Creation(String),
}

/// The references of a body, without repetition, in code order.
#[derive(Debug, Default)]
pub struct References(pub Vec<Reference>);

impl BodyFact for References {
    const NAME: &'static str = "references";

    fn of(file: &ClassFile, method: &Method, code: &Code) -> References {
        let all: Vec<_> = instructions(&code.bytecode).map_while(Result::ok).collect();
        let this_stays = !method.access.is_static() && !all.iter().any(stores_into_this);
        let mut found = Found::default();
        for (at, instruction) in all.iter().enumerate() {
            // `this.m()`: the class of the object determines the target.
            let on_this = this_stays && at > 0 && all[at - 1].loaded_local() == Some(0);
            found.instruction(file, instruction, on_this);
        }
        References(found.in_order)
    }
}

/// Whether local variable 0 gets another object.
fn stores_into_this(instruction: &Instruction) -> bool {
    instruction.action() == Action::Store
        && instruction.stack_type() == Some(StackType::Reference)
        && instruction.local() == Some(0)
}

#[derive(Default)]
struct Found {
    in_order: Vec<Reference>,
    known: FxHashSet<Reference>,
}

impl Found {
    fn add(&mut self, reference: Reference) {
        if self.known.insert(reference.clone()) {
            self.in_order.push(reference);
        }
    }

    fn instruction(&mut self, file: &ClassFile, instruction: &Instruction, on_this: bool) {
        let action = instruction.action();
        match action {
            Action::ArrayLoad(element) => self.add(Reference::Load(element)),
            Action::ArrayStore(element) => self.add(Reference::Store(element)),
            _ => {}
        }
        let Some(constant) = instruction.constant(file) else { return };
        match (action, constant) {
            (Action::GetField | Action::GetStatic, Constant::Field { class, name, descriptor }) => {
                self.add(Reference::Use((class.into(), name.into(), descriptor.into())));
            }
            (Action::PutField | Action::PutStatic, Constant::Field { class, name, descriptor }) => {
                self.add(Reference::Definition((class.into(), name.into(), descriptor.into())));
            }
            (Action::Invoke(how), Constant::Method { class, name, descriptor, .. }) => {
                let is_virtual = matches!(how, Invocation::Virtual | Invocation::Interface);
                let method = (class.into(), name.into(), descriptor.into());
                self.add(Reference::Call { method, is_virtual, on_this });
            }
            (Action::Invoke(Invocation::Dynamic), Constant::InvokeDynamic { bootstrap, .. }) => {
                self.call_site(file, bootstrap);
            }
            (Action::New, Constant::Class(name)) => self.add(Reference::Creation(name.into())),
            _ => {}
        }
    }

    /// A lambda or method reference counts as called where it is created.
    fn call_site(&mut self, file: &ClassFile, bootstrap: u16) {
        let Some(bootstrap) = file.bootstrap_methods.get(bootstrap as usize) else { return };
        for argument in bootstrap.arguments.iter() {
            if let Ok(Constant::MethodHandle { reference, .. }) = file.constant(*argument)
                && let Ok(Constant::Method { class, name, descriptor, .. }) = file.constant(reference)
            {
                let method = (class.into(), name.into(), descriptor.into());
                self.add(Reference::Call { method, is_virtual: true, on_this: false });
            }
        }
    }
}
