//! The operands of instructions as Java writes them: the domain of the abstract interpreter.

use cupping_classfile::interpreter::{
    CalledMethod, Domain, FieldAccess, Fixpoint, Frame, FrameMismatch, Site,
};
use cupping_classfile::{
    Action, Arithmetic, ArrayElement, ClassFile, Code, Constant, FieldType, InstructionGraph, Invocation,
    Literal, MethodDescriptor, StackType,
};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Maximum length of a value's text; longer values are not written.
const LONGEST: usize = 60;
/// Box classes, whose conversions are implicit in source.
const BOXES: [&str; 8] = ["Boolean", "Byte", "Character", "Short", "Integer", "Long", "Float", "Double"];

/// A value as Java writes it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SourceText {
    pub(super) text: Rc<str>,
    pub(super) form: Form,
    /// Whether the text keeps its meaning for the rest of the method: no variable, field or object in it
    /// changes.
    is_stable: bool,
}

/// The form of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Form {
    /// It needs no parentheses anywhere.
    Primary,
    /// An operator or a cast is outermost.
    Compound,
    /// A `boolean`.
    Truth,
    /// A `char`.
    Character,
    /// The result of `lcmp` and similar instructions: its two operands.
    Comparison(Rc<str>, Rc<str>),
    /// It cannot be written.
    Unknown,
}

/// The operands of all instructions of a method.
pub(super) fn operands(
    file: &ClassFile,
    code: &Code,
    is_static: bool,
) -> Option<(InstructionGraph, Vec<Option<Frame<SourceText>>>)> {
    let graph = InstructionGraph::of(code)?;
    let mut entry = Frame { locals: vec![None; usize::from(code.max_locals)], stack: Vec::new() };
    if !is_static {
        *entry.locals.first_mut()? = Some(SourceText::new("this", Form::Primary, true));
    }
    let mut texts = Texts { code, reassigned: reassigned(code, &graph) };
    let before = Fixpoint::of(&mut texts, file, &graph, entry).before;
    Some((graph, before))
}

/// The slots of local variables that are assigned more than once.
fn reassigned(code: &Code, graph: &InstructionGraph) -> BTreeSet<u16> {
    let mut seen = BTreeSet::new();
    let mut found = BTreeSet::new();
    for instruction in &graph.instructions {
        let increased =
            (instruction.opcode.action() == Action::Increment).then(|| instruction.local()).flatten();
        let Some(slot) = instruction.stored_local().map(|(slot, _)| slot).or(increased) else { continue };
        // A parameter has a value from the beginning.
        if !seen.insert(slot) || code.variable_at(slot, 0).is_some() {
            found.insert(slot);
        }
    }
    found
}

impl SourceText {
    fn new(text: impl Into<Rc<str>>, form: Form, is_stable: bool) -> SourceText {
        let text = text.into();
        match text.chars().count() > LONGEST {
            true => SourceText::unknown(),
            false => SourceText { text, form, is_stable },
        }
    }

    fn unknown() -> SourceText {
        SourceText { text: "".into(), form: Form::Unknown, is_stable: false }
    }

    /// A value of this type.
    fn of_type(text: String, ty: Option<&FieldType>, is_stable: bool) -> SourceText {
        let form = match ty {
            Some(FieldType::Boolean) => Form::Truth,
            Some(FieldType::Char) => Form::Character,
            _ => Form::Primary,
        };
        SourceText::new(text, form, is_stable)
    }

    fn is_known(&self) -> bool {
        !matches!(self.form, Form::Unknown | Form::Comparison(..))
    }

    /// The text, in parentheses where an operand needs them.
    pub(super) fn within(&self) -> String {
        if self.form == Form::Compound { format!("({})", self.text) } else { self.text.to_string() }
    }

    /// The text next to an operand of this form: a number compared with a `char` is written as a character.
    pub(super) fn compared_with(&self, other: &Form) -> String {
        let unit = self.text.parse::<u8>().ok().filter(|it| (0x20..0x7f).contains(it));
        match unit {
            Some(unit) if *other == Form::Character => format!("{:?}", char::from(unit)),
            _ => self.text.to_string(),
        }
    }
}

/// Writes down what instructions compute.
struct Texts<'c> {
    code: &'c Code,
    reassigned: BTreeSet<u16>,
}

