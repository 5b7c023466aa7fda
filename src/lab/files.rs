//! The files of a session.
//!
//! What it is: plain names with bytes, and the data of clusters restored from them.
//! What it is not: a file system; there are no directories, and nothing survives the session.
//! Invariants: what is kept has a limit, so that saving again and again is refused rather than fatal.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::etcdctl::{
    FileAnswer, FileError, FileOrder, RestoreOrder, SnapshotStatus, check_peer_url,
};
use crate::etcdserver::backup::{self, RestoreSpec, Restored};
use crate::types::SmallMap;

/// Most bytes of all files together. Source: ours; four stores of the page's quota and a little more.
const BYTES_MAX: usize = 256 * 1024 * 1024;

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Files {
    files: SmallMap<String, Bytes>,
    /// By the name of their data directory.
    restored: SmallMap<String, Restored>,
}

/// An order about a file for whoever does not have the files, with what it needs of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileErrand {
    order: FileOrder,
    /// The file, if there is one.
    file: Option<Bytes>,
    /// Something is kept under the name of the new data already.
    is_taken: bool,
}

impl FileErrand {
    /// Carries the order out; beside the answer the data of a restored cluster, under its name.
    ///
    /// # Errors
    /// As [`Files::carry_out`].
    pub fn carry_out(self) -> (Result<FileAnswer, FileError>, Option<(String, Restored)>) {
        let mut files = Files::default();
        let (name, data_dir) = names_of(&self.order);
        let (name, data_dir) = (name.to_owned(), data_dir.to_owned());
        if let Some(bytes) = self.file {
            files.files.insert(name, bytes);
        }
        if self.is_taken {
            files.files.insert(data_dir.clone(), Bytes::new());
        }
        let result = files.carry_out(self.order);
        let restored = files.take_restored(&data_dir);
        (result, restored.map(|restored| (data_dir, restored)))
    }
}

/// The names that an order is about: a file's, and that of new data, which is empty if there is none.
fn names_of(order: &FileOrder) -> (&str, &str) {
    match order {
        FileOrder::Save { name, .. } | FileOrder::SnapshotStatus { name } => (name, ""),
        FileOrder::Restore(order) => (&order.name, &order.data_dir),
    }
}

impl Files {
    /// What somebody without the files needs to carry out this order.
    #[must_use]
    pub fn errand(&self, order: FileOrder) -> FileErrand {
        let (name, data_dir) = names_of(&order);
        let file = self.files.get(name).cloned();
        let is_taken = self.is_taken(data_dir);
        FileErrand { order, file, is_taken }
    }

    /// Keeps the data of a restored cluster under its name.
    pub fn keep_restored(&mut self, data_dir: String, restored: Restored) {
        self.restored.insert(data_dir, restored);
    }

    fn is_taken(&self, data_dir: &str) -> bool {
        self.restored.contains_key(data_dir) || self.files.contains_key(data_dir)
    }

