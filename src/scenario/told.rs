//! What whoever plays a script says of it: what a claim was judged by, what a verb did, why a step failed.
//!
//! What it is: [`Told`], a sentence with its values, and [`Saying`], the sentences, in English and in Chinese.
//! What it is not: what etcdctl prints, nor a reason that has a type of its own (see `world::Cannot`, which can be a value).
//! Invariants: the two languages have the same values in them; words of the grammar and texts of etcd are the same in both.

use std::fmt;

use super::link::Refusal;
use super::words::{put_in, wordings};
use super::world::Cannot;

wordings! {
    /// The sentences.
    Saying {
        /// A text that is the same in all languages.
        Plain: "{0}", "{0}";
        /// Who leads.
        Leads: "{0} leads", "{0} 是 leader";
        /// Nobody does.
        NobodyLeads: "nobody leads", "没有 leader";
        /// Nothing is cut or disturbed.
        LinksWhole: "links are whole", "链路全部正常";
        /// Something is.
        LinksBroken: "links are not whole", "有链路被切断或受到干扰";
        /// A quantity now.
        NumberIs: "{0} is {1}", "{0} 为 {1}";
        /// A quantity now and at the mark.
        NumberRose: "{0} is {1} and was {2}", "{0} 为 {1}，之前为 {2}";
        /// So many events were seen.
        Events: "{0} event(s) since the last change", "自上次操作以来有 {0} 个事件";
        /// An exit status.
        Status: "status is {0}", "status 为 {0}";
        /// There is none.
        NoStatus: "no command has ended there", "那里没有已结束的命令";
        /// No write is lost.
        Readable: "{0} acknowledged put(s) can be read", "{0} 个已确认的 put 都能读到";
        /// Whether one is, is not known.
        Unlooked: "nobody has looked", "还没有检查过";
        /// So many puts.
        Acknowledged: "{0} put(s) were acknowledged", "有 {0} 个 put 得到确认";
        /// So many puts.
        Unacknowledged: "{0} put(s) were not acknowledged", "有 {0} 个 put 未得到确认";
        /// So many gets.
        Answered: "{0} get(s) were answered", "有 {0} 个 get 得到应答";
        /// So many gets.
        Unanswered: "{0} linearizable get(s) were not answered", "有 {0} 个线性一致读没有得到应答";
        /// So many messages of a watch.
        Messages: "{0} message(s) came", "收到 {0} 条消息";
        /// So many events of a watch.
        SawEvents: "it saw {0} event(s)", "watch 收到 {0} 个事件";
        /// All members are in a state.
        AllAre: "all are {0}", "全部成员都是 {0}";
        /// These are not.
        NotAll: "not {0}: {1}", "不是 {0} 的成员：{1}";
        /// There is none of that name any more.
        NoSuchMember: "there is no such member", "没有这个成员";
        /// The states of a member.
        MemberIs: "{0} is {1}", "{0} 的状态：{1}";
        /// Nothing was typed.
        NoCommand: "no command has run there", "那里没有执行过命令";
        /// What was printed.
        OutputIs: "{0} is {1}", "{0} 为 {1}";
        /// Members' hashes.
        HashesEqual: "hashes are equal", "hash 相同";
        /// The same.
        HashesDiffer: "hashes differ", "hash 不同";
        /// The same.
        HashesMissing: "{0} running member(s) told no hash", "有 {0} 个运行中的成员没有返回 hash";
        /// A console has no watch.
        NoWatch: "console {0} has no watch", "控制台 {0} 没有 watch";
        /// Of a watch: key, its revision, the revision before.
        SawAfter: "it saw {0} of revision {1} after revision {2}",
            "watch 先收到 revision {2}，之后才收到 {0} 的 revision {1}";
        /// Of a watch: key, its revision.
        SawTwice: "it saw {0} of revision {1} twice", "watch 两次收到 {0} 的 revision {1}";
        /// Of a watch: key, its revision.
        Missed: "it did not see {0} of revision {1}", "watch 没有收到 {0} 的 revision {1}";
        /// Key, its revision.
        Gone: "{0} of revision {1} was acknowledged and is not there",
            "{0} 的 revision {1} 已得到确认，却读不到";
        /// Key, its revision.
        Ahead: "{0} of revision {1} was acknowledged and the store has not come so far",
            "{0} 的 revision {1} 已得到确认，存储却还没有到这个 revision";
        /// Key, its revision, etcd's error.
        Unread: "{0} of revision {1} could not be read: {2}", "无法读取 {0} 的 revision {1}：{2}";
        /// Nobody answered.
        NoAnswer: "no answer came", "没有得到应答";
        /// A claim holds.
        AsExpected: "as expected: {0}", "符合预期：{0}";
        /// It does not.
        NotAsExpected: "not as expected: {0}", "不符合预期：{0}";
        /// A claim was waited for.
        ClaimInVain: "waited {0} s for this in vain: {1}", "等待 {0} 秒后仍未满足：{1}";
        /// A condition was.
        InVain: "waited {0} s for {1} in vain", "等待 {1} 超过 {0} 秒，仍未满足";
        /// A reply is right.
        Right: "right", "正确";
        /// It is not.
        RightAnswer: "the right answer is {0}", "正确答案是 {0}";
        /// Nobody, as an answer.
        Nobody: "nobody", "没有（nobody）";
        /// Yes, as an answer.
        Yes: "yes", "是（yes）";
        /// No, as an answer.
        No: "no", "否（no）";
        /// A solution is left out.
        LeftOut: "left out", "已跳过";
        /// Nothing to stop, or to type into.
        NothingRuns: "nothing runs in that console", "那个控制台没有正在执行的命令";
        /// A console, twice.
        Busy: "console {0} is busy; end its command with \"@{0} ^C\" first",
            "控制台 {0} 正在执行命令，请先用 “@{0} ^C” 结束它";
        /// A command was stopped.
        Stopped: "notice: stopped after a minute; \"@{0} …\" lets it run on",
            "提示：一分钟后已停止；用 “@{0} …” 可让它继续执行";
        /// The run is too long.
        Exhausted: "the run has used up its events and ends here", "运行的事件数已达上限，到此结束";
        /// A member.
        Killed: "{0} was killed", "{0} 已终止";
        /// A member.
        Started: "{0} was started", "{0} 已启动";
        /// A member.
        Paused: "{0} was paused", "{0} 已暂停";
        /// A member.
        GoesOn: "{0} goes on", "{0} 已恢复运行";
        /// No link is cut or disturbed.
        LinksOpen: "every link is open", "所有链路都已连通";
        /// Links.
        Cut: "cut: {0}", "已切断：{0}";
        /// A link and what disturbs it.
        Disturbed: "{0}: {1}", "{0}：{1}";
        /// The cluster's time.
        RealTime: "the cluster runs in real time", "集群以真实速度运行";
        /// The cluster's time.
        Slowed: "the cluster runs at {0} of real time", "集群以真实速度的 {0} 运行";
        /// A disk.
        QuickDisk: "the disk of {0} is as quick as ever", "{0} 的磁盘恢复正常速度";
        /// A disk.
        SlowDisk: "each round of the disk of {0} takes {1} longer", "{0} 的磁盘每次写入多花 {1}";
        /// A disk.
        FullDisk: "the disk of {0} is full", "{0} 的磁盘已满";
        /// A disk.
        FreeDisk: "the disk of {0} has space", "{0} 的磁盘有可用空间";
        /// A member.
        PowerCut: "the power of {0} was cut", "{0} 已断电";
        /// A member.
        Wiped: "{0} was killed and its disk is empty", "{0} 已终止，磁盘已清空";
        /// A clock.
        Clock: "the clock of {0} runs at {1}", "{0} 的时钟速率为 {1}";
        /// A member.
        Removed: "{0} was removed", "{0} 已从集群移除";
        /// A member.
        Promoted: "{0} has a vote now", "{0} 现在有投票权";
        /// A member.
        Added: "{0} was added and started", "{0} 已加入集群并启动";
        /// A member.
        AddedLearner: "{0} was added as a learner and started", "{0} 已作为 learner 加入集群并启动";
        /// There are that many.
        ManyMembers: "a script can have {0} members, removed ones included",
            "一个脚本最多可有 {0} 个成员，已移除的也算在内";
        /// Restored data.
        NotRestored: "no restored data is kept as {0}: etcdutl snapshot restore FILE --data-dir {0}",
            "没有名为 {0} 的已恢复数据：请先执行 etcdutl snapshot restore FILE --data-dir {0}";
        /// Restored data.
        OtherMembers: "{0} cannot be started here: its members are not infra1=http://127.0.0.1:12380 and so on",
            "{0} 无法在这里启动：它的成员不是 infra1=http://127.0.0.1:12380 这一组";
        /// Restored data, and the number of members.
        Opened: "the cluster of {0} runs, with {1} member(s)", "{0} 的集群已运行，共 {1} 个成员";
        /// A command that ran beside others has ended.
        ExitStatus: "(exit status {0})", "（退出码 {0}）";
        /// What a watch told a client.
        WatchTold: "Watch: {0} event(s)", "Watch：{0} 个事件";
        /// A client hears nothing more.
        WentAway: "the member went away", "该成员已停止";
        /// A client hears nothing.
        DoesNotRun: "the member does not run", "该成员没有在运行";
        /// A client hears a piece.
        SnapshotPart: "a part of a snapshot", "快照的一部分";
        /// Why a member is down.
        WasKilled: "killed", "被终止";
        /// The same, with what it said last.
        Crashed: "crashed: {0}", "崩溃：{0}";
        /// A phase of a seed's run.
        TooLittle: "too little has happened", "操作太少，继续运行";
        /// The same.
        Healed: "everything is healed", "所有故障都已恢复";
        /// The same.
        Restored: "a snapshot is restored", "正从快照恢复";
        /// The same.
        NoMajority: "no majority is left", "已没有多数派";
        /// The same: sizes, quota.
        Deletes: "deletes everything: {0} bytes of {1}", "删除全部数据：已用 {0} 字节，配额 {1} 字节";
        /// The same.
        Lifts: "lifts {0}", "解除告警 {0}";
        /// The same.
        Restart: "everything restarts from its disk", "全部成员从磁盘重新启动";
        /// What a seed draws: members, clients, ms of a tick, ticks of an election timeout.
        Plan: "{0} members, {1} clients, {2} ms ticks, {3} election ticks",
            "{0} 个成员，{1} 个客户端，每个 tick {2} ms，选举超时 {3} 个 tick";
        /// With more: what it draws, twice.
        NoPreVote: "{0}, no pre-vote", "{0}，不用 PreVote";
        /// The same.
        NoCheckQuorum: "{0}, no check-quorum", "{0}，不用 CheckQuorum";
        /// Between words.
        Comma: ", ", "、";
    }
}