impl Domain for Texts<'_> {
    type Value = SourceText;
    type Refusal = FrameMismatch;

    fn unknown(&mut self, _: &Site<'_>, _: StackType) -> Result<SourceText, FrameMismatch> {
        Ok(SourceText::unknown())
    }

    fn literal(&mut self, _: &Site<'_>, literal: Literal) -> Result<SourceText, FrameMismatch> {
        let text = match literal {
            Literal::Null => "null".to_owned(),
            Literal::Int(value) => value.to_string(),
            Literal::Long(value) => format!("{value}L"),
            Literal::Float(value) => format!("{value:?}f"),
            Literal::Double(value) => format!("{value:?}"),
        };
        Ok(SourceText::new(text, Form::Primary, true))
    }

    fn constant(
        &mut self,
        _: &Site<'_>,
        constant: &Constant<'_>,
        _: StackType,
    ) -> Result<SourceText, FrameMismatch> {
        Ok(match constant {
            Constant::String(units) => {
                SourceText::new(format!("{:?}", String::from_utf16_lossy(units)), Form::Primary, true)
            }
            _ => SourceText::unknown(),
        })
    }

    fn load(
        &mut self,
        site: &Site<'_>,
        local: u16,
        value: Option<&SourceText>,
    ) -> Result<SourceText, FrameMismatch> {
        if let Some(known) = value.filter(|it| it.is_known()) {
            return Ok(known.clone());
        }
        let Some(variable) = self.code.variable_at(local, site.instruction.pc) else {
            return Ok(SourceText::unknown());
        };
        let is_stable = !self.reassigned.contains(&local);
        let ty = FieldType::parse(&variable.descriptor);
        Ok(SourceText::of_type(variable.name.to_string(), ty.as_ref(), is_stable))
    }

    fn store(
        &mut self,
        _: &Site<'_>,
        local: u16,
        value: SourceText,
    ) -> Result<Option<SourceText>, FrameMismatch> {
        Ok(Some(value).filter(|it| it.is_stable && !self.reassigned.contains(&local)))
    }

    fn increment(
        &mut self,
        _: &Site<'_>,
        _: u16,
        _: Option<&SourceText>,
        _: i32,
    ) -> Result<Option<SourceText>, FrameMismatch> {
        Ok(None)
    }

    fn arithmetic(
        &mut self,
        _: &Site<'_>,
        operator: Arithmetic,
        _: StackType,
        [a, b]: [SourceText; 2],
    ) -> Result<SourceText, FrameMismatch> {
        if !a.is_known() || !b.is_known() {
            return Ok(SourceText::unknown());
        }
        let text = format!("{} {} {}", a.within(), operator.symbol(), b.within());
        Ok(SourceText::new(text, Form::Compound, a.is_stable && b.is_stable))
    }

    fn negate(
        &mut self,
        _: &Site<'_>,
        _: StackType,
        operand: SourceText,
    ) -> Result<SourceText, FrameMismatch> {
        Ok(match operand.is_known() {
            true => SourceText::new(format!("-{}", operand.within()), Form::Compound, operand.is_stable),
            false => SourceText::unknown(),
        })
    }

    fn convert(
        &mut self,
        _: &Site<'_>,
        from: StackType,
        to: StackType,
        operand: SourceText,
    ) -> Result<SourceText, FrameMismatch> {
        let cast = match (from, to) {
            (StackType::Long | StackType::Float | StackType::Double, StackType::Int) => "(int) ",
            (StackType::Float | StackType::Double, StackType::Long) => "(long) ",
            (StackType::Double, StackType::Float) => "(float) ",
            // Widening conversions are implicit in source.
            _ => return Ok(operand),
        };
        Ok(cast_text(cast, &operand))
    }

    fn narrow(
        &mut self,
        _: &Site<'_>,
        element: ArrayElement,
        operand: SourceText,
    ) -> Result<SourceText, FrameMismatch> {
        Ok(match element {
            ArrayElement::Byte => cast_text("(byte) ", &operand),
            ArrayElement::Short => cast_text("(short) ", &operand),
            _ => cast_text("(char) ", &operand),
        })
    }

    fn compare(
        &mut self,
        _: &Site<'_>,
        _: StackType,
        _: i8,
        [a, b]: [SourceText; 2],
    ) -> Result<SourceText, FrameMismatch> {
        Ok(match a.is_known() && b.is_known() {
            true => SourceText { form: Form::Comparison(a.text, b.text), ..SourceText::unknown() },
            false => SourceText::unknown(),
        })
    }

    fn array_load(
        &mut self,
        _: &Site<'_>,
        element: ArrayElement,
        array: SourceText,
        index: SourceText,
    ) -> Result<SourceText, FrameMismatch> {
        if !array.is_known() || !index.is_known() {
            return Ok(SourceText::unknown());
        }
        let form = if element == ArrayElement::Char { Form::Character } else { Form::Primary };
        Ok(SourceText::new(format!("{}[{}]", array.within(), index.text), form, false))
    }

    fn array_length(&mut self, _: &Site<'_>, array: SourceText) -> Result<SourceText, FrameMismatch> {
        Ok(match array.is_known() {
            true => SourceText::new(format!("{}.length", array.within()), Form::Primary, array.is_stable),
            false => SourceText::unknown(),
        })
    }

    fn get_field(
        &mut self,
        _: &Site<'_>,
        field: &FieldAccess<'_>,
        object: Option<SourceText>,
    ) -> Result<SourceText, FrameMismatch> {
        let text = match object {
            Some(object) if !object.is_known() => return Ok(SourceText::unknown()),
            Some(object) if &*object.text == "this" => field.name.to_owned(),
            Some(object) => format!("{}.{}", object.within(), field.name),
            None => format!("{}.{}", simple(field.class), field.name),
        };
        Ok(SourceText::of_type(text, FieldType::parse(field.descriptor).as_ref(), false))
    }

    fn call(
        &mut self,
        _: &Site<'_>,
        _: &mut Frame<SourceText>,
        call: &CalledMethod<'_>,
        operands: Vec<SourceText>,
        result: Option<StackType>,
    ) -> Result<Option<SourceText>, FrameMismatch> {
        Ok(result.map(|_| call_text(call, &operands)))
    }

    fn check_cast(&mut self, _: &Site<'_>, _: &str, value: SourceText) -> Result<SourceText, FrameMismatch> {
        Ok(value)
    }

    fn join(&mut self, _: Option<&SourceText>, _: Option<&SourceText>) -> Option<SourceText> {
        Some(SourceText::unknown())
    }
}

