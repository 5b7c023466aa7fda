//! The frame around the panels: header, banner, and the log of events.
//!
//! Invariants: see `view`; at most one banner, the gravest.

use std::sync::Arc;

use crate::playground::cluster::{Cluster, Life, Node, Phase};
use crate::playground::event::{Lower, Panel, Theme};
use crate::playground::layout::Layout;
use crate::playground::settings::{SETTINGS, Setting, Settings};
use crate::playground::strings::{self, Spoken, Strings};
use crate::playground::timeline::{Timeline, Weight};
use crate::playground::view::cluster::QuestionView;
use crate::types::MemberId;
use crate::wire::{DownReason, PersistenceMode};

/// An opening that lasts longer is told. Unit: ms.
const OPENING_TOLD_MS: u64 = 2_000;

/// What a banner's button does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Nothing to press.
    None,
    /// Bring the saved cluster into this tab.
    TakeOver,
    /// Make a new cluster of the same size.
    NewCluster,
    /// Open every link.
    HealAll,
    /// Take this member out and add a new one in its place.
    Replace(MemberId),
}

/// A sentence above the panels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BannerView {
    /// The sentence.
    pub text: String,
    /// It is trouble, not only news.
    pub is_trouble: bool,
    /// What its button says and does.
    pub remedy: Remedy,
    /// The button's label.
    pub label: &'static str,
}

/// How far the program of the views is, which is fetched when one is first opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InsightState {
    /// It is being fetched, or nobody has asked for it.
    Loading,
    /// It is there.
    Ready,
    /// It could not be fetched: why.
    Failed(String),
}

/// Header and frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameView {
    /// A leader is known and the prompt is usable.
    pub is_ready: bool,
    /// The leader's name, or a word for none.
    pub leader: String,
    /// There is one.
    pub has_leader: bool,
    /// The highest term.
    pub term: u64,
    /// The highest revision.
    pub revision: i64,
    /// Where the data lives, in a word.
    pub storage: &'static str,
    /// It is on disk.
    pub is_durable: bool,
    /// The gravest thing to say.
    pub banner: Option<BannerView>,
    /// Light or dark.
    pub theme: Theme,
    /// Where panels meet, and how large letters are.
    pub layout: Layout,
    /// The page's language; not known before the browser has told what is remembered.
    pub spoken: Option<Spoken>,
    /// What a narrow screen shows.
    pub panel: Panel,
    /// What the lower centre panel shows.
    pub lower: Lower,
    /// How far the program of its views is.
    pub insight: InsightState,
    /// Words in the place of the keys while there is nothing to show of them.
    pub no_keys: Option<&'static str>,
    /// The tutorial is shown on a wide screen.
    pub has_tutorial: bool,
    /// A new cluster of so many waits for a yes.
    pub asks_new: Option<u32>,
    /// The settings of the next cluster.
    pub settings: Vec<SettingView>,
    /// A change of the membership waits for a yes.
    pub asks_change: Option<QuestionView>,
    /// A command asks for a file of this name.
    pub asks_file: Option<String>,
    /// A link that cannot be opened: why.
    pub broken_link: Option<String>,
    /// There is something to share.
    pub can_share: bool,
}

/// A setting of the next cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingView {
    /// Which.
    pub setting: Setting,
    /// What it means.
    pub label: &'static str,
    /// What stands there.
    pub text: String,
    /// It is in its range.
    pub is_valid: bool,
    /// Its range.
    pub hint: String,
}

