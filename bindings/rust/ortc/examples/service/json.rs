// SPDX-License-Identifier: MIT
//! JSON: as much as requests and answers need.

use std::fmt::Write as _;

/// Deeper documents are refused: reading recurses.
const DEEPEST: usize = 64;

#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    /// A number without fraction or exponent that fits.
    Integer(i64),
    /// One beyond that which fits here.
    Unsigned(u64),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    /// Members in their order; of equal names the last counts.
    Object(Vec<(String, Json)>),
}

impl Json {
    pub fn text(text: impl Into<String>) -> Json {
        Json::Text(text.into())
    }

    pub fn object(members: Vec<(&str, Json)>) -> Json {
        Json::Object(members.into_iter().map(|(name, value)| (name.to_string(), value)).collect())
    }

    /// A member of an object.
    pub fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => {
                members.iter().rev().find(|(own, _)| own == name).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    pub fn as_text(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn as_list(&self) -> Option<&[Json]> {
        match self {
            Json::List(items) => Some(items),
            _ => None,
        }
    }
}

/// Reads a document, all of it. The error says where it is wrong.
pub fn parse(bytes: &[u8]) -> Result<Json, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
    let mut reader = Reader { text, at: 0 };
    let value = reader.value(0)?;
    reader.blanks();
    match reader.peek() {
        None => Ok(value),
        Some(_) => Err(reader.wrong("something after the end")),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn wrong(&self, what: &str) -> String {
        format!("{what} at byte {}", self.at)
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn take(&mut self, text: &str) -> bool {
        let found = self.text.as_bytes()[self.at..].starts_with(text.as_bytes());
        self.at += if found { text.len() } else { 0 };
        found
    }

    fn value(&mut self, depth: usize) -> Result<Json, String> {
        if depth > DEEPEST {
            return Err(self.wrong("lists and objects are too deep"));
        }
        self.blanks();
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => self.string().map(Json::Text),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ if self.take("true") => Ok(Json::Bool(true)),
            _ if self.take("false") => Ok(Json::Bool(false)),
            _ if self.take("null") => Ok(Json::Null),
            _ => Err(self.wrong("no value")),
        }
    }

    fn list(&mut self, depth: usize) -> Result<Json, String> {
        self.at += 1;
        let mut items = Vec::new();
        self.blanks();
        if self.take("]") {
            return Ok(Json::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.blanks();
            if self.take("]") {
                return Ok(Json::List(items));
            }
            if !self.take(",") {
                return Err(self.wrong("neither ',' nor ']'"));
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json, String> {
        self.at += 1;
        let mut members = Vec::new();
        self.blanks();
        if self.take("}") {
            return Ok(Json::Object(members));
        }
        loop {
            self.blanks();
            if self.peek() != Some(b'"') {
                return Err(self.wrong("no name"));
            }
            let name = self.string()?;
            self.blanks();
            if !self.take(":") {
                return Err(self.wrong("no ':'"));
            }
            members.push((name, self.value(depth + 1)?));
            self.blanks();
            if self.take("}") {
                return Ok(Json::Object(members));
            }
            if !self.take(",") {
                return Err(self.wrong("neither ',' nor '}'"));
            }
        }
    }

    fn digits(&mut self) -> Result<(), String> {
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.wrong("no digit"));
        }
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<Json, String> {
        let begin = self.at;
        self.take("-");
        if !self.take("0") {
            self.digits()?;
        }
        let whole = self.at;
        if self.take(".") {
            self.digits()?;
        }
        if self.take("e") || self.take("E") {
            let _ = self.take("+") || self.take("-");
            self.digits()?;
        }
        let text = &self.text[begin..self.at];
        if whole == self.at {
            if let Ok(integer) = text.parse() {
                return Ok(Json::Integer(integer));
            }
            if let Ok(unsigned) = text.parse() {
                return Ok(Json::Unsigned(unsigned));
            }
        }
        text.parse().map(Json::Number).map_err(|_| self.wrong("no number"))
    }

    fn string(&mut self) -> Result<String, String> {
        self.at += 1;
        let mut string = String::new();
        loop {
            let rest = &self.text[self.at..];
            let plain = rest.find(|c| c == '"' || c == '\\' || c < ' ').unwrap_or(rest.len());
            string.push_str(&rest[..plain]);
            self.at += plain;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(string);
                }
                Some(b'\\') => {
                    self.at += 1;
                    string.push(self.escaped()?);
                }
                _ => return Err(self.wrong("a text without end")),
            }
        }
    }

    fn escaped(&mut self) -> Result<char, String> {
        let character = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.unicode();
            }
            _ => return Err(self.wrong("an unknown escape")),
        };
        self.at += 1;
        Ok(character)
    }

    /// Two halves make one character.
    fn unicode(&mut self) -> Result<char, String> {
        let mut code = self.hex()?;
        if (0xd800..0xdc00).contains(&code) && self.take("\\u") {
            let low = self.hex()?;
            if (0xdc00..0xe000).contains(&low) {
                code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
            }
        }
        char::from_u32(code).ok_or_else(|| self.wrong("half a character"))
    }

    fn hex(&mut self) -> Result<u32, String> {
        let digits = self.text.get(self.at..self.at + 4).unwrap_or("x");
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(self.wrong("no four hexadecimal digits"));
        }
        self.at += 4;
        u32::from_str_radix(digits, 16).map_err(|error| error.to_string())
    }
}

