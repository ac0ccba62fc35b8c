//! Suites over the fixture classes, with one case for each thing that is awkward to print.

use cupping_case::*;

/// Builds a case step by step.
pub struct Build {
    variables: Vec<Variable>,
    steps: Vec<Step>,
    assertions: Vec<Assertion>,
    outcome: Outcome,
    distinction: String,
    path: Vec<PathNote>,
}

pub fn case() -> Build {
    Build {
        variables: vec![],
        steps: vec![],
        assertions: vec![],
        outcome: Outcome::Returned,
        distinction: String::new(),
        path: vec![],
    }
}

pub fn method(class: &str, name: &str, descriptor: &str) -> MethodRef {
    MethodRef {
        class: class.into(),
        name: name.into(),
        descriptor: descriptor.into(),
        varargs: false,
        throws: vec![],
        parameter_names: vec![],
    }
}

pub fn ty(descriptor: &str) -> JavaType {
    JavaType::parse(descriptor).unwrap()
}

pub fn text(text: &str) -> Literal {
    Literal::String(text.encode_utf16().collect())
}

pub fn lit(literal: Literal) -> Operand {
    Operand::Literal(literal)
}

pub fn int(value: i32) -> Operand {
    lit(Literal::Int(value))
}

pub fn var(index: u32) -> Operand {
    Operand::Var(VarId(index))
}

impl Build {
    /// A step whose result goes to a new variable of this type.
    pub fn make(mut self, descriptor: &str, action: Action) -> Self {
        self.variables.push(Variable { ty: ty(descriptor) });
        let result = Some(VarId(self.variables.len() as u32 - 1));
        self.steps.push(Step { action, result });
        self
    }

    /// A step without result.
    pub fn run(mut self, action: Action) -> Self {
        self.steps.push(Step { action, result: None });
        self
    }

    pub fn construct(self, class: &str, descriptor: &str, args: Vec<Operand>) -> Self {
        let constructor = method(class, "<init>", descriptor);
        self.make(&format!("L{class};"), Action::Construct { constructor, args })
    }

    pub fn expect(mut self, var: u32, expectation: Expectation) -> Self {
        self.assertions.push(Assertion { probe: Probe::Var(VarId(var)), expectation });
        self
    }

    pub fn equals(self, var: u32, literal: Literal) -> Self {
        self.expect(var, Expectation::Equals(literal))
    }

    pub fn observe(mut self, receiver: u32, method: MethodRef, literal: Literal) -> Self {
        let probe = Probe::Observer { receiver: VarId(receiver), method, arguments: Vec::new() };
        self.assertions.push(Assertion { probe, expectation: Expectation::Equals(literal) });
        self
    }

    pub fn throws(mut self, class: &str, message: Option<&str>) -> Self {
        let message = message.map(|it| it.encode_utf16().collect());
        self.outcome = Outcome::Threw { class: class.into(), message };
        self
    }

    pub fn distinct(mut self, distinction: &str) -> Self {
        self.distinction = distinction.into();
        self
    }

    pub fn note(mut self, place: &str, line: u32, constraint: &str) -> Self {
        self.path.push(PathNote { place: place.into(), line: Some(line), constraint: constraint.into() });
        self
    }

    pub fn build(self) -> Case {
        let under_test = match &self.steps.last().unwrap().action {
            Action::Construct { constructor: method, .. }
            | Action::Invoke { method, .. }
            | Action::InvokeStatic { method, .. } => method.clone(),
            other => panic!("{other:?}"),
        };
        let Build { variables, steps, assertions, outcome, distinction, path } = self;
        Case {
            under_test,
            variables,
            steps,
            outcome,
            assertions,
            distinction,
            path,
            name: None,
            restores: Vec::new(),
            empties: Vec::new(),
            cause: None,
            effects: Default::default(),
            purpose: Vec::new(),
            caught: Vec::new(),
        }
    }
}

pub fn suite(class: &str, cases: Vec<Case>, failing: Vec<Case>) -> Suite {
    let lines = CoverageCount { covered: 9, total: 10 };
    let branches = CoverageCount { covered: 3, total: 4 };
    Suite { cases, failing, lines, branches, ..Suite::new(class) }
}

