//! The rule behind each error of etcd, and what to do.
//!
//! What it is: one sentence of why, one of advice, for every error.
//! What it is not: etcd's text, which stands beside it.
//! Invariants: every error has a rule; texts are in both languages.

use crate::api::Error;

/// A rule, and what to do; English, then Chinese.
type Rule = [[&'static str; 2]; 2];

/// The rule behind an error, and what to do.
#[must_use]
pub(super) fn rule_of(error: Error, is_chinese: bool) -> [&'static str; 2] {
    let found = RULES.iter().find(|(errors, _)| errors.contains(&error));
    let [english, chinese] = found.map(|(_, rule)| *rule).unwrap_or_default();
    if is_chinese { chinese } else { english }
}

/// Which errors have which rule.
const RULES: &[(&[Error], Rule)] = &[
    (
        &[Error::EmptyKey, Error::KeyNotFound, Error::ValueProvided, Error::LeaseProvided],
        [
            [
                "The request contradicts itself, or what is there: the member checks that before anything is proposed, or when it is applied.",
                "Give a key; --ignore-value and --ignore-lease need a key that exists, and no value or lease beside them.",
            ],
            [
                "请求自相矛盾，或与现有内容不符：成员在提议之前或应用时检查。",
                "给出 key；--ignore-value 和 --ignore-lease 需要已存在的 key，且不能同时给出值或 lease。",
            ],
        ],
    ),
    (
        &[Error::TooManyOps, Error::DuplicateKey, Error::InvalidSortOption],
        [
            [
                "The transaction or range breaks a rule that is checked before anything is proposed: at most 128 operations, and each key written once.",
                "Split it, or write each key once.",
            ],
            [
                "事务或范围违反了在提议之前检查的规则：最多 128 个操作，每个 key 只写一次。",
                "拆分它，或让每个 key 只写一次。",
            ],
        ],
    ),
    (
        &[Error::Compacted],
        [
            [
                "Revisions before the compacted one are gone, on every member.",
                "Read at a newer revision; a watch begins anew with a list of what is there.",
            ],
            [
                "被压缩的 revision 之前的内容在所有成员上都已删除。",
                "读取较新的 revision；watch 需先列出现有内容再重新开始。",
            ],
        ],
    ),
    (
        &[Error::FutureRev],
        [
            [
                "The store has not reached that revision.",
                "Ask for one up to the newest; the header of any answer tells it.",
            ],
            [
                "存储还没有到达那个 revision。",
                "请求不超过最新的 revision；任何回答的 header 都会给出它。",
            ],
        ],
    ),
    (
        &[Error::NoSpace],
        [
            [
                "The database has reached its quota (--quota-backend-bytes). An alarm is on, and until it is off nothing may grow.",
                "Compact, defrag every member, then: alarm disarm. Deletes are allowed meanwhile.",
            ],
            [
                "数据库已达到配额（--quota-backend-bytes）。告警已开启，关闭之前不允许增长。",
                "压缩，对每个成员执行 defrag，然后 alarm disarm。其间允许删除。",
            ],
        ],
    ),
    (
        &[Error::LeaseNotFound, Error::LeaseExist, Error::LeaseTtlTooLarge],
        [
            [
                "The lease has expired or was revoked, or its id or time is not allowed. This is decided when the entry is applied, the same on every member.",
                "Look at lease list, and grant a lease again.",
            ],
            [
                "lease 已到期或被撤销，或其 id、时长不被允许。这在应用条目时决定，所有成员相同。",
                "查看 lease list，并重新授予 lease。",
            ],
        ],
    ),
    (
        &[Error::WatchDuplicateId, Error::WatchEmptyRange],
        [
            [
                "The member that was asked checks a watch when its stream asks for it.",
                "Give a range that is not empty, and an id that is free.",
            ],
            ["被询问的成员在流请求 watch 时检查它。", "给出非空的范围和空闲的 id。"],
        ],
    ),
    (
        &[
            Error::MemberExist,
            Error::PeerUrlExist,
            Error::MemberBadUrls,
            Error::MemberNotFound,
            Error::MemberNotLearner,
            Error::TooManyLearners,
        ],
        [
            [
                "The membership refuses the change: the id or address is taken, unknown or not allowed.",
                "Compare with member list.",
            ],
            [
                "成员关系拒绝这次变更：id 或地址已被占用、不存在或不被允许。",
                "与 member list 比较。",
            ],
        ],
    ),
    (
        &[Error::MemberNotEnoughStarted],
        [
            [
                "Quorum protection: with the change, too few of the voters would be ones that have ever started.",
                "Start the members that were added and never ran, then try again.",
            ],
            [
                "多数派保护：变更之后，曾经启动过的投票成员会太少。",
                "先启动已添加但从未运行的成员，再重试。",
            ],
        ],
    ),
    (
        &[Error::Unhealthy],
        [
            [
                "Quorum protection: the member that was asked has not heard enough voters for 5 s, so that the change could stop the cluster.",
                "Bring the others back, wait 5 s, then try again.",
            ],
            [
                "多数派保护：被询问的成员已有 5 秒没有收到足够多投票成员的消息，变更可能使集群停止。",
                "恢复其他成员，等待 5 秒，再重试。",
            ],
        ],
    ),
    (
        &[Error::LearnerNotReady],
        [
            [
                "A learner must have at least 90% of the leader's log before it votes.",
                "Wait until it has caught up, then promote it.",
            ],
            ["learner 必须至少拥有 leader 日志的 90% 才能投票。", "等它追上后再提升。"],
        ],
    ),
    (
        &[Error::RequestTooLarge],
        [
            [
                "A request may have 1.5 MiB (--max-request-bytes); that is checked before it is proposed.",
                "Split the value.",
            ],
            ["请求最大为 1.5 MiB（--max-request-bytes）；在提议之前检查。", "拆分这个值。"],
        ],
    ),
    (
        &[Error::ProposalDropped],
        [
            [
                "The leader hands its office over and takes no writes until the other one leads, or an election timeout has passed.",
                "Try again.",
            ],
            ["leader 正在移交领导权，在对方当选或经过一个选举超时之前不接受写入。", "稍后重试。"],
        ],
    ),
    (
        &[Error::TooManyRequests],
        [
            [
                "Too many requests wait in the member already, mostly because nothing is being committed.",
                "Find out what the others wait for, then try again.",
            ],
            ["成员中已有太多请求在等待，多半是因为无法提交。", "找出其他请求在等什么，再重试。"],
        ],
    ),
    (
        &[
            Error::RootUserNotExist,
            Error::RootRoleNotExist,
            Error::UserAlreadyExist,
            Error::UserEmpty,
            Error::UserNotFound,
            Error::RoleAlreadyExist,
            Error::RoleNotFound,
            Error::RoleEmpty,
            Error::RoleNotGranted,
            Error::PermissionNotGranted,
            Error::PermissionNotGiven,
            Error::InvalidAuthMgmt,
        ],
        [
            [
                "Users and roles as they are do not allow this; it is decided when the entry is applied.",
                "Compare with user list, user get, role list and role get.",
            ],
            [
                "现有的用户和角色不允许这样做；这在应用条目时决定。",
                "与 user list、user get、role list 和 role get 比较。",
            ],
        ],
    ),
    (
        &[Error::AuthFailed, Error::NoPasswordUser, Error::PasswordTooLong],
        [
            [
                "Name and password do not belong together; the member that was asked compares them.",
                "Check --user.",
            ],
            ["用户名和密码不匹配；由被询问的成员比较。", "检查 --user。"],
        ],
    ),
    (
        &[Error::PermissionDenied],
        [
            [
                "Access control is on, and no role of this user permits that range.",
                "Ask as another user, or grant the role the permission as root.",
            ],
            [
                "访问控制已开启，该用户的角色都不允许这个范围。",
                "换一个用户，或以 root 给角色授权。",
            ],
        ],
    ),
    (
        &[Error::AuthNotEnabled, Error::InvalidAuthToken, Error::AuthOldRevision],
        [
            [
                "The token is unknown here, too old, or there is no access control; tokens are forgotten 5 minutes after their last use, and when users change.",
                "Log in again: give --user.",
            ],
            [
                "此处不认识该令牌，或它已过旧，或没有开启访问控制；令牌在最后一次使用 5 分钟后、以及用户变化时失效。",
                "重新登录：给出 --user。",
            ],
        ],
    ),
    (
        &[Error::NoLeader, Error::NotLeader, Error::LeaderChanged, Error::NotPrimary],
        [
            [
                "This needs a leader, and the member that was asked knows none, or is not the one.",
                "Look at Quorum: can a leader be elected? Else ask again once there is one.",
            ],
            [
                "这需要 leader，而被询问的成员不知道 leader，或自己不是 leader。",
                "查看“多数派”：能选出 leader 吗？否则等有 leader 后再问。",
            ],
        ],
    ),
    (
        &[Error::Stopped],
        [
            [
                "The member stopped before it could answer.",
                "Ask another one. If it was a write, look first whether it was carried out.",
            ],
            ["成员在回答之前停止了。", "询问另一个成员。如果是写入，先看它是否已执行。"],
        ],
    ),
    (
        &[
            Error::Timeout,
            Error::TimeoutDueToLeaderFail,
            Error::TimeoutDueToConnectionLost,
            Error::TimeoutWaitAppliedIndex,
        ],
        [
            [
                "The member waits 5 s and two election timeouts for what it proposed or asked, then answers this. The write may still be committed later.",
                "The steps above say what was missing; mend that, then look whether it was carried out.",
            ],
            [
                "成员等待 5 秒加两个选举超时，之后给出这个回答。写入之后仍可能被提交。",
                "上面的步骤说明缺少什么；修复后，先看它是否已执行。",
            ],
        ],
    ),
    (
        &[Error::Corrupt],
        [
            [
                "Members hold different data: an alarm is on, and reads and writes are refused.",
                "Find the member whose hash differs, remove it, and add it anew.",
            ],
            [
                "成员的数据不同：告警已开启，读写都会被拒绝。",
                "找出哈希不同的成员，移除它，再重新添加。",
            ],
        ],
    ),
    (
        &[Error::BadLeaderTransferee],
        [
            ["Only a voter can become leader.", "Name a member that votes."],
            ["只有投票成员能成为 leader。", "指定一个投票成员。"],
        ],
    ),
    (
        &[Error::NotSupportedForLearner],
        [
            [
                "A learner answers serializable reads, its status and snapshots, and nothing else.",
                "Ask a voter, or promote the learner.",
            ],
            [
                "learner 只回答 serializable 读取、自身状态和快照。",
                "询问投票成员，或提升该 learner。",
            ],
        ],
    ),
    (
        &[
            Error::NotCapable,
            Error::WrongDowngradeVersionFormat,
            Error::InvalidDowngradeTargetVersion,
            Error::DowngradeInProcess,
        ],
        [
            [
                "Versions do not allow this now: a downgrade goes one minor version at a time, and one at a time.",
                "See downgrade validate, and the version in endpoint status.",
            ],
            [
                "版本目前不允许这样做：降级一次只能降一个次版本，且同时只能有一个。",
                "查看 downgrade validate 和 endpoint status 中的版本。",
            ],
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_has_a_rule_and_advice_in_both_languages() {
        for error in Error::ALL {
            let (english, chinese) = (rule_of(*error, false), rule_of(*error, true));
            assert!(english.iter().all(|text| text.is_ascii() && text.ends_with('.')), "{error:?}");
            assert!(chinese.iter().all(|text| text.ends_with('。')), "{error:?}");
        }
    }
}
