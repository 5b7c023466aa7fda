//! What one event of the simulation is, in the words of a moment.
//!
//! What it is: [`Occurred`] and [`Flight`] made of what stands in the simulation's heap.
//! What it is not: a sentence for people; that is the view's.
//! Invariants: of requests beside keys and watches only the name is told, so no password is; texts are bounded.

use crate::api;
use crate::cluster::{Coming, Glimpse, Phase, SeedPlan, SimNews};
use crate::etcdserver::{Input, PeerMessage};
use crate::scenario::moment::{Flight, Happened, Happening, Occurred, words};
use crate::scenario::{Refusal, Saying, Told};
use crate::types::{Millis, Term};

/// What an event that comes next will have been.
pub(super) fn occurred(next: &Glimpse<'_>) -> Occurred {
    match next.what {
        Coming::Tick(member) => Occurred::Tick(member),
        Coming::Message(_) | Coming::Peer { .. } => {
            flight(next).map_or(Occurred::Stale, |it| Occurred::Message(Box::new(it)))
        }
        Coming::Connected(one, other) => Occurred::Connected(one, other),
        Coming::Disk(member) => Occurred::Disk(member),
        Coming::Input(member, input) => Occurred::Asked { member, what: asked(input) },
        Coming::Client(news) => {
            let (what, is_failure) = heard(news);
            Occurred::Answered { what, is_failure }
        }
        Coming::Timer => Occurred::Timer,
        Coming::Stale => Occurred::Stale,
    }
}

/// A message on its way; `None` if it is something else.
pub(super) fn flight(glimpse: &Glimpse<'_>) -> Option<Flight> {
    let (id, sent_at, arrives_at) = (glimpse.number, glimpse.since, glimpse.at);
    match glimpse.what {
        Coming::Message(message) => Some(Flight {
            id,
            from: message.from,
            to: message.to,
            kind: message.msg_type.to_string(),
            term: message.term,
            index: message.index,
            log_term: message.log_term,
            commit: message.commit,
            entries: u64::try_from(message.entries.len()).unwrap_or(u64::MAX),
            is_reject: message.reject,
            sent_at,
            arrives_at,
            is_doomed: glimpse.is_doomed,
        }),
        Coming::Peer { from, to, message } => Some(Flight {
            id,
            from,
            to,
            kind: peer_kind(message).to_owned(),
            term: Term(0),
            sent_at,
            arrives_at,
            is_doomed: glimpse.is_doomed,
            ..Flight::default()
        }),
        _ => None,
    }
}

/// The name of what members tell one another beside Raft's messages.
fn peer_kind(message: &PeerMessage) -> &'static str {
    match message {
        PeerMessage::SnapshotPart(_) => "SnapshotPart",
        PeerMessage::SnapshotProgress { .. } => "SnapshotProgress",
        PeerMessage::SnapshotRefused { .. } => "SnapshotRefused",
        PeerMessage::Removed => "Removed",
        PeerMessage::Promote { .. } => "Promote",
        PeerMessage::PromoteRefused { .. } => "PromoteRefused",
        _ => "PeerMessage",
    }
}

fn named(name: &str, key: &[u8]) -> String {
    words(&format!("{name} {}", String::from_utf8_lossy(key)))
}

/// What a client's input is.
fn asked(input: &Input) -> String {
    match input {
        Input::Client { request, .. } => request_words(request),
        Input::CancelClient(_) => "Cancel".to_owned(),
        Input::Watch { request, .. } => match request {
            api::WatchRequest::Create(create) => named("Watch", &create.key),
            _ => "Watch".to_owned(),
        },
        Input::KeepAlive { .. } => "LeaseKeepAlive".to_owned(),
        Input::CloseStream(_) => "Close".to_owned(),
        Input::Peer(message) => message.msg_type.to_string(),
        _ => "Input".to_owned(),
    }
}

fn request_words(request: &api::Request) -> String {
    use api::Request;
    let name = match request {
        Request::Range(range) => return named("Range", &range.key),
        Request::Put(put) => return named("Put", &put.key),
        Request::DeleteRange(delete) => return named("DeleteRange", &delete.key),
        Request::Txn(_) => "Txn",
        Request::Compaction(compaction) => return format!("Compact {}", compaction.revision),
        Request::MemberList(_) => "MemberList",
        Request::Status(_) => "Status",
        Request::HashKv(_) => "HashKV",
        Request::Alarm(_) => "Alarm",
        Request::MemberAdd(_) => "MemberAdd",
        Request::MemberRemove(_) => "MemberRemove",
        Request::MemberUpdate(_) => "MemberUpdate",
        Request::MemberPromote(_) => "MemberPromote",
        Request::MoveLeader(_) => "MoveLeader",
        Request::Defragment(_) => "Defragment",
        Request::Downgrade(_) => "Downgrade",
        Request::LeaseGrant(_) => "LeaseGrant",
        Request::LeaseRevoke(_) => "LeaseRevoke",
        Request::LeaseKeepAlive(_) => "LeaseKeepAlive",
        Request::LeaseTimeToLive(_) => "LeaseTimeToLive",
        Request::LeaseLeases(_) => "LeaseLeases",
        Request::Auth(_) => "Auth",
        Request::Authenticate(_) => "Authenticate",
        Request::Snapshot(_) => "Snapshot",
    };
    name.to_owned()
}

