//! The loops that count as native: for which formats and composites they are registered with `GraphicsPrimitiveMgr`.
//!
//! They are those that the JDK registers, without formats that no `BufferedImage` of a predefined type has. Which are
//! there matters: where none is, the JDK goes through another format, and that rounds twice.

use super::format::FORMATS;
use super::surface;
use crate::classes::Kind;
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::support::reference;
use crate::natives::{Args, Native, NativeOutcome, VOID, row};
use crate::state::Value;

/// `CompositeType`s by their descriptions.
pub(super) const SRC: &str = "Porter-Duff Src";
pub(super) const SRC_OVER: &str = "Porter-Duff Src Over Dst";
pub(super) const SRC_OVER_NO_EA: &str = "Porter-Duff SrcOverDst, No Extra Alpha";
pub(super) const XOR: &str = "XOR mode";

const MANAGER: &str = "sun/java2d/loops/GraphicsPrimitiveMgr";
const GENERAL: &str = "sun/java2d/loops/GeneralRenderer";
const SOLID: &str = "sun/java2d/loops/SolidPixelWriter";
const WRITER: &str = "(Lsun/java2d/SunGraphics2D;Lsun/java2d/SurfaceData;)Lsun/java2d/loops/PixelWriter;";
const SURFACES: &str = "sun/java2d/loops/SurfaceType";
const COMPOSITES: &str = "sun/java2d/loops/CompositeType";

pub(super) const NATIVES: &[Native] = &[
    row(MANAGER, "initIDs", "*", |m, a| {
        // The JDK's native code looks at fields of these classes, and that initialises them.
        let count = m.method(a.method).descriptor.matches("Ljava/lang/Class;").count() as u32;
        for slot in 0..count {
            let class = m.class_of_mirror(a.non_null(m, slot)?);
            m.ensure_initialized(class)?;
        }
        Ok(VOID)
    }),
    row(MANAGER, "registerNativeLoops", "()V", register),
    row(GENERAL, "createSolidPixelWriter", WRITER, |m, a| writer(m, a, false)),
    row(GENERAL, "createXorPixelWriter", WRITER, |m, a| writer(m, a, true)),
];

/// Packed pixels; all take part in few loops.
const BINARY: [&str; 3] = ["ByteBinary1Bit", "ByteBinary2Bit", "ByteBinary4Bit"];
/// Formats from which there are loops to all others.
const FREE: [&str; 4] = ["IntRgb", "ThreeByteBgr", "ByteGray", "ByteIndexed"];
/// Formats that transformed images may have.
const TRANSFORMED: [&str; 11] = [
    "IntArgb",
    "IntArgbPre",
    "IntRgb",
    "IntBgr",
    "IntRgbx",
    "ThreeByteBgr",
    "FourByteAbgr",
    "FourByteAbgrPre",
    "ByteGray",
    "ByteIndexed",
    "ByteIndexedBm",
];
/// Classes of formats by the size of a pixel.
const SIZES: [&str; 5] = ["AnyInt", "AnyShort", "AnyByte", "Any3Byte", "Any4Byte"];

/// A loop: its class in `sun.java2d.loops`, and the static fields of its types.
struct Loop {
    class: &'static str,
    source: &'static str,
    composite: &'static str,
    destination: &'static str,
}

