//! A browser session as tests want it: open the page, find by `data-testid`, type real keys, wait with a deadline.
//!
//! Everything here panics with a sentence when it fails, so a test reads as a list of steps.

#![allow(dead_code, reason = "a vocabulary: not every test uses every word")]

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use thirtyfour::common::capabilities::chrome::ChromeCapabilities;
use thirtyfour::common::capabilities::firefox::{FirefoxCapabilities, FirefoxPreferences};
use thirtyfour::error::WebDriverResult;
use thirtyfour::prelude::*;
use tokio::sync::Mutex;

/// How long a wait lasts before it fails, unless the test says otherwise.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);
/// Between two looks at the page.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// The mission's flags: no display, no accelerator, no traffic of the browser's own.
const FLAGS: &[&str] = &[
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--lang=en-US",
];

/// In Firefox, which tells its driver nothing of its console: what goes wrong on the page is kept on it.
const KEEP_COMPLAINTS: &str = "
    if (window.complaints) return;
    const told = window.complaints = [];
    addEventListener('error', (event) => told.push(`ERROR ${event.message ?? 'a resource does not load'} ${event.filename ?? event.target.src ?? ''}`), true);
    addEventListener('unhandledrejection', (event) => told.push(`ERROR unhandled: ${event.reason}`));
    addEventListener('securitypolicyviolation', (event) => told.push(`ERROR Content Security Policy: ${event.effectiveDirective} ${event.blockedURI}`));
    const error = console.error;
    console.error = (...words) => { told.push(`ERROR ${words.join(' ')}`); error.apply(console, words); };";

/// What the page's policy was broken by, and whether it is in force: a program that is made of a text must be refused.
/// Asked by a timer, since what a driver runs itself may do what a page may not.
const POLICY: &str = "
    if (!document.querySelector('meta[name=build]')) return { reports: [], isInForce: true };
    const reports = await new Promise((resolve) => {
      if (!window.ReportingObserver) return resolve([]);
      const told = [];
      new ReportingObserver((list) => told.push(...list), { types: ['csp-violation'], buffered: true }).observe();
      setTimeout(() => resolve(told.map(({ body }) => `${body.effectiveDirective} ${body.blockedURL}`)), 20);
    });
    const isInForce = await new Promise((resolve) => setTimeout(() => {
      try { new Function('return 1')(); resolve(false); } catch (error) { resolve(error instanceof EvalError); }
    }));
    return { reports, isInForce };";

/// Which browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Chromium,
    Firefox,
}

/// Where the page and the driver are; `cargo xtask` tells by environment variables.
#[derive(Clone)]
pub(crate) struct Site {
    /// The address of the page, with its last slash.
    pub(crate) url: String,
    webdriver: String,
    program: Option<String>,
    /// Firefox's driver and program, if there are any.
    firefox: Option<(String, String)>,
    profiles: PathBuf,
    screenshots: PathBuf,
}

impl Site {
    /// `None` when no page is served for tests.
    pub(crate) fn from_environment() -> Option<Self> {
        let folder = |name: &str, otherwise: &str| {
            std::env::var(name).map_or_else(|_| std::env::temp_dir().join(otherwise), PathBuf::from)
        };
        Some(Self {
            url: std::env::var("PLAYGROUND_URL").ok()?,
            webdriver: std::env::var("PLAYGROUND_WEBDRIVER").ok()?,
            program: std::env::var("PLAYGROUND_CHROMIUM").ok(),
            firefox: std::env::var("PLAYGROUND_GECKODRIVER")
                .ok()
                .zip(std::env::var("PLAYGROUND_FIREFOX").ok()),
            profiles: folder("PLAYGROUND_PROFILES", "etcd-playground-profiles"),
            screenshots: folder("PLAYGROUND_SCREENSHOTS", "etcd-playground-screenshots"),
        })
    }

