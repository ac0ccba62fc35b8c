//! Callbacks: methods of the class that outside code may call while a method of the class runs. These are
//! overriding methods of classes and interfaces that are not flattened, lambdas and method references, and
//! methods that nested classes call.

use crate::body::AnalysedBody;
use cupping_classfile::{Action, Constant, Invocation, MethodDescriptor};
use cupping_generate::influence::is_harmless;
use cupping_machine::{Machine, MethodId};
use std::collections::BTreeSet;

/// The possible callbacks.
#[derive(Clone, Debug, Default)]
pub struct CallBacks {
    /// All of them.
    pub methods: BTreeSet<usize>,
    /// Methods that their holder may call at any time: lambdas, referenced methods, and what nested classes
    /// call.
    pub deferred: BTreeSet<usize>,
    /// Constructors that nested classes or references call: whoever receives the object can call its methods.
    pub makers: BTreeSet<usize>,
    /// Variables that they may define.
    pub defined: BTreeSet<usize>,
    /// Whether code of the class hands the object to code that is not followed, which may keep it.
    pub escapes: bool,
}

impl CallBacks {
    /// Whether an instruction calls code that may call back. `is_handed` says whether the object is the receiver
    /// or an argument.
    pub fn is_hook(&self, body: &AnalysedBody, at: usize, is_handed: bool) -> bool {
        if self.methods.is_empty() || (self.deferred.is_empty() && !self.escapes && !is_handed) {
            return false;
        }
        let Action::Invoke(how) = body.instructions[at].action() else { return false };
        match body.constant(at) {
            Some(Constant::Method { class, name, descriptor, .. }) => {
                !is_harmless(&class) || harmless_calls_back(&class, &name, &descriptor)
            }
            // Creating a lambda calls nothing. String concatenation calls methods of the objects.
            Some(Constant::InvokeDynamic { name, descriptor, .. }) if how == Invocation::Dynamic => {
                OF_TEXTS.contains(&&*name) && takes_objects(&descriptor)
            }
            _ => false,
        }
    }
}

/// Names of the bootstrap methods that `javac` uses for string concatenation.
const OF_TEXTS: [&str; 2] = ["makeConcatWithConstants", "makeConcat"];

/// Harmless classes whose methods call methods of their receiver.
const ABSTRACT: [&str; 3] = ["java/lang/Object", "java/lang/Comparable", "java/util/Comparator"];

/// Methods of harmless classes that take objects and do not call them.
const DISCREET: [&str; 4] = ["requireNonNull", "arraycopy", "identityHashCode", "isInstance"];

/// Whether a method of a harmless class may call a method of an object: its receiver's, or that of an argument.
fn harmless_calls_back(class: &str, name: &str, descriptor: &str) -> bool {
    if name == "<init>" || name == "getClass" {
        return false;
    }
    ABSTRACT.contains(&class) || (!DISCREET.contains(&name) && takes_objects(descriptor)) || calls(descriptor)
}

/// Whether a parameter may be an object with methods of its own.
fn takes_objects(descriptor: &str) -> bool {
    let parsed = MethodDescriptor::parse(descriptor);
    let types = parsed.map(|it| it.parameters).unwrap_or_default();
    types.iter().map(ToString::to_string).any(|ty| {
        let element = ty.trim_start_matches('[');
        element.starts_with('L') && !CLOSED.contains(&element)
    })
}

/// Parameter types that only the JDK implements.
const CLOSED: [&str; 4] =
    ["Ljava/lang/String;", "Ljava/lang/Class;", "Ljava/util/Locale;", "Ljava/math/BigInteger;"];

/// Whether a parameter is a function.
fn calls(descriptor: &str) -> bool {
    descriptor.contains("Ljava/util/function/") || descriptor.contains("Ljava/util/Comparator;")
}

/// The methods of a call site: lambda bodies and referenced methods.
pub fn referred_to(machine: &mut Machine, body: &AnalysedBody, at: usize) -> Vec<MethodId> {
    let Some(Constant::InvokeDynamic { bootstrap, .. }) = body.constant(at) else { return Vec::new() };
    let Some(bootstrap) = body.file.bootstrap_methods.get(usize::from(bootstrap)) else { return Vec::new() };
    let mut found = Vec::new();
    for argument in bootstrap.arguments.iter() {
        if let Ok(Constant::MethodHandle { reference, .. }) = body.file.constant(*argument)
            && let Ok(Constant::Method { class, name, descriptor, .. }) = body.file.constant(reference)
            && let Ok(class) = machine.load(&class)
        {
            found.extend(machine.find_method(class, &name, &descriptor));
        }
    }
    found
}
