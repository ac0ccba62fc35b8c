//! The JDK's run-time image, `lib/modules` (the format of `jdk.internal.jimage.BasicImageReader`).
//!
//! ```text
//! header       7 words: magic, version, flags, resources, table length, bytes of locations, bytes of strings
//! redirects    a word per table entry: the perfect hash
//! offsets      a word per table entry: where its location begins
//! locations    attributes of each resource: (kind << 3 | length - 1), value of that length, big-endian
//! strings      zero-terminated
//! resources    the contents
//! ```
//!
//! Words are in the byte order of the platform that the image is for. All but the contents, some 3 MB, is read when the
//! image is opened; contents are read from the file when they are asked for.

use std::ffi::CStr;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{ClassFileError, Result};
use crate::limits::LARGEST_RESOURCE;

const HEADER_LENGTH: usize = 28;
const MAGIC: u32 = 0xCAFE_DADA;
const RESOURCE_MAGIC: u32 = 0xCAFE_FAFA;
/// Length of the header before each compressed content.
const RESOURCE_HEADER_LENGTH: usize = 29;
const HASH_SEED: u32 = 0x0100_0193;

/// An opened image.
#[derive(Debug)]
pub struct Image {
    file: Box<str>,
    /// Whether the words are big-endian.
    big_endian: bool,
    /// Number of entries in the redirect and offset tables.
    table_length: usize,
    /// The redirect table to the strings, as in the file from `HEADER_LENGTH` on.
    index: Vec<u8>,
    /// Where the locations begin in `index`.
    locations: usize,
    /// Where the strings begin in `index`.
    strings: usize,
    contents: Mutex<File>,
    /// Length of the file in bytes, when it was opened.
    file_length: u64,
}

/// A resource of the image; its name is `/module/parent/base.extension`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Resource<'a> {
    /// Name of the module.
    pub module: &'a str,
    /// Folder, such as `java/lang`; may be empty.
    pub parent: &'a str,
    /// File name without extension.
    pub base: &'a str,
    /// Extension; may be empty.
    pub extension: &'a str,
    offset: u64,
    compressed_length: u64,
    length: u64,
}

impl Image {
    /// Opens an image and reads its index.
    ///
    /// # Errors
    ///
    /// [`ClassFileError::Unreadable`], [`ClassFileError::DamagedImage`].
    pub fn open(path: &Path) -> Result<Image> {
        let name = path.display().to_string();
        let mut file = File::open(path).map_err(|error| ClassFileError::unreadable(&*name, &error))?;
        let file_length = file.metadata().map_err(|error| ClassFileError::unreadable(&*name, &error))?.len();
        let damaged = |problem: &str| damaged(&name, "header", problem);
        let mut header = [0; HEADER_LENGTH];
        file.read_exact(&mut header).map_err(|error| damaged(&error.to_string()))?;
        let big_endian = match u32::from_be_bytes([header[0], header[1], header[2], header[3]]) {
            MAGIC => true,
            magic if magic.swap_bytes() == MAGIC => false,
            magic => return Err(damaged(&format!("begins with {magic:08x}, not {MAGIC:08x}"))),
        };
        let field = |index: usize| word(&header, index * 4, big_endian).unwrap_or(0) as usize;
        let (version, table_length) = (field(1), field(4));
        if version >> 16 != 1 {
            return Err(damaged(&format!("version {}.{} is not supported", version >> 16, version & 0xFFFF)));
        }
        let locations = table_length * 8;
        let strings = locations + field(5);
        let length = (strings + field(6)) as u64;
        let mut index = Vec::with_capacity(length.min(file_length) as usize);
        let read = (&mut file).take(length).read_to_end(&mut index);
        if table_length == 0 || read.map_err(|error| damaged(&error.to_string()))? as u64 != length {
            return Err(damaged("the file is shorter than its index"));
        }
        Ok(Image {
            file: name.into(),
            big_endian,
            table_length,
            index,
            locations,
            strings,
            contents: Mutex::new(file),
            file_length,
        })
    }