    /// Whether there is such a browser here.
    pub(crate) const fn has(&self, kind: Kind) -> bool {
        matches!(kind, Kind::Chromium) || self.firefox.is_some()
    }
}

/// One browser with a fresh profile; clones are handles of the same one.
#[derive(Clone)]
pub(crate) struct Browser {
    driver: WebDriver,
    kind: Kind,
    site: Site,
    /// Names its profile.
    name: String,
    /// What the console said so far: reading empties it in the browser.
    console: Arc<Mutex<Vec<String>>>,
    expected: Arc<Mutex<BTreeSet<String>>>,
    /// Complaints of browsers that the test opened beside this one, and has closed.
    others: Arc<Mutex<Vec<String>>>,
    is_killed: Arc<AtomicBool>,
}

impl Browser {
    /// Opens a browser of 1280 by 800 pixels with an empty profile named after the test.
    pub(crate) async fn open(site: &Site, name: &str) -> WebDriverResult<Self> {
        Self::open_sized(site, name, 1280, 800).await
    }

    /// Opens a browser of another size.
    pub(crate) async fn open_sized(
        site: &Site,
        name: &str,
        width: u32,
        height: u32,
    ) -> WebDriverResult<Self> {
        Self::open_with(site, name, (width, height), None).await
    }

    /// Opens a browser with settings of its own.
    async fn open_with(
        site: &Site,
        name: &str,
        (width, height): (u32, u32),
        settings: Option<serde_json::Value>,
    ) -> WebDriverResult<Self> {
        let mut wanted: ChromeCapabilities = DesiredCapabilities::chrome();
        for flag in FLAGS {
            wanted.add_arg(flag)?;
        }
        wanted.add_arg(&format!("--window-size={width},{height}"))?;
        wanted.add_arg(&format!("--user-data-dir={}", site.profiles.join(name).display()))?;
        if let Some(program) = &site.program {
            wanted.set_binary(program)?;
        }
        if let Some(settings) = settings {
            wanted.add_experimental_option("prefs", settings)?;
        }
        wanted.set("goog:loggingPrefs", serde_json::json!({ "browser": "ALL" }))?;
        let driver = WebDriver::new(site.webdriver.as_str(), wanted).await?;
        Self::steered(driver, Kind::Chromium, site, name).await
    }

    async fn steered(
        driver: WebDriver,
        kind: Kind,
        site: &Site,
        name: &str,
    ) -> WebDriverResult<Self> {
        driver.set_script_timeout(PATIENCE).await?;
        Ok(Self {
            driver,
            kind,
            site: site.clone(),
            name: name.to_owned(),
            console: Arc::default(),
            expected: Arc::default(),
            others: Arc::default(),
            is_killed: Arc::default(),
        })
    }

    /// Opens a Firefox, with an empty profile, too.
    pub(crate) async fn open_firefox(site: &Site, name: &str) -> WebDriverResult<Self> {
        let (webdriver, program) = site.firefox.clone().expect("there is a Firefox");
        let mut wanted: FirefoxCapabilities = DesiredCapabilities::firefox();
        wanted.set_firefox_binary(&program)?;
        for flag in ["-headless", "--width=1280", "--height=800"] {
            wanted.add_arg(flag)?;
        }
        let mut settings = FirefoxPreferences::new();
        settings.set("intl.accept_languages", "en-US, en")?;
        settings.set("datareporting.policy.dataSubmissionEnabled", false)?;
        settings.set("network.captive-portal-service.enabled", false)?;
        settings.set("network.connectivity-service.enabled", false)?;
        wanted.set_preferences(settings)?;
        let driver = WebDriver::new(webdriver.as_str(), wanted).await?;
        Self::steered(driver, Kind::Firefox, site, name).await
    }

    /// Another browser with settings of its own.
    pub(crate) async fn with_settings(&self, name: &str, settings: serde_json::Value) -> Self {
        let name = format!("{}-{name}", self.name);
        let opened = Self::open_with(&self.site, &name, (1280, 800), Some(settings)).await;
        self.beside(opened)
    }

