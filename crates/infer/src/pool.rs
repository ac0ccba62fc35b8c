//! Candidate arguments (slides: "parameter generation"): values passed by tests, constants of the code, bounds of
//! types, and objects created by short sequences.

use crate::argument_type::ArgumentType;
use crate::code_constants::constants;
use crate::few_values::FewValues;
use crate::recorder::Recording;
use crate::runner::construct;
use crate::sequence::{Arg, Construction, Invocation};
use crate::subject::Subject;
use cupping_case::{JavaType, Literal};
use cupping_generate::{Subject as Makers, boxed_kind, java_type};
use cupping_machine::Machine;
use std::collections::BTreeMap;
use std::rc::Rc;

mod collections;
mod fresh_objects;
mod implementations;
mod random_values;
mod typical;

use implementations::implementations;
pub use random_values::Together;

/// The largest number of values of one type.
const MOST_VALUES: usize = 10;
/// The largest number of constants of an enumeration.
const MOST_OF_ENUM: usize = 24;
/// The largest number of argument lists of a method.
const MOST_CHOICES: usize = 64;

/// Limit on the memory of an argument, in words: each state with it is read as a whole.
const MOST_WORDS: u32 = 2_048;

/// Interfaces and abstract classes of the library, and their stand-ins.
const STAND_INS: &[(&str, &str)] = &[
    ("java/util/Collection", "java/util/ArrayList"),
    ("java/lang/Iterable", "java/util/ArrayList"),
    ("java/util/List", "java/util/ArrayList"),
    ("java/util/Set", "java/util/HashSet"),
    ("java/util/SortedSet", "java/util/TreeSet"),
    ("java/util/NavigableSet", "java/util/TreeSet"),
    ("java/util/Map", "java/util/HashMap"),
    ("java/util/SortedMap", "java/util/TreeMap"),
    ("java/util/NavigableMap", "java/util/TreeMap"),
    ("java/util/Queue", "java/util/LinkedList"),
    ("java/util/Deque", "java/util/ArrayDeque"),
    ("java/lang/CharSequence", "java/lang/String"),
];

/// Arguments by type.
#[derive(Debug, Default)]
pub struct Pool {
    passed: BTreeMap<String, Vec<Arg>>,
    constants: Vec<i64>,
    /// String literals of the code.
    texts: Vec<Vec<u16>>,
    /// Numbers in the state in which the next call is made.
    pub near: Vec<i64>,
    /// The values of a sequence that has few.
    pub few: Option<FewValues>,
    /// The call that made the object on which the next call is made.
    pub kin: Option<Invocation>,
    /// The largest number of argument lists of a method.
    most_choices: usize,
    /// Whether implementations can be made: they exist in the present state and those that follow from it only.
    may_implement: bool,
    /// Objects of the class under test, by their construction; the list grows with the states found.
    pub objects: Vec<Rc<Construction>>,
    known: BTreeMap<String, Vec<Arg>>,
}

impl Pool {
    /// Collects the values that tests passed and the constants in the code of the class.
    pub fn new(machine: &mut Machine, subject: &Subject, recorded: &Recording) -> Pool {
        let (constants, texts) = constants(machine, subject.class);
        let mut pool = Pool { constants, texts, most_choices: MOST_CHOICES, ..Pool::default() };
        for test in &recorded.tests {
            let before = test.receiver.iter().flat_map(|it| it.then.iter().chain([&it.maker]));
            for call in before.chain([&test.call]) {
                for (parameter, argument) in call.invokable.parameters.iter().zip(&call.arguments) {
                    let of_type = pool.passed.entry(parameter.ty.descriptor()).or_default();
                    let is_of_class = parameter.ty == JavaType::class(&subject.name);
                    if !is_of_class && !of_type.contains(argument) && of_type.len() < MOST_VALUES {
                        of_type.push(argument.clone());
                    }
                }
            }
        }
        pool
    }

    /// Makes implementations of the interfaces among the types of parameters, in the machine's present state.
    pub fn implement(&mut self, machine: &mut Machine, subject: &Subject) {
        self.may_implement = true;
        for parameter in subject.methods.iter().flat_map(|it| it.parameters.clone()) {
            let JavaType::Class(name) = &parameter.ty else { continue };
            if machine.load(name).is_ok_and(|it| machine.class(it).access.is_interface()) {
                self.values(machine, subject, ArgumentType::of(&parameter), 0);
            }
        }
        self.may_implement = false;
    }

    /// Restricts the number of argument lists of each method, to six at least.
    pub fn limit(&mut self, most: usize) {
        self.most_choices = most.clamp(6, MOST_CHOICES);
    }

