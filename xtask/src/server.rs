//! The static web server: correct types, the content security policy, and caching by build id.
//!
//! It listens on 127.0.0.1 only, knows GET and HEAD only, and reads nothing outside its folder.

use std::fs;
use std::io::Cursor;
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use tiny_http::{Header, Method, Request, Response, Server};

use crate::dist::{self, Fnv, Freshness};
use crate::place;
use crate::tell::Problem;

const FIRST_PORT: u16 = 8080;
const PORTS_TRIED: u16 = 20;

/// Requests answered at the same time: a page loads about eight files.
const THREADS: u32 = 8;

/// The policy of the page and of its workers; `index.html` has the same for hosts that send no headers.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; \
     worker-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' data:; manifest-src 'self'; \
     base-uri 'self'; form-action 'none'; frame-ancestors 'none'";

/// Sent with every answer.
const ALWAYS: &[(&str, &str)] = &[
    ("Content-Security-Policy", CONTENT_SECURITY_POLICY),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    (
        "Permissions-Policy",
        "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
    ),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
];

/// An address with a build id never changes its content.
const FOR_EVER: &str = "public, max-age=31536000, immutable";
const ASK_AGAIN: &str = "no-cache";

/// `cargo xtask serve`: builds, then serves until it is ended.
///
/// # Errors
/// When the page cannot be built or no port is free.
pub fn serve(arguments: &[&str]) -> Result<(), Problem> {
    let wanted = match arguments {
        [] => None,
        ["--port", number] => Some(number.parse().map_err(|_| {
            Problem::new(format!("`{number}` is not a port; ports are 1 to 65535"))
        })?),
        _ => return Err(Problem::new("usage: cargo xtask serve [--port N]")),
    };
    dist::build(Freshness::Enough)?;
    let listener = match wanted {
        Some(port) => TcpListener::bind(("127.0.0.1", port)).map_err(|error| {
            Problem::with_remedy(
                format!("port {port} cannot be used: {error}"),
                "choose another with --port",
            )
        })?,
        None => first_free()?,
    };
    let running = Running::start(listener, "/")?;
    println!("\nThe playground is at {}\nCtrl-C ends it.", running.url());
    loop {
        thread::park();
    }
}

fn first_free() -> Result<TcpListener, Problem> {
    (FIRST_PORT..FIRST_PORT + PORTS_TRIED)
        .find_map(|port| TcpListener::bind(("127.0.0.1", port)).ok())
        .ok_or_else(|| {
            Problem::with_remedy(
                format!("the ports {FIRST_PORT} to {} are all taken", FIRST_PORT + PORTS_TRIED - 1),
                "choose another with --port",
            )
        })
}

/// The file of headers that some static hosts read.
pub fn headers_file() -> String {
    let mut text = String::from("/*\n");
    for (name, value) in ALWAYS {
        text.push_str(&format!("  {name}: {value}\n"));
    }
    text
}

/// A server that runs until this value is dropped.
pub struct Running {
    server: Arc<Server>,
    port: u16,
    prefix: String,
}

impl Running {
    /// Serves `dist/` under the path `prefix`, on a port of the system's choice.
    ///
    /// # Errors
    /// When no port can be had.
    pub fn on_free_port(prefix: &str) -> Result<Self, Problem> {
        let listener = TcpListener::bind(("127.0.0.1", 0))
            .map_err(|error| Problem::new(format!("no port could be had on 127.0.0.1: {error}")))?;
        Self::start(listener, prefix)
    }

    fn start(listener: TcpListener, prefix: &str) -> Result<Self, Problem> {
        let port = listener.local_addr().map_err(|error| Problem::new(error.to_string()))?.port();
        let server = Server::from_listener(listener, None)
            .map_err(|error| Problem::new(format!("the server does not start: {error}")))?;
        let server = Arc::new(server);
        let site = Arc::new(Site { root: place::dist(), prefix: prefix.to_owned() });
        for _ in 0..THREADS {
            let (server, site) = (Arc::clone(&server), Arc::clone(&site));
            thread::spawn(move || {
                while let Ok(request) = server.recv() {
                    answer(&site, request);
                }
            });
        }
        Ok(Self { server, port, prefix: prefix.to_owned() })
    }

    /// The address of the page.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}{}", self.port, self.prefix)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        for _ in 0..THREADS {
            self.server.unblock();
        }
    }
}

struct Site {
    root: PathBuf,
    /// Starts and ends with a slash.
    prefix: String,
}

/// What a request gets; without any connection, so that it can be tested.
#[derive(Debug, PartialEq, Eq)]
struct Answer {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
}

impl Answer {
    fn plain(status: u16, text: &str) -> Self {
        Self {
            status,
            headers: vec![("Content-Type", "text/plain; charset=utf-8".to_owned())],
            body: text.as_bytes().to_vec(),
        }
    }
}

