//! A member's disk and snapshot files, with edits under valid checksums.

use std::sync::OnceLock;

use bytes::Bytes;
use etcd_playground::cluster::SimulationSpec;
use etcd_playground::etcdserver::backup::{self, RestoreSpec, Restored};
use etcd_playground::etcdserver::{DiskImage, Server, ServerConfig};
use etcd_playground::lab::Session;
use etcd_playground::types::CRC32C;

/// Unit: virtual ms.
const LIMIT_MS: u64 = 60_000;

/// A snapshot with keys, deletions, a lease, users and a compaction.
fn sample() -> &'static Bytes {
    static SAMPLE: OnceLock<Bytes> = OnceLock::new();
    SAMPLE.get_or_init(|| {
        let mut session = Session::new(SimulationSpec { members: 1, ..SimulationSpec::default() });
        session.run(LIMIT_MS, |session| session.world().leader().is_some());
        for line in [
            "lease grant 3600",
            "put a 1",
            "put b 2",
            "put a 3",
            "del b",
            "compaction 3",
            "user add alice:pw",
            "role add dev",
            "role grant-permission dev readwrite a --prefix",
            "user grant-role alice dev",
            "put c 4",
            "snapshot save s.db",
        ] {
            assert!(session.start(1, line, Some(Bytes::new())), "the console is free");
            session.run(LIMIT_MS, |session| !session.is_running(1));
            assert_eq!(session.status(1), Some(0), "{line}");
        }
        session.files().get("s.db").cloned().expect("the snapshot was saved")
    })
}

fn spec() -> RestoreSpec {
    RestoreSpec {
        members: vec![("infra1".to_owned(), vec!["http://127.0.0.1:12380".to_owned()])],
        token: "etcd-cluster".to_owned(),
        skip_hash_check: true,
        bump_revision: 0,
        mark_compacted: false,
    }
}

/// Starts the one member of a restored cluster; an error is an answer, too.
fn start(restored: &Restored, image: &DiskImage) -> Result<Server, String> {
    let [member] = restored.members.as_slice() else { return Err("no member".to_owned()) };
    let config = ServerConfig::new(member.id, restored.members.clone(), 1);
    Server::start(config, image, None).map_err(|error| error.to_string())
}

/// Changes a few bytes: each four of `edits` are a place (two bytes), what to do, and a byte.
fn edit(bytes: &mut Vec<u8>, edits: &[u8]) {
    for four in edits.chunks_exact(4) {
        let [high, low, action, byte] = four else { continue };
        let at = usize::from(u16::from_be_bytes([*high, *low])) % (bytes.len() + 1);
        match action % 4 {
            0 => bytes.insert(at, *byte),
            1 if at < bytes.len() => drop(bytes.remove(at)),
            2 => bytes.truncate(at),
            _ => {
                if let Some(place) = bytes.get_mut(at) {
                    *place = *byte;
                }
            }
        }
    }
}

/// The disk of a restored member: the first byte chooses the chunk, the rest are edits of it, or the whole of it.
pub(crate) fn stored_record(data: &[u8]) {
    let [which, how, edits @ ..] = data else { return };
    let restored = backup::restore(sample(), &spec()).expect("the sample can be restored");
    let mut image = restored.disks.first().cloned().expect("there is a disk");
    let stores = [&mut image.wal, &mut image.rows, &mut image.meta];
    let mut chunks: Vec<&mut Bytes> =
        stores.into_iter().flat_map(|store| store.values_mut()).collect();
    let count = chunks.len();
    let Some(chunk) = chunks.get_mut(usize::from(*which) % count) else { return };
    let mut bytes = chunk.to_vec();
    if how % 4 == 0 {
        bytes.truncate(5);
        bytes.extend_from_slice(edits);
    } else {
        edit(&mut bytes, edits);
    }
    // With the checksum that belongs to it.
    if bytes.len() > 5 {
        let mut digest = CRC32C.digest();
        digest.update(&bytes[..1]);
        digest.update(&bytes[5..]);
        let sum = digest.finalize().to_le_bytes();
        bytes[1..5].copy_from_slice(&sum);
    }
    **chunk = bytes.into();
    drop(chunks);
    let _ = image.keys_that_count();
    let _ = start(&restored, &image);
}

/// A snapshot file: edits of one section, or the bytes as they are.
pub(crate) fn snapshot_file(data: &[u8]) {
    let [which, edits @ ..] = data else { return };
    let _ = backup::status(data);
    let _ = backup::restore(data, &spec());
    let file = edited_file(usize::from(*which), edits);
    let told = backup::status(&file);
    let restored = backup::restore(&file, &spec());
    if let (Ok(_), Ok(restored)) = (told, restored) {
        let disk = restored.disks.first().cloned().unwrap_or_default();
        if let Err(error) = start(&restored, &disk) {
            panic!("what was restored does not start: {error}");
        }
    }
}

/// The sample with one section edited, under valid checksums.
fn edited_file(which: usize, edits: &[u8]) -> Vec<u8> {
    const HEAD: usize = 20;
    let (head, mut rest) = sample().split_at(HEAD);
    let mut file = head.to_vec();
    let mut number = 0;
    while let Some((length, after)) = rest.split_first_chunk::<8>() {
        let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
        let Some((section, behind)) =
            after.get(4..).and_then(|after| after.split_at_checked(length))
        else {
            break;
        };
        if length == 0 {
            break;
        }
        let mut section = section.to_vec();
        if number == which % 3 {
            edit(&mut section, edits);
        }
        file.extend((section.len() as u64).to_le_bytes());
        file.extend(CRC32C.checksum(&section).to_le_bytes());
        file.extend(section);
        number += 1;
        rest = behind;
    }
    file
}