    /// Lifts the restriction; returns whether there was one.
    pub fn widen(&mut self) -> bool {
        std::mem::replace(&mut self.most_choices, MOST_CHOICES) < MOST_CHOICES
    }

    /// Argument lists for a method, the simplest first.
    pub fn choices(&mut self, machine: &mut Machine, subject: &Subject, method: usize) -> Vec<Vec<Arg>> {
        let mut found = self.all_choices(machine, subject, method);
        found.truncate(self.most_choices);
        found
    }

    /// Argument lists for a method, without the restriction.
    pub fn all_choices(&mut self, machine: &mut Machine, subject: &Subject, method: usize) -> Vec<Vec<Arg>> {
        let parameters = subject.methods[method].parameters.clone();
        let mut columns: Vec<Vec<Arg>> =
            parameters.iter().map(|it| self.values(machine, subject, ArgumentType::of(it), 0)).collect();
        if let ("equals", [column]) = (&*subject.methods[method].reference.name, &mut columns[..]) {
            // The receiver itself, and objects that may or may not equal it.
            column.insert(0, Arg::Receiver);
            column.extend(self.objects.iter().take(3).map(|it| Arg::Make(it.clone())));
        }
        if columns.iter().any(Vec::is_empty) {
            return Vec::new();
        }
        let most: usize = columns.iter().map(|it| it.len() - 1).sum();
        let mut found = Vec::new();
        // Order pairs by the sum of positions: pairs of simple values come first.
        for sum in 0..=most {
            add_choices(&columns, sum, &mut Vec::new(), &mut found);
            if found.len() >= MOST_CHOICES {
                break;
            }
        }
        found
    }

    /// Values of a type.
    pub fn values(
        &mut self,
        machine: &mut Machine,
        subject: &Subject,
        wanted: ArgumentType<'_>,
        depth: usize,
    ) -> Vec<Arg> {
        let ty = wanted.ty;
        let own = JavaType::class(&subject.name);
        let is_object = matches!(ty, JavaType::Class(name) if &**name == "java/lang/Object");
        if *ty == own && depth == 0 {
            let objects = self.objects.iter().map(|it| Arg::Make(it.clone()));
            return [Arg::Receiver]
                .into_iter()
                .chain(objects)
                .chain([Arg::Literal(Literal::Null)])
                .take(MOST_VALUES)
                .collect();
        }
        let key = format!("{depth}{}", wanted.name());
        match self.known.get(&key) {
            Some(known) => known.clone(),
            None => {
                let mut values = self.passed.get(&ty.descriptor()).cloned().unwrap_or_default();
                let is_text = values.iter().any(|it| matches!(it, Arg::Literal(Literal::String(_))));
                if is_text && !ty.is_string() {
                    // More strings, if tests pass strings.
                    let string = JavaType::class("java/lang/String");
                    for more in self.usual(machine, subject, ArgumentType::plain(&string), depth) {
                        if !values.contains(&more) && values.len() < 4 {
                            values.push(more);
                        }
                    }
                }
                for value in self.usual(machine, subject, wanted, depth) {
                    let is_constant = matches!(value, Arg::Literal(Literal::Constant { .. }));
                    if !values.contains(&value) && (is_constant || values.len() < MOST_VALUES + 2) {
                        values.push(value);
                    }
                }
                // `null` comes early, so that some states contain it.
                if let Some(at) = values.iter().position(|it| *it == Arg::Literal(Literal::Null))
                    && at > 2
                    && is_object
                {
                    let null = values.remove(at);
                    values.insert(2, null);
                }
                self.known.insert(key, values.clone());
                values
            }
        }
    }

    /// Whether tests pass strings where any object is accepted.
    fn has_texts(&self, class: &str) -> bool {
        let passed = self.passed.get(&JavaType::class(class).descriptor());
        passed.is_some_and(|it| it.iter().any(|it| matches!(it, Arg::Literal(Literal::String(_)))))
    }

