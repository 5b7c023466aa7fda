//! Peer URLs as etcdctl checks them before it asks anybody.
//!
//! What it is: the refusals of Go's `net/url` and of etcd's own rules, in their words.
//! What it is not: the member's check (see `membership`), which comes afterwards and knows no reasons.
//! Invariants: never panics; what is accepted has one of etcd's schemes.
//! Source: behaviour of etcd `client/pkg/types/urls.go`; the documentation of Go's `net/url` and `net`.

use crate::etcdctl::go;

/// Checks one URL.
///
/// # Errors
/// What etcdctl and etcdutl say of a bad one.
pub fn check(url: &str) -> Result<(), String> {
    let url = url.trim();
    let parsed = parse(url).map_err(|why| format!("parse {}: {why}", go::quote(url.as_bytes())))?;
    match parsed.scheme.as_str() {
        "http" | "https" => {
            if !has_port(parsed.host) {
                return Err(format!("URL address does not have the form \"host:port\": {url}"));
            }
            if !parsed.path.is_empty() {
                return Err(format!("URL must not contain a path: {url}"));
            }
            Ok(())
        }
        "unix" | "unixs" => Ok(()),
        _ => Err(format!("URL scheme must be http, https, unix, or unixs: {url}")),
    }
}

/// The parts that are looked at.
struct Parts<'a> {
    scheme: String,
    host: &'a str,
    path: &'a str,
}

fn parse(url: &str) -> Result<Parts<'_>, String> {
    if url.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return Err("net/url: invalid control character in URL".to_owned());
    }
    let url = url.split('#').next().unwrap_or_default();
    let (scheme, rest) = scheme(url)?;
    let rest = rest.split('?').next().unwrap_or_default();
    let Some(after) = rest.strip_prefix("//").filter(|_| !scheme.is_empty()) else {
        let first = rest.split('/').next().unwrap_or_default();
        if scheme.is_empty() && first.contains(':') {
            return Err("first path segment in URL cannot contain colon".to_owned());
        }
        let path = if rest.starts_with('/') { rest } else { "" };
        return Ok(Parts { scheme, host: "", path });
    };
    let (authority, path) = match after.find('/').and_then(|at| after.split_at_checked(at)) {
        Some(split) => split,
        None => (after, ""),
    };
    let host = authority.rsplit('@').next().unwrap_or_default();
    check_host(host)?;
    Ok(Parts { scheme, host, path })
}

/// The scheme in small letters, and what follows its colon.
fn scheme(url: &str) -> Result<(String, &str), String> {
    for (at, c) in url.char_indices() {
        match c {
            'a'..='z' | 'A'..='Z' => {}
            '0'..='9' | '+' | '-' | '.' if at > 0 => {}
            ':' if at == 0 => return Err("missing protocol scheme".to_owned()),
            ':' => {
                let (scheme, rest) = url.split_at_checked(at).unwrap_or((url, ""));
                return Ok((scheme.to_ascii_lowercase(), rest.strip_prefix(':').unwrap_or(rest)));
            }
            _ => break,
        }
    }
    Ok((String::new(), url))
}

fn check_host(host: &str) -> Result<(), String> {
    if let Some(strange) = host.chars().find(|c| " <>\"\\^`{|}".contains(*c)) {
        let strange = go::quote(strange.to_string().as_bytes());
        return Err(format!("invalid character {strange} in host name"));
    }
    let port = if host.starts_with('[') {
        let Some((_, port)) = host.rsplit_once(']') else {
            return Err("missing ']' in host".to_owned());
        };
        port
    } else {
        match host.rfind(':').and_then(|at| host.get(at..)) {
            Some(port) => port,
            None => return Ok(()),
        }
    };
    let digits = port.strip_prefix(':');
    if port.is_empty() || digits.is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_digit())) {
        return Ok(());
    }
    Err(format!("invalid port {} after host", go::quote(port.as_bytes())))
}

/// `host:port`; a host with colons stands in brackets. Both may be empty.
fn has_port(host: &str) -> bool {
    match host.strip_prefix('[').and_then(|inside| inside.split_once(']')) {
        Some((_, port)) => port.starts_with(':'),
        None => host.split(':').count() == 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_have_the_words_of_etcdctl() {
        for (url, why) in [
            (
                "127.0.0.1:22380",
                "parse \"127.0.0.1:22380\": first path segment in URL cannot contain colon",
            ),
            (
                "http://127.0.0.1",
                "URL address does not have the form \"host:port\": http://127.0.0.1",
            ),
            ("http://a:1/path", "URL must not contain a path: http://a:1/path"),
            ("http://a:1/", "URL must not contain a path: http://a:1/"),
            ("localhost:1", "URL scheme must be http, https, unix, or unixs: localhost:1"),
            ("", "URL scheme must be http, https, unix, or unixs: "),
            ("ftp://a:1", "URL scheme must be http, https, unix, or unixs: ftp://a:1"),
            (":1", "parse \":1\": missing protocol scheme"),
            ("http://a:b", "parse \"http://a:b\": invalid port \":b\" after host"),
            ("http://a b:1", "parse \"http://a b:1\": invalid character \" \" in host name"),
        ] {
            assert_eq!(check(url), Err(why.to_owned()), "{url}");
        }
        for good in ["http://127.0.0.1:1", " https://[::1]:2380", "HTTP://a:1", "unix://a"] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
    }
}
