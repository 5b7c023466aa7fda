use bytes::Bytes;

use super::network::*;
use crate::raft::conf_change::parse_changes;
use crate::raft::*;
use crate::types::MemberId;

fn transfer(network: &mut Network, at: u64, to: u64) {
    network.at(at).transfer_leader(id(to));
    network.run();
}

fn leads(network: &Network, own: u64, lead: u64) {
    let role = if own == lead { StateRole::Leader } else { StateRole::Follower };
    assert_eq!((network.get(own).role(), network.get(own).lead()), (role, Some(id(lead))));
    if role == StateRole::Leader {
        assert_eq!(network.get(own).basic_status().lead_transferee, None);
    }
}

fn three() -> Network {
    let mut network = Network::of(3, |_| {});
    network.campaign(1);
    network
}

#[test]
fn an_up_to_date_follower_leads_at_once() {
    let mut network = three();
    transfer(&mut network, 1, 2);
    leads(&network, 1, 2);
    network.propose(1, "x").unwrap();
    // The request may also come through a follower.
    transfer(&mut network, 1, 1);
    leads(&network, 1, 1);
}

#[test]
fn a_transfer_asked_of_a_follower_goes_to_the_leader() {
    let mut network = three();
    transfer(&mut network, 2, 2);
    leads(&network, 1, 2);
    leads(&network, 2, 2);
    transfer(&mut network, 3, 1);
    leads(&network, 3, 1);
    // Without a leader there is nobody to ask.
    network.at(2).forget_leader().unwrap();
    transfer(&mut network, 2, 2);
    leads(&network, 1, 1);
}

#[test]
fn a_transfer_works_within_the_lease() {
    let mut network = Network::of(3, |config| {
        config.check_quorum = true;
        config.pre_vote = true;
    });
    network.campaign(1);
    transfer(&mut network, 1, 2);
    leads(&network, 1, 2);
}

#[test]
fn a_slow_follower_catches_up_first() {
    let mut network = three();
    network.isolate(3);
    network.propose(1, "x").unwrap();
    network.heal();
    transfer(&mut network, 1, 3);
    network.tick(1, 1);
    network.run();
    leads(&network, 1, 3);
}

#[test]
fn a_follower_that_needs_a_snapshot_leads_after_it() {
    let mut network = three();
    network.isolate(3);
    network.propose(1, "x").unwrap();
    let applied = network.get(1).applied();
    let leader = network.at(1);
    let conf_state = leader.conf_state();
    leader.storage_mut().create_snapshot(applied, Some(conf_state), Bytes::new()).unwrap();
    leader.storage_mut().compact(applied).unwrap();
    network.heal();
    transfer(&mut network, 1, 3);
    network.tick(1, 1);
    network.run();
    leads(&network, 1, 3);
}

#[test]
fn a_transfer_is_given_up_after_an_election_timeout_and_drops_proposals_meanwhile() {
    let mut network = three();
    network.isolate(3);
    transfer(&mut network, 1, 3);
    assert_eq!(network.get(1).basic_status().lead_transferee, Some(id(3)));
    assert_eq!(network.propose(1, "x"), Err(Error::ProposalDropped));
    // Asking again for the same member does not extend the time.
    network.tick(1, 5);
    transfer(&mut network, 1, 3);
    network.tick(1, 5);
    network.run();
    leads(&network, 1, 1);
    network.propose(1, "x").unwrap();
}

#[test]
fn a_transfer_can_be_taken_back_or_redirected() {
    let mut network = three();
    network.isolate(3);
    transfer(&mut network, 1, 3);
    transfer(&mut network, 1, 1);
    leads(&network, 1, 1);
    transfer(&mut network, 1, 3);
    transfer(&mut network, 1, 2);
    leads(&network, 1, 2);
}

#[test]
fn a_transfer_to_oneself_a_stranger_or_a_learner_does_nothing() {
    let build = |own| member_with(Config::new(id(own)), storage(&[1, 2], &[3], &[]));
    let mut network = Network::new(vec![build(1), build(2), build(3)]);
    network.campaign(1);
    for to in [1, 9, 3] {
        transfer(&mut network, 1, to);
        leads(&network, 1, 1);
    }
}

#[test]
fn a_vote_of_a_higher_term_ends_a_transfer() {
    let mut network = three();
    network.isolate(3);
    transfer(&mut network, 1, 3);
    network.at(2).raft.term = crate::types::Term(1);
    network.campaign(2);
    leads(&network, 1, 2);
}

#[test]
fn removing_or_demoting_the_target_cancels_the_transfer() {
    for change in ["r3", "l3"] {
        let mut network = three();
        network.isolate(3);
        transfer(&mut network, 1, 3);
        assert_eq!(network.get(1).basic_status().lead_transferee, Some(id(3)));
        let change =
            ConfChangeV2 { changes: parse_changes(change).unwrap(), ..ConfChangeV2::default() };
        network.at(1).apply_conf_change(&change);
        assert_eq!(network.get(1).basic_status().lead_transferee, None::<MemberId>);
    }
}

#[test]
fn the_order_to_campaign_does_nothing_on_a_learner_or_a_stranger() {
    for (voters, learners) in [(vec![1], vec![2]), (vec![1], vec![])] {
        let mut other = member_with(Config::new(id(2)), storage(&voters, &learners, &[]));
        other.step(message(MessageType::MsgTimeoutNow, 1, 2, 1)).unwrap();
        assert_eq!(other.role(), StateRole::Follower);
    }
}
