//! The texts around lessons, in both languages; what lessons say stands in their own files.
//!
//! Invariants: a language is one value of [`LessonStrings`]; a missing text is a compile error.

/// See the module.
#[derive(Debug)]
pub struct LessonStrings {
    /// Above the list.
    pub lessons: &'static str,
    /// Opens the list.
    pub choose: &'static str,
    /// Closes it.
    pub close: &'static str,
    /// The list or a lesson is being fetched.
    pub loading: &'static str,
    /// It could not be fetched, with the reason.
    pub failed: fn(&str) -> String,
    /// Fetches it again.
    pub again: &'static str,
    /// A lesson with its number and title.
    pub name: fn(u32, &str) -> String,
    /// How many parts are done.
    pub done_of: fn(u32, u32) -> String,
    /// The whole lesson is done.
    pub all_done: &'static str,
    /// Which part of how many.
    pub part_of: fn(u32, u32) -> String,
    /// A part with its number and title.
    pub part_name: fn(u32, &str) -> String,
    /// It is done.
    pub done: &'static str,
    /// It is to do.
    pub open: &'static str,
    /// Above the goals.
    pub goals: &'static str,
    /// A goal is met.
    pub met: &'static str,
    /// A goal is not.
    pub unmet: &'static str,
    /// A goal is being looked at.
    pub checking: &'static str,
    /// What a screen reader says of a goal that was just met.
    pub now_met: fn(&str) -> String,
    /// All goals of the part are met.
    pub part_done: &'static str,
    /// And it was the last part.
    pub lesson_done: &'static str,
    /// Claims count once somebody leads.
    pub waiting: &'static str,
    /// Shows a hint.
    pub hint: &'static str,
    /// Shows the solution.
    pub solution: &'static str,
    /// Hides it.
    pub hide_solution: &'static str,
    /// Above the solution.
    pub solution_title: &'static str,
    /// Above a question.
    pub question: &'static str,
    /// The field for the answer.
    pub reply: &'static str,
    /// Checks it.
    pub check: &'static str,
    /// It is right.
    pub right: &'static str,
    /// It is not.
    pub wrong: &'static str,
    /// What the lesson prepares.
    pub prepare_title: &'static str,
    /// Runs it.
    pub prepare: &'static str,
    /// It runs.
    pub preparing: &'static str,
    /// It has run.
    pub prepared: &'static str,
    /// Begins the part anew.
    pub restart: &'static str,
    /// What that does.
    pub restart_hint: &'static str,
    /// The cluster is not the one that the lesson wants: so many members.
    pub wants_fresh: fn(u32) -> String,
    /// Makes one.
    pub start_fresh: &'static str,
    /// To the part before.
    pub previous: &'static str,
    /// To the next part.
    pub next: &'static str,
    /// To the next lesson.
    pub next_lesson: &'static str,
    /// Shows the run as a link.
    pub share: &'static str,
    /// A line, for a screen reader.
    pub run: fn(&str) -> String,
    /// In which console a line runs.
    pub console: fn(u32) -> String,
    /// A line without letters.
    pub empty_line: &'static str,
    /// Above export and import.
    pub progress: &'static str,
    /// Offers all progress as a file.
    pub export: &'static str,
    /// Reads such a file.
    pub import: &'static str,
    /// It was read.
    pub imported: &'static str,
    /// It was not.
    pub not_imported: &'static str,
    /// An address names a lesson that does not exist.
    pub missing: &'static str,
}

