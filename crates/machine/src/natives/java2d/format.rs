//! Formats of pixels, by the names of `sun.java2d.loops.SurfaceType`.

/// How a surface stores a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    IntArgb,
    IntArgbPre,
    IntRgb,
    IntBgr,
    IntRgbx,
    ThreeByteBgr,
    FourByteAbgr,
    FourByteAbgrPre,
    Ushort565Rgb,
    Ushort555Rgb,
    Ushort555Rgbx,
    ByteGray,
    UshortGray,
    ByteIndexed,
    ByteBinary1Bit,
    ByteBinary2Bit,
    ByteBinary4Bit,
}

use Format::*;

/// Each format, the static field of `SurfaceType` with its type, and the description of that type.
pub(super) const FORMATS: &[(Format, &str, &str)] = &[
    (IntArgb, "IntArgb", "Integer ARGB"),
    (IntArgbPre, "IntArgbPre", "Integer ARGB Premultiplied"),
    (IntRgb, "IntRgb", "Integer RGB"),
    (IntBgr, "IntBgr", "Integer BGR"),
    (IntRgbx, "IntRgbx", "Integer RGBx"),
    (ThreeByteBgr, "ThreeByteBgr", "3 Byte BGR"),
    (FourByteAbgr, "FourByteAbgr", "4 Byte ABGR"),
    (FourByteAbgrPre, "FourByteAbgrPre", "4 Byte ABGR Premultiplied"),
    (Ushort565Rgb, "Ushort565Rgb", "Short 565 RGB"),
    (Ushort555Rgb, "Ushort555Rgb", "Short 555 RGB"),
    (Ushort555Rgbx, "Ushort555Rgbx", "Short 555 RGBx"),
    (ByteGray, "ByteGray", "8-bit Gray"),
    (UshortGray, "UshortGray", "16-bit Gray"),
    (ByteIndexed, "ByteIndexed", "8-bit Indexed"),
    (ByteBinary1Bit, "ByteBinary1Bit", "Packed Binary 1-bit Bitmap"),
    (ByteBinary2Bit, "ByteBinary2Bit", "Packed Binary 2-bit Bitmap"),
    (ByteBinary4Bit, "ByteBinary4Bit", "Packed Binary 4-bit Bitmap"),
];

impl Format {
    /// The format with this description.
    pub(super) fn described(text: &str) -> Option<Format> {
        FORMATS.iter().find(|(_, _, name)| *name == text).map(|(format, ..)| *format)
    }

    /// Whether colours are stored multiplied by alpha.
    pub(super) fn is_premultiplied(self) -> bool {
        matches!(self, IntArgbPre | FourByteAbgrPre)
    }

    /// Whether pixels are indexes into a palette.
    pub(super) fn has_palette(self) -> bool {
        matches!(self, ByteIndexed) || self.bits_of_index().is_some()
    }

    /// Bits of a pixel of which several share a byte.
    pub(super) fn bits_of_index(self) -> Option<u32> {
        match self {
            ByteBinary1Bit => Some(1),
            ByteBinary2Bit => Some(2),
            ByteBinary4Bit => Some(4),
            _ => None,
        }
    }

    /// Bytes of an array element and elements of a pixel.
    pub(super) fn layout(self) -> (u32, u32) {
        match self {
            IntArgb | IntArgbPre | IntRgb | IntBgr | IntRgbx => (4, 1),
            ThreeByteBgr => (1, 3),
            FourByteAbgr | FourByteAbgrPre => (1, 4),
            Ushort565Rgb | Ushort555Rgb | Ushort555Rgbx | UshortGray => (2, 1),
            ByteGray | ByteIndexed | ByteBinary1Bit | ByteBinary2Bit | ByteBinary4Bit => (1, 1),
        }
    }

