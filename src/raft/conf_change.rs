//! Configuration changes as they are proposed, written into the log and read back.
//!
//! What it is: the one-member form (V1), the general form (V2), their bytes, and their script form
//! (`v1 l2 r3 u4`).
//! What it is not: the effect of a change (see `confchange`).
//! Invariants: empty bytes are the empty V2 change, which leaves a joint configuration;
//! decoding foreign bytes gives an error, never a panic.
//! Differs from etcd in the bytes: postcard here, protobuf there.
//! Source: behaviour of etcd-io/raft `raftpb/confchange.go`.

use std::fmt;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::entry::{Entry, EntryType};
use super::error::Error;
use crate::types::MemberId;

/// What happens to one member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ConfChangeType {
    /// It becomes a voter.
    #[default]
    AddNode,
    /// It leaves.
    RemoveNode,
    /// Nothing in Raft; the application keeps something about it.
    UpdateNode,
    /// It becomes a learner.
    AddLearnerNode,
}

/// How a V2 change gets into and out of the joint configuration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ConfChangeTransition {
    /// Simple if one change suffices; otherwise joint, left without being asked.
    #[default]
    Auto,
    /// Joint, left without being asked.
    JointImplicit,
    /// Joint, left by an empty change of the application.
    JointExplicit,
}

impl fmt::Display for ConfChangeTransition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "ConfChangeTransitionAuto",
            Self::JointImplicit => "ConfChangeTransitionJointImplicit",
            Self::JointExplicit => "ConfChangeTransitionJointExplicit",
        })
    }
}

/// One change of one member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfChangeSingle {
    /// What happens.
    pub change_type: ConfChangeType,
    /// To whom; 0 is ignored.
    pub node_id: MemberId,
}

impl fmt::Display for ConfChangeSingle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = match self.change_type {
            ConfChangeType::AddNode => 'v',
            ConfChangeType::AddLearnerNode => 'l',
            ConfChangeType::RemoveNode => 'r',
            ConfChangeType::UpdateNode => 'u',
        };
        write!(f, "{letter}{}", self.node_id)
    }
}

/// A change of one member, as etcd's server proposes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfChange {
    /// The application's id of the request.
    pub id: u64,
    /// What happens.
    pub change_type: ConfChangeType,
    /// To whom; 0 is ignored.
    pub node_id: MemberId,
    /// The application's bytes.
    pub context: Bytes,
}

/// A change of any number of members at once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfChangeV2 {
    /// How the joint configuration is used.
    pub transition: ConfChangeTransition,
    /// The changes, applied in order.
    pub changes: Vec<ConfChangeSingle>,
    /// The application's bytes.
    pub context: Bytes,
}

/// What can be proposed as a configuration change.
pub trait AsConfChange {
    /// The type of the log entry.
    fn entry_type(&self) -> EntryType;
    /// The bytes of the log entry.
    ///
    /// # Errors
    /// [`Error::ConfChangeEncoding`] if the change cannot be written.
    fn encode(&self) -> Result<Bytes, Error>;
}

fn to_bytes<T: Serialize>(change: &T) -> Result<Bytes, Error> {
    let bytes = postcard::to_stdvec(change).map_err(Error::ConfChangeEncoding)?;
    Ok(Bytes::from(bytes))
}

impl AsConfChange for ConfChange {
    fn entry_type(&self) -> EntryType {
        EntryType::ConfChange
    }

    fn encode(&self) -> Result<Bytes, Error> {
        to_bytes(self)
    }
}

impl AsConfChange for ConfChangeV2 {
    fn entry_type(&self) -> EntryType {
        EntryType::ConfChangeV2
    }

    fn encode(&self) -> Result<Bytes, Error> {
        if *self == Self::default() { Ok(Bytes::new()) } else { to_bytes(self) }
    }
}

impl ConfChange {
    /// Reads the bytes of an [`EntryType::ConfChange`] entry.
    ///
    /// # Errors
    /// [`Error::ConfChangeEncoding`] if they are none.
    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        if bytes.is_empty() {
            return Ok(Self::default());
        }
        postcard::from_bytes(bytes).map_err(Error::ConfChangeEncoding)
    }

    /// The same change in the general form.
    #[must_use]
    pub fn to_v2(&self) -> ConfChangeV2 {
        let single = ConfChangeSingle { change_type: self.change_type, node_id: self.node_id };
        ConfChangeV2 {
            transition: ConfChangeTransition::Auto,
            changes: vec![single],
            context: self.context.clone(),
        }
    }
}