fn cast_text(cast: &str, operand: &SourceText) -> SourceText {
    if !operand.is_known() {
        return SourceText::unknown();
    }
    SourceText::new(format!("{cast}{}", operand.within()), Form::Compound, operand.is_stable)
}

/// `text.charAt(0)`; boxing and unboxing are implicit in source.
fn call_text(call: &CalledMethod<'_>, operands: &[SourceText]) -> SourceText {
    let descriptor = MethodDescriptor::parse(call.descriptor);
    let is_written = !matches!(call.how, Invocation::Dynamic) && call.name != "<init>";
    let Some(descriptor) = descriptor.filter(|_| is_written && operands.iter().all(SourceText::is_known))
    else {
        return SourceText::unknown();
    };
    let class = simple(call.class);
    let is_box = call.class.starts_with("java/lang/") && BOXES.contains(&class);
    let (receiver, arguments) = match (call.how, operands) {
        (Invocation::Static, arguments) => (None, arguments),
        (_, [receiver, arguments @ ..]) => (Some(receiver), arguments),
        _ => return SourceText::unknown(),
    };
    let is_conversion = match receiver {
        Some(_) => call.name.ends_with("Value") && arguments.is_empty(),
        None => call.name == "valueOf" && descriptor.parameters.iter().all(|it| !it.is_reference()),
    };
    if is_box
        && is_conversion
        && let [only] = operands
    {
        return only.clone();
    }
    // Texts and boxes are immutable; the result of a static method is assumed to be a function of its
    // arguments.
    let is_constant = receiver.is_none() || is_box || call.class == "java/lang/String";
    let is_stable = is_constant && operands.iter().all(|it| it.is_stable);
    let arguments: Vec<String> = arguments.iter().map(|it| it.text.to_string()).collect();
    let called = format!("{}({})", call.name, arguments.join(", "));
    let text = match receiver {
        Some(receiver) if &*receiver.text == "this" => called,
        Some(receiver) => format!("{}.{called}", receiver.within()),
        None => format!("{class}.{called}"),
    };
    SourceText::of_type(text, descriptor.result.as_ref(), is_stable)
}