    /// The file of the image, for messages.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The resource of this full name, such as `/java.base/java/lang/Object.class`.
    ///
    /// # Errors
    ///
    /// [`ClassFileError::DamagedImage`].
    pub fn find(&self, name: &str) -> Result<Option<Resource<'_>>> {
        let slot = (hash(name, HASH_SEED) as usize) % self.table_length;
        let entry = match self.word(slot * 4)?.cast_signed() {
            0 => return Ok(None),
            direct if direct < 0 => direct.unsigned_abs() as usize - 1,
            seed => hash(name, seed.cast_unsigned()) as usize % self.table_length,
        };
        let resource = self.resource(entry)?;
        Ok(resource.is_named(name).then_some(resource))
    }

    /// Whether a module has classes in a package, given as `java/lang`, or in packages below it.
    ///
    /// # Errors
    ///
    /// [`ClassFileError::DamagedImage`].
    pub fn has_package(&self, package: &str) -> Result<bool> {
        Ok(self.find(&format!("/packages/{}", package.replace('/', ".")))?.is_some())
    }

    /// The module that holds the classes of a package, given as `java/lang`.
    ///
    /// # Errors
    ///
    /// [`ClassFileError::DamagedImage`].
    pub fn module_of_package(&self, package: &str) -> Result<Option<&str>> {
        let Some(resource) = self.find(&format!("/packages/{}", package.replace('/', ".")))? else {
            return Ok(None);
        };
        // Pairs of words: whether the module has only subpackages there, and its name.
        let modules = self.read(&resource)?;
        for pair in modules.chunks_exact(8) {
            let (empty, name) = (word(pair, 0, self.big_endian), word(pair, 4, self.big_endian));
            if let (Some(0), Some(name)) = (empty, name) {
                return self.string(name as usize).map(Some);
            }
        }
        Ok(None)
    }

    /// All resources of modules, in the order of the table.
    pub fn resources(&self) -> impl Iterator<Item = Result<Resource<'_>>> {
        let is_of_module = |resource: &Result<Resource<'_>>| {
            !resource.as_ref().is_ok_and(|resource| matches!(resource.module, "" | "modules" | "packages"))
        };
        (0..self.table_length).map(|entry| self.resource(entry)).filter(is_of_module)
    }

    /// The content of a resource.
    ///
    /// # Errors
    ///
    /// [`ClassFileError::DamagedImage`].
    pub fn read(&self, resource: &Resource<'_>) -> Result<Arc<[u8]>> {
        let damaged = |problem: &str| damaged(&self.file, &format!("resource {resource}"), problem);
        let stored = match resource.compressed_length {
            0 => resource.length,
            compressed => compressed,
        };
        if stored.max(resource.length) > LARGEST_RESOURCE {
            return Err(damaged(&format!("it would have more than {} MiB", LARGEST_RESOURCE >> 20)));
        }
        // The length is not trusted: a damaged one must not reserve more than the file can hold.
        let mut bytes = Vec::with_capacity(stored.min(self.file_length) as usize);
        {
            // A panic elsewhere does not make the file handle worse: the position is set here.
            let mut file = self.contents.lock().unwrap_or_else(PoisonError::into_inner);
            let start = (HEADER_LENGTH + self.index.len()) as u64;
            let seek = file.seek(SeekFrom::Start(start.saturating_add(resource.offset)));
            let read = seek.and_then(|_| (&mut *file).take(stored).read_to_end(&mut bytes));
            read.map_err(|error| damaged(&error.to_string()))?;
        }
        if bytes.len() as u64 != stored {
            return Err(damaged("the file ends before this content does"));
        }
        if resource.compressed_length != 0 {
            bytes = self.expand(&bytes, resource.length).map_err(|problem| damaged(&problem))?;
        }
        if bytes.len() as u64 != resource.length {
            return Err(damaged("the content is not as long as its length says"));
        }
        Ok(bytes.into())
    }

    /// Decompresses a content that `jlink --compress` has packed with zip, up to its length plus one byte.
    fn expand(&self, packed: &[u8], length: u64) -> Result<Vec<u8>, String> {
        let header = (word(packed, 0, self.big_endian), word(packed, 20, self.big_endian));
        let (Some(RESOURCE_MAGIC), Some(method)) = header else {
            return Err("does not have the header of a compressed content".into());
        };
        let method = self.string(method as usize).map_err(|error| error.to_string())?;
        if method != "zip" {
            return Err(format!("compression {method} is not supported; name an image made without it"));
        }
        let payload = packed.get(RESOURCE_HEADER_LENGTH..).unwrap_or_default();
        let mut bytes = Vec::new();
        let unpacked = flate2::read::ZlibDecoder::new(payload);
        unpacked.take(length + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        Ok(bytes)
    }

    /// The resource of a table entry.
    fn resource(&self, entry: usize) -> Result<Resource<'_>> {
        let damaged = || damaged(&self.file, &format!("location of entry {entry}"), "is malformed");
        let start = self.locations + self.word((self.table_length + entry) * 4)? as usize;
        let mut rest = self.index.get(start..self.strings).ok_or_else(damaged)?;
        let mut resource = Resource::default();
        loop {
            let (&head, behind) = rest.split_first().ok_or_else(damaged)?;
            let kind = head >> 3;
            if kind == 0 {
                return Ok(resource);
            }
            let (value, behind) = behind.split_at_checked(usize::from(head & 7) + 1).ok_or_else(damaged)?;
            let value = value.iter().fold(0, |value, byte| value << 8 | u64::from(*byte));
            rest = behind;
            match kind {
                1 => resource.module = self.string(value as usize)?,
                2 => resource.parent = self.string(value as usize)?,
                3 => resource.base = self.string(value as usize)?,
                4 => resource.extension = self.string(value as usize)?,
                5 => resource.offset = value,
                6 => resource.compressed_length = value,
                7 => resource.length = value,
                _ => {}
            }
        }
    }

    fn string(&self, offset: usize) -> Result<&str> {
        let rest = self.strings.checked_add(offset).and_then(|start| self.index.get(start..));
        rest.and_then(|rest| CStr::from_bytes_until_nul(rest).ok()?.to_str().ok()).ok_or_else(|| {
            damaged(&self.file, &format!("string {offset}"), "is not text inside the string table")
        })
    }

    fn word(&self, offset: usize) -> Result<u32> {
        word(&self.index, offset, self.big_endian)
            .ok_or_else(|| damaged(&self.file, &format!("index offset {offset}"), "lies outside the index"))
    }
}

