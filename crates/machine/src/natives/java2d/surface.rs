//! Surfaces: images in memory (`sun.awt.image.BufImgSurfaceData`), read from their rasters.

use super::format::{Format, plain, premultiplied};
use super::palette::Palette;
use crate::classes::Kind;
use crate::exit::{Step, Trap};
use crate::heap::layout::ARRAY_BASE;
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::support::{NOTHING, boolean};
use crate::natives::{Native, VOID, bytes, row};

const IMAGES: &str = "sun/awt/image/BufImgSurfaceData";
const RASTER_AND_MORE: &str = "(Ljava/lang/Object;IIIIIILjava/awt/image/IndexColorModel;)V";

pub(super) const NATIVES: &[Native] = &[
    row(IMAGES, "initRaster", RASTER_AND_MORE, |m, a| {
        let surface = a.non_null(m, 0)?;
        // Where the first pixel is; the rest is read from the raster. Null means a disposed surface.
        let first = (a.int(m, 2) as u32 as u64) << 8 | (a.int(m, 3) as u64 & 7) << 1 | 1;
        m.set_named(surface, "pData", first);
        Ok(VOID)
    }),
    row("sun/java2d/SurfaceData", "isOpaqueGray", "(Ljava/awt/image/IndexColorModel;)Z", |m, a| {
        let model = a.reference(m, 0);
        let gray = model != 0 && {
            let colors = palette(m, model)?;
            colors.iter().all(|c| c >> 24 == 255 && c & 0xFF == c >> 8 & 0xFF && c & 0xFF == c >> 16 & 0xFF)
        };
        boolean(gray)
    }),
    row("sun/java2d/Disposer", "initIDs", "()V", NOTHING),
];

/// An image that can be read and written by pixels.
pub(super) struct Surface {
    pub(super) format: Format,
    /// The bytes of its array: address and number.
    start: u64,
    length: u64,
    /// From there to the first pixel.
    first: u64,
    first_bit: u32,
    pixel_stride: u64,
    row_stride: u64,
    pub(super) width: i32,
    pub(super) height: i32,
    palette: Palette,
}

/// Formats by `BufferedImage.getType()`, from 1 on.
const IMAGE_TYPES: [Format; 13] = [
    Format::IntRgb,
    Format::IntArgb,
    Format::IntArgbPre,
    Format::IntBgr,
    Format::ThreeByteBgr,
    Format::FourByteAbgr,
    Format::FourByteAbgrPre,
    Format::Ushort565Rgb,
    Format::Ushort555Rgb,
    Format::ByteGray,
    Format::UshortGray,
    Format::ByteBinary1Bit,
    Format::ByteIndexed,
];

/// The colours of an `IndexColorModel`.
fn palette(m: &mut Machine, model: Addr) -> Step<Vec<u32>> {
    let (colors, size) = (m.named(model, "rgb") as Addr, m.named(model, "map_size") as u32);
    if colors == 0 {
        return Ok(Vec::new());
    }
    let size = size.min(m.array_length(colors));
    bytes::fix_bytes(m, u64::from(colors) * 8 + ARRAY_BASE, u64::from(size) * 4)?;
    Ok((0..size).map(|index| m.element(colors, index, Kind::Int) as u32).collect())
}

/// The format of a `SurfaceType`, or of the nearest of its supertypes that has one.
pub(super) fn format_of(m: &Machine, mut kind: Addr) -> Option<Format> {
    while kind != 0 {
        let name = m.text(m.named(kind, "desc") as Addr);
        if let Some(format) = Format::described(&name) {
            return Some(format);
        }
        kind = m.named(kind, "next") as Addr;
    }
    None
}

impl Surface {
    /// The surface of a `SurfaceData`.
    pub(super) fn open(m: &mut Machine, data: Addr) -> Step<Surface> {
        if data == 0 {
            return Err(Trap::Raise("java/lang/NullPointerException", None));
        }
        let kind = m.named(data, "surfaceType") as Addr;
        let image = m.named(data, "bufImg") as Addr;
        let raster = if image == 0 { 0 } else { m.named(image, "raster") as Addr };
        let Some(format) = format_of(m, kind).filter(|_| raster != 0) else {
            return Err(Trap::Raise(
                "sun/java2d/InvalidPipeException",
                Some("no loop for this surface".into()),
            ));
        };
        let place = m.named(data, "pData");
        Surface::on(m, format, image, (place >> 8, (place >> 1 & 7) as u32))
    }

    /// The surface of a `BufferedImage` of a predefined type.
    pub(super) fn of_image(m: &mut Machine, image: Addr) -> Step<Option<Surface>> {
        let kind = m.named(image, "imageType") as usize;
        let Some(format) = kind.checked_sub(1).and_then(|it| IMAGE_TYPES.get(it)).copied() else {
            return Ok(None);
        };
        let raster = m.named(image, "raster") as Addr;
        let bits = m.named(raster, "dataBitOffset") as u32;
        if kind == 12 {
            let size = m.named(raster, "pixelBitStride") as u32;
            let packed = [Format::ByteBinary1Bit, Format::ByteBinary2Bit, Format::ByteBinary4Bit];
            let Some(format) = packed.into_iter().find(|it| it.bits_of_index() == Some(size)) else {
                return Ok(None);
            };
            return Surface::on(m, format, image, (u64::from(bits / 8), bits % 8)).map(Some);
        }
        let offsets = m.named(raster, "dataOffsets") as Addr;
        let first =
            (0..m.array_length(offsets)).map(|index| m.element(offsets, index, Kind::Int) as u32).min();
        let first = u64::from(first.unwrap_or(0)) * u64::from(format.layout().0);
        Surface::on(m, format, image, (first, 0)).map(Some)
    }

