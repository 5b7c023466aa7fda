//! The texts of the view of the history, in both languages.
//!
//! What it is: [`HistoryStrings`], a table of its own beside the program's.
//! What it is not: etcd's errors, which are etcd's.
//! Invariants: those of `strings`; Chinese as `zh` says.

type Text = &'static str;
type Number = fn(u64) -> String;
type Revision = fn(i64) -> String;
type Revisions = fn(i64, i64) -> String;

macro_rules! table {
    ($($name:ident: $kind:ty = $english:expr, $chinese:expr;)*) => {
        /// All texts of the view in one language.
        #[derive(Debug)]
        pub struct HistoryStrings {
            $(
                #[doc = concat!("In English: ", stringify!($english))]
                pub $name: $kind,
            )*
        }

        /// English.
        pub(super) static EN: HistoryStrings = HistoryStrings { $($name: $english,)* };
        /// Chinese, in simplified characters.
        pub(super) static ZH: HistoryStrings = HistoryStrings { $($name: $chinese,)* };
    };
}

fn plural(count: u64, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}

table! {
    // The verdict.
    verdict: Text = "Verdict", "判定";
    verdict_idle: Text = "Nothing to judge yet", "尚无可判定的操作";
    verdict_idle_hint: Text = "Put or get a key in the console: every operation appears here as a bar from its call to its return.", "在控制台中 put 或 get 一个 key：每个操作会显示为一条从调用到返回的横条。";
    verdict_good: Text = "Linearizable so far", "到目前为止可线性化";
    verdict_good_hint: Number = |count| format!("One order of {} explains every answer, and each took effect between its call and its return.", plural(count, "operation", "operations")), |count| format!("{count} 个操作存在一个顺序，能解释每个应答，且每个操作都在调用与返回之间生效。");
    verdict_busy: Text = "Still searching", "仍在查找";
    verdict_busy_hint: Number = |count| format!("{} for the store's state at its revision, or to be looked at.", plural(count, "operation waits", "operations wait")), |count| format!("{count} 个操作正在等待其 revision 处的存储状态，或等待检查。");
    verdict_unsure: Text = "Cannot tell", "无法判定";
    verdict_order_hint: Number = |count| format!("What the store held is not known. Of {} only the order of revisions was checked, and it is right.", plural(count, "operation", "operations")), |count| format!("不知道存储中有什么。对 {count} 个操作只检查了 revision 的顺序，顺序正确。");
    verdict_base_hint: Text = "The store held data before this history begins. It is read once, linearizably, and what follows is compared with that.", "这段历史开始之前，存储中已有数据。将以一次线性一致读取获得全部内容，之后的操作与它比较。";
    verdict_bad: Text = "Not linearizable", "不可线性化";
    verdict_watch: Text = "A watch saw something else", "watch 看到了不同的内容";
    fact_compared: Text = "compared", "已比较";
    fact_ordered: Text = "order only", "仅检查顺序";
    fact_serializable: Text = "serializable", "可串行化读";
    fact_stale: Number = |count| format!("{count} older, as allowed"), |count| format!("其中 {count} 个较旧，属允许");
    fact_unknown: Text = "unknown", "结果未知";
    fact_shown: Number = |count| format!("{count} seen to have happened"), |count| format!("其中 {count} 个已证实发生");
    fact_refused: Text = "refused", "被拒绝";
    fact_unclaimed: Text = "revisions made by nobody here", "非此处产生的 revision";
    fact_dropped: Text = "not kept", "未保留";
    fact_from: Text = "values known from revision", "已知内容始于 revision";
    base_large: Text = "The store has more keys than are read for this, so values are not compared.", "存储中的 key 太多，不为此读取，因此不比较内容。";
    base_refused: Text = "The store cannot be read without a login, so values are not compared.", "未登录无法读取存储，因此不比较内容。";

    // Invariants.
    monitor: Text = "Invariants", "不变式";
    election_title: Text = "Election safety", "选举安全";
    election_none: Text = "no leader was seen yet", "尚未看到 leader";
    election_holds: fn(u64, u64) -> String = |terms, leaders| format!("holds: {}, {} checked", plural(terms, "term", "terms"), plural(leaders, "leader", "leaders")), |terms, leaders| format!("成立：已检查 {terms} 个 term、{leaders} 个 leader");
    election_broken: fn(u64, &str, &str) -> String = |term, one, other| format!("broken: term {term} had two leaders, {one} and {other}"), |term, one, other| format!("被破坏：term {term} 有两个 leader：{one} 和 {other}");
    log_title: Text = "Log matching", "日志匹配";
    log_none: Text = "no entry was told by two members yet", "尚无条目由两个成员报告";
    log_holds: fn(u64, u64) -> String = |entries, members| format!("holds: {} in common on {} checked by term, type, key and size", plural(entries, "entry", "entries"), plural(members, "member", "members")), |entries, members| format!("成立：已按 term、类型、key 和大小检查 {members} 个成员共有的 {entries} 个条目");
    log_broken: fn(u64, u64, &str, &str) -> String = |index, term, one, other| format!("broken: {one} and {other} differ at or before index {index} of term {term}"), |index, term, one, other| format!("被破坏：{one} 与 {other} 在 index {index}（term {term}）或之前不同");
    state_title: Text = "State-machine safety", "状态机安全";
    state_none: Text = "no two members were seen at the same index yet", "尚未看到两个成员处于同一 index";
    state_holds: Number = |count| format!("holds: same revision at the same applied index, {} made", plural(count, "comparison", "comparisons")), |count| format!("成立：相同的已应用 index 有相同的 revision，已比较 {count} 次");
    state_broken: fn(u64, &str, &str) -> String = |index, one, other| format!("broken: after index {index} the revisions differ, {one}, {other}"), |index, one, other| format!("被破坏：应用 index {index} 后 revision 不同：{one}，{other}");
    hash_title: Text = "Equal hashes", "哈希相等";
    hash_none: Text = "not asked yet", "尚未询问";
    hash_asked: Revision = |revision| format!("asking members for the hash at revision {revision}"), |revision| format!("正在询问成员 revision {revision} 的哈希");
    hash_alone: Revision = |revision| format!("not comparable: nobody else has a hash at revision {revision} with the same compaction"), |revision| format!("无法比较：没有其他成员在 revision {revision} 且压缩相同的哈希");
    hash_refused: Revision = |revision| format!("not comparable: a member did not tell its hash at revision {revision}"), |revision| format!("无法比较：有成员未给出 revision {revision} 的哈希");
    hash_holds: fn(i64, u64, u64, &str) -> String = |revision, count, of, hash| format!("holds: {hash} at revision {revision} on {count} of {of} members"), |revision, count, of, hash| format!("成立：revision {revision} 处为 {hash}，{of} 个成员中有 {count} 个");
    hash_broken: fn(i64, &str, &str) -> String = |revision, one, other| format!("broken: at revision {revision} the hashes differ, {one}, {other}"), |revision, one, other| format!("被破坏：revision {revision} 处哈希不同：{one}，{other}");
    hash_now: Text = "Compare hashes now", "立即比较哈希";
    sign_good: Text = "holds", "成立";
    sign_bad: Text = "broken", "被破坏";
    sign_idle: Text = "not checked", "未检查";

    // Lanes.
    lanes: Text = "Operations by client", "各客户端的操作";
    lanes_hint: Text = "A bar goes from call to return; a column is one call, fault or leader, in order of time, not to scale. Bars that share a column overlapped.", "横条从调用延伸到返回；每一列是一次调用、故障或 leader 变更，按时间排序，不按比例。共占一列的横条曾重叠。";
    lanes_keys: Text = "Left and right go from one operation to the next, Home and End to the ends.", "左右方向键在操作间移动，Home 和 End 到两端。";
    lanes_empty: Text = "No client has asked anything since this page began to look.", "自本页开始观察以来，尚无客户端请求。";
    lanes_older: Number = |count| format!("{} not shown.", plural(count, "older operation is", "older operations are")), |count| format!("另有 {count} 个较早的操作未显示。");
    lane_page: Text = "page", "页面";
    lane_console: Number = |tab| format!("console {tab}"), |tab| format!("控制台 {tab}");
    lane_faults: Text = "faults", "故障";
    legend_write: Text = "write", "写";
    legend_read: Text = "linearizable read", "线性一致读";
    legend_serializable: Text = "serializable read", "可串行化读";
    legend_failed: Text = "refused", "被拒绝";
    legend_unknown: Text = "unknown", "未知";
    legend_other: Text = "other", "其他";
    legend_violation: Text = "violation", "违例";
    bar_pending: Text = "not answered yet", "尚未应答";
    bar_revision: Revision = |revision| format!("revision {revision}"), |revision| format!("revision {revision}");

    // One operation.
    choose: Text = "Choose an operation to see what the verdict says of it.", "选择一个操作，查看对它的判定。";
    fact_request: Text = "asked", "请求";
    fact_answer: Text = "answer", "应答";
    fact_member: Text = "member", "成员";
    fact_client: Text = "client", "客户端";
    fact_call: Text = "call", "调用";
    fact_return: Text = "return", "返回";
    fact_revision: Text = "revision", "revision";
    answer_keys: Number = |count| plural(count, "key", "keys"), |count| format!("{count} 个 key");
    answer_deleted: Number = |count| format!("{} deleted", plural(count, "key", "keys")), |count| format!("删除了 {count} 个 key");
    answer_done: Text = "done", "完成";
    answer_succeeded: Text = "compares held", "比较成立";
    answer_failed: Text = "compares did not hold", "比较不成立";
    answer_large: Text = "too large to be kept", "太大，未保留";
    answer_none: Text = "none", "无";
    service_lease: Text = "lease …", "lease …";
    service_cluster: Text = "member …", "member …";
    service_maintenance: Text = "endpoint …", "endpoint …";
    service_auth: Text = "auth …", "auth …";
    ruling_pending: Text = "It is not answered yet, so it may take effect at any time, or has.", "尚未应答，因此可能随时生效，或已经生效。";
    ruling_waiting: Revision = |revision| format!("It was answered at revision {revision}; the store's state there is not known yet."), |revision| format!("应答于 revision {revision}；那里的存储状态尚不知道。");
    ruling_write: Revision = |revision| format!("It took effect between call and return: it made revision {revision}."), |revision| format!("在调用与返回之间生效：产生了 revision {revision}。");
    ruling_read: Revision = |revision| format!("It took effect between call and return at revision {revision}: the store held exactly this."), |revision| format!("在调用与返回之间于 revision {revision} 生效：存储中正是这些内容。");
    ruling_ordered: Revision = |revision| format!("Its place in the order is right, at revision {revision}; what it says was not compared."), |revision| format!("其顺序位置正确，位于 revision {revision}；未比较其内容。");
    ruling_current: Revision = |revision| format!("A serializable read of one member's store as of revision {revision}; nothing newer was known when it was called."), |revision| format!("对一个成员存储的可串行化读，截至 revision {revision}；调用时没有已知的更新内容。");
    ruling_stale: Revisions = |revision, newest| format!("Allowed to be stale: a serializable read. It shows the store as of revision {revision} while {newest} was committed."), |revision, newest| format!("允许陈旧：可串行化读。它显示的是 revision {revision} 时的存储，而当时 {newest} 已提交。");
    ruling_refused: Text = "It was refused or never sent: it changed nothing.", "被拒绝或从未发出：没有改变任何内容。";
    ruling_aside: Text = "It says nothing of the keys, so the verdict does not need it.", "它与 key 无关，判定不需要它。";
    ruling_unknown: Text = "Unknown: its member went away or did not answer in time. It may or may not have happened; both are allowed.", "未知：成员离开或未及时应答。它可能发生了，也可能没有；两者都允许。";
    ruling_unknown_read: Text = "Nobody heard the answer; a read changes nothing.", "没有人收到应答；读取不改变任何内容。";
    ruling_shown: Revision = |revision| format!("Unknown when its member went away; revision {revision} shows that it happened."), |revision| format!("成员离开时结果未知；revision {revision} 表明它发生了。");
    breach_order: Revisions = |revision, floor| format!("It was answered at revision {revision}, though revision {floor} was there before it was called."), |revision, floor| format!("应答于 revision {revision}，但在它被调用之前 revision {floor} 已经存在。");
    breach_by: fn(&str) -> String = |operation| format!("{operation} had returned that one."), |operation| format!("{operation} 已返回了后者。");
    breach_write: Revisions = |revision, floor| format!("It says that it made revision {revision}, though revision {floor} was there before it was called."), |revision, floor| format!("它声称产生了 revision {revision}，但在它被调用之前 revision {floor} 已经存在。");
    breach_answer: fn(i64, &str, &str) -> String = |revision, said, expected| format!("At revision {revision} the answer had to be: {expected}. It was: {said}."), |revision, said, expected| format!("在 revision {revision}，应答应为：{expected}。实际为：{said}。");
    breach_twice: fn(i64, &str) -> String = |revision, other| format!("{other} made revision {revision}, too; only one of them can be kept."), |revision, other| format!("{other} 也产生了 revision {revision}；两者只能保留一个。");
    breach_watch: Revision = |revision| format!("What a watch saw of revision {revision} is not what was written there."), |revision| format!("watch 看到的 revision {revision} 与写入的内容不同。");
}