/// Makes the view of the settings.
#[must_use]
pub fn settings(settings: &Settings, s: &Strings) -> Vec<SettingView> {
    let view = |setting: &Setting| {
        let (least, most) = setting.range();
        SettingView {
            setting: *setting,
            label: match setting {
                Setting::Heartbeat => s.setting_heartbeat,
                Setting::Election => s.setting_election,
                Setting::Quota => s.setting_quota,
                Setting::SnapshotCount => s.setting_snapshot_count,
                Setting::CatchUp => s.setting_catch_up,
                Setting::PreVote => s.setting_pre_vote,
                Setting::CheckQuorum => s.setting_check_quorum,
            },
            text: settings.text(*setting).to_owned(),
            is_valid: settings.value(*setting).is_some(),
            hint: match setting {
                Setting::Election => s.setting_election_hint.to_owned(),
                Setting::PreVote => s.setting_pre_vote_hint.to_owned(),
                Setting::CheckQuorum => s.setting_check_quorum_hint.to_owned(),
                _ => s.setting_range.of(&least.to_string(), &most.to_string()),
            },
        }
    };
    SETTINGS.iter().map(view).collect()
}

/// A line of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// Its number.
    pub id: u64,
    /// Minutes, seconds and tenths since the cluster was opened.
    pub time: String,
    /// The sentence.
    pub sentence: String,
    /// How much it matters.
    pub weight: Weight,
}

/// The log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogView {
    /// The lines, newest first.
    pub lines: Vec<Arc<LogLine>>,
    /// How many elections were held.
    pub elections: String,
    /// The newest sentence that matters, to be told aloud.
    pub aloud: String,
}

/// Makes the log's view.
#[must_use]
pub fn log(timeline: &Timeline, cluster: &Cluster, s: &Strings) -> LogView {
    let name = |member| cluster.name(member);
    let began = timeline.began();
    let lines: Vec<Arc<LogLine>> = timeline
        .entries()
        .rev()
        .map(|entry| {
            let mut sentence = entry.fact.sentence(s, &name);
            if entry.times > 1 {
                sentence = s.told_times.of(&sentence, entry.times);
            }
            Arc::new(LogLine {
                id: entry.id,
                time: strings::clock(entry.at.since(began)),
                sentence: crate::playground::escape::block(sentence.as_bytes()),
                weight: entry.fact.weight(),
            })
        })
        .collect();
    let aloud = lines
        .iter()
        .find(|line| line.weight != Weight::Minor)
        .map(|line| line.sentence.clone())
        .unwrap_or_default();
    let held = timeline.elections();
    let elections = if held == 0 { s.elections_none.to_owned() } else { s.elections.of(held) };
    LogView { lines, elections, aloud }
}

/// Says that a cluster is being opened, once that lasts.
#[must_use]
pub fn opening_banner(ms: u64, s: &Strings) -> Option<BannerView> {
    let text = s.banner_opening.of(&s.seconds.whole(ms));
    let is_long = ms >= OPENING_TOLD_MS;
    is_long.then_some(BannerView { text, is_trouble: false, remedy: Remedy::None, label: "" })
}

/// Says that the page cannot speak a language.
#[must_use]
pub fn language_banner(reason: &str, s: &Strings) -> Option<BannerView> {
    let text = s.banner_language.of(reason);
    Some(BannerView { text, is_trouble: false, remedy: Remedy::None, label: "" })
}