/// English.
pub static EN: LessonStrings = LessonStrings {
    lessons: "Lessons",
    choose: "All lessons",
    close: "Close the list",
    loading: "Fetching the lesson …",
    failed: |reason| format!("The lesson could not be fetched: {reason}"),
    again: "Try again",
    name: |number, title| format!("{number}. {title}"),
    done_of: |done, all| format!("{done} of {all} parts done"),
    all_done: "done",
    part_of: |part, all| format!("Part {part} of {all}"),
    part_name: |part, title| format!("Part {part}: {title}"),
    done: "done",
    open: "to do",
    goals: "Goals, checked against the engine",
    met: "yes",
    unmet: "not yet",
    checking: "being checked",
    now_met: |goal| format!("Goal met: {goal}"),
    part_done: "All goals of this part are met.",
    lesson_done: "All goals are met, and this was the last part.",
    waiting: "Goals count as soon as the cluster has a leader.",
    hint: "Hint",
    solution: "Show the solution",
    hide_solution: "Hide the solution",
    solution_title: "One way to do it",
    question: "Question",
    reply: "Your answer",
    check: "Check",
    right: "Right.",
    wrong: "The engine says otherwise. Look again.",
    prepare_title: "This part begins with",
    prepare: "Prepare",
    preparing: "Being prepared …",
    prepared: "Prepared",
    restart: "Begin this part again",
    restart_hint: "Forgets what was met in this part and counts from now on; the cluster stays as it is.",
    wants_fresh: |members| {
        if members == 1 {
            "This lesson is written for a fresh cluster of one member. Yours is another one."
                .to_owned()
        } else {
            format!(
                "This lesson is written for a fresh cluster of {members} members. Yours is another one."
            )
        }
    },
    start_fresh: "Start with a fresh cluster",
    previous: "Previous",
    next: "Next",
    next_lesson: "Next lesson",
    share: "Share the run",
    run: |line| format!("Run {line}"),
    console: |console| format!("console {console}"),
    empty_line: "(an empty line)",
    progress: "Your progress",
    export: "Save to a file",
    import: "Read from a file",
    imported: "The progress was read.",
    not_imported: "This file holds no progress of lessons.",
    missing: "The address names a lesson that does not exist. Choose one of these.",
};

/// Chinese.
pub static ZH: LessonStrings = LessonStrings {
    lessons: "教程",
    choose: "全部课程",
    close: "收起列表",
    loading: "正在加载课程…",
    failed: |reason| format!("课程加载失败：{reason}"),
    again: "重试",
    name: |number, title| format!("{number}. {title}"),
    done_of: |done, all| format!("共 {all} 节，已完成 {done} 节"),
    all_done: "已完成",
    part_of: |part, all| format!("第 {part} 节，共 {all} 节"),
    part_name: |part, title| format!("第 {part} 节：{title}"),
    done: "已完成",
    open: "待完成",
    goals: "目标（由引擎核对）",
    met: "已达成",
    unmet: "未达成",
    checking: "正在核对",
    now_met: |goal| format!("目标已达成：{goal}"),
    part_done: "本节目标全部达成。",
    lesson_done: "目标全部达成，这是最后一节。",
    waiting: "集群选出 leader 之后开始计算目标。",
    hint: "提示",
    solution: "查看解法",
    hide_solution: "收起解法",
    solution_title: "一种做法",
    question: "思考题",
    reply: "您的答案",
    check: "核对",
    right: "回答正确。",
    wrong: "引擎给出的答案不同，再看一看。",
    prepare_title: "本节开始前先执行",
    prepare: "准备",
    preparing: "正在准备…",
    prepared: "已准备好",
    restart: "重新开始这一节",
    restart_hint: "清除本节已达成的目标并从现在重新计算，集群保持原样。",
    wants_fresh: |members| format!("这一课需要一个全新的 {members} 成员集群，当前集群不符合。"),
    start_fresh: "新建一个集群",
    previous: "上一节",
    next: "下一节",
    next_lesson: "下一课",
    share: "分享这次运行",
    run: |line| format!("执行 {line}"),
    console: |console| format!("控制台 {console}"),
    empty_line: "（空行）",
    progress: "学习进度",
    export: "导出到文件",
    import: "从文件导入",
    imported: "已导入进度。",
    not_imported: "这个文件里没有课程进度。",
    missing: "地址里的这一课并不存在，请从下面选择一课。",
};
