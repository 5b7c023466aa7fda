//! Members that come and go in a real page: workers, databases and disks of their own.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::browser::Browser;

/// How long a change of the membership may take: etcd trusts a connection after 5 s.
const CHANGE: Duration = Duration::from_secs(30);

/// Hashes are compared once every member has applied what there is.
const SETTLE: Duration = Duration::from_secs(20);

impl Browser {
    /// The names on the cards, in order.
    pub(crate) async fn members(&self) -> Vec<String> {
        let script = "return [...document.querySelectorAll('.card .card-name')]
            .map((name) => name.textContent)";
        let names = self.run(script).await;
        names
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect()
    }

    /// Waits until these are the members.
    pub(crate) async fn wait_members(&self, wanted: &[&str]) {
        let deadline = Instant::now() + CHANGE;
        loop {
            let members = self.members().await;
            if members == wanted {
                return;
            }
            assert!(Instant::now() < deadline, "the members are {members:?}, not {wanted:?}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Waits until a card shows this role, however long a change takes.
    async fn wait_role_long(&self, name: &str, role: &str) {
        let id = format!("role-{name}");
        self.wait_text_within(CHANGE, &id, role, |text| text == role).await;
    }

    /// Waits until a member that all restarted with leads or follows.
    async fn wait_to_serve(&self, name: &str) {
        let serves = |text: &str| matches!(text, "follower" | "leader");
        self.wait_text(&format!("role-{name}"), "leader or follower", serves).await;
    }

    /// Presses a button in the details of a card, and says yes if that is asked.
    async fn press_rare(&self, button: &str, name: &str, is_asked: bool) {
        let open = format!(
            "document.querySelector('[data-testid=more-{name}]').parentElement.open = true"
        );
        self.run(&open).await;
        self.click(&format!("{button}-{name}")).await;
        if is_asked {
            self.click("change-yes").await;
        }
    }

    /// Hands the leadership to a member, unless it has it.
    async fn let_lead(&self, name: &str) {
        if self.leader().await != name {
            self.press_rare("lead", name, false).await;
        }
        self.wait_role_long(name, "leader").await;
    }

    /// Waits until all these members answer with one and the same hash; gives it back.
    async fn wait_equal_hashes(&self, members: &[&str]) -> Value {
        let endpoints: Vec<String> = members
            .iter()
            .map(|name| format!("127.0.0.1:{}2379", name.trim_start_matches("infra")))
            .collect();
        let line = format!("endpoint hashkv -w json --endpoints={}", endpoints.join(","));
        let deadline = Instant::now() + SETTLE;
        loop {
            let answer = self.command(&line).await;
            let hashes: Vec<Value> = serde_json::from_str(&answer.out).unwrap_or_default();
            let of = |hash: &Value| (hash["HashKV"]["hash"].clone(), revision(hash));
            if hashes.len() == members.len() && hashes.iter().all(|hash| of(hash) == of(&hashes[0]))
            {
                return hashes[0].clone();
            }
            assert!(Instant::now() < deadline, "the hashes stay different: {answer:?}");
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
    }
}

fn revision(hash: &Value) -> Value {
    hash["HashKV"]["header"]["revision"].clone()
}

/// A member is added, gets the data, survives a reload and a kill, is isolated, leads, and is removed.
pub(crate) async fn a_member_is_added_and_removed(browser: Browser) {
    browser.visit_ready().await;
    browser.ok("put before v1").await;
    browser.click("add-member").await;
    browser.wait_members(&["infra1", "infra2", "infra3", "infra4"]).await;
    browser.wait_role_long("infra4", "follower").await;
    browser.ok("put after v2").await;
    let four = ["infra1", "infra2", "infra3", "infra4"];
    browser.wait_equal_hashes(&four).await;

    browser.reload().await;
    browser.wait_ready().await;
    browser.wait_members(&four).await;
    browser.wait_to_serve("infra4").await;
    let found = browser.ok("get before --endpoints=127.0.0.1:42379").await;
    assert_eq!(found, "before\nv1\n");

    // A put that a follower forwards to a leader that has just died is lost, as in etcd.
    browser.let_lead("infra1").await;
    browser.click("kill-infra4").await;
    browser.wait_role("infra4", "down").await;
    browser.ok("put while-down v3").await;
    browser.click("restart-infra4").await;
    browser.wait_role("infra4", "follower").await;
    browser.click("isolate-infra4").await;
    browser.ok("put while-isolated v4").await;
    let alone =
        browser.command("get before --endpoints=127.0.0.1:42379 --command-timeout=1s").await;
    assert!(alone.failed, "an isolated member answers a linearizable read: {alone:?}");
    browser.click("heal-infra4").await;
    browser.wait_equal_hashes(&four).await;

    browser.let_lead("infra4").await;
    assert_eq!(browser.leader().await, "infra4");

    browser.press_rare("remove", "infra4", true).await;
    let is_removed = |text: &str| text.contains("was removed from the cluster");
    browser.wait_text_within(CHANGE, "member-card-infra4", "its removal", is_removed).await;
    browser.wait_role_long("infra4", "down").await;
    browser.reload().await;
    browser.wait_ready().await;
    browser.wait_text("member-card-infra4", "its removal", is_removed).await;
    assert_eq!(browser.down().await, ["infra4"], "a removed member does not start again");
    browser.click("delete-infra4").await;
    browser.click("change-yes").await;
    browser.wait_members(&["infra1", "infra2", "infra3"]).await;
    browser.wait_true("its database is gone", CHANGE_DATABASES, DATABASES_ARE_THREE).await;
    browser.reload().await;
    browser.wait_ready().await;
    browser.wait_members(&["infra1", "infra2", "infra3"]).await;
    assert_eq!(browser.ok("get while-isolated").await, "while-isolated\nv4\n");
}

/// Databases are deleted while nobody waits.
const CHANGE_DATABASES: Duration = Duration::from_secs(10);

/// One database per member, and the one that tries out whether there are databases.
const DATABASES_ARE_THREE: &str = "
    indexedDB.databases().then((all) => {
        window.memberDatabases = all.filter(({ name }) => !name.endsWith('probe')).length;
    });
    return window.memberDatabases === 3;";

/// A member that is added by the console to a cluster of one takes its majority away until it is started.
pub(crate) async fn a_second_member_gives_the_majority_back(browser: Browser) {
    browser.visit_ready().await;
    browser.click("new-cluster-1").await;
    browser.click("new-cluster-yes").await;
    browser.wait_members(&["infra1"]).await;
    browser.wait_role_long("infra1", "leader").await;
    browser.ok("put before v").await;
    let added = browser.ok("member add infra2 --peer-urls=http://127.0.0.1:22380").await;
    assert!(added.contains("added to cluster"), "{added}");
    browser.wait_members(&["infra1", "infra2"]).await;
    browser.wait_role("infra2", "down").await;
    browser.click("restart-infra2").await;
    browser.wait_role_long("infra2", "follower").await;
    browser.ok("put after v").await;
    browser.wait_equal_hashes(&["infra1", "infra2"]).await;
}

/// A learner gets everything, does not vote, and is promoted.
pub(crate) async fn a_learner_is_promoted(browser: Browser) {
    browser.visit_ready().await;
    browser.ok("put k v").await;
    browser.click("add-learner").await;
    browser.wait_members(&["infra1", "infra2", "infra3", "infra4"]).await;
    browser.wait_role_long("infra4", "learner").await;
    let list = browser.ok("member list -w json").await;
    let list: Value = serde_json::from_str(&list).expect("JSON");
    let learners = list["members"].as_array().into_iter().flatten();
    assert_eq!(learners.filter(|member| member["isLearner"] == true).count(), 1, "{list}");
    browser.reload().await;
    browser.wait_ready().await;
    browser.wait_role_long("infra4", "learner").await;
    browser.click("promote-infra4").await;
    browser.wait_role_long("infra4", "follower").await;
    browser.wait_equal_hashes(&["infra1", "infra2", "infra3", "infra4"]).await;
}

/// A member whose database was emptied is noticed, and replaced by a new id that gets the data from the others.
pub(crate) async fn a_member_that_lost_its_disk_is_replaced(browser: Browser) {
    browser.visit_ready().await;
    browser.ok("put k v1").await;
    let victim = if browser.leader().await == "infra2" { "infra3" } else { "infra2" };
    let before = browser.json("member list -w json").await;
    browser.click(&format!("kill-{victim}")).await;
    browser.wait_role(victim, "down").await;
    let script = format!(
        "const name = (await indexedDB.databases()).map(({{ name }}) => name)
            .find((name) => name.endsWith('{}'));
         return await new Promise((resolve) => {{
            const request = indexedDB.deleteDatabase(name);
            request.onsuccess = () => resolve(name);
            request.onerror = request.onblocked = () => resolve('');
         }});",
        id_of(&before, victim)
    );
    let deleted = browser.run_async(&script).await;
    assert!(deleted.as_str().is_some_and(|name| !name.is_empty()), "no database of {victim}");
    browser.click(&format!("restart-{victim}")).await;
    let is_noticed = |text: &str| text.contains("rolled back");
    browser.wait_text(&format!("member-card-{victim}"), "that its disk is lost", is_noticed).await;
    browser.ok("put k v2").await;
    browser.click(&format!("replace-{victim}")).await;
    browser.click("change-yes").await;
    browser.wait_role_long(victim, "follower").await;
    browser.wait_members(&["infra1", "infra2", "infra3"]).await;
    browser.wait_equal_hashes(&["infra1", "infra2", "infra3"]).await;
    let after = browser.json("member list -w json").await;
    assert_ne!(id_of(&after, victim), id_of(&before, victim), "the new member has another id");
    browser.reload().await;
    browser.wait_ready().await;
    browser.wait_to_serve(victim).await;
    let number = victim.trim_start_matches("infra");
    let found = browser.ok(&format!("get k --endpoints=127.0.0.1:{number}2379")).await;
    assert_eq!(found, "k\nv2\n");
}

/// The id of a member as names of databases write it.
fn id_of(list: &Value, name: &str) -> String {
    let member = list["members"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|member| member["name"] == name)
        .unwrap_or_else(|| panic!("{name} is not in {list}"));
    format!("{:016x}", member["ID"].as_u64().expect("an id"))
}

/// One member of a lost majority goes on alone with its data, and takes in new members.
pub(crate) async fn a_lost_majority_is_given_up(browser: Browser) {
    browser.visit_ready().await;
    browser.ok("put k v1").await;
    browser.wait_equal_hashes(&["infra1", "infra2", "infra3"]).await;
    for name in ["infra1", "infra3"] {
        browser.click(&format!("kill-{name}")).await;
        browser.wait_role(name, "down").await;
    }
    browser.press_rare("force-new", "infra2", true).await;
    browser.wait_role_long("infra2", "leader").await;
    assert_eq!(browser.ok("get k").await, "k\nv1\n");
    browser.ok("put k v2").await;
    browser.reload().await;
    browser.wait_ready().await;
    browser.wait_role("infra2", "leader").await;
    assert_eq!(browser.down().await, ["infra1", "infra3"], "the others never start again");
    assert_eq!(browser.ok("get k").await, "k\nv2\n");
    for name in ["infra1", "infra3"] {
        browser.click(&format!("delete-{name}")).await;
        browser.click("change-yes").await;
    }
    browser.wait_members(&["infra2"]).await;
    browser.click("add-member").await;
    browser.wait_members(&["infra1", "infra2"]).await;
    browser.wait_role_long("infra1", "follower").await;
    browser.wait_equal_hashes(&["infra1", "infra2"]).await;
}

/// A follower that was cut off for longer than the leader's log reaches gets a snapshot, and has it on its disk.
pub(crate) async fn a_snapshot_is_installed(browser: Browser) {
    browser.visit_at("?bench").await;
    browser.wait_ready().await;
    browser.click("new-cluster-3").await;
    browser.click("new-cluster-settings").await;
    for (setting, value) in [("snapshot-count", "20"), ("snapshot-catchup-entries", "5")] {
        let id = format!("setting-{setting}");
        browser.click(&id).await;
        browser.press_with_control('a').await;
        browser.type_into(&id, value).await;
    }
    browser.click("new-cluster-yes").await;
    browser.wait_true("a new cluster", CHANGE, NEW_CLUSTER).await;
    browser.wait_ready().await;
    browser.ok("put first v").await;
    let list = browser.json("member list -w json").await;
    let leader = browser.leader().await;
    let follower = if leader == "infra3" { "infra2" } else { "infra3" };
    browser.click(&format!("isolate-{follower}")).await;
    let fill = r#"{"mode":"fill","clients":4,"count":200,"keys":200,"value_bytes":2000}"#;
    let report =
        browser.run_async(&format!("return JSON.parse(await playgroundBench('{fill}'))")).await;
    assert_eq!(report["acks"], 200, "{report}");
    browser.click(&format!("heal-{follower}")).await;
    let three = ["infra1", "infra2", "infra3"];
    let hash = browser.wait_equal_hashes(&three).await;
    // Entry by entry its rows would have stayed in their first generation, as the leader's have.
    let generation = |name: &str| ROWS_GENERATION.replace("MEMBER", &id_of(&list, name));
    let of_leader = browser.run_async(&generation(&leader)).await.as_u64();
    let of_follower = browser.run_async(&generation(follower)).await.as_u64();
    assert!(of_leader.is_some() && of_follower > of_leader, "no snapshot was installed");
    browser.click(&format!("kill-{follower}")).await;
    browser.wait_role(follower, "down").await;
    browser.click(&format!("restart-{follower}")).await;
    browser.wait_role(follower, "follower").await;
    assert_eq!(browser.wait_equal_hashes(&three).await["HashKV"], hash["HashKV"]);
    browser.reload().await;
    browser.wait_ready().await;
    browser.wait_equal_hashes(&three).await;
    let found = browser.ok("get /fill/ --prefix --count-only -w fields").await;
    assert!(found.contains("\"Count\" : 200"), "{found}");
}

/// Which generation the rows of a member's disk are of: their keys begin with it.
const ROWS_GENERATION: &str = "
    const name = (await indexedDB.databases()).map(({ name }) => name)
        .find((name) => name.endsWith('MEMBER'));
    const done = (request) => new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });
    const database = await done(indexedDB.open(name));
    const [key] = await done(database.transaction('rows').objectStore('rows').getAllKeys(null, 1));
    database.close();
    return Math.floor(key / 2 ** 32);";

const NEW_CLUSTER: &str = "return document.querySelector('[data-ready=false]') === null
    && document.querySelector('[data-testid=revision]').textContent.trim() === '1'";
