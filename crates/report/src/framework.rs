//! Test frameworks: one row each, with everything that distinguishes a framework: annotations, assertions, the
//! temporary folder, and the jars.

/// A test framework that tests are written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Framework {
    /// JUnit 4.13 or later.
    Junit4,
    /// JUnit 5 (Jupiter) 5.4 or later.
    Junit5,
    /// TestNG 6.9.12 or later.
    TestNg,
}

/// The properties of a framework.
#[derive(Debug)]
pub struct FrameworkRow {
    /// Its usual name.
    pub name: &'static str,
    /// The Debian package that has its jars.
    pub package: &'static str,
    /// The class of the annotation of a test.
    pub test: &'static str,
    /// The annotation class of methods that run before each test.
    pub before_each: &'static str,
    /// The annotation class of methods that run after each test.
    pub after_each: &'static str,
    /// The class whose static methods are the assertions.
    pub assertions: &'static str,
    /// The names of these methods.
    pub names: Names,
    /// Whether they take the actual value before the expected one.
    pub actual_first: bool,
    /// The position of a message, if tests ever pass one.
    pub message: Message,
    /// How floating-point numbers are compared exactly.
    pub floats: Floats,
    /// Whether `assertEquals(int, Integer)` does not compile, since several methods fit equally well.
    pub box_is_ambiguous: bool,
    /// Whether test classes and methods have to be public.
    pub is_public: bool,
    /// How a test gets a temporary folder of its own.
    pub folder: Folder,
    /// The exceptions of assertions, besides `AssertionError`.
    pub failures: &'static [&'static str],
    /// Its parts: what tests are compiled against.
    pub jars: &'static [Jar],
}

/// Names of assertions.
#[derive(Debug)]
pub struct Names {
    /// Two values are equal.
    pub equal: &'static str,
    /// They are not.
    pub not_equal: &'static str,
    /// Two arrays have equal elements.
    pub array_equal: &'static str,
    /// Two objects are one.
    pub same: &'static str,
    /// A condition holds.
    pub is_true: &'static str,
    /// It does not.
    pub is_false: &'static str,
    /// A reference is null.
    pub null: &'static str,
    /// It is not.
    pub not_null: &'static str,
    /// Code throws an exception, which is not needed.
    pub throws: &'static str,
    /// Code throws an exception, which the assertion returns.
    pub thrown: &'static str,
}

/// The position of an assertion's message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// Before all other arguments.
    First,
    /// After them.
    Last,
}

/// How floating-point numbers are compared exactly, including `NaN` and the sign of zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Floats {
    /// Like all other values.
    Exact,
    /// A tolerance of zero treats 0.0 and -0.0 as equal: these need `Double.compare`.
    Tolerance,
}

/// How a test gets a temporary folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folder {
    /// A public field with this annotation holds a rule of this class; `getRoot()` is the folder.
    Rule {
        /// The annotation.
        annotation: &'static str,
        /// The class of the rule.
        class: &'static str,
    },
    /// A field with this annotation is the folder.
    Field {
        /// The annotation.
        annotation: &'static str,
    },
    /// The test class makes and deletes it before and after each test.
    ByHand,
}

/// A jar: its name as a file, its folder in a Maven repository, and whether tests need it.
#[derive(Debug)]
pub struct Jar {
    /// The name without version.
    pub name: &'static str,
    /// The folder in a Maven repository.
    pub maven: &'static str,
    /// Whether tests do not compile without it.
    pub needed: bool,
}

/// A jar.
pub const fn jar(name: &'static str, maven: &'static str, needed: bool) -> Jar {
    Jar { name, maven, needed }
}

const NAMES: Names = Names {
    equal: "assertEquals",
    not_equal: "assertNotEquals",
    array_equal: "assertArrayEquals",
    same: "assertSame",
    is_true: "assertTrue",
    is_false: "assertFalse",
    null: "assertNull",
    not_null: "assertNotNull",
    throws: "assertThrows",
    thrown: "assertThrows",
};

const JUNIT_4: FrameworkRow = FrameworkRow {
    name: "JUnit 4",
    package: "junit4",
    test: "org.junit.Test",
    before_each: "org.junit.Before",
    after_each: "org.junit.After",
    assertions: "org.junit.Assert",
    names: NAMES,
    actual_first: false,
    message: Message::First,
    floats: Floats::Tolerance,
    box_is_ambiguous: true,
    is_public: true,
    folder: Folder::Rule { annotation: "org.junit.Rule", class: "org.junit.rules.TemporaryFolder" },
    failures: &["org.junit.ComparisonFailure", "org.junit.internal.ArrayComparisonFailure"],
    jars: &[
        jar("junit4", "junit/junit", true),
        jar("hamcrest-core", "org/hamcrest/hamcrest-core", false),
        jar("hamcrest", "org/hamcrest/hamcrest", false),
    ],
};

const JUNIT_5: FrameworkRow = FrameworkRow {
    name: "JUnit 5",
    package: "junit5",
    test: "org.junit.jupiter.api.Test",
    before_each: "org.junit.jupiter.api.BeforeEach",
    after_each: "org.junit.jupiter.api.AfterEach",
    assertions: "org.junit.jupiter.api.Assertions",
    names: NAMES,
    actual_first: false,
    message: Message::Last,
    floats: Floats::Exact,
    box_is_ambiguous: false,
    is_public: false,
    folder: Folder::Field { annotation: "org.junit.jupiter.api.io.TempDir" },
    failures: &["org.opentest4j.AssertionFailedError", "org.opentest4j.MultipleFailuresError"],
    jars: &[
        jar("junit-jupiter-api", "org/junit/jupiter/junit-jupiter-api", true),
        jar("junit-platform-commons", "org/junit/platform/junit-platform-commons", true),
        jar("opentest4j", "org/opentest4j/opentest4j", true),
        // Only its annotations are used; javac merely warns without it.
        jar("apiguardian-api", "org/apiguardian/apiguardian-api", false),
    ],
};

const TEST_NG: FrameworkRow = FrameworkRow {
    name: "TestNG",
    package: "testng",
    test: "org.testng.annotations.Test",
    before_each: "org.testng.annotations.BeforeMethod",
    after_each: "org.testng.annotations.AfterMethod",
    assertions: "org.testng.Assert",
    // `assertEquals` compares arrays by their elements; `assertThrows` returns nothing.
    names: Names { array_equal: "assertEquals", thrown: "expectThrows", ..NAMES },
    actual_first: true,
    message: Message::Last,
    // The overload for objects compares by `equals`, which is exact.
    floats: Floats::Exact,
    box_is_ambiguous: true,
    is_public: true,
    folder: Folder::ByHand,
    failures: &[],
    jars: &[
        jar("testng", "org/testng/testng", true),
        jar("jcommander", "com/beust/jcommander", false),
        jar("slf4j-api", "org/slf4j/slf4j-api", false),
    ],
};

impl Framework {
    /// All frameworks.
    pub const ALL: [Framework; 3] = [Framework::Junit5, Framework::Junit4, Framework::TestNg];

    /// The row of the framework.
    pub fn row(self) -> &'static FrameworkRow {
        match self {
            Framework::Junit4 => &JUNIT_4,
            Framework::Junit5 => &JUNIT_5,
            Framework::TestNg => &TEST_NG,
        }
    }

    /// The modifiers of a test's methods and class.
    pub fn visibility(self) -> &'static [&'static str] {
        if self.row().is_public { &["public"] } else { &[] }
    }
}
