//! Text of attackers, in every place where a person can put text and everywhere the page shows it.
//!
//! Sixty strings become keys, values, users, roles, names of members, titles, searches and drafts.
//! A watcher in the page sees every element and attribute that comes, every request, every violation of the policy:
//! none may come of them, nothing may run, and no character that hides or turns others may reach the screen.

use std::time::Duration;

use super::browser::Browser;

const SOON: Duration = Duration::from_secs(60);

/// What is put where text goes. A line each; the last ones are longer than a screen.
fn strings() -> Vec<String> {
    let mut all: Vec<String> = LIST.iter().map(|text| (*text).to_owned()).collect();
    all.push("A".repeat(20_000));
    all.push("𝔘\u{301}".repeat(2_000));
    all.push("<b>".repeat(3_000));
    all.push(format!("{}<img src=x onerror=pwned()>", "\u{301}".repeat(500)));
    all
}

const LIST: &[&str] = &[
    // Markup and what runs from it.
    "<script>pwned()</script>",
    "</script><script>pwned()</script>",
    "<img src=x onerror=pwned()>",
    "<img src=//evil.invalid/x>",
    "<svg onload=pwned()>",
    "<svg><script href=data:text/javascript,pwned()></script></svg>",
    "<iframe srcdoc='<script>parent.pwned()</script>'></iframe>",
    "<iframe src=javascript:pwned()>",
    "<body onload=pwned()>",
    "<details open ontoggle=pwned()>x</details>",
    "<input autofocus onfocus=pwned()>",
    "<a href=javascript:pwned() id=console-input>x</a>",
    "<math><mtext><table><mglyph><style><img src=x onerror=pwned()>",
    "<template><script>pwned()</script></template>",
    "<noscript><p title='</noscript><img src=x onerror=pwned()>'>",
    "<textarea></textarea><img src=x onerror=pwned()>",
    "<style>*{background:url(//evil.invalid/c)}</style>",
    "<link rel=stylesheet href=//evil.invalid/c.css>",
    "<base href=//evil.invalid/>",
    "<meta http-equiv=refresh content='0;url=//evil.invalid/'>",
    "<form action=//evil.invalid/><button>x</button></form>",
    "<object data=//evil.invalid/x></object><embed src=//evil.invalid/x>",
    "<!--<img src=x onerror=pwned()>-->",
    "<![CDATA[<img src=x onerror=pwned()>]]>",
    "\"><img src=x onerror=pwned()>",
    "' onmouseover='pwned()' x='",
    "\" style=\"position:fixed;inset:0\" x=\"",
    "&lt;img src=x onerror=pwned()&gt;",
    "&#60;script&#62;pwned()&#60;/script&#62;",
    "\\u003cimg src=x onerror=pwned()\\u003e",
    "%3Cimg%20src%3Dx%20onerror%3Dpwned()%3E",
    // Addresses and style sheets.
    "javascript:pwned()",
    "JaVaScRiPt\u{1}:pwned()",
    "data:text/html,<script>pwned()</script>",
    "//evil.invalid/x",
    "url(//evil.invalid/c)",
    "expression(pwned())",
    "}*{background:url(//evil.invalid/c)}",
    "#console-input",
    "../../index.html?v=0#s=x",
    // Templates and formats.
    "{{constructor.constructor('pwned()')()}}",
    "${pwned()}",
    "#{pwned()}",
    "{0} {1} {9}",
    "%s%n%x$1$&",
    "__proto__",
    "constructor",
    "toString",
    // Characters that hide, turn or end others.
    "\u{202e}gpj.exe\u{202c}",
    "\u{2066}a\u{2069}\u{2067}b\u{2069}\u{200f}",
    "zero\u{200b}width\u{200d}\u{feff}\u{2060}",
    "nul\u{0}byte\u{7f}\u{9b}31m",
    "\u{1b}[31mred\u{1b}]0;title\u{7}",
    "soft\u{ad}hyphen\u{61c}\u{180e}",
    "line\u{2028}and\u{2029}paragraph",
    "tag\u{e0041}\u{e0042}\u{fff9}",
];