/// A value of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Value {
    Text(String),
    Cannot(Cannot),
    Told(Box<Told>),
    List(Vec<String>),
}

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    saying: Saying,
    values: Vec<Value>,
}

impl Told {
    /// A sentence without values.
    #[must_use]
    pub const fn new(saying: Saying) -> Self {
        Self { saying, values: Vec::new() }
    }

    /// A sentence with one value.
    #[must_use]
    pub fn of(saying: Saying, value: impl fmt::Display) -> Self {
        Self::new(saying).and(value)
    }

    /// What etcd says, or another text that is the same in all languages.
    #[must_use]
    pub fn plain(text: impl fmt::Display) -> Self {
        Self::of(Saying::Plain, text)
    }

    /// With one more value.
    #[must_use]
    pub fn and(self, value: impl fmt::Display) -> Self {
        self.with(Value::Text(value.to_string()))
    }

    /// With a sentence as its next value.
    #[must_use]
    pub fn about(self, told: Self) -> Self {
        self.with(Value::Told(Box::new(told)))
    }

    /// With a list as its next value.
    #[must_use]
    pub fn list<'s>(self, words: impl IntoIterator<Item = &'s str>) -> Self {
        self.with(Value::List(words.into_iter().map(str::to_owned).collect()))
    }

    fn with(mut self, value: Value) -> Self {
        self.values.push(value);
        self
    }

    /// In Chinese.
    #[must_use]
    pub fn chinese(&self) -> String {
        self.told(true)
    }

    fn told(&self, is_chinese: bool) -> String {
        let table = if is_chinese { &Saying::CHINESE } else { &Saying::ENGLISH };
        let show = |value: &Value| match value {
            Value::Text(text) => text.clone(),
            Value::Cannot(why) if is_chinese => why.chinese(),
            Value::Cannot(why) => why.to_string(),
            Value::Told(told) => told.told(is_chinese),
            Value::List(words) => words.join(Saying::Comma.of(table)),
        };
        let values: Vec<String> = self.values.iter().map(show).collect();
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        put_in(self.saying.of(table), &values)
    }
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told(false))
    }
}

