// SPDX-License-Identifier: MIT
//! HTTP/1.1, as much as the service speaks: requests with a length, answers, connections that stay.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

const HEAD_MOST: usize = 64 << 10;
pub const BODY_MOST: usize = 64 << 20;
/// How long a connection may be silent between requests, and how long one request may take to come.
const IDLE: Duration = Duration::from_secs(60);
const SLOWEST: Duration = Duration::from_secs(30);

pub struct Request {
    pub method: String,
    pub path: String,
    pub body: Vec<u8>,
    pub stays: bool,
}

pub struct Answer {
    pub code: u16,
    pub kind: &'static str,
    pub allow: &'static str,
    pub body: String,
}

/// Why there is no request.
pub enum Failure {
    /// The client went away, or is too slow: nobody listens.
    Gone,
    /// The client is told, and the connection ends.
    Refused(u16, String),
}

impl From<io::Error> for Failure {
    fn from(_: io::Error) -> Self {
        Failure::Gone
    }
}

fn refused<T>(code: u16, reason: &str) -> Result<T, Failure> {
    Err(Failure::Refused(code, reason.into()))
}

/// A connection, and what was read of the next request.
pub struct Connection {
    pub stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    pub fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(SLOWEST))?;
        Ok(Connection { stream, buffer: Vec::new() })
    }

    /// Waits for a request. `begun` is called when its head is there.
    pub fn request(&mut self, begun: impl FnOnce()) -> Result<Request, Failure> {
        let (mut deadline, mut searched) = (Instant::now() + IDLE, 0);
        let end = loop {
            let found = self.buffer[searched..].windows(4).position(|bytes| bytes == b"\r\n\r\n");
            if let Some(position) = found {
                break searched + position + 4;
            }
            if self.buffer.len() > HEAD_MOST {
                return refused(431, "the head of the request is too long");
            }
            searched = self.buffer.len().saturating_sub(3);
            let was_silent = self.buffer.is_empty();
            self.read_some(deadline)?;
            if was_silent {
                deadline = Instant::now() + SLOWEST;
            }
        };
        begun();
        let head = Head::parse(&self.buffer[..end])?;
        self.buffer.drain(..end);
        if head.expects_continue && self.buffer.len() < head.length {
            self.stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        let deadline = Instant::now() + SLOWEST;
        while self.buffer.len() < head.length {
            self.read_some(deadline)?;
        }
        let rest = self.buffer.split_off(head.length);
        let body = std::mem::replace(&mut self.buffer, rest);
        Ok(Request { method: head.method, path: head.path, body, stays: head.stays })
    }

    fn read_some(&mut self, deadline: Instant) -> Result<(), Failure> {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Failure::Gone);
        }
        self.stream.set_read_timeout(Some(left))?;
        let mut bytes = [0; 16 << 10];
        match self.stream.read(&mut bytes)? {
            0 => Err(Failure::Gone),
            count => {
                self.buffer.extend_from_slice(&bytes[..count]);
                Ok(())
            }
        }
    }

    pub fn answer(&mut self, answer: &Answer, stays: bool) -> io::Result<()> {
        let mut text = format!(
            "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n",
            answer.code,
            reason(answer.code),
            answer.kind,
            answer.body.len()
        );
        if !answer.allow.is_empty() {
            text.push_str(&format!("Allow: {}\r\n", answer.allow));
        }
        text.push_str(if stays { "\r\n" } else { "Connection: close\r\n\r\n" });
        text.push_str(&answer.body);
        self.stream.write_all(text.as_bytes())
    }

    /// After a refusal: lets the client read the answer before its own bytes reset the connection.
    pub fn linger(&mut self) {
        let _ = self.stream.shutdown(std::net::Shutdown::Write);
        let _ = self.stream.set_read_timeout(Some(Duration::from_millis(200)));
        let (mut bytes, mut left) = ([0; 16 << 10], 64);
        while left > 0 && matches!(self.stream.read(&mut bytes), Ok(count) if count > 0) {
            left -= 1;
        }
    }
}

