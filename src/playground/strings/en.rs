//! The page in English, and with it the list of texts that a language must have.
//!
//! Invariants: see `strings`.

use super::fetched::{Reader, Texts};
use super::{Count, Duration, With1, With2, With2Count, With3, With4, WithCount};
use crate::scenario::{Reason, verb};

macro_rules! table {
    ($($name:ident: $kind:ty = $english:expr;)*) => {
        /// All texts of the page in one language.
        #[derive(Clone, Copy, Debug)]
        pub struct Strings {
            $(
                #[doc = concat!("In English: ", stringify!($english))]
                pub $name: $kind,
            )*
        }

        impl Strings {
            /// All texts, one per line; see `fetched`.
            #[must_use]
            pub fn texts(&self) -> String {
                let mut list = Vec::new();
                $(self.$name.list(&mut list);)*
                list.into_iter().map(|text| format!("{text}\n")).collect()
            }

            pub(super) fn take_all(&mut self, from: &mut Reader) {
                $(self.$name.take(from);)*
            }
        }

        #[cfg(test)]
        impl Strings {
            /// All texts by their names, each with sample values, in each form that it has.
            pub(super) fn samples(&self) -> Vec<(&'static str, Vec<String>)> {
                use super::tests::Sample;
                vec![$((stringify!($name), self.$name.samples()),)*]
            }
        }

        /// English.
        pub static EN: Strings = Strings { $($name: $english,)* };
    };
}

