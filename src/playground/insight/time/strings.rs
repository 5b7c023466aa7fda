//! The texts of the view of time, both languages side by side.
//!
//! What it is: a table of its own. What it is not: names of messages, which are etcd's in every language, or what the
//! lab itself says of a line.
//! Invariants: those of `strings`.

type Text = &'static str;
type Number = fn(u64) -> String;
type Numbers = fn(u64, u64) -> String;
type Name = fn(&str) -> String;
type Names = fn(&str, &str) -> String;
type NameNumber = fn(&str, u64) -> String;

/// A number of a seed's plan, and what it counts, in Chinese; nothing if it is not known.
fn chinese_plan(number: &str, what: &str) -> Option<String> {
    Some(match what {
        "members" => format!("{number} 个成员"),
        "clients" => format!("{number} 个客户端"),
        "ms ticks" => format!("每个 tick {number} ms"),
        "election ticks" => format!("选举超时 {number} 个 tick"),
        "pre-vote" => "不启用 PreVote".to_owned(),
        "check-quorum" => "不启用 CheckQuorum".to_owned(),
        _ => return None,
    })
}

macro_rules! table {
    ($($name:ident: $kind:ty = $english:expr, $chinese:expr;)*) => {
        /// All texts of the view in one language.
        #[derive(Debug)]
        pub struct TimeStrings {
            $(
                #[doc = concat!("In English: ", stringify!($english))]
                pub $name: $kind,
            )*
        }

        /// English.
        pub static EN: TimeStrings = TimeStrings { $($name: $english,)* };
        /// Chinese, in simplified characters.
        pub static ZH: TimeStrings = TimeStrings { $($name: $chinese,)* };
    };
}