/// Files in the test's folder, state shared by all code, and a case that must not be printed.
pub fn scribe() -> Suite {
    const SCRIBE: &str = "desk/Scribe";
    const FILE: &str = "java/io/File";
    let text = |text: &str| Operand::Literal(Literal::String(text.encode_utf16().collect()));
    let claim = |path: &str, aspect, literal| Assertion {
        probe: Probe::File { path: path.into(), aspect },
        expectation: Expectation::Equals(literal),
    };
    let path = method(FILE, "toPath", "()Ljava/nio/file/Path;");
    let bytes = method("java/lang/String", "getBytes", "()[B");
    let option = JavaType::class("java/nio/file/OpenOption");
    let mut write = method(
        "java/nio/file/Files",
        "write",
        "(Ljava/nio/file/Path;[B[Ljava/nio/file/OpenOption;)Ljava/nio/file/Path;",
    );
    write.varargs = true;
    write.throws = vec!["java/io/IOException".into()];
    let mut to_move = method(SCRIBE, "move", "(Ljava/io/File;)Ljava/io/File;");
    to_move.throws = vec!["java/io/IOException".into()];
    let mut moved = case()
        .make("Ljava/io/File;", Action::TestFolder)
        .construct(FILE, "(Ljava/io/File;Ljava/lang/String;)V", vec![var(0), text("a")])
        .make("Ljava/nio/file/Path;", Action::Invoke { method: path, receiver: var(1), args: vec![] })
        .make("[B", Action::Invoke { method: bytes, receiver: text("one\ntwo"), args: vec![] })
        .make("[Ljava/nio/file/OpenOption;", Action::NewArray { element: option, elements: vec![] })
        .run(Action::InvokeStatic { method: write, args: vec![var(2), var(3), var(4)] })
        .make("Ljava/io/File;", Action::InvokeStatic { method: to_move, args: vec![var(1)] })
        .expect(5, Expectation::InFolder("moved".into()))
        .build();
    moved.assertions.extend([
        claim("a", FileAspect::Exists, Literal::Boolean(false)),
        claim("done", FileAspect::IsFolder, Literal::Boolean(true)),
        claim("moved", FileAspect::Text, Literal::String("one\ntwo".encode_utf16().collect())),
        claim("moved", FileAspect::Length, Literal::Long(7)),
    ]);
    moved.assertions.push(Assertion {
        probe: Probe::File { path: "moved".into(), aspect: FileAspect::Bytes },
        expectation: Expectation::ArrayEquals(
            b"one\ntwo".iter().map(|byte| Literal::Byte(*byte as i8)).collect(),
        ),
    });
    let number = |name: &str, effects: &[Effect]| {
        let method = method(SCRIBE, name, "(I)I");
        let args = vec![Operand::Literal(Literal::Int(3))];
        let mut case =
            case().make("I", Action::InvokeStatic { method, args }).equals(0, Literal::Int(3)).build();
        case.effects = effects.iter().cloned().collect();
        case
    };
    let changes = [
        Effect::PropertySet("desk.number".into()),
        Effect::DefaultLocale,
        Effect::DefaultTimeZone,
        Effect::StreamReplaced(Stream::Err),
    ];
    let outside = Effect::File { path: "/cupping-home/diary".into(), access: Access::Deleted };
    let harm = number("harm", &[outside]);
    suite(SCRIBE, vec![harm.clone(), moved, number("settle", &changes)], vec![harm])
}

const BOX: &str = "shop/CoinBox";

fn call(receiver: u32, method: MethodRef, args: Vec<Operand>) -> Action {
    Action::Invoke { method, receiver: var(receiver), args }
}

fn on_box(name: &str, descriptor: &str) -> Action {
    call(0, method(BOX, name, descriptor), vec![])
}