impl ConfChangeV2 {
    /// Reads the bytes of an [`EntryType::ConfChangeV2`] entry.
    ///
    /// # Errors
    /// [`Error::ConfChangeEncoding`] if they are none.
    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        if bytes.is_empty() {
            return Ok(Self::default());
        }
        postcard::from_bytes(bytes).map_err(Error::ConfChangeEncoding)
    }

    /// Reads the change out of an entry of either form; `None` for a normal entry.
    ///
    /// # Errors
    /// [`Error::ConfChangeEncoding`] if the bytes are no change.
    pub fn from_entry(entry: &Entry) -> Result<Option<Self>, Error> {
        match entry.entry_type {
            EntryType::Normal => Ok(None),
            EntryType::ConfChange => Ok(Some(ConfChange::decode(&entry.data)?.to_v2())),
            EntryType::ConfChangeV2 => Ok(Some(Self::decode(&entry.data)?)),
        }
    }

    /// `Some(auto_leave)` if the change goes through a joint configuration.
    #[must_use]
    pub fn enter_joint(&self) -> Option<bool> {
        match self.transition {
            ConfChangeTransition::Auto => (self.changes.len() > 1).then_some(true),
            ConfChangeTransition::JointImplicit => Some(true),
            ConfChangeTransition::JointExplicit => Some(false),
        }
    }

    /// True if the change leaves a joint configuration.
    #[must_use]
    pub fn is_leave_joint(&self) -> bool {
        self.transition == ConfChangeTransition::Auto && self.changes.is_empty()
    }

    /// The changes as script tokens: `v1 l2 r3 u4`.
    #[must_use]
    pub fn describe_changes(&self) -> String {
        let tokens: Vec<String> = self.changes.iter().map(ToString::to_string).collect();
        tokens.join(" ")
    }
}

/// Reads script tokens (`v1 l2 r3 u4`), separated by white space.
///
/// # Errors
/// [`Error::ConfChangeToken`] with the first token that is none.
pub fn parse_changes(text: &str) -> Result<Vec<ConfChangeSingle>, Error> {
    text.split_whitespace()
        .map(|token| {
            let unknown = || Error::ConfChangeToken(token.to_owned());
            let (letter, number) = token.split_at_checked(1).ok_or_else(unknown)?;
            let change_type = match letter {
                "v" => ConfChangeType::AddNode,
                "l" => ConfChangeType::AddLearnerNode,
                "r" => ConfChangeType::RemoveNode,
                "u" => ConfChangeType::UpdateNode,
                _ => return Err(unknown()),
            };
            let Ok(id) = number.parse() else { return Err(unknown()) };
            Ok(ConfChangeSingle { change_type, node_id: MemberId(id) })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_survive_their_bytes_and_bad_bytes_are_refused() {
        let v1 = ConfChange {
            id: 7,
            change_type: ConfChangeType::AddLearnerNode,
            node_id: MemberId(9),
            context: Bytes::from_static(b"peer"),
        };
        assert_eq!(ConfChange::decode(&v1.encode().unwrap()).unwrap(), v1);
        let v2 = ConfChangeV2 {
            transition: ConfChangeTransition::JointExplicit,
            changes: parse_changes("v1 l2 r3 u4").unwrap(),
            context: Bytes::from_static(b"x"),
        };
        assert_eq!(ConfChangeV2::decode(&v2.encode().unwrap()).unwrap(), v2);
        assert_eq!(v2.describe_changes(), "v1 l2 r3 u4");
        assert_eq!(ConfChangeV2::decode(b"").unwrap(), ConfChangeV2::default());
        assert!(ConfChangeV2::default().encode().unwrap().is_empty());
        assert!(ConfChangeV2::decode(&[9, 9, 9]).is_err());
        assert!(ConfChange::decode(&[255]).is_err());
        assert!(parse_changes("v1 x2").is_err());
        assert!(parse_changes("é").is_err());
    }

    #[test]
    fn joint_is_used_when_asked_for_or_when_several_change() {
        let change = |transition, text: &str| ConfChangeV2 {
            transition,
            changes: parse_changes(text).unwrap(),
            context: Bytes::new(),
        };
        use ConfChangeTransition::{Auto, JointExplicit, JointImplicit};
        assert_eq!(change(Auto, "v1").enter_joint(), None);
        assert_eq!(change(Auto, "v1 v2").enter_joint(), Some(true));
        assert_eq!(change(JointImplicit, "v1").enter_joint(), Some(true));
        assert_eq!(change(JointExplicit, "v1").enter_joint(), Some(false));
        assert!(change(Auto, "").is_leave_joint());
        assert!(!change(JointExplicit, "").is_leave_joint());
    }
}