impl From<Saying> for Told {
    fn from(saying: Saying) -> Self {
        Self::new(saying)
    }
}

impl From<Cannot> for Told {
    fn from(why: Cannot) -> Self {
        Self::new(Saying::Plain).with(Value::Cannot(why))
    }
}

impl From<&Told> for Refusal {
    fn from(told: &Told) -> Self {
        Self { english: told.to_string(), chinese: told.chinese() }
    }
}

/// Sentences as lines, in both languages.
#[must_use]
pub fn lines(all: &[Told]) -> Refusal {
    let mut told = Refusal::default();
    for one in all {
        if !told.english.is_empty() {
            told.english.push('\n');
            told.chinese.push('\n');
        }
        told.english.push_str(&one.to_string());
        told.chinese.push_str(&one.chinese());
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sentence_has_the_same_values_in_both_languages_and_is_chinese_in_chinese() {
        for (english, chinese) in Saying::ENGLISH.iter().zip(Saying::CHINESE) {
            for place in ["{0}", "{1}", "{2}", "{3}"] {
                assert_eq!(english.contains(place), chinese.contains(place), "{english}");
            }
            let is_chinese =
                |text: &str| text.chars().any(|it| ('\u{4e00}'..='\u{9fff}').contains(&it));
            let has_words = english.chars().any(|it| it.is_ascii_lowercase());
            assert!(!is_chinese(english), "{english}");
            assert_eq!(has_words, is_chinese(chinese), "{english} | {chinese}");
        }
    }

    #[test]
    fn sentences_can_be_about_sentences_and_values_are_never_looked_into() {
        let found = Told::of(Saying::NumberIs, "term").and(3);
        let told = Told::new(Saying::NotAsExpected).about(found);
        assert_eq!(told.to_string(), "not as expected: term is 3");
        assert_eq!(told.chinese(), "不符合预期：term 为 3");
        let hostile = Told::of(Saying::Missed, "{1}{0}").and(2);
        assert_eq!(hostile.to_string(), "it did not see {1}{0} of revision 2");
        let states = Told::of(Saying::MemberIs, "infra1").list(["up", "leader"]);
        assert_eq!(
            (states.to_string(), states.chinese()),
            ("infra1 is up, leader".to_owned(), "infra1 的状态：up、leader".to_owned())
        );
        assert_eq!(
            Told::from(Cannot::Because(crate::scenario::Reason::NoLeader)).chinese(),
            "当前没有 leader"
        );
    }
}