/// A sentence in both languages, neither too long.
pub(super) fn short(told: &Told) -> Refusal {
    let Refusal { english, chinese } = told.into();
    Refusal { english: words(&english), chinese: words(&chinese) }
}

/// What a phase of a seed's run is.
pub(super) fn phase(phase: &Phase) -> Refusal {
    short(&match phase {
        Phase::TooLittle => Told::new(Saying::TooLittle),
        Phase::Healed => Told::new(Saying::Healed),
        Phase::Restored => Told::new(Saying::Restored),
        Phase::Fault(fault) => Told::plain(fault),
        Phase::NoMajority => Told::new(Saying::NoMajority),
        Phase::Deletes(sizes, quota) => Told::of(Saying::Deletes, sizes).and(quota),
        Phase::Lifts(alarms) => Told::of(Saying::Lifts, alarms),
        Phase::Restart => Told::new(Saying::Restart),
    })
}

/// What a seed draws.
pub(super) fn plan(plan: SeedPlan) -> Refusal {
    let SeedPlan { members, clients, tick_ms, election_ticks, pre_vote, check_quorum } = plan;
    let drawn = Told::of(Saying::Plan, members).and(clients).and(tick_ms).and(election_ticks);
    let with = |told: Told, is_so, more| {
        if is_so { told } else { Told::new(more).about(told) }
    };
    let drawn = with(drawn, pre_vote, Saying::NoPreVote);
    short(&with(drawn, check_quorum, Saying::NoCheckQuorum))
}

/// Why a member is down: etcd's own words stay as they are.
fn down(reason: &str) -> Refusal {
    short(&match (reason, reason.strip_prefix("crashed: ")) {
        ("killed", _) => Told::new(Saying::WasKilled),
        (_, Some(message)) => Told::of(Saying::Crashed, message),
        (reason, None) => Told::plain(reason),
    })
}

/// What a client hears, and whether that is a failure.
fn heard(news: &SimNews) -> (Refusal, bool) {
    let (told, is_failure) = match news {
        SimNews::Reply { result: Ok(response), .. } => {
            (Told::plain(response_name(response)), false)
        }
        SimNews::Reply { result: Err(error), .. } | SimNews::StreamEnded { error, .. } => {
            (Told::plain(error), true)
        }
        SimNews::Watch { response, .. } => {
            (Told::of(Saying::WatchTold, response.events.len()), false)
        }
        SimNews::CallFailed { was_sent: true, .. } => (Told::new(Saying::WentAway), true),
        SimNews::CallFailed { .. } => (Told::new(Saying::DoesNotRun), true),
        SimNews::ReplyPart { .. } => (Told::new(Saying::SnapshotPart), false),
        SimNews::KeepAlive { .. } => (Told::plain("LeaseKeepAlive"), false),
        _ => return (Refusal::default(), false),
    };
    (short(&told), is_failure)
}

const fn response_name(response: &api::Response) -> &'static str {
    use api::Response;
    match response {
        Response::Range(_) => "Range",
        Response::Put(_) => "Put",
        Response::DeleteRange(_) => "DeleteRange",
        Response::Txn(_) => "Txn",
        Response::Compaction(_) => "Compact",
        Response::MemberList(_) => "MemberList",
        Response::Status(_) => "Status",
        Response::HashKv(_) => "HashKV",
        Response::Alarm(_) => "Alarm",
        Response::MemberAdd(_) => "MemberAdd",
        Response::MemberRemove(_) => "MemberRemove",
        Response::MemberUpdate(_) => "MemberUpdate",
        Response::MemberPromote(_) => "MemberPromote",
        Response::MoveLeader(_) => "MoveLeader",
        Response::Defragment(_) => "Defragment",
        Response::Downgrade(_) => "Downgrade",
        Response::LeaseGrant(_) => "LeaseGrant",
        Response::LeaseRevoke(_) => "LeaseRevoke",
        Response::LeaseKeepAlive(_) => "LeaseKeepAlive",
        Response::LeaseTimeToLive(_) => "LeaseTimeToLive",
        Response::LeaseLeases(_) => "LeaseLeases",
        Response::Auth(_) => "Auth",
        Response::Authenticate(_) => "Authenticate",
        Response::Snapshot(_) => "Snapshot",
    }
}

/// What is worth telling of what members did; `with_clients`: and of what clients hear.
pub(super) fn happening(
    at: Millis,
    event: u64,
    news: &SimNews,
    with_clients: bool,
) -> Option<Happening> {
    let what = match news {
        SimNews::MemberEvent { member, event } => Happened::Member(*member, event.clone()),
        SimNews::MemberUp(member) => Happened::Up(*member),
        SimNews::MemberDown { member, reason } => Happened::Down(*member, down(reason)),
        SimNews::Reply { .. } | SimNews::CallFailed { .. } | SimNews::StreamEnded { .. }
            if with_clients =>
        {
            let (what, is_failure) = heard(news);
            Happened::Answered(what, is_failure)
        }
        _ => return None,
    };
    Some(Happening { at, event, what })
}