    /// The bytes of a file.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Bytes> {
        self.files.get(name)
    }

    /// The names of all files, in order.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.files.keys().cloned().collect()
    }

    /// Keeps a file; one with the same name is replaced. False: there is no room for it.
    pub fn keep(&mut self, name: &str, bytes: Bytes) -> bool {
        let others = self.files.iter().filter(|(other, _)| other.as_str() != name);
        let used: usize = others.map(|(_, bytes)| bytes.len()).sum();
        if used.saturating_add(bytes.len()) > BYTES_MAX {
            return false;
        }
        self.files.insert(name.to_owned(), bytes);
        true
    }

    /// Takes the data that was restored under this name.
    pub fn take_restored(&mut self, data_dir: &str) -> Option<Restored> {
        self.restored.remove(data_dir)
    }

    /// Carries out an order of a command.
    ///
    /// # Errors
    /// [`FileError`].
    pub fn carry_out(&mut self, order: FileOrder) -> Result<FileAnswer, FileError> {
        match order {
            FileOrder::Save { name, bytes } => {
                if self.keep(&name, bytes) {
                    Ok(FileAnswer::Saved)
                } else {
                    Err(FileError::Full)
                }
            }
            FileOrder::SnapshotStatus { name } => {
                let file = self.files.get(&name).ok_or(FileError::Missing)?;
                let status = backup::status(file).map_err(|error| refused(&error))?;
                Ok(FileAnswer::Status(SnapshotStatus {
                    hash: status.hash,
                    revision: status.revision,
                    total_keys: status.total_keys,
                    total_size: status.total_size,
                    version: status.version,
                }))
            }
            FileOrder::Restore(order) => self.restore(order),
        }
    }

    /// The member's URLs are looked at first, then the cluster, then the name of its data, then the file, as
    /// etcdutl does it.
    fn restore(&mut self, order: RestoreOrder) -> Result<FileAnswer, FileError> {
        let check = |url: &str| check_peer_url(url).map_err(FileError::Refused);
        order.peer_urls.split(',').try_for_each(check)?;
        let members =
            backup::parse_initial_cluster(&order.initial_cluster).map_err(|e| refused(&e))?;
        members.iter().flat_map(|(_, urls)| urls).try_for_each(|url| check(url))?;
        check_member(&members, &order).map_err(FileError::Refused)?;
        if self.is_taken(&order.data_dir) {
            return Err(FileError::Exists);
        }
        let file = self.files.get(&order.name).ok_or(FileError::Missing)?;
        let spec = RestoreSpec {
            members,
            token: order.token,
            bump_revision: order.bump_revision,
            mark_compacted: order.mark_compacted,
            skip_hash_check: order.skip_hash_check,
        };
        let restored = backup::restore(file, &spec).map_err(|error| refused(&error))?;
        self.restored.insert(order.data_dir, restored);
        Ok(FileAnswer::Restored)
    }
}

/// Whether the member that the data is for is one of the cluster's, with the same URLs.
fn check_member(members: &[(String, Vec<String>)], order: &RestoreOrder) -> Result<(), String> {
    let name = &order.member;
    let Some((_, named)) = members.iter().find(|(member, _)| member == name) else {
        return Err(format!(
            "couldn't find local name \"{name}\" in the initial cluster configuration"
        ));
    };
    let mut named = named.clone();
    let mut advertised: Vec<String> =
        order.peer_urls.split(',').map(|url| url.trim().to_owned()).collect();
    named.sort();
    advertised.sort();
    let resolved = |url: &str| url.replace("//localhost:", "//127.0.0.1:");
    let pairs = || advertised.iter().zip(&named);
    let differs = |(one, other): &(&String, &String)| resolved(one) != resolved(other);
    if advertised.len() == named.len() && !pairs().any(|pair| differs(&pair)) {
        return Ok(());
    }
    let missing: Vec<String> = named
        .iter()
        .filter(|url| !advertised.contains(url))
        .map(|url| format!("{name}={url}"))
        .collect();
    let all = advertised.join(",");
    if missing.is_empty() {
        let more: Vec<&str> =
            advertised.iter().filter(|url| !named.contains(url)).map(String::as_str).collect();
        let own: Vec<String> = advertised.iter().map(|url| format!("{name}={url}")).collect();
        let (more, own) = (more.join(","), own.join(","));
        return Err(format!(
            "--initial-advertise-peer-urls has {more} but missing from --initial-cluster={own}"
        ));
    }
    let why = if advertised.len() == named.len() {
        pairs().find(differs).map_or_else(String::new, |(one, other)| {
            format!(" (resolved urls: \"{}\" != \"{}\")", resolved(one), resolved(other))
        })
    } else {
        let quoted = |urls: &[String]| format!("[\"{}\"]", urls.join("\" \""));
        format!(" (len({}) != len({}))", quoted(&advertised), quoted(&named))
    };
    let missing = missing.join(",");
    Err(format!(
        "--initial-cluster has {missing} but missing from --initial-advertise-peer-urls={all}{why}"
    ))
}

