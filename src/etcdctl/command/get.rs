//! `get`: read a key or a range.

use bytes::Bytes;

use crate::api::{RangeRequest, Request, Response, SortOrder, SortTarget};
use crate::etcdctl::command::one_call::OneCall;
use crate::etcdctl::command::{
    Config, EXIT_BAD_FEATURE, EXIT_ERROR, Failure, Invocation, Made, ONE_ARGUMENT_ONLY,
    PREFIX_AND_FROM_KEY, key_range, unexpected_answer,
};
use crate::etcdctl::flags::FlagValues;
use crate::etcdctl::go;
use crate::etcdctl::printer::{self, Format, Printed, Style};

pub(crate) fn new(invocation: &Invocation) -> Made {
    let flags = &invocation.flags;
    let request = request(flags, &invocation.args_as_bytes())?;
    let config = invocation.client_config()?;
    if flags.bool("stream") {
        refuse_stream(&request)?;
    }
    let show = Show { count_only: request.count_only, value_only: flags.bool("print-value-only") };
    let print = move |config: &Config, response| print(config, response, show);
    Ok(Box::new(OneCall::new(config, Request::Range(request), print)))
}

/// What `get` asks for.
pub(super) fn request(flags: &FlagValues, args: &[Bytes]) -> Result<RangeRequest, Failure> {
    let key = args.first().ok_or_else(|| {
        Failure::bad_args(
            "get command needs one argument as key and an optional argument as range_end",
        )
    })?;
    let (prefix, from_key) = (flags.bool("prefix"), flags.bool("from-key"));
    if prefix && from_key {
        return Err(Failure::bad_args(PREFIX_AND_FROM_KEY));
    }
    let (keys_only, count_only) = (flags.bool("keys-only"), flags.bool("count-only"));
    if keys_only && count_only {
        let message = "`--keys-only` and `--count-only` cannot be set at the same time, choose one";
        return Err(Failure::bad_args(message));
    }
    let consistency = flags.text("consistency");
    let serializable = consistency_is_serializable(consistency, consistency)?;
    if args.len() > 1 && (prefix || from_key) {
        return Err(Failure::bad_args(ONE_ARGUMENT_ONLY));
    }
    let (sort_order, sort_target) = sorting(flags)?;
    let (key, range_end) = key_range(flags, key, args.get(1));
    let (min_create_revision, max_create_revision) = bounds(
        flags,
        ["min-create-rev", "max-create-rev"],
        ["getMinCreateRev", "getMaxCreateRev"],
    )?;
    let (min_mod_revision, max_mod_revision) =
        bounds(flags, ["min-mod-rev", "max-mod-rev"], ["getMinModRev", "getMaxModRev"])?;
    Ok(RangeRequest {
        key,
        range_end,
        limit: flags.int("limit"),
        revision: flags.int("rev").max(0),
        sort_order,
        sort_target,
        serializable,
        keys_only,
        count_only,
        min_mod_revision,
        max_mod_revision,
        min_create_revision,
        max_create_revision,
    })
}

/// `l` or `s`; anything else is refused, and `shown` is what the refusal names.
pub(super) fn consistency_is_serializable(value: &str, shown: &str) -> Result<bool, Failure> {
    match value {
        "l" => Ok(false),
        "s" => Ok(true),
        _ => {
            let shown = go::quote(shown.as_bytes());
            Err(Failure::new(EXIT_BAD_FEATURE, format!("unknown consistency flag {shown}")))
        }
    }
}

fn sorting(flags: &FlagValues) -> Result<(SortOrder, SortTarget), Failure> {
    let refused = |message: String| Failure::new(EXIT_BAD_FEATURE, message);
    let (order, target) = (flags.text("order"), flags.text("sort-by"));
    let sort_order = match order.to_ascii_uppercase().as_str() {
        "" => SortOrder::None,
        "ASCEND" => SortOrder::Ascend,
        "DESCEND" => SortOrder::Descend,
        _ => return Err(refused(format!("bad sort order {order}"))),
    };
    let sort_target = match target.to_ascii_uppercase().as_str() {
        "" | "KEY" => SortTarget::Key,
        "CREATE" => SortTarget::Create,
        "MODIFY" => SortTarget::Mod,
        "VALUE" => SortTarget::Value,
        "VERSION" => SortTarget::Version,
        _ => return Err(refused(format!("bad sort target {target}"))),
    };
    // By key, ascending, is how keys are stored: etcd's client does not ask for it.
    if sort_target == SortTarget::Key && sort_order == SortOrder::Ascend {
        return Ok((SortOrder::None, sort_target));
    }
    Ok((sort_order, sort_target))
}

fn bounds(flags: &FlagValues, names: [&str; 2], shown: [&str; 2]) -> Result<(i64, i64), Failure> {
    let [min, max] = names.map(|name| flags.int(name).max(0));
    if max > 0 && min > max {
        let [low, high] = shown;
        let message = format!("{low}(={min}) > {high}(={max})");
        return Err(Failure::new(EXIT_BAD_FEATURE, message));
    }
    Ok((min, max))
}

/// What etcd's streaming range cannot do; an empty key is left for the member to refuse.
fn refuse_stream(request: &RangeRequest) -> Result<(), Failure> {
    let cannot = if request.key.is_empty() {
        return Ok(());
    } else if request.sort_order != SortOrder::None {
        "custom sort orders"
    } else if request.min_mod_revision != 0
        || request.max_mod_revision != 0
        || request.min_create_revision != 0
        || request.max_create_revision != 0
    {
        "revision filters"
    } else {
        return Ok(());
    };
    let message =
        format!("rpc error: code = Unimplemented desc = RangeStream does not support {cannot}");
    Err(Failure::new(EXIT_ERROR, message))
}

/// What is printed of the answer.
#[derive(Clone, Copy)]
struct Show {
    count_only: bool,
    value_only: bool,
}

/// Which formats fit is looked at only after the answer, as etcdctl does.
fn print(config: &Config, response: Response, show: Show) -> Printed {
    let Response::Range(response) = response else { return Err(unexpected_answer()) };
    if show.count_only && config.style.format != Format::Fields {
        return Err(Failure::bad_args("--count-only is only for `--write-out=fields`"));
    }
    if show.value_only && config.style.format != Format::Simple {
        return Err(Failure::bad_args("print-value-only is only for `--write-out=simple`"));
    }
    printer::get(Style { value_only: show.value_only, ..config.style }, &response)
}