impl Resource<'_> {
    /// Whether this is the resource's full name. The perfect hash finds an entry for every name.
    fn is_named(&self, name: &str) -> bool {
        let after = |rest: Option<&str>, separator: char, part: &str| -> Option<usize> {
            let rest = rest?;
            if part.is_empty() {
                return Some(rest.len());
            }
            rest.strip_prefix(separator)?.strip_prefix(part).map(str::len)
        };
        let mut rest = Some(name);
        for (separator, part) in
            [('/', self.module), ('/', self.parent), ('/', self.base), ('.', self.extension)]
        {
            rest = after(rest, separator, part).map(|length| &name[name.len() - length..]);
        }
        rest == Some("")
    }
}

impl std::fmt::Display for Resource<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (separator, part) in
            [("/", self.module), ("/", self.parent), ("/", self.base), (".", self.extension)]
        {
            if !part.is_empty() {
                write!(f, "{separator}{part}")?;
            }
        }
        Ok(())
    }
}

fn damaged(file: &str, place: &str, problem: &str) -> ClassFileError {
    ClassFileError::DamagedImage { file: file.into(), place: place.into(), problem: problem.into() }
}

fn word(bytes: &[u8], offset: usize, big_endian: bool) -> Option<u32> {
    let bytes = *bytes.get(offset..)?.first_chunk::<4>()?;
    Some(if big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
}

/// The image's hash of a name.
fn hash(name: &str, seed: u32) -> u32 {
    name.bytes().fold(seed, |hash, byte| hash.wrapping_mul(HASH_SEED) ^ u32::from(byte)) & 0x7FFF_FFFF
}
