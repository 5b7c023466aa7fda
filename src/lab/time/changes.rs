//! Changes to a run that stands still.
//!
//! What it is: a message lost, election timers that run out, a verb, a command in a console of its own; each with a sentence on
//! what it did, or why it did nothing.
//! What it is not: the script's steps.
//! Invariants: no time passes; the same change at the same moment does the same.

use super::scene::world;
use crate::api;
use crate::cluster::{NoTimer, Simulation};
use crate::lab::play::order_sentence;
use crate::lab::session::{Session, carry_out};
use crate::scenario::moment::{LINE_BYTES_MAX, TimeChange, words};
use crate::scenario::{Action, Refusal, Script, Told, Verb, World, lines};
use crate::types::MemberId;

/// What a change did, or why it did nothing.
pub(super) type Done = Result<Refusal, Refusal>;

/// Consoles from this number on belong to changes.
pub(in crate::lab) const OWN_CONSOLES: u32 = 1_000;

fn say(english: impl Into<String>, chinese: impl Into<String>) -> Refusal {
    Refusal { english: words(&english.into()), chinese: words(&chinese.into()) }
}

/// What a line asks for.
pub(super) enum Line {
    /// A verb.
    Verb(Verb),
    /// A command.
    Command(String),
}

/// Reads a line.
pub(super) fn read_line(text: &str) -> Result<Line, Refusal> {
    if text.len() > LINE_BYTES_MAX {
        let most = LINE_BYTES_MAX;
        return Err(say(
            format!("the line is longer than {most} bytes"),
            format!("这一行超过了 {most} 字节"),
        ));
    }
    let script = Script::parse(text)?;
    let [step] = script.steps.as_slice() else {
        return Err(say("expected one verb or one command", "这里需要恰好一条操作或一条命令"));
    };
    match &step.action {
        Action::Verb(Verb::Wait { .. }) | Action::WaitFor { .. } => Err(say(
            "there is no waiting here: go on to a later moment instead",
            "这里不能等待：直接前进到之后的时刻即可",
        )),
        Action::Verb(verb) => Ok(Line::Verb(*verb)),
        Action::Command { text, .. } => Ok(Line::Command(text.clone())),
        Action::Change(_) => Err(say(
            "the membership is changed by a command here, such as etcdctl member remove ID",
            "这里要用命令变更成员，例如 etcdctl member remove ID",
        )),
        _ => Err(say(
            "expected a verb such as \"kill leader\", or a command such as \"etcdctl put a b\"",
            "这里需要一条操作（如 kill leader）或一条命令（如 etcdctl put a b）",
        )),
    }
}

/// Changes a run with consoles; `number`: of the change.
pub(in crate::lab) fn change(session: &mut Session, change: &TimeChange, number: u32) -> Done {
    let TimeChange::Line(text) = change else {
        let done = act(session.simulation_mut(), change);
        session.settle();
        return done;
    };
    match read_line(text)? {
        Line::Verb(verb) => {
            let world = session.world();
            let orders = world.plan(&verb).map_err(|why| say(why.to_string(), why.chinese()))?;
            let sentences = orders.iter().flat_map(|order| order_sentence(&world, order)).collect();
            orders.into_iter().for_each(|order| session.carry_out(order));
            Ok(told(sentences))
        }
        Line::Command(text) => {
            let line =
                session.world().expand(&text).map_err(|why| say(why.to_string(), why.chinese()))?;
            session.start(OWN_CONSOLES + number, &line, Some(bytes::Bytes::new()));
            Ok(say(format!("began: {line}"), format!("已开始执行：{line}")))
        }
    }
}

/// Changes a run without consoles.
pub(super) fn change_seed(simulation: &mut Simulation, change: &TimeChange) -> Done {
    let TimeChange::Line(text) = change else {
        return act(simulation, change);
    };
    let Line::Verb(verb) = read_line(text)? else {
        return Err(say(
            "a seed has no consoles: only verbs such as \"kill leader\" can be done here",
            "seed 的运行没有控制台：这里只能做操作，例如 kill leader",
        ));
    };
    let world = world(simulation);
    let orders = world.plan(&verb).map_err(|why| say(why.to_string(), why.chinese()))?;
    let sentences = orders.iter().flat_map(|order| order_sentence(&world, order)).collect();
    orders.into_iter().for_each(|order| carry_out(simulation, order));
    Ok(told(sentences))
}

/// What orders did; nothing if there were none to give.
fn told(sentences: Vec<Told>) -> Refusal {
    if sentences.is_empty() {
        return say("nothing was to be done", "没有需要做的事");
    }
    let all = lines(&sentences);
    say(all.english.replace('\n', "; "), all.chinese.replace('\n', "；"))
}

