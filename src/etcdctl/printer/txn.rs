//! The answer to a transaction, in every format.

use crate::api::{ResponseOp, TxnResponse};
use crate::etcdctl::printer::json::{self, Object};
use crate::etcdctl::printer::{Format, Printed, Style, fields, no_table, protobuf, simple};

pub(crate) fn txn(style: Style, response: &TxnResponse) -> Printed {
    match style.format {
        Format::Simple => Ok(as_simple(style, response)),
        Format::Fields => Ok(as_fields(style, response)),
        Format::Json => Ok(json::line(&as_json(response))),
        Format::Table => no_table(),
        Format::Protobuf => Ok(protobuf::txn(response)),
    }
}

/// An empty line stands before the answer to each operation.
fn as_simple(style: Style, response: &TxnResponse) -> Vec<u8> {
    let mut out = if response.succeeded { b"SUCCESS\n".to_vec() } else { b"FAILURE\n".to_vec() };
    for answer in &response.responses {
        out.push(b'\n');
        out.extend(match answer {
            ResponseOp::Range(answer) => simple::get(style, answer),
            ResponseOp::Put(answer) => simple::put(style, answer),
            ResponseOp::DeleteRange(answer) => simple::del(style, answer),
            // etcdctl cannot ask for one.
            ResponseOp::Txn(answer) => as_simple(style, answer),
        });
    }
    out
}

fn as_fields(style: Style, response: &TxnResponse) -> Vec<u8> {
    let mut lines = fields::Lines::new(style);
    lines.header(&response.header);
    lines.plain("Succeeded", response.succeeded);
    let mut out = lines.end();
    for answer in &response.responses {
        out.extend(match answer {
            ResponseOp::Range(answer) => fields::get(style, answer),
            ResponseOp::Put(answer) => fields::put(style, answer),
            ResponseOp::DeleteRange(answer) => fields::del(style, answer),
            ResponseOp::Txn(answer) => as_fields(style, answer),
        });
    }
    out
}

fn as_json(response: &TxnResponse) -> String {
    let answers: Vec<String> = response
        .responses
        .iter()
        .map(|answer| {
            let (name, value) = match answer {
                ResponseOp::Range(answer) => ("response_range", json::get(answer)),
                ResponseOp::Put(answer) => ("response_put", json::put(answer)),
                ResponseOp::DeleteRange(answer) => ("response_delete_range", json::del(answer)),
                ResponseOp::Txn(answer) => ("response_txn", as_json(answer)),
            };
            Object::new().raw("Response", &Object::new().raw(name, &value).end()).end()
        })
        .collect();
    Object::new()
        .raw("header", &json::header(&response.header))
        .truth("succeeded", response.succeeded)
        .array("responses", &answers)
        .end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{PutResponse, RangeResponse};

    #[test]
    fn nested_answers_are_printed_inside() {
        let inner = TxnResponse {
            responses: vec![ResponseOp::Put(PutResponse::default())],
            ..TxnResponse::default()
        };
        let response = TxnResponse {
            succeeded: true,
            responses: vec![ResponseOp::Range(RangeResponse::default()), ResponseOp::Txn(inner)],
            ..TxnResponse::default()
        };
        assert_eq!(
            as_json(&response),
            concat!(
                r#"{"header":{},"succeeded":true,"responses":[{"Response":{"response_range":{"header":{}}}},"#,
                r#"{"Response":{"response_txn":{"header":{},"responses":[{"Response":{"response_put":{"header":{}}}}]}}}]}"#
            )
        );
        let style = Style {
            format: Format::Simple,
            hex: false,
            value_only: false,
            rare: Some(&crate::etcdctl::command::rare::PARTS),
        };
        assert_eq!(as_simple(style, &response), b"SUCCESS\n\n\nFAILURE\n\nOK\n");
    }
}
