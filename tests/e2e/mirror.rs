//! A web server between the page and its real one: it can fall silent, and answer as a newer build would.
//!
//! It has an address of its own, and so an origin of its own: what a page keeps here is in no other test's way.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use sha2::{Digest as _, Sha256};

/// The build id of the newer build.
pub(crate) const NEWER: &str = "feedfacefeedface";

/// How long one side may be silent.
const PATIENCE: Duration = Duration::from_secs(10);

/// Answers until the test's process ends.
#[derive(Clone)]
pub(crate) struct Mirror {
    behind: Arc<Behind>,
    port: u16,
}

struct Behind {
    /// Host and port of the real server.
    host: String,
    /// The page's folder, with its slashes.
    folder: String,
    /// The build id that it really has.
    build: String,
    is_silent: AtomicBool,
    is_newer: AtomicBool,
    /// A file, and a script that stands in front of it.
    planted: Option<(&'static str, &'static str)>,
}

impl Mirror {
    /// Stands before the page at this address.
    pub(crate) fn before(url: &str) -> Self {
        Self::planting(url, None)
    }

    /// As [`Mirror::before`]; lets a script run in front of a file's own.
    pub(crate) fn planting(url: &str, planted: Option<(&'static str, &'static str)>) -> Self {
        let rest = url.strip_prefix("http://").expect("the page's address is plain");
        let (host, folder) = rest.split_once('/').expect("the address has a folder");
        let mut behind = Behind {
            host: host.to_owned(),
            folder: format!("/{folder}"),
            build: String::new(),
            is_silent: AtomicBool::new(false),
            is_newer: AtomicBool::new(false),
            planted,
        };
        let page = behind.answer("", false).expect("the real server answers").1;
        let page = String::from_utf8_lossy(&page).into_owned();
        let (_, after) = page.split_once("name=\"build\" content=\"").expect("the page has an id");
        behind.build = after.chars().take(16).collect();
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port can be had");
        let port = listener.local_addr().expect("it has an address").port();
        let behind = Arc::new(behind);
        let served = Arc::clone(&behind);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let served = Arc::clone(&served);
                thread::spawn(move || served.serve(stream));
            }
        });
        Self { behind, port }
    }

    /// The address of the page here.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}{}", self.port, self.behind.folder)
    }

    /// From now on nobody is answered, or everybody again.
    pub(crate) fn be_silent(&self, is_silent: bool) {
        self.behind.is_silent.store(is_silent, Ordering::SeqCst);
    }

    /// From now on the files are those of a newer build.
    pub(crate) fn become_newer(&self) {
        self.behind.is_newer.store(true, Ordering::SeqCst);
    }
}

impl Behind {
    /// Answers one request; whatever goes wrong, the connection ends.
    fn serve(&self, mut stream: TcpStream) -> Option<()> {
        stream.set_read_timeout(Some(PATIENCE)).ok()?;
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            if stream.read(&mut byte).ok()? == 0 {
                return None;
            }
            head.push(byte[0]);
        }
        if self.is_silent.load(Ordering::SeqCst) {
            return None;
        }
        let line = String::from_utf8_lossy(&head).lines().next()?.to_owned();
        let name = line.split(' ').nth(1)?.strip_prefix(&self.folder)?.to_owned();
        let (head, body) = self.answer(&name, self.is_newer.load(Ordering::SeqCst))?;
        stream.write_all(&head).ok()?;
        stream.write_all(&body).ok()
    }

    /// Head and body of a file, whatever stands behind its `?`.
    fn answer(&self, name: &str, is_newer: bool) -> Option<(Vec<u8>, Vec<u8>)> {
        let mut real = TcpStream::connect(&self.host).ok()?;
        real.set_read_timeout(Some(PATIENCE)).ok()?;
        let ask = format!(
            "GET {}{name} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
            self.folder, self.host
        );
        real.write_all(ask.as_bytes()).ok()?;
        let mut all = Vec::new();
        real.read_to_end(&mut all).ok()?;
        let end = all.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
        let mut body = all.split_off(end);
        let file = name.split('?').next().unwrap_or_default();
        if let Some((_, script)) = self.planted.filter(|(planted, _)| *planted == file) {
            body.splice(..0, script.bytes());
            // Its length is another one; the end of the connection tells it.
            let head = String::from_utf8(all).ok()?;
            let kept = head.lines().filter(|line| !line.starts_with("Content-Length"));
            all = kept.flat_map(|line| [line, "\r\n"]).collect::<String>().into_bytes();
        }
        Some((all, if is_newer { self.newer(file, body)? } else { body }))
    }

    /// The file in the newer build: another id of the same length, and with it other hashes.
    fn newer(&self, file: &str, body: Vec<u8>) -> Option<Vec<u8>> {
        if !(file.is_empty() || file.ends_with("js")) {
            return Some(body);
        }
        let mut text = String::from_utf8(body).ok()?.replace(&self.build, NEWER);
        if file == "service_worker.js" {
            let list = text.clone();
            for line in list.lines().filter(|line| line.trim_start().starts_with("[\"")) {
                let mut words = line.split('"');
                let (name, hash) = (words.nth(1)?, words.nth(1)?);
                let content = self.answer(name, true)?.1;
                let other = format!("sha256-{}", BASE64.encode(Sha256::digest(content)));
                text = text.replace(line, &line.replace(hash, &other));
            }
        }
        Some(text.into_bytes())
    }
}
