//! The program's texts in Chinese, in simplified characters; terms as in the page's own table.
//!
//! Invariants: see `strings`; the list of differences has the sentences of the English one, in its order.

use super::commands_zh::PHRASES;
use super::exact::ExactGroup::{self, Absent, Exact, Simplified};
use super::strings::InsightStrings;
use crate::playground::strings::{HeldStrings, Language};

/// Chinese.
pub static ZH: InsightStrings = InsightStrings {
    // The reference of commands.
    commands_title: "命令",
    commands_hint: "每个命令及其选项，即控制台中 --help 的页面；控制台仍以英文输出。",
    commands_filter: "筛选命令",
    commands_choose: "选择一个命令以查看其页面。",
    commands_none: "没有命令包含这段文字。",
    commands_examples: "把示例填入控制台",
    commands_phrases: PHRASES,
    // Members.
    leader: "leader",
    follower: "follower",
    candidate: "candidate",
    pre_candidate: "pre-candidate",
    learner: "learner",
    voter: "投票成员",
    down: "已停止",
    paused: "已暂停",
    cut_off: "被隔离",
    removed: "已移除",
    reachable: "可达",

    // Watches and leases.
    held: HeldStrings::of(Language::Chinese),
    why: &super::why::ZH,
    errors: &super::errors::ZH,

    // The log.
    log_title: "所有成员的日志，并排显示",
    log_waiting: "正在等待成员报告其日志。",
    log_index: "index",
    log_hint: "每一行是日志中的一个位置。如果两个成员在同一位置的 term 不同，其中一个会丢弃自己的条目。",
    log_follow: "最新",
    log_state_memory: "在内存中",
    log_state_durable: "已落盘",
    log_state_committed: "已提交",
    log_state_applied: "已应用",
    log_state_snapshot: "在快照中",
    log_state_unknown: "正在读取",
    log_absent: "此处没有条目",
    log_conflict: "term 与其他成员不同",
    log_match: "match",
    log_next: "next",
    log_begins: |index| format!("从 {index} 开始"),
    log_peer: |matched, next| format!("match {matched} · next {next}"),
    log_numbers: |commit, applied| format!("提交 {commit} · 应用 {applied}"),
    log_term: |term| format!("term {term}"),
    log_place: |name, index| format!("{name}，index {index}"),
    log_stale: "最近一次得知的状态",
    log_show_key: "查看这个 key",
    log_close: "关闭",

    // What an entry says.
    entry_empty: "（空）",
    entry_empty_hint: "新 leader 的第一个条目：不改变任何 key",
    entry_put: |key, size| format!("put {key} ({size})"),
    entry_lease: |lease| format!(" lease {lease}"),
    entry_delete: |key| format!("del {key}"),
    entry_delete_range: |key| format!("del {key} 及更多"),
    entry_txn: |compares, success, failure| {
        if failure == 0 {
            format!("txn if {compares}: {success}")
        } else {
            format!("txn if {compares}: {success}, else {failure}")
        }
    },
    entry_compaction: |revision| format!("compaction {revision}"),
    entry_lease_grant: |lease, ttl| format!("lease grant {lease} ({ttl} s)"),
    entry_lease_revoke: |lease| format!("lease revoke {lease}"),
    entry_lease_checkpoint: "lease checkpoint",
    entry_alarm: "alarm",
    entry_auth: "auth",
    entry_downgrade: "downgrade",
    entry_publish: |name| format!("{name} 公布其地址"),
    entry_add: |name| format!("member add {name}"),
    entry_add_learner: |name| format!("member add --learner {name}"),
    entry_promote: |name| format!("member promote {name}"),
    entry_remove: |name| format!("member remove {name}"),
    entry_update: |name| format!("member update {name}"),
    entry_joint: "联合配置",
    entry_unreadable: "无法读取",
    kind_normal: "普通",
    kind_config: "配置",
    kind_empty: "空",

    // The clocks.
    clocks_title: "三个时钟：时间、Raft、revision",
    clocks_hint: "每一列是发生的一件事。实心标记：此时钟前进了；空心圆：此时钟没有动。",
    clocks_empty: "自页面打开以来还没有发生任何事。试试写入一个 key，或终止 leader。",
    clock_time: "时间",
    clock_raft: "Raft：term · index",
    clock_revision: "存储的 revision",
    clock_moved: "前进了",
    clock_stood: "没有动",
    clock_unknown: "在左右相邻的值之间",
    clock_since: |ms| format!("+{}.{} 秒", ms / 1_000, ms % 1_000 / 100),
    clocks_ruler: "按时间比例排列",
    clocks_older: |count| format!("另有 {count} 件更早的事未显示"),
    clocks_keys: "左右方向键逐个移动，Home 和 End 移到两端。",
    moment_leader: |name, term| format!("{name} 成为 term {term} 的 leader"),
    moment_leader_any: |term| format!("term {term} 有了 leader"),
    moment_campaign: |name, term| format!("{name} 在 term {term} 请求投票"),
    moment_quorum_lost: |name| format!("{name} 退位：它听不到多数派"),
    moment_stepped: |name| format!("{name} 退位"),
    moment_snapshot: |name, from| format!("{name} 从 {from} 接收了快照"),
    moment_down: |name| format!("{name} 停止了"),
    moment_started: |name| format!("{name} 从磁盘启动"),
    moment_paused: |name| format!("{name} 被暂停"),
    moment_resumed: |name| format!("{name} 继续运行"),
    moment_links: |count| match count {
        0 => "所有链路都已连通".to_owned(),
        count => format!("有 {count} 个方向被切断"),
    },
    moment_entry: |entry| entry.to_owned(),
    wrote_index: |index| format!("写入了 index {index}"),
    same_index: "日志中没有写入条目",
    new_revision: |before, after| format!("revision 从 {before} 变为 {after}"),
    same_revision: |revision| format!("revision 仍为 {revision}"),
    unknown_revision: |revision| {
        format!("此处不知道它是否产生了新的 revision；稍后的值为 {revision}")
    },
    sentence: |what, raft, revision| format!("{what}：{raft}，{revision}。"),

    // The history.
    history: &super::history_strings::ZH,

    // The quorum.
    quorum_title: "一组成员能做什么",
    quorum_hint: "选择哪些成员可达，看看集群还能做什么。",
    quorum_waiting: "正在等待成员报告配置。",
    quorum_members: "可达的成员",
    quorum_real: "这就是现在的情况。",
    quorum_thought: "这只是设想：集群照常运行。",
    quorum_back: "回到现在的情况",
    quorum_elect: "选举 leader",
    quorum_commit: "提交写入",
    quorum_read: "线性一致读",
    quorum_serializable: "串行化读",
    quorum_spare: "再失去一个成员",
    colon: "：",
    comma: "，",
    yes: "能",
    no: "不能",
    needs: |needed, of| format!("需要 {of} 个中的 {needed} 个"),
    has: |count| format!("现有 {count} 个"),
    needs_both: |new, old| format!("新的投票成员：{new}；旧的：{old}"),
    needs_one: |count| format!("需要任意 1 个成员，现有 {count} 个；返回的内容可能是旧的"),
    spare_keeps: |left, needed| format!("会剩下 {left} 个，需要 {needed} 个"),
    spare_none: "一开始就没有多数派",
    learners_do_not_count: "learner 接收日志，但不计入任何多数派。",
    joint_now: "当前是联合配置：新旧两半都需要多数派。",
    vote_note: "当选者还必须拥有所有已提交的条目。",

    // The messages.
    messages: &super::message_strings::ZH,

    // What is exact.
    exact_title: "哪些完全一致、哪些简化、哪些没有",
    exact_exact: "完全一致",
    exact_simplified: "简化或做法不同",
    exact_absent: "没有",
    suites_title: "此版本通过的测试",
    suites_loading: "正在加载统计。",
    suites_failed: |reason| format!("无法加载统计：{reason}。"),
    suite_name: "测试集",
    suite_passed: "通过",
    suite_failed: "失败",
    suite_of: "总数",
    differences: DIFFERENCES,
};