/// The name of a class without package and outer classes.
fn simple(class: &str) -> &str {
    class.rsplit(['/', '$']).next().unwrap_or(class)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn primary(text: &str) -> SourceText {
        SourceText::new(text, Form::Primary, true)
    }

    fn sum() -> SourceText {
        SourceText::new("a + b", Form::Compound, true)
    }

    /// A call on these operands, receiver first.
    fn called(how: Invocation, method: (&str, &str, &str), operands: &[SourceText]) -> SourceText {
        let (class, name, descriptor) = method;
        call_text(&CalledMethod { how, class, name, descriptor }, operands)
    }

    #[test]
    fn an_operand_with_an_operator_gets_parentheses() {
        assert_eq!(primary("a").within(), "a");
        assert_eq!(sum().within(), "(a + b)");
        assert_eq!(&*cast_text("(int) ", &primary("a")).text, "(int) a");
        assert_eq!(cast_text("(int) ", &sum()).within(), "((int) (a + b))");
        assert_eq!(cast_text("(int) ", &SourceText::unknown()), SourceText::unknown());
    }

    #[test]
    fn a_number_compared_with_a_character_is_written_as_one() {
        let shown = |text: &str, other: Form| primary(text).compared_with(&other);
        assert_eq!(shown("97", Form::Character), "'a'");
        assert_eq!(shown("39", Form::Character), r"'\''");
        assert_eq!(shown("97", Form::Primary), "97");
        for text in ["10", "127", "233", "-1", "c"] {
            assert_eq!(shown(text, Form::Character), text, "it is no printable ASCII character");
        }
    }

    #[test]
    fn values_that_take_more_room_are_not_written() {
        assert!(primary(&"\u{e9}".repeat(LONGEST)).is_known());
        assert!(!primary(&"a".repeat(LONGEST + 1)).is_known());
    }

    #[test]
    fn the_form_of_a_value_follows_its_type() {
        let form = |descriptor: &str| {
            SourceText::of_type("it".into(), FieldType::parse(descriptor).as_ref(), true).form
        };
        assert_eq!(form("Z"), Form::Truth);
        assert_eq!(form("C"), Form::Character);
        assert_eq!(form("I"), Form::Primary);
        assert_eq!(form("Ljava/lang/Boolean;"), Form::Primary);
    }

    #[test]
    fn calls_are_written_with_receiver_or_class() {
        let char_at = ("java/lang/String", "charAt", "(I)C");
        let found = called(Invocation::Virtual, char_at, &[primary("text"), sum()]);
        assert_eq!((&*found.text, found.form), ("text.charAt(a + b)", Form::Character));
        let length = ("java/lang/String", "length", "()I");
        assert_eq!(&*called(Invocation::Virtual, length, &[sum()]).text, "(a + b).length()");
        let size = ("p/Box", "size", "()I");
        assert_eq!(&*called(Invocation::Virtual, size, &[primary("this")]).text, "size()");
        let max = ("p/Box$Sizes", "max", "(II)I");
        assert_eq!(&*called(Invocation::Static, max, &[primary("a"), primary("b")]).text, "Sizes.max(a, b)");
    }

    #[test]
    fn boxing_is_implicit() {
        let integer = |name, descriptor| ("java/lang/Integer", name, descriptor);
        let boxed = called(Invocation::Static, integer("valueOf", "(I)Ljava/lang/Integer;"), &[sum()]);
        assert_eq!(boxed, sum());
        assert_eq!(called(Invocation::Virtual, integer("longValue", "()J"), &[sum()]), sum());
        let parsed = integer("valueOf", "(Ljava/lang/String;)Ljava/lang/Integer;");
        let parsed = called(Invocation::Static, parsed, &[primary("text")]);
        assert_eq!(&*parsed.text, "Integer.valueOf(text)", "a text is no box");
        let own = ("p/Integer", "intValue", "()I");
        assert_eq!(&*called(Invocation::Virtual, own, &[primary("it")]).text, "it.intValue()");
    }

    #[test]
    fn what_source_does_not_call_by_name_is_not_written() {
        let size = ("p/Box", "size", "()I");
        assert!(!called(Invocation::Virtual, size, &[SourceText::unknown()]).is_known());
        assert!(!called(Invocation::Special, ("p/Box", "<init>", "()V"), &[primary("it")]).is_known());
        assert!(!called(Invocation::Dynamic, ("", "run", "()Ljava/lang/Runnable;"), &[]).is_known());
        assert!(!called(Invocation::Virtual, ("p/Box", "size", "damaged"), &[primary("it")]).is_known());
    }

    #[test]
    fn only_texts_boxes_and_static_methods_give_the_same_later() {
        let changing = SourceText { is_stable: false, ..primary("i") };
        let char_at = ("java/lang/String", "charAt", "(I)C");
        assert!(called(Invocation::Virtual, char_at, &[primary("text"), primary("0")]).is_stable);
        assert!(!called(Invocation::Virtual, char_at, &[primary("text"), changing.clone()]).is_stable);
        assert!(!called(Invocation::Virtual, ("p/Box", "size", "()I"), &[primary("box")]).is_stable);
        assert!(called(Invocation::Static, ("p/Box", "of", "(I)I"), &[primary("0")]).is_stable);
        assert!(!called(Invocation::Static, ("p/Box", "of", "(I)I"), &[changing]).is_stable);
    }
}
