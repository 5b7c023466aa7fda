//! The words of the catalogue of errors, in both languages.
//!
//! What it is: [`ErrorStrings`], whose texts may have places `{0}` for values.
//! What it is not: etcd's messages, which are the same in both, or what an entry says, which stands in its file.
//! Invariants: values come escaped; a text and its translation have the same places.

use super::{Area, Origin};
pub(super) use crate::playground::insight::why::put;
use crate::playground::strings::Language;

macro_rules! table {
    ($($(#[$about:meta])* $name:ident = $english:expr, $chinese:expr;)*) => {
        /// All texts of the view.
        #[derive(Debug)]
        pub struct ErrorStrings {
            /// Which language it is.
            pub language: Language,
            $(
                #[doc = concat!("In English: ", $english)]
                pub $name: &'static str,
            )*
        }

        /// English.
        pub(crate) static EN: ErrorStrings =
            ErrorStrings { language: Language::English, $($name: $english,)* };
        /// Chinese.
        pub(crate) static ZH: ErrorStrings =
            ErrorStrings { language: Language::Chinese, $($name: $chinese,)* };

        #[cfg(test)]
        pub(super) const ALL: &[[&str; 2]] = &[$([$english, $chinese],)*];
    };
}

table! {
    title = "Error messages", "报错目录";
    hint = "Paste what etcd or etcdctl printed, or search by a word or a gRPC code.",
        "把 etcd 或 etcdctl 打印的报错贴进来，也可以按关键词或 gRPC 错误码搜索。";
    filter = "Message, word or code", "报错原文、关键词或错误码";
    loading = "Fetching the catalogue …", "正在加载报错目录……";
    loading_entry = "Fetching the entry …", "正在加载这一条……";
    failed = "It could not be fetched: {0}", "加载失败：{0}";
    again = "Try again", "重试";
    to_list = "To the list", "去列表里找";
    no_entry = "No entry is named {0}. Choose one from the list.", "目录里没有名为 {0} 的条目，请从列表里选。";
    count = "{0} messages", "共 {0} 条报错";
    found = "{0} messages found", "找到 {0} 条报错";
    found_one = "One message found", "找到 1 条报错";
    none = "No entry has this. Try the part of the message that stays the same, or a single word.",
        "没有找到。可以只贴报错里固定不变的那一段，或者只搜一个词。";
    pasted = "What you pasted", "与粘贴内容匹配";
    choose = "Choose a message to see what it means and what to do.", "选择一条报错，查看它的含义和处理办法。";
    printed = "As it is printed", "实际打印的内容";
    code = "gRPC code", "gRPC 错误码";
    area = "Area", "分类";
    meaning = "What it means, and where it comes from", "含义与原因";
    produce = "The lines that produce it", "复现步骤";
    remedy = "What to do", "处理办法";
    remedy_lines = "The same in commands", "对应的命令";
    play = "Play it in the lab", "在实验室里回放";
    play_hint = "Shows the steps first; your cluster is not touched.", "先列出步骤再运行，不影响你的集群。";
    travel = "Travel through it in time", "用时间旅行查看";
    run = "Run these lines in my console", "在我的控制台里运行这些命令";
    run_hint = "On the cluster that runs here: the lines may stop members or change settings.",
        "会在当前集群上执行，可能停掉成员或改动配置。";
    write = "Put into the console: {0}", "填入控制台：{0}";
    cluster = "On a cluster of {0} members", "集群：{0} 个成员";
    cluster_one = "On a cluster of one member", "集群：单个成员";
    cluster_with = ", with {0}", "，参数 {0}";
    see_entry = "In the catalogue of errors: {0}", "在报错目录中查看：{0}";
    area_quorum = "Leader, quorum and time-outs", "leader、多数派与超时";
    area_keys = "Keys, revisions, transactions and watches", "key、revision、事务与 watch";
    area_limits = "Space, sizes and leases", "空间、大小与 lease";
    area_members = "Membership", "成员变更";
    area_auth = "Users, roles and passwords", "用户、角色与密码";
    area_backup = "Backup, restore and versions", "备份、恢复与版本";
    area_client = "What etcdctl refuses by itself", "etcdctl 自己拒绝的用法";
    not_here = "Why it does not happen here", "为什么这里复现不了";
    code_none = "None: etcdctl says it itself, no member was the one to refuse.",
        "没有：这是 etcdctl 自己报的，不是成员返回的错误。";
    code_client = "None: the client's library says it itself, no member was the one to refuse.",
        "没有：这是客户端库自己报的，不是成员返回的错误。";
    code_watch = "None: it is the reason in the last message of a watch, not a status. Go's client makes a plain error of it, whose code is Unknown.",
        "没有：它是 watch 最后一条消息里的 cancel reason，不是 gRPC status。Go 客户端把它转成普通 error，取错误码得到 Unknown。";
    code_log = "None: a member writes it into its own log; clients hear something else.",
        "没有：这是成员写在自己日志里的内容，客户端看到的是别的报错。";
    code_invalid_argument = "The request itself is wrong; sending it again gives the same.",
        "请求本身有问题，原样重试还是同样的结果。";
    code_not_found = "What the request names does not exist.", "请求里指的对象不存在。";
    code_permission_denied = "You are known, and may not do this.", "身份已确认，但没有这个权限。";
    code_resource_exhausted = "A limit is reached; it takes somebody to make room.",
        "触到了上限，需要有人处理才会恢复。";
    code_failed_precondition = "The cluster is not in a state in which this is allowed.",
        "集群当前的状态不允许这个操作。";
    code_out_of_range = "A revision or a number is outside of what there is.", "revision 或数值超出了范围。";
    code_unavailable = "Nobody could do it just now; a client may try again, and a write may have happened.",
        "暂时没人能处理，客户端可以重试；写入有可能已经生效。";
    code_deadline_exceeded = "The time was up before an answer came; a write may have happened.",
        "超时前没等到结果；写入有可能已经生效。";
    code_unauthenticated = "Nobody knows who you are; log in anew.", "身份未通过验证，需要重新登录。";
    code_canceled = "It was called off.", "请求被取消。";
    code_data_loss = "A member's data is not what it should be.", "成员的数据已不一致。";
    code_unimplemented = "The server has no such call, or not with these options.",
        "服务端没有这个 RPC，或不支持这种参数组合。";
    code_unknown = "An error of the server without a code of its own.", "服务端错误，没有专门的错误码。";
}

impl ErrorStrings {
    /// The name of an area.
    #[must_use]
    pub const fn area(&self, area: Area) -> &'static str {
        match area {
            Area::Quorum => self.area_quorum,
            Area::Keys => self.area_keys,
            Area::Limits => self.area_limits,
            Area::Members => self.area_members,
            Area::Auth => self.area_auth,
            Area::Backup => self.area_backup,
            Area::Client => self.area_client,
        }
    }

    /// Why a message has no gRPC code.
    #[must_use]
    pub const fn no_code_words(&self, origin: Origin) -> &'static str {
        match origin {
            Origin::Client => self.code_client,
            Origin::Watch => self.code_watch,
            Origin::Log => self.code_log,
            Origin::Member | Origin::Etcdctl => self.code_none,
        }
    }

    /// What a gRPC code tells, by its name; or why there is none.
    #[must_use]
    pub fn code_words(&self, code: &str, origin: Origin) -> &'static str {
        match code {
            "" => self.no_code_words(origin),
            "InvalidArgument" => self.code_invalid_argument,
            "NotFound" => self.code_not_found,
            "PermissionDenied" => self.code_permission_denied,
            "ResourceExhausted" => self.code_resource_exhausted,
            "FailedPrecondition" => self.code_failed_precondition,
            "OutOfRange" => self.code_out_of_range,
            "Unavailable" => self.code_unavailable,
            "DeadlineExceeded" => self.code_deadline_exceeded,
            "Unauthenticated" => self.code_unauthenticated,
            "Canceled" => self.code_canceled,
            "DataLoss" => self.code_data_loss,
            "Unimplemented" => self.code_unimplemented,
            _ => self.code_unknown,
        }
    }
}