/// All loops.
fn loops() -> Vec<Loop> {
    let mut all = Vec::new();
    let mut add =
        |class, source, composite, destination| all.push(Loop { class, source, composite, destination });
    for (_, to, _) in FORMATS.iter().copied() {
        let (is_binary, is_indexed) = (BINARY.contains(&to), to == "ByteIndexed");
        let has_alpha = matches!(to, "IntArgb" | "IntArgbPre" | "FourByteAbgr" | "FourByteAbgrPre");
        if to != "Ushort555Rgbx" {
            add("MaskFill", "AnyColor", "AnyAlpha", to);
            add("MaskBlit", "IntArgb", "AnyAlpha", to);
            if !is_binary {
                add("MaskBlit", "IntArgbPre", "AnyAlpha", to);
                add("MaskBlit", "IntRgb", "AnyAlpha", to);
            }
            if !is_binary && !is_indexed {
                add("MaskFill", "AnyColor", "SrcOver", to);
                add("MaskFill", "AnyColor", "Src", to);
                add("MaskBlit", "IntArgb", "SrcOver", to);
                add("MaskBlit", "IntArgbPre", "SrcOver", to);
            }
        }
        for class in ["Blit", "ScaledBlit"] {
            if !(class == "ScaledBlit" && is_binary) {
                add(class, "IntArgb", "SrcNoEa", to);
            }
            for from in FREE {
                if !is_binary && from != to {
                    add(class, from, "SrcNoEa", to);
                }
            }
            if !is_binary {
                add(class, "ByteIndexedBm", "SrcOverNoEa", to);
            }
            if to != "IntArgb" && !(class == "ScaledBlit" && is_binary) {
                if !FREE.contains(&to) {
                    add(class, to, "SrcNoEa", "IntArgb");
                }
                add(class, to, "SrcNoEa", to);
            }
        }
        add("Blit", "IntArgb", "Xor", to);
        if !has_alpha && !is_binary && !is_indexed {
            add("Blit", to, "Xor", to);
        }
    }
    for class in ["Blit", "ScaledBlit"] {
        add(class, "IntBgr", "SrcNoEa", "IntRgb");
        add(class, "UshortGray", "SrcNoEa", "ByteGray");
    }
    add("MaskBlit", "IntBgr", "AnyAlpha", "IntBgr");
    for from in BINARY {
        add("MaskBlit", from, "AnyAlpha", "IntArgb");
    }
    for composite in ["AnyAlpha", "SrcOver"] {
        add("MaskBlit", "FourByteAbgrPre", composite, "IntArgbPre");
    }
    for from in TRANSFORMED {
        add("TransformHelper", from, "SrcNoEa", "IntArgbPre");
    }
    for size in SIZES {
        add("FillParallelogram", "AnyColor", "SrcNoEa", size);
        add("DrawParallelogram", "AnyColor", "SrcNoEa", size);
    }
    for to in SIZES.into_iter().chain(BINARY) {
        add("DrawLine", "AnyColor", "SrcNoEa", to);
        add("DrawLine", "AnyColor", "Xor", to);
        add("DrawPolygons", "AnyColor", "SrcNoEa", to);
    }
    all
}

/// The object in a static field of an initialised class.
fn object_in(m: &mut Machine, class: &str, field: &str) -> Step<Addr> {
    let id = m.load(class)?;
    m.ensure_initialized(id)?;
    match m.static_field(id, field) {
        Some(object) if object != 0 => Ok(object as Addr),
        _ => Err(Trap::Missing(format!("{class}.{field}"))),
    }
}

/// Appends the loops to those that exist. All classes are initialised before anything is changed.
fn register(m: &mut Machine, a: &Args) -> Step<NativeOutcome> {
    let manager = m.method(a.method).class;
    let mut made = Vec::new();
    for it in loops() {
        let class = format!("sun/java2d/loops/{}", it.class);
        let signature = object_in(m, &class, "methodSignature")?;
        let source = object_in(m, SURFACES, it.source)?;
        let composite = object_in(m, COMPOSITES, it.composite)?;
        let destination = object_in(m, SURFACES, it.destination)?;
        let class = m.load(&class)?;
        let kind = m.static_field(class, "primTypeID").unwrap_or(0) as u32;
        let number = |m: &Machine, object| m.named(object, "uniqueID") as u32;
        let unique =
            kind << 24 | number(m, destination) << 16 | number(m, composite) << 8 | number(m, source);
        made.push((class, signature, source, composite, destination, unique));
    }
    let old = m.static_field(manager, "primitives").unwrap_or(0) as Addr;
    let kept = if old == 0 { 0 } else { m.array_length(old) };
    let arrays = m.load("[Lsun/java2d/loops/GraphicsPrimitive;")?;
    let new = m.new_array(arrays, kept + made.len() as u32)?;
    for index in 0..kept {
        let element = m.element_ref(old, index);
        m.set_element_ref(new, index, element);
    }
    for (index, (class, signature, source, composite, destination, unique)) in made.into_iter().enumerate() {
        let object = m.new_object(class)?;
        m.set_named(object, "methodSignature", u64::from(signature));
        m.set_named(object, "sourceType", u64::from(source));
        m.set_named(object, "compositeType", u64::from(composite));
        m.set_named(object, "destType", u64::from(destination));
        m.set_named(object, "uniqueID", u64::from(unique));
        // Not null: the loop is native.
        m.set_named(object, "pNativePrim", 1);
        m.set_element_ref(new, kept + index as u32, object);
    }
    m.set_static_field(manager, "primitives", u64::from(new))?;
    m.set_static_field(manager, "needssort", 1)?;
    Ok(VOID)
}

