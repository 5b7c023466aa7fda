//! Peer URLs as clients give them.
//!
//! What it is: the check and the order that etcd gives them. What it is not: an address to connect to.
//! Source: behaviour of etcd `client/pkg/types/urls.go` (`NewURLs`).

use crate::api::Error;
use crate::types;

/// The URLs in order.
///
/// # Errors
/// `MemberBadUrls` without any, or if one is not `http(s)://host:port`.
pub fn checked_peer_urls(urls: &[String]) -> Result<Vec<String>, Error> {
    if urls.is_empty() {
        return Err(Error::MemberBadUrls);
    }
    let mut checked = Vec::new();
    for url in urls {
        let url = url.trim();
        if !is_peer_url(url) {
            return Err(Error::MemberBadUrls);
        }
        checked.push(url.to_owned());
    }
    types::sort(&mut checked);
    Ok(checked)
}

fn is_peer_url(url: &str) -> bool {
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    let Some((host, port)) = rest.and_then(|rest| rest.rsplit_once(':')) else { return false };
    let is_bracketed = host.starts_with('[') && host.ends_with(']');
    let is_host =
        (is_bracketed || !host.contains(':')) && !host.contains(['/', '?', '#', '@', ' ']);
    // As in etcd, no range is looked at.
    is_host && port.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(urls: &[&str]) -> Result<Vec<String>, Error> {
        let urls: Vec<String> = urls.iter().map(|url| (*url).to_owned()).collect();
        checked_peer_urls(&urls)
    }

    #[test]
    fn urls_are_sorted_and_bad_ones_refused() {
        let sorted = checked(&["http://b:2", " http://a:1 "]).expect("good");
        assert_eq!(sorted, ["http://a:1", "http://b:2"]);
        assert!(checked(&["https://[::1]:2380"]).is_ok());
        for bad in [
            "",
            "127.0.0.1:2380",
            "http://127.0.0.1",
            "http://127.0.0.1:1/path",
            "http://a:x",
            "ftp://a:1",
            "http://::1:1",
            "http://a:1?x",
        ] {
            assert_eq!(checked(&[bad]), Err(Error::MemberBadUrls), "{bad}");
        }
        assert_eq!(checked(&[]), Err(Error::MemberBadUrls));
    }
}