table! {
    // The page.
    language: &'static str = "en";
    language_other: &'static str = "中文";
    language_other_tag: &'static str = "zh-CN";
    language_switch: &'static str = "中文: 切换到中文 / switch to Chinese";
    list_gap: &'static str = ", ";
    sentence_gap: &'static str = " ";
    labelled: With2 = With2("{0}: {1}");
    noted: With2 = With2("{0} ({1})");
    title: &'static str = "etcd playground";
    skip_to_console: &'static str = "Skip to the console";
    theme_system: &'static str = "Colours: as the system";
    theme_light: &'static str = "Colours: light";
    theme_dark: &'static str = "Colours: dark";
    large_type: &'static str = "Large type, for a wall";
    split_tutorial: &'static str = "Width of the tutorial";
    split_side: &'static str = "Width of the cluster and the events";
    split_console: &'static str = "Height of the console";
    split_cluster: &'static str = "Height of the cluster";
    share: &'static str = "Share";
    share_nothing: &'static str = "Nothing to share yet: run a line or break something first.";
    panels: &'static str = "Panels";
    panel_tutorial: &'static str = "Tutorial";
    panel_console: &'static str = "Console";
    panel_cluster: &'static str = "Cluster";
    panel_views: &'static str = "Views";
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
    seconds: Duration = Duration("{0} s|{0} min {1} s");

    // Where the data lives.
    storage: &'static str = "Storage";
    mode_indexed_db: &'static str = "IndexedDB";
    mode_indexed_db_hint: &'static str = "Every acknowledged write is on disk in this browser and survives a reload.";
    mode_memory: &'static str = "Memory only";
    banner_memory: With1 = With1("This cluster lives in memory: nothing survives a reload.|This cluster lives in memory: nothing survives a reload. {0}");
    banner_language: With1 = With1("The Chinese texts could not be fetched: {0}. Choose the language again to try once more.");
    banner_elsewhere: &'static str = "Your saved cluster is open in another tab. This tab has a fresh one in memory.";
    banner_silent: &'static str = "Your saved cluster is open in another tab, which does not answer: it may be asleep. Show that tab or close it, then take over again.";
    take_over: &'static str = "Take over here";
    banner_taken: &'static str = "Another tab has taken over this cluster. Nothing runs here any more.";
    take_back: &'static str = "Take it back";
    banner_failed: With1 = With1("The cluster cannot be opened: {0}");
    banner_disk: With1 = With1("{0} cannot start from disk, and there is no majority that could take in another member. A new cluster is the way out, or one member alone: see its details.");
    banner_disk_one: With1 = With1("{0} cannot start from disk. A new member can take its place and get the data from the others.");
    banner_opening: With1 = With1("The cluster is being opened, for {0} now.");
    banner_quorum: &'static str = "No majority: writes and ordinary reads wait. Restart a member or heal the links.";

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
    tag_removed: &'static str = "removed";
    field_term: &'static str = "term";
    field_commit: &'static str = "commit";
    field_applied: &'static str = "applied";
    field_log: &'static str = "log";
    field_timer: &'static str = "timer";
    field_revision: &'static str = "revision";
    field_size: &'static str = "size";
    field_boot: &'static str = "starts";
    field_watchers: &'static str = "watches";
    timer_words: With2 = With2("{0} of {1} ticks since it last heard from a leader");
    timer_leader: &'static str = "leads; sends heartbeats";
    action_kill: &'static str = "Kill";
    action_restart: &'static str = "Restart";
    action_pause: &'static str = "Pause";
    action_resume: &'static str = "Resume";
    action_isolate: &'static str = "Isolate";
    action_rejoin: &'static str = "Heal";
    action_crash: &'static str = "Crash";
    action_more: With1 = With1("More about {0}");
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
    change_works: With1 = With1("{0}…");
    change_waits: With2 = With2("{0}: {1}. Trying again.");
    change_failed: With2 = With2("{0}: {1}");
    change_no_leader: &'static str = "no leader that could do it";
    change_lost: &'static str = "the member that was asked went away before it answered; it may have been done";
    change_full: &'static str = "a cluster has at most 7 members here";
    change_busy: &'static str = "another change of the membership is under way";
    ask_title: With2 = With2("{0}: {1}?");
    ask_remove: &'static str = "It loses its vote and stops for good. Its disk stays until you delete it.";
    ask_replace: &'static str = "The member is removed from the cluster and its disk is deleted. A new member with another id takes its place and gets all data from the others.";
    ask_force: &'static str = "This member starts as a cluster of its own with the data it has. Writes that only the others have are lost, and the others never start again.";
    ask_delete: &'static str = "Its database and its fence are deleted in this browser.";
    action_on: With2 = With2("{0} {1}");
    details: &'static str = "Details";
    links: &'static str = "Links";
    heal_all: &'static str = "Heal all links";
    link_open: With2 = With2("{0} and {1} hear each other");
    link_cut: With2 = With2("{0} and {1} do not hear each other");
    link_one_way: With2 = With2("{1} does not hear {0}");
    link_cut_action: &'static str = "Cut";
    link_heal_action: &'static str = "Heal";
    link_between: With2 = With2("{0} – {1}");
    link_state_open: &'static str = "open";
    link_state_cut: &'static str = "cut";
    link_state_one_way: With2 = With2("{0} → {1} cut");
    ring_label: With1 = With1("Cluster: {0}");
    ring_no_leader: &'static str = "no leader";
    ring_leader: With1 = With1("{0} leads");
    new_cluster: &'static str = "New cluster";
    size_words: Count = Count("1 member|{0} members");
    new_cluster_title: Count = Count("Make a new cluster of 1 member?|Make a new cluster of {0} members?");
    new_cluster_warning: &'static str = "The members of this cluster, their disks and every key in them are thrown away. This cannot be undone.";
    new_cluster_settings: &'static str = "Settings";
    setting_heartbeat: &'static str = "Heartbeat (ms)";
    setting_election: &'static str = "Election timeout (ms)";
    setting_quota: &'static str = "Space quota (bytes)";
    setting_snapshot_count: &'static str = "Entries between snapshots";
    setting_catch_up: &'static str = "Entries kept behind a snapshot";
    setting_range: With2 = With2("{0} to {1}");
    setting_election_hint: &'static str = "5 to 100 heartbeats, a multiple of one";
    setting_pre_vote: &'static str = "PreVote";
    setting_pre_vote_hint: &'static str = "ask whether a vote could be won before the term is raised";
    setting_check_quorum: &'static str = "CheckQuorum";
    setting_check_quorum_hint: &'static str = "a leader that hears from no majority steps down; etcd always has it on";
    new_cluster_yes: &'static str = "Throw away and make new";

    // What a member waits for.
    wait_starting: &'static str = "starting: reads its disk";
    wait_down: &'static str = "waits to be started";
    wait_paused: &'static str = "its clock stands still";
    wait_full: &'static str = "disk full";
    wait_needs: With4 = With4("needs {0} of {1}, has {2}; {3}");
    wait_cut: With1 = With1("cut off since {0}");
    wait_alone: With1 = With1("no majority since {0}");
    wait_votes: With2 = With2("asks for votes: has {0} of {1}");
    wait_leader: With1 = With1("no leader for {0}");
    wait_snapshot: With2 = With2("receives a snapshot: {0} of {1} parts");
    wait_behind: Count = Count("catching up: 1 entry behind|catching up: {0} entries behind");
    wait_entry: With4 = With4("entry {0} needs {1} of {2}, has {3}");
    wait_disk: Count = Count("waits for its disk: 1 entry|waits for its disk: {0} entries");

    // How fast everything goes.
    pace: &'static str = "Speed and latency";
    pace_hint: &'static str = "Slow motion stretches clocks, delays and slow disks of all members and gives each message a way of 20 ms before that. Clients and their timeouts stay in real time. etcd has no such thing.";
    pace_speed: &'static str = "speed";
    pace_real: &'static str = "real time";
    pace_latency: &'static str = "latency";
    pause_all: &'static str = "Pause all";
    resume_all: &'static str = "Go on";
    done_real_time: &'static str = "The cluster runs in real time.";
    done_speed: With1 = With1("The cluster runs at {0} of real time: clocks and messages are slower, clients are not.");
    done_latency: With1 = With1("No link delays messages any more.|Every message takes {0} longer.");

    // What happened.
    events_empty: &'static str = "What happens to the members is told here.";
    elections_none: &'static str = "No election yet";
    elections: Count = Count("1 election held|{0} elections held");
    elections_hint: &'static str = "Every election raises the term by one.";
    told_opened: Count = Count("A new cluster of 1 member was made.|A new cluster of {0} members was made.");
    told_resumed: Count = Count("The cluster of 1 member was opened from disk.|The cluster of {0} members was opened from disk.");
    told_after: With2 = With2(", {0} after {1}");
    told_leader: With3 = With3("{0} became leader at term {1}{2}.");
    told_started_fresh: With1 = With1("{0} started with an empty disk.");
    told_started: With4 = With4("{0} started from its disk: start {1}, log up to {2}, revision {3}.");
    told_pre_vote: WithCount = WithCount("{0} hears no leader and asks whether it could win term {1}.");
    told_campaign: WithCount = WithCount("{0} campaigns: election for term {1}.");
    told_stepped: WithCount = WithCount("{0} stepped down at term {1}.");
    told_quorum_lost: WithCount = WithCount("{0} stepped down at term {1}: for an election timeout it heard from no majority.");
    told_follows: With2Count = With2Count("{0} follows {1} at term {2}.");
    told_no_leader: WithCount = WithCount("{0} knows of no leader at term {1}.");
    told_conf: With3 = With3("{0} applied a configuration: voters {1}.|{0} applied a configuration: voters {1}, learners {2}.");
    told_removed: With1 = With1("{0} is no longer a member and stops.");
    told_slow_apply: With3 = With3("{0}: apply request took too long: {1} ms for {2} entries.");
    told_slow_disk: WithCount = WithCount("{0}: its disk took {1} ms to make a round durable.");
    told_snapshot: With2Count = With2Count("{0} was too far behind and took a snapshot from {1}: the state at entry {2}.");
    told_no_fence: With1 = With1("{0} has no private file system for its fence: it would not notice if its database were set back to an older state.");
    told_times: WithCount = WithCount("{0} ({1} times)");
    told_gap: With2 = With2("{0}'s clock stood still for {1}; that counts as one tick.");
    cause_killed: With1 = With1("{0} was killed");
    cause_failed: With1 = With1("{0} went down");
    cause_paused: With1 = With1("{0} was paused");
    cause_isolated: With1 = With1("{0} was isolated");
    cause_opened: &'static str = "the cluster was opened";
    done_kill: With1 = With1("{0} is being killed.");
    done_restart: With1 = With1("{0} starts from its disk.");
    done_pause: With1 = With1("{0} is paused: its world stands still.");
    done_resume: With1 = With1("{0} goes on.");
    done_isolate: With1 = With1("{0} is isolated: it hears nobody and nobody hears it.");
    done_heal_member: With1 = With1("All links of {0} are open again.");
    done_crash: With1 = With1("{0} is made to panic.");
    done_cut: With2 = With2("The link between {0} and {1} is cut.");
    done_cut_one_way: With2 = With2("{1} does not hear {0} any more.");
    done_heal_pair: With2 = With2("The link between {0} and {1} is open again.");
    done_heal_one_way: With2 = With2("{1} hears {0} again.");
    done_heal_all: &'static str = "All links are open.";
    down_killed: With1 = With1("{0} was killed.");
    down_crashed: With2 = With2("{0} crashed: {1}");
    down_disk_failed: With2 = With2("{0} stopped, its disk failed: {1}");
    down_disk_silent: With1 = With1("{0} stopped: its disk does not answer.");
    down_rolled_back: With2 = With2("{0} does not start, its disk was rolled back: {1}");
    down_unreadable: With2 = With2("{0} does not start, its disk cannot be read: {1}");
    down_removed: With1 = With1("{0} was removed from the cluster.");
    down_not_started: With1 = With1("{0} was added to the cluster and has not been started yet.");
    remedy_removed: &'static str = "It does not start again.";
    remedy_not_started: &'static str = "Start it: until then it counts for the majority and does nothing for it.";
    done_add: &'static str = "A member was added; it starts with an empty disk and gets its data from the leader.";
    done_add_learner: &'static str = "A learner was added; it gets all data and does not vote until it is promoted.";
    done_promote: With1 = With1("{0} is a voter now.");
    done_remove: With1 = With1("{0} was removed from the cluster.");
    done_lead: With1 = With1("The leader has handed over to {0}.");
    done_replace: With1 = With1("{0} is replaced.");
    done_force: With1 = With1("{0} starts as a cluster of its own; the others never start again.");
    done_delete: With1 = With1("The disk of {0} is deleted.");
    down_unresponsive: With1 = With1("{0} does not answer any more and was ended.");
    remedy_restart: &'static str = "Its disk is intact: restart it.";
    remedy_full: &'static str = "Free some space in this browser, then restart it.";
    remedy_fresh: &'static str = "Guessing could break what it promised its peers, so it stays down. A new member can take its place.";

    // Refusals.
    refused_unknown: &'static str = "There is no such member.";
    refused_not_running: With1 = With1("{0} is not running.");
    refused_running: With1 = With1("{0} is running already.");
    refused_paused: With1 = With1("{0} is paused already.");
    refused_not_paused: With1 = With1("{0} is not paused.");
    refused_same: With1 = With1("{0} has no link to itself.");
    refused_nothing_cut: &'static str = "No link is cut or disturbed.";

    // Faults.
    faults: &'static str = "Faults";
    faults_matrix: &'static str = "Links, one direction each";
    faults_matrix_hint: &'static str = "Rows send, columns hear. Press a direction to change it.";
    faults_from: &'static str = "from";
    faults_of: With1 = With1("What {0} does to messages");
    faults_member: With1 = With1("Disk and clock of {0}");
    cell_open: &'static str = "✓";
    cell_cut: &'static str = "✕ cut";
    cell_disturbed: With1 = With1("~ {0}");
    cell_label: With2 = With2("{0}: {1}");
    arrow_one_way: &'static str = " → ";
    arrow_both_ways: &'static str = " – ";
    fault_link: &'static str = "link";
    fault_delay: &'static str = "delay";
    fault_loss: &'static str = "loss";
    fault_duplicate: &'static str = "duplicates";
    fault_reorder: &'static str = "reordering";
    fault_off: &'static str = "off";
    fault_jitter: With2 = With2("{0} and up to {1} more");
    fault_disk: &'static str = "disk";
    fault_quick: &'static str = "quick";
    fault_slower: With1 = With1("+{0}");
    fault_space: &'static str = "space";
    fault_free: &'static str = "free";
    fault_full: &'static str = "full";
    fault_clock: &'static str = "clock";
    link_disturbed: With3 = With3("The link between {0} and {1} is disturbed: {2}");
    presets: &'static str = "Break something";
    preset_isolate: &'static str = "Isolate leader";
    preset_split: With2 = With2("Split the network|Split {0}/{1}");
    preset_one_way: &'static str = "One-way cut";
    preset_slow: &'static str = "Slow disk on leader";
    preset_quorum: &'static str = "Quorum lost";
    preset_one_way_hint: With2 = With2("{1} does not hear {0}");
    preset_split_hint: With1 = With1("Cut all links between {0}");
    preset_slow_hint: With2 = With2("Each write of {0} takes {1} longer to become durable");
    preset_quorum_hint: &'static str = "Cut every link: nobody hears anybody";
    preset_none: &'static str = "There is no leader, or there are too few members";
    action_power_cut: &'static str = "Power cut";
    action_wipe: &'static str = "Wipe its disk";
    ask_wipe: &'static str = "The member is killed and its database is deleted in this browser. Its fence stays, so that it will notice what it lost and not start; a new member can take its place.";
    done_partition: With1 = With1("The network is split: {0}.");
    done_disturb: With2 = With2("{0}: {1}.");
    done_slow_disk: With2 = With2("Each write of {0} takes {1} longer to become durable.");
    done_quick_disk: With1 = With1("The disk of {0} is as quick as it was.");
    done_fill_disk: With1 = With1("The disk of {0} is full: its next write fails.");
    done_free_disk: With1 = With1("The disk of {0} has space again.");
    done_power_cut: With1 = With1("The power of {0} is cut.");
    done_wipe: With1 = With1("{0} is killed and its database deleted; its fence stays.");
    done_clock: With2 = With2("The clock of {0} runs at {1}.");
    down_power_cut: With1 = With1("{0} lost its power.");
    remedy_free: &'static str = "Free its disk, then restart it: nothing it acknowledged is lost.";

    // The console.
    console_input: &'static str = "Command line";
    console_output: &'static str = "Output";
    console_placeholder: &'static str = "etcdctl put foo bar";
    console_stdin: &'static str = "standard input of the running command";
    console_hello: &'static str = "This is etcdctl, and the cluster beside it is etcd: its members elect, replicate and write to disk in this page.";
    console_hint: &'static str = "Try `put foo bar`, `get foo -w json`, `endpoint status -w table`, `kill leader`, or `help`. The leading word etcdctl is optional. Beside it there are `etcdutl`, `export`, `unset`, `echo`, `clear`, and for the cluster `kill`, `restart`, `pause`, `resume`, `isolate`, `cut`, `heal`, `wait`, `add`, `remove` (`help kill` explains a verb); `why` explains the last answer. Tab completes them.";
    console_keys: &'static str = "Enter runs. Up and down recall, Ctrl-R searches. Ctrl-C ends a command. Ctrl-L clears. Tab completes; Escape, then Tab, leaves.";
    console_password: &'static str = "Password: not shown, not kept";
    menu_completions: &'static str = "Completions";
    menu_history: &'static str = "Search in the history";
    menu_none: &'static str = "No line in the history holds this.";
    menu_keys: &'static str = "Tab, up and down choose. Enter takes. Escape closes.";
    search_keys: &'static str = "Up and down choose. Enter runs. Tab takes for editing. Escape goes back.";
    menu_more: Count = Count("and {0} more: type on to find them");
    menu_count: Count = Count("1 choice|{0} choices");
    tab_new: &'static str = "New console";
    tab_close: With1 = With1("Close console {0}");
    tab_name: With1 = With1("Console {0}");
    tab_runs: With2 = With2("Console {0}, running {1}");
    tab_has_news: &'static str = "new output";
    run: &'static str = "Run";
    interrupt: &'static str = "Stop";
    running: &'static str = "running";
    run_asks: With1 = With1("waits for an answer of {0}");
    run_watch: With1 = With1("listens to {0}");
    run_wait: With1 = With1("waits for {0}");
    run_program: &'static str = "fetches the program of this command";
    run_file: &'static str = "works on the file";
    run_restore: &'static str = "makes the data of the new cluster";
    run_stdin: &'static str = "waits for input";
    run_received: With2 = With2("{0} received|{0} of {1} received");
    run_stop: &'static str = "Stop or Ctrl-C ends it";
    exit_status: With1 = With1("exit status {0}");
    error_mark: &'static str = "error output";
    copy_output: With1 = With1("Copy what it printed: {0}");
    save_output: With1 = With1("Save what it printed as a file: {0}");
    why: &'static str = "Why?";
    why_label: With1 = With1("Why? {0}");
    why_shown: With1 = With1("The panel Why? explains: {0}");
    why_nothing: &'static str = "Nothing has run yet that could be explained.";
    output_cut: &'static str = "The beginning was dropped: more than 24 MiB.";
    queued: Count = Count("1 line waits|{0} lines wait");
    line_too_long: &'static str = "The line is longer than 64 KiB and was not run.";
    paste_title: Count = Count("Run this line?|Run these {0} lines, one after another?");
    paste_yes: &'static str = "Run";
    paste_edit: &'static str = "Edit";
    not_ready: &'static str = "The cluster is not open yet.";
    verb_wrong: [&'static str; verb::Thing::COUNT] = verb::Thing::ENGLISH;
    verb_cannot: [&'static str; Reason::COUNT] = Reason::ENGLISH;
    second_notice: &'static str = "127.0.0.1:2379 is a second cluster of one member, in memory: it starts empty and ends with the page";
    second_about: &'static str = "the second cluster";
    wait_over: &'static str = "Waited.";
    wait_met: With1 = With1("There it is: {0}.");
    wait_failed: With1 = With1("It did not come in time: {0}.");
    nobody_serves: With1 = With1("no member serves {0}");
    is_down: With1 = With1("{0} is down");
    no_program: With1 = With1("the program of this command could not be fetched ({0}); see that the network is there, and try again");
    program_failed: With1 = With1("the program of this command stopped ({0}); nothing else is affected, try again");
    is_starting: With1 = With1("{0} is starting");
    went_away: With1 = With1("{0} went away before it answered");

    // Files.
    file_title: With1 = With1("Where is {0}?");
    file_about: &'static str = "No file of this name was saved in this session. Choose one from your disk: it is read here and sent nowhere.";
    file_choose: &'static str = "Choose a file";
    file_reading: &'static str = "The file is being read.";
    restored_title: With1 = With1("Start the restored cluster {0}?");
    restored_warning: &'static str = "It takes the place of the cluster that runs now, whose data is deleted. Cancel leaves everything as it is.";
    restored_yes: &'static str = "Start it";
    open_asked: With1 = With1("The page asks whether {0} shall take the place of this cluster.");
    open_unknown: With1 = With1("no data was restored under the name {0}; etcdutl snapshot restore FILE --data-dir NAME makes it");

    // Keys.
    keys_refused: &'static str = "Access control is on, and this panel is no user: it may not read the keys. The console can, with --user.";
    lower_tabs: &'static str = "Views";
    tab_log: &'static str = "Log";
    tab_clocks: &'static str = "Clocks";
    tab_quorum: &'static str = "Quorum";
    tab_watches: &'static str = "Watches";
    tab_messages: &'static str = "Messages";
    tab_why: &'static str = "Why?";
    tab_history: &'static str = "History";
    tab_commands: &'static str = "Commands";
    tab_exact: &'static str = "Exact";
    tab_time: &'static str = "Time";
    tab_scenario: &'static str = "Scenario";
    tab_errors: &'static str = "Errors";
    insight_loading: &'static str = "Fetching this view…";
    insight_failed: With1 = With1("This view could not be fetched: {0}. The cluster runs on. Look at your connection, then try again.");
    keys_empty: &'static str = "No keys yet. Put one: every revision of it will stand here.";
    nobody_reads: &'static str = "no member is up to read from";

    // Links.
    share_title: &'static str = "Share what you did";
    share_intro: &'static str = "The lab has a cluster of its own with a clock of its own. It plays the steps there; the link carries the steps and the result, and nothing leaves this page until you send it.";
    share_name: &'static str = "Title";
    share_name_hint: &'static str = "What is to be seen";
    share_running: &'static str = "Playing in the lab…";
    share_link: &'static str = "Link";
    share_size: Count = Count("{0} characters");
    share_copy: &'static str = "Copy link";
    share_copied: &'static str = "Copied";
    share_download: &'static str = "Save as a file";
    share_steps: &'static str = "Steps";
    share_played_only: &'static str = "Played in the lab.";
    share_played: &'static str = "Played in the lab. Whoever opens the link sees this run again.";
    share_tally: With2 = With2("{0} of {1} expectations were met.");
    share_edit: &'static str = "Edit";
    text_title: &'static str = "Your scenario in the lab";
    link_title: &'static str = "Somebody sent you a run";
    link_intro: &'static str = "These are its steps. They run in the lab, on a cluster of their own; your saved cluster is not touched.";
    link_untitled: &'static str = "Untitled run";
    link_replay: &'static str = "Replay";
    link_again: &'static str = "Replay again";
    link_close: &'static str = "Go to my cluster";
    link_broken_title: &'static str = "This link cannot be opened";
    lab_loading: &'static str = "Loading the lab…";
    lab_not_loaded: With1 = With1("The lab, which reads and plays links, could not be loaded: {0}. Look at your connection, then try again.");
    lab_again: &'static str = "Try again";
    lab_failed: With1 = With1("The lab could not play it: {0}");
    lab_setting: With4 = With4("{0}, heartbeat {1} ms, election {2} ms, seed {3}");
    verdict_exact: &'static str = "Reproduced exactly: every answer, every election, every message.";
    verdict_outcomes: Count = Count("Made by engine {0}; outcomes equal.");
    verdict_trace: &'static str = "Outcomes equal, but the events between them differ.";
    verdict_differs: With2 = With2("Not reproduced (made by engine {0}): the end differs.|Not reproduced (made by engine {0}). The first answer that differs is that of: {1}");
    verdict_nothing: &'static str = "It ran. The link carries no result to compare with.";
}
