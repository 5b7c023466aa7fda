//! The console as a shell user knows it: passwords, completion, history, pasting, long answers, files.

use std::time::Duration;

use thirtyfour::Key;

use super::browser::Browser;

const SECRET: &str = "s3cret-9f";

impl Browser {
    /// Presses a key in whatever has the focus.
    pub(crate) async fn press(&self, key: Key) {
        self.driver().action_chain().key_down(key.clone()).key_up(key).perform().await.unwrap();
    }

    /// Types into the line; a tab is the Tab key.
    pub(crate) async fn write(&self, text: &str) {
        self.type_into("console-input", &text.replace('\t', &Key::Tab.value().to_string())).await;
    }

    /// The rows of the open list.
    async fn choices(&self) -> Vec<String> {
        let script = "return [...document.querySelectorAll('#console-menu [role=option]')]
            .map((row) => row.querySelector('.menu-text').textContent)";
        serde_json::from_value(self.run(script).await).unwrap()
    }

    /// Waits until the open list has a row with this text.
    async fn wait_choice(&self, text: &str) {
        let script = format!(
            "return [...document.querySelectorAll('.menu-text')].some((row) => row.textContent === '{text}')"
        );
        self.wait_true(&format!("choice {text}"), Duration::from_secs(10), &script).await;
    }

    async fn draft(&self) -> String {
        let script = "return document.querySelector('[data-testid=console-input]').value";
        self.run(script).await.as_str().unwrap_or_default().to_owned()
    }

    async fn wait_draft(&self, text: &str) {
        let script = format!(
            "return document.querySelector('[data-testid=console-input]').value === {text:?}"
        );
        self.wait_true(&format!("line {text:?}"), Duration::from_secs(10), &script).await;
    }

    /// Pastes a text into the line, as the browser tells of it.
    pub(crate) async fn paste(&self, text: &str) {
        let script = format!(
            "const data = new DataTransfer();
             data.setData('text/plain', {text:?});
             const field = document.querySelector('[data-testid=console-input]');
             field.focus();
             field.dispatchEvent(new ClipboardEvent('paste', {{ clipboardData: data, bubbles: true, cancelable: true }}));"
        );
        self.run(&script).await;
    }

    /// From now on what is copied or offered as a file is kept in `window.given`.
    pub(crate) async fn catch_files(&self) {
        self.run(
            "window.given = [];
             const make = URL.createObjectURL;
             URL.createObjectURL = (blob) => { window.given.push(blob); return make.call(URL, blob); };
             Object.defineProperty(navigator, 'clipboard', {
               value: { writeText: (text) => { window.given.push(new Blob([text])); return Promise.resolve(); } } });",
        )
        .await;
    }

    /// The text of the file or copy that was given last.
    pub(crate) async fn given(&self) -> String {
        let text = self.run_async("return await window.given.at(-1).text()").await;
        text.as_str().unwrap_or_default().to_owned()
    }
}

/// Without its program a rare command is an error that says so, and the others run; the next line fetches it again.
pub(crate) async fn a_rare_command_says_when_its_program_does_not_come(browser: Browser) {
    browser.expect_complaint("ctl_bg.wasm").await;
    browser.devtools("Network.enable", serde_json::json!({})).await;
    let blocked = |urls: serde_json::Value| serde_json::json!({ "urls": urls });
    let pattern = serde_json::json!(["*ctl_bg.wasm*"]);
    browser.devtools("Network.setBlockedURLs", blocked(pattern)).await;
    browser.visit_ready().await;
    browser.ok("put a 1").await;
    let answer = browser.command("get a -w json").await;
    assert_eq!(answer.status, 1, "{answer:?}");
    assert!(answer.err.contains("could not be fetched") && answer.out.is_empty(), "{answer:?}");
    browser.devtools("Network.setBlockedURLs", blocked(serde_json::json!([]))).await;
    let json = browser.ok("get a -w json").await;
    assert!(json.contains("\"key\":\"YQ==\""), "{json}");
    browser.start("lock printer").await;
    browser.wait_text("console-output", "the lock", |text| text.contains("printer/")).await;
    browser.press_with_control('c').await;
    assert_eq!(browser.ok("get printer --prefix").await, "", "Ctrl-C has deleted its key");
}

