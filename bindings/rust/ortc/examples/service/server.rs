// SPDX-License-Identifier: MIT
//! Connections, each with a thread of its own, and the calls they make.

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use ortc::{CancelToken, RunOptions, Session};

use crate::http::{parts, Answer, Connection, Failure, Request};
use crate::infer::{describe, infer, Refusal};
use crate::json::{self, Json};
use crate::metrics::Metrics;
use crate::platform::is_gone;

/// More connections than this are told to come again.
const CONNECTIONS_MOST: usize = 1024;
/// How long the service waits for what is under way when it stops.
const GRACE: Duration = Duration::from_secs(5);

pub struct Model {
    pub session: Session,
}

#[derive(Default)]
pub struct Server {
    models: RwLock<BTreeMap<String, Arc<Model>>>,
    is_ready: AtomicBool,
    is_stopping: AtomicBool,
    connections: AtomicUsize,
    /// Requests whose head was read and that were not answered yet.
    busy: Mutex<usize>,
    idle: Condvar,
    metrics: Metrics,
    /// The clients of runs that have not ended.
    watched: Mutex<BTreeMap<usize, (TcpStream, CancelToken)>>,
    watching: Condvar,
    next: AtomicUsize,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Server {
    pub fn set_models(&self, models: BTreeMap<String, Arc<Model>>) {
        *self.models.write().unwrap_or_else(PoisonError::into_inner) = models;
        self.is_ready.store(true, Ordering::SeqCst);
    }

    /// Takes connections until the service stops.
    pub fn accept(self: Arc<Self>, listener: TcpListener) {
        let watcher = self.clone();
        std::thread::spawn(move || watcher.watch());
        for stream in listener.incoming() {
            if self.is_stopping.load(Ordering::SeqCst) {
                return;
            }
            match stream {
                Ok(stream) => self.clone().begin(stream),
                // Out of files: those of others may end.
                Err(_) => std::thread::sleep(Duration::from_millis(10)),
            }
        }
    }

    fn begin(self: Arc<Self>, stream: TcpStream) {
        let mut connection = match Connection::new(stream) {
            Ok(connection) => connection,
            Err(_) => return,
        };
        if self.connections.fetch_add(1, Ordering::SeqCst) >= CONNECTIONS_MOST {
            self.connections.fetch_sub(1, Ordering::SeqCst);
            let _ = connection.answer(&error(503, "too many connections"), false);
            return;
        }
        let server = self.clone();
        let thread = std::thread::Builder::new().spawn(move || {
            server.serve(connection);
            server.connections.fetch_sub(1, Ordering::SeqCst);
        });
        if thread.is_err() {
            self.connections.fetch_sub(1, Ordering::SeqCst);
        }
    }

    /// One request after the other.
    fn serve(&self, mut connection: Connection) {
        loop {
            let mut busy = None;
            let request = connection.request(|| busy = Some(Busy::new(self)));
            match request {
                Ok(request) => {
                    let stays = request.stays && !self.is_stopping.load(Ordering::SeqCst);
                    let answer = self.answer(&request, &connection.stream);
                    if connection.answer(&answer, stays).is_err() || !stays {
                        return;
                    }
                }
                Err(Failure::Gone) => return,
                Err(Failure::Refused(code, reason)) => {
                    let _ = connection.answer(&error(code, &reason), false);
                    connection.linger();
                    return;
                }
            }
        }
    }

    fn answer(&self, request: &Request, client: &TcpStream) -> Answer {
        let parts = match parts(&request.path) {
            Some(parts) => parts,
            None => return error(404, "the path is not UTF-8"),
        };
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let allowed = match &parts[..] {
            ["v2", "models", _, "infer"] | ["v2", "models", _, "versions", "1", "infer"] => "POST",
            _ => "GET",
        };
        let found = match &parts[..] {
            ["v2"] => Ok(about()),
            ["v2", "health", "live"] => Ok(ok(vec![("live", Json::Bool(true))])),
            ["v2", "health", "ready"] => Ok(self.ready()),
            ["metrics"] => Ok(self.metrics()),
            ["v2", "models", name] | ["v2", "models", name, "versions", "1"] => {
                self.model(name).map(|model| describe_model(name, &model))
            }
            ["v2", "models", name, "ready"] | ["v2", "models", name, "versions", "1", "ready"] => {
                let name = *name;
                self.model(name)
                    .map(|_| ok(vec![("name", Json::text(name)), ("ready", Json::Bool(true))]))
            }
            ["v2", "models", name, "infer"] | ["v2", "models", name, "versions", "1", "infer"] => {
                match self.model(name) {
                    Ok(_) if request.method != "POST" => Ok(error(405, "")),
                    Ok(model) => Ok(self.infer(name, &model, request, client)),
                    Err(missing) => Err(missing),
                }
            }
            _ => Err(error(404, &format!("there is no '{}'", request.path))),
        };
        match found {
            Ok(_) if request.method != allowed => Answer {
                allow: allowed,
                ..error(405, &format!("{} is not allowed here", request.method))
            },
            Ok(answer) | Err(answer) => answer,
        }
    }

    fn ready(&self) -> Answer {
        let ready = self.is_ready.load(Ordering::SeqCst);
        Answer { code: if ready { 200 } else { 503 }, ..ok(vec![("ready", Json::Bool(ready))]) }
    }

    fn metrics(&self) -> Answer {
        let kind = "text/plain; version=0.0.4; charset=utf-8";
        Answer { code: 200, kind, allow: "", body: self.metrics.text() }
    }

    fn model(&self, name: &str) -> Result<Arc<Model>, Answer> {
        let models = self.models.read().unwrap_or_else(PoisonError::into_inner);
        let model = models.get(name).cloned();
        model.ok_or_else(|| error(404, &format!("there is no model '{name}'")))
    }

    fn infer(&self, name: &str, model: &Model, request: &Request, client: &TcpStream) -> Answer {
        let begin = Instant::now();
        let answer = match self.run(model, &request.body, client) {
            Ok((id, mut outputs)) => {
                if let Json::Object(members) = &mut outputs {
                    members.insert(0, ("model_name".into(), Json::text(name)));
                    members.insert(1, ("model_version".into(), Json::text("1")));
                    members.extend(id.map(|id| ("id".to_string(), id)));
                }
                answer(200, &outputs)
            }
            Err(Refusal(code, text)) => error(code, &text),
        };
        self.metrics.count(name, answer.code, begin.elapsed());
        answer
    }

    fn run(
        &self,
        model: &Model,
        body: &[u8],
        client: &TcpStream,
    ) -> Result<(Option<Json>, Json), Refusal> {
        let request = json::parse(body)
            .map_err(|text| Refusal(400, format!("the body is not JSON: {text}")))?;
        let id = match request.get("id") {
            None | Some(Json::Null) => None,
            Some(Json::Text(id)) => Some(Json::text(id)),
            Some(_) => return Err(Refusal(400, "'id' is not a string".into())),
        };
        let token = CancelToken::new();
        let mut options = RunOptions::new()?;
        options.cancel_with(&token);
        let _watched = Watched::new(self, client, token);
        self.metrics.runs_in_flight.fetch_add(1, Ordering::Relaxed);
        let outputs = infer(&model.session, &request, &options);
        self.metrics.runs_in_flight.fetch_sub(1, Ordering::Relaxed);
        Ok((id, outputs?))
    }

    /// Cancels runs whose clients went away.
    fn watch(&self) {
        let mut watched = lock(&self.watched);
        loop {
            if watched.is_empty() {
                watched = self.watching.wait(watched).unwrap_or_else(PoisonError::into_inner);
            }
            drop(watched);
            std::thread::sleep(Duration::from_millis(50)); // most runs are done by then
            watched = lock(&self.watched);
            watched.values().filter(|(client, _)| is_gone(client)).for_each(|(_, t)| t.cancel());
        }
    }

    /// Takes no more connections, and waits for what is under way; what lasts too long is stopped.
    pub fn stop(&self, address: SocketAddr) {
        self.is_ready.store(false, Ordering::SeqCst);
        self.is_stopping.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect_timeout(&address, Duration::from_secs(1)); // wakes `accept`
        let wait = |time| {
            let busy = lock(&self.busy);
            let waited = self.idle.wait_timeout_while(busy, time, |busy| *busy > 0);
            waited.map_or(true, |(_, result)| !result.timed_out())
        };
        if !wait(GRACE) {
            lock(&self.watched).values().for_each(|(_, token)| token.cancel());
            wait(Duration::from_millis(500));
        }
    }
}

/// A request that is under way.
struct Busy<'s>(&'s Server);