const DIFFERENCES: &[(ExactGroup, &str)] = &[
    (
        Exact,
        "Raft：选举、PreVote、CheckQuorum、复制、ReadIndex、快照、联合配置和 leader 转移与 etcd 自己的库一致，并用录制的脚本核对。",
    ),
    (
        Exact,
        "每个回答都等待磁盘：条目在多数派上落盘之后才会被确认，IndexedDB 以 strict 持久性写入。",
    ),
    (Exact, "revision、version、事务、范围、压缩和 HashKV 给出与 etcd 相同的数字。"),
    (
        Exact,
        "watch 按顺序看到每个事件且仅一次，可从任何未压缩的 revision 恢复，分片、过滤和取消都与 etcd 相同。",
    ),
    (Exact, "lease 以 leader 的 tick 计时，在 leader 更换后仍然有效，到期时带走其 key。"),
    (Exact, "用户、角色、权限和令牌在相同的地方检查，返回相同的错误。"),
    (
        Exact,
        "错误带有 etcd 的文本和代码；在每个录制的用例中，etcdctl 的输出与 etcdctl 3.7.1 逐字节相同。",
    ),
    (Exact, "成员 id、集群 id 和 lease id 的生成方式与 etcd 相同。"),
    (
        Simplified,
        "查找事务中的重复 key 时，from-key 删除按它所删除的范围计算；3.7.1 把它当作空范围。",
    ),
    (
        Simplified,
        "没有 victim 列表：若某个流已有 128 个排队的响应，其 watch 变为未同步，并从存储继续读取。",
    ),
    (Simplified, "即使压缩正在进行，HashKV 也不计入已被取代的行。"),
    (Simplified, "因崩溃而中断的压缩在成员启动时完成。"),
    (Simplified, "以 physical 方式请求的压缩在其行被删除后才回答，并带有应用它时的 revision。"),
    (Simplified, "提升之后，每秒到期的 lease 不超过撤销速率的四分之三。"),
    (Simplified, "自相矛盾的对端消息会以错误拒绝，而 etcd 会 panic。"),
    (Simplified, "配置变更在日志中是 postcard 格式，而不是 protobuf；没有别人会读取它。"),
    (Simplified, "只有自己一个成员的 leader 在本 term 提交条目之前会推迟读取。"),
    (Simplified, "leader 更换时等待中的线性一致读由成员自己重新发起。"),
    (Simplified, "移除唯一投票成员的条目会被拒绝；etcd 的成员会因此崩溃。"),
    (Simplified, "没有 leader 时的提案会等待，直到有 leader 或其客户端放弃。"),
    (Simplified, "降级只是日志和状态中的一条记录；引擎只以一个版本运行。"),
    (Simplified, "成员之间的哈希检查在比较时不另做多数派读。"),
    (Simplified, "启动时检查数据的成员会晚些回答这期间客户端的请求；etcd 此时尚未打开端口。"),
    (Simplified, "快照文件有自己的格式；数据库大小按 bbolt 的页计算。"),
    (Simplified, "endpoint 按顺序尝试，已发出的写入不会再次发送。"),
    (Simplified, "网络错误说明成员发生了什么，而不是 TCP 消息。"),
    (Simplified, "帮助文本是我们自己的文字，选项是 etcd 的。"),
    (Simplified, "这里数据库的配额是 16 MiB，因此一分钟内就能看到空间耗尽。"),
    (Simplified, "慢动作（speed 1/10）和没有 CheckQuorum 的集群在 etcd 中不存在。"),
    (Absent, "端口：此页面之外的程序无法访问集群，也没有 TLS 和 gRPC。"),
    (Absent, "会启动程序的命令（lock name command、watch -- command）会以一句话拒绝。"),
    (Absent, "v2 API、gRPC 网关、gRPC 代理和 DNS 发现。"),
    (Absent, "真实 etcd 的文件：无法打开或写入 bbolt 快照。"),
    (Absent, "JWT 令牌和客户端证书；简单令牌是有的。"),
];
