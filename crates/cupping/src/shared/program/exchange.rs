//! Files that the user copies into the program's file system and out of it.

use cupping_machine::Machine;
use cupping_report::files;
use std::fs;
use std::path::Path;

/// Files (`Some`) and folders of the program's file system by path.
type Files = Vec<(String, Option<Vec<u8>>)>;

/// The files that the pairs `HOST=PATH` of `--file` add to the file system.
pub fn copied_in(pairs: &[(String, String)]) -> Result<Files, String> {
    let mut files = Vec::new();
    for (host, path) in pairs {
        copy(Path::new(host), path, &mut files)
            .map_err(|error| format!("--file {host}={path}: {host} cannot be read ({error})"))?;
    }
    Ok(files)
}

fn copy(host: &Path, path: &str, files: &mut Files) -> std::io::Result<()> {
    if !fs::metadata(host)?.is_dir() {
        files.push((path.to_owned(), Some(fs::read(host)?)));
        return Ok(());
    }
    files.push((path.to_owned(), None));
    let mut inner = fs::read_dir(host)?.collect::<Result<Vec<_>, _>>()?;
    inner.sort_by_key(fs::DirEntry::file_name);
    for entry in inner {
        let name = entry.file_name();
        copy(&entry.path(), &format!("{}/{}", path.trim_end_matches('/'), name.to_string_lossy()), files)?;
    }
    Ok(())
}

/// Copies the files named by the pairs `PATH=HOST` of `--out` to this computer.
pub fn copy_out(machine: &mut Machine, pairs: &[(String, String)]) -> Result<(), String> {
    for (path, host) in pairs {
        let failed = |error: String| format!("--out {path}={host}: {error}");
        let found = machine.export(path);
        if found.is_empty() {
            return Err(failed(format!("the program did not create {path}")));
        }
        for (name, content) in found {
            let place = if name.is_empty() { host.into() } else { Path::new(host).join(name) };
            let written = match content {
                Some(bytes) => files::put(&place, &bytes),
                None => fs::create_dir_all(&place),
            };
            written.map_err(|error| failed(format!("{} cannot be written ({error})", place.display())))?;
        }
    }
    Ok(())
}
