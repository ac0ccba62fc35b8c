//! The instruction set: each opcode once, with its mnemonic and the form of its operands.

/// Form of the operands that follow an opcode (JVMS §6.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperandKind {
    /// None.
    None,
    /// A signed byte (`bipush`).
    Byte,
    /// A signed 16-bit value (`sipush`).
    Short,
    /// A local variable: a byte, or 16 bits after `wide`.
    Local,
    /// A local variable and a signed increment, a byte each, or 16 bits each after `wide`.
    LocalIncrement,
    /// A constant pool index of one byte (`ldc`).
    ConstantByte,
    /// A constant pool index of 16 bits.
    Constant,
    /// A constant pool index, a count of argument slots and a zero byte.
    InvokeInterface,
    /// A constant pool index and two zero bytes.
    InvokeDynamic,
    /// A constant pool index and a number of dimensions.
    MultiArray,
    /// A code of a primitive type.
    ArrayType,
    /// A signed 16-bit offset from the opcode.
    Branch,
    /// A signed 32-bit offset from the opcode.
    BranchWide,
    /// Padding, default, low, high, offsets.
    TableSwitch,
    /// Padding, default, number of pairs, pairs.
    LookupSwitch,
    /// A prefix: an opcode with wide operands follows.
    Wide,
}

/// Declares [`Opcode`] from rows of code, name, mnemonic and operand form.
macro_rules! opcodes {
    ($($code:literal $name:ident $mnemonic:literal $kind:ident;)*) => {
        /// An opcode (JVMS §6.5).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Opcode {
            $(
                #[doc = concat!("`", $mnemonic, "`")]
                $name = $code,
            )*
        }

        impl Opcode {
            /// All opcodes, by code.
            pub const ALL: &[Opcode] = &[$(Opcode::$name),*];

            /// The opcode of this code, if it is one that class files may hold.
            pub const fn from_byte(byte: u8) -> Option<Opcode> {
                match byte {
                    $($code => Some(Opcode::$name),)*
                    _ => None,
                }
            }

            /// Its name in the specification.
            pub const fn mnemonic(self) -> &'static str {
                match self {
                    $(Opcode::$name => $mnemonic,)*
                }
            }

            /// Form of its operands.
            pub const fn operand_kind(self) -> OperandKind {
                match self {
                    $(Opcode::$name => OperandKind::$kind,)*
                }
            }
        }
    };
}

