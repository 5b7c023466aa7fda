//! The texts of the view of watches and leases, which belongs to the program `insight`.
//!
//! What it is: [`HeldStrings`], a table of its own, so that the first visit does not load it.
//! What it is not: etcd's reasons and errors, which are etcd's, or `Strings`.
//! Invariants: those of `strings`; Chinese as `zh` says.

use super::{Count, Language, With1, With2, With3};

/// A text.
type Text = &'static str;

macro_rules! table {
    ($($(#[$about:meta])* $name:ident: $kind:ty = $english:expr, $chinese:expr;)*) => {
        /// All texts of the view.
        #[derive(Debug)]
        pub struct HeldStrings {
            $($(#[$about])* pub $name: $kind,)*
        }

        #[cfg(test)]
        impl HeldStrings {
            /// All texts by their names, each with sample values, in each form that it has.
            pub(super) fn samples(&self) -> Vec<(&'static str, Vec<String>)> {
                use super::tests::Sample;
                vec![$((stringify!($name), self.$name.samples()),)*]
            }
        }

        static EN: HeldStrings = HeldStrings { $($name: $english,)* };
        static ZH: HeldStrings = HeldStrings { $($name: $chinese,)* };
    };
}

impl HeldStrings {
    /// Those of a language.
    #[must_use]
    pub const fn of(language: Language) -> &'static Self {
        match language {
            Language::English => &EN,
            Language::Chinese => &ZH,
        }
    }
}

table! {
    /// The view.
    title: Text = "Watches and leases", "watch 与 lease";
    /// Nothing is known yet.
    waiting: Text = "Waiting for a member to tell what it holds for its clients.", "正在等待成员报告它为客户端保存的内容。";
    /// The part with the lanes.
    watches: Text = "Watches", "watch";
    /// What the lanes show.
    watches_hint: Text = "One lane per watcher, the last minute from left to right. A bar is a batch of events, a ring a progress notification.", "每个观察者一条泳道，从左到右为最近一分钟。竖条是一批事件，圆环是进度通知。";
    /// The watch of the page itself.
    own: Text = "This page's view of the keys", "本页面的 key 视图";
    /// Where a watch runs.
    console: With1 = With1("console {0}"), With1("控制台 {0}");
    /// Nobody but the page watches.
    no_watch: Text = "No console watches anything. Put a watch into one:", "还没有控制台在执行 watch。把一条 watch 填入控制台：";
    /// Items were dropped.
    dropped: Text = "Some of what happened while this view was closed is not known here any more.", "此视图关闭期间发生的部分内容已不再保留。";
    /// Watches of a member that have no lane.
    others: With2 = With2("{0} holds more watches that have no lane here: {1}.", ), With2("{0} 还有不在此处显示的 watch：{1}。");

    /// It was asked for.
    opening: Text = "opening", "正在建立";
    /// It gets every change when it is made.
    synced: Text = "synced", "已同步";
    /// It reads the past.
    catching_up: Count = Count("catching up, 1 revision behind|catching up, {0} revisions behind"), Count("追赶中，落后 {0} 个 revision");
    /// Its stream is full.
    slow: Count = Count("slow, 1 response waits in its stream|slow, {0} responses wait in its stream"), Count("缓慢，流中有 {0} 个响应在等待");
    /// Its stream is gone, and its client has not opened another.
    away: Text = "disconnected", "已断开";
    /// The member ended it.
    canceled: With1 = With1("cancelled: {0}"), With1("已取消：{0}");
    /// The member ended it, for its history is gone.
    canceled_at: With2 = With2("cancelled: {0}; compacted up to revision {1}"), With2("已取消：{0}；已压缩到 revision {1}");
    /// The client ended it.
    closed: Text = "ended by its client", "已由客户端结束";
    /// The member ended the stream.
    failed: With1 = With1("stream ended: {0}"), With1("流已结束：{0}");
    /// Its member cannot be asked.
    silent: With1 = With1("{0} does not answer; this was last known"), With1("{0} 没有应答，这是最后得知的状态");
    /// Its member has said nothing of it.
    untold: Text = "open", "已建立";
    /// The next revision that it will hear of.
    next: With1 = With1("next revision {0}"), With1("下一个 revision 为 {0}");
    /// Events that came.
    events: Count = Count("1 event|{0} events"), Count("{0} 个事件");
    /// In how many batches.
    batches: Count = Count("in 1 batch|in {0} batches"), Count("· 分 {0} 批");
    /// How often the client connected again.
    resumed: Count = Count("resumed once|resumed {0} times"), Count("恢复过 {0} 次");
    /// The versions of each key follow one another.
    whole: Text = "none lost, none doubled", "无丢失，无重复";
    /// They do not.
    not_whole: With2 = With2("lost: {0}, doubled: {1}"), With2("丢失 {0}，重复 {1}");
    /// There were too many to look at each.
    unchecked: Text = "too many to check each", "数量过多，未逐个核对";
    /// It does not hear of puts.
    no_puts: Text = "no puts", "不含 put";
    /// It does not hear of deletions.
    no_deletes: Text = "no deletions", "不含删除";
    /// Cuts the stream.
    cut: Text = "Disconnect and resume", "断开并恢复";
    /// What that does.
    cut_hint: With1 = With1("Cut this stream as a network does: its client opens it again and goes on from revision {0}"), With1("像网络故障那样切断这个流：客户端会重新建立它，并从 revision {0} 继续");
    /// Ends the command.
    stop: Text = "Stop", "停止";
    /// What that does.
    stop_hint: With1 = With1("Ctrl-C in console {0}"), With1("在控制台 {0} 中按 Ctrl-C");
    /// Opens the list of what happened.
    story: Text = "What happened", "经过";
    /// The list of what happened to a watch.
    story_of: With1 = With1("What happened to {0}"), With1("{0} 的经过");
    /// The axis.
    now: Text = "now", "现在";
    /// So long ago.
    ago: With1 = With1("{0} s ago"), With1("{0} 秒前");

    /// It was asked for, from a revision on.
    did_open: With2 = With2("asks {0} from revision {1} on"), With2("向 {0} 请求，从 revision {1} 开始");
    /// It was asked for, from now on.
    did_open_now: With1 = With1("asks {0} from now on"), With1("向 {0} 请求，从现在开始");
    /// It was asked for again, right where it ended.
    did_resume: With3 = With3("asks {0} again from revision {1} on, right after {2}, the last one seen"), With3("再次向 {0} 请求，从 revision {1} 开始，紧接最后看到的 {2}");
    /// It was made.
    did_create: With1 = With1("created at revision {0}"), With1("在 revision {0} 建立");
    /// Events came.
    did_batch: With2 = With2("{0}, revision {1}"), With2("{0}，revision {1}");
    /// Events came, of several revisions.
    did_batches: With3 = With3("{0}, revisions {1} to {2}"), With3("{0}，revision {1} 到 {2}");
    /// In several responses.
    responses: Count = Count("in 1 response|in {0} responses"), Count("分 {0} 个响应");
    /// Some of them were parts.
    fragments: Count = Count("1 fragment|{0} fragments"), Count("{0} 个分片");
    /// Progress.
    did_progress: With1 = With1("progress: nothing new up to revision {0}"), With1("进度：到 revision {0} 为止没有新内容");
    /// The stream was cut.
    did_cut: Text = "the stream was cut", "流被切断";
    /// The member went away.
    did_lose: Text = "the member went away", "成员离开了";

    /// The part with the leases.
    leases: Text = "Leases", "lease";
    /// There are none.
    no_lease: Text = "No leases. Put a grant into the console:", "还没有 lease。把一条 grant 填入控制台：";
    /// Who counts.
    primary: With1 = With1("{0} counts the time"), With1("由 {0} 计时");
    /// Nobody does.
    no_primary: Text = "Without a leader nobody counts the time, and nothing expires.", "没有 leader 就没有成员计时，也不会有 lease 到期。";
    /// What is left.
    left: With1 = With1("{0} left"), With1("还剩 {0}");
    /// What was granted.
    granted: With1 = With1("of {0}"), With1("共 {0}");
    /// A time. Unit: s.
    seconds: With1 = With1("{0} s"), With1("{0} 秒");
    /// A long time, as minutes and seconds.
    minutes: With1 = With1("{0} min"), With1("{0} 分钟");
    /// Its time is over.
    ending: Text = "time is over, being revoked", "时间已到，正在撤销";
    /// Nobody counts its time.
    standing: Text = "nobody counts", "无人计时";
    /// Its time ran out.
    expired: Text = "expired", "已到期";
    /// A client ended it.
    revoked: Text = "revoked", "已撤销";
    /// The switch.
    keep: Text = "Keep alive", "保持存活";
    /// What it does.
    keep_hint: With1 = With1("Renew lease {0} from this page, as etcdctl lease keep-alive does"), With1("由本页面续期 lease {0}，与 etcdctl lease keep-alive 相同");
    /// When it was renewed, by the page.
    renewed_here: With1 = With1("renewed by this page {0} ago"), With1("本页面于 {0} 前续期");
    /// When it was renewed, by another client.
    renewed: With1 = With1("renewed by a console {0} ago"), With1("控制台于 {0} 前续期");
    /// The page cannot renew it.
    keep_failed: With1 = With1("Not renewed any more: {0}"), With1("已停止续期：{0}");
    /// Nobody renews it.
    not_renewed: Text = "not renewed", "未续期";
    /// What a checkpoint says.
    checkpoint: With1 = With1("checkpoint {0}"), With1("checkpoint {0}");
    /// Puts a revocation into the console.
    revoke: Text = "Revoke…", "撤销……";
    /// What that does.
    revoke_hint: With1 = With1("Put the revocation of lease {0} into the console"), With1("把撤销 lease {0} 的命令填入控制台");
    /// It has no keys.
    no_keys: Text = "no keys", "没有 key";
    /// Its keys.
    keys_of: With1 = With1("Keys of lease {0}"), With1("lease {0} 的 key");
    /// Its keys went with it.
    keys_gone: Text = "its keys are deleted", "其 key 已删除";
    /// A key, to be looked at.
    show_key: With1 = With1("Show key {0}"), With1("显示 key {0}");
    /// Keys that are not named.
    more_keys: Count = Count("1 more|{0} more"), Count("另有 {0} 个");
    /// Leases that are not listed.
    more_leases: Count = Count("1 more lease is not listed|{0} more leases are not listed"), Count("另有 {0} 个 lease 未列出");
    /// What is left of a lease, said.
    time_left: With1 = With1("Time left of lease {0}"), With1("lease {0} 的剩余时间");

    /// Told when it happens.
    told_canceled: With2 = With2("The watch {0} was cancelled: {1}"), With2("watch {0} 已取消：{1}");
    /// Told when it happens.
    told_expired: With1 = With1("Lease {0} expired; its keys are deleted"), With1("lease {0} 已到期，其 key 已删除");
    /// Told when it happens.
    told_revoked: With1 = With1("Lease {0} was revoked; its keys are deleted"), With1("lease {0} 已撤销，其 key 已删除");
}
