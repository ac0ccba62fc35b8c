//! Recipes: how JDK values are recognised, and how equal ones are created.

/// A JDK class that compares by value: the methods that return the parts of the value, and the maker of an equal
/// object.
pub(super) struct Recipe {
    pub(super) class: &'static str,
    /// Names and descriptors of methods without parameters.
    pub(super) tells: &'static [(&'static str, &'static str)],
    /// Class, name and descriptor of a constructor or static method that takes the parts.
    pub(super) maker: (&'static str, &'static str, &'static str),
}

/// Rows for classes whose value is their `toString`, which a static `parse` method accepts.
macro_rules! parsed {
    ($($class:literal),* $(,)?) => {
        [$(Recipe {
            class: $class,
            tells: &[("toString", "()Ljava/lang/String;")],
            maker: ($class, "parse", concat!("(Ljava/lang/CharSequence;)L", $class, ";")),
        }),*]
    };
}

/// Values of `java.time`.
pub(super) const PARSED: [Recipe; 12] = parsed![
    "java/time/LocalDate",
    "java/time/LocalTime",
    "java/time/LocalDateTime",
    "java/time/OffsetDateTime",
    "java/time/OffsetTime",
    "java/time/ZonedDateTime",
    "java/time/Instant",
    "java/time/Year",
    "java/time/YearMonth",
    "java/time/MonthDay",
    "java/time/Duration",
    "java/time/Period",
];

/// A row for a class whose value is one text.
macro_rules! text {
    ($class:literal, $tells:literal, $maker:expr $(,)?) => {
        Recipe { class: $class, tells: &[($tells, "()Ljava/lang/String;")], maker: $maker }
    };
}

/// Other values.
pub(super) const RECIPES: [Recipe; 20] = [
    text!("java/math/BigInteger", "toString", ("java/math/BigInteger", "<init>", "(Ljava/lang/String;)V")),
    text!("java/math/BigDecimal", "toString", ("java/math/BigDecimal", "<init>", "(Ljava/lang/String;)V")),
    text!(
        "java/util/UUID",
        "toString",
        ("java/util/UUID", "fromString", "(Ljava/lang/String;)Ljava/util/UUID;"),
    ),
    text!("java/net/URI", "toString", ("java/net/URI", "create", "(Ljava/lang/String;)Ljava/net/URI;")),
    text!(
        "java/util/Locale",
        "toLanguageTag",
        ("java/util/Locale", "forLanguageTag", "(Ljava/lang/String;)Ljava/util/Locale;"),
    ),
    text!(
        "java/util/Currency",
        "getCurrencyCode",
        ("java/util/Currency", "getInstance", "(Ljava/lang/String;)Ljava/util/Currency;"),
    ),
    text!(
        "java/time/ZoneOffset",
        "getId",
        ("java/time/ZoneOffset", "of", "(Ljava/lang/String;)Ljava/time/ZoneOffset;"),
    ),
    text!(
        "java/time/ZoneRegion",
        "getId",
        ("java/time/ZoneId", "of", "(Ljava/lang/String;)Ljava/time/ZoneId;"),
    ),
    Recipe {
        class: "java/util/OptionalInt",
        tells: &[("getAsInt", "()I")],
        maker: ("java/util/OptionalInt", "of", "(I)Ljava/util/OptionalInt;"),
    },
    Recipe {
        class: "java/util/OptionalLong",
        tells: &[("getAsLong", "()J")],
        maker: ("java/util/OptionalLong", "of", "(J)Ljava/util/OptionalLong;"),
    },
    Recipe {
        class: "java/util/OptionalDouble",
        tells: &[("getAsDouble", "()D")],
        maker: ("java/util/OptionalDouble", "of", "(D)Ljava/util/OptionalDouble;"),
    },
    Recipe {
        class: "java/util/Date",
        tells: &[("getTime", "()J")],
        maker: ("java/util/Date", "<init>", "(J)V"),
    },
    Recipe {
        class: "java/util/Optional",
        tells: &[("get", "()Ljava/lang/Object;")],
        maker: ("java/util/Optional", "of", "(Ljava/lang/Object;)Ljava/util/Optional;"),
    },
    Recipe {
        class: "java/util/BitSet",
        tells: &[("toLongArray", "()[J")],
        maker: ("java/util/BitSet", "valueOf", "([J)Ljava/util/BitSet;"),
    },
    Recipe {
        class: "java/nio/HeapByteBuffer",
        tells: &[("array", "()[B")],
        maker: ("java/nio/ByteBuffer", "wrap", "([B)Ljava/nio/ByteBuffer;"),
    },
    Recipe {
        class: "java/awt/Color",
        tells: &[("getRed", "()I"), ("getGreen", "()I"), ("getBlue", "()I"), ("getAlpha", "()I")],
        maker: ("java/awt/Color", "<init>", "(IIII)V"),
    },
    Recipe {
        class: "java/awt/BasicStroke",
        tells: &[
            ("getLineWidth", "()F"),
            ("getEndCap", "()I"),
            ("getLineJoin", "()I"),
            ("getMiterLimit", "()F"),
        ],
        maker: ("java/awt/BasicStroke", "<init>", "(FIIF)V"),
    },
    Recipe {
        class: "java/awt/Font",
        tells: &[("getName", "()Ljava/lang/String;"), ("getStyle", "()I"), ("getSize", "()I")],
        maker: ("java/awt/Font", "<init>", "(Ljava/lang/String;II)V"),
    },
    Recipe {
        class: "java/awt/geom/Point2D$Double",
        tells: &[("getX", "()D"), ("getY", "()D")],
        maker: ("java/awt/geom/Point2D$Double", "<init>", "(DD)V"),
    },
    Recipe {
        class: "java/awt/geom/Rectangle2D$Double",
        tells: &[("getX", "()D"), ("getY", "()D"), ("getWidth", "()D"), ("getHeight", "()D")],
        maker: ("java/awt/geom/Rectangle2D$Double", "<init>", "(DDDD)V"),
    },
];

/// Classes whose empty value has its own maker without parameters.
pub(super) const EMPTY: [(&str, &str); 4] = [
    ("java/util/Optional", "()Ljava/util/Optional;"),
    ("java/util/OptionalInt", "()Ljava/util/OptionalInt;"),
    ("java/util/OptionalLong", "()Ljava/util/OptionalLong;"),
    ("java/util/OptionalDouble", "()Ljava/util/OptionalDouble;"),
];