/// A password is typed into a field that does not show it, and stays nowhere.
pub(crate) async fn a_password_is_not_shown_nor_kept(browser: Browser) {
    browser.visit_ready().await;
    browser.ok("put a 1").await;
    browser.start("user add alice").await;
    let visible = "const f = document.querySelector('[data-testid=console-secret]');
        return !f.hidden && f.type === 'password' && document.activeElement === f";
    browser.wait_true("password field", Duration::from_secs(5), visible).await;
    browser.type_into("console-secret", &format!("{SECRET}\n")).await;
    browser.type_into("console-secret", &format!("{SECRET}\n")).await;
    let hidden = "const f = document.querySelector('[data-testid=console-secret]');
        return f.hidden && document.activeElement.dataset.testid === 'console-input'";
    browser.wait_true("line again", Duration::from_secs(5), hidden).await;
    browser
        .wait_text("console-output", "a new user", |text| text.contains("User alice created"))
        .await;
    browser.ok("user add bob:hunter2-77").await;
    browser.ok("get a").await;
    let kept = browser.run("return JSON.stringify(localStorage) + document.body.textContent").await;
    let kept = kept.as_str().unwrap();
    assert!(!kept.contains(SECRET), "the password that was asked for");
    let stored = browser.run("return JSON.stringify(localStorage)").await;
    assert!(!stored.as_str().unwrap().contains("hunter2-77"), "the password in a line: {stored}");
    browser.press(Key::Up).await;
    browser.press(Key::Up).await;
    assert_eq!(browser.draft().await, "put a 1", "neither line with a password is recalled");
    browser.press_with_control('c').await;
    browser.click("share-button").await;
    // The steps and the link come from the lab.
    browser.wait_for("share-link").await;
    let said = browser.text("share-dialog").await;
    assert!(said.contains("2 lines with passwords are left out"), "{said}");
    assert!(!said.contains("alice") && !said.contains("hunter2"), "{said}");
    assert!(said.contains("put a 1"), "{said}");
    browser.click("share-close").await;
}

/// Tab lists what may follow, keys and clicks choose.
pub(crate) async fn tab_completes_from_what_there_is(browser: Browser) {
    browser.visit_ready().await;
    for key in ["/app/one", "/app/two", "/other"] {
        browser.ok(&format!("put {key} x")).await;
    }
    let keys = "return document.querySelectorAll('[data-testid=key-row]').length >= 3";
    browser.wait_true("three keys", Duration::from_secs(10), keys).await;
    browser.write("get /a\t").await;
    browser.wait_choice("/app/two").await;
    assert_eq!(browser.draft().await, "get /app/");
    assert_eq!(browser.choices().await, ["/app/one", "/app/two"]);
    let active = "const field = document.activeElement;
        const row = document.getElementById(field.getAttribute('aria-activedescendant'));
        return field.dataset.testid === 'console-input' && !!row
            && row.getAttribute('aria-selected') === 'true' && row.textContent === '/app/two'";
    assert_eq!(browser.run(active).await, false);
    browser.press(Key::Down).await;
    browser.press(Key::Down).await;
    browser.wait_true("chosen row", Duration::from_secs(5), active).await;
    browser.press(Key::Enter).await;
    browser.wait_draft("get /app/two ").await;
    assert_eq!(browser.ok("").await, "/app/two\nx\n");
    // What stands after the caret stays there, and the caret before it.
    browser.write("get --keys-o /app/one").await;
    for _ in 0.." /app/one".len() {
        browser.press(Key::Left).await;
    }
    browser.press(Key::Tab).await;
    browser.wait_draft("get --keys-only /app/one").await;
    let caret = "return document.querySelector('[data-testid=console-input]').selectionEnd === 15";
    browser.wait_true("caret before what stayed", Duration::from_secs(5), caret).await;
    browser.press_with_control('c').await;
    // Escape closes the list and leaves the line; another Escape and Tab leave the field.
    browser.write("member \t").await;
    browser.wait_choice("promote").await;
    browser.press(Key::Escape).await;
    assert_eq!(browser.choices().await, Vec::<String>::new());
    assert_eq!(browser.draft().await, "member ");
    browser.press(Key::Escape).await;
    browser.press(Key::Tab).await;
    let outside = "return document.activeElement.dataset.testid !== 'console-input'";
    assert_eq!(browser.run(outside).await, true);
    // A member is found by its name and written by its id.
    browser.write("remove infra2\t").await;
    let ids = "const line = document.querySelector('[data-testid=console-input]').value;
        return /^member remove [0-9a-f]{16} $/.test(line)";
    browser.wait_true("an id", Duration::from_secs(5), ids).await;
    browser.press_with_control('c').await;
    names_are_asked_for(&browser).await;
}