    fn usual(
        &mut self,
        machine: &mut Machine,
        subject: &Subject,
        wanted: ArgumentType<'_>,
        depth: usize,
    ) -> Vec<Arg> {
        let ty = wanted.ty;
        let literals = |literals: Vec<Literal>| literals.into_iter().map(Arg::Literal).collect();
        let numbers = |least: i64, most: i64| {
            let near = [1, 0, 2, -1, 3, 7].into_iter().chain(self.constants.iter().copied().take(3));
            near.chain([most, least]).filter(move |it| (least..=most).contains(it))
        };
        match ty {
            JavaType::Void => Vec::new(),
            JavaType::Boolean => literals(vec![Literal::Boolean(true), Literal::Boolean(false)]),
            JavaType::Int => {
                let range = numbers(i64::from(i32::MIN), i64::from(i32::MAX));
                literals(range.map(|it| Literal::Int(it as i32)).collect())
            }
            JavaType::Long => literals(numbers(i64::MIN, i64::MAX).map(Literal::Long).collect()),
            JavaType::Short => {
                let range = numbers(i64::from(i16::MIN), i64::from(i16::MAX));
                literals(range.map(|it| Literal::Short(it as i16)).collect())
            }
            JavaType::Byte => literals(numbers(-128, 127).map(|it| Literal::Byte(it as i8)).collect()),
            JavaType::Char => literals("ab 0A\0".encode_utf16().map(Literal::Char).collect()),
            JavaType::Double => {
                literals([1.0, 0.0, -1.0, 2.5, f64::NAN, 0.1, 0.7].into_iter().map(Literal::Double).collect())
            }
            JavaType::Float => {
                literals([1.0, 0.0, -1.0, 2.5, 0.1, 0.7].into_iter().map(Literal::Float).collect())
            }
            JavaType::Array(element) => {
                let elements = self.values(machine, subject, ArgumentType::plain(element), depth + 1);
                let plain: Vec<Arg> =
                    elements.into_iter().filter(|it| *it != Arg::Literal(Literal::Null)).take(2).collect();
                let array = |elements: Vec<Arg>| Arg::Array((**element).clone(), elements);
                let mut found = vec![array(Vec::new())];
                if let Some(one) = plain.first() {
                    found.push(array(vec![one.clone()]));
                    found.push(array(plain.iter().rev().cloned().collect()));
                }
                found.push(Arg::Literal(Literal::Null));
                found
            }
            JavaType::Class(name) => self.objects_of(machine, subject, (name, wanted), depth),
        }
    }

