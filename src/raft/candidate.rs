//! How a member becomes leader: pre-vote, vote, and what ends a campaign.
//!
//! What it is: starting a campaign, counting votes, giving way to a leader.
//! What it is not: granting votes; every role does that (see `machine`).
//! Invariants: the own vote counts only once it is durable, so it is a message like any other.
//! Source: Raft thesis §3.4, §9.6; behaviour of etcd-io/raft `campaign` and `stepCandidate`.

use bytes::Bytes;

use super::error::Error;
use super::machine::{CAMPAIGN_TRANSFER, Campaign, Raft};
use super::message::{Message, MessageType};
use super::quorum::VoteResult;
use super::state::StateRole;
use super::storage::Storage;
use crate::mutant::{self, Mutant};

impl<S: Storage> Raft<S> {
    /// Campaigns, unless this member leads, may not, or has a configuration change to apply first.
    pub(crate) fn hup(&mut self, campaign: Campaign) {
        if self.role == StateRole::Leader || !self.is_promotable() {
            return;
        }
        match self.log.has_unapplied_conf_change() {
            Ok(false) => self.campaign(campaign),
            Ok(true) if mutant::is(Mutant::CampaignWithUnappliedChange) => self.campaign(campaign),
            Ok(true) => log::debug!("{:x} must apply a configuration change first", self.id),
            Err(error) => log::warn!("{:x} cannot read its log to campaign: {error}", self.id),
        }
    }

    fn campaign(&mut self, campaign: Campaign) {
        let (request, response, term) = if campaign == Campaign::PreElection {
            self.become_pre_candidate();
            (MessageType::MsgPreVote, MessageType::MsgPreVoteResp, self.term.next())
        } else {
            self.become_candidate();
            (MessageType::MsgVote, MessageType::MsgVoteResp, self.term)
        };
        #[cfg(feature = "mutants")]
        if mutant::is(Mutant::CampaignWithUnappliedChange) {
            self.tracker.settle_electorate();
        }
        let last = self.log.last_id();
        for id in self.tracker.config.voters.ids().iter() {
            if id == self.id {
                // The vote for itself, delivered once it is durable.
                let mut own = Message::new(response, id);
                own.term = term;
                self.send(own);
                continue;
            }
            let mut message = Message::new(request, id);
            message.term = term;
            message.index = last.index;
            message.log_term = last.term;
            if campaign == Campaign::Transfer {
                message.context = Bytes::from_static(CAMPAIGN_TRANSFER);
            }
            self.send(message);
        }
    }

    pub(crate) fn step_candidate(&mut self, message: Message) -> Result<(), Error> {
        let is_pre_candidate = self.role == StateRole::PreCandidate;
        match message.msg_type {
            MessageType::MsgProp => Err(Error::ProposalDropped),
            MessageType::MsgApp | MessageType::MsgHeartbeat | MessageType::MsgSnap => {
                // Somebody else leads this term.
                self.become_follower(self.term.max(message.term), Some(message.from));
                self.handle_leader_message(message)
            }
            MessageType::MsgPreVoteResp if is_pre_candidate => {
                self.count_vote(&message);
                Ok(())
            }
            MessageType::MsgVoteResp if !is_pre_candidate => {
                self.count_vote(&message);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn count_vote(&mut self, message: &Message) {
        self.tracker.record_vote(message.from, !message.reject);
        match self.tracker.vote_result() {
            VoteResult::Won if self.role == StateRole::PreCandidate => {
                self.campaign(Campaign::Election);
            }
            VoteResult::Won => {
                self.become_leader();
                self.broadcast_append();
            }
            VoteResult::Lost => self.become_follower(self.term, None),
            VoteResult::Pending => {}
        }
    }
}