fn answer(site: &Site, request: Request) {
    let is_known = matches!(request.method(), Method::Get | Method::Head);
    let tag = request
        .headers()
        .iter()
        .find(|header| header.field.equiv("If-None-Match"))
        .map(|header| header.value.as_str().to_owned());
    let answer = if is_known {
        find(site, request.url(), tag.as_deref())
    } else {
        Answer::plain(405, "only GET and HEAD are known here\n")
    };
    let length = answer.body.len();
    let always = ALWAYS.iter().map(|(name, value)| (*name, (*value).to_owned()));
    let headers = answer
        .headers
        .into_iter()
        .chain(always)
        .filter_map(|(name, value)| Header::from_bytes(name, value).ok())
        .collect();
    let response =
        Response::new(answer.status.into(), headers, Cursor::new(answer.body), Some(length), None)
            .with_chunked_threshold(usize::MAX);
    // A browser that went away is no error of ours.
    let _ = request.respond(response);
}

fn find(site: &Site, url: &str, known_tag: Option<&str>) -> Answer {
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    let Some(inside) = path.strip_prefix(&site.prefix) else {
        if site.prefix.strip_suffix('/') == Some(path) {
            let mut answer = Answer::plain(301, "the page is one slash further\n");
            answer.headers.push(("Location", site.prefix.clone()));
            return answer;
        }
        return Answer::plain(404, "not found\n");
    };
    let name = if inside.is_empty() { "index.html" } else { inside };
    let is_plain = name.split('/').all(|part| {
        !part.is_empty()
            && !part.starts_with('.')
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
    });
    if !is_plain {
        return Answer::plain(404, "not found\n");
    }
    let Ok(body) = fs::read(site.root.join(name)) else {
        return Answer::plain(404, "not found\n");
    };
    let mut hash = Fnv::new();
    hash.add(&body);
    let tag = format!("\"{}\"", hash.text());
    let has_build_id = query.strip_prefix("v=").is_some_and(|id| id != "dev");
    let mut headers = vec![
        ("Content-Type", media_type(name).to_owned()),
        ("Cache-Control", if has_build_id { FOR_EVER } else { ASK_AGAIN }.to_owned()),
        ("ETag", tag.clone()),
    ];
    if known_tag
        .is_some_and(|known| known.split(',').any(|one| one.trim().trim_start_matches("W/") == tag))
    {
        headers.remove(0);
        return Answer { status: 304, headers, body: Vec::new() };
    }
    Answer { status: 200, headers, body }
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("json" | "map") => "application/json",
        Some("webmanifest") => "application/manifest+json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        _ => "text/plain; charset=utf-8",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(name: &str) -> Site {
        let root = place::target().join("xtask/self_test_site").join(name);
        fs::create_dir_all(root.join("sub")).expect("the folder can be made");
        fs::write(root.join("index.html"), "<p>page</p>").expect("a file can be written");
        fs::write(root.join("sub/a.wasm"), "wasm").expect("a file can be written");
        fs::write(root.join(".hidden"), "secret").expect("a file can be written");
        Site { root, prefix: "/some/path/".to_owned() }
    }

    fn header<'a>(answer: &'a Answer, name: &str) -> Option<&'a str> {
        answer.headers.iter().find(|(key, _)| *key == name).map(|(_, value)| value.as_str())
    }

    #[test]
    fn the_folder_answers_with_its_page_and_asks_to_be_asked_again() {
        let answer = find(&site("page"), "/some/path/", None);
        assert_eq!((answer.status, answer.body.as_slice()), (200, b"<p>page</p>".as_slice()));
        assert_eq!(header(&answer, "Cache-Control"), Some("no-cache"));
    }

    #[test]
    fn an_address_with_a_build_id_is_kept_for_ever() {
        let answer = find(&site("ever"), "/some/path/sub/a.wasm?v=12ab", None);
        assert_eq!(header(&answer, "Content-Type"), Some("application/wasm"));
        assert_eq!(header(&answer, "Cache-Control"), Some(FOR_EVER));
        let unfinished = find(&site("ever"), "/some/path/sub/a.wasm?v=dev", None);
        assert_eq!(header(&unfinished, "Cache-Control"), Some(ASK_AGAIN));
    }

    #[test]
    fn a_known_tag_gets_304_without_a_body() {
        let site = site("tag");
        let first = find(&site, "/some/path/", None);
        let tag = header(&first, "ETag").map(str::to_owned);
        let second = find(&site, "/some/path/", tag.as_deref());
        assert_eq!((second.status, second.body.len()), (304, 0));
    }

    #[test]
    fn nothing_outside_the_folder_is_read() {
        let site = site("outside");
        for url in [
            "/some/path/../../Cargo.toml",
            "/some/path/.hidden",
            "/some/path//etc/passwd",
            "/other",
            "/",
        ] {
            assert_eq!(find(&site, url, None).status, 404, "{url}");
        }
    }

    #[test]
    fn the_path_without_its_slash_is_sent_on() {
        let answer = find(&site("slash"), "/some/path", None);
        assert_eq!((answer.status, header(&answer, "Location")), (301, Some("/some/path/")));
    }

    #[test]
    fn the_page_carries_the_same_policy() {
        let page = fs::read_to_string(place::root().join("index.html")).expect("the page is there");
        let in_page = CONTENT_SECURITY_POLICY.replace("; frame-ancestors 'none'", "");
        assert!(
            page.contains(&format!("content=\"{in_page}\"")),
            "index.html and the server differ"
        );
    }
}