fn act(simulation: &mut Simulation, change: &TimeChange) -> Done {
    match change {
        TimeChange::Drop(id) => lose(simulation, *id),
        TimeChange::Fire(member) => fire(simulation, *member),
        TimeChange::SplitVote => split(simulation),
        TimeChange::Line(_) => unreachable!("lines are done elsewhere"),
    }
}

fn lose(simulation: &mut Simulation, id: u64) -> Done {
    let found = simulation.in_flight().into_iter().find(|it| it.number == id);
    let flight = found.as_ref().and_then(super::words::flight);
    let Some(flight) = flight.filter(|_| simulation.lose(id)) else {
        return Err(say("no such message is in flight at this moment", "此刻没有这条在途消息"));
    };
    let names = world(simulation);
    let (from, to, kind) = (names.name(flight.from), names.name(flight.to), flight.kind);
    Ok(say(
        format!("{kind} from {from} to {to} is lost"),
        format!("{from} 发给 {to} 的 {kind} 已丢失"),
    ))
}

fn fire(simulation: &mut Simulation, member: MemberId) -> Done {
    let name = world(simulation).name(member);
    match simulation.run_out(member) {
        Ok(ticks) => Ok(say(
            format!("the election timer of {name} ran out: it got {ticks} tick(s) at once"),
            format!("{name} 的选举超时立即触发（一次推进 {ticks} 个 tick）"),
        )),
        Err(NoTimer::Down) => Err(say(
            format!("{name} is down, so no timer of it runs"),
            format!("{name} 没有运行，没有计时器可触发"),
        )),
        Err(NoTimer::Paused) => Err(say(
            format!("{name} is paused, so no timer of it runs"),
            format!("{name} 已暂停，计时器不走"),
        )),
        Err(NoTimer::Leads) => Err(say(
            format!(
                "{name} leads, and a leader has no election timer: kill, pause or isolate it for an election"
            ),
            format!(
                "{name} 是 leader，leader 没有选举计时器；要触发选举，请先 kill、pause 或 isolate 它"
            ),
        )),
        Err(NoTimer::CannotStand) => Err(say(
            format!(
                "the election timer of {name} ran out, and it does not stand: it has no vote, or a change of the members is not applied yet"
            ),
            format!("{name} 的选举超时已触发，但它不能参选：没有投票权，或还有成员变更未 apply"),
        )),
    }
}

/// Everybody who can stands at once, and so votes for itself.
fn split(simulation: &mut Simulation) -> Done {
    let world = world(simulation);
    let conf = simulation.newest_members().map(|(_, _, conf)| conf).unwrap_or_default();
    let can_stand = |view: &&crate::scenario::MemberView| {
        let leads = view.status.as_ref().is_some_and(|it| it.role == api::Role::Leader);
        view.is_up && !view.is_paused && !leads && conf.voters.contains(&view.id())
    };
    let able: Vec<MemberId> = world.members.iter().filter(can_stand).map(|it| it.id()).collect();
    if able.len() < 2 {
        let (who, wer) = match able.first() {
            Some(one) => (format!("only {} can", world.name(*one)), world.name(*one)),
            None => ("nobody can".to_owned(), "没有成员".to_owned()),
        };
        return Err(say(
            format!("a split vote needs two members that can stand, and here {who}"),
            format!("要分裂选票至少需要两个能参选的成员，这里能参选的只有：{wer}"),
        ));
    }
    let stood: Vec<MemberId> =
        able.into_iter().filter(|id| simulation.run_out(*id).is_ok()).collect();
    let majority = conf.voters.len() / 2 + 1;
    Ok(split_words(simulation, &world, &stood, majority))
}

/// What will come of it.
fn split_words(
    simulation: &Simulation,
    world: &World,
    stood: &[MemberId],
    majority: usize,
) -> Refusal {
    let names: Vec<String> = stood.iter().map(|id| world.name(*id)).collect();
    let (and, list) = (names.join(", "), names.join("、"));
    let begin = say(format!("{and} stand at the same moment"), format!("{list} 同时参选"));
    if simulation.spec().pre_vote && stood.len() < majority {
        return say(
            format!(
                "{}; they are fewer than the majority of {majority}, so nobody wins the pre-vote and no term begins",
                begin.english
            ),
            format!(
                "{}；不足多数派 {majority} 个，谁也过不了 PreVote，任期不会增加",
                begin.chinese
            ),
        );
    }
    match world.leader() {
        None => say(
            format!(
                "{} and each votes for itself: nobody gets the {majority} votes of a majority",
                begin.english
            ),
            format!("{}，各投自己一票：谁也拿不到多数派的 {majority} 票", begin.chinese),
        ),
        Some(leader) => {
            let leader = world.name(leader);
            say(
                format!(
                    "{} and each votes for itself; {leader}, which leads, votes for nobody before it has heard of the new term",
                    begin.english
                ),
                format!("{}，各投自己一票；leader {leader} 得知新任期之前不会投票", begin.chinese),
            )
        }
    }
}
