//! The texts of the view of the keys, which belongs to the program `insight`.
//!
//! What it is: [`KeysStrings`], a table of its own, so that the first visit does not load it.
//! What it is not: etcd's errors, which are etcd's, or `Strings`.
//! Invariants: those of `strings`; Chinese as `zh` says.

use super::{Count, Language, With1, With2};

/// A text.
type Text = &'static str;

macro_rules! table {
    ($($(#[$about:meta])* $name:ident: $kind:ty = $english:expr, $chinese:expr;)*) => {
        /// All texts of the view.
        #[derive(Debug)]
        pub struct KeysStrings {
            $($(#[$about])* pub $name: $kind,)*
        }

        #[cfg(test)]
        impl KeysStrings {
            /// All texts by their names, each with sample values, in each form that it has.
            pub(super) fn samples(&self) -> Vec<(&'static str, Vec<String>)> {
                use super::tests::Sample;
                vec![$((stringify!($name), self.$name.samples()),)*]
            }
        }

        static EN: KeysStrings = KeysStrings { $($name: $english,)* };
        static ZH: KeysStrings = KeysStrings { $($name: $chinese,)* };
    };
}

impl KeysStrings {
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
    /// The list.
    keys: Text = "Keys", "Key";
    /// The field that filters it.
    filter: Text = "Filter keys", "筛选 key";
    /// One after the other.
    flat: Text = "List", "列表";
    /// Grouped by prefix.
    tree: Text = "Tree", "树";
    /// Flat or tree.
    arrangement: Text = "Arrangement of the keys", "key 的排列方式";
    /// The switch of deleted keys.
    deleted_keys: Text = "Deleted", "已删除";
    /// What it does.
    deleted_keys_hint: Text = "Also list keys that were deleted", "同时列出已删除的 key";
    /// A key that does not exist any more.
    deleted: Text = "deleted", "已删除";
    /// Nothing is known.
    empty: Text = "No keys yet. Put one: every revision of it will stand here.", "还没有 key。写入一个，它的每个 revision 都会显示在这里。";
    /// The members do not let the page read.
    refused: Text = "Access control is on, and this panel is no user: it may not read the keys. The console can, with --user.", "已开启访问控制，而这个面板不是任何用户，不能读取 key。控制台加上 --user 就可以。";
    /// Nothing matches.
    no_match: Text = "No key contains this.", "没有 key 包含这段文字。";
    /// How many keys.
    count: Count = Count("1 key|{0} keys"), Count("{0} 个 key");
    /// How many of how many.
    count_of: With2 = With2("{0} of {1} keys"), With2("{1} 个 key 中的 {0} 个");
    /// How many revisions.
    revisions: Count = Count("1 revision|{0} revisions"), Count("{0} 个 revision");
    /// Up to date at a revision.
    live: With1 = With1("live at revision {0}"), With1("实时，revision {0}");
    /// Not up to date.
    behind: Text = "not live", "非实时";
    /// Compacted below.
    compacted: With1 = With1("compacted up to {0}"), With1("已压缩到 {0}");
    /// Revisions were dropped.
    all_dropped: With1 = With1("{0} old revisions dropped here"), With1("此处已丢弃 {0} 个旧 revision");
    /// Of this key.
    dropped: With1 = With1("{0} older revisions were dropped in this page, to bound its memory."), With1("为限制内存，这个页面丢弃了 {0} 个更早的 revision。");
    /// What a folder of Kubernetes holds.
    folders: [Text; 4] = ["Kubernetes", "API group", "resource", "namespace"], ["Kubernetes", "API 组", "资源", "命名空间"];
    /// Nothing is chosen.
    choose: Text = "Choose a key to see every revision of it.", "选择一个 key，查看它的每个 revision。";
    /// The ribbon of a key.
    ribbon: With1 = With1("Revisions of {0}"), With1("{0} 的所有 revision");
    /// A revision, said.
    said_revision: With2 = With2("revision {0}, version {1}"), With2("revision {0}，version {1}");
    /// A tombstone, said.
    said_tombstone: With1 = With1("revision {0}, deleted"), With1("revision {0}，已删除");
    /// Where the compacted ones begin.
    edge: With1 = With1("below {0}: etcdserver: mvcc: required revision has been compacted"), With1("{0} 以下：etcdserver: mvcc: required revision has been compacted");
    /// Its hint.
    edge_hint: Text = "Revisions below this line cannot be read any more. The page remembers what it saw of them.", "这条线以下的 revision 已无法读取。页面只记得当时看到的内容。";
    /// A value below it that can still be read.
    surviving: Text = "still its value at the compacted revision", "在压缩所到的 revision 上仍是它的值";
    /// One that cannot.
    gone: Text = "compacted", "已压缩";
    /// Column.
    revision: Text = "revision", "revision";
    /// Column.
    version: Text = "version", "version";
    /// Column.
    value: Text = "value", "值";
    /// Field.
    create: Text = "created at", "创建于";
    /// Field.
    lease: Text = "lease", "lease";
    /// Field.
    size: Text = "size", "大小";
    /// In bytes.
    bytes: Count = Count("1 byte|{0} bytes"), Count("{0} 字节");
    /// A put.
    tombstone: Text = "deleted", "已删除";
    /// What a tombstone is.
    tombstone_hint: Text = "A tombstone: this revision deleted the key and ended its generation. A later put begins a new one, with version 1.", "墓碑：这个 revision 删除了 key，结束了它的这一代。之后再写入会开始新的一代，version 从 1 起。";
    /// The forms.
    forms: [Text; 3] = ["Text", "JSON", "Hex"], ["文本", "JSON", "十六进制"];
    /// The choice of a form.
    form: Text = "Show the value as", "值的显示方式";
    /// It is no JSON.
    no_json: Text = "This value is no JSON object or array", "这个值不是 JSON 对象或数组";
    /// So many bytes were not kept.
    cut: With1 = With1("{0} more bytes are not kept in this page."), With1("其余 {0} 字节没有保留在这个页面里。");
    /// The value is empty.
    empty_value: Text = "(empty)", "（空）";
    /// The button.
    put_back: Text = "Put this value back", "写回这个值";
    /// What it does.
    put_hint: Text = "It becomes the newest revision; history stays. The console shows the line.", "它会成为最新的 revision，历史保持不变。控制台会显示对应的命令。";
    /// It was done.
    put_done: Text = "Sent: see the console.", "已发送，请看控制台。";
    /// Why it cannot be.
    hindrances: [Text; 6] = [
        "This revision deleted the key: there is no value to put back.",
        "This is the newest revision: its value is there already.",
        "Only the beginning of this value was kept, so it cannot be put back from here.",
        "The key is not UTF-8: it cannot be written as an argument.",
        "The value is not UTF-8: it cannot be written as an argument.",
        "The value is too long for a line of the console.",
    ], [
        "这个 revision 删除了 key，没有可写回的值。",
        "这是最新的 revision，它的值就是当前值。",
        "这个值只保留了开头部分，无法从这里写回。",
        "这个 key 不是 UTF-8，不能写成命令参数。",
        "这个值不是 UTF-8，不能写成命令参数。",
        "这个值太长，控制台的一行放不下。",
    ];
    /// The button.
    compare: Text = "Compare", "比较";
    /// To the one before.
    compare_before: Text = "Compare with previous", "与前一个比较";
    /// One is pinned, and chosen.
    compare_hint: Text = "Choose another revision to see what differs.", "选择另一个 revision，查看差异。";
    /// No more.
    compare_end: Text = "End comparison", "结束比较";
    /// The title.
    compared: With2 = With2("Revision {0} → {1}"), With2("revision {0} → {1}");
    /// As JSON.
    compared_json: Text = "compared as JSON", "按 JSON 比较";
    /// No difference.
    same: Text = "Both are the same.", "两者相同。";
    /// How many lines came and went.
    changed: With2 = With2("lines added: {0}, removed: {1}"), With2("新增 {0} 行，删除 {1} 行");
    /// A line that came.
    added: Text = "added", "新增";
    /// A line that went.
    removed: Text = "removed", "删除";
    /// Lines that are left out.
    folded: Count = Count("1 equal line|{0} equal lines"), Count("{0} 行相同");
    /// Lines that were not compared.
    uncompared: With1 = With1("{0} more lines were not compared."), With1("其余 {0} 行没有比较。");
    /// The button.
    look_at: With1 = With1("All keys at revision {0}"), With1("revision {0} 时的全部 key");
    /// The field for it.
    look_hint: Text = "Show the key space at this revision", "显示这个 revision 时的全部 key";
    /// Its button.
    look: Text = "Show", "显示";
    /// The title.
    past_title: With1 = With1("Key space at revision {0}"), With1("revision {0} 时的全部 key");
    /// Back.
    past_back: Text = "Back to now", "回到现在";
    /// Nothing existed.
    past_empty: Text = "No key existed at this revision.", "在这个 revision 没有任何 key。";
    /// It is read.
    past_reading: With2 = With2("Reading: {0} of {1} keys"), With2("读取中：{1} 个 key 中的 {0} 个");
    /// How many existed.
    past_count: Count = Count("1 key existed|{0} keys existed"), Count("当时有 {0} 个 key");
    /// It failed.
    past_error: With1 = With1("Error: {0}"), With1("错误：{0}");
    /// Changed by this revision.
    past_fresh: Text = "changed here", "在此变更";
    /// What the keys of the keyboard do.
    keyboard: Text = "Up and down go through the keys, right and left open and close folders.", "上、下键在 key 之间移动，右、左键展开和收起文件夹。";
    /// What the keys of the keyboard do in the ribbon.
    ribbon_keyboard: Text = "Up and down go through the revisions, Space compares.", "上、下键在 revision 之间移动，空格键比较。";
}
