//! The words of "Why?", in both languages.
//!
//! What it is: [`WhyStrings`], whose fields are templates with places `{0}`, `{1}` … for values.
//! What it is not: etcd's errors, which are the same in both.
//! Invariants: values come escaped and are put in as they are; a text and its translation have the same places.

macro_rules! table {
    ($($(#[$about:meta])* $name:ident = $english:expr, $chinese:expr;)*) => {
        /// All texts of the view.
        #[derive(Debug)]
        pub struct WhyStrings {
            $(
                #[doc = concat!("In English: ", $english)]
                pub $name: &'static str,
            )*
        }

        /// English.
        pub(crate) static EN: WhyStrings = WhyStrings { $($name: $english,)* };
        /// Chinese.
        pub(crate) static ZH: WhyStrings = WhyStrings { $($name: $chinese,)* };

        #[cfg(test)]
        pub(super) const ALL: &[[&str; 2]] = &[$([$english, $chinese],)*];
    };
}

/// Puts values into the places of a template.
#[must_use]
pub(in crate::playground::insight) fn put(template: &str, values: &[&str]) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(joined(&text, before));
        let digit = after.bytes().next().unwrap_or_default();
        let value = values.get(usize::from(digit.wrapping_sub(b'0')));
        text.push_str(value.copied().unwrap_or_default());
        rest = after.get(2..).unwrap_or_default();
    }
    text.push_str(joined(&text, rest));
    text
}

/// What comes next: no space stands between two Chinese letters, whatever a value ended with.
fn joined<'a>(text: &str, next: &'a str) -> &'a str {
    let is_chinese = |letter: char| ('\u{4e00}'..='\u{9fff}').contains(&letter);
    match next.strip_prefix(' ') {
        Some(rest) if text.ends_with(is_chinese) && rest.starts_with(is_chinese) => rest,
        _ => next,
    }
}

