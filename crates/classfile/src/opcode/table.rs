//! The table: one row per opcode. A row contains everything that decoder, disassembler and effect need.
//!
//! Columns: code; name; mnemonic; form of the operands; effect on the operand stack, `(popped -> pushed)` with the
//! top last or `(take n -> order)` for instructions that move slots; action; and, after `=`, the local variable or
//! number that the opcode itself names.

use super::action::Arithmetic::*;
use super::action::ArrayElement;
use super::action::Comparison::*;
use super::action::Invocation::*;
use super::effect::{Effect, Shuffle, StackItem};
use super::{Action, OpcodeRow, OperandKind};

/// Declares [`Opcode`] and its rows.
macro_rules! opcodes {
    ($(
        $code:literal $name:ident $mnemonic:literal $kind:ident $effect:tt
        $action:ident $(($argument:expr))? $(= $implied:literal)?;
    )*) => {
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

            /// The opcode with this code, if class files may contain it.
            pub const fn from_byte(byte: u8) -> Option<Opcode> {
                match byte {
                    $($code => Some(Opcode::$name),)*
                    _ => None,
                }
            }

            pub(super) const fn row(self) -> &'static OpcodeRow {
                &ROWS[self as usize]
            }
        }

        static ROWS: [OpcodeRow; Opcode::ALL.len()] = [$(
            OpcodeRow {
                mnemonic: $mnemonic,
                operands: OperandKind::$kind,
                effect: effect!($effect),
                action: Action::$action $(($argument))?,
                implied: implied!($($implied)?),
            },
        )*];
    };
}

/// The effect that a column names.
macro_rules! effect {
    ((take $take:literal -> $($slot:literal)*)) => {
        Effect::Shuffle(Shuffle { take: $take, order: &[$($slot),*] })
    };
    (($($popped:ident)* -> $($pushed:ident)*)) => {
        Effect::Values { pops: &[$(StackItem::$popped),*], pushes: &[$(StackItem::$pushed),*] }
    };
}

macro_rules! implied {
    () => {
        None
    };
    ($number:literal) => {
        Some($number)
    };
}

