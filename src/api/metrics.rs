//! Counters, gauges and histograms under etcd's names, and their text form.
//!
//! What it is: shapes that a member fills in, and the exposition format that Prometheus reads.
//! What it is not: the counting (see `etcdserver`), a registry, or a clock.
//! Invariants: no floating point: numbers are integers, and durations whole milliseconds that the text
//! shows as seconds; samples of one metric stand together; the buckets of a histogram are cumulative.
//! Source: etcd's metric names; the text format is Prometheus' 0.0.4.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

/// What kind of number a metric is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MetricKind {
    /// It only grows, until the member starts again.
    Counter,
    /// It goes up and down.
    Gauge,
    /// It counts durations by their length.
    Histogram,
}

impl MetricKind {
    const fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

/// How many durations were at most this long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bucket {
    /// Unit: ms.
    pub at_most_ms: u64,
    /// How many.
    pub count: u64,
}

/// A number, or a histogram.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MetricValue {
    /// Of a counter or a gauge.
    Number(i64),
    /// Of a histogram.
    Durations {
        /// Cumulative, the shortest first.
        buckets: Vec<Bucket>,
        /// All durations together. Unit: ms.
        sum_ms: u64,
        /// All durations.
        count: u64,
    },
}

/// One value of a metric.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// Name and value of each label.
    pub labels: Vec<(String, String)>,
    /// The value.
    pub value: MetricValue,
}

/// One metric.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metric {
    /// etcd's name.
    pub name: String,
    /// What it counts, in our words.
    pub help: String,
    /// See [`MetricKind`].
    pub kind: MetricKind,
    /// Its values; one without labels, or one per set of labels.
    pub samples: Vec<Sample>,
}

impl Metric {
    /// The one number of a metric without labels.
    #[must_use]
    pub fn number(&self) -> Option<i64> {
        match self.samples.as_slice() {
            [Sample { labels, value: MetricValue::Number(number) }] if labels.is_empty() => {
                Some(*number)
            }
            _ => None,
        }
    }
}

/// The metrics as a scraper reads them.
#[must_use]
pub fn exposition(metrics: &[Metric]) -> String {
    let mut text = String::new();
    for Metric { name, help, kind, samples } in metrics {
        let help = help.replace('\\', "\\\\").replace('\n', "\\n");
        // Writing into a string cannot fail.
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {}", kind.name());
        for sample in samples {
            write_sample(&mut text, name, sample);
        }
    }
    text
}

fn write_sample(text: &mut String, name: &str, sample: &Sample) {
    let Sample { labels, value } = sample;
    match value {
        MetricValue::Number(number) => {
            let _ = writeln!(text, "{name}{} {number}", label_text(labels, None));
        }
        MetricValue::Durations { buckets, sum_ms, count } => {
            for bucket in buckets {
                let bound = label_text(labels, Some(&seconds(bucket.at_most_ms)));
                let _ = writeln!(text, "{name}_bucket{bound} {}", bucket.count);
            }
            let _ = writeln!(text, "{name}_bucket{} {count}", label_text(labels, Some("+Inf")));
            let plain = label_text(labels, None);
            let _ = writeln!(text, "{name}_sum{plain} {}", seconds(*sum_ms));
            let _ = writeln!(text, "{name}_count{plain} {count}");
        }
    }
}

/// `{a="b",le="0.001"}`, or nothing.
fn label_text(labels: &[(String, String)], bound: Option<&str>) -> String {
    let escape =
        |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let named = labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escape(value)));
    let all: Vec<String> = named.chain(bound.map(|bound| format!("le=\"{bound}\""))).collect();
    if all.is_empty() { String::new() } else { format!("{{{}}}", all.join(",")) }
}

/// Milliseconds as seconds, without needless zeros.
fn seconds(ms: u64) -> String {
    let (whole, rest) = (ms / 1000, ms % 1000);
    if rest == 0 {
        return whole.to_string();
    }
    format!("{whole}.{rest:03}").trim_end_matches('0').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_what_a_scraper_reads() {
        let plain = |value| Sample { labels: Vec::new(), value };
        let metrics = [
            Metric {
                name: "etcd_server_has_leader".to_owned(),
                help: "a\nb".to_owned(),
                kind: MetricKind::Gauge,
                samples: vec![plain(MetricValue::Number(1))],
            },
            Metric {
                name: "etcd_disk_wal_fsync_duration_seconds".to_owned(),
                help: "c".to_owned(),
                kind: MetricKind::Histogram,
                samples: vec![plain(MetricValue::Durations {
                    buckets: vec![
                        Bucket { at_most_ms: 1, count: 2 },
                        Bucket { at_most_ms: 2_048, count: 3 },
                    ],
                    sum_ms: 1_520,
                    count: 4,
                })],
            },
            Metric {
                name: "etcd_server_id".to_owned(),
                help: "d".to_owned(),
                kind: MetricKind::Counter,
                samples: vec![Sample {
                    labels: vec![("server_id".to_owned(), "a\"b\\".to_owned())],
                    value: MetricValue::Number(-7),
                }],
            },
        ];
        let expected = "\
# HELP etcd_server_has_leader a\\nb
# TYPE etcd_server_has_leader gauge
etcd_server_has_leader 1
# HELP etcd_disk_wal_fsync_duration_seconds c
# TYPE etcd_disk_wal_fsync_duration_seconds histogram
etcd_disk_wal_fsync_duration_seconds_bucket{le=\"0.001\"} 2
etcd_disk_wal_fsync_duration_seconds_bucket{le=\"2.048\"} 3
etcd_disk_wal_fsync_duration_seconds_bucket{le=\"+Inf\"} 4
etcd_disk_wal_fsync_duration_seconds_sum 1.52
etcd_disk_wal_fsync_duration_seconds_count 4
# HELP etcd_server_id d
# TYPE etcd_server_id counter
etcd_server_id{server_id=\"a\\\"b\\\\\"} -7
";
        assert_eq!(exposition(&metrics), expected);
        assert_eq!(metrics[0].number(), Some(1));
        assert_eq!((metrics[1].number(), metrics[2].number()), (None, None));
    }
}
