//! The reference of commands in Chinese: what commands and flags do, and the headings of a page.
//!
//! What it is: [`PHRASES`], each sentence of etcdctl's table beside its translation; it belongs to the program `insight`.
//! What it is not: what the console prints, which is the same in every language; names, examples and defaults stay.
//! Invariants: every sentence and heading of the table is here once, and nothing else; held by a test.

/// A sentence of the table in English, and in another language.
pub type Phrase = (&'static str, &'static str);

/// Those in Chinese.
pub(super) static PHRASES: &[Phrase] = &[
    // Headings.
    ("Keys and values", "key 与 value"),
    ("Members and maintenance", "成员与维护"),
    ("Users and rights", "用户与权限"),
    ("Leases, locks, elections", "lease、锁与选举"),
    ("About etcdctl", "关于 etcdctl"),
    ("Usage", "用法"),
    ("Examples", "示例"),
    ("Flags", "选项"),
    ("Flags of every command", "所有命令通用的选项"),
    ("accepted; ", "可以写但不起作用；"),
    // Flags of every command.
    ("show this page", "显示本页"),
    (
        "how to print: simple, fields, json, protobuf or table",
        "输出格式：simple、fields、json、protobuf 或 table",
    ),
    ("there is no transport security here", "这里没有 TLS"),
    // Keys.
    ("read a key or a range of keys", "读取一个 key 或一段范围内的 key"),
    (
        "l: the newest state, through a quorum; s: what the member has",
        "l：经多数派确认的最新状态；s：该成员本地的状态",
    ),
    ("ASCEND or DESCEND; unset means by key, ascending", "ASCEND 或 DESCEND；不设则按 key 升序"),
    ("CREATE, KEY, MODIFY, VALUE or VERSION", "CREATE、KEY、MODIFY、VALUE 或 VERSION"),
    ("at most so many keys; 0 means all", "最多返回多少个 key；0 表示全部"),
    ("every key that begins with <key>", "所有以 <key> 开头的 key"),
    ("every key from <key> on", "从 <key> 起的所有 key"),
    ("as it was at this revision; 0 means now", "读取该 revision 时的状态；0 表示当前"),
    ("leave the values out", "不输出 value"),
    ("only the number of keys; needs -w fields", "只输出 key 的数量；须配合 -w fields"),
    ("only the values; needs -w simple", "只输出 value；须配合 -w simple"),
    ("leave out keys created before this revision", "略去在该 revision 之前创建的 key"),
    ("leave out keys created after this revision", "略去在该 revision 之后创建的 key"),
    ("leave out keys last written before this revision", "略去最后修改早于该 revision 的 key"),
    ("leave out keys last written after this revision", "略去最后修改晚于该 revision 的 key"),
    ("ask for the answer in pieces; it looks the same", "分块获取响应；输出没有区别"),
    ("write a key", "写入一个 key"),
    ("lease to attach the key to, in hexadecimal", "key 要绑定的 lease，十六进制"),
    ("print what the key held before", "输出该 key 之前的 value"),
    ("keep the value the key has", "保留该 key 现有的 value"),
    ("keep the lease the key has", "保留该 key 现有的 lease"),
    ("delete a key or a range of keys", "删除一个 key 或一段范围内的 key"),
    ("print what was deleted", "输出被删除的内容"),
    ("a range is meant: do not wait before deleting it", "确实要删除一段范围：删除前不等待确认"),
    ("several operations in one, on conditions", "事务：按条件一次执行多个操作"),
    ("ask for each part", "逐部分交互输入"),
    ("forget history before a revision", "压缩：丢弃某个 revision 之前的历史"),
    ("answer only when the space is free", "等空间真正释放后才返回"),
    ("print changes as they happen", "实时输出变更"),
    ("read watch requests from standard input", "从标准输入读取 watch 请求"),
    ("from this revision on; 0 means from now", "从该 revision 开始；0 表示从现在开始"),
    ("also print what the key held before", "同时输出该 key 之前的 value"),
    ("print a line now and then when nothing changes", "没有变更时也不时输出一行进度"),
    // Members and maintenance.
    ("lift every alarm", "解除所有告警"),
    ("show the alarms", "列出告警"),
    ("give free space back", "碎片整理：归还空闲空间"),
    (
        "every member of the cluster, not only the endpoints",
        "集群的所有成员，而不只是 endpoints 中的成员",
    ),
    ("whether each endpoint can serve a quorum read", "各 endpoint 能否完成线性一致读"),
    ("role, term, index and size of each endpoint", "各 endpoint 的角色、term、index 和大小"),
    ("hash over the keys of each endpoint", "各 endpoint 的 key 空间哈希"),
    (
        "hash the keys up to this revision; 0 means the newest",
        "计算到该 revision 为止的哈希；0 表示最新",
    ),
    ("hand leadership over", "移交 leader"),
    ("add a member", "添加成员"),
    ("where its peers reach it, separated by commas", "其他成员访问它的地址，用逗号分隔"),
    ("it receives the log but does not vote", "作为 learner 加入：接收日志但不投票"),
    ("remove a member", "移除成员"),
    ("change where a member is reached", "修改成员的地址"),
    ("every member", "列出所有成员"),
    ("l: through a quorum; s: what the member has", "l：经多数派确认；s：该成员本地的状态"),
    ("let a learner vote", "把 learner 提升为投票成员"),
    ("write one to a file", "保存快照到文件"),
    ("copy keys to another cluster", "把 key 镜像到另一个集群"),
    ("only keys that begin with this", "只复制以此开头的 key"),
    ("start at this revision", "从该 revision 开始"),
    ("most operations in one write", "单次写入的操作数上限"),
    ("put this in place of the prefix", "用它替换原前缀"),
    ("put nothing in place of the prefix", "去掉原前缀"),
    ("user at the destination", "目标集群的用户"),
    ("password at the destination", "目标集群的密码"),
    ("whether it would work", "检查能否降级"),
    ("begin", "开始降级"),
    ("stop", "取消降级"),
    // Leases, locks, elections.
    ("make a lease", "创建 lease"),
    ("end a lease and delete its keys", "撤销 lease 并删除其 key"),
    ("time left on a lease", "lease 的剩余时间"),
    ("also list its keys", "同时列出其 key"),
    ("every lease", "列出所有 lease"),
    ("keep a lease from expiring", "为 lease 续期，使其不到期"),
    ("once, not again and again", "只续期一次"),
    ("hold a named lock", "持有一个命名锁"),
    ("seconds after which a silent holder loses it", "持有者失联多少秒后失去锁"),
    ("take part in an election", "参与选举"),
    ("only watch who leads", "只观察当选者"),
    // Users and rights.
    ("switch it on", "启用"),
    ("switch it off", "停用"),
    ("whether it is on", "查看是否已启用"),
    ("add a user", "添加用户"),
    ("ask for the password", "交互式输入密码"),
    ("the password", "密码"),
    ("the user has none", "该用户没有密码"),
    ("remove a user", "删除用户"),
    ("the roles of a user", "查看用户的角色"),
    ("and what they allow", "同时显示这些角色的权限"),
    ("every user", "列出所有用户"),
    ("change a password", "修改密码"),
    ("give a user a role", "授予用户角色"),
    ("take a role from a user", "收回用户的角色"),
    ("add a role", "添加角色"),
    ("remove a role", "删除角色"),
    ("what a role allows", "查看角色的权限"),
    ("every role", "列出所有角色"),
    ("let a role use keys", "授予角色对 key 的权限"),
    ("keep a role from using keys", "收回角色对 key 的权限"),
    // About etcdctl.
    ("the version of etcd whose behaviour this is", "这里所模拟的 etcd 版本"),
    ("how fast it is", "评测性能"),
    ("s, m, l or xl", "s、m、l 或 xl"),
    ("where the test keys go", "测试 key 的前缀"),
    ("compact afterwards", "结束后压缩"),
    ("defragment afterwards", "结束后做碎片整理"),
    ("how much memory data takes", "评测数据占用的内存"),
    ("a script for a shell", "生成 shell 补全脚本"),
    ("the flags of every command", "所有命令通用的选项"),
    ("the help page of a command", "查看某个命令的帮助"),
    // etcdutl.
    ("make a new cluster's data from one", "用快照恢复出新集群的数据"),
    ("what one holds", "查看快照的内容"),
    ("packs the data of a member that does not run", "整理未运行成员的数据文件"),
    ("the hash of a database file", "计算数据库文件的哈希"),
    ("whose data: that of a member that does not run", "数据目录：必须是未运行的成员"),
    ("up to which revision", "算到哪个 revision 为止"),
    ("under which name the new cluster's data is kept", "新集群数据的保存名称"),
    ("the log is kept with the data here", "这里日志与数据放在一起"),
    ("the new cluster's members: name=url,name=url", "新集群的成员：name=url,name=url"),
    ("sets clusters with the same members apart", "用于区分成员相同的集群"),
    ("where the member's peers reach it", "其他成员访问该成员的地址"),
    ("which of the members the data is for", "数据属于哪个成员"),
    ("take a file without a digest, or with a wrong one", "接受没有校验和或校验和不符的文件"),
    ("nothing is mapped here", "这里不做内存映射"),
    ("add this to the revision", "给 revision 加上该数值"),
    ("forget all history; goes with --bump-revision", "丢弃全部历史；与 --bump-revision 一起使用"),
];

