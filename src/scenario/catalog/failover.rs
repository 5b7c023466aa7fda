//! The failover experiment: what is typed and what is checked.
//!
//! What it is: data for [`super::Lesson`]; the words stand in `failover_en`.
//! Invariants: on a fresh cluster of three the revisions named here are the ones etcd gives.

use super::{Lesson, LessonStep, Line};
use crate::scenario::check::Check;

/// The key of the experiment.
const KEY: &str = "/registry/pods/default/web-1";

/// Kill, elect, recover, cut, heal, reload.
pub const FAILOVER: Lesson = Lesson {
    id: "failover",
    members: 3,
    steps: &[MEET, REVISIONS, WATCH, KILL, STILL_THERE, RECOVER, QUORUM, PARTITION, RELOAD],
};

const MEET: LessonStep = LessonStep {
    lines: &[Line::Pace("wait leader within 30s"), Line::Type("etcdctl endpoint status -w table")],
    checks: &[Check::StatusOfAll, Check::OneLeader],
};

const REVISIONS: LessonStep = LessonStep {
    lines: &[
        Line::Type("etcdctl put /registry/pods/default/web-1 v1"),
        Line::Type("etcdctl put /registry/pods/default/web-1 v2"),
        Line::Type("etcdctl put /registry/pods/default/web-1 v3"),
        Line::Type("etcdctl get /registry/pods/default/web-1 -w json"),
        Line::Type("etcdctl get /registry/pods/default/web-1 --rev=2"),
        Line::Type("etcdctl get /registry/pods/default/web-1 --rev=3"),
    ],
    checks: &[Check::Read(KEY, "v3"), Check::ReadAt(KEY, 2, "v1"), Check::ReadAt(KEY, 3, "v2")],
};

const WATCH: LessonStep = LessonStep {
    lines: &[
        Line::TypeIn(2, "etcdctl watch /registry/pods/default/web-1 --rev=2 -w json"),
        Line::Type("etcdctl put /registry/pods/default/web-1 v4"),
    ],
    checks: &[Check::WatchMessage(KEY, &["v1", "v2", "v3"]), Check::WatchMessage(KEY, &["v4"])],
};

const KILL: LessonStep = LessonStep {
    lines: &[Line::Type("kill leader"), Line::Pace("wait leader within 30s")],
    checks: &[Check::Running(2), Check::NewLeader, Check::TermRose],
};

const STILL_THERE: LessonStep = LessonStep {
    lines: &[
        Line::Type("etcdctl get /registry/pods/default/web-1"),
        Line::Type("etcdctl put /registry/pods/default/web-1 v5 -w json"),
    ],
    checks: &[Check::Read(KEY, "v4"), Check::Wrote(KEY, "v5"), Check::NextRevision],
};

const RECOVER: LessonStep = LessonStep {
    lines: &[
        Line::Type("restart killed"),
        Line::Pace("wait revision 6 within 30s"),
        Line::Type("etcdctl endpoint hashkv"),
    ],
    checks: &[Check::AllRun, Check::AllHashesEqual],
};

const QUORUM: LessonStep = LessonStep {
    lines: &[
        Line::Type("kill follower"),
        Line::Type("kill leader"),
        Line::Type("etcdctl get /registry/pods/default/web-1"),
        Line::Type("etcdctl get /registry/pods/default/web-1 --consistency=s"),
        Line::Type("restart killed"),
        Line::Pace("wait leader within 30s"),
        Line::Type("etcdctl put /registry/pods/default/web-1 v6"),
        Line::Type("restart killed"),
        Line::Pace("wait revision 7 within 30s"),
    ],
    checks: &[
        Check::ReadFailed,
        Check::SerializableRead(KEY),
        Check::Wrote(KEY, "v6"),
        Check::AllRun,
    ],
};

const PARTITION: LessonStep = LessonStep {
    lines: &[
        Line::Type("isolate leader"),
        Line::Type("etcdctl put /registry/pods/default/web-1 lost --endpoints=$ISOLATED"),
        Line::Pace("wait leader within 30s"),
        Line::Type("etcdctl put /registry/pods/default/web-1 v7 --endpoints=$LEADER"),
        Line::Type("heal"),
        Line::Pace("wait revision 8 within 30s"),
        Line::Type("etcdctl get /registry/pods/default/web-1"),
        Line::Type("etcdctl endpoint hashkv"),
    ],
    checks: &[
        Check::WasIsolated,
        Check::WriteFailed("lost"),
        Check::Wrote(KEY, "v7"),
        Check::LinksWhole,
        Check::OneElection,
        Check::Read(KEY, "v7"),
        Check::AllHashesEqual,
    ],
};

const RELOAD: LessonStep = LessonStep {
    lines: &[
        Line::Type("etcdctl put /registry/pods/default/web-1 v8"),
        Line::Reload("restart all"),
        Line::Pace("wait leader within 30s"),
        Line::Type("etcdctl get /registry/pods/default/web-1 -w json"),
        Line::TypeIn(3, "etcdctl watch /registry/pods/default/web-1 --rev=9"),
    ],
    checks: &[Check::AllRestarted, Check::Read(KEY, "v8"), Check::WatchMessage(KEY, &["v8"])],
};