table! {
    // What can be played.
    title: Text = "Travel in time", "时间旅行";
    intro: Text = "A run in the lab is the same every time. Open one, stop it anywhere, go through it message by message, go back, change one thing, and see both futures.",
        "实验室里的同一次运行，每次都分毫不差。打开一次运行，随时停下，逐条消息地看；退回去改动一处，再对照两种结局。";
    filter: Text = "Filter runs", "筛选";
    lessons: Text = "Lessons", "课程";
    errors: Text = "Errors of etcd", "etcd 的报错";
    list_loading: Text = "Fetching the list …", "正在加载列表…";
    list_failed: Name = |reason| format!("The list cannot be fetched: {reason}"),
        |reason| format!("列表加载失败：{reason}");
    list_none: Text = "Nothing here contains this.", "没有匹配的条目。";
    again: Text = "Try again", "重试";
    seed_title: Text = "A seed of the simulator", "模拟器的种子";
    seed_hint: Text = "A number from 0 to 18446744073709551615: cluster, clients and faults all follow from it. A failing seed from the command line plays here, event by event.",
        "0 到 18446744073709551615 之间的数：集群、客户端和故障全由它决定。命令行里跑出问题的种子，在这里可以逐个事件重放。";
    seed_field: Text = "Seed", "种子";
    open_seed: Text = "Play this seed", "播放这个种子";
    wrong_seed: Text = "A seed is a whole number from 0 to 18446744073709551615.",
        "种子是 0 到 18446744073709551615 之间的整数。";
    link_title: Text = "A link", "链接";
    link_field: Text = "Link or what stands behind #", "链接，或 # 之后的部分";
    open_link: Text = "Play this link", "播放这个链接";
    wrong_link: Text = "No scenario is in this text: a link has #s= in it.", "这段文字里没有场景：链接中要有 #s=。";
    link_name: Text = "A link", "链接";
    script_name: Text = "A scenario", "场景";
    session_title: Text = "Your own session", "您自己的操作";
    session_hint: Text = "Everything typed and clicked in your cluster, played again in the lab.",
        "把您在集群里输入和点击过的一切，在实验室里重放一遍。";
    session_open: Text = "What I just did", "重放我刚才的操作";
    session_name: Text = "What I just did", "我刚才的操作";
    nothing_done: Text = "Nothing has been recorded yet: run a command in the console or press a button of your cluster first, then it can be played here.",
        "还没有记录到任何操作：先在控制台执行命令，或在集群里点一个按钮，然后就能在这里重放。";
    no_run: Text = "The address names a run that does not exist. Choose one of these.", "地址里的运行不存在，请在下面选择一个。";
    no_seed: Text = "The address names a seed that is none: a seed is a whole number from 0 to 18446744073709551615.",
        "地址里的种子无效：种子是 0 到 18446744073709551615 之间的整数。";
    link_hint: Text = "A link to a scenario, as Share makes them or as somebody sent it to you.", "场景的链接：由“分享”生成，或别人发给您的。";
    seed_name: fn(u64) -> String = |seed| format!("Seed {seed}"), |seed| format!("种子 {seed}");

    // Loading, and what goes wrong.
    loading: Name = |title| format!("Opening “{title}” in the lab …"), |title| format!("正在实验室中打开“{title}”…");
    computing: Text = "The lab is computing …", "实验室正在计算…";
    stop: Text = "Stop it", "停止计算";
    back_to_list: Text = "Back to the list", "返回列表";
    failed_title: Text = "The lab has stopped", "实验室已停止";
    not_loaded: Text = "The lab could not be fetched", "实验室无法加载";
    not_loaded_hint: Text = "Check your network connection, then try again.", "请检查网络连接，然后重试。";
    failed: Name = |reason| format!("What it said: {reason}"), |reason| format!("原因：{reason}");
    failed_hint: Text = "Nothing is lost: a run is computed from its beginning, with the changes that you made. Opening it again brings you back here.",
        "什么都没有丢：运行总是从头计算，您的改动也会重新应用。重新打开就会回到这里。";
    stopped: Text = "you stopped the computation", "您停止了计算";
    answer_unread: Text = "its answer cannot be read; it may be of another version of this page", "返回内容无法读取，可能来自另一个版本的页面";
    open_again: Text = "Open it again", "重新打开";
    refused_title: Text = "This cannot be played", "无法播放";
    file_failed: Name = |reason| format!("The file cannot be fetched: {reason}"), |reason| format!("文件加载失败：{reason}");

    // The controls.
    controls: Text = "Controls of time", "时间控制";
    play: Text = "Play", "播放";
    pause: Text = "Pause", "暂停";
    to_start: Text = "To the start", "回到开头";
    to_end: Text = "To the end", "跳到结尾";
    back: Text = "One event back", "后退一个事件";
    next_event: Text = "Next event", "下一个事件";
    next_message: Text = "Next message", "下一条消息";
    next_tick: Text = "Next tick", "下一个 tick";
    next_step: Text = "Next step of the script", "脚本的下一个步骤";
    next: Text = "Next", "下一个";
    short_event: Text = "Event", "事件";
    short_message: Text = "Message", "消息";
    short_tick: Text = "Tick", "Tick";
    short_step: Text = "Step", "步骤";
    speed: Text = "Speed", "速度";
    speed_events: Text = "Events per second", "每秒事件数";
    speed_times: Text = "Speed of virtual time", "虚拟时间倍速";
    lab_mark: Text = "This is the lab: its members only share their names with your cluster. Neither touches the other.",
        "这里是实验室：成员只是与您的集群同名，两边互不影响。";
    per_second_long: Name = |count| if count == "1" { "1 event per second".to_owned() } else { format!("{count} events per second") },
        |count| format!("每秒 {count} 个事件");
    times_long: Name = |factor| format!("virtual time at {factor}"), |factor| format!("虚拟时间 {factor}");
    scrubber: Text = "Moment of the run", "运行的时刻";
    place: fn(u64, Option<u64>, &str) -> String = |event, all, time| match all {
        Some(all) => format!("event {event} of {all}, {time}"),
        None => format!("event {event}, {time}"),
    }, |event, all, time| match all {
        Some(all) => format!("事件 {event} / {all}，{time}"),
        None => format!("事件 {event}，{time}"),
    };
    step_of: Numbers = |step, all| format!("step {step} of {all}"), |step, all| format!("第 {step} 步，共 {all} 步");
    keys_hint: Text = "Keys, while the focus is in this view and nothing is being typed: Space plays and pauses, Left and Right go one event, M to the next message, T to the next tick, S to the next step and Shift+S one step back.",
        "快捷键（焦点在此视图内、且不在输入框中时）：空格播放或暂停，左右方向键移动一个事件，M 下一条消息，T 下一个 tick，S 下一个步骤，Shift+S 退回一个步骤。";
    moves: Text = "Move", "移动";
    moves_both: Text = "Both, by time", "两条一起（按时间）";
    moves_one: Name = |name| format!("Only {name}"), |name| format!("仅 {name}");

    // Timelines.
    timeline: Name = |name| format!("Timeline {name}"), |name| format!("时间线 {name}");
    fork: Text = "Fork here", "在此分叉";
    fork_hint: Text = "A second timeline begins here, and stands beside this one.", "从这里开始第二条时间线，与这一条并排显示。";
    close_fork: Text = "Close this timeline", "关闭这条时间线";
    changes: Text = "Changed here", "改动";
    undo: Text = "Undo the last change", "撤销最近一次改动";
    change_at: Names = |time, what| format!("{time}: {what}"), |time, what| format!("{time}：{what}");
    change_drop: Name = |message| format!("dropped {message}"), |message| format!("丢弃 {message}");
    change_fire: Name = |name| format!("the election timer of {name} ran out"), |name| format!("{name} 的选举计时器到点");
    change_split: Text = "a split vote was forced", "强制瓜分选票";
    done: Name = |what| format!("Done: {what}."), |what| format!("已执行：{what}。");
    undone: Text = "The last change is undone.", "已撤销最近一次改动。";
    forked: Text = "Timeline B begins here. What you change now, changes only B.", "时间线 B 从这里开始。之后的改动只影响 B。";
    change_event: Number = |event| format!("event {event}"), |event| format!("事件 {event}");
    same_so_far: Text = "Both are the same, event by event: nothing was changed in one alone.", "两条时间线的每个事件都相同：还没有只在其中一条里改动过什么。";
    same_to_the_end: Text = "The changes made no difference: both are the same to the end.", "改动没有造成任何差别：两条时间线直到结尾都相同。";
    first_difference: Names = |time, number| format!("First difference at {time}, event {number}"),
        |time, number| format!("第一处不同：{time}，事件 {number}");
    to_difference: Text = "Go to the first difference", "跳到第一处不同";
    in_lane: Names = |name, what| format!("In {name} {what}."), |name, what| format!("{name} 中：{what}。");
    different: Text = "differs from the other timeline", "与另一条时间线不同";
    nothing_there: Text = "nothing happens there", "这时没有事件";
    outcomes_same: Text = "The outcomes are the same.", "结局相同。";
    outcomes_differ: Text = "The outcomes differ.", "结局不同。";
    outcomes_unknown: Text = "Go to the end of both to compare the outcomes.", "两条都播放到结尾后才能比较结局。";
    leads_on: NameNumber = |name, term| format!("{name} led on in term {term}"), |name, term| format!("{name} 继续担任 term {term} 的 leader");
    became: NameNumber = |name, term| format!("{name} became leader in term {term}"), |name, term| format!("{name} 成为 term {term} 的 leader");
    nobody: Number = |term| format!("nobody leads in term {term}"), |term| format!("term {term} 没有 leader");

    // The moment.
    moment: Text = "This moment", "这一时刻";
    picture: Name = |summary| format!("Cluster: {summary}"), |summary| format!("集群：{summary}");
    members: Text = "Members", "成员";
    member: Text = "Member", "成员";
    role: Text = "Role", "角色";
    timer: Text = "Election timer", "选举计时器";
    timer_of: Numbers = |elapsed, of| format!("{elapsed} of {of} ticks"), |elapsed, of| format!("{elapsed} / {of} tick");
    no_timer: Text = "no timer: it leads", "leader 没有选举计时器";
    starting: Text = "starting", "启动中";
    fire: Name = |name| format!("Fire the election timer of {name} now"), |name| format!("让 {name} 的选举计时器立即到点");
    fire_named: Name = |name| format!("Fire timer: {name}"), |name| format!("触发计时器：{name}");
    fire_short: Text = "Fire timer", "触发计时器";
    split_vote: Text = "Force a split vote", "强制瓜分选票";
    split_hint: Text = "Lets the timers of two members run out in the same moment, so that they share the votes.",
        "让两个成员的选举计时器同时到点，选票被瓜分。";
    cuts: Text = "Cut links and other faults", "断开的链路与其他故障";
    cut: Names = |from, to| format!("{from} → {to} is cut"), |from, to| format!("{from} → {to} 已断开");
    flights: Text = "Messages in flight", "途中的消息";
    flights_none: Text = "No message is on its way.", "没有在途消息。";
    flights_more: Number = |count| format!("{count} more are on their way"), |count| format!("另有 {count} 条在途");
    arrives: Name = |ms| format!("arrives in {ms} ms"), |ms| format!("{ms} ms 后到达");
    drop: Text = "Drop this message", "丢弃这条消息";
    drop_short: Text = "Drop", "丢弃";
    line_title: Text = "Do something here", "在这里做点什么";
    line_field: Text = "A console line or a verb", "控制台命令或动作";
    line_example: Text = "kill leader   or   etcdctl put a b", "kill leader   或   etcdctl put a b";
    line_do: Text = "Do it here", "就在这里执行";
    logs: Text = "Logs, aligned by index", "日志（按 index 对齐）";
    logs_none: Text = "There are no logs to show.", "没有可显示的日志。";
    happenings: Text = "What happened", "发生了什么";
    happenings_none: Text = "Nothing yet.", "还没有发生任何事。";
    steps: Text = "The script", "脚本";
    steps_none: Text = "A seed has no script: its clients do what the seed says.", "种子没有脚本：客户端的操作由种子决定。";
    step_go: Name = |number| format!("Go to step {number}"), |number| format!("跳到第 {number} 步");
    step_here: Text = "Go to this step", "跳到这一步";
    steps_hint: Text = "Arrow keys choose a step, Enter goes there.", "方向键选择步骤，回车跳到那里。";
    printed: Text = "What this step printed", "这一步的输出";
    printed_nothing: Text = "It printed nothing.", "没有输出。";
    printed_not_begun: Text = "At this moment it has not begun.", "此刻这一步还没有开始。";
    printed_fetching: Text = "Asking the lab what it printed …", "正在向实验室查询输出…";
    printed_prose: Text = "This is for the reader: nothing is run here.", "这是给读者的说明，不执行任何操作。";
    check: Text = "Check", "检查";
    check_later: Text = "What came before is checked here.", "这里检查前面的结果。";
    check_met: Text = "met", "通过";
    check_unmet: Text = "not met", "未通过";
    check_open: Text = "not checked yet", "尚未检查";
    question: Text = "Question", "问题";
    own_line: Text = "Your change", "您的改动";
    line_error: Text = "ended with an error", "以错误结束";
    step_failed: fn(i32) -> String = |status| format!("exit status {status}"), |status| format!("退出码 {status}");
    step_meant: fn(i32) -> String = |status| format!("exit status {status}, as it is meant to be here"), |status| format!("退出码 {status}，这里本来就应该失败");
    end: Text = "The end", "结尾";
    end_at: Name = |time| format!("The run ends at {time}."), |time| format!("运行结束于 {time}。");
    hashes: Names = |outcome, trace| format!("outcome {outcome}, trace {trace}"), |outcome, trace| format!("结果哈希 {outcome}，轨迹哈希 {trace}");
    said_event: Names = |place, what| format!("{place}: {what}"), |place, what| format!("{place}：{what}");
    numbers: fn(u64, u64, u64) -> String = |term, commit, applied| format!("term {term} · commit {commit} · applied {applied}"),
        |term, commit, applied| format!("term {term} · 提交 {commit} · 应用 {applied}");
    revision: fn(i64) -> String = |revision| format!("revision {revision}"), |revision| format!("revision {revision}");

    // What happened.
    event_started: NameNumber = |name, boot| format!("{name} starts (start {boot} on this disk)"), |name, boot| format!("{name} 启动（此磁盘上的第 {boot} 次）");
    plan_part: fn(&str, &str) -> Option<String> = |_, _| None, chinese_plan;
    event_pre_vote: NameNumber = |name, term| format!("{name} asks whether it could win term {term}"), |name, term| format!("{name} 发起 PreVote，探询能否赢得 term {term}");
    event_campaign: NameNumber = |name, term| format!("{name} asks for votes in term {term}"), |name, term| format!("{name} 在 term {term} 请求投票");
    event_leader: NameNumber = |name, term| format!("{name} becomes leader of term {term}"), |name, term| format!("{name} 成为 term {term} 的 leader");
    event_quorum_lost: Name = |name| format!("{name} steps down: it does not hear from a majority"), |name| format!("{name} 退位：它听不到多数派");
    event_stepped: NameNumber = |name, term| format!("{name} steps down in term {term}"), |name, term| format!("{name} 在 term {term} 退位");
    event_follows: fn(&str, &str, u64) -> String = |name, leader, term| format!("{name} follows {leader} in term {term}"),
        |name, leader, term| format!("{name} 在 term {term} 跟随 {leader}");
    event_leads: NameNumber = |name, term| format!("{name} leads in term {term}"), |name, term| format!("{name} 在 term {term} 担任 leader");
    event_leaderless: NameNumber = |name, term| format!("{name} knows of no leader in term {term}"), |name, term| format!("{name} 在 term {term} 不知道 leader");
    event_configured: Names = |name, voters| format!("{name} applies a configuration: voters {voters}"), |name, voters| format!("{name} 应用了配置变更：投票成员 {voters}");
    event_removed: Name = |name| format!("{name} is no longer a member"), |name| format!("{name} 不再是成员");
    event_slow_apply: NameNumber = |name, ms| format!("{name}: apply request took too long ({ms} ms)"), |name, ms| format!("{name}：apply request took too long（{ms} ms）");
    event_slow_disk: NameNumber = |name, ms| format!("{name}: slow fdatasync ({ms} ms)"), |name, ms| format!("{name}：slow fdatasync（{ms} ms）");
    event_snapshot: Names = |name, from| format!("{name} takes a snapshot from {from}"), |name, from| format!("{name} 从 {from} 接收了快照");
    event_up: Name = |name| format!("{name} starts"), |name| format!("{name} 启动");
    event_down: Names = |name, why| format!("{name} goes down: {why}"), |name, why| format!("{name} 停止：{why}");

    // What one event is.
    occurred_nothing: Text = "nothing has happened yet", "还没有发生任何事";
    occurred_tick: Name = |name| format!("the clock of {name} ticks"), |name| format!("{name} 的时钟走了一个 tick");
    occurred_message: fn(&str, &str, &str) -> String = |kind, from, to| format!("{kind} from {from} arrives at {to}"),
        |kind, from, to| format!("{from} 发出的 {kind} 到达 {to}");
    occurred_lost: fn(&str, &str, &str) -> String = |kind, from, to| format!("{kind} from {from} to {to} is lost"),
        |kind, from, to| format!("{from} 发给 {to} 的 {kind} 丢失");
    occurred_connected: Names = |one, other| format!("{one} and {other} are connected"), |one, other| format!("{one} 与 {other} 建立连接");
    occurred_disk: Name = |name| format!("what {name} wrote is on its disk"), |name| format!("{name} 写入的内容已落盘");
    occurred_asked: Names = |name, what| format!("{name} is asked: {what}"), |name, what| format!("{name} 收到请求：{what}");
    occurred_answered: Name = |what| format!("a client is answered: {what}"), |what| format!("客户端收到响应：{what}");
    occurred_failed: Name = |what| format!("a client hears an error: {what}"), |what| format!("客户端收到错误：{what}");
    occurred_timer: Text = "a timer of the script or of a client runs out", "脚本或客户端的一个定时器到点";
    occurred_stale: Text = "something meant for an earlier life of a member is ignored", "发给成员上一次运行的内容被忽略";

    // A message.
    flight_term: Number = |term| format!("term {term}"), |term| format!("term {term}");
    flight_index: Number = |index| format!("index {index}"), |index| format!("index {index}");
    flight_log_term: Number = |term| format!("of term {term}"), |term| format!("（term {term}）");
    flight_entries: Number = |count| if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") },
        |count| format!("{count} 个条目");
    flight_commit: Number = |commit| format!("commit {commit}"), |commit| format!("commit {commit}");
    flight_reject: Text = "says no", "拒绝";
    flight_doomed: Text = "will not arrive: the way is cut or the receiver is down", "无法到达：链路已断开或对方已停止";
    flight_way: Names = |from, to| format!("{from} → {to}"), |from, to| format!("{from} → {to}");

    // How it came out.
    gap: Text = " ", "";
    ends_both: NameNumber = |name, term| format!("In both, {name} leads in term {term} at the end."), |name, term| format!("两条时间线结束时都由 {name} 担任 term {term} 的 leader。");
    ends_apart: fn(&str, &str) -> String = |one, other| format!("In A {one}; in B {other}."), |one, other| format!("A 中{one}；B 中{other}。");
    ends_leads: NameNumber = |name, term| format!("{name} leads in term {term}"), |name, term| format!("{name} 是 term {term} 的 leader");
    revisions: fn(i64, i64) -> String = |one, other| format!("The revision is {one} in A and {other} in B."), |one, other| format!("A 的 revision 为 {one}，B 为 {other}。");
    full_stop: Text = ".", "。";
    said_end: Text = "The run has ended.", "运行结束。";
    tally: Numbers = |met, unmet| {
        let checks = if met == 1 { "1 check met".to_owned() } else { format!("{met} checks met") };
        format!("{checks}, {unmet} not met.")
    }, |met, unmet| format!("{met} 项检查通过，{unmet} 项未通过。");
    tally_none: Text = "The run has played to its end; nothing in it is checked.", "运行已播放到结尾，其中没有检查项。";
    failed_steps: Number = |count| if count == 1 { "1 command ended with an error.".to_owned() } else { format!("{count} commands ended with an error.") },
        |count| format!("{count} 条命令以错误结束。");
    failed_meant: Number = |count| if count == 1 { "1 command ends with an error, as it is meant to.".to_owned() } else { format!("{count} commands end with an error, as they are meant to.") },
        |count| format!("{count} 条命令以错误结束，这正是要演示的结果。");
    verdict_exact: Text = "Reproduced exactly.", "完全重现。";
    verdict_outcomes: Number = |engine| format!("Made by engine {engine}; the outcomes are equal."), |engine| format!("由引擎版本 {engine} 生成，结果一致。");
    verdict_trace: Text = "The outcomes are equal, the events are not.", "结果一致，但事件不同。";
    verdict_differs: Name = |line| format!("The first answer that differs: {line}"), |line| format!("第一处不同的结果：{line}");
    verdict_differs_end: Text = "The outcome differs.", "结果不同。";
    seed_valid: Text = "Valid: every invariant held.", "有效：所有不变量都成立。";
    seed_little: Text = "Every invariant held, but there was too little traffic to mean anything.", "所有不变量都成立，但流量太少，说明不了问题。";
    seed_stranded: Text = "Every invariant held until no majority was left: nobody could be elected any more.", "所有不变量都成立，直到多数派不复存在，再也选不出 leader。";
    seed_unknown: Name = |what| format!("No invariant broke, but the search for an order of the operations was given up: {what}"),
        |what| format!("没有不变量被破坏，但未能在限定步数内找到操作的先后顺序：{what}");
    seed_broken: fn(u64, &str, &str) -> String = |number, name, what| format!("Invariant {number} is broken ({name}): {what}"),
        |number, name, what| format!("不变量 {number} 被破坏（{name}）：{what}");
    exhausted: Text = "The run has used up its events before its end.", "运行在结束前就用完了事件数上限。";
}
