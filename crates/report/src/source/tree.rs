//! Statements and expressions.

use cupping_case::{JavaType, Literal};

/// A type: what it is, and what the file calls it.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeName {
    /// The erased type.
    pub ty: JavaType,
    /// Its name in the file: simple or qualified, with type arguments.
    pub name: String,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A literal value. Classes, constants and boxes have separate forms.
    Literal(Literal),
    /// A variable, or a field of the test.
    Name(String),
    /// A type, as the receiver of a static member.
    Type(TypeName),
    /// The class as an object.
    ClassOf(TypeName),
    /// A field.
    Field(Box<Expr>, String),
    /// An element of an array.
    Element(Box<Expr>, i32),
    /// A call; without a receiver, of a method of the test class.
    Call(Option<Box<Expr>>, String, Vec<Expr>),
    /// A new object.
    New(Box<NewObject>),
    /// A new array of this element type with these elements.
    Array(TypeName, Vec<Expr>),
    /// The values of a call by reflection, as an array with its elements written out even if there are none.
    Values(TypeName, Vec<Expr>),
    /// A value as another type.
    Cast(TypeName, Box<Expr>),
    /// An assignment.
    Assign(Box<Expr>, Box<Expr>),
    /// Whether a reference is null.
    IsNull(Box<Expr>),
    /// Texts and other values as one text.
    Concatenation(Vec<Expr>),
    /// The next element of an array, a field that is counted by another: names of both, and the place of the last
    /// element, which stays.
    Next(String, String, usize),
    /// A lambda expression: names of parameters, and body.
    Lambda(Vec<String>, Lambda),
}

/// The body of a lambda expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Lambda {
    /// It has this value.
    Value(Box<Expr>),
    /// It runs these statements.
    Block(Vec<Stmt>),
}

/// A new object.
#[derive(Clone, Debug, PartialEq)]
pub struct NewObject {
    /// The object that an inner class belongs to.
    pub outer: Option<Expr>,
    /// The class.
    pub class: TypeName,
    /// The arguments of the constructor.
    pub arguments: Vec<Expr>,
    /// Fields of an anonymous class.
    pub fields: Vec<Field>,
    /// Whether an anonymous class implements an interface.
    pub is_interface: bool,
    /// Methods of an anonymous class; `None` for other classes.
    pub methods: Option<Vec<Method>>,
}

impl NewObject {
    /// An object of a class with a name.
    pub fn of(outer: Option<Expr>, class: TypeName, arguments: Vec<Expr>) -> NewObject {
        NewObject { outer, class, arguments, fields: Vec::new(), is_interface: false, methods: None }
    }
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    /// A local variable.
    Local(TypeName, String, Expr),
    /// An expression for its effect.
    Expr(Expr),
    /// A returned value.
    Return(Expr),
    /// A thrown exception.
    Throw(Expr),
    /// A condition.
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// An assertion.
    Assert(Assert),
}

/// An assertion, whatever the framework calls it.
#[derive(Clone, Debug, PartialEq)]
pub enum Assert {
    /// Two values are equal, within a tolerance if there is one.
    Equal {
        /// The expected value.
        expected: Expr,
        /// The actual value.
        actual: Expr,
        /// The tolerance for numbers.
        delta: Option<Expr>,
    },
    /// Two arrays have equal elements.
    ArrayEqual {
        /// The expected value.
        expected: Expr,
        /// The actual value.
        actual: Expr,
        /// The tolerance for numbers.
        delta: Option<Expr>,
    },
    /// Two values differ.
    NotEqual {
        /// The unexpected value.
        unexpected: Expr,
        /// The actual value.
        actual: Expr,
    },
    /// Two objects are one.
    Same {
        /// The expected value.
        expected: Expr,
        /// The actual value.
        actual: Expr,
    },
    /// A condition holds.
    True(Expr),
    /// It does not.
    False(Expr),
    /// A reference is null.
    Null(Expr),
    /// It is not.
    NotNull(Expr),
    /// Code throws an exception of a class, which is stored in the variable if it has a name.
    Throws {
        /// The class.
        class: TypeName,
        /// The code.
        body: Lambda,
        /// The variable.
        variable: Option<String>,
    },
}

