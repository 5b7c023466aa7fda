//! Permissions over ranges: etcd's `range_perm_cache_test.go`, `IsOpPermitted`, and a naive model.

use super::*;
use crate::auth::range_set::UserPermissions;

/// What grants of reading allow.
fn granted(ranges: &[(&str, &str)]) -> UserPermissions {
    let granted: Vec<Permission> =
        ranges.iter().map(|(key, range_end)| permission(READ, key, range_end)).collect();
    UserPermissions::new(granted.iter())
}

fn may_read(granted: &UserPermissions, key: &str, range_end: &str) -> bool {
    granted.read.contains(&bytes(key), &bytes(range_end))
}

#[test]
fn a_range_is_permitted_if_merged_grants_cover_it() {
    for (ranges, key, range_end, expected) in [
        (&[("a", "c"), ("x", "z")][..], "a", "z", false),
        (&[("a", "f"), ("c", "d"), ("f", "z")], "a", "z", true),
        (&[("a", "d"), ("a", "b"), ("c", "f")], "a", "f", true),
        (&[("a", "c"), ("c", "e")], "a", "e", true),
        (&[("a", "c"), ("c", "e")], "a", "f", false),
        (&[("a", "c"), ("d", "e")], "a", "e", false),
        (&[("a", ""), ("a\0", "b")], "a", "b", true),
        (&[("a", ""), ("b", "")], "a", "b", false),
    ] {
        assert_eq!(
            may_read(&granted(ranges), key, range_end),
            expected,
            "{ranges:?} {key} {range_end}"
        );
    }
}

#[test]
fn a_key_is_permitted_if_one_grant_has_it() {
    for (ranges, key, expected) in [
        (&[("a", "c"), ("x", "z")][..], "f", false),
        (&[("a", "f"), ("c", "d"), ("f", "z")], "b", true),
        (&[("a", "d"), ("a", "b"), ("c", "f")], "d", true),
        (&[("a", "d"), ("a", "b"), ("c", "f")], "f", false),
        (&[("a", "")], "a", true),
        (&[("a", "")], "a\0", false),
        (&[("a", "")], "", false),
    ] {
        assert_eq!(may_read(&granted(ranges), key, ""), expected, "{ranges:?} {key}");
    }
}

#[test]
fn an_open_end_covers_everything_from_its_key_on_and_only_an_open_end_covers_an_open_end() {
    let open = granted(&[("m", "\0")]);
    assert!(may_read(&open, "m", "\0"));
    assert!(may_read(&open, "z", "\0"));
    assert!(may_read(&open, "\u{10ffff}", ""));
    assert!(may_read(&open, "m", "n"));
    assert!(!may_read(&open, "l", "\0"));
    assert!(!may_read(&granted(&[("a", "\u{10ffff}")]), "b", "\0"));
    let everything = granted(&[("\0", "\0")]);
    assert!(may_read(&everything, "\0", "\0"));
    assert!(may_read(&everything, "a", "b"));
    // A later, narrower grant takes nothing away.
    assert!(may_read(&granted(&[("a", "\0"), ("b", "c")]), "x", "\0"));
}

#[test]
fn a_range_that_is_empty_is_permitted_inside_a_grant_only() {
    let some = granted(&[("b", "d")]);
    assert!(may_read(&some, "c", "bb"));
    assert!(!may_read(&some, "c", "b"));
    assert!(!may_read(&some, "z", "c"));
    assert!(!may_read(&some, "a", "a"));
}

#[test]
fn rights_to_read_and_to_write_are_apart() {
    let mut store = store();
    for (role, perm_type) in [("reader", READ), ("writer", WRITE), ("both", READ_WRITE)] {
        ok(&mut store, role_add(role));
        ok(&mut store, grant(role, perm_type, "Keys", "RangeEnd"));
        ok(&mut store, user_add_without_password(role));
        ok(&mut store, grant_role(role, role));
    }
    for (user, may_read, may_write) in [
        ("reader", true, false),
        ("writer", false, true),
        ("both", true, true),
        ("foo", false, false),
    ] {
        let who = as_user(&store, user);
        let allowed = |is_allowed: bool| {
            if is_allowed { Ok(()) } else { Err(Error::PermissionDenied) }
        };
        let (key, range_end) = (bytes("Keys"), bytes("RangeEnd"));
        assert_eq!(store.is_range_permitted(&who, &key, &range_end), allowed(may_read), "{user}");
        assert_eq!(store.is_put_permitted(&who, &key), allowed(may_write), "{user}");
        let delete = store.is_delete_range_permitted(&who, &key, &range_end);
        assert_eq!(delete, allowed(may_write), "{user}");
        let beyond = store.is_range_permitted(&who, &key, &bytes("RangeEnd\0"));
        assert_eq!(beyond, Err(Error::PermissionDenied), "{user}");
    }
}