    /// The surface of an image whose first pixel is at this byte and bit of its array.
    fn on(m: &mut Machine, format: Format, image: Addr, (first, first_bit): (u64, u32)) -> Step<Surface> {
        let raster = m.named(image, "raster") as Addr;
        let array = m.named(raster, "data") as Addr;
        let (element, _) = format.layout();
        let strides = |name: &str| m.named(raster, name) as u32 as u64 * u64::from(element);
        let mut surface = Surface {
            format,
            start: u64::from(array) * 8 + ARRAY_BASE,
            length: u64::from(m.array_length(array)) * u64::from(element),
            first,
            first_bit,
            pixel_stride: strides("pixelStride"),
            row_stride: strides("scanlineStride"),
            width: m.named(raster, "width") as i32,
            height: m.named(raster, "height") as i32,
            palette: Palette::default(),
        };
        if format.has_palette() {
            let model = m.named(image, "colorModel") as Addr;
            if model != 0 {
                surface.palette = Palette::new(palette(m, model)?);
            }
        }
        // Pixels are plain numbers from here on.
        bytes::fix_bytes(m, surface.start, surface.length)?;
        bytes::clear_byte_shadows(m, surface.start, surface.length);
        Ok(surface)
    }

    /// Whether the pixel exists.
    pub(super) fn contains(&self, x: i32, y: i32) -> bool {
        (0..self.width).contains(&x) && (0..self.height).contains(&y)
    }

    /// The offset of the byte of a pixel, and its shift within the byte.
    fn place(&self, x: i32, y: i32) -> (u64, u32) {
        let row = self.first + y as u64 * self.row_stride;
        match self.format.bits_of_index() {
            None => (row + x as u64 * self.pixel_stride, 0),
            Some(bits) => {
                let bit = self.first_bit + x as u32 * bits;
                (row + u64::from(bit / 8), 8 - bits - bit % 8)
            }
        }
    }

    /// The pixel as it is stored. The place must exist.
    pub(super) fn raw(&self, m: &Machine, x: i32, y: i32) -> u32 {
        let (at, shift) = self.place(x, y);
        let (size, parts) = self.format.layout();
        if at + u64::from(size * parts) > self.length {
            return 0;
        }
        if let Some(bits) = self.format.bits_of_index() {
            return m.memory.read_bytes(self.start + at, 1) as u32 >> shift & ((1 << bits) - 1);
        }
        (0..parts).fold(0, |raw, part| {
            raw | (m.memory.read_bytes(self.start + at + u64::from(part * size), size) as u32) << (8 * part)
        })
    }

    /// Stores a pixel.
    pub(super) fn set_raw(&self, m: &mut Machine, x: i32, y: i32, raw: u32) {
        let (at, shift) = self.place(x, y);
        let (size, parts) = self.format.layout();
        if at + u64::from(size * parts) > self.length {
            return;
        }
        if let Some(bits) = self.format.bits_of_index() {
            let mask = ((1u64 << bits) - 1) << shift;
            let old = m.memory.read_bytes(self.start + at, 1);
            let new = old & !mask | u64::from(raw) << shift & mask;
            return m.memory.write_bytes(self.start + at, 1, new);
        }
        if parts == 1 {
            return m.memory.write_bytes(self.start + at, size, u64::from(raw));
        }
        for part in 0..parts {
            let byte = u64::from(raw >> (8 * part) & 0xFF);
            m.memory.write_bytes(self.start + at + u64::from(part), 1, byte);
        }
    }

    /// The pixel's colour as stored, of the palette if there is one.
    pub(super) fn stored(&self, m: &Machine, x: i32, y: i32) -> u32 {
        let raw = self.raw(m, x, y);
        if self.format.has_palette() {
            return self.palette.color(raw);
        }
        self.format.stored_argb(raw)
    }

    /// The pixel's colour, not multiplied by alpha.
    pub(super) fn argb(&self, m: &Machine, x: i32, y: i32) -> u32 {
        let stored = self.stored(m, x, y);
        if self.format.is_premultiplied() { plain(stored) } else { stored }
    }

    /// The pixel's colour, multiplied by alpha.
    pub(super) fn premultiplied(&self, m: &Machine, x: i32, y: i32) -> u32 {
        let stored = self.stored(m, x, y);
        if self.format.is_premultiplied() { stored } else { premultiplied(stored) }
    }

    /// The pixel for a colour in the surface's own form.
    pub(super) fn raw_of_stored(&self, argb: u32) -> u32 {
        if self.format.has_palette() {
            return self.palette.nearest(argb);
        }
        self.format.raw_of_stored(argb)
    }

    /// The pixel for a colour that is not multiplied by alpha.
    pub(super) fn raw_of(&self, argb: u32) -> u32 {
        self.raw_of_stored(if self.format.is_premultiplied() { premultiplied(argb) } else { argb })
    }

    /// The pixel at this place for a colour in the surface's own form, dithered if there is a palette.
    pub(super) fn dithered(&self, argb: u32, x: i32, y: i32) -> u32 {
        if self.format == Format::ByteIndexed {
            return self.palette.dithered(argb, x, y);
        }
        self.raw_of_stored(argb)
    }
}