fn refused(error: &backup::BackupError) -> FileError {
    FileError::Refused(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_kept_under_its_name_and_replaced_by_the_next() {
        let mut files = Files::default();
        let save = |bytes: &'static [u8]| FileOrder::Save {
            name: "a.db".to_owned(),
            bytes: Bytes::from_static(bytes),
        };
        assert_eq!(files.carry_out(save(b"one")), Ok(FileAnswer::Saved));
        assert_eq!(files.carry_out(save(b"two")), Ok(FileAnswer::Saved));
        assert_eq!(files.get("a.db"), Some(&Bytes::from_static(b"two")));
        assert_eq!(files.names(), ["a.db"]);
    }

    #[test]
    fn a_member_that_is_not_of_the_cluster_is_refused() {
        let members = vec![("x".to_owned(), vec!["http://127.0.0.1:1".to_owned()])];
        let order = |member: &str, peer_urls: &str| RestoreOrder {
            member: member.to_owned(),
            peer_urls: peer_urls.to_owned(),
            ..RestoreOrder::default()
        };
        assert_eq!(check_member(&members, &order("x", "http://localhost:1")), Ok(()));
        assert_eq!(
            check_member(&members, &order("y", "http://localhost:1")).unwrap_err(),
            "couldn't find local name \"y\" in the initial cluster configuration"
        );
        assert_eq!(
            check_member(&members, &order("x", "http://localhost:2380")).unwrap_err(),
            "--initial-cluster has x=http://127.0.0.1:1 but missing from --initial-advertise-peer-urls=http://localhost:2380 (resolved urls: \"http://127.0.0.1:2380\" != \"http://127.0.0.1:1\")"
        );
        let two = ["http://a:1", "http://a:2"].map(str::to_owned).to_vec();
        assert_eq!(
            check_member(&[("x".to_owned(), two)], &order("x", "http://a:1")).unwrap_err(),
            "--initial-cluster has x=http://a:2 but missing from --initial-advertise-peer-urls=http://a:1 (len([\"http://a:1\"]) != len([\"http://a:1\" \"http://a:2\"]))"
        );
    }

    #[test]
    fn urls_are_looked_at_before_names() {
        let mut files = Files::default();
        let mut refused = |peer_urls: &str, initial_cluster: &str| {
            let order = RestoreOrder {
                member: "x".to_owned(),
                peer_urls: peer_urls.to_owned(),
                initial_cluster: initial_cluster.to_owned(),
                ..RestoreOrder::default()
            };
            files.carry_out(FileOrder::Restore(order)).unwrap_err()
        };
        let scheme = |url: &str| {
            FileError::Refused(format!("URL scheme must be http, https, unix, or unixs: {url}"))
        };
        assert_eq!(refused("x", "x=http://a:1"), scheme("x"));
        assert_eq!(refused("http://a:1", "x=y"), scheme("y"));
        assert_eq!(refused("http://a:1", "x"), scheme(""));
        assert_eq!(refused("", ""), scheme(""));
    }

    #[test]
    fn an_errand_takes_what_the_order_needs_and_answers_as_the_files_would() {
        let mut files = Files::default();
        assert!(files.keep("junk.db", Bytes::from_static(b"junk")));
        let restore = |name: &str, data_dir: &str| {
            FileOrder::Restore(RestoreOrder {
                name: name.to_owned(),
                data_dir: data_dir.to_owned(),
                member: "x".to_owned(),
                peer_urls: "http://127.0.0.1:1".to_owned(),
                initial_cluster: "x=http://127.0.0.1:1".to_owned(),
                ..RestoreOrder::default()
            })
        };
        let status = |name: &str| FileOrder::SnapshotStatus { name: name.to_owned() };
        for order in [
            status("junk.db"),
            status("nofile.db"),
            restore("junk.db", "new"),
            restore("nofile.db", "new"),
            restore("junk.db", "junk.db"),
        ] {
            let (told, restored) = files.errand(order.clone()).carry_out();
            assert_eq!(told, files.carry_out(order.clone()), "{order:?}");
            assert_eq!(restored, None);
        }
        let (told, _) = files.errand(restore("nofile.db", "junk.db")).carry_out();
        assert_eq!(
            told,
            Err(FileError::Exists),
            "the name of the data is looked at before the file"
        );
    }

    #[test]
    fn what_is_no_snapshot_is_refused_in_etcds_words() {
        let mut files = Files::default();
        assert!(files.keep("junk.db", Bytes::from_static(b"junk")));
        let status = |name: &str| FileOrder::SnapshotStatus { name: name.to_owned() };
        assert_eq!(
            files.carry_out(status("junk.db")),
            Err(FileError::Refused("invalid database".to_owned()))
        );
        assert_eq!(files.carry_out(status("nofile.db")), Err(FileError::Missing));
    }
}