opcodes! {
    0x00 Nop "nop" None;
    0x01 AconstNull "aconst_null" None;
    0x02 IconstM1 "iconst_m1" None;
    0x03 Iconst0 "iconst_0" None;
    0x04 Iconst1 "iconst_1" None;
    0x05 Iconst2 "iconst_2" None;
    0x06 Iconst3 "iconst_3" None;
    0x07 Iconst4 "iconst_4" None;
    0x08 Iconst5 "iconst_5" None;
    0x09 Lconst0 "lconst_0" None;
    0x0a Lconst1 "lconst_1" None;
    0x0b Fconst0 "fconst_0" None;
    0x0c Fconst1 "fconst_1" None;
    0x0d Fconst2 "fconst_2" None;
    0x0e Dconst0 "dconst_0" None;
    0x0f Dconst1 "dconst_1" None;
    0x10 Bipush "bipush" Byte;
    0x11 Sipush "sipush" Short;
    0x12 Ldc "ldc" ConstantByte;
    0x13 LdcW "ldc_w" Constant;
    0x14 Ldc2W "ldc2_w" Constant;
    0x15 Iload "iload" Local;
    0x16 Lload "lload" Local;
    0x17 Fload "fload" Local;
    0x18 Dload "dload" Local;
    0x19 Aload "aload" Local;
    0x1a Iload0 "iload_0" None;
    0x1b Iload1 "iload_1" None;
    0x1c Iload2 "iload_2" None;
    0x1d Iload3 "iload_3" None;
    0x1e Lload0 "lload_0" None;
    0x1f Lload1 "lload_1" None;
    0x20 Lload2 "lload_2" None;
    0x21 Lload3 "lload_3" None;
    0x22 Fload0 "fload_0" None;
    0x23 Fload1 "fload_1" None;
    0x24 Fload2 "fload_2" None;
    0x25 Fload3 "fload_3" None;
    0x26 Dload0 "dload_0" None;
    0x27 Dload1 "dload_1" None;
    0x28 Dload2 "dload_2" None;
    0x29 Dload3 "dload_3" None;
    0x2a Aload0 "aload_0" None;
    0x2b Aload1 "aload_1" None;
    0x2c Aload2 "aload_2" None;
    0x2d Aload3 "aload_3" None;
    0x2e Iaload "iaload" None;
    0x2f Laload "laload" None;
    0x30 Faload "faload" None;
    0x31 Daload "daload" None;
    0x32 Aaload "aaload" None;
    0x33 Baload "baload" None;
    0x34 Caload "caload" None;
    0x35 Saload "saload" None;
    0x36 Istore "istore" Local;
    0x37 Lstore "lstore" Local;
    0x38 Fstore "fstore" Local;
    0x39 Dstore "dstore" Local;
    0x3a Astore "astore" Local;
    0x3b Istore0 "istore_0" None;
    0x3c Istore1 "istore_1" None;
    0x3d Istore2 "istore_2" None;
    0x3e Istore3 "istore_3" None;
    0x3f Lstore0 "lstore_0" None;
    0x40 Lstore1 "lstore_1" None;
    0x41 Lstore2 "lstore_2" None;
    0x42 Lstore3 "lstore_3" None;
    0x43 Fstore0 "fstore_0" None;
    0x44 Fstore1 "fstore_1" None;
    0x45 Fstore2 "fstore_2" None;
    0x46 Fstore3 "fstore_3" None;
    0x47 Dstore0 "dstore_0" None;
    0x48 Dstore1 "dstore_1" None;
    0x49 Dstore2 "dstore_2" None;
    0x4a Dstore3 "dstore_3" None;
    0x4b Astore0 "astore_0" None;
    0x4c Astore1 "astore_1" None;
    0x4d Astore2 "astore_2" None;
    0x4e Astore3 "astore_3" None;
    0x4f Iastore "iastore" None;
    0x50 Lastore "lastore" None;
    0x51 Fastore "fastore" None;
    0x52 Dastore "dastore" None;
    0x53 Aastore "aastore" None;
    0x54 Bastore "bastore" None;
    0x55 Castore "castore" None;
    0x56 Sastore "sastore" None;
    0x57 Pop "pop" None;
    0x58 Pop2 "pop2" None;
    0x59 Dup "dup" None;
    0x5a DupX1 "dup_x1" None;
    0x5b DupX2 "dup_x2" None;
    0x5c Dup2 "dup2" None;
    0x5d Dup2X1 "dup2_x1" None;
    0x5e Dup2X2 "dup2_x2" None;
    0x5f Swap "swap" None;
    0x60 Iadd "iadd" None;
    0x61 Ladd "ladd" None;
    0x62 Fadd "fadd" None;
    0x63 Dadd "dadd" None;
    0x64 Isub "isub" None;
    0x65 Lsub "lsub" None;
    0x66 Fsub "fsub" None;
    0x67 Dsub "dsub" None;
    0x68 Imul "imul" None;
    0x69 Lmul "lmul" None;
    0x6a Fmul "fmul" None;
    0x6b Dmul "dmul" None;
    0x6c Idiv "idiv" None;
    0x6d Ldiv "ldiv" None;
    0x6e Fdiv "fdiv" None;
    0x6f Ddiv "ddiv" None;
    0x70 Irem "irem" None;
    0x71 Lrem "lrem" None;
    0x72 Frem "frem" None;
    0x73 Drem "drem" None;
    0x74 Ineg "ineg" None;
    0x75 Lneg "lneg" None;
    0x76 Fneg "fneg" None;
    0x77 Dneg "dneg" None;
    0x78 Ishl "ishl" None;
    0x79 Lshl "lshl" None;
    0x7a Ishr "ishr" None;
    0x7b Lshr "lshr" None;
    0x7c Iushr "iushr" None;
    0x7d Lushr "lushr" None;
    0x7e Iand "iand" None;
    0x7f Land "land" None;
    0x80 Ior "ior" None;
    0x81 Lor "lor" None;
    0x82 Ixor "ixor" None;
    0x83 Lxor "lxor" None;
    0x84 Iinc "iinc" LocalIncrement;
    0x85 I2l "i2l" None;
    0x86 I2f "i2f" None;
    0x87 I2d "i2d" None;
    0x88 L2i "l2i" None;
    0x89 L2f "l2f" None;
    0x8a L2d "l2d" None;
    0x8b F2i "f2i" None;
    0x8c F2l "f2l" None;
    0x8d F2d "f2d" None;
    0x8e D2i "d2i" None;
    0x8f D2l "d2l" None;
    0x90 D2f "d2f" None;
    0x91 I2b "i2b" None;
    0x92 I2c "i2c" None;
    0x93 I2s "i2s" None;
    0x94 Lcmp "lcmp" None;
    0x95 Fcmpl "fcmpl" None;
    0x96 Fcmpg "fcmpg" None;
    0x97 Dcmpl "dcmpl" None;
    0x98 Dcmpg "dcmpg" None;
    0x99 Ifeq "ifeq" Branch;
    0x9a Ifne "ifne" Branch;
    0x9b Iflt "iflt" Branch;
    0x9c Ifge "ifge" Branch;
    0x9d Ifgt "ifgt" Branch;
    0x9e Ifle "ifle" Branch;
    0x9f IfIcmpeq "if_icmpeq" Branch;
    0xa0 IfIcmpne "if_icmpne" Branch;
    0xa1 IfIcmplt "if_icmplt" Branch;
    0xa2 IfIcmpge "if_icmpge" Branch;
    0xa3 IfIcmpgt "if_icmpgt" Branch;
    0xa4 IfIcmple "if_icmple" Branch;
    0xa5 IfAcmpeq "if_acmpeq" Branch;
    0xa6 IfAcmpne "if_acmpne" Branch;
    0xa7 Goto "goto" Branch;
    0xa8 Jsr "jsr" Branch;
    0xa9 Ret "ret" Local;
    0xaa Tableswitch "tableswitch" TableSwitch;
    0xab Lookupswitch "lookupswitch" LookupSwitch;
    0xac Ireturn "ireturn" None;
    0xad Lreturn "lreturn" None;
    0xae Freturn "freturn" None;
    0xaf Dreturn "dreturn" None;
    0xb0 Areturn "areturn" None;
    0xb1 Return "return" None;
    0xb2 Getstatic "getstatic" Constant;
    0xb3 Putstatic "putstatic" Constant;
    0xb4 Getfield "getfield" Constant;
    0xb5 Putfield "putfield" Constant;
    0xb6 Invokevirtual "invokevirtual" Constant;
    0xb7 Invokespecial "invokespecial" Constant;
    0xb8 Invokestatic "invokestatic" Constant;
    0xb9 Invokeinterface "invokeinterface" InvokeInterface;
    0xba Invokedynamic "invokedynamic" InvokeDynamic;
    0xbb New "new" Constant;
    0xbc Newarray "newarray" ArrayType;
    0xbd Anewarray "anewarray" Constant;
    0xbe Arraylength "arraylength" None;
    0xbf Athrow "athrow" None;
    0xc0 Checkcast "checkcast" Constant;
    0xc1 Instanceof "instanceof" Constant;
    0xc2 Monitorenter "monitorenter" None;
    0xc3 Monitorexit "monitorexit" None;
    0xc4 Wide "wide" Wide;
    0xc5 Multianewarray "multianewarray" MultiArray;
    0xc6 Ifnull "ifnull" Branch;
    0xc7 Ifnonnull "ifnonnull" Branch;
    0xc8 GotoW "goto_w" BranchWide;
    0xc9 JsrW "jsr_w" BranchWide;
}

impl Opcode {
    /// Whether it ends a path: the next instruction is not reached by falling through it.
    pub const fn ends_path(self) -> bool {
        use Opcode::*;
        matches!(
            self,
            Goto | GotoW
                | Jsr
                | JsrW
                | Ret
                | Tableswitch
                | Lookupswitch
                | Ireturn
                | Lreturn
                | Freturn
                | Dreturn
                | Areturn
                | Return
                | Athrow
        )
    }

    /// Whether it takes a two-way decision.
    pub const fn is_conditional_branch(self) -> bool {
        matches!(self.operand_kind(), OperandKind::Branch) && !matches!(self, Opcode::Goto | Opcode::Jsr)
    }

    /// Whether it returns from the method.
    pub const fn is_return(self) -> bool {
        (Opcode::Ireturn as u8) <= (self as u8) && (self as u8) <= (Opcode::Return as u8)
    }
}
