//! The failover experiment's words in Chinese.
//!
//! Invariants: see `catalog`.

use super::{LessonText, StepText};

/// Chinese, in simplified characters.
pub const FAILOVER_ZH: LessonText = LessonText {
    title: "故障转移实验",
    steps: &[
        StepText {
            title: "认识集群",
            why: "此页面中运行着三个成员，每个成员都保存完整的数据；其中一个是 leader，由它为所有写入排定顺序。\
                  请逐个询问它们的看法：所有成员说出的 leader 必须相同。",
            checks: &["每个成员都已答复", "恰好有一个 leader"],
            done: "三个成员，一个 leader，一个 term。",
        },
        StepText {
            title: "把一个 key 写三次",
            why: "etcd 从不覆盖数据。每次写入都会产生整个存储的一个新 revision，旧的 revision 在被压缩之前一直可读。\
                  存储从 revision 1 开始，所以这三次写入分别是 2、3 和 4。JSON 输出中 key 和值采用 base64 编码：\
                  `djM=` 就是 `v3`。",
            checks: &["最新的值是 v3", "revision 2 的值仍是 v1", "revision 3 的值仍是 v2"],
            done: "一个 key，三个版本，全都可读。",
        },
        StepText {
            title: "从过去开始 watch",
            why: "watch 可以从旧的 revision 开始。在第二个控制台中从 revision 2 开始一个 watch：历史会立即到达，\
                  并且在一条消息之中。然后在第一个控制台写入 v4，看它单独到达。",
            checks: &["一条消息中同时有 v1、v2 和 v3", "v4 在单独的一条消息中到达"],
            done: "先是历史，然后是实时，中间没有缺口：控制器就是这样与集群保持同步的。",
        },
        StepText {
            title: "终止 leader",
            why: "现在让 leader 不辞而别。其他成员收不到心跳，大约一秒后其中一个会请求投票。三个中的两个就是多数派，\
                  因此它会在更高的 term 当选。",
            checks: &["有两个成员在运行", "leader 已换成另一个成员", "term 已经变大"],
            done: "新的 leader，新的 term，而且无需任何人帮忙。",
        },
        StepText {
            title: "什么也没有丢",
            why: "每个已确认的写入都已在多数派的磁盘上，所以新的 leader 也有它。先读取这个 key，再写入一次：\
                  编号从停下的地方继续。",
            checks: &["值是 v4", "已写入 v5", "它得到了紧接着的 revision"],
            done: "三个成员只剩两个，集群照常服务。",
        },
        StepText {
            title: "让它回来",
            why: "重启被终止的成员。它读取自己的磁盘，发现自己落后，然后从 leader 取得缺少的条目。\
                  最后比较三个成员全部历史的哈希。",
            checks: &["所有成员都在运行", "三个哈希全部相等"],
            done: "三个成员的存储完全一致，一个比特也不差。",
        },
        StepText {
            title: "失去多数派",
            why: "终止三个成员中的两个。剩下的那个无法知道自己是否最新，所以普通读取会在五秒后失败。\
                  加上 `--consistency=s`，它就用现有的数据答复，结果可能是旧的。重启一个成员：多数派回来了，\
                  写入也随之恢复。然后重启另一个。",
            checks: &[
                "一次普通读取失败",
                "一次 serializable 读取得到答复",
                "一个成员回来之后写入了 v6",
                "所有成员都重新运行",
            ],
            done: "没有多数派，就没有承诺：etcd 宁可等待，也不说谎。",
        },
        StepText {
            title: "切断 leader",
            why: "这次隔离 leader，而不是终止它。它仍以为自己是 leader，但收不到多数派的消息，于是退位。\
                  另一侧选出新的 leader。发给被隔离成员的写入会失败，发给新 leader 的则会成功。恢复链路之后，\
                  它会安静地跟随：因为它在竞选之前必须先询问，所以没有扰乱 term。",
            checks: &[
                "leader 已被切断",
                "对它的写入没有得到确认",
                "已在另一侧写入 v7",
                "所有链路重新畅通",
                "恰好选举了一次",
                "值是 v7",
                "三个哈希全部相等",
            ],
            done: "两个分区，一个真相。",
        },
        StepText {
            title: "刷新页面",
            why: "写入 v8，然后刷新页面：所有成员同时结束，就像断电一样。它们会从各自的磁盘恢复。\
                  凡是确认过的写入都在，watch 则从它见过的最后一个 revision 加一处继续。",
            checks: &["每个成员都从磁盘启动", "值是 v8", "watch 从 v8 继续"],
            done: "整个实验到此结束。分享它吧：链接会一步一步地重放。",
        },
    ],
};
