//! An object store behind the folder of a store: S3, Google's, Azure's, and what speaks their protocols.
//!
//! Objects have the names of the files of the folder, and never change either. So the folder is a copy of what was
//! asked for; what it lacks is looked for in the object store, and what is put goes to both.

use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, parse_url_opts};
use std::fmt;
use std::future::Future;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use url::Url;

/// Requests at a time.
const AT_ONCE: usize = 32;
/// How long a request may take, its repetitions included.
const PATIENCE: Duration = Duration::from_secs(60);
/// Prefixes of the environment variables with credentials, regions and endpoints.
const SETTINGS: [&str; 3] = ["AWS_", "GOOGLE_", "AZURE_"];

/// A prefix of an object store.
pub struct Remote {
    store: Box<dyn ObjectStore>,
    prefix: Path,
    runtime: Runtime,
}

/// An object that was found: its name, relative to the store, and its content.
pub type Object = (String, Vec<u8>);

impl Remote {
    /// The place of this URL, such as `s3://bucket/cupping`. Credentials come from the environment variables that the
    /// provider's own tools read.
    ///
    /// # Errors
    ///
    /// The URL is unknown or incomplete, credentials are missing, or the store does not answer.
    pub fn open(url: &str) -> Result<Remote, String> {
        let parsed = Url::parse(url).map_err(|error| error.to_string())?;
        let settings = std::env::vars_os().filter_map(|(name, value)| {
            let name =
                name.into_string().ok().filter(|name| SETTINGS.iter().any(|it| name.starts_with(it)))?;
            Some((name.to_ascii_lowercase(), value.into_string().ok()?))
        });
        let (store, prefix) = parse_url_opts(&parsed, settings).map_err(|error| error.to_string())?;
        let runtime =
            Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
        let remote = Remote { store, prefix, runtime };
        // Whoever cannot read it should know before the work begins.
        remote.names("format/")?;
        Ok(remote)
    }

    /// The names of all objects below a folder, relative to the store.
    ///
    /// # Errors
    ///
    /// The store does not answer, or refuses.
    pub fn names(&self, folder: &str) -> Result<Vec<String>, String> {
        self.names_of_all(&[folder.to_owned()])
    }

    /// The same for several folders, in any order.
    ///
    /// # Errors
    ///
    /// As [`Remote::names`].
    pub fn names_of_all(&self, folders: &[String]) -> Result<Vec<String>, String> {
        let listed = stream::iter(folders).map(|folder| {
            let folder = self.path(folder);
            async move { in_time(self.store.list(Some(&folder)).try_collect::<Vec<_>>()).await }
        });
        let listed: Vec<_> = self.runtime.block_on(listed.buffer_unordered(AT_ONCE).try_collect())?;
        let name = |path: &Path| {
            let below: Vec<_> = path.prefix_match(&self.prefix)?.map(|it| it.as_ref().to_owned()).collect();
            Some(below.join("/"))
        };
        Ok(listed.iter().flatten().filter_map(|it| name(&it.location)).collect())
    }

    /// The objects of these names that exist, in any order.
    ///
    /// # Errors
    ///
    /// As [`Remote::names`].
    pub fn get(&self, names: &[String]) -> Result<Vec<Object>, String> {
        let got = stream::iter(names).map(|name| {
            let path = self.path(name);
            async move {
                let read = async {
                    match self.store.get(&path).await {
                        Ok(found) => found.bytes().await.map(Some),
                        Err(object_store::Error::NotFound { .. }) => Ok(None),
                        Err(error) => Err(error),
                    }
                };
                Ok::<_, String>(in_time(read).await?.map(|bytes| (name.clone(), bytes.to_vec())))
            }
        });
        let got: Vec<_> = self.runtime.block_on(got.buffer_unordered(AT_ONCE).try_collect())?;
        Ok(got.into_iter().flatten().collect())
    }

    /// Stores an object; one of this name is replaced as a whole.
    ///
    /// # Errors
    ///
    /// As [`Remote::names`].
    pub fn put(&self, name: &str, bytes: &[u8]) -> Result<(), String> {
        let path = self.path(name);
        self.runtime.block_on(in_time(self.store.put(&path, bytes.to_vec().into()))).map(|_| ())
    }

    fn path(&self, name: &str) -> Path {
        name.split('/').filter(|it| !it.is_empty()).fold(self.prefix.clone(), |path, part| path.join(part))
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.store, self.prefix)
    }
}

async fn in_time<T>(request: impl Future<Output = object_store::Result<T>>) -> Result<T, String> {
    match tokio::time::timeout(PATIENCE, request).await {
        Ok(Ok(found)) => Ok(found),
        Ok(Err(error)) => Err(first_line(&error.to_string())),
        Err(_) => Err(format!("no answer within {} s", PATIENCE.as_secs())),
    }
}

/// Providers add their answer, which may be a page.
fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}
