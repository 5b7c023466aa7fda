//! The failover experiment's words in English.
//!
//! Invariants: see `catalog`.

use super::{LessonText, StepText};

/// English.
pub const FAILOVER_EN: LessonText = LessonText {
    title: "The failover experiment",
    steps: &[
        StepText {
            title: "Meet the cluster",
            why: "Three members run in this page. Each keeps the whole store; one of them, the leader, \
                  puts all writes in order. Ask each member what it thinks: all must name the same leader.",
            checks: &["every member answered", "exactly one member leads"],
            done: "Three members, one leader, one term.",
        },
        StepText {
            title: "Write one key three times",
            why: "etcd never overwrites. Each write makes a new revision of the whole store, and old \
                  revisions stay readable until they are compacted. The store starts at revision 1, so \
                  the three writes are 2, 3 and 4. In JSON, keys and values are base64: `djM=` is `v3`.",
            checks: &[
                "the newest value is v3",
                "revision 2 still says v1",
                "revision 3 still says v2",
            ],
            done: "One key, three versions, all of them readable.",
        },
        StepText {
            title: "Watch from the past",
            why: "A watch can begin at an old revision. In a second console, start one at revision 2: the \
                  history comes at once, in one message. Then write v4 in the first console and see it \
                  arrive alone.",
            checks: &["one message held v1, v2 and v3", "v4 came in a message of its own"],
            done: "History first, then live, without a gap: this is how controllers stay in step.",
        },
        StepText {
            title: "Kill the leader",
            why: "Now end the leader without a goodbye. The others hear no heartbeat; after about a second \
                  one of them asks for votes. Two of three are a majority, so it wins, in a higher term.",
            checks: &["two members run", "another member leads", "the term has risen"],
            done: "A new leader, a new term, and nobody had to help.",
        },
        StepText {
            title: "Nothing is lost",
            why: "Every acknowledged write was on the disks of a majority, so the new leader has it. Read \
                  the key, then write again: the numbering goes on where it stopped.",
            checks: &["the value is v4", "v5 was written", "it got the very next revision"],
            done: "The cluster serves on with two of three.",
        },
        StepText {
            title: "Bring it back",
            why: "Restart the killed member. It reads its own disk, finds that it is behind, and gets the \
                  missing entries from the leader. Then compare a hash over the whole history of all three.",
            checks: &["all members run", "all three hashes are equal"],
            done: "Bit for bit the same store on all three.",
        },
        StepText {
            title: "Lose the majority",
            why: "Kill two of three. The one left cannot know whether it is up to date, so an ordinary read \
                  fails after five seconds. With `--consistency=s` it answers from what it has, perhaps \
                  stale. Restart one: a majority is back, and so are writes. Then restart the other.",
            checks: &[
                "an ordinary read failed",
                "a serializable read was answered",
                "v6 was written after one came back",
                "all members run again",
            ],
            done: "No majority, no promise: etcd rather waits than lies.",
        },
        StepText {
            title: "Cut the leader off",
            why: "Isolate the leader instead of killing it. It still thinks it leads, but no longer hears \
                  from a majority and steps down. The other side elects. A write sent to the isolated \
                  member fails; one sent to the new leader works. Heal, and it follows quietly: because \
                  it had to ask before campaigning, it did not disturb the term.",
            checks: &[
                "the leader was cut off",
                "the write to it was not acknowledged",
                "v7 was written on the other side",
                "all links are open again",
                "there was exactly one election",
                "the value is v7",
                "all three hashes are equal",
            ],
            done: "Two sides, one truth.",
        },
        StepText {
            title: "Reload the page",
            why: "Write v8, then reload the page: all members end at once, as in a power cut. They come \
                  back from their disks. Whatever was acknowledged is there, and a watch goes on from the \
                  last revision it has seen, plus one.",
            checks: &[
                "every member started from its disk",
                "the value is v8",
                "the watch goes on at v8",
            ],
            done: "That was the whole experiment. Share it: the link replays it, step by step.",
        },
    ],
};