table! {
    // The view.
    title = "Why?", "为什么？";
    hint = "Press Why? beside a command in the console, or run why: here stands what the members did with it, step by step.", "点按控制台中命令旁的“为什么？”，或运行 why：这里会逐步显示各成员对它做了什么。";
    explains = "Explained:", "解释：";
    show_log = "Show index {0} in the log", "在日志中显示 index {0}";
    steps = "Steps of the call", "调用的步骤";
    stuck_on = "It is stuck on this:", "它卡在这里：";
    rule = "Why:", "原因：";
    advice = "What to do:", "怎么办：";
    state_done = "done", "完成";
    state_now = "waiting", "等待中";
    state_failed = "failed", "失败";
    state_later = "not yet", "尚未";
    call = "Call {0}: {1}, asked of {2}", "调用 {0}：{1}，询问 {2}";
    older_calls = "{0} earlier calls of this command are not kept.", "此命令更早的 {0} 次调用没有保留。";
    same_tick = "at once", "立即";
    // A member's clock counts ticks: something between two of them is told with the later one.
    ticks = "+{0} ticks · up to {1}", "+{0} tick · 至多 {1}";
    one_tick = "+1 tick · up to {0}", "+1 tick · 至多 {0}";
    list_and = ", ", "、";
    itself = "{0} (itself)", "{0}（自己）";
    seconds = "{0} s", "{0} 秒";
    millis = "{0} ms", "{0} 毫秒";

    // What is asked.
    kind_read = "a read", "读取";
    kind_write = "a write", "写入";
    kind_compaction = "a compaction", "压缩";
    kind_lease = "a lease", "lease";
    kind_auth = "users and roles", "用户与角色";
    kind_login = "a login", "登录";
    kind_member = "the membership", "成员变更";
    kind_move_leader = "another leader", "更换 leader";
    kind_maintenance = "maintenance", "维护";
    kind_snapshot = "a snapshot", "快照";
    kind_watch = "a watch", "watch";
    kind_unknown = "a request", "请求";

    // Before any member.
    no_member = "No member was asked: etcdctl refused the line itself. It said: {0}", "没有询问任何成员：etcdctl 自己拒绝了这一行。它说：{0}";
    no_member_fine = "No member was asked: the command did it by itself.", "没有询问任何成员：命令自己完成了。";
    no_member_yet = "No member has been asked yet: the command waits for what it reads (standard input or a file) or for its time.", "还没有询问任何成员：命令在等待它要读取的内容（标准输入或文件）或时间。";
    no_member_verb = "No member was asked: this is a verb of the page, which acts on members and links from outside.", "没有询问任何成员：这是页面自己的动词，从外部作用于成员和链路。";
    between_calls = "All calls so far are answered; the command goes on by itself.", "到目前为止的调用都已得到回答；命令自己继续进行。";
    gave_up = "The client gave up at its own limit (--command-timeout, 5 s by default). What was proposed may still be committed.", "客户端在自己的时限（--command-timeout，默认 5 秒）后放弃。已提议的内容仍可能被提交。";
    refused_address = "No member has this address, so nobody was asked.", "没有成员使用这个地址，因此没有询问任何成员。";
    refused_member = "{0} was not asked: {1}.", "没有询问 {0}：{1}。";
    lost = "{0} went away before it answered. If it was a write, it may have been carried out.", "{0} 在回答之前离开了。如果是写入，它可能已经执行。";
    second = "This went to the second cluster of one member, which is not traced.", "这发往只有一个成员的第二集群，它不被追踪。";
    asking = "{0} is being asked what it knows of this call.", "正在询问 {0} 对这次调用知道什么。";
    forgotten = "{0} does not know this call any more: it has restarted since, or has had many others.", "{0} 已不知道这次调用：它后来重启过，或处理过许多其他调用。";
    silent = "What {0} knows of this call cannot be asked: {1}.", "无法询问 {0} 对这次调用知道什么：{1}。";

    // Steps.
    received = "Received", "收到";
    received_by = "{0} received the request and checked it.", "{0} 收到请求并检查了它。";
    proposed = "Proposed", "提议";
    proposed_self = "{0} leads term {1} and proposed it itself.", "{0} 是 term {1} 的 leader，自己提议。";
    proposed_to = "{0} forwarded it to {1}, the leader of term {2}.", "{0} 把它转交给 {1}，term {2} 的 leader。";
    proposed_waited = "It had waited for a leader.", "在此之前它等待过 leader。";
    appended = "Appended", "追加";
    appended_at = "{0} wrote it into its log as index {1}, term {2}.", "{0} 把它写入日志：index {1}，term {2}。";
    acknowledged = "Acknowledged", "确认";
    acknowledged_by = "On the disks of {0}: {1}.", "已在这些成员的磁盘上：{0}（{1}）。";
    acknowledged_some = "A majority has it, since it is committed; known so far: {0}.", "既然已提交，多数派就拥有它；目前已知：{0}。";
    needs_has = "needs {0} of {1}, has {2}", "需要 {1} 个中的 {0} 个，现有 {2} 个";
    needs_joint = "of the new voters {0}; of the old {1}", "新的投票成员：{0}；旧的：{1}";
    committed = "Committed", "提交";
    committed_by = "A majority has index {0}, so it is committed; known to {1}.", "多数派拥有 index {0}，因此已提交；{1} 已知道。";
    applied = "Applied", "应用";
    applied_by = "{0} applied index {1}; its store is at revision {2} now.", "{0} 应用了 index {1}；其存储现在位于 revision {2}。";
    applied_elsewhere = "Index {0} is applied at {1}.", "index {0} 已在 {1} 应用。";
    answered = "Answered", "回答";
    answered_by = "{0} answered, with applied index {1} and revision {2}.", "{0} 作了回答，applied index 为 {1}，revision 为 {2}。";
    answered_error = "{0} answered with the error: {1}", "{0} 以错误回答：{1}";
    canceled = "The client waits no more; it got no answer.", "客户端不再等待；没有得到回答。";
    canceled_stream = "The client closed the stream.", "客户端关闭了流。";
    local = "From its own store", "来自自己的存储";
    local_by = "{0} asked nobody: a serializable read, or something that it knows itself. It is what {0} had applied, and may be older than what others have.", "{0} 没有询问任何成员：这是 serializable 读取，或它自己就知道的内容。这是 {0} 已应用的状态，可能比其他成员旧。";
    read_asked = "Read index asked", "询问 read index";
    read_asked_of = "{0} asked {1}, the leader, how far the log is committed.", "{0} 询问 leader {1} 日志提交到哪里。";
    read_asked_times = "{0} asked {1}, the leader, how far the log is committed; {2} times so far.", "{0} 询问 leader {1} 日志提交到哪里；到目前为止 {2} 次。";
    read_confirmed = "Leader confirmed", "确认 leader 身份";
    read_confirmed_by = "Heartbeats answered by {0}: it still leads. Read index {1}.", "心跳得到 {0} 的回应：它仍是 leader。read index 为 {1}。";
    read_confirmed_plain = "The leader still leads. Read index {0}.", "leader 仍是 leader。read index 为 {0}。";
    caught_up = "Caught up", "追上";
    caught_up_by = "{0} has applied everything up to index {1}.", "{0} 已应用到 index {1}。";
    leader_asked = "Leader asked", "询问 leader";
    leader_asked_of = "{0} asked {1}: only the leader knows or does this.", "{0} 询问 {1}：只有 leader 知道或能做这件事。";
    opened = "Stream open", "流已打开";
    opened_by = "Open at {0}: events come once {0} has applied them. It has applied {1} of {2} committed entries.", "在 {0} 打开：{0} 应用之后才会送出事件。它已应用 {2} 个已提交条目中的 {1} 个。";
    not_yet = "not yet", "尚未";

    // Verdicts.
    both = "{0} {1}", "{0}{1}";
    verdict_fine = "{0} answered after {1}.", "{0} 在 {1} 后回答。";
    verdict_error = "{0} refused it after {1}: {2}", "{0} 在 {1} 后拒绝：{2}";
    verdict_waits = "No answer for {0}. Next step: {1}.", "{0} 以来没有回答。下一步：{1}。";
    verdict_canceled = "No answer: the client gave up after {0}. Open step: {1}.", "没有回答：客户端在 {0} 后放弃。未完成的步骤：{1}。";
    verdict_late = "No answer: the client gave up after {0}; what it asked was done nevertheless.", "没有回答：客户端在 {0} 后放弃；但它请求的内容仍然完成了。";
    verdict_open = "The stream has been open for {0}.", "流已打开 {0}。";
    verdict_closed = "The stream was open for {0}.", "流曾打开 {0}。";
    verdict_lost = "{0} went away after {1}.", "{0} 在 {1} 后离开。";
    verdict_refused = "Not asked.", "没有询问。";

    // What somebody is stuck on.
    sentence = "{0}.", "{0}。";
    down_since = "{0} has been down for {1}", "{0} 已停止 {1}";
    down = "{0} is down", "{0} 已停止";
    paused_since = "{0} has been paused for {1}", "{0} 已暂停 {1}";
    paused = "{0} is paused", "{0} 已暂停";
    removed = "{0} is no member any more", "{0} 已不是成员";
    cut_since = "the link {0} → {1} has been cut for {2}", "链路 {0} → {1} 已断开 {2}";
    cut = "the link {0} → {1} is cut", "链路 {0} → {1} 已断开";
    disk_since = "the disk of {0} has worked on one round for {1}", "{0} 的磁盘写入已 {1} 未完成";
    not_heard = "{0} has not heard from {1} for {2}", "{0} 已 {2} 没有收到 {1} 的消息";
    gets_snapshot = "{0} is being sent a snapshot first", "正在先向 {0} 发送快照";
    behind = "{0} is behind: its log matches up to index {1}, {2} is wanted", "{0} 落后：其日志匹配到 index {1}，需要 {2}";
    on_its_way = "the answer of {0} is on its way", "{0} 的回应正在路上";
    no_leader_since = "{0} has known no leader for {1}.", "{0} 已 {1} 不知道 leader。";
    leads_unheard = "{0} leads term {1}, but {2} does not follow it: {3}.", "{0} 是 term {1} 的 leader，但 {2} 没有跟随它：{3}。";
    no_election = "An election cannot be won: {0}.", "无法赢得选举：{0}。";
    election_soon = "An election can be won ({0}): one begins after an election timeout without a leader, here {1} to {2}.", "可以赢得选举（{0}）：没有 leader 超过选举超时后就会开始，此处为 {1} 到 {2}。";
    missing = "Missing: {0}.", "缺少：{0}。";
    waits_majority = "Index {0} of term {1} is acknowledged by {2}; {3}.", "index {0}（term {1}）已由 {2} 确认；{3}。";
    waits_nobody = "Index {0} of term {1} is on no disk yet; {2}.", "index {0}（term {1}）还不在任何磁盘上；{2}。";
    forward_lost = "{0} does not have it: {1}.", "{0} 没有收到它：{1}。";
    forward_wait = "{0} has not said yet whether it has it.", "{0} 还没有说明是否收到。";
    forward_vanished = "{0} does not have it, though nothing is broken now: it was lost on the way.", "{0} 没有它，尽管现在没有故障：它在途中丢失了。";
    not_again = "A proposal is handed over once; nobody does it again. After {0} {1} answers with a timeout.", "提议只转交一次，不会重发。{0} 后 {1} 会以超时回答。";
    leader_lost = "The leader that it was handed to leads no more; what is not committed may be lost.", "接收它的 leader 已不再是 leader；未提交的内容可能丢失。";
    overwritten = "Another leader's entry stands at index {0} now: this one was never committed and is gone.", "index {0} 现在是另一个 leader 的条目：这一条从未提交，已经丢失。";
    not_told = "{0} does not know yet that it is committed: {1}.", "{0} 还不知道它已提交：{1}。";
    apply_behind = "{0} has applied index {1}, {2} behind its commit index {3}.", "{0} 应用到 index {1}，比其 commit index {3} 落后 {2}。";
    apply_waits = "{0} has applied index {1}, and waits for {2}.", "{0} 应用到 index {1}，正在等待 {2}。";
    rows_going = "Applied; the answer waits until the old revisions are removed.", "已应用；要等旧的 revision 删除后才回答。";
    read_waits = "{0} must know that it still leads: heartbeats answered by {1}; {2}.", "{0} 必须确认自己仍是 leader：心跳得到 {1} 的回应；{2}。";
    own_term = "{0} has not committed an entry of its own term {1} yet; until then it cannot know how far the log is committed.", "{0} 还没有提交自己 term {1} 的条目；在此之前它无法知道日志提交到哪里。";
    read_unheard = "{0} does not have the question: {1}.", "{0} 没有收到询问：{1}。";
    answer_unheard = "{0} has answered, but {1} does not hear it: {2}.", "{0} 已回答，但 {1} 没有收到：{2}。";
    leads_no_more = "{0} leads no more.", "{0} 已不再是 leader。";
    checking = "{0} compares its data with its peers' before it does anything.", "{0} 在做任何事之前先与其他成员比较数据。";
    token_waits = "It waits until the entry that made its token is applied; {0} has applied index {1}.", "它在等待产生其令牌的条目被应用；{0} 已应用到 index {1}。";
    pieces = "The store is being sent in pieces; the answer comes after the last one.", "正在分片发送存储；最后一片之后才会回答。";
    crowd = "{0} other requests wait at {1}.", "{1} 还有 {0} 个其他请求在等待。";
    nothing_known = "{0} has not told yet how it is.", "{0} 还没有报告自己的状态。";
    looks_fine = "Nothing that is broken is known; it should go on at once.", "没有已知的故障；应该马上继续。";
    compacted_by = "Everything before revision {0} was removed by the entry at index {1}.", "revision {0} 之前的内容已由 index {1} 的条目删除。";
    alarm_of = "The alarm NOSPACE is on, raised by {0}.", "NOSPACE 告警已开启，由 {0} 触发。";
}