/// What Java's loops for one colour write with. These loops take the pixel from the colour model, which rounds
/// otherwise than the surface type that the JDK's native loops go by.
fn writer(m: &mut Machine, a: &Args, is_xor: bool) -> Step<NativeOutcome> {
    let (graphics, data) = (a.non_null(m, 0)?, a.non_null(m, 1)?);
    let mut pixel = m.named(graphics, "pixel") as u32;
    if is_xor {
        let composite = m.named(graphics, "composite") as Addr;
        pixel = (pixel ^ m.named(composite, "xorPixel") as u32) & !(m.named(composite, "alphaMask") as u32);
    }
    let elements = elements_of(m, data, pixel, m.named(graphics, "eargb") as u32);
    let (array, kind, name) = match &elements {
        Elements::Bytes(_) => ("[B", Kind::Byte, "ByteData"),
        Elements::Shorts(_) => ("[S", Kind::Short, "ShortData"),
        Elements::Int(_) => ("[I", Kind::Int, "IntData"),
    };
    let class = if is_xor { format!("sun/java2d/loops/XorPixelWriter${name}") } else { SOLID.to_owned() };
    let class = m.load(&class)?;
    m.ensure_initialized(class)?;
    let array = m.load(array)?;
    let numbers: Vec<i32> = match elements {
        Elements::Bytes(parts) => parts.into_iter().map(|it| it as i8 as i32).collect(),
        Elements::Shorts(parts) => parts.into_iter().map(|it| it as i16 as i32).collect(),
        Elements::Int(number) => vec![number as i32],
    };
    let stored = m.new_array(array, numbers.len() as u32)?;
    for (index, number) in numbers.into_iter().enumerate() {
        m.set_element_value(stored, index as u32, kind, Value::int(number));
    }
    let made = m.new_object(class)?;
    m.set_named(made, if is_xor { "xorData" } else { "srcData" }, u64::from(stored));
    reference(made)
}

/// A pixel as `Raster.setDataElements` takes it.
enum Elements {
    Bytes(Vec<u8>),
    Shorts(Vec<u16>),
    Int(u32),
}

/// The elements of a pixel: of its format, or by the bands of a raster without one.
fn elements_of(m: &Machine, data: Addr, pixel: u32, argb: u32) -> Elements {
    let Some(format) = surface::format_of(m, m.named(data, "surfaceType") as Addr) else {
        return foreign_elements(m, data, pixel, argb);
    };
    match format.layout() {
        (4, _) => Elements::Int(pixel),
        (2, _) => Elements::Shorts(vec![pixel as u16]),
        // Bands are red, green, blue and alpha; memory has the opposite order.
        (_, bands) => {
            Elements::Bytes((0..bands).map(|band| (pixel >> (8 * (bands - 1 - band))) as u8).collect())
        }
    }
}

/// For custom images: `SurfaceData.pixelFor` has packed bytes into an int; 16 bits of a band are a byte twice.
fn foreign_elements(m: &Machine, data: Addr, pixel: u32, argb: u32) -> Elements {
    let image = m.named(data, "bufImg") as Addr;
    let raster = if image == 0 { 0 } else { m.named(image, "raster") as Addr };
    let (bands, array) = if raster == 0 {
        (1, 0)
    } else {
        (m.named(raster, "numDataElements") as u32, m.named(raster, "data") as Addr)
    };
    let kind = if array == 0 { Kind::Int } else { m.element_kind(m.class_of(array)) };
    match kind {
        Kind::Byte => Elements::Bytes((0..bands).map(|band| (pixel >> (8 * band)) as u8).collect()),
        Kind::Short if bands == 1 => Elements::Shorts(vec![pixel as u16]),
        Kind::Short => {
            let channels = [argb >> 16 & 0xFF, argb >> 8 & 0xFF, argb & 0xFF, argb >> 24];
            Elements::Shorts((0..bands as usize).map(|band| channels[band % 4] as u16 * 257).collect())
        }
        _ => Elements::Int(pixel),
    }
}
