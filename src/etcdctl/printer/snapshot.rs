//! The facts of a snapshot file, in every format.

use crate::etcdctl::go;
use crate::etcdctl::printer::json::{self, Object};
use crate::etcdctl::printer::{Format, Printed, simple, table, unsupported};
use crate::etcdctl::protocol::SnapshotStatus;

const HEADINGS: [&str; 5] = ["HASH", "REVISION", "TOTAL KEYS", "TOTAL SIZE", "VERSION"];

pub(crate) fn status(format: Format, status: &SnapshotStatus) -> Printed {
    let SnapshotStatus { hash, revision, total_keys, total_size, version } = status;
    let row = || {
        vec![
            format!("{hash:x}"),
            revision.to_string(),
            total_keys.to_string(),
            go::size(*total_size),
            version.clone(),
        ]
    };
    Ok(match format {
        Format::Simple => simple::rows(&[row()]),
        Format::Table => table::render(&HEADINGS, &[row()]),
        Format::Fields => {
            let lines = [
                format!("\"Hash\" : {hash}\n"),
                format!("\"Revision\" : {revision}\n"),
                format!("\"Keys\" : {total_keys}\n"),
                format!("\"Size\" : {total_size}\n"),
                format!("\"Version\" : {version}\n"),
            ];
            lines.concat().into_bytes()
        }
        Format::Json => {
            let object = Object::new()
                .raw("hash", &hash.to_string())
                .raw("revision", &revision.to_string())
                .raw("totalKey", &total_keys.to_string())
                .raw("totalSize", &total_size.to_string())
                .raw("version", &json::text(version));
            json::line(&object.end())
        }
        Format::Protobuf => return Err(unsupported("protobuf")),
    })
}
