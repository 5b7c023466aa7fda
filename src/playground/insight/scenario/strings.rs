//! The texts of the editor of scenarios, in both languages.
//!
//! Invariants: a language is one value of [`ScenarioStrings`]; a missing text is a compile error.

use crate::scenario::{Cannot, Told, Wrong};

/// See the module.
#[derive(Debug)]
pub struct ScenarioStrings {
    /// Between sentences.
    pub gap: &'static str,
    /// The view.
    pub title: &'static str,
    /// What it is for.
    pub intro: &'static str,
    /// The draft is not known yet.
    pub loading: &'static str,
    /// The field for the text.
    pub field: &'static str,
    /// How to leave it.
    pub field_note: &'static str,
    /// Shows templates and files.
    pub files: &'static str,
    /// Above the templates.
    pub templates: &'static str,
    /// Their names, in the order of `Template::ALL`.
    pub names: [&'static str; 6],
    /// Plays it in the lab.
    pub lab: &'static str,
    /// Plays it on the live cluster.
    pub live: &'static str,
    /// Opens a file.
    pub open: &'static str,
    /// Saves a file.
    pub save: &'static str,
    /// Makes a shell script.
    pub export: &'static str,
    /// Opens it in the view of time.
    pub time: &'static str,
    /// Takes back what was replaced.
    pub undo: &'static str,
    /// A template came.
    pub took_template: &'static str,
    /// What was replaced is back.
    pub took_back: &'static str,
    /// A file came, with its name.
    pub took_file: fn(&str) -> String,
    /// A recorded or linked run came.
    pub took_shared: &'static str,
    /// A file is no text.
    pub no_text: fn(&str) -> String,
    /// A file is too large.
    pub too_large: fn(&str) -> String,
    /// The draft is not remembered.
    pub too_long: &'static str,
    /// The shell script is being made.
    pub exporting: &'static str,
    /// It was offered as a file.
    pub exported: &'static str,
    /// It was not, with the reason.
    pub not_exported: fn(&str) -> String,
    /// The text is a scenario.
    pub good: &'static str,
    /// Nothing is written.
    pub nothing: &'static str,
    /// It becomes no link.
    pub no_link: &'static str,
    /// Its link may be too long.
    pub large_link: &'static str,
    /// Where it is none: line, column, and what was expected.
    pub fault: fn(u32, u32, &str) -> String,
    /// Goes there.
    pub to_fault: &'static str,
    /// How many steps and sentences there are.
    pub steps: fn(u32, u32) -> String,
    /// How long the link is.
    pub link: fn(u64) -> String,
    /// Above the outline.
    pub outline: &'static str,
    /// There are no steps.
    pub no_rows: &'static str,
    /// Rows that are not shown.
    pub more: fn(u32) -> String,
    /// A row's line, for a screen reader.
    pub at_line: fn(u32) -> String,
    /// What a row stands for, in the order of `RowKind`.
    pub kinds: [&'static str; 8],
    /// What became of a step, in the order of `StepMark`.
    pub marks: [&'static str; 7],
    /// Above a run on the live cluster.
    pub live_title: &'static str,
    /// What it does.
    pub live_intro: &'static str,
    /// One step.
    pub live_step: &'static str,
    /// All that are left.
    pub live_all: &'static str,
    /// Ends it.
    pub live_stop: &'static str,
    /// Makes a cluster as wanted.
    pub live_make: fn(u32) -> String,
    /// There is no cluster.
    pub live_none: &'static str,
    /// Another number of members.
    pub live_members: fn(u32, u32) -> String,
    /// Other settings.
    pub live_settings: &'static str,
    /// There is data.
    pub live_revision: fn(i64) -> String,
    /// Flags that a live cluster is not made with.
    pub live_flags: fn(&str) -> String,
    /// Learners that are not there.
    pub live_learners: fn(u32) -> String,
    /// It waits before the step of this line.
    pub live_waits: fn(u32) -> String,
    /// It is at this line.
    pub live_runs: fn(u32) -> String,
    /// It is over: expectations that were met, and that were not.
    pub live_ended: fn(u32, u32) -> String,
    /// A person stopped it.
    pub live_stopped: &'static str,
    /// Another cluster came.
    pub live_other_cluster: &'static str,
    /// Nobody leads.
    pub live_no_leader: &'static str,
    /// The page did not do it.
    pub live_not_done: &'static str,
    /// What is wrong with a line, and what was expected there.
    pub wrong: fn(&Wrong) -> String,
    /// Why something cannot be done to the cluster now.
    pub cannot: fn(&Cannot) -> String,
    /// What was found of the cluster.
    pub found: fn(&Told) -> String,
    /// A learner did not come.
    pub live_no_learner: &'static str,
    /// Another tab has the cluster.
    pub live_is_taken: &'static str,
    /// So a run was stopped.
    pub live_taken_over: &'static str,
    /// A console is busy.
    pub live_busy: &'static str,
    /// There is nothing to type into.
    pub live_nothing_runs: &'static str,
    /// The page may ask.
    pub live_asks: &'static str,
    /// A goal is judged later.
    pub live_at_end: &'static str,
    /// A command ran for too long.
    pub live_too_long: &'static str,
    /// A command's exit status.
    pub live_status: fn(i32) -> String,
    /// A wait was in vain, after so many seconds: what was found.
    pub live_in_vain: fn(u64, &str) -> String,
    /// An expectation was not met: what was found.
    pub live_not_so: fn(&str) -> String,
    /// The right answer.
    pub live_right: fn(&str) -> String,
}

/// English.
pub static EN: ScenarioStrings = ScenarioStrings {
    gap: " ",
    title: "Scenario",
    intro: "Write a run as a text: a cluster, then one step a line. It is checked as you type, plays in the lab or on your cluster, and becomes a link.",
    loading: "Fetching your draft …",
    field: "Text of the scenario",
    field_note: "Tab leaves the text; nothing you type runs before you say so.",
    files: "Templates and files",
    templates: "Begin with",
    names: [
        "Failover",
        "Partition",
        "Watch and compaction",
        "Lock and fencing",
        "Quiz with a goal",
        "Empty",
    ],
    lab: "Check and play in the lab",
    live: "Play on my cluster",
    open: "Open file…",
    save: "Save file",
    export: "Export as shell script",
    time: "Travel through it in time",
    undo: "Take the earlier text back",
    took_template: "The template stands in the text now.",
    took_back: "Your text is back.",
    took_file: |name| format!("{name} stands in the text now."),
    took_shared: "The run stands in the text now; nothing has been played.",
    no_text: |name| format!("{name} is no UTF-8 text."),
    too_large: |name| {
        format!(
            "{name} is larger than 256 KiB, the most that a scenario may have, or cannot be read."
        )
    },
    too_long: "The text is longer than 100 KB, so this page does not remember it: save it as a file.",
    exporting: "The lab plays it and writes the shell script …",
    exported: "The shell script was saved. It starts a real etcd from a Procfile and compares the answers with the lab's.",
    not_exported: |why| format!("There is no shell script: {why}"),
    good: "This can be played.",
    nothing: "Nothing to play yet: take a template from Templates and files, or write a line such as put foo bar.",
    no_link: "It plays here, but is too much for a link (200 steps, 1,000 sentences, 10 minutes of waiting): save it as a file.",
    large_link: "It plays here, but may be too long for a link (8,000 characters): the lab tells; a file always works.",
    fault: |line, column, message| format!("Line {line}, column {column}: {message}"),
    to_fault: "Go there",
    steps: |steps, said| {
        format!(
            "{steps} {}, {said} {}",
            if steps == 1 { "step" } else { "steps" },
            if said == 1 { "sentence" } else { "sentences" }
        )
    },
    link: |chars| format!("link: {chars} characters"),
    outline: "Steps",
    no_rows: "There are no steps yet.",
    more: |more| format!("and {more} more"),
    at_line: |line| format!("line {line}"),
    kinds: ["part", "text", "question", "command", "cluster", "wait", "check", ""],
    marks: ["", "waits", "done", "met", "not met", "could not be done", "passed over"],
    live_title: "On my cluster",
    live_intro: "Lines are typed into the consoles and verbs act on your cluster. Time is real, so elections differ from the lab's: expectations are checked, hashes are not.",
    live_step: "Next step",
    live_all: "Play all",
    live_stop: "Stop",
    live_make: |members| {
        if members == 1 {
            "Make that cluster: 1 member".to_owned()
        } else {
            format!("Make that cluster: {members} members")
        }
    },
    live_none: "No cluster is open.",
    live_members: |wanted, found| {
        format!("The scenario wants a cluster of {wanted}, and yours was made with {found}.")
    },
    live_settings: "It wants other settings (heartbeat, election timeout, quota, snapshots, PreVote or CheckQuorum).",
    live_revision: |revision| {
        format!("Your cluster has data already (revision {revision}); answers can differ.")
    },
    live_flags: |flags| format!("These count in the lab only: {flags}."),
    live_learners: |count| match count {
        1 => "It begins with 1 learner, which is added before the first step.".to_owned(),
        count => format!("It begins with {count} learners, which are added before the first step."),
    },
    live_waits: |line| format!("Next is line {line}."),
    live_runs: |line| format!("At line {line} …"),
    live_ended: |met, unmet| match (met, unmet) {
        (0, 0) => "It ended. Nothing was expected.".to_owned(),
        (met, 0) => format!("It ended: all {met} expectations were met."),
        (met, 1) => format!("It ended: {met} expectations were met, 1 was not."),
        (met, unmet) => format!("It ended: {met} expectations were met, {unmet} were not."),
    },
    live_stopped: "Stopped.",
    live_other_cluster: "Stopped: another cluster was opened.",
    live_no_leader: "Stopped: nobody has led for a minute.",
    live_not_done: "The page did not do it; its console says why.",
    wrong: Wrong::to_string,
    cannot: Cannot::to_string,
    found: Told::to_string,
    live_no_learner: "Stopped: the learner that it begins with was not added; console 1 may say why.",
    live_is_taken: "Another tab has taken the cluster over: nothing runs here until you take it back.",
    live_taken_over: "Stopped: another tab has taken the cluster over.",
    live_busy: "The console is busy: end what runs there with Ctrl-C.",
    live_nothing_runs: "Nothing runs in that console.",
    live_asks: "Your cluster's dialog may ask first.",
    live_at_end: "Judged at the end of its part.",
    live_too_long: "Stopped after a minute.",
    live_status: |status| format!("exit status {status}"),
    live_in_vain: |seconds, found| {
        if found.is_empty() {
            format!("Waited {seconds} s in vain.")
        } else {
            format!("Waited {seconds} s in vain: {found}.")
        }
    },
    live_not_so: |found| format!("Not as expected: {found}."),
    live_right: |answer| format!("The right answer is {answer}."),
};

/// Chinese.
pub static ZH: ScenarioStrings = ScenarioStrings {
    gap: "",
    title: "场景",
    intro: "把一次运行写成文本：先写集群，然后每行一步。输入时即时检查，可以在实验室或您的集群上播放，也可以生成链接。",
    loading: "正在取回您的草稿……",
    field: "场景文本",
    field_note: "按 Tab 离开文本框；在您确认之前，输入的内容都不会运行。",
    files: "模板与文件",
    templates: "从模板开始",
    names: ["故障转移", "网络分区", "watch 与 compaction", "锁与 fencing", "带目标的测验", "空白"],
    lab: "检查并在实验室播放",
    live: "在我的集群上播放",
    open: "打开文件…",
    save: "保存文件",
    export: "导出为 shell 脚本",
    time: "在其中时间旅行",
    undo: "恢复之前的文本",
    took_template: "已换成模板。",
    took_back: "已恢复您的文本。",
    took_file: |name| format!("已打开 {name}。"),
    took_shared: "这次运行已放入文本框，尚未播放任何内容。",
    no_text: |name| format!("{name} 不是 UTF-8 文本。"),
    too_large: |name| format!("{name} 超过 256 KiB（场景的上限），或者无法读取。"),
    too_long: "文本超过 100 KB，此页面不会记住它，请保存为文件。",
    exporting: "实验室正在播放并生成 shell 脚本……",
    exported: "shell 脚本已保存。它会按 Procfile 启动真正的 etcd，并把结果与实验室的结果对比。",
    not_exported: |why| format!("未能生成 shell 脚本：{why}"),
    good: "可以播放。",
    nothing: "还没有可播放的内容：从“模板与文件”中选一个模板，或写一行，例如 put foo bar。",
    no_link: "可以在这里播放，但超出了链接的上限（200 步、1,000 句说明、总共等待 10 分钟）：请保存为文件。",
    large_link: "可以在这里播放，但链接可能过长（上限 8,000 个字符），实验室播放后会说明；保存为文件则没有此限制。",
    fault: |line, column, message| format!("第 {line} 行第 {column} 列：{message}"),
    to_fault: "跳到该处",
    steps: |steps, said| format!("{steps} 步，{said} 句说明"),
    link: |chars| format!("链接：{chars} 个字符"),
    outline: "步骤",
    no_rows: "还没有步骤。",
    more: |more| format!("还有 {more} 步"),
    at_line: |line| format!("第 {line} 行"),
    kinds: ["部分", "说明", "问题", "命令", "集群", "等待", "检查", ""],
    marks: ["", "等待中", "已完成", "成立", "不成立", "无法执行", "已跳过"],
    live_title: "在我的集群上",
    live_intro: "命令会键入控制台，动词会作用于您的集群。时间是真实的，选举结果会与实验室不同：只检查预期，不比较哈希。",
    live_step: "下一步",
    live_all: "全部播放",
    live_stop: "停止",
    live_make: |members| format!("新建所需的集群：{members} 个成员"),
    live_none: "没有打开的集群。",
    live_members: |wanted, found| {
        format!("场景需要 {wanted} 个成员的集群，而您的集群有 {found} 个。")
    },
    live_settings: "它需要不同的设置（心跳、选举超时、配额、快照、PreVote 或 CheckQuorum）。",
    live_revision: |revision| format!("您的集群已有数据（revision {revision}），结果可能不同。"),
    live_flags: |flags| format!("以下参数只在实验室中生效：{flags}。"),
    live_learners: |count| format!("场景开始时有 {count} 个 learner，会在第一步之前添加。"),
    live_waits: |line| format!("下一步是第 {line} 行。"),
    live_runs: |line| format!("正在执行第 {line} 行……"),
    live_ended: |met, unmet| match (met, unmet) {
        (0, 0) => "已结束，没有需要检查的预期。".to_owned(),
        (met, 0) => format!("已结束：{met} 条预期全部成立。"),
        (met, unmet) => format!("已结束：{met} 条预期成立，{unmet} 条不成立。"),
    },
    live_stopped: "已停止。",
    live_other_cluster: "已停止：打开了另一个集群。",
    live_no_leader: "已停止：一分钟内没有 leader。",
    live_not_done: "页面没有执行，原因见控制台。",
    wrong: Wrong::chinese,
    cannot: Cannot::chinese,
    found: Told::chinese,
    live_no_learner: "已停止：开始时所需的 learner 没有加入，原因可能见控制台 1。",
    live_is_taken: "另一个标签页已接管集群：取回之前，这里不运行任何内容。",
    live_taken_over: "已停止：另一个标签页接管了集群。",
    live_busy: "控制台正忙：请按 Ctrl-C 结束正在运行的命令。",
    live_nothing_runs: "那个控制台中没有正在运行的命令。",
    live_asks: "页面可能会先弹出对话框确认。",
    live_at_end: "在这一部分结束时检查。",
    live_too_long: "一分钟后被停止。",
    live_status: |status| format!("退出码 {status}"),
    live_in_vain: |seconds, found| {
        if found.is_empty() {
            format!("等了 {seconds} 秒仍未成立。")
        } else {
            format!("等了 {seconds} 秒仍未成立：{found}。")
        }
    },
    live_not_so: |found| format!("与预期不符：{found}。"),
    live_right: |answer| format!("正确答案是 {answer}。"),
};
