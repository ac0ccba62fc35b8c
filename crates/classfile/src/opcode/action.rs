//! The actions of instructions: one variant for each family. The types that an instruction works on are in its
//! [`Effect`](super::Effect).

use super::effect::StackType;

/// The action of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Nothing.
    Nop,
    /// Pushes a [`Literal`] that the opcode or an immediate operand names.
    Constant,
    /// Pushes an entry of the constant pool: `ldc`, `ldc_w`, `ldc2_w`.
    LoadConstant,
    /// Pushes a local variable.
    Load,
    /// Pops into a local variable.
    Store,
    /// Adds to a local variable: `iinc`.
    Increment,
    /// Pushes an element of an array.
    ArrayLoad(ArrayElement),
    /// Pops into an element of an array.
    ArrayStore(ArrayElement),
    /// Moves slots of the operand stack; [`Effect::Shuffle`](super::Effect::Shuffle) says how.
    Shuffle,
    /// Combines two numbers.
    Arithmetic(Arithmetic),
    /// Negates a number.
    Negate,
    /// Converts between `int`, `long`, `float` and `double`.
    Convert,
    /// Truncates an int to a byte, char or short, and extends it again.
    Narrow(ArrayElement),
    /// Compares two numbers and pushes -1, 0 or 1; this number if one of them is NaN.
    Compare(i8),
    /// Jumps if the comparison holds: of one int with 0, of one reference with `null`, or of two operands.
    Branch(Comparison),
    /// Jumps: `goto`, `goto_w`.
    Goto,
    /// Calls a subroutine: `jsr`, `jsr_w`.
    Jsr,
    /// Returns from a subroutine.
    Ret,
    /// Jumps depending on a number: `tableswitch`, `lookupswitch`.
    Switch,
    /// Returns from the method, with a value of the type that it pops.
    Return,
    /// Throws.
    Throw,
    /// Reads a field of an object.
    GetField,
    /// Writes a field of an object.
    PutField,
    /// Reads a static field.
    GetStatic,
    /// Writes a static field.
    PutStatic,
    /// Calls a method.
    Invoke(Invocation),
    /// Creates an object.
    New,
    /// Creates an array of one dimension: `newarray`, `anewarray`.
    NewArray,
    /// Creates an array of arrays.
    NewMultiArray,
    /// Reads the length of an array.
    ArrayLength,
    /// Throws unless a reference is `null` or an instance of a class.
    CheckCast,
    /// Whether a reference is of a class.
    InstanceOf,
    /// Enters a monitor.
    MonitorEnter,
    /// Leaves a monitor.
    MonitorExit,
    /// Widens the operands of the next opcode. No decoded instruction has this action.
    Wide,
}

/// An operation on two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    ShiftLeft,
    ShiftRight,
    ShiftRightUnsigned,
    And,
    Or,
    Xor,
}

impl Arithmetic {
    /// Whether an integer division by a second operand of 0 throws.
    pub const fn checks_divisor(self) -> bool {
        matches!(self, Arithmetic::Divide | Arithmetic::Remainder)
    }

    /// Whether it is a shift: its second operand is an int, whatever the first is.
    pub const fn is_shift(self) -> bool {
        matches!(self, Arithmetic::ShiftLeft | Arithmetic::ShiftRight | Arithmetic::ShiftRightUnsigned)
    }

    /// Its operator in Java's source.
    pub const fn symbol(self) -> &'static str {
        match self {
            Arithmetic::Add => "+",
            Arithmetic::Subtract => "-",
            Arithmetic::Multiply => "*",
            Arithmetic::Divide => "/",
            Arithmetic::Remainder => "%",
            Arithmetic::ShiftLeft => "<<",
            Arithmetic::ShiftRight => ">>",
            Arithmetic::ShiftRightUnsigned => ">>>",
            Arithmetic::And => "&",
            Arithmetic::Or => "|",
            Arithmetic::Xor => "^",
        }
    }
}

/// A comparison by which an instruction branches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    GreaterOrEqual,
    Greater,
    LessOrEqual,
}

impl Comparison {
    /// The comparison that holds where this one does not.
    pub const fn negated(self) -> Comparison {
        match self {
            Comparison::Equal => Comparison::NotEqual,
            Comparison::NotEqual => Comparison::Equal,
            Comparison::Less => Comparison::GreaterOrEqual,
            Comparison::GreaterOrEqual => Comparison::Less,
            Comparison::Greater => Comparison::LessOrEqual,
            Comparison::LessOrEqual => Comparison::Greater,
        }
    }

    /// Its operator in Java's source.
    pub const fn symbol(self) -> &'static str {
        match self {
            Comparison::Equal => "==",
            Comparison::NotEqual => "!=",
            Comparison::Less => "<",
            Comparison::GreaterOrEqual => ">=",
            Comparison::Greater => ">",
            Comparison::LessOrEqual => "<=",
        }
    }
}

/// The elements that an array instruction accesses, or the type to which an int is truncated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArrayElement {
    /// `int`
    Int,
    /// `long`
    Long,
    /// `float`
    Float,
    /// `double`
    Double,
    /// References.
    Reference,
    /// `byte`; of arrays also `boolean`.
    Byte,
    /// `char`
    Char,
    /// `short`
    Short,
}

impl ArrayElement {
    /// The type in which the operand stack holds an element.
    pub const fn stack_type(self) -> StackType {
        match self {
            ArrayElement::Long => StackType::Long,
            ArrayElement::Float => StackType::Float,
            ArrayElement::Double => StackType::Double,
            ArrayElement::Reference => StackType::Reference,
            _ => StackType::Int,
        }
    }
}

/// The kind of method call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Invocation {
    /// By the class of the receiver.
    Virtual,
    /// A constructor, a private method, or one of a superclass.
    Special,
    /// A static method.
    Static,
    /// By the class of the receiver, through an interface.
    Interface,
    /// A call site that a bootstrap method links.
    Dynamic,
}

impl Invocation {
    /// Whether it pops a receiver.
    pub const fn has_receiver(self) -> bool {
        !matches!(self, Invocation::Static | Invocation::Dynamic)
    }
}

/// A constant that needs no constant pool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Literal {
    /// `null`
    Null,
    /// An int.
    Int(i32),
    /// A long.
    Long(i64),
    /// A float.
    Float(f32),
    /// A double.
    Double(f64),
}

impl Literal {
    /// Its type.
    pub const fn stack_type(self) -> StackType {
        match self {
            Literal::Null => StackType::Reference,
            Literal::Int(_) => StackType::Int,
            Literal::Long(_) => StackType::Long,
            Literal::Float(_) => StackType::Float,
            Literal::Double(_) => StackType::Double,
        }
    }
}