async fn names_are_asked_for(browser: &Browser) {
    browser.ok("role add reader").await;
    let granted = browser.ok("lease grant 600").await;
    let lease = granted.split(' ').nth(1).unwrap_or_default().to_owned();
    browser.write("lease revoke \t").await;
    browser.wait_draft(&format!("lease revoke {lease} ")).await;
    browser.press_with_control('c').await;
    browser.write("role get re\t").await;
    browser.wait_draft("role get reader ").await;
    browser.press_with_control('c').await;
    browser.write("get -w \t").await;
    browser.wait_choice("table").await;
    let row = browser.driver().find(thirtyfour::By::XPath("//*[@role='option'][.='table']")).await;
    row.unwrap().click().await.unwrap();
    browser.wait_draft("get -w table ").await;
    let focused = "return document.activeElement.dataset.testid === 'console-input'";
    assert_eq!(browser.run(focused).await, true);
    browser.press_with_control('c').await;
}

/// Control-R, Control-C, Control-L, `clear`, the arrows and `$?`, over a reload.
pub(crate) async fn history_and_control_keys_work(browser: Browser) {
    browser.visit_ready().await;
    for line in ["put a 1", "get a", "put b 2"] {
        browser.ok(line).await;
    }
    let failed = browser.command("get").await;
    assert!(failed.failed, "{failed:?}");
    assert_eq!(browser.ok("echo $?").await, "128\n");
    browser.reload().await;
    browser.wait_ready().await;
    browser.type_into("console-input", "unfinished").await;
    browser.press_with_control('r').await;
    browser.type_into("console-input", "put").await;
    browser.wait_choice("put a 1").await;
    assert_eq!(browser.choices().await, ["put b 2", "put a 1"]);
    browser.press(Key::Escape).await;
    browser.wait_draft("unfinished").await;
    browser.press_with_control('c').await;
    browser.wait_draft("").await;
    let output = browser.text("console-output").await;
    assert!(output.contains("unfinished^C"), "{output}");
    browser.press_with_control('r').await;
    browser.type_into("console-input", "put").await;
    browser.press_with_control('r').await;
    browser.press(Key::Tab).await;
    browser.wait_draft("put a 1").await;
    browser.press_with_control('c').await;
    browser.press_with_control('r').await;
    browser.type_into("console-input", "get a\n").await;
    browser.wait_text("console-output", "the answer", |text| text.contains("a\n1")).await;
    browser.start("watch a").await;
    browser.press_with_control('c').await;
    browser
        .wait_text("console-output", "the end of the watch", |text| {
            text.contains("^C") && text.contains("exit status 130")
        })
        .await;
    browser.press_with_control('l').await;
    assert_eq!(browser.all("console-block").await.len(), 0);
    browser.ok("put c 3; get c # both").await;
    assert_eq!(browser.all("console-block").await.len(), 2);
    browser.type_into("console-input", "clear\n").await;
    browser.wait_true("empty console", Duration::from_secs(5), NO_BLOCK).await;
    browser.press(Key::Up).await;
    browser.press(Key::Up).await;
    browser.wait_draft("put c 3; get c # both").await;
    browser.press(Key::Down).await;
    browser.press(Key::Down).await;
    browser.wait_draft("").await;
}

const NO_BLOCK: &str = "return !document.querySelector('[data-testid=console-block]')";

/// Several pasted lines are shown first, and run, edited or forgotten.
pub(crate) async fn pasted_lines_ask_first(browser: Browser) {
    browser.visit_ready().await;
    browser.paste("put p 1\n# a comment\nget p\n").await;
    let said = browser.text("paste").await;
    assert!(said.contains("Run these 2 lines") && said.contains("get p"), "{said}");
    assert_eq!(browser.all("console-block").await.len(), 0, "nothing runs before a yes");
    let on_run = "return document.activeElement.dataset.testid === 'paste-run'";
    browser.wait_true("the focus on Run", Duration::from_secs(5), on_run).await;
    browser.press(Key::Escape).await;
    assert_eq!(browser.all("paste").await.len(), 0);
    assert_eq!(browser.all("console-block").await.len(), 0);
    browser.paste("put p 1\nget p\n").await;
    browser.click("paste-edit").await;
    browser.wait_draft("put p 1\nget p").await;
    browser.type_into("console-input", " -w json\n").await;
    browser.wait_text("console-output", "both answers", |text| text.contains("\"kvs\"")).await;
    browser.paste("put q 1\nget q\n").await;
    browser.wait_true("the focus on Run", Duration::from_secs(5), on_run).await;
    browser.press(Key::Enter).await;
    browser.wait_text("console-output", "the last answer", |text| text.contains("q\n1")).await;
}

