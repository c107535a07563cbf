//! Chromium, spoken to over a pipe in the DevTools protocol: <https://chromedevtools.github.io/devtools-protocol/>.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// An answer takes milliseconds; a machine under load may take longer, and one that waits for ever is a failure.
const PATIENCE: Duration = Duration::from_secs(120);

/// No window, no sandbox (which root cannot have), and none of the requests that Chromium makes for itself.
const OPTIONS: [&str; 11] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
];

/// A running browser with a profile of its own; it ends with this value.
pub(crate) struct Chromium {
    process: Child,
    commands: ChildStdin,
    messages: Receiver<Value>,
    commands_sent: u64,
    /// Events that came while an answer was waited for.
    events: Vec<Value>,
    /// Profile and log.
    folder: tempfile::TempDir,
}

impl Chromium {
    pub(crate) fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let log = File::create(folder.path().join("log")).unwrap();
        // It reads commands from 3 and writes answers to 4, where the shell puts our two ends.
        let mut process = Command::new("sh")
            .args(["-c", "exec chromium \"$@\" 3<&0 4>&1 0</dev/null 1>&2", "sh"])
            .args(OPTIONS)
            .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        let (sender, messages) = channel();
        let mut answers = BufReader::new(process.stdout.take().unwrap());
        thread::spawn(move || {
            let mut message = Vec::new();
            while answers.read_until(0, &mut message).is_ok_and(|bytes| bytes > 0) {
                let text = message.strip_suffix(&[0]).unwrap_or(&message);
                if sender.send(serde_json::from_slice(text).unwrap()).is_err() {
                    return;
                }
                message.clear();
            }
        });
        let commands = process.stdin.take().unwrap();
        Self { process, commands, messages, commands_sent: 0, events: Vec::new(), folder }
    }

    /// Sends a command, of a tab when `session` names one, and waits for what it answers.
    #[track_caller]
    pub(crate) fn ask(&mut self, session: Option<&str>, method: &str, params: Value) -> Value {
        self.commands_sent += 1;
        let id = self.commands_sent;
        let mut command = json!({ "id": id, "method": method, "params": params });
        if let Some(session) = session {
            command["sessionId"] = session.into();
        }
        let mut bytes = command.to_string().into_bytes();
        bytes.push(0);
        if let Err(error) = self.commands.write_all(&bytes) {
            panic!("Chromium takes no commands: {error}\n{}", self.log());
        }
        loop {
            let message = self.receive();
            if message["id"] == id {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].clone();
            }
            self.keep(message);
        }
    }

    /// Keeps an event for [`take_events`](Self::take_events). A dialog would be waited for: nobody closes it.
    #[track_caller]
    fn keep(&mut self, event: Value) {
        assert_ne!(event["method"], "Page.javascriptDialogOpening", "the page opened a dialog: {event}");
        self.events.push(event);
    }

    /// The next event of a name, or one that came before; events are kept for [`take_events`](Self::take_events).
    #[track_caller]
    pub(crate) fn wait_for(&mut self, method: &str) -> Value {
        if let Some(at) = self.events.iter().position(|event| event["method"] == method) {
            return self.events[at].clone();
        }
        loop {
            let event = self.receive();
            self.keep(event.clone());
            if event["method"] == method {
                return event;
            }
        }
    }

    /// All events so far, which are forgotten.
    pub(crate) fn take_events(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.events)
    }

    #[track_caller]
    fn receive(&mut self) -> Value {
        match self.messages.recv_timeout(PATIENCE) {
            Ok(message) => message,
            Err(error) => panic!("Chromium does not answer: {error}\n{}", self.log()),
        }
    }

    fn log(&self) -> String {
        let path: PathBuf = self.folder.path().join("log");
        fs::read_to_string(path).unwrap_or_default()
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        // It may have ended already, which is what is wanted.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