    /// The pixel as alpha, red, green and blue, as it is stored: multiplied by alpha or not.
    pub(super) fn stored_argb(self, raw: u32) -> u32 {
        match self {
            IntArgb | IntArgbPre => raw,
            IntRgb | ThreeByteBgr => raw | 0xFF00_0000,
            IntBgr => 0xFF00_0000 | (raw & 0xFF) << 16 | raw & 0xFF00 | raw >> 16 & 0xFF,
            IntRgbx => 0xFF00_0000 | raw >> 8,
            // The bytes are alpha, blue, green, red in memory; alpha is the lowest of `raw`.
            FourByteAbgr | FourByteAbgrPre => (raw & 0xFF) << 24 | raw >> 8,
            Ushort565Rgb => {
                let (r, g, b) = (raw >> 11 & 31, raw >> 5 & 63, raw & 31);
                opaque(r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2)
            }
            Ushort555Rgb | Ushort555Rgbx => {
                let raw = if self == Ushort555Rgbx { raw >> 1 } else { raw };
                let (r, g, b) = (raw >> 10 & 31, raw >> 5 & 31, raw & 31);
                opaque(r << 3 | r >> 2, g << 3 | g >> 2, b << 3 | b >> 2)
            }
            ByteGray => opaque(raw, raw, raw),
            UshortGray => opaque(raw >> 8, raw >> 8, raw >> 8),
            ByteIndexed | ByteBinary1Bit | ByteBinary2Bit | ByteBinary4Bit => 0,
        }
    }

    /// The opposite of [`stored_argb`](Format::stored_argb).
    pub(super) fn raw_of_stored(self, argb: u32) -> u32 {
        let (r, g, b) = (argb >> 16 & 0xFF, argb >> 8 & 0xFF, argb & 0xFF);
        match self {
            IntArgb | IntArgbPre => argb,
            IntRgb | ThreeByteBgr => argb & 0xFF_FFFF,
            IntBgr => b << 16 | g << 8 | r,
            IntRgbx => argb << 8,
            FourByteAbgr | FourByteAbgrPre => argb.rotate_left(8),
            Ushort565Rgb => r >> 3 << 11 | g >> 2 << 5 | b >> 3,
            Ushort555Rgb => r >> 3 << 10 | g >> 3 << 5 | b >> 3,
            Ushort555Rgbx => r >> 3 << 11 | g >> 3 << 6 | b >> 3 << 1,
            ByteGray => gray(r, g, b),
            UshortGray => wide_gray(r, g, b),
            ByteIndexed | ByteBinary1Bit | ByteBinary2Bit | ByteBinary4Bit => 0,
        }
    }
}

fn opaque(r: u32, g: u32, b: u32) -> u32 {
    0xFF00_0000 | r << 16 | g << 8 | b
}

/// Luminance of 8 bits, as `PixelConverter.ByteGray` computes it.
pub(super) fn gray(r: u32, g: u32, b: u32) -> u32 {
    (77 * r + 150 * g + 29 * b + 128) / 256
}

/// Luminance of 16 bits.
pub(super) fn wide_gray(r: u32, g: u32, b: u32) -> u32 {
    (r * 19672 + g * 38621 + b * 7500) / 256
}

/// The product of two fractions of 255.
pub(super) fn times(a: u32, b: u32) -> u32 {
    (a * b + 127) / 255
}

/// The quotient of two fractions of 255, at most 255, by a reciprocal of 24 bits as the JDK rounds it.
pub(super) fn over(a: u32, b: u32) -> u32 {
    let reciprocal = (0xFF00_0000 + b / 2) / b;
    let product = u64::from(a) * u64::from(reciprocal) + 0x80_0000;
    (product >> 24).min(255) as u32
}

/// Colours multiplied by alpha.
pub(super) fn premultiplied(argb: u32) -> u32 {
    let a = argb >> 24;
    if a == 255 {
        return argb;
    }
    a << 24 | times(argb >> 16 & 0xFF, a) << 16 | times(argb >> 8 & 0xFF, a) << 8 | times(argb & 0xFF, a)
}

/// Colours divided by alpha.
pub(super) fn plain(argb: u32) -> u32 {
    let a = argb >> 24;
    if a == 255 || a == 0 {
        return argb;
    }
    a << 24 | over(argb >> 16 & 0xFF, a) << 16 | over(argb >> 8 & 0xFF, a) << 8 | over(argb & 0xFF, a)
}