/// The defect of the paper's coin box: it vends after the coins were returned.
pub fn coin_box() -> Suite {
    let current = || method(BOX, "getCurQtrs", "()I");
    let fresh = || case().construct(BOX, "()V", vec![]);
    let two = || fresh().run(on_box("addQtr", "()V")).run(on_box("addQtr", "()V"));
    let per_customer =
        MethodRef { parameter_names: vec!["customers".into()], ..method(BOX, "perCustomer", "(I)I") };
    let cases = vec![
        fresh().make("Z", on_box("vend", "()Z")).equals(1, Literal::Boolean(false)).build(),
        fresh().run(on_box("addQtr", "()V")).observe(0, current(), Literal::Int(1)).build(),
        two()
            .run(on_box("returnQtrs", "()I"))
            .make("Z", on_box("vend", "()Z"))
            .equals(1, Literal::Boolean(true))
            .observe(0, current(), Literal::Int(-2))
            .build(),
        fresh().make("I", call(0, per_customer.clone(), vec![int(3)])).equals(1, Literal::Int(0)).build(),
    ];
    let failing = vec![
        fresh()
            .make("I", call(0, per_customer, vec![int(0)]))
            .throws("java/lang/ArithmeticException", Some("/ by zero"))
            .note("CoinBox.perCustomer", 37, "customers == 0")
            .note("odd*/place\\u000a", 38, "a < b && c > \"é\"")
            .build(),
    ];
    suite(BOX, cases, failing)
}

const KINDS: &str = "kinds/Kinds";

fn of_kinds(name: &str, descriptor: &str, args: Vec<Operand>) -> Action {
    Action::InvokeStatic { method: method(KINDS, name, descriptor), args }
}

fn pick(parameter: &str, arg: Operand, picked: &str) -> Case {
    let descriptor = format!("({parameter})Ljava/lang/String;");
    let varargs = parameter.starts_with('[');
    let method = MethodRef { varargs, ..method(KINDS, "pick", &descriptor) };
    case()
        .make("Ljava/lang/String;", Action::InvokeStatic { method, args: vec![arg] })
        .equals(0, text(picked))
        .build()
}

fn boxed(literal: Literal) -> Literal {
    Literal::Boxed(Box::new(literal))
}

fn overloads() -> Vec<Case> {
    let object = "Ljava/lang/Object;";
    vec![
        pick("I", int(-1), "int"),
        pick("J", int(-1), "long"),
        pick("J", lit(Literal::Long(7)), "long"),
        pick("B", lit(Literal::Byte(-1)), "byte"),
        pick("C", lit(Literal::Char(b'\n'.into())), "char"),
        pick("Ljava/lang/Integer;", lit(boxed(Literal::Int(-1))), "Integer"),
        pick("Ljava/lang/Integer;", lit(Literal::Null), "Integer"),
        pick(object, lit(Literal::Null), "Object"),
        pick(object, lit(boxed(Literal::Int(-1))), "Object"),
        pick(object, lit(text("a")), "Object"),
        pick("Ljava/lang/String;", lit(text("\u{0}\"\\u\r\n\u{7}7é\u{2028}")), "String"),
        pick("Ljava/lang/String;", lit(Literal::Null), "String"),
        pick("[Ljava/lang/Object;", lit(Literal::Null), "Object..."),
        pick(object, lit(Literal::Class(ty("[I"))), "Object"),
        pick("Ljava/lang/String;", lit(text(&"long ".repeat(20_000))), "String"),
    ]
}

