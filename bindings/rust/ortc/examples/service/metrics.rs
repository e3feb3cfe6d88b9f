// SPDX-License-Identifier: MIT
//! What the service counts, in the text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

const BUCKETS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0];

#[derive(Default)]
pub struct Metrics {
    pub runs_in_flight: AtomicI64,
    requests: Mutex<BTreeMap<String, Requests>>,
}

/// Of one model.
#[derive(Default)]
struct Requests {
    by_code: BTreeMap<u16, u64>,
    /// By bucket; the last are those beyond all.
    durations: [u64; BUCKETS.len() + 1],
    seconds: f64,
}

impl Metrics {
    pub fn count(&self, model: &str, code: u16, duration: Duration) {
        let seconds = duration.as_secs_f64();
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let own = requests.entry(model.into()).or_default();
        *own.by_code.entry(code).or_default() += 1;
        let bucket = BUCKETS.iter().position(|most| seconds <= *most).unwrap_or(BUCKETS.len());
        own.durations[bucket] += 1;
        own.seconds += seconds;
    }

    pub fn text(&self) -> String {
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        let mut line = |line: std::fmt::Arguments<'_>| writeln!(text, "{line}").unwrap_or_default();
        line(format_args!("# HELP ortc_requests_total Inference requests by model and status."));
        line(format_args!("# TYPE ortc_requests_total counter"));
        for (model, own) in requests.iter() {
            let model = label(model);
            for (code, count) in &own.by_code {
                line(format_args!(
                    "ortc_requests_total{{model=\"{model}\",code=\"{code}\"}} {count}"
                ));
            }
        }
        let name = "ortc_request_duration_seconds";
        line(format_args!("# HELP {name} From the request's head to its answer."));
        line(format_args!("# TYPE {name} histogram"));
        for (model, own) in requests.iter() {
            let model = label(model);
            let mut sum = 0;
            for (index, count) in own.durations.iter().enumerate() {
                sum += count;
                let most = BUCKETS.get(index).map_or("+Inf".to_string(), |most| most.to_string());
                line(format_args!("{name}_bucket{{model=\"{model}\",le=\"{most}\"}} {sum}"));
            }
            line(format_args!("{name}_sum{{model=\"{model}\"}} {}", own.seconds));
            line(format_args!("{name}_count{{model=\"{model}\"}} {sum}"));
        }
        line(format_args!("# HELP ortc_runs_in_flight Runs that have not ended."));
        line(format_args!("# TYPE ortc_runs_in_flight gauge"));
        let runs = self.runs_in_flight.load(Ordering::Relaxed);
        line(format_args!("ortc_runs_in_flight {runs}"));
        text
    }
}

fn label(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