    /// What another browser complains of counts as this one's.
    fn beside(&self, opened: WebDriverResult<Self>) -> Self {
        let mut opened = opened.unwrap_or_else(|error| panic!("no browser: {error}"));
        opened.others = Arc::clone(&self.others);
        opened
    }

    /// The folder of what this browser keeps.
    pub(crate) fn profile(&self) -> PathBuf {
        self.site.profiles.join(&self.name)
    }

    /// Ends this browser's process at once, as nobody would.
    pub(crate) fn kill_process(&self) {
        self.is_killed.store(true, Ordering::Relaxed);
        let marker = format!("--user-data-dir={}", self.profile().display());
        let mut killed = 0;
        for process in std::fs::read_dir("/proc").expect("processes are listed").flatten() {
            let line = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            // Its children go with it.
            if line.contains(&format!("{marker} ")) && !line.contains("--type=") {
                let id = process.file_name();
                let done = std::process::Command::new("kill").arg("-9").arg(id).status();
                killed += u32::from(done.is_ok_and(|done| done.success()));
            }
        }
        assert!(killed > 0, "no process of {marker}");
    }

    /// A new browser with what this one kept, once that has ended.
    pub(crate) async fn again(&self) -> Self {
        let opened = Self::open(&self.site, &self.name).await;
        self.beside(opened)
    }

    /// The session itself, for what this module does not offer (tabs, actions, CDP).
    pub(crate) fn driver(&self) -> &WebDriver {
        &self.driver
    }

    /// The address of the page.
    pub(crate) fn url(&self) -> &str {
        &self.site.url
    }

    /// The same browser with the page at another address.
    pub(crate) fn at(&self, url: &str) -> Self {
        let mut other = self.clone();
        url.clone_into(&mut other.site.url);
        other
    }

    /// Opens the page and waits until the program has started.
    pub(crate) async fn visit(&self) {
        self.visit_at("").await;
    }

    /// Opens the page with something after its address, such as `#s=…`.
    pub(crate) async fn visit_at(&self, rest: &str) {
        let url = format!("{}{rest}", self.site.url);
        self.driver
            .goto(url.as_str())
            .await
            .unwrap_or_else(|error| panic!("{url} cannot be opened: {error}"));
        self.keep_complaints().await;
        self.wait_for("console-input").await;
    }

    async fn keep_complaints(&self) {
        if self.kind == Kind::Firefox {
            self.run(KEEP_COMPLAINTS).await;
        }
    }

    /// Loads the page again, as the reload button does.
    pub(crate) async fn reload(&self) {
        if self.kind == Kind::Firefox {
            // What was kept goes with the page.
            self.complaints().await;
        }
        self.driver.refresh().await.expect("the page can be loaded again");
        self.keep_complaints().await;
        self.wait_for("console-input").await;
    }

    /// Waits until an element with this `data-testid` is in the page.
    pub(crate) async fn wait_for(&self, id: &str) -> WebElement {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(found) = self.all(id).await.into_iter().next() {
                return found;
            }
            assert!(Instant::now() < deadline, "no element `{id}` within {} s", PATIENCE.as_secs());
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }

    /// Sends a command of the browser's developer tools.
    pub(crate) async fn devtools(&self, command: &str, parameters: serde_json::Value) {
        let sent = self.driver.cdp().send_raw(command, parameters).await;
        assert!(sent.is_ok(), "{command}: {sent:?}");
    }

    /// All elements with this `data-testid`, perhaps none.
    pub(crate) async fn all(&self, id: &str) -> Vec<WebElement> {
        self.driver.find_all(By::Css(format!("[data-testid='{id}']"))).await.unwrap_or_default()
    }