fn numbers() -> Vec<Case> {
    let half = |value: f64| {
        case()
            .make("D", of_kinds("half", "(D)D", vec![lit(Literal::Double(value))]))
            .equals(0, Literal::Double(value / 2.0))
            .build()
    };
    let half_float = |value: f32| {
        case()
            .make("F", of_kinds("halfFloat", "(F)F", vec![lit(Literal::Float(value))]))
            .equals(0, Literal::Float(value / 2.0))
            .build()
    };
    let boxes = |value: i32, expected: Literal| {
        case()
            .make("Ljava/lang/Integer;", of_kinds("box", "(I)Ljava/lang/Integer;", vec![int(value)]))
            .equals(0, expected)
            .build()
    };
    let any = of_kinds("any", "(I)Ljava/lang/Object;", vec![int(i32::MIN)]);
    let halves = |values: Vec<f64>| {
        let elements = values.iter().map(|&it| lit(Literal::Double(it))).collect();
        let halved = values.iter().map(|&it| Literal::Double(it / 2.0)).collect();
        let method = MethodRef { varargs: true, ..method(KINDS, "halves", "([D)[D") };
        case()
            .make("[D", Action::NewArray { element: JavaType::Double, elements })
            .make("[D", Action::InvokeStatic { method, args: vec![var(0)] })
            .expect(1, Expectation::ArrayEquals(halved))
            .build()
    };
    vec![
        half(3.0),
        half(-0.0),
        half(f64::NAN),
        half(f64::NEG_INFINITY),
        half(1e300),
        half(f64::MAX),
        half_float(0.2),
        half_float(0.0),
        half_float(f32::NAN),
        case().make("B", of_kinds("low", "(I)B", vec![int(255)])).equals(0, Literal::Byte(-1)).build(),
        boxes(3, boxed(Literal::Int(3))),
        boxes(0, Literal::Null),
        case().make("Ljava/lang/Object;", any).equals(0, boxed(Literal::Int(i32::MIN))).build(),
        halves(vec![]),
        halves(vec![3.0, f64::NAN]),
        halves(vec![-0.0, 1.0]),
        case()
            .make("[[I", of_kinds("square", "(I)[[I", vec![int(0)]))
            .expect(0, Expectation::InstanceOf("[[I".into()))
            .build(),
    ]
}

fn objects() -> Vec<Case> {
    let colour = |field: &str| Literal::Constant { class: "kinds/Kinds$Colour".into(), field: field.into() };
    let next = "(Lkinds/Kinds$Colour;)Lkinds/Kinds$Colour;";
    let pair = "kinds/Kinds$Pair";
    let objects = "(Ljava/lang/Object;Ljava/lang/Object;)V";
    let read = MethodRef {
        throws: vec!["java/io/IOException".into()],
        ..method(KINDS, "read", "(Ljava/lang/String;)Ljava/lang/String;")
    };
    let add = MethodRef { ..method("java/util/ArrayList", "add", "(Ljava/lang/Object;)Z") };
    let field = FieldRef { class: KINDS.into(), name: "counter".into(), ty: JavaType::Int };
    let deprecated = method(KINDS, "self", "()Lkinds/Kinds;");
    let inner = method("kinds/Kinds$Inner", "<init>", "(Lkinds/Kinds;I)V");
    vec![
        case()
            .make("Lkinds/Kinds$Colour;", of_kinds("next", next, vec![lit(colour("RED"))]))
            .equals(0, colour("DARK_GREEN"))
            .build(),
        case()
            .construct(pair, objects, vec![lit(text("a")), lit(Literal::Null)])
            .make("Ljava/lang/Object;", call(0, method(pair, "getLeft", "()Ljava/lang/Object;"), vec![]))
            .equals(1, text("a"))
            .build(),
        case()
            .make(
                "Ljava/lang/String;",
                Action::InvokeStatic { method: read.clone(), args: vec![lit(text(" a "))] },
            )
            .equals(0, text("a"))
            .build(),
        case()
            .run(Action::InvokeStatic { method: read, args: vec![lit(Literal::Null)] })
            .throws("java/io/IOException", Some("no name"))
            .build(),
        case()
            .construct("java/util/ArrayList", "()V", vec![])
            .run(call(0, add, vec![lit(boxed(Literal::Int(4)))]))
            .make(
                "Ljava/lang/Object;",
                of_kinds("first", "(Ljava/util/List;)Ljava/lang/Object;", vec![var(0)]),
            )
            .equals(1, boxed(Literal::Int(4)))
            .distinct("list of one")
            .build(),
        case()
            .construct(KINDS, "()V", vec![])
            .run(Action::SetField { field: field.clone(), receiver: Some(var(0)), value: int(7) })
            .make("Lkinds/Kinds;", call(0, deprecated, vec![]))
            .expect(1, Expectation::Same(VarId(0)))
            .build(),
        case()
            .construct(KINDS, "()V", vec![])
            .make("Lkinds/Kinds$Inner;", Action::Construct { constructor: inner, args: vec![var(0), int(5)] })
            .observe(1, method("kinds/Kinds$Inner", "getSize", "()I"), Literal::Int(5))
            .build(),
        case()
            .make("[I", Action::NewArray { element: JavaType::Int, elements: vec![int(1), int(2)] })
            .run(Action::SetElement { array: var(0), index: 1, value: int(9) })
            .make("Ljava/lang/String;", of_kinds("digits", "([I)Ljava/lang/String;", vec![var(0)]))
            .equals(1, text("19"))
            .build(),
    ]
}

