//! Protobuf answers, without what differs between runs.

/// The number at the front, and what follows it.
fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0;
    for (at, byte) in bytes.iter().enumerate().take(10) {
        value |= u64::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return Some((value, &bytes[at + 1..]));
        }
    }
    None
}

/// The fields of a message: tag, and all its bytes.
fn fields(message: &[u8]) -> Option<Vec<(u64, &[u8])>> {
    let mut found = Vec::new();
    let mut rest = message;
    while !rest.is_empty() {
        let (tag, after) = varint(rest)?;
        let behind = match tag & 7 {
            0 => varint(after)?.1,
            2 => {
                let (length, content) = varint(after)?;
                content.get(usize::try_from(length).ok()?..)?
            }
            _ => return None,
        };
        found.push((tag, &rest[..rest.len() - behind.len()]));
        rest = behind;
    }
    Some(found)
}

/// The message with the Raft term taken out of its header, which is its first field.
pub(crate) fn without_term(message: &[u8]) -> Vec<u8> {
    const HEADER: u64 = (1 << 3) | 2;
    const TERM: u64 = 4 << 3;
    let Some(parts) = fields(message) else { return message.to_vec() };
    let mut out = Vec::new();
    for (tag, part) in parts {
        let header = (tag == HEADER).then(|| varint(&part[1..])).flatten();
        match header.and_then(|(_, header)| fields(header)) {
            Some(inside) => {
                let kept = inside.into_iter().filter(|(tag, _)| *tag != TERM);
                out.extend(kept.flat_map(|(_, part)| part.iter().copied()));
            }
            None => out.extend_from_slice(part),
        }
    }
    out
}

#[test]
fn only_the_term_is_taken_out() {
    // header {cluster_id 1, term 2}, count 3
    assert_eq!(without_term(&[10, 4, 8, 1, 32, 2, 32, 3]), [8, 1, 32, 3]);
    assert_eq!(without_term(b"\xff"), b"\xff");
}