struct Head {
    method: String,
    path: String,
    length: usize,
    stays: bool,
    expects_continue: bool,
}

impl Head {
    fn parse(bytes: &[u8]) -> Result<Head, Failure> {
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(_) => return refused(400, "the head of the request is not UTF-8"),
        };
        let mut lines = text.split("\r\n");
        let mut words = lines.next().unwrap_or_default().split(' ');
        let (method, path, version) = match (words.next(), words.next(), words.next()) {
            (Some(method), Some(path), Some(version)) if words.next().is_none() => {
                (method, path, version)
            }
            _ => return refused(400, "the first line is not METHOD PATH VERSION"),
        };
        if !version.starts_with("HTTP/1.") {
            return refused(505, "the service speaks HTTP/1.1");
        }
        let (mut length, mut stays, mut expects_continue) = (None, version != "HTTP/1.0", false);
        for line in lines.filter(|line| !line.is_empty()) {
            let (name, value) = match line.split_once(':') {
                Some((name, value)) => (name.to_ascii_lowercase(), value.trim()),
                None => return refused(400, "a header without ':'"),
            };
            match &name[..] {
                "content-length" => match body_length(value)? {
                    own if length.map_or(true, |length| length == own) => length = Some(own),
                    _ => return refused(400, "two lengths"),
                },
                "transfer-encoding" => return refused(411, "a body needs a Content-Length"),
                "connection" => {
                    let value = value.to_ascii_lowercase();
                    stays = (stays || value.contains("keep-alive")) && !value.contains("close");
                }
                "expect" => expects_continue = value.eq_ignore_ascii_case("100-continue"),
                _ => {}
            }
        }
        if method == "POST" && length.is_none() {
            return refused(411, "a body needs a Content-Length");
        }
        let length = length.unwrap_or(0);
        Ok(Head { method: method.into(), path: path.into(), length, stays, expects_continue })
    }
}

fn body_length(value: &str) -> Result<usize, Failure> {
    if value.is_empty() || !value.bytes().all(|byte| byte.is_ascii_digit()) {
        return refused(400, "the Content-Length is not a number");
    }
    match value.parse() {
        Ok(length) if length <= BODY_MOST => Ok(length),
        _ => refused(413, "the body is longer than 64 MiB"),
    }
}

fn reason(code: u16) -> &'static str {
    match code {
        200 => "OK",
        400 => "Bad Request",
        404 => "Not Found",
        405 => "Method Not Allowed",
        411 => "Length Required",
        413 => "Content Too Large",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        505 => "HTTP Version Not Supported",
        _ => "Internal Server Error",
    }
}

/// A path as its parts, with `%2f` and its like decoded; none when that makes no text.
pub fn parts(path: &str) -> Option<Vec<String>> {
    let path = path.split(['?', '#']).next()?;
    path.trim_start_matches('/').split('/').map(decoded).collect()
}

fn decoded(part: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = part.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let mut digit = || (rest.next()? as char).to_digit(16);
                (digit()? * 16 + digit()?) as u8
            }
            plain => plain,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_decoded() {
        assert_eq!(parts("/v2/a%20b%C3%BC?x=1").unwrap(), ["v2", "a bü"]);
        assert_eq!(parts("/%2f").unwrap(), ["/"]);
        for wrong in ["/%", "/%2", "/%zz", "/%ff"] {
            assert!(parts(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn lengths_are_checked() {
        assert!(matches!(body_length("12"), Ok(12)));
        for wrong in ["", "-1", "+1", "1 2", "x"] {
            assert!(matches!(body_length(wrong), Err(Failure::Refused(400, _))), "{wrong}");
        }
        for long in ["67108865", "99999999999999999999999"] {
            assert!(matches!(body_length(long), Err(Failure::Refused(413, _))), "{long}");
        }
    }
}
