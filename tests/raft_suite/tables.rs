//! The pure tables: quorums and configuration changes.

use std::collections::BTreeMap;

use etcd_playground::raft::conf_change::parse_changes;
use etcd_playground::raft::confchange::Changer;
use etcd_playground::raft::quorum::{JointConfig, MajorityConfig, describe_index};
use etcd_playground::raft::tracker::ProgressTracker;
use etcd_playground::types::{Index, MemberId};

use crate::reader::Block;

fn ids(values: &[String]) -> Vec<MemberId> {
    values.iter().map(|id| MemberId(id.parse().unwrap())).collect()
}

/// `committed` and `vote`.
pub(crate) fn quorum(block: &Block) -> String {
    let incoming = ids(block.values("cfg").unwrap_or_default());
    let joint_given = block.values("cfgj");
    let outgoing = match joint_given {
        Some([zero]) if zero == "zero" => vec![],
        Some(given) => ids(given),
        None => vec![],
    };
    // Values go to the ids in order of first appearance.
    let mut order: Vec<MemberId> = vec![];
    for id in incoming.iter().chain(&outgoing) {
        if !order.contains(id) {
            order.push(*id);
        }
    }
    let key = if block.command == "vote" { "votes" } else { "idx" };
    let values = block.values(key).unwrap_or_default();
    if values.len() != order.len() {
        let shown: Vec<u64> = values
            .iter()
            .map(|value| match value.as_str() {
                "y" => 2,
                "n" => 1,
                other => other.parse().unwrap_or(0),
            })
            .collect();
        return format!(
            "error: mismatched input (explicit or _) for voters {:?}: {:?}",
            order.iter().map(|id| id.0).collect::<Vec<_>>(),
            shown
        )
        .replace(", ", " ");
    }
    let given: BTreeMap<MemberId, &str> = order
        .iter()
        .zip(values)
        .filter(|(_, value)| *value != "_")
        .map(|(id, value)| (*id, value.as_str()))
        .collect();
    let incoming: MajorityConfig = incoming.into_iter().collect();
    let outgoing: MajorityConfig = outgoing.into_iter().collect();
    let joint = JointConfig { incoming: incoming.clone(), outgoing: outgoing.clone() };
    let swapped = JointConfig { incoming: outgoing.clone(), outgoing: incoming.clone() };
    if block.command == "vote" {
        let voted = |id: MemberId| given.get(&id).map(|value| *value == "y");
        let result = joint.vote_result(voted);
        assert_eq!(result, swapped.vote_result(voted), "halves swapped");
        return result.to_string();
    }
    let acked = |id: MemberId| given.get(&id).map(|value| Index(value.parse().unwrap()));
    let index = joint.committed_index(acked);
    assert_eq!(index, swapped.committed_index(acked), "halves swapped");
    if joint_given.is_none() {
        let twice = JointConfig { incoming: incoming.clone(), outgoing: incoming };
        assert_eq!(index, twice.committed_index(acked), "joint with itself");
    }
    format!("{}{}", joint.describe(acked), describe_index(index))
}

/// `simple`, `enter-joint` and `leave-joint`; the configuration lives as long as the file.
pub(crate) fn confchange() -> Box<dyn FnMut(&Block) -> String> {
    let mut tracker = ProgressTracker::new(10, 0);
    let mut last_index = Index(0);
    Box::new(move |block| {
        let changes = parse_changes(&block.input).unwrap();
        let changer = Changer { tracker: &tracker, last_index };
        let changed = match block.command.as_str() {
            "simple" => changer.simple(&changes),
            "enter-joint" => {
                changer.enter_joint(block.value("autoleave") == Some("true"), &changes)
            }
            "leave-joint" => changer.leave_joint(),
            other => return format!("unknown command: {other}"),
        };
        last_index = last_index.next();
        match changed {
            Err(error) => error.to_string(),
            Ok((config, progress)) => {
                let mut answer = format!("{config}\n");
                for (id, member) in &progress {
                    // The tables leave activity out; a new member counts as active.
                    answer.push_str(&format!("{id}: {member}\n"));
                }
                (tracker.config, tracker.progress) = (config, progress);
                answer
            }
        }
    })
}