#[test]
fn nobody_and_unknown_users_may_do_nothing_and_root_everything() {
    let mut store = store();
    let key = bytes("k");
    assert_eq!(store.is_put_permitted(&AuthInfo::default(), &key), Err(Error::UserEmpty));
    let unknown = as_user(&store, "unknown");
    assert_eq!(store.is_put_permitted(&unknown, &key), Err(Error::PermissionDenied));
    // Root needs no permission, and one on foo limits nothing.
    ok(&mut store, grant("root", READ_WRITE, "foo", ""));
    let root = as_user(&store, "root");
    assert_eq!(store.is_put_permitted(&root, &bytes("other")), Ok(()));
    assert_eq!(store.is_range_permitted(&root, &bytes("\0"), &bytes("\0")), Ok(()));
    ok(&mut store, disable());
    assert_eq!(store.is_put_permitted(&AuthInfo::default(), &key), Ok(()));
}

#[test]
fn a_star_is_a_byte_and_ranges_are_bytewise() {
    let mut store = store();
    ok(&mut store, grant_role("foo", "role-test"));
    ok(&mut store, grant("role-test", READ, "etcd*", ""));
    ok(&mut store, grant("role-test", READ, "etcd0", "etcd100"));
    let who = as_user(&store, "foo");
    let read = |key: &str| store.is_range_permitted(&who, &bytes(key), &Bytes::new());
    assert_eq!(read("etcd*"), Ok(()));
    assert_eq!(read("etcdx"), Err(Error::PermissionDenied));
    assert_eq!(read("etcd20"), Err(Error::PermissionDenied));
    assert_eq!(read("etcd020"), Ok(()));
}

#[test]
fn a_prefix_ends_where_its_last_byte_grows_by_one() {
    let mut store = store();
    ok(&mut store, grant_role("foo", "role-test"));
    ok(&mut store, grant("role-test", READ_WRITE, "/a/", "/a0"));
    let who = as_user(&store, "foo");
    for (key, expected) in [("/a/", true), ("/a/b", true), ("/a", false), ("/a0", false)] {
        assert_eq!(store.is_put_permitted(&who, &bytes(key)).is_ok(), expected, "{key}");
    }
}

/// All strings over three letters, the smallest byte among them, of at most `length` letters.
fn words(length: usize) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut last = words.clone();
    for _ in 0..length {
        last = last
            .iter()
            .flat_map(|word| ['\0', 'a', 'b'].map(|letter| format!("{word}{letter}")))
            .collect();
        words.extend(last.clone());
    }
    words
}

/// Whether a range, as a request carries it, has the key.
fn has(key: &str, range_end: &str, asked: &str) -> bool {
    match range_end {
        "" => asked == key,
        "\0" => asked >= key,
        _ => asked >= key && asked < range_end,
    }
}

#[test]
fn containment_equals_a_naive_model() {
    // Ends have two letters at most, the successor of a single key three. Whatever is not covered begins
    // at such an end, so keys of three letters see every hole.
    let ends = words(2);
    let keys = words(3);
    let mut random = random();
    let ends_count = u32::try_from(ends.len()).unwrap();
    let (mut permitted, mut denied) = (0, 0);
    for _ in 0..4_000 {
        let mut draw = || ends[random.below(ends_count) as usize].as_str();
        let drawn: Vec<(&str, &str)> = (0..5).map(|_| (draw(), draw())).collect();
        let asked = (draw(), draw());
        let count = random.below(6) as usize;
        let ranges = &drawn[..count];
        let mut wanted = keys.iter().filter(|key| has(asked.0, asked.1, key)).peekable();
        if wanted.peek().is_none() {
            continue;
        }
        let expected = wanted.all(|key| ranges.iter().any(|(from, to)| has(from, to, key)));
        let actual = may_read(&granted(ranges), asked.0, asked.1);
        assert_eq!(actual, expected, "{ranges:?} {asked:?}");
        if expected { permitted += 1 } else { denied += 1 }
    }
    assert!(permitted > 300 && denied > 300, "{permitted} permitted, {denied} denied");
}