#[rustfmt::skip]
opcodes! {
    0x00 Nop "nop" None (->) Nop;
    0x01 AconstNull "aconst_null" None (-> Reference) Constant = 0;
    0x02 IconstM1 "iconst_m1" None (-> Int) Constant = -1;
    0x03 Iconst0 "iconst_0" None (-> Int) Constant = 0;
    0x04 Iconst1 "iconst_1" None (-> Int) Constant = 1;
    0x05 Iconst2 "iconst_2" None (-> Int) Constant = 2;
    0x06 Iconst3 "iconst_3" None (-> Int) Constant = 3;
    0x07 Iconst4 "iconst_4" None (-> Int) Constant = 4;
    0x08 Iconst5 "iconst_5" None (-> Int) Constant = 5;
    0x09 Lconst0 "lconst_0" None (-> Long) Constant = 0;
    0x0a Lconst1 "lconst_1" None (-> Long) Constant = 1;
    0x0b Fconst0 "fconst_0" None (-> Float) Constant = 0;
    0x0c Fconst1 "fconst_1" None (-> Float) Constant = 1;
    0x0d Fconst2 "fconst_2" None (-> Float) Constant = 2;
    0x0e Dconst0 "dconst_0" None (-> Double) Constant = 0;
    0x0f Dconst1 "dconst_1" None (-> Double) Constant = 1;
    0x10 Bipush "bipush" Byte (-> Int) Constant;
    0x11 Sipush "sipush" Short (-> Int) Constant;
    0x12 Ldc "ldc" ConstantByte (-> Constant) LoadConstant;
    0x13 LdcW "ldc_w" Constant (-> Constant) LoadConstant;
    0x14 Ldc2W "ldc2_w" Constant (-> Constant) LoadConstant;
    0x15 Iload "iload" Local (-> Int) Load;
    0x16 Lload "lload" Local (-> Long) Load;
    0x17 Fload "fload" Local (-> Float) Load;
    0x18 Dload "dload" Local (-> Double) Load;
    0x19 Aload "aload" Local (-> Reference) Load;
    0x1a Iload0 "iload_0" None (-> Int) Load = 0;
    0x1b Iload1 "iload_1" None (-> Int) Load = 1;
    0x1c Iload2 "iload_2" None (-> Int) Load = 2;
    0x1d Iload3 "iload_3" None (-> Int) Load = 3;
    0x1e Lload0 "lload_0" None (-> Long) Load = 0;
    0x1f Lload1 "lload_1" None (-> Long) Load = 1;
    0x20 Lload2 "lload_2" None (-> Long) Load = 2;
    0x21 Lload3 "lload_3" None (-> Long) Load = 3;
    0x22 Fload0 "fload_0" None (-> Float) Load = 0;
    0x23 Fload1 "fload_1" None (-> Float) Load = 1;
    0x24 Fload2 "fload_2" None (-> Float) Load = 2;
    0x25 Fload3 "fload_3" None (-> Float) Load = 3;
    0x26 Dload0 "dload_0" None (-> Double) Load = 0;
    0x27 Dload1 "dload_1" None (-> Double) Load = 1;
    0x28 Dload2 "dload_2" None (-> Double) Load = 2;
    0x29 Dload3 "dload_3" None (-> Double) Load = 3;
    0x2a Aload0 "aload_0" None (-> Reference) Load = 0;
    0x2b Aload1 "aload_1" None (-> Reference) Load = 1;
    0x2c Aload2 "aload_2" None (-> Reference) Load = 2;
    0x2d Aload3 "aload_3" None (-> Reference) Load = 3;
    0x2e Iaload "iaload" None (Reference Int -> Int) ArrayLoad(ArrayElement::Int);
    0x2f Laload "laload" None (Reference Int -> Long) ArrayLoad(ArrayElement::Long);
    0x30 Faload "faload" None (Reference Int -> Float) ArrayLoad(ArrayElement::Float);
    0x31 Daload "daload" None (Reference Int -> Double) ArrayLoad(ArrayElement::Double);
    0x32 Aaload "aaload" None (Reference Int -> Reference) ArrayLoad(ArrayElement::Reference);
    0x33 Baload "baload" None (Reference Int -> Int) ArrayLoad(ArrayElement::Byte);
    0x34 Caload "caload" None (Reference Int -> Int) ArrayLoad(ArrayElement::Char);
    0x35 Saload "saload" None (Reference Int -> Int) ArrayLoad(ArrayElement::Short);
    0x36 Istore "istore" Local (Int ->) Store;
    0x37 Lstore "lstore" Local (Long ->) Store;
    0x38 Fstore "fstore" Local (Float ->) Store;
    0x39 Dstore "dstore" Local (Double ->) Store;
    0x3a Astore "astore" Local (Reference ->) Store;
    0x3b Istore0 "istore_0" None (Int ->) Store = 0;
    0x3c Istore1 "istore_1" None (Int ->) Store = 1;
    0x3d Istore2 "istore_2" None (Int ->) Store = 2;
    0x3e Istore3 "istore_3" None (Int ->) Store = 3;
    0x3f Lstore0 "lstore_0" None (Long ->) Store = 0;
    0x40 Lstore1 "lstore_1" None (Long ->) Store = 1;
    0x41 Lstore2 "lstore_2" None (Long ->) Store = 2;
    0x42 Lstore3 "lstore_3" None (Long ->) Store = 3;
    0x43 Fstore0 "fstore_0" None (Float ->) Store = 0;
    0x44 Fstore1 "fstore_1" None (Float ->) Store = 1;
    0x45 Fstore2 "fstore_2" None (Float ->) Store = 2;
    0x46 Fstore3 "fstore_3" None (Float ->) Store = 3;
    0x47 Dstore0 "dstore_0" None (Double ->) Store = 0;
    0x48 Dstore1 "dstore_1" None (Double ->) Store = 1;
    0x49 Dstore2 "dstore_2" None (Double ->) Store = 2;
    0x4a Dstore3 "dstore_3" None (Double ->) Store = 3;
    0x4b Astore0 "astore_0" None (Reference ->) Store = 0;
    0x4c Astore1 "astore_1" None (Reference ->) Store = 1;
    0x4d Astore2 "astore_2" None (Reference ->) Store = 2;
    0x4e Astore3 "astore_3" None (Reference ->) Store = 3;
    0x4f Iastore "iastore" None (Reference Int Int ->) ArrayStore(ArrayElement::Int);
    0x50 Lastore "lastore" None (Reference Int Long ->) ArrayStore(ArrayElement::Long);
    0x51 Fastore "fastore" None (Reference Int Float ->) ArrayStore(ArrayElement::Float);
    0x52 Dastore "dastore" None (Reference Int Double ->) ArrayStore(ArrayElement::Double);
    0x53 Aastore "aastore" None (Reference Int Reference ->) ArrayStore(ArrayElement::Reference);
    0x54 Bastore "bastore" None (Reference Int Int ->) ArrayStore(ArrayElement::Byte);
    0x55 Castore "castore" None (Reference Int Int ->) ArrayStore(ArrayElement::Char);
    0x56 Sastore "sastore" None (Reference Int Int ->) ArrayStore(ArrayElement::Short);
    0x57 Pop "pop" None (take 1 ->) Shuffle;
    0x58 Pop2 "pop2" None (take 2 ->) Shuffle;
    0x59 Dup "dup" None (take 1 -> 0 0) Shuffle;
    0x5a DupX1 "dup_x1" None (take 2 -> 1 0 1) Shuffle;
    0x5b DupX2 "dup_x2" None (take 3 -> 2 0 1 2) Shuffle;
    0x5c Dup2 "dup2" None (take 2 -> 0 1 0 1) Shuffle;
    0x5d Dup2X1 "dup2_x1" None (take 3 -> 1 2 0 1 2) Shuffle;
    0x5e Dup2X2 "dup2_x2" None (take 4 -> 2 3 0 1 2 3) Shuffle;
    0x5f Swap "swap" None (take 2 -> 1 0) Shuffle;
    0x60 Iadd "iadd" None (Int Int -> Int) Arithmetic(Add);
    0x61 Ladd "ladd" None (Long Long -> Long) Arithmetic(Add);
    0x62 Fadd "fadd" None (Float Float -> Float) Arithmetic(Add);
    0x63 Dadd "dadd" None (Double Double -> Double) Arithmetic(Add);
    0x64 Isub "isub" None (Int Int -> Int) Arithmetic(Subtract);
    0x65 Lsub "lsub" None (Long Long -> Long) Arithmetic(Subtract);
    0x66 Fsub "fsub" None (Float Float -> Float) Arithmetic(Subtract);
    0x67 Dsub "dsub" None (Double Double -> Double) Arithmetic(Subtract);
    0x68 Imul "imul" None (Int Int -> Int) Arithmetic(Multiply);
    0x69 Lmul "lmul" None (Long Long -> Long) Arithmetic(Multiply);
    0x6a Fmul "fmul" None (Float Float -> Float) Arithmetic(Multiply);
    0x6b Dmul "dmul" None (Double Double -> Double) Arithmetic(Multiply);
    0x6c Idiv "idiv" None (Int Int -> Int) Arithmetic(Divide);
    0x6d Ldiv "ldiv" None (Long Long -> Long) Arithmetic(Divide);
    0x6e Fdiv "fdiv" None (Float Float -> Float) Arithmetic(Divide);
    0x6f Ddiv "ddiv" None (Double Double -> Double) Arithmetic(Divide);
    0x70 Irem "irem" None (Int Int -> Int) Arithmetic(Remainder);
    0x71 Lrem "lrem" None (Long Long -> Long) Arithmetic(Remainder);
    0x72 Frem "frem" None (Float Float -> Float) Arithmetic(Remainder);
    0x73 Drem "drem" None (Double Double -> Double) Arithmetic(Remainder);
    0x74 Ineg "ineg" None (Int -> Int) Negate;
    0x75 Lneg "lneg" None (Long -> Long) Negate;
    0x76 Fneg "fneg" None (Float -> Float) Negate;
    0x77 Dneg "dneg" None (Double -> Double) Negate;
    0x78 Ishl "ishl" None (Int Int -> Int) Arithmetic(ShiftLeft);
    0x79 Lshl "lshl" None (Long Int -> Long) Arithmetic(ShiftLeft);
    0x7a Ishr "ishr" None (Int Int -> Int) Arithmetic(ShiftRight);
    0x7b Lshr "lshr" None (Long Int -> Long) Arithmetic(ShiftRight);
    0x7c Iushr "iushr" None (Int Int -> Int) Arithmetic(ShiftRightUnsigned);
    0x7d Lushr "lushr" None (Long Int -> Long) Arithmetic(ShiftRightUnsigned);
    0x7e Iand "iand" None (Int Int -> Int) Arithmetic(And);
    0x7f Land "land" None (Long Long -> Long) Arithmetic(And);
    0x80 Ior "ior" None (Int Int -> Int) Arithmetic(Or);
    0x81 Lor "lor" None (Long Long -> Long) Arithmetic(Or);
    0x82 Ixor "ixor" None (Int Int -> Int) Arithmetic(Xor);
    0x83 Lxor "lxor" None (Long Long -> Long) Arithmetic(Xor);
    0x84 Iinc "iinc" LocalIncrement (->) Increment;
    0x85 I2l "i2l" None (Int -> Long) Convert;
    0x86 I2f "i2f" None (Int -> Float) Convert;
    0x87 I2d "i2d" None (Int -> Double) Convert;
    0x88 L2i "l2i" None (Long -> Int) Convert;
    0x89 L2f "l2f" None (Long -> Float) Convert;
    0x8a L2d "l2d" None (Long -> Double) Convert;
    0x8b F2i "f2i" None (Float -> Int) Convert;
    0x8c F2l "f2l" None (Float -> Long) Convert;
    0x8d F2d "f2d" None (Float -> Double) Convert;
    0x8e D2i "d2i" None (Double -> Int) Convert;
    0x8f D2l "d2l" None (Double -> Long) Convert;
    0x90 D2f "d2f" None (Double -> Float) Convert;
    0x91 I2b "i2b" None (Int -> Int) Narrow(ArrayElement::Byte);
    0x92 I2c "i2c" None (Int -> Int) Narrow(ArrayElement::Char);
    0x93 I2s "i2s" None (Int -> Int) Narrow(ArrayElement::Short);
    0x94 Lcmp "lcmp" None (Long Long -> Int) Compare(0);
    0x95 Fcmpl "fcmpl" None (Float Float -> Int) Compare(-1);
    0x96 Fcmpg "fcmpg" None (Float Float -> Int) Compare(1);
    0x97 Dcmpl "dcmpl" None (Double Double -> Int) Compare(-1);
    0x98 Dcmpg "dcmpg" None (Double Double -> Int) Compare(1);
    0x99 Ifeq "ifeq" Branch (Int ->) Branch(Equal);
    0x9a Ifne "ifne" Branch (Int ->) Branch(NotEqual);
    0x9b Iflt "iflt" Branch (Int ->) Branch(Less);
    0x9c Ifge "ifge" Branch (Int ->) Branch(GreaterOrEqual);
    0x9d Ifgt "ifgt" Branch (Int ->) Branch(Greater);
    0x9e Ifle "ifle" Branch (Int ->) Branch(LessOrEqual);
    0x9f IfIcmpeq "if_icmpeq" Branch (Int Int ->) Branch(Equal);
    0xa0 IfIcmpne "if_icmpne" Branch (Int Int ->) Branch(NotEqual);
    0xa1 IfIcmplt "if_icmplt" Branch (Int Int ->) Branch(Less);
    0xa2 IfIcmpge "if_icmpge" Branch (Int Int ->) Branch(GreaterOrEqual);
    0xa3 IfIcmpgt "if_icmpgt" Branch (Int Int ->) Branch(Greater);
    0xa4 IfIcmple "if_icmple" Branch (Int Int ->) Branch(LessOrEqual);
    0xa5 IfAcmpeq "if_acmpeq" Branch (Reference Reference ->) Branch(Equal);
    0xa6 IfAcmpne "if_acmpne" Branch (Reference Reference ->) Branch(NotEqual);
    0xa7 Goto "goto" Branch (->) Goto;
    0xa8 Jsr "jsr" Branch (-> Address) Jsr;
    0xa9 Ret "ret" Local (->) Ret;
    0xaa Tableswitch "tableswitch" TableSwitch (Int ->) Switch;
    0xab Lookupswitch "lookupswitch" LookupSwitch (Int ->) Switch;
    0xac Ireturn "ireturn" None (Int ->) Return;
    0xad Lreturn "lreturn" None (Long ->) Return;
    0xae Freturn "freturn" None (Float ->) Return;
    0xaf Dreturn "dreturn" None (Double ->) Return;
    0xb0 Areturn "areturn" None (Reference ->) Return;
    0xb1 Return "return" None (->) Return;
    0xb2 Getstatic "getstatic" Constant (-> Field) GetStatic;
    0xb3 Putstatic "putstatic" Constant (Field ->) PutStatic;
    0xb4 Getfield "getfield" Constant (Reference -> Field) GetField;
    0xb5 Putfield "putfield" Constant (Reference Field ->) PutField;
    0xb6 Invokevirtual "invokevirtual" Constant (Reference Arguments -> Result) Invoke(Virtual);
    0xb7 Invokespecial "invokespecial" Constant (Reference Arguments -> Result) Invoke(Special);
    0xb8 Invokestatic "invokestatic" Constant (Arguments -> Result) Invoke(Static);
    0xb9 Invokeinterface "invokeinterface" InvokeInterface (Reference Arguments -> Result) Invoke(Interface);
    0xba Invokedynamic "invokedynamic" InvokeDynamic (Arguments -> Result) Invoke(Dynamic);
    0xbb New "new" Constant (-> Reference) New;
    0xbc Newarray "newarray" ArrayType (Int -> Reference) NewArray;
    0xbd Anewarray "anewarray" Constant (Int -> Reference) NewArray;
    0xbe Arraylength "arraylength" None (Reference -> Int) ArrayLength;
    0xbf Athrow "athrow" None (Reference ->) Throw;
    0xc0 Checkcast "checkcast" Constant (Reference -> Reference) CheckCast;
    0xc1 Instanceof "instanceof" Constant (Reference -> Int) InstanceOf;
    0xc2 Monitorenter "monitorenter" None (Reference ->) MonitorEnter;
    0xc3 Monitorexit "monitorexit" None (Reference ->) MonitorExit;
    0xc4 Wide "wide" Wide (->) Wide;
    0xc5 Multianewarray "multianewarray" MultiArray (Dimensions -> Reference) NewMultiArray;
    0xc6 Ifnull "ifnull" Branch (Reference ->) Branch(Equal);
    0xc7 Ifnonnull "ifnonnull" Branch (Reference ->) Branch(NotEqual);
    0xc8 GotoW "goto_w" BranchWide (->) Goto;
    0xc9 JsrW "jsr_w" BranchWide (-> Address) Jsr;
}