/// A long answer is whole, though few of its rows are elements.
pub(crate) async fn a_long_answer_is_windowed_and_whole(browser: Browser) {
    browser.visit_ready().await;
    let lines: Vec<String> = (100..280).map(|number| format!("put k{number} v{number}")).collect();
    browser.paste(&lines.join("\n")).await;
    browser.click("paste-run").await;
    browser
        .wait_true("all puts", Duration::from_secs(60), "return document.querySelectorAll('[data-testid=console-block][data-running=false]').length >= 180")
        .await;
    browser.press_with_control('l').await;
    browser.start("get k --prefix -w fields").await;
    browser.wait_true("the end", Duration::from_secs(10), END_SEEN).await;
    let rows = browser.run(SHOWN).await.as_u64().unwrap();
    assert!(rows > 20 && rows < 400, "{rows} rows are elements");
    // Who was at the end is there in a window of another size, too.
    for height in [700, 900] {
        browser.driver().set_window_rect(0, 0, 1440, height).await.unwrap();
        let is_there = format!("if (window.outerHeight !== {height}) return false; {AT_END}");
        browser.wait_true("the end again", Duration::from_secs(5), &is_there).await;
    }
    let top = "document.querySelector('[data-testid=console-output]').scrollTop = 0; return true";
    browser.run(top).await;
    let begins = "return document.querySelector('.block-text').textContent.includes('\"k100\"')";
    browser.wait_true("the beginning", Duration::from_secs(5), begins).await;
    let rows = browser.run(SHOWN).await.as_u64().unwrap();
    assert!(rows > 20 && rows < 400, "{rows} rows are elements");
    // The height is that of all rows, so that the scroll bar tells the truth.
    let height = browser.run(HEIGHT).await.as_u64().unwrap();
    assert!((1080..1095).contains(&height), "{height} rows high");
    browser.catch_files().await;
    browser.click("save-output").await;
    let saved = browser.given().await;
    assert_eq!(saved.matches("\"Key\" : ").count(), 180);
    browser.click("copy-output").await;
    assert_eq!(browser.given().await, saved);
}

const END_SEEN: &str =
    "return document.querySelector('.block-text')?.textContent.includes('\"k279\"') === true";
const AT_END: &str = "const log = document.querySelector('[data-testid=console-output]');
    return log.scrollHeight - log.scrollTop - log.clientHeight < 4";
const SHOWN: &str = "return document.querySelector('.block-text').textContent.split('\\n').length";
const HEIGHT: &str = "const text = document.querySelector('.block-text');
    const measure = document.querySelector('.measure > .piece');
    return Math.round(text.getBoundingClientRect().height / (measure.getBoundingClientRect().height / 100))";

/// The reference lists the commands, shows a page, and puts an example into the console.
pub(crate) async fn every_command_has_a_page(browser: Browser) {
    browser.visit_ready().await;
    browser.click("reference-open").await;
    browser.type_into("reference-filter", "hash").await;
    browser.wait_for("reference-endpoint-hashkv").await;
    assert!(browser.all("reference-get").await.is_empty(), "the filter leaves others out");
    browser.click("reference-endpoint-hashkv").await;
    let page = |text: &str| text.contains("etcdctl endpoint hashkv") && text.contains("--rev");
    browser.wait_text("reference-page", "its page", page).await;
    browser.run("document.querySelector('.reference-example').click()").await;
    let draft = "return document.querySelector('[data-testid=console-input]').value";
    let example = browser.run(draft).await;
    let example = example.as_str().unwrap_or_default();
    assert!(example.starts_with("endpoint hashkv"), "{example}");
}