/// A sentence in the language of the phrases; as it is if it has none.
#[must_use]
pub fn phrase<'a>(english: &'a str, phrases: &'static [Phrase]) -> &'a str {
    let found = phrases.iter().find(|(known, _)| *known == english);
    found.map_or(english, |(_, said)| *said)
}

/// A page of `--help` in the language of the phrases; names, examples and defaults stay, and so does the layout.
#[must_use]
pub fn page(text: &str, phrases: &'static [Phrase]) -> String {
    if phrases.is_empty() {
        return text.to_owned();
    }
    let accepted = phrase("accepted; ", phrases);
    let line = |line: &str| {
        if let Some((head, about)) = line.rsplit_once("  ").filter(|(head, _)| !head.is_empty()) {
            let (about, default) = match about.rsplit_once(" (default ") {
                Some((about, value)) => {
                    (about, format!("（默认 {}）", value.trim_end_matches(')')))
                }
                None => (about, String::new()),
            };
            let (before, about) = match about.strip_prefix("accepted; ") {
                Some(about) => (accepted, about),
                None => ("", about),
            };
            return format!("{head}  {before}{}{default}\n", phrase(about, phrases));
        }
        match line.split_once(':') {
            Some((name, about)) if !line.starts_with(' ') => {
                let about = about.strip_prefix(' ').unwrap_or(about);
                format!("{}：{}\n", phrase(name, phrases), phrase(about, phrases))
            }
            _ => format!("{line}\n"),
        }
    };
    text.lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::playground::reference;

    fn pages() -> Vec<String> {
        let sections = reference::sections();
        let rows = sections.iter().flat_map(|section| &section.commands);
        rows.map(|row| reference::page(&row.name).unwrap().text).collect()
    }

    #[test]
    fn every_command_and_its_heading_has_a_sentence_of_its_own() {
        for section in reference::sections() {
            assert!(!phrase(&section.heading, PHRASES).eq(&section.heading), "{section:?}");
            for row in section.commands {
                assert!(!phrase(&row.about, PHRASES).is_ascii(), "{row:?}");
            }
        }
    }

    #[test]
    fn no_line_of_a_page_is_left_in_english_but_names_and_examples() {
        for english in pages() {
            let chinese = page(&english, PHRASES);
            assert_eq!(english.lines().count(), chinese.lines().count());
            for (before, after) in english.lines().zip(chinese.lines()) {
                let is_said = !before.starts_with("  ") || before.trim_start().contains("  ");
                if !before.is_empty() && is_said {
                    assert!(!after.is_ascii(), "{before}");
                    assert!(!after.contains("accepted") && !after.contains("(default"), "{after}");
                } else {
                    assert_eq!(before, after);
                }
            }
        }
    }

    #[test]
    fn no_phrase_stands_twice_or_for_nothing() {
        let mut said = pages().concat();
        for section in reference::sections() {
            said.push_str(&section.heading);
            said.extend(section.commands.into_iter().map(|row| row.about));
        }
        for (at, (one, _)) in PHRASES.iter().enumerate() {
            assert!(!PHRASES[at + 1..].iter().any(|(other, _)| other == one), "{one}");
            assert!(said.contains(one), "{one}");
        }
    }

    #[test]
    fn names_defaults_and_columns_stay() {
        let english = reference::page("get").unwrap().text;
        let chinese = page(&english, PHRASES);
        assert!(chinese.starts_with("etcdctl get：读取一个 key 或一段范围内的 key\n"), "{chinese}");
        assert!(chinese.contains("（默认 \"l\"）\n"), "{chinese}");
        let column = |text: &str| {
            let line = text.lines().find(|line| line.contains("--limit")).unwrap().to_owned();
            line.rfind("  ").unwrap()
        };
        assert_eq!(column(&english), column(&chinese));
        assert_eq!(page(&english, &[]), english);
    }
}
