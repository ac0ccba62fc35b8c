//! Pages in a real browser: Chromium without a window and without a network.
#![allow(dead_code, reason = "each test uses its part")]

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Time for a page, start of the browser included.
const PATIENCE: Duration = Duration::from_secs(120);

/// How often a page is opened: the browser itself crashes now and then.
const ATTEMPTS: usize = 3;

/// The page of this file once its scripts have run, as HTML. `hash` is the part of the address after `#`.
pub fn dom(page: &Path, hash: &str) -> String {
    let mut problem = String::new();
    for _ in 0..ATTEMPTS {
        match opened(page, hash) {
            Ok(dom) => {
                assert!(
                    dom.contains("<body class=\"live"),
                    "{}: the script did not run to its end",
                    page.display()
                );
                return dom;
            }
            Err(error) => problem = error,
        }
    }
    panic!("{problem}");
}

/// The page as a browser writes it; an error is what the browser says if it does not.
fn opened(page: &Path, hash: &str) -> Result<String, String> {
    let profile = tempfile::tempdir().unwrap();
    let (out, err) = (profile.path().join("dom.html"), profile.path().join("err.txt"));
    let address = format!("file://{}#{hash}", page.canonicalize().unwrap().display());
    let mut browser = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--disable-dev-shm-usage", "--disable-extensions", "--mute-audio"])
        // Names that a page requests are not resolved.
        .arg("--host-resolver-rules=MAP * ~NOTFOUND")
        .arg(format!("--user-data-dir={}", profile.path().join("profile").display()))
        .args(["--window-size=1400,900", "--virtual-time-budget=5000", "--dump-dom", &address])
        .stdin(Stdio::null())
        .stdout(File::create(&out).unwrap())
        .stderr(File::create(&err).unwrap())
        .spawn()
        .expect("chromium is needed: ./x test installs it, or apt-get install chromium");
    let started = Instant::now();
    let status = loop {
        if let Some(status) = browser.try_wait().unwrap() {
            break status;
        }
        if started.elapsed() > PATIENCE {
            let _ = browser.kill();
            panic!("{address}: the browser takes too long");
        }
        sleep(Duration::from_millis(20));
    };
    let dom = fs::read_to_string(&out).unwrap();
    if status.success() && dom.contains("</html>") {
        return Ok(dom);
    }
    Err(format!("{address}: {status}: {}", fs::read_to_string(&err).unwrap()))
}

/// How far the content of a page extends to the right in a window of this width, in pixels: if it is more than the
/// width, the page scrolls sideways.
pub fn reach(page: &str, width: u32) -> u32 {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("frame.html");
    let text = page.replace('&', "&amp;").replace('"', "&quot;");
    // The narrowest window of a browser is wider than a telephone; a frame is not.
    let frame = format!(
        "<!doctype html><html><body><iframe id=\"f\" style=\"width:{width}px;height:900px;border:0\" srcdoc=\"{text}\">\
         </iframe><p id=\"reach\"></p><script>addEventListener('load', () => {{ const inner = \
         document.getElementById('f').contentDocument.documentElement; document.getElementById('reach').textContent = \
         inner.scrollWidth; document.body.className = 'live'; }});</script></body></html>"
    );
    fs::write(&file, frame).unwrap();
    text_of(&dom(&file, ""), "p", "reach").parse().unwrap()
}

/// What keeps people from reading or using a page, in its light and its dark colours: text that is too pale for its
/// background (WCAG 2.2, 1.4.3), and what reacts to a click and cannot be reached by the keyboard (2.1.1). One line
/// each.
pub fn barriers(page: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("frames.html");
    let frame = |id: &str, page: &str| {
        let text = page.replace('&', "&amp;").replace('"', "&quot;");
        format!(
            "<iframe id=\"{id}\" style=\"width:1300px;height:900px;border:0\" srcdoc=\"{text}\"></iframe>"
        )
    };
    let dark = page.replace("prefers-color-scheme: dark", "min-width: 1px");
    assert_ne!(dark, page, "the page has dark colours");
    let script = include_str!("barriers.js");
    let frames = format!(
        "<!doctype html><html><body>{}{}<pre id=\"barriers\"></pre><script>{script}</script></body></html>",
        frame("light", page),
        frame("dark", &dark)
    );
    fs::write(&file, frames).unwrap();
    let found = text_of(&dom(&file, ""), "pre", "barriers");
    let (count, lines) = found.split_once('\n').expect("the script has counted");
    assert!(count.parse::<usize>().unwrap() > 10, "too little was looked at: {count}");
    lines.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// The start tags of this element that have all of these words among their attributes, in order.
pub fn tags<'a>(dom: &'a str, element: &str, words: &[&str]) -> Vec<&'a str> {
    let start = format!("<{element} ");
    let tags = dom.match_indices(&start).map(|(at, _)| &dom[at..at + dom[at..].find('>').unwrap_or(0)]);
    let has = |tag: &&str, word: &str| tag.split([' ', '"', '=', '>']).any(|part| part == word);
    tags.filter(|tag| words.iter().all(|word| has(tag, word))).collect()
}

/// The value of an attribute in a start tag.
pub fn attribute<'a>(tag: &'a str, name: &str) -> &'a str {
    let at = tag.find(&format!(" {name}=\"")).map_or(tag.len(), |at| at + name.len() + 3);
    tag[at..].split('"').next().unwrap_or_default()
}

/// The values of an attribute of all such tags.
pub fn attributes<'a>(dom: &'a str, element: &str, words: &[&str], name: &str) -> Vec<&'a str> {
    tags(dom, element, words).into_iter().map(|tag| attribute(tag, name)).collect()
}

/// The text of the first element with this id, tags taken out.
pub fn text_of(dom: &str, element: &str, id: &str) -> String {
    let tag = format!("id=\"{id}\"");
    let Some(at) = dom.find(&tag) else { return String::new() };
    let inner = dom[at..].split_once('>').map_or("", |(_, rest)| rest);
    plain(inner.split(&format!("</{element}>")).next().unwrap_or_default())
}

/// Text without tags, with the characters that HTML escapes.
pub fn plain(html: &str) -> String {
    let mut text = String::new();
    for (at, part) in html.split('<').enumerate() {
        text.push_str(if at == 0 { part } else { part.split_once('>').map_or("", |(_, rest)| rest) });
    }
    // Both the templates' numbers and the browser's names.
    let characters = [("nbsp", "160", " "), ("lt", "60", "<"), ("gt", "62", ">"), ("quot", "34", "\"")];
    for (name, number, character) in characters.into_iter().chain([("apos", "39", "'"), ("amp", "38", "&")]) {
        text = text.replace(&format!("&{name};"), character).replace(&format!("&#{number};"), character);
    }
    text
}