/// A string as one word of a line.
fn word(text: &str) -> String {
    if !text.contains('\'') {
        return format!("'{text}'");
    }
    let mut word = String::from("\"");
    for letter in text.chars() {
        if matches!(letter, '"' | '\\' | '$' | '`') {
            word.push('\\');
        }
        word.push(letter);
    }
    word.push('"');
    word
}

/// Installs the watcher.
const WATCH: &str = r#"
    const odd = window.odd = [];
    window.pwned = (...what) => odd.push(`it ran: ${what}`);
    for (const name of ['alert', 'confirm', 'prompt', 'print', 'open']) window[name] = () => odd.push(name);
    const tags = new Set(('a article body br button circle code dd details dialog div dl dt em g h1 h2 h3 h4 head header ' +
      'html input label li line link main meta nav noscript ol p path pre rect script section span strong summary svg ' +
      'table tbody td text textarea th thead title tr ul').split(' '));
    const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb]|[\u{e0000}-\u{e0fff}]/u;
    const scripts = document.querySelectorAll('script, link, meta').length;
    const attribute = (it, { name, value }) => {
      if (/^on|^(srcdoc|formaction|action|ping|background|xlink:href)$/i.test(name)) odd.push(`${it.localName} has ${name}=${value}`);
      if (name === 'href' && it.localName === 'a' && !value.startsWith('#')) odd.push(`a link to ${value}`);
      if (name === 'src' && it.localName !== 'script') odd.push(`${it.localName} has src=${value}`);
      if (name === 'style' && /url|expression|position/i.test(value)) odd.push(`a style ${value}`);
      if (hidden.test(value)) odd.push(`${it.localName} has a hidden character in ${name}: ${JSON.stringify(value)}`);
    };
    const look = (node) => {
      if (node.nodeType === Node.TEXT_NODE) {
        if (hidden.test(node.data)) odd.push(`a hidden character in ${node.parentNode?.className}: ${JSON.stringify(node.data.slice(0, 200))}`);
        return;
      }
      if (node.nodeType !== Node.ELEMENT_NODE) return;
      if (!tags.has(node.localName)) odd.push(`an element ${node.localName}`);
      for (const it of node.attributes) attribute(node, it);
      node.childNodes.forEach(look);
    };
    look(document.documentElement);
    new MutationObserver((records) => {
      for (const record of records) {
        record.addedNodes.forEach(look);
        if (record.type === 'characterData') look(record.target);
        if (record.type === 'attributes') attribute(record.target, { name: record.attributeName, value: record.target.getAttribute(record.attributeName) ?? '' });
      }
    }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    document.addEventListener('securitypolicyviolation', (event) => odd.push(`against the policy: ${event.violatedDirective} ${event.blockedURI}`));
    const ours = new URL('./', document.baseURI).href;
    new PerformanceObserver((list) => {
      for (const { name } of list.getEntries()) {
        if (!name.startsWith(ours) && !name.startsWith('data:image/svg+xml,')) odd.push(`a request for ${name}`);
      }
    }).observe({ type: 'resource', buffered: true });
    window.closing = () => {
      if (document.title !== 'etcd playground') odd.push(`the title is ${document.title}`);
      if (document.querySelectorAll('script, link[rel], meta').length > scripts + 1) odd.push('the head has grown');
      return odd.slice(0, 20);
    };"#;

impl Browser {
    async fn watch_for_odd(&self) {
        self.run(WATCH).await;
    }

    /// Nothing odd has come so far.
    async fn nothing_odd(&self, after: &str) {
        let odd = self.run("return window.closing()").await;
        assert_eq!(odd, serde_json::json!([]), "after {after}");
    }

    /// Runs lines at once, as pasted, and waits for their end.
    async fn run_lines(&self, lines: &[String]) {
        self.press_with_control('l').await;
        for part in lines.chunks(30) {
            let before = self.run(DONE).await.as_u64().unwrap_or(0);
            let script = "
                const data = new DataTransfer();
                data.setData('text/plain', TEXT);
                const field = document.querySelector('[data-testid=console-input]');
                field.focus();
                field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));"
                .replace("TEXT", &serde_json::json!(part.join("\n")).to_string());
            self.run(&script).await;
            self.click("paste-run").await;
            let wanted = before + u64::try_from(part.len()).unwrap();
            let done = format!(
                "{DONE} >= {wanted} && !document.querySelector('[data-testid=console-block][data-running=true]')"
            );
            self.wait_true("end of the pasted lines", SOON, &done).await;
        }
    }
}