/// The gravest thing to say about the cluster, if any.
#[must_use]
pub fn banner(cluster: &Cluster, was_ready: bool, s: &Strings) -> Option<BannerView> {
    let trouble = |text, remedy, label| Some(BannerView { text, is_trouble: true, remedy, label });
    match &cluster.phase {
        Phase::Open | Phase::TakenOver if cluster.is_owner_silent => {
            return trouble(s.banner_silent.to_owned(), Remedy::TakeOver, s.take_over);
        }
        Phase::TakenOver => {
            return trouble(s.banner_taken.to_owned(), Remedy::TakeOver, s.take_back);
        }
        Phase::Failed(reason) => {
            return trouble(s.banner_failed.of(reason), Remedy::NewCluster, s.new_cluster);
        }
        Phase::Idle | Phase::Opening | Phase::Open => {}
    }
    let broken: Vec<String> = cluster
        .nodes
        .iter()
        .filter(|node| {
            matches!(
                node.life,
                Life::Down(DownReason::DiskRolledBack { .. } | DownReason::DiskUnreadable { .. })
            )
        })
        .map(Node::shown_name)
        .collect();
    if !broken.is_empty() {
        let replaced = cluster.nodes.iter().find(|node| broken.first() == Some(&node.shown_name()));
        return match replaced.filter(|_| cluster.has_quorum()) {
            Some(node) => trouble(
                s.banner_disk_one.of(&broken.join(s.list_gap)),
                Remedy::Replace(node.member.id),
                s.action_replace,
            ),
            None => trouble(
                s.banner_disk.of(&broken.join(s.list_gap)),
                Remedy::NewCluster,
                s.new_cluster,
            ),
        };
    }
    if was_ready && cluster.phase == Phase::Open && !cluster.has_quorum() {
        let remedy = if cluster.links.is_whole() { Remedy::None } else { Remedy::HealAll };
        return trouble(s.banner_quorum.to_owned(), remedy, s.heal_all);
    }
    if cluster.is_owned_elsewhere {
        return Some(BannerView {
            text: s.banner_elsewhere.to_owned(),
            is_trouble: false,
            remedy: Remedy::TakeOver,
            label: s.take_over,
        });
    }
    if cluster.phase == Phase::Open && cluster.mode == PersistenceMode::Memory {
        let why = cluster.mode_reason.as_deref().unwrap_or_default();
        return Some(BannerView {
            text: s.banner_memory.of(why),
            is_trouble: false,
            remedy: Remedy::None,
            label: "",
        });
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::playground::cluster::tests::three;
    use crate::playground::edge::News;
    use crate::playground::strings::EN;
    use crate::types::Millis;

    #[test]
    fn a_healthy_durable_cluster_has_no_banner() {
        assert_eq!(banner(&three(), true, &EN), None);
    }

    #[test]
    fn memory_ownership_and_broken_disks_are_told_with_their_remedies() {
        let mut cluster = three();
        cluster.mode = PersistenceMode::Memory;
        cluster.mode_reason = Some("IndexedDB is not available.".to_owned());
        let told = banner(&cluster, true, &EN).unwrap();
        assert!(told.text.contains("nothing survives") && told.text.contains("not available"));
        cluster.is_owned_elsewhere = true;
        assert_eq!(banner(&cluster, true, &EN).unwrap().remedy, Remedy::TakeOver);
        let reason = DownReason::DiskUnreadable { message: "bad crc".to_owned() };
        cluster.hear(&News::MemberDown { member: MemberId(1), reason }, Millis(0));
        let told = banner(&cluster, true, &EN).unwrap();
        assert_eq!(told.remedy, Remedy::Replace(MemberId(1)));
        assert!(told.is_trouble && told.text.contains("infra1"));
        cluster.hear(&News::TakenOver, Millis(0));
        assert_eq!(banner(&cluster, true, &EN).unwrap().label, EN.take_back);
    }

    #[test]
    fn an_owner_that_does_not_answer_is_told_and_the_cluster_here_stays_usable() {
        let mut cluster = three();
        cluster.mode = PersistenceMode::Memory;
        cluster.is_owned_elsewhere = true;
        cluster.phase = Phase::Opening;
        cluster.hear(&News::OwnerSilent, Millis(0));
        assert_eq!(cluster.phase, Phase::Open);
        let told = banner(&cluster, true, &EN).unwrap();
        assert!(told.is_trouble && told.text.contains("does not answer"), "{}", told.text);
        assert_eq!(told.remedy, Remedy::TakeOver);
    }

    #[test]
    fn a_lost_majority_is_told_once_there_was_one() {
        let mut cluster = three();
        for id in [1, 2] {
            let reason = DownReason::Killed;
            cluster.hear(&News::MemberDown { member: MemberId(id), reason }, Millis(0));
        }
        assert_eq!(banner(&cluster, false, &EN), None);
        assert!(banner(&cluster, true, &EN).unwrap().text.contains("No majority"));
    }
}
