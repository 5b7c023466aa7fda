//! The page in English, and with it the list of texts that a language must have.
//!
//! Invariants: see `strings`.

use super::{With1, With2, bytes, clock, seconds};

macro_rules! table {
    ($($name:ident: $kind:ty = $english:expr;)*) => {
        /// All texts of the page in one language.
        #[derive(Debug)]
        pub struct Strings {
            $(
                #[doc = concat!("In English: ", stringify!($english))]
                pub $name: $kind,
            )*
        }

        /// English.
        pub static EN: Strings = Strings { $($name: $english,)* };
    };
}

/// Takes a count.
type Count = fn(u64) -> String;

table! {
    // The page.
    language: &'static str = "en";
    title: &'static str = "etcd playground";
    tagline: &'static str = "A real etcd cluster, in this page";
    skip_to_console: &'static str = "Skip to the console";
    starting: &'static str = "Starting three members…";
    electing: &'static str = "No leader at the moment";
    theme: &'static str = "Colours";
    theme_system: &'static str = "Colours: as the system";
    theme_light: &'static str = "Colours: light";
    theme_dark: &'static str = "Colours: dark";
    share: &'static str = "Share";
    panels: &'static str = "Panels";
    panel_tutorial: &'static str = "Tutorial";
    panel_console: &'static str = "Console";
    panel_cluster: &'static str = "Cluster";
    panel_keys: &'static str = "Keys";
    panel_events: &'static str = "Events";
    show_tutorial: &'static str = "Show the tutorial";
    hide_tutorial: &'static str = "Hide the tutorial";
    close: &'static str = "Close";
    cancel: &'static str = "Cancel";
    summary_leader: &'static str = "leader";
    summary_term: &'static str = "term";
    summary_revision: &'static str = "revision";
    summary_none: &'static str = "none";
    seconds: fn(u64) -> String = seconds;
    clock: fn(u64) -> String = clock;
    bytes: fn(i64) -> String = bytes;

    // Where the data lives.
    storage: &'static str = "Storage";
    mode_indexed_db: &'static str = "IndexedDB";
    mode_indexed_db_hint: &'static str = "Every acknowledged write is on disk in this browser and survives a reload.";
    mode_memory: &'static str = "Memory only";
    banner_memory: With1 = |why| format!("This cluster lives in memory: nothing survives a reload.{}{why}", if why.is_empty() { "" } else { " " });
    banner_elsewhere: &'static str = "Your saved cluster is open in another tab. This tab has a fresh one in memory.";
    banner_silent: &'static str = "Your saved cluster is open in another tab, which does not answer: it may be asleep. Show that tab or close it, then take over again.";
    take_over: &'static str = "Take over here";
    banner_taken: &'static str = "Another tab has taken over this cluster. Nothing runs here any more.";
    take_back: &'static str = "Take it back";
    banner_failed: With1 = |why| format!("The cluster cannot be opened: {why}");
    banner_disk: With1 = |names| format!("{names} cannot start from disk, and there is no majority that could take in another member. A new cluster is the way out, or one member alone: see its details.");
    banner_disk_one: With1 = |names| format!("{names} cannot start from disk. A new member can take its place and get the data from the others.");
    banner_quorum: &'static str = "No majority: writes and ordinary reads wait. Restart a member or heal the links.";
    try_again: &'static str = "Try again";

    // Members.
    role_leader: &'static str = "leader";
    role_follower: &'static str = "follower";
    role_candidate: &'static str = "candidate";
    role_pre_candidate: &'static str = "pre-candidate";
    role_learner: &'static str = "learner";
    role_down: &'static str = "down";
    role_paused: &'static str = "paused";
    role_starting: &'static str = "starting";
    role_stopping: &'static str = "stopping";
    tag_isolated: &'static str = "isolated";
    tag_no_leader: &'static str = "no leader";
    tag_removed: &'static str = "removed";
    field_term: &'static str = "term";
    field_commit: &'static str = "commit";
    field_applied: &'static str = "applied";
    field_last: &'static str = "last";
    field_revision: &'static str = "revision";
    field_size: &'static str = "size";
    field_boot: &'static str = "starts";
    field_watchers: &'static str = "watches";
    field_timer: &'static str = "election timer";
    timer_words: With2 = |elapsed, timeout| format!("{elapsed} of {timeout} ticks since it last heard from a leader");
    timer_leader: &'static str = "leads; sends heartbeats";
    action_kill: &'static str = "Kill";
    action_restart: &'static str = "Restart";
    action_pause: &'static str = "Pause";
    action_resume: &'static str = "Resume";
    action_isolate: &'static str = "Isolate";
    action_rejoin: &'static str = "Heal";
    action_crash: &'static str = "Crash";
    action_more: With1 = |name| format!("More about {name}");
    action_start: &'static str = "Start";
    action_add: &'static str = "Add member";
    action_add_learner: &'static str = "Add learner";
    action_promote: &'static str = "Promote";
    action_lead: &'static str = "Make leader";
    action_remove: &'static str = "Remove";
    action_replace: &'static str = "Replace";
    action_force: &'static str = "Force new cluster";
    action_delete: &'static str = "Delete its disk";
    members: &'static str = "Members";
    change_works: With1 = |what| format!("{what}…");
    change_waits: With2 = |what, why| format!("{what}: {why}. Trying again.");
    change_failed: With2 = |what, why| format!("{what}: {why}");
    change_no_leader: &'static str = "no leader that could do it";
    change_lost: &'static str = "the member that was asked went away before it answered; it may have been done";
    change_full: &'static str = "a cluster has at most 7 members here";
    ask_title: With2 = |what, who| format!("{what}: {who}?");
    ask_remove: &'static str = "It loses its vote and stops for good. Its disk stays until you delete it.";
    ask_replace: &'static str = "The member is removed from the cluster and its disk is deleted. A new member with another id takes its place and gets all data from the others.";
    ask_force: &'static str = "This member starts as a cluster of its own with the data it has. Writes that only the others have are lost, and the others never start again.";
    ask_delete: &'static str = "Its database and its fence are deleted in this browser.";
    action_on: With2 = |action, name| format!("{action} {name}");
    details: &'static str = "Details";
    links: &'static str = "Links";
    heal_all: &'static str = "Heal all links";
    link_open: With2 = |one, other| format!("{one} and {other} hear each other");
    link_cut: With2 = |one, other| format!("{one} and {other} do not hear each other");
    link_one_way: With2 = |from, to| format!("{to} does not hear {from}");
    link_cut_action: &'static str = "Cut";
    link_heal_action: &'static str = "Heal";
    link_between: With2 = |one, other| format!("{one} – {other}");
    link_state_open: &'static str = "open";
    link_state_cut: &'static str = "cut";
    link_state_one_way: With2 = |from, to| format!("{from} → {to} cut");
    ring_label: With1 = |summary| format!("Cluster: {summary}");
    ring_no_leader: &'static str = "no leader";
    ring_leader: With1 = |name| format!("{name} leads");
    new_cluster: &'static str = "New cluster";
    new_cluster_size: &'static str = "Members";
    size_words: fn(u32) -> String = |count| if count == 1 { "1 member".to_owned() } else { format!("{count} members") };
    new_cluster_title: fn(u32) -> String = |count| if count == 1 { "Make a new cluster of 1 member?".to_owned() } else { format!("Make a new cluster of {count} members?") };
    new_cluster_warning: &'static str = "The members of this cluster, their disks and every key in them are thrown away. This cannot be undone.";
    new_cluster_settings: &'static str = "Settings";
    setting_heartbeat: &'static str = "Heartbeat (ms)";
    setting_election: &'static str = "Election timeout (ms)";
    setting_quota: &'static str = "Space quota (bytes)";
    setting_snapshot_count: &'static str = "Entries between snapshots";
    setting_catch_up: &'static str = "Entries kept behind a snapshot";
    setting_range: With2 = |least, most| format!("{least} to {most}");
    setting_election_hint: &'static str = "5 to 100 heartbeats, a multiple of one";
    new_cluster_yes: &'static str = "Throw away and make new";

    // What happened.
    events_empty: &'static str = "What happens to the members is told here.";
    elections_none: &'static str = "No election yet";
    elections: Count = |count| if count == 1 { "1 election held".to_owned() } else { format!("{count} elections held") };
    elections_hint: &'static str = "Every election raises the term by one.";
    told_opened: fn(u32) -> String = |count| if count == 1 { "A new cluster of 1 member was made.".to_owned() } else { format!("A new cluster of {count} members was made.") };
    told_resumed: fn(u32) -> String = |count| if count == 1 { "The cluster of 1 member was opened from disk.".to_owned() } else { format!("The cluster of {count} members was opened from disk.") };
    told_after: With2 = |time, cause| format!(", {time} after {cause}");
    told_leader: fn(&str, u64, &str) -> String = |who, term, after| format!("{who} became leader at term {term}{after}.");
    told_started_fresh: With1 = |who| format!("{who} started with an empty disk.");
    told_started: fn(&str, u64, u64, i64) -> String = |who, boot, last, revision| format!("{who} started from its disk: start {boot}, log up to {last}, revision {revision}.");
    told_pre_vote: fn(&str, u64) -> String = |who, term| format!("{who} hears no leader and asks whether it could win term {term}.");
    told_campaign: fn(&str, u64) -> String = |who, term| format!("{who} campaigns: election for term {term}.");
    told_stepped: fn(&str, u64) -> String = |who, term| format!("{who} stepped down at term {term}.");
    told_quorum_lost: fn(&str, u64) -> String = |who, term| format!("{who} stepped down at term {term}: for an election timeout it heard from no majority.");
    told_follows: fn(&str, &str, u64) -> String = |who, leader, term| format!("{who} follows {leader} at term {term}.");
    told_no_leader: fn(&str, u64) -> String = |who, term| format!("{who} knows of no leader at term {term}.");
    told_conf: fn(&str, &str, &str) -> String = |who, voters, learners| if learners.is_empty() { format!("{who} applied a configuration: voters {voters}.") } else { format!("{who} applied a configuration: voters {voters}, learners {learners}.") };
    told_removed: With1 = |who| format!("{who} is no longer a member and stops.");
    told_slow_apply: fn(&str, u64, u64) -> String = |who, ms, entries| format!("{who}: apply request took too long: {ms} ms for {entries} entries.");
    told_slow_disk: fn(&str, u64) -> String = |who, ms| format!("{who}: its disk took {ms} ms to make a round durable.");
    told_snapshot: fn(&str, &str, u64) -> String = |who, from, index| format!("{who} was too far behind and took a snapshot from {from}: the state at entry {index}.");
    told_no_fence: With1 = |who| format!("{who} has no private file system for its fence: it would not notice if its database were set back to an older state.");
    told_gap: With2 = |who, time| format!("{who}'s clock stood still for {time}; that counts as one tick.");
    cause_killed: With1 = |who| format!("{who} was killed");
    cause_failed: With1 = |who| format!("{who} went down");
    cause_paused: With1 = |who| format!("{who} was paused");
    cause_isolated: With1 = |who| format!("{who} was isolated");
    cause_opened: &'static str = "the cluster was opened";
    done_kill: With1 = |who| format!("{who} is being killed.");
    done_restart: With1 = |who| format!("{who} starts from its disk.");
    done_pause: With1 = |who| format!("{who} is paused: its world stands still.");
    done_resume: With1 = |who| format!("{who} goes on.");
    done_isolate: With1 = |who| format!("{who} is isolated: it hears nobody and nobody hears it.");
    done_heal_member: With1 = |who| format!("All links of {who} are open again.");
    done_crash: With1 = |who| format!("{who} is made to panic.");
    done_cut: With2 = |one, other| format!("The link between {one} and {other} is cut.");
    done_cut_one_way: With2 = |from, to| format!("{to} does not hear {from} any more.");
    done_heal_pair: With2 = |one, other| format!("The link between {one} and {other} is open again.");
    done_heal_one_way: With2 = |from, to| format!("{to} hears {from} again.");
    done_heal_all: &'static str = "All links are open.";
    down_killed: With1 = |who| format!("{who} was killed.");
    down_crashed: With2 = |who, why| format!("{who} crashed: {why}");
    down_disk_failed: With2 = |who, why| format!("{who} stopped, its disk failed: {why}");
    down_disk_silent: With1 = |who| format!("{who} stopped: its disk does not answer.");
    down_rolled_back: With2 = |who, why| format!("{who} does not start, its disk was rolled back: {why}");
    down_unreadable: With2 = |who, why| format!("{who} does not start, its disk cannot be read: {why}");
    down_removed: With1 = |who| format!("{who} was removed from the cluster.");
    down_not_started: With1 = |who| format!("{who} was added to the cluster and has not been started yet.");
    remedy_removed: &'static str = "It does not start again.";
    remedy_not_started: &'static str = "Start it: until then it counts for the majority and does nothing for it.";
    done_add: &'static str = "A member was added; it starts with an empty disk and gets its data from the leader.";
    done_add_learner: &'static str = "A learner was added; it gets all data and does not vote until it is promoted.";
    done_promote: With1 = |who| format!("{who} is a voter now.");
    done_remove: With1 = |who| format!("{who} was removed from the cluster.");
    done_lead: With1 = |who| format!("The leader has handed over to {who}.");
    done_replace: With1 = |who| format!("{who} is replaced.");
    done_force: With1 = |who| format!("{who} starts as a cluster of its own; the others never start again.");
    done_delete: With1 = |who| format!("The disk of {who} is deleted.");
    down_unresponsive: With1 = |who| format!("{who} does not answer any more and was ended.");
    remedy_restart: &'static str = "Its disk is intact: restart it.";
    remedy_full: &'static str = "Free some space in this browser, then restart it.";
    remedy_fresh: &'static str = "Guessing could break what it promised its peers, so it stays down. A new member can take its place.";

    // Refusals.
    refused_unknown: &'static str = "There is no such member.";
    refused_not_running: With1 = |who| format!("{who} is not running.");
    refused_running: With1 = |who| format!("{who} is running already.");
    refused_paused: With1 = |who| format!("{who} is paused already.");
    refused_not_paused: With1 = |who| format!("{who} is not paused.");
    refused_same: With1 = |who| format!("{who} has no link to itself.");
    refused_nothing_cut: &'static str = "Nothing is cut.";

    // The console.
    console_input: &'static str = "Command line";
    console_output: &'static str = "Output";
    console_placeholder: &'static str = "etcdctl put foo bar";
    console_stdin: &'static str = "standard input of the running command";
    console_hello: &'static str = "This is etcdctl, and the cluster beside it is etcd: its members elect, replicate and write to disk in this page.";
    console_hint: &'static str = "Try `put foo bar`, `get foo -w json`, `endpoint status -w table`, `kill leader`, or `help`. The leading word etcdctl is optional. Beside it there are `etcdutl`, `export`, `unset`, `echo`, `clear`, and for the cluster `kill`, `restart`, `pause`, `resume`, `isolate`, `cut`, `heal`, `wait`; Tab completes them.";
    reference: &'static str = "Commands";
    reference_hint: &'static str = "Every command with its flags: the pages that --help prints in the console.";
    reference_filter: &'static str = "Filter commands";
    reference_choose: &'static str = "Choose a command to see its page.";
    reference_none: &'static str = "No command contains this.";
    reference_examples: &'static str = "Put an example into the console";
    console_keys: &'static str = "Enter runs. Up and down recall, Ctrl-R searches. Ctrl-C ends a command. Ctrl-L clears. Tab completes; Escape, then Tab, leaves.";
    console_password: &'static str = "Password: not shown, not kept";
    menu_completions: &'static str = "Completions";
    menu_history: &'static str = "Search in the history";
    menu_none: &'static str = "No line in the history holds this.";
    menu_keys: &'static str = "Tab, up and down choose. Enter takes. Escape closes.";
    search_keys: &'static str = "Up and down choose. Enter runs. Tab takes for editing. Escape goes back.";
    menu_more: Count = |count| format!("and {count} more: type on to find them");
    menu_count: Count = |count| if count == 1 { "1 choice".to_owned() } else { format!("{count} choices") };
    tab_new: &'static str = "New console";
    tab_close: With1 = |place| format!("Close console {place}");
    tab_name: With1 = |place| format!("Console {place}");
    tab_runs: With2 = |place, line| format!("Console {place}, running {line}");
    tab_has_news: &'static str = "new output";
    run: &'static str = "Run";
    interrupt: &'static str = "Stop";
    running: &'static str = "running";
    exit_status: With1 = |status| format!("exit status {status}");
    error_mark: &'static str = "error output";
    copy_output: With1 = |line| format!("Copy what it printed: {line}");
    save_output: With1 = |line| format!("Save what it printed as a file: {line}");
    output_cut: &'static str = "The beginning was dropped: more than 24 MiB.";
    queued: Count = |count| if count == 1 { "1 line waits".to_owned() } else { format!("{count} lines wait") };
    line_too_long: &'static str = "The line is longer than 64 KiB and was not run.";
    paste_title: Count = |count| if count == 1 { "Run this line?".to_owned() } else { format!("Run these {count} lines, one after another?") };
    paste_yes: &'static str = "Run";
    paste_edit: &'static str = "Edit";
    not_ready: &'static str = "The cluster is not open yet.";
    second_notice: &'static str = "127.0.0.1:2379 is a second cluster of one member, in memory: it starts empty and ends with the page";
    second_about: &'static str = "the second cluster";
    wait_over: &'static str = "Waited.";
    wait_met: With1 = |what| format!("There it is: {what}.");
    wait_failed: With1 = |what| format!("It did not come in time: {what}.");
    nobody_serves: With1 = |endpoint| format!("no member serves {endpoint}");
    is_down: With1 = |who| format!("{who} is down");
    is_starting: With1 = |who| format!("{who} is starting");
    went_away: With1 = |who| format!("{who} went away before it answered");

    // Files.
    file_title: With1 = |name| format!("Where is {name}?");
    file_about: &'static str = "No file of this name was saved in this session. Choose one from your disk: it is read here and sent nowhere.";
    file_choose: &'static str = "Choose a file";
    restored_title: With1 = |name| format!("Start the restored cluster {name}?");
    restored_warning: &'static str = "It takes the place of the cluster that runs now, whose data is deleted. Cancel leaves everything as it is.";
    restored_yes: &'static str = "Start it";

    // Keys.
    keys_refused: &'static str = "Access control is on, and this panel is no user: it may not read the keys. The console can, with `--user`.";
    keys_empty: &'static str = "No keys yet. Put one: every revision of it will stand here.";
    keys_waiting: &'static str = "Waiting for a member that can be read.";
    keys_filter: &'static str = "Filter keys";
    panel_history: &'static str = "Revisions of the chosen key";
    keys_count: Count = |count| if count == 1 { "1 key".to_owned() } else { format!("{count} keys") };
    keys_more: Count = |count| format!("and {count} more: filter to find them");
    keys_live: With1 = |revision| format!("live at revision {revision}");
    keys_behind: &'static str = "not live";
    keys_compacted: With1 = |revision| format!("compacted up to {revision}");
    keys_bounded: &'static str = "Only the newest 20,000 revisions are kept here.";
    key_deleted: &'static str = "deleted";
    key_versions: Count = |count| if count == 1 { "1 revision".to_owned() } else { format!("{count} revisions") };
    key_choose: &'static str = "Choose a key to see every revision of it.";
    key_history: With1 = |key| format!("Every revision of {key}");
    key_older: Count = |count| format!("and {count} older");
    col_key: &'static str = "key";
    col_revision: &'static str = "mod";
    col_create: &'static str = "create";
    col_version: &'static str = "version";
    col_value: &'static str = "value";
    col_revision_hint: &'static str = "mod_revision: the revision that made this version";
    col_create_hint: &'static str = "create_revision: the revision that created the key";
    col_version_hint: &'static str = "version: how often it was written since it was created";
    tombstone: &'static str = "deleted";
    compacted_mark: &'static str = "compacted";
    look_at: With1 = |revision| format!("Show the key space at revision {revision}");
    past_title: With1 = |revision| format!("Key space at revision {revision}");
    past_back: &'static str = "Back to now";
    past_empty: &'static str = "No key existed at this revision.";
    past_loading: &'static str = "Reading…";
    past_error: With1 = |text| format!("Error: {text}");
    past_fresh: &'static str = "changed here";
    nobody_reads: &'static str = "no member is up to read from";

    // The tutorial.
    step_of: fn(u32, u64) -> String = |number, total| format!("Step {number} of {total}");
    step_name: fn(u32, &str) -> String = |number, title| format!("Step {number}: {title}");
    step_done: &'static str = "done";
    step_locked: &'static str = "not yet open";
    step_open: &'static str = "to do";
    previous: &'static str = "Previous";
    next: &'static str = "Next";
    next_locked: &'static str = "Next opens when every check holds.";
    run_line: With1 = |line| format!("Run: {line}");
    run_in_console: With1 = |place| format!("in console {place}");
    reload_page: &'static str = "Reload the page";
    checks: &'static str = "Checked against the engine";
    check_met: &'static str = "yes";
    check_open: &'static str = "not yet";
    wants_fresh: &'static str = "The lesson is written for a fresh cluster of three members. Yours is another one.";
    start_fresh: &'static str = "Start with a fresh cluster";
    finished: &'static str = "Share the run";

    // Links.
    share_title: &'static str = "Share what you did";
    share_intro: &'static str = "The lab has a cluster of its own with a clock of its own. It plays your steps there; the link carries the steps and the result, and nothing leaves this page until you send it.";
    share_nothing: &'static str = "Nothing was done yet. Run a command or kill a member, then share it.";
    share_name: &'static str = "Title";
    share_name_hint: &'static str = "What is to be seen";
    share_running: &'static str = "Playing in the lab…";
    share_link: &'static str = "Link";
    share_size: Count = |count| format!("{count} characters");
    share_copy: &'static str = "Copy link";
    share_copied: &'static str = "Copied";
    share_download: &'static str = "Save as a file";
    share_steps: &'static str = "Steps";
    share_played: &'static str = "Played in the lab. Whoever opens the link sees this run again.";
    share_partial: &'static str = "Recording began on a cluster that had data already; the lab starts from an empty one, so answers can differ.";
    share_left_out: &'static str = "Members were added, removed or handed the lead by buttons, which a script cannot say yet; answers can differ.";
    share_input: &'static str = "Lines that running commands read, and what was asked of the second cluster, are left out, as a script cannot say them yet; answers can differ.";
    share_secrets: Count = |count| if count == 1 { "1 line with passwords is left out; answers can differ.".to_owned() } else { format!("{count} lines with passwords are left out; answers can differ.") };
    share_full: &'static str = "More was done than a link can carry: the last steps are left out.";
    link_title: &'static str = "Somebody sent you a run";
    link_intro: &'static str = "These are its steps. They run in the lab, on a cluster of their own; your saved cluster is not touched.";
    link_untitled: &'static str = "Untitled run";
    link_replay: &'static str = "Replay";
    link_again: &'static str = "Replay again";
    link_close: &'static str = "Go to my cluster";
    link_broken_title: &'static str = "This link cannot be opened";
    lab_loading: &'static str = "Loading the lab…";
    lab_not_loaded: With1 = |why| format!("The lab, which reads and plays links, could not be loaded: {why}. Look at your connection, then try again.");
    lab_again: &'static str = "Try again";
    lab_failed: With1 = |why| format!("The lab could not play it: {why}");
    lab_setting: fn(u32, u64, u64, u64) -> String = |members, tick, election, seed| format!("{members} members, heartbeat {tick} ms, election {election} ms, seed {seed}");
    verdict_exact: &'static str = "Reproduced exactly: every answer, every election, every message.";
    verdict_outcomes: fn(u32) -> String = |engine| format!("Made by engine {engine}; outcomes equal.");
    verdict_trace: &'static str = "Outcomes equal, but the events between them differ.";
    verdict_differs: fn(u32, &str) -> String = |engine, line| if line.is_empty() { format!("Not reproduced (made by engine {engine}): the end differs.") } else { format!("Not reproduced (made by engine {engine}). The first answer that differs is that of: {line}") };
    verdict_nothing: &'static str = "It ran. The link carries no result to compare with.";
}