const DONE: &str = "return document.querySelectorAll('[data-testid=console-block]').length";

/// Keys and values, in the console, the list, the ribbon, the views, the completion, the search and a link.
pub(crate) async fn hostile_keys_stay_text(browser: Browser) {
    let strings = strings();
    assert!(strings.len() >= 60, "only {} strings", strings.len());
    browser.visit_ready().await;
    browser.watch_for_odd().await;
    let puts: Vec<String> =
        strings.iter().map(|text| format!("put {} {}", word(text), word(text))).collect();
    browser.run_lines(&puts).await;
    browser.nothing_odd("the puts").await;
    let revision = format!("{}", strings.len() + 1);
    browser.wait_text("revision", "all of them", |text| text.trim() == revision).await;
    browser.press_with_control('l').await;
    for line in [
        "get '' --from-key",
        "get '' --from-key -w json",
        "get '' --from-key -w fields",
        "get '' --from-key --keys-only -w table",
    ] {
        browser.command(line).await;
        browser.nothing_odd(line).await;
    }
    // A half of a pair of surrogates, as a broken clipboard may hold.
    browser
        .run(
            r"
        const input = document.querySelector('[data-testid=console-input]');
        input.focus();
        document.execCommand('insertText', false, 'put lone\ud800 \udc00half');",
        )
        .await;
    browser.type_into("console-input", "\n").await;
    every_key(&browser).await;
    for view in ["log", "clocks", "quorum", "exact", "commands", "keys"] {
        browser.click(&format!("lower-{view}")).await;
        if view != "keys" {
            browser.wait_for(&format!("{view}-view")).await;
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
        browser.nothing_odd(view).await;
    }
    browser.write("get \t").await;
    browser.wait_for("console-menu").await;
    browser.nothing_odd("the completions").await;
    browser.press_with_control('c').await;
    for text in strings.iter().take(20) {
        let script = "
            const field = document.querySelector('[data-testid=key-filter]');
            field.value = TEXT;
            field.dispatchEvent(new Event('input', { bubbles: true }));"
            .replace("TEXT", &serde_json::json!(text).to_string());
        browser.run(&script).await;
    }
    browser.nothing_odd("the search").await;
    browser.press_with_control('r').await;
    browser.type_into("console-input", "put").await;
    browser.nothing_odd("the history").await;
}

/// Chooses each key, however far down the list, and looks at the key space of an old revision.
async fn every_key(browser: &Browser) {
    let chosen = browser
        .run_async(
            "const list = document.querySelector('[data-testid=key-list]');
             const drawn = () => new Promise((resolve) => setTimeout(() => requestAnimationFrame(resolve), 40));
             const chosen = new Set();
             let count = 0;
             for (let tries = 0; tries < 300; tries += 1) {
               const rows = [...list.querySelectorAll('[data-testid=key-row]')];
               count = Number(rows[0]?.getAttribute('aria-setsize') ?? 0);
               const next = rows.find((row) => !chosen.has(row.getAttribute('aria-posinset')));
               if (next) {
                 chosen.add(next.getAttribute('aria-posinset'));
                 next.click();
               } else if (chosen.size >= count) {
                 break;
               } else {
                 list.scrollTop += list.clientHeight / 2;
               }
               await drawn();
             }
             return [chosen.size, count];",
        )
        .await;
    let count = chosen[1].as_u64().unwrap_or(0);
    assert!(count >= 60 && chosen[0] == count, "chosen of all: {chosen}");
    browser.wait_for("key-revision").await;
    browser.nothing_odd("every key's ribbon").await;
    browser.click("look-at").await;
    browser.wait_for("past-row").await;
    browser.nothing_odd("the keys at a revision").await;
    browser.click("past-back").await;
    browser.click("keys-tree").await;
    browser.wait_for("key-folder").await;
    browser.nothing_odd("the keys by prefix").await;
    browser.click("keys-flat").await;
}

/// Users and roles, and what a link carries: its title and its lines.
pub(crate) async fn hostile_users_and_links_stay_text(browser: Browser) {
    browser.visit_ready().await;
    browser.watch_for_odd().await;
    let strings = strings();
    let add = |what: &str| -> Vec<String> {
        let tail = if what == "user" { " --no-password" } else { "" };
        strings.iter().map(|text| format!("{what} add {}{tail}", word(text))).collect()
    };
    browser.run_lines(&add("role")).await;
    browser.run_lines(&add("user")).await;
    browser.nothing_odd("users and roles").await;
    browser.press_with_control('l').await;
    for line in ["user list", "role list", "user list -w json", "role get '<svg onload=pwned()>'"] {
        let answer = browser.command(line).await;
        assert!(!answer.out.is_empty() || answer.failed, "`{line}` says nothing");
        browser.nothing_odd(line).await;
    }
    for line in ["user get \t", "role get \t"] {
        browser.write(line).await;
        browser.wait_for("console-menu").await;
        browser.nothing_odd("the completions").await;
        browser.press_with_control('c').await;
    }
    browser.click("share-button").await;
    browser.wait_for("share-name").await;
    for text in strings.iter().take(56) {
        let script = "
            const field = document.querySelector('[data-testid=share-name]');
            field.value = TEXT;
            field.dispatchEvent(new Event('input', { bubbles: true }));"
            .replace("TEXT", &serde_json::json!(text).to_string());
        browser.run(&script).await;
    }
    browser.nothing_odd("the titles").await;
    browser.click("share-close").await;
    // What stands after # in an address is anybody's text.
    for text in &strings {
        browser.run(&format!("location.hash = {}", serde_json::json!(format!("#s={text}")))).await;
    }
    browser.wait_for("broken-link-reason").await;
    browser.nothing_odd("the links").await;
}

/// Scenarios that are written: titles, sentences, lines, and what is wrong with them; and the dialog that plays one.
pub(crate) async fn hostile_scenarios_stay_text(browser: Browser) {
    browser.visit_ready().await;
    browser.watch_for_odd().await;
    browser.click("lower-scenario").await;
    browser.wait_for("scenario-text").await;
    let forms = [
        "title: {0}\n> {0}\nput {0} 1\n",
        "part {0}\nhint {0}\nask {0}\nanswer leader\n",
        "kill {0}\n",
        "@9{0}\n{0}: x\n",
    ];
    for text in strings() {
        for form in forms {
            let script = "
                const field = document.querySelector('[data-testid=scenario-text]');
                field.value = TEXT;
                field.dispatchEvent(new Event('input', { bubbles: true }));"
                .replace("TEXT", &serde_json::json!(form.replace("{0}", &text)).to_string());
            browser.run(&script).await;
        }
    }
    browser.nothing_odd("the texts").await;
    let all: String =
        LIST.iter().map(|text| format!("> {text}\nput key {}\n", word(text))).collect();
    let script = "
        const field = document.querySelector('[data-testid=scenario-text]');
        field.value = TEXT;
        field.dispatchEvent(new Event('input', { bubbles: true }));"
        .replace("TEXT", &serde_json::json!(format!("title: {}\n{all}", LIST[2])).to_string());
    browser.run(&script).await;
    browser.click("scenario-lab").await;
    browser.wait_for("replay-result").await;
    browser.wait_for("run-step").await;
    browser.nothing_odd("the dialog").await;
    browser.click("share-close").await;
}

/// A link whose title and lines are hostile shows them as text, and its page's title stays.
pub(crate) async fn a_hostile_link_stays_text(browser: Browser) {
    let title = "<img src=x onerror=pwned()>\u{202e}gpj\u{200b}";
    browser.visit_ready().await;
    browser.watch_for_odd().await;
    let lines: Vec<String> =
        LIST.iter().take(40).map(|text| format!("put {} {}", word(text), word(text))).collect();
    browser.run_lines(&lines).await;
    browser.click("share-button").await;
    browser.wait_for("share-name").await;
    let script = "
        const field = document.querySelector('[data-testid=share-name]');
        field.value = TEXT;
        field.dispatchEvent(new Event('input', { bubbles: true }));"
        .replace("TEXT", &serde_json::json!(title).to_string());
    browser.run(&script).await;
    browser.wait_for("share-link").await;
    browser.nothing_odd("the link").await;
    let link = browser
        .run("const it = document.querySelector('[data-testid=share-link]'); return it.value ?? it.textContent")
        .await;
    let link = link.as_str().unwrap_or_default().to_owned();
    browser.click("share-close").await;
    let fragment = link.split_once('#').expect("a link has a fragment").1;
    browser.run(&format!("location.hash = {fragment:?}")).await;
    browser.wait_for("link-close").await;
    browser.click("replay").await;
    browser.wait_text("replay-result", "an end", |text| !text.is_empty()).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    browser.nothing_odd("the opened link").await;
}

/// Names of members, which come with a restored snapshot: header, ring, cards, matrix, events, views.
pub(crate) async fn hostile_member_names_stay_text(browser: Browser) {
    browser.visit_ready().await;
    browser.watch_for_odd().await;
    browser.ok("put k v").await;
    browser.ok("snapshot save s.db --endpoints 127.0.0.1:12379").await;
    // Such names cannot stand in a list of members.
    let names: Vec<&str> = LIST.iter().copied().filter(|name| !name.contains([',', '='])).collect();
    for (round, part) in names.chunks(7).enumerate() {
        let list: Vec<String> = part
            .iter()
            .enumerate()
            .map(|(at, name)| format!("{name}=http://127.0.0.1:{}2380", at + 1))
            .collect();
        let restore = format!(
            "etcdutl snapshot restore s.db --data-dir d{round} --name {} --initial-cluster {} --initial-advertise-peer-urls http://127.0.0.1:12380",
            word(part[0]),
            word(&list.join(","))
        );
        browser.run_lines(&[restore, "wait 1ms".to_owned()]).await;
        browser.nothing_odd("a restore").await;
        if !browser.click_if_there("change-yes").await {
            continue;
        }
        browser.wait_ready().await;
        for view in ["log", "quorum", "clocks", "keys"] {
            browser.click(&format!("lower-{view}")).await;
        }
        browser
            .run("document.querySelector('[data-testid=faults-matrix]').parentElement.open = true")
            .await;
        browser.command("member list -w table").await;
        browser.command("endpoint status").await;
        browser.nothing_odd(&format!("members named {part:?}")).await;
    }
    // Those that can be neither are added, if anything lets them be.
    for name in LIST.iter().filter(|name| name.contains([',', '='])).take(3) {
        let add = format!("member add {} --peer-urls=http://127.0.0.1:72380 --learner", word(name));
        browser.run_lines(&[add, "wait 1ms".to_owned()]).await;
        browser.nothing_odd(&format!("a member {name:?}")).await;
    }
}