impl<'s> Busy<'s> {
    fn new(server: &'s Server) -> Self {
        *lock(&server.busy) += 1;
        Busy(server)
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        *lock(&self.0.busy) -= 1;
        self.0.idle.notify_all();
    }
}

/// A client whose going away stops its run.
struct Watched<'s> {
    server: &'s Server,
    number: usize,
}

impl<'s> Watched<'s> {
    /// Without a second handle of the connection nobody looks, and the run goes to its end.
    fn new(server: &'s Server, client: &TcpStream, token: CancelToken) -> Self {
        let number = server.next.fetch_add(1, Ordering::Relaxed);
        if let Ok(client) = client.try_clone() {
            lock(&server.watched).insert(number, (client, token));
            server.watching.notify_one();
        }
        Watched { server, number }
    }
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        lock(&self.server.watched).remove(&self.number);
    }
}

fn about() -> Answer {
    ok(vec![
        ("name", Json::text("ortc")),
        ("version", Json::text(ortc::version())),
        ("extensions", Json::List(Vec::new())),
    ])
}

fn describe_model(name: &str, model: &Model) -> Answer {
    let (inputs, outputs) = match (model.session.inputs(), model.session.outputs()) {
        (Ok(inputs), Ok(outputs)) => (inputs, outputs),
        (Err(wrong), _) | (_, Err(wrong)) => return error(500, wrong.message()),
    };
    ok(vec![
        ("name", Json::text(name)),
        ("versions", Json::List(vec![Json::text("1")])),
        ("platform", Json::text("onnx")),
        ("inputs", describe(&inputs)),
        ("outputs", describe(&outputs)),
    ])
}

fn ok(members: Vec<(&str, Json)>) -> Answer {
    answer(200, &Json::object(members))
}

fn error(code: u16, text: &str) -> Answer {
    answer(code, &Json::object(vec![("error", Json::text(text))]))
}

fn answer(code: u16, body: &Json) -> Answer {
    let mut text = String::new();
    json::write(body, &mut text);
    Answer { code, kind: "application/json", allow: "", body: text }
}