/// Writes a document. What JSON has no form for, as an infinity, is null.
pub fn write(value: &Json, out: &mut String) {
    match value {
        Json::Null => out.push_str("null"),
        Json::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Json::Integer(value) => write!(out, "{value}").unwrap_or_default(),
        Json::Unsigned(value) => write!(out, "{value}").unwrap_or_default(),
        Json::Number(value) if value.is_finite() => write!(out, "{value:?}").unwrap_or_default(),
        Json::Number(_) => out.push_str("null"),
        Json::Text(text) => write_text(text, out),
        Json::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { "," });
                write(item, out);
            }
            out.push(']');
        }
        Json::Object(members) => {
            out.push('{');
            for (index, (name, value)) in members.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { "," });
                write_text(name, out);
                out.push(':');
                write(value, out);
            }
            out.push('}');
        }
    }
}

fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c < ' ' => write!(out, "\\u{:04x}", c as u32).unwrap_or_default(),
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(value: &Json) -> String {
        let mut text = String::new();
        write(value, &mut text);
        text
    }

    #[test]
    fn documents_are_read() {
        let value =
            parse(br#" {"a": [1, -2.5e1, true, null], "b": {"c": "\u00fc\ud83d\ude00\n"}} "#);
        let value = value.unwrap();
        let list = value.get("a").unwrap().as_list().unwrap();
        assert_eq!(list, [Json::Integer(1), Json::Number(-25.0), Json::Bool(true), Json::Null]);
        assert_eq!(value.get("b").unwrap().get("c").unwrap().as_text(), Some("ü😀\n"));
        assert_eq!(parse(b"18446744073709551615").unwrap(), Json::Unsigned(u64::MAX));
        assert_eq!(parse(b"1e400").map(|value| written(&value)).unwrap(), "null");
    }

    #[test]
    fn wrong_documents_are_refused() {
        for text in [
            "",
            "{",
            "[1,]",
            "[1 2]",
            "{\"a\" 1}",
            "{a:1}",
            "01",
            "1.",
            "-",
            "+1",
            ".5",
            "tru",
            "\"",
            "\"\\x\"",
            "\"\\u12\"",
            "\"\\ud800\"",
            "[1] 2",
            "\"\n\"",
            "nul",
            "1e",
            "\"\\u+123\"",
        ] {
            assert!(parse(text.as_bytes()).is_err(), "{text}");
        }
        assert!(parse(&[0xff]).is_err());
        assert!(parse("[".repeat(100_000).as_bytes()).unwrap_err().contains("deep"));
    }

    /// Documents with random damage are refused or read; what was read is written so that it is
    /// read again as the same.
    #[test]
    fn damaged_documents_harm_nobody() {
        let seed = r#"{"inputs":[{"name":"ü\ud83d\ude00","shape":[-4],"data":[0.5,1e3,"\\n"]}]}"#;
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize
        };
        const SIGNS: &[u8] = b"{}[],:\"\\0-.eu \n\xc3";
        let mut read = 0;
        for _ in 0..100_000 {
            let mut bytes = seed.as_bytes().to_vec();
            for _ in 0..=random() % 3 {
                if bytes.is_empty() {
                    break;
                }
                let place = random() % bytes.len();
                match random() % 3 {
                    0 => bytes[place] = SIGNS[random() % SIGNS.len()],
                    1 => drop(bytes.remove(place)),
                    _ => bytes.truncate(place.max(1)),
                }
            }
            if let Ok(value) = parse(&bytes) {
                read += 1;
                let text = written(&value);
                let again = parse(text.as_bytes()).expect("what was written is a document");
                assert_eq!(written(&again), text);
            }
        }
        assert!(read > 1000, "{read}");
    }
}