/// A snapshot is a download, comes back as a file from the disk, and starts as a new cluster.
pub(crate) async fn a_snapshot_comes_back_as_a_cluster(browser: Browser) {
    browser.visit_ready().await;
    for number in 1..=3 {
        browser.ok(&format!("put s{number} before")).await;
    }
    browser.catch_files().await;
    let saved = browser.ok("snapshot save a.db --endpoints 127.0.0.1:12379").await;
    assert!(saved.contains("Snapshot saved at a.db"), "{saved}");
    let size = browser.run("return window.given.at(-1).size").await.as_u64().unwrap();
    assert_eq!(size % 512, 32, "the download is a whole snapshot");
    let path = download(&browser).await;
    browser.ok("put s1 after").await;
    // A page that was loaded anew has no files: they come from the disk.
    browser.reload().await;
    browser.wait_ready().await;
    browser.start("etcdutl snapshot status a.db -w json").await;
    browser.wait_text("file-question", "a question", |text| text.contains("Where is a.db?")).await;
    browser.click("file-cancel").await;
    browser.wait_text("console-output", "an error", |text| text.contains("no such file")).await;
    browser.start("etcdutl snapshot status a.db -w json").await;
    browser.wait_text("file-question", "a question", |text| text.contains("Where is a.db?")).await;
    browser.wait_for("file-choose").await.send_keys(path.to_str().unwrap()).await.unwrap();
    browser
        .wait_text("console-output", "its facts", |text| {
            text.contains("\"revision\":4,\"totalKey\":3")
        })
        .await;
    let restore = "etcdutl snapshot restore a.db --name infra1 --initial-cluster infra1=http://127.0.0.1:12380,infra2=http://127.0.0.1:22380,infra3=http://127.0.0.1:32380 --initial-advertise-peer-urls http://127.0.0.1:12380 --initial-cluster-token other";
    let before = browser.ok("member list").await;
    browser.start(restore).await;
    browser.click("change-yes").await;
    browser.wait_ready().await;
    assert_eq!(browser.ok("get s1").await, "s1\nbefore\n");
    let after = browser.ok("member list").await;
    assert_ne!(before, after, "the members have new ids");
    assert_eq!(after.lines().count(), 3, "{after}");
    assert_eq!(browser.json("put s4 x -w json").await["header"]["revision"], 5);
    // It is the saved cluster now.
    browser.reload().await;
    browser.wait_ready().await;
    assert_eq!(browser.ok("member list").await, after);
    assert_eq!(browser.ok("get s4").await, "s4\nx\n");
    // One member of another name.
    browser.start("etcdutl snapshot restore b.db").await;
    browser.wait_for("file-choose").await.send_keys(path.to_str().unwrap()).await.unwrap();
    browser.wait_text("console-output", "a notice", |text| text.contains("default.etcd")).await;
    browser.click("change-yes").await;
    browser.wait_text("leader", "the one member", |text| text == "default").await;
    browser.wait_ready().await;
    assert_eq!(browser.ok("get --prefix s --keys-only").await, "s1\n\ns2\n\ns3\n\n");
}

/// Work that lasts says whom it waits for and how long, and a button ends it.
pub(crate) async fn long_work_is_told_and_ended(browser: Browser) {
    browser.visit_ready().await;
    browser.ok("put k v").await;
    browser.ok("pause all").await;
    browser.start("get k --command-timeout=1m").await;
    let says = |text: &str| {
        text.starts_with("waits for an answer of infra1 · ") && text.contains("Stop or Ctrl-C")
    };
    browser.wait_text("block-doing", "whom it waits for", says).await;
    browser.click("console-stop").await;
    let is_over = "return !document.querySelector('[data-testid=block-doing]')";
    browser.wait_true("end of the command", Duration::from_secs(5), is_over).await;
    browser.ok("resume all").await;
    assert_eq!(browser.ok("get k").await, "k\nv\n");
}

/// The file that was given last, on this machine's disk.
async fn download(browser: &Browser) -> std::path::PathBuf {
    let bytes = browser
        .run_async(
            "const bytes = new Uint8Array(await window.given.at(-1).arrayBuffer());
             return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')",
        )
        .await;
    let digits = bytes.as_str().unwrap().as_bytes();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    let bytes: Vec<u8> = digits.chunks(2).map(byte).collect();
    let path = std::env::temp_dir().join(format!("etcd-playground-{}.db", std::process::id()));
    std::fs::write(&path, bytes).unwrap();
    path
}

/// The second cluster is another one, and a mirror of keys goes to it.
pub(crate) async fn a_mirror_goes_to_the_second_cluster(browser: Browser) {
    browser.visit_ready().await;
    browser.ok("put m1 one").await;
    let members = browser.ok("member list --endpoints 127.0.0.1:2379").await;
    assert!(members.starts_with("5ec04dc15ea52379, started, second,"), "{members}");
    assert_eq!(browser.ok("get --prefix m --endpoints 127.0.0.1:2379").await, "");
    browser.start("make-mirror --prefix m 127.0.0.1:2379").await;
    browser.click("new-tab").await;
    browser.ok("put m2 two").await;
    for _ in 0..100 {
        let there = browser.ok("get --prefix m --endpoints 127.0.0.1:2379").await;
        if there == "m1\none\nm2\ntwo\n" {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    browser.ok("put m9 elsewhere --endpoints 127.0.0.1:2379").await;
    assert_eq!(
        browser.ok("get --prefix m --endpoints localhost:2379 --keys-only").await,
        "m1\n\nm2\n\nm9\n\n"
    );
    assert_eq!(browser.ok("get --prefix m --keys-only").await, "m1\n\nm2\n\n");
    browser.click("console-tab-1").await;
    browser.click("console-stop").await;
    browser
        .wait_text("console-output", "the end of the mirror", |text| text.contains("exit status"))
        .await;
}