    fn objects_of(
        &mut self,
        machine: &mut Machine,
        subject: &Subject,
        (name, wanted): (&str, ArgumentType<'_>),
        depth: usize,
    ) -> Vec<Arg> {
        let null = || Arg::Literal(Literal::Null);
        let boxed = |value: i32| Arg::Literal(Literal::Boxed(Box::new(Literal::Int(value))));
        let text = |it: &str| Arg::Literal(Literal::String(it.encode_utf16().collect()));
        match name {
            // Elements of one kind, as collections usually have: values passed by tests, or else integers.
            "java/lang/Object" | "java/lang/Comparable" | "java/lang/Number" if self.has_texts(name) => {
                return vec![null()];
            }
            "java/lang/Object" | "java/lang/Comparable" | "java/lang/Integer" => {
                return vec![boxed(1), boxed(2), boxed(0), null()];
            }
            "java/lang/Number" => {
                let other = |it: Literal| Arg::Literal(Literal::Boxed(Box::new(it)));
                let others = [Literal::Double(-2.5), Literal::Long(70_000)].map(other);
                return [boxed(1), boxed(2), boxed(0), null()].into_iter().chain(others).collect();
            }
            "java/lang/String" | "java/lang/CharSequence" => {
                // Both cases of letters, and white space: otherwise formulas about strings would describe these
                // values only.
                return vec![text("a"), text(""), text("Bc"), text(" "), null(), text("a longer text 1")];
            }
            _ => {}
        }
        if let Some(plain) = boxed_kind(name).map(java_type) {
            let values = self.usual(machine, subject, ArgumentType::plain(&plain), depth).into_iter();
            let boxed = values.filter_map(|it| match it {
                Arg::Literal(literal) => Some(Arg::Literal(Literal::Boxed(Box::new(literal)))),
                _ => None,
            });
            return boxed.take(4).chain([null()]).collect();
        }
        if depth > 2 {
            return vec![null()];
        }
        let stand_in = STAND_INS.iter().find(|(known, _)| *known == name).map_or(name, |it| it.1);
        let Ok(class) = machine.load(stand_in) else { return vec![null()] };
        if machine.initialize_class_now(class).is_err() {
            return vec![null()];
        }
        let makers = Makers::new(machine, class, &[], cupping_generate::AccessLevel::Public);
        // Each constant of an enumeration is a case of its own.
        let most = if machine.class(class).access.is_enum() { MOST_OF_ENUM } else { 4 };
        let mut found: Vec<Arg> = makers
            .constants
            .iter()
            .take(most)
            .map(|(class, field)| {
                let class = machine.class(*class);
                Arg::Literal(Literal::Constant {
                    class: Box::from(&*class.name),
                    field: Box::from(&*class.fields[*field].name),
                })
            })
            .collect();
        let typical = self.typical(machine, subject, name, depth);
        if !typical.is_empty() {
            // Constants such as `BigDecimal.ZERO` say less than these.
            found.truncate(1);
            found.extend(typical);
            found.push(null());
            return found;
        }
        if let Some(filled) = self.filled(machine, subject, &makers, wanted, depth) {
            found.extend(filled);
            found.push(null());
            return found;
        }
        let is_public = |it: &&Rc<cupping_generate::Invokable>| machine.method(it.method).access.is_public();
        let public: Vec<_> = makers.makers.iter().filter(is_public).take(2).cloned().collect();
        for maker in public {
            let columns: Vec<Vec<Arg>> = maker
                .parameters
                .iter()
                .map(|it| self.values(machine, subject, ArgumentType::of(it), depth + 1))
                .collect();
            let choices = columns.iter().map(Vec::len).max().unwrap_or(1).min(2);
            let first = |at: usize| -> Option<Vec<Arg>> {
                columns.iter().map(|it| it.get(at).or(it.first()).cloned()).collect()
            };
            let mut lists: Vec<Vec<Arg>> = (0..choices).filter_map(first).collect();
            let made = |arguments: &Vec<Arg>| {
                let maker = Invocation { invokable: maker.clone(), arguments: arguments.clone() };
                Construction::new(maker)
            };
            if !lists.iter().any(|it| is_accepted(machine, &made(it))) {
                // A constructor that refuses the simplest arguments may accept others.
                let mut others = Vec::new();
                let most: usize = columns.iter().map(|it| it.len().saturating_sub(1)).sum();
                (0..=most).for_each(|sum| add_choices(&columns, sum, &mut Vec::new(), &mut others));
                let accepted: Vec<Vec<Arg>> =
                    others.into_iter().filter(|it| is_accepted(machine, &made(it))).take(2).collect();
                if !accepted.is_empty() {
                    lists = accepted;
                }
            }
            found.extend(lists.iter().map(|it| Arg::Make(Rc::new(made(it)))));
        }
        if found.is_empty() && self.may_implement && depth == 0 && machine.class(class).access.is_interface()
        {
            let all = implementations(machine, class, &subject.package);
            found.extend(all.into_iter().map(|it| Arg::Implementation(Rc::new(it))));
        }
        found.push(null());
        found
    }
}

/// Whether an object can be constructed and does not take much memory; the machine's state stays.
fn is_accepted(machine: &mut Machine, made: &Construction) -> bool {
    let (before, used) = (machine.snapshot(), machine.memory().used());
    let is_made = construct(machine, made).is_ok();
    let grown = machine.memory().used().saturating_sub(used);
    machine.restore(&before);
    is_made && grown <= MOST_WORDS
}

fn add_choices(columns: &[Vec<Arg>], sum: usize, chosen: &mut Vec<Arg>, found: &mut Vec<Vec<Arg>>) {
    if found.len() >= MOST_CHOICES {
        return;
    }
    let Some((first, rest)) = columns.split_first() else {
        if sum == 0 {
            found.push(chosen.clone());
        }
        return;
    };
    for (at, value) in first.iter().enumerate().take(sum + 1) {
        chosen.push(value.clone());
        add_choices(rest, sum - at, chosen, found);
        chosen.pop();
    }
}

impl Pool {
    /// Whole numbers in the code of the class, and their neighbours.
    pub fn constants(&self) -> &[i64] {
        &self.constants
    }

    /// Argument lists at the boundaries of the code, for parameters that are all whole numbers: every combination,
    /// or a few of each part if there are more than `most`.
    pub fn boundaries(&self, types: &[JavaType], most: usize) -> Vec<Vec<Arg>> {
        let literal = |ty: &JavaType, it: i64| match ty {
            JavaType::Int => Some(Literal::Int(i32::try_from(it).ok()?)),
            JavaType::Long => Some(Literal::Long(it)),
            _ => None,
        };
        let columns = types.iter().map(|ty| {
            let all = self.constants.iter().map(|it| literal(ty, *it).map(Arg::Literal));
            all.collect::<Option<Vec<Arg>>>().filter(|it| !it.is_empty())
        });
        let Some(columns) = columns.collect::<Option<Vec<_>>>() else { return Vec::new() };
        let count = columns.iter().map(Vec::len).fold(1, usize::saturating_mul);
        let list = |at: usize| {
            let mut rest = at;
            let argument = |column: &Vec<Arg>| {
                let chosen = column[rest % column.len()].clone();
                rest /= column.len();
                chosen
            };
            columns.iter().map(argument).collect()
        };
        (0..count).step_by(count.div_ceil(most.max(1)).max(1)).map(list).collect()
    }
}