    /// The text that a person reads in the element with this `data-testid`; waits for the element.
    pub(crate) async fn text(&self, id: &str) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            // An element may be replaced between finding and reading it.
            match self.wait_for(id).await.text().await {
                Ok(text) => return text,
                Err(error) => assert!(Instant::now() < deadline, "`{id}` cannot be read: {error}"),
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }

    /// Clicks the element with this `data-testid`; waits until it can be clicked.
    pub(crate) async fn click(&self, id: &str) {
        let deadline = Instant::now() + PATIENCE;
        while let Err(reason) = self.try_click(id).await {
            assert!(Instant::now() < deadline, "`{id}` cannot be clicked: {reason}");
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }

    /// One try: an element may be replaced between finding and clicking it, or still be disabled by what goes on;
    /// a click on a disabled button would be lost without a word.
    async fn try_click(&self, id: &str) -> Result<(), String> {
        let element = self.wait_for(id).await;
        match element.is_enabled().await {
            Ok(true) => element.click().await.map_err(|error| error.to_string()),
            Ok(false) => Err("it is disabled".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Clicks the element with this `data-testid` if it is there; false: it is not, or goes away just now.
    pub(crate) async fn click_if_there(&self, id: &str) -> bool {
        match self.all(id).await.first() {
            Some(element) => element.click().await.is_ok(),
            None => false,
        }
    }

    /// Types into the element with this `data-testid`, key by key; `\n` is Enter.
    pub(crate) async fn type_into(&self, id: &str, text: &str) {
        let element = self.wait_for(id).await;
        let keys = text.replace('\n', &Key::Enter.value().to_string());
        element
            .send_keys(keys)
            .await
            .unwrap_or_else(|error| panic!("`{id}` takes no keys: {error}"));
    }

    /// Presses a key together with Control in whatever has the focus.
    pub(crate) async fn press_with_control(&self, key: char) {
        self.driver
            .action_chain()
            .key_down(Key::Control)
            .key_down(key)
            .key_up(key)
            .key_up(Key::Control)
            .perform()
            .await
            .unwrap_or_else(|error| panic!("Control-{key} cannot be pressed: {error}"));
    }

    /// Waits until the text of an element fulfils a condition; gives back that text.
    pub(crate) async fn wait_text(
        &self,
        id: &str,
        what: &str,
        fulfils: impl Fn(&str) -> bool,
    ) -> String {
        self.wait_text_within(PATIENCE, id, what, fulfils).await
    }

    /// As `wait_text`, with another deadline.
    pub(crate) async fn wait_text_within(
        &self,
        patience: Duration,
        id: &str,
        what: &str,
        fulfils: impl Fn(&str) -> bool,
    ) -> String {
        let deadline = Instant::now() + patience;
        loop {
            let text = self.text(id).await;
            if fulfils(&text) {
                return text;
            }
            assert!(
                Instant::now() < deadline,
                "`{id}` did not come to {what} within {} s; it reads:\n{text}",
                patience.as_secs()
            );
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }

    /// Runs JavaScript in the page; `return` gives a value back.
    pub(crate) async fn run(&self, script: &str) -> serde_json::Value {
        let answer = self.driver.execute(script, Vec::new()).await;
        answer.unwrap_or_else(|error| panic!("the script failed: {error}\n{script}")).json().clone()
    }

    /// Runs the body of an `async` function in the page and waits for what it returns.
    pub(crate) async fn run_async(&self, body: &str) -> serde_json::Value {
        self.try_async(body).await.unwrap_or_else(|error| panic!("{error}\n{body}"))
    }

    async fn try_async(&self, body: &str) -> Result<serde_json::Value, String> {
        let script = format!(
            "const done = arguments[arguments.length - 1];\n\
             (async () => {{ {body} }})().then((value) => done({{ value }}), (error) => done({{ error: String(error) }}));"
        );
        let answer = self.driver.execute_async(&script, Vec::new()).await;
        let answer = answer.map_err(|error| format!("the script failed: {error}"))?.json().clone();
        match answer.get("error") {
            None => Ok(answer["value"].clone()),
            Some(error) => Err(format!("the script threw {error}")),
        }
    }

    /// Lets the console hold complaints with this text: for tests that provoke them.
    pub(crate) async fn expect_complaint(&self, part: &str) {
        self.expected.lock().await.insert(part.to_owned());
    }

    /// Errors of the console so far (warnings tell of what the tests provoke, such as lost frames): exceptions, failed loads, violations of the content security policy.
    pub(crate) async fn complaints(&self) -> Vec<String> {
        let mut console = self.console.lock().await;
        match self.kind {
            Kind::Chromium => {
                for entry in self.driver.browser_log().await.unwrap_or_default() {
                    let level = format!("{:?}", entry.level).to_uppercase();
                    if level.contains("SEVERE") || level.contains("ERROR") {
                        console.push(format!("{level} {}", entry.message));
                    }
                }
            }
            Kind::Firefox => {
                let kept = "return (window.complaints ?? []).splice(0)";
                if let Ok(kept) = self.driver.execute(kept, Vec::new()).await {
                    console.extend(kept.convert::<Vec<String>>().unwrap_or_default());
                }
            }
        }
        let expected = self.expected.lock().await;
        console
            .iter()
            .filter(|line| !expected.iter().any(|part| line.contains(part.as_str())))
            .cloned()
            .collect()
    }

    /// What is wrong at the end of a test in this browser and those beside it: complaints of consoles, reports of the
    /// content security policy, and a page where it is not in force.
    pub(crate) async fn verdict(&self) -> Vec<String> {
        let mut wrong = self.others.lock().await.clone();
        if self.is_killed.load(Ordering::Relaxed) {
            return wrong;
        }
        wrong.extend(self.complaints().await);
        if self.kind == Kind::Firefox {
            // There a driver's scripts run beside the page, out of reach of its policy; the test itself tries it.
            return wrong;
        }
        let expects_report = self.expected.lock().await.contains("Content Security Policy");
        for tab in self.driver.windows().await.unwrap_or_default() {
            let asked = match self.driver.switch_to_window(tab).await {
                Ok(()) => self.try_async(POLICY).await,
                Err(error) => Err(error.to_string()),
            };
            match asked {
                Ok(said) if said["isInForce"] == true => {
                    let reports = said["reports"].as_array().into_iter().flatten();
                    let reports = reports.filter(|_| !expects_report);
                    wrong.extend(reports.map(|report| format!("against the policy: {report}")));
                }
                Ok(said) => wrong.push(format!("the policy is not in force: {said}")),
                Err(error) => wrong.push(format!("the policy cannot be asked after: {error}")),
            }
        }
        wrong
    }

    /// Takes a screenshot of what is visible, as PNG.
    pub(crate) async fn screenshot(&self) -> Vec<u8> {
        self.driver.screenshot_as_png().await.expect("a screenshot can be taken")
    }

    /// After a failure: keeps a screenshot, and tells what the console said.
    pub(crate) async fn leave_evidence(&self, name: &str) -> Vec<String> {
        let mut lines = self.complaints().await;
        let path = self.site.screenshots.join(format!("{name}.png"));
        if let Ok(picture) = self.driver.screenshot_as_png().await
            && std::fs::create_dir_all(&self.site.screenshots).is_ok()
            && std::fs::write(&path, picture).is_ok()
        {
            lines.push(format!("screenshot: {}", path.display()));
        }
        lines
    }

    /// Closes a browser that a test opened beside its own, and keeps what is wrong there.
    pub(crate) async fn leave(self) {
        let wrong = self.verdict().await;
        *self.others.lock().await = wrong;
        self.quit().await;
    }

    /// Closes the browser.
    pub(crate) async fn quit(self) {
        if let Err(error) = self.driver.quit().await {
            println!("    the browser did not close: {error}");
        }
    }
}
