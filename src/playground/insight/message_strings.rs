//! The texts of the view of messages.
//!
//! What it is: a table of its own, both languages side by side. What it is not: the names of a message's fields,
//! which are etcd's in every language.
//! Invariants: those of `strings`.

type Text = &'static str;
type Number = fn(u64) -> String;
type Numbers = fn(u64, u64) -> String;

macro_rules! table {
    ($($name:ident: $kind:ty = $english:expr, $chinese:expr;)*) => {
        /// All texts of the view in one language.
        #[derive(Debug)]
        pub struct MessageStrings {
            $(
                #[doc = concat!("In English: ", stringify!($english))]
                pub $name: $kind,
            )*
        }

        /// English.
        pub(super) static EN: MessageStrings = MessageStrings { $($name: $english,)* };
        /// Chinese.
        pub(super) static ZH: MessageStrings = MessageStrings { $($name: $chinese,)* };
    };
}

table! {
    title: Text = "Messages between members", "成员之间的消息";
    hint: Text = "Samples of what members send, newest first; counted is all of it.",
        "成员所发消息的样本，最新的在前；计数包括全部消息。";
    waiting: Text = "Waiting for a message.", "正在等待消息。";
    none: Text = "No message of this kind is on the list.", "列表里没有这一类消息。";
    kinds: Text = "Kind", "种类";
    most: Text = "Without heartbeats", "不含心跳";
    all: Text = "All", "全部";
    elections: Text = "Elections", "选举";
    appends: Text = "Appends", "追加";
    snapshots: Text = "Snapshots", "快照";
    reads: Text = "Reads", "读取";
    member: Text = "Member", "成员";
    anybody: Text = "any", "任意";
    pause: Text = "Pause the list", "暂停列表";
    resume: Text = "Go on", "继续";
    seen: Numbers = |counted, told| format!("{counted} sent, {told} told"),
        |counted, told| format!("已发送 {counted} 条，列出 {told} 条");
    held: Number = |count| format!("{count} newer ones wait"), |count| format!("另有 {count} 条较新的消息在等待");
    held_back: Number = |ms| format!("{ms} ms on its way"), |ms| format!("途中 {ms} 毫秒");
    twice: Number = |ms| format!("sent twice, {ms} ms on its way"),
        |ms| format!("发送了两次，途中 {ms} 毫秒");
    lost: Text = "lost by the link", "被链路丢失";
    cut: Text = "dropped: the link is cut", "被丢弃：链路已断开";
    away: Text = "dropped: nobody is there", "被丢弃：对方不在";
    fate: Text = "outcome", "结果";
    sent: Text = "sent", "已发送";
    no_entries: Text = "none", "无";
    entries: fn(u64, u64, u64, u64) -> String = |count, bytes, first, last| {
        let noun = if count == 1 { "entry" } else { "entries" };
        let range = if count == 1 { format!("index {first}") } else { format!("index {first}…{last}") };
        format!("{count} {noun}, {bytes} B, {range}")
    }, |count, bytes, first, last| {
        let range = if count == 1 { format!("index {first}") } else { format!("index {first}…{last}") };
        format!("{count} 个条目，{bytes} B，{range}")
    };
    proposed: Numbers = |count, bytes| format!("{count} proposed, {bytes} B"),
        |count, bytes| format!("{count} 个提案，{bytes} B");
    bytes: Number = |bytes| format!("{bytes} B"), |bytes| format!("{bytes} B");
    part: Numbers = |part, parts| format!("part {part} of {parts}"),
        |part, parts| format!("第 {part} 块，共 {parts} 块");
    arrived: Number = |parts| format!("{parts} parts are there"), |parts| format!("已收到 {parts} 块");
    size: Text = "size", "大小";
    snapshot_part: Text = "snapshot part", "快照块";
    snapshot_progress: Text = "snapshot progress", "快照进度";
    snapshot_refused: Text = "snapshot refused", "快照被拒绝";
    removed: Text = "you are removed", "你已被移除";
    promote: Text = "promotion", "提升";
    hash: Text = "hash of the data", "数据哈希";
    lease: Text = "lease", "lease";
}
