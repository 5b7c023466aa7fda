//! The headless browsers of the tests: found or installed, and their drivers started and ended.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::place;
use crate::run;
use crate::setup;
use crate::tell::{Problem, Steps};

const BROWSERS: &[&str] =
    &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const DRIVERS: &[&str] = &["chromedriver", "chromium-driver"];
const DEBIAN_PACKAGES: &[&str] = &["chromium", "chromium-driver", "fonts-noto-cjk"];

const FIREFOXES: &[&str] = &["firefox-esr", "firefox"];
const FIREFOX_DEBIAN_PACKAGES: &[&str] = &["firefox-esr", "fonts-noto-cjk"];

/// How long a driver may take to say its port.
const START_LIMIT: Duration = Duration::from_secs(30);

/// What a driver is started with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Chromium,
    Firefox,
}

/// A browser and the program that steers it.
pub struct Browser {
    kind: Kind,
    /// The browser itself.
    pub program: PathBuf,
    /// Its WebDriver server.
    pub driver: PathBuf,
}

/// Finds a Chromium with its driver, or installs Debian's.
///
/// # Errors
/// When there is none and it cannot be installed here.
pub fn find_or_install(steps: &mut Steps) -> Result<Browser, Problem> {
    steps.next("a headless Chromium and its driver: run the tests in a real browser");
    if let Some(found) = find() {
        return Ok(found);
    }
    if setup::is_debian() {
        setup::apt(DEBIAN_PACKAGES, steps)?;
    }
    find().ok_or_else(|| {
        Problem::with_remedy(
            "no Chromium with a chromedriver of the same version was found on the PATH",
            "install chromium and chromedriver (Debian: `apt-get install chromium chromium-driver fonts-noto-cjk`), \
             then start again",
        )
    })
}

fn find() -> Option<Browser> {
    let (program, driver) = (place::on_path(BROWSERS)?, place::on_path(DRIVERS)?);
    Some(Browser { kind: Kind::Chromium, program, driver })
}

/// Finds a Firefox with its driver, or installs Debian's and compiles the driver.
///
/// # Errors
/// When there is none and it cannot be installed here.
pub fn find_or_install_firefox(steps: &mut Steps) -> Result<Browser, Problem> {
    let driver = setup::geckodriver(steps)?;
    steps.next("a headless Firefox: shows that the page works in more than one browser");
    if place::on_path(FIREFOXES).is_none() && setup::is_debian() {
        setup::apt(FIREFOX_DEBIAN_PACKAGES, steps)?;
    }
    let program = place::on_path(FIREFOXES).ok_or_else(|| {
        Problem::with_remedy(
            "no Firefox was found on the PATH",
            "install Firefox (Debian: `apt-get install firefox-esr fonts-noto-cjk`), then start again.\n\
             Without it, the tests of one kind can be run alone: `cargo xtask test native`, and `cargo xtask test e2e NAME…`\n\
             with names of tests that are not for Firefox",
        )
    })?;
    Ok(Browser { kind: Kind::Firefox, program, driver })
}

/// A running driver; it and its browsers end when this value is dropped.
pub struct Driver {
    child: Child,
    port: u16,
    profiles: PathBuf,
}

impl Driver {
    /// Starts the driver on a free port.
    ///
    /// # Errors
    /// When it does not start.
    pub fn start(browser: &Browser) -> Result<Self, Problem> {
        let name = match browser.kind {
            Kind::Chromium => "profiles",
            Kind::Firefox => "firefox-profiles",
        };
        let profiles = place::target().join("xtask").join(name);
        end_browsers_of(&profiles);
        let _ = fs::remove_dir_all(&profiles);
        fs::create_dir_all(&profiles).map_err(|e| run::io_problem("make", &profiles, &e))?;
        let (log, mut driver) = match browser.kind {
            Kind::Chromium => {
                let log = run::log_path("chromedriver")?;
                let mut driver = run::command(&browser.driver);
                driver.arg("--port=0").arg(format!("--log-path={}", log.display()));
                (log, driver)
            }
            Kind::Firefox => {
                let mut driver = run::command(&browser.driver);
                driver.args(["--port=0", "--websocket-port=0", "--profile-root"]).arg(&profiles);
                (run::log_path("geckodriver")?, driver)
            }
        };
        let mut child = driver
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| Problem::new(format!("{}: {error}", browser.driver.display())))?;
        let port = child.stdout.take().and_then(said_port);
        let Some(port) = port else {
            let _ = child.kill();
            let _ = child.wait();
            return Err(Problem::with_remedy(
                format!("{} did not start; its log is {}", browser.driver.display(), log.display()),
                "browser and driver must fit: chromium and chromedriver are of one version",
            ));
        };
        Ok(Self { child, port, profiles })
    }

    /// Where the driver is spoken to.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Where the browsers' profiles live; emptied at each start.
    pub fn profiles(&self) -> &Path {
        &self.profiles
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // Asked first: then it closes the browsers that are still open.
        if let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) {
            let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
            let _ = stream.write_all(
                b"GET /shutdown HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n",
            );
            let _ = stream.read(&mut [0; 64]);
        }
        let started = Instant::now();
        while started.elapsed() < Duration::from_secs(5) {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                break;
            }
            thread::sleep(Duration::from_millis(50));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        end_browsers_of(&self.profiles);
        let _ = fs::remove_dir_all(&self.profiles);
    }
}

/// Reads the driver's output up to its port, and goes on reading so that it never blocks.
fn said_port(stdout: std::process::ChildStdout) -> Option<u16> {
    let (tell, hear) = std::sync::mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if let Some(port) = port_in(&line) {
                let _ = tell.send(port);
            }
        }
    });
    hear.recv_timeout(START_LIMIT).ok()
}

fn port_in(line: &str) -> Option<u16> {
    let chrome = line.split_once("started successfully on port ").map(|(_, rest)| rest);
    let port =
        chrome.or_else(|| line.split_once("Listening on 127.0.0.1:").map(|(_, rest)| rest))?;
    port.trim_end_matches('.').parse().ok()
}

/// Ends browsers that an interrupted run left behind.
///
/// They are told by the profile folder in their command line, which is ours alone.
fn end_browsers_of(profiles: &Path) {
    let folder = profiles.display();
    // Chromium's way and Firefox's.
    let markers = [format!("--user-data-dir={folder}/"), format!("-profile\0{folder}/")];
    let Ok(processes) = fs::read_dir("/proc") else { return };
    for process in processes.flatten() {
        let id = process.file_name().to_string_lossy().into_owned();
        if !id.bytes().all(|b| b.is_ascii_digit()) {
            continue;
        }
        let line = fs::read(process.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line);
        if markers.iter().any(|marker| line.contains(marker)) {
            let _ = run::command("kill").arg(&id).stderr(Stdio::null()).status();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_is_read_from_the_drivers_words() {
        assert_eq!(port_in("ChromeDriver was started successfully on port 44231."), Some(44231));
        assert_eq!(port_in("1796\tgeckodriver\tINFO\tListening on 127.0.0.1:37809"), Some(37809));
        assert_eq!(port_in("Starting ChromeDriver 156.0 on port 0"), None);
    }
}