/// A field of the test class.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its annotations.
    pub annotations: Vec<TypeName>,
    /// Its modifiers.
    pub modifiers: &'static [&'static str],
    /// Its type.
    pub ty: TypeName,
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Option<Expr>,
}

/// A method.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Method {
    /// Its annotations, with names as used in the file.
    pub annotations: Vec<String>,
    /// Its modifiers.
    pub modifiers: &'static [&'static str],
    /// Its result type; `None` if it is void.
    pub result: Option<TypeName>,
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub parameters: Vec<(TypeName, String)>,
    /// The exceptions that it declares, with commas.
    pub throws: Option<String>,
    /// Its statements, in paragraphs.
    pub body: Vec<Vec<Stmt>>,
}

impl TypeName {
    /// A type that the file calls so.
    pub fn new(ty: JavaType, name: impl Into<String>) -> TypeName {
        TypeName { ty, name: name.into() }
    }

    /// A class of `java.lang`, which a file names by its simple name unless that denotes another class there.
    pub fn lang(simple: &str) -> TypeName {
        TypeName::new(JavaType::class(&format!("java/lang/{simple}")), simple)
    }
}

impl Expr {
    /// A variable or field of the test.
    pub fn name(name: &str) -> Expr {
        Expr::Name(name.into())
    }

    /// A string.
    pub fn string(text: &str) -> Expr {
        Expr::Literal(Literal::String(text.encode_utf16().collect()))
    }

    /// `receiver.method(arguments)`
    pub fn call(receiver: Expr, method: &str, arguments: Vec<Expr>) -> Expr {
        Expr::Call(Some(Box::new(receiver)), method.into(), arguments)
    }

    /// `Class.method(arguments)`
    pub fn static_call(class: TypeName, method: &str, arguments: Vec<Expr>) -> Expr {
        Expr::call(Expr::Type(class), method, arguments)
    }

    /// `helper(arguments)`
    pub fn helper(method: &str, arguments: Vec<Expr>) -> Expr {
        Expr::Call(None, method.into(), arguments)
    }

    /// `receiver.field`
    pub fn field(receiver: Expr, field: &str) -> Expr {
        Expr::Field(Box::new(receiver), field.into())
    }

    /// `new Class(arguments)`
    pub fn new(class: TypeName, arguments: Vec<Expr>) -> Expr {
        Expr::New(Box::new(NewObject::of(None, class, arguments)))
    }

    /// `(Type) value`
    pub fn cast(to: TypeName, value: Expr) -> Expr {
        Expr::Cast(to, Box::new(value))
    }

    /// `target = value`
    pub fn assign(target: Expr, value: Expr) -> Expr {
        Expr::Assign(Box::new(target), Box::new(value))
    }

    /// Whether it creates an object or array, whose class is therefore known.
    pub fn is_creation(&self) -> bool {
        match self {
            Expr::New(new) => new.outer.is_none(),
            Expr::Array(..) | Expr::Values(..) => true,
            _ => false,
        }
    }

    /// Whether it is an array of constants: its evaluation has no effect and cannot fail. It may be written as a
    /// text.
    pub fn is_constant_array(&self) -> bool {
        if let Expr::Call(Some(text), method, _) = self
            && matches!(**text, Expr::Literal(Literal::String(_)))
        {
            return matches!(method.as_str(), "getBytes" | "toCharArray");
        }
        let Expr::Array(_, values) = self else { return false };
        values.iter().all(|it| match it {
            Expr::Literal(_) | Expr::Name(_) | Expr::ClassOf(_) => true,
            Expr::Field(of, _) => matches!(**of, Expr::Type(_)),
            other => other.is_constant_array(),
        })
    }
}