/// Objects that stand in for implementations: lambda expressions where they can, else anonymous classes.
fn stubs() -> Vec<Case> {
    let implement =
        |interface: &str, is_functional, methods: Vec<(&str, &str, StubResult)>| Action::Implement {
            interface: interface.into(),
            constructor: None,
            args: Vec::new(),
            methods: methods
                .into_iter()
                .map(|(name, descriptor, result)| StubMethod {
                    name: name.into(),
                    descriptor: descriptor.into(),
                    result,
                })
                .collect(),
            is_functional,
        };
    let value = |literal| StubResult::Value(lit(literal));
    let say = "(Ljava/lang/String;I)Ljava/lang/String;";
    let voice = vec![("say", say, value(text("ho"))), ("rest", "()V", StubResult::Nothing)];
    let one = "(Ljava/lang/Object;)Ljava/lang/Object;";
    let ask = "(Lkinds/Kinds$Voice;Lkinds/Kinds$Keeper;)Ljava/lang/String;";
    let (operator, last) = ("java/util/function/UnaryOperator", "java/util/function/IntBinaryOperator");
    let turn = format!("(L{operator};Ljava/lang/Runnable;L{last};)Ljava/lang/String;");
    let turned = |first: StubResult, expected: &str| {
        case()
            .make(&format!("L{operator};"), implement(operator, true, vec![("apply", one, first)]))
            .make(
                "Ljava/lang/Runnable;",
                implement("java/lang/Runnable", true, vec![("run", "()V", StubResult::Nothing)]),
            )
            .make(
                &format!("L{last};"),
                implement(last, true, vec![("applyAsInt", "(II)I", value(Literal::Int(7)))]),
            )
            .make("Ljava/lang/String;", of_kinds("turn", &turn, vec![var(0), var(1), var(2)]))
            .equals(3, text(expected))
            .build()
    };
    vec![
        case()
            .make("Lkinds/Kinds$Voice;", implement("kinds/Kinds$Voice", false, voice))
            // A lambda expression cannot implement a generic method.
            .make(
                "Lkinds/Kinds$Keeper;",
                implement("kinds/Kinds$Keeper", false, vec![("keep", one, StubResult::Parameter(0))]),
            )
            .make("Ljava/lang/String;", of_kinds("ask", ask, vec![var(0), var(1)]))
            .equals(2, text("ho"))
            .build(),
        turned(StubResult::Parameter(0), "a7"),
        turned(value(text("b")), "b7"),
    ]
}

/// Overloads, numbers, arrays, nested classes, enums, exceptions.
pub fn kinds() -> Suite {
    let cases = overloads().into_iter().chain(numbers()).chain(objects()).chain(stubs()).collect();
    let failing = vec![
        case()
            .run(of_kinds("digits", "([I)Ljava/lang/String;", vec![lit(Literal::Null)]))
            .throws("java/lang/NullPointerException", None)
            .note("Kinds.digits", 128, "digits == null")
            .build(),
        case()
            .run(Action::InvokeStatic { method: method("hidden/Secret", "fail", "()V"), args: vec![] })
            .throws("hidden/Secret$HiddenException", Some("hidden"))
            .build(),
    ];
    suite(KINDS, cases, failing)
}
