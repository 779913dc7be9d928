//! The HTML page: complete in itself, small enough, and drawn by a browser without an error and
//! without running over, where there is a browser.

use crate::patient;
use std::path::{Path, PathBuf};
use std::process::Command;

use tilewright_check::{Session, Tools};
use tilewright_metal::{Device, Ending, Observer, Program, RunOptions};
use tilewright_ops::Request;
use tilewright_ops::judge::judge_expected;
use tilewright_ops::layernorm::published::Faults;
use tilewright_report::html::{Page, page};
use tilewright_report::record::{self, Finding, HostSeconds, Output, Run, RunVerdict};
use tilewright_report::timeline::{Limits, Recorder};
use tilewright_run::heat::{HeatMap, heat_map};
use tilewright_testing::skip;
use tilewright_tile::DataFormat::Bfloat16;

/// A run's answer without figures of the host.
pub fn answer(operation: &str, shape: &str, findings: Vec<Finding>, verdict: RunVerdict) -> Run {
    let request = record::Request {
        device: "n150".to_owned(),
        operation: operation.to_owned(),
        shape: shape.to_owned(),
        format: "Float16_b".to_owned(),
        dst_bits: 32,
        dst_sync: "half".to_owned(),
        fidelity: "HiFi4".to_owned(),
        cores: 64,
        threads: 1,
        noc: "timed".to_owned(),
        input: "uniform".to_owned(),
        data_seed: 0,
        choices: Default::default(),
    };
    Run {
        verdict,
        completed: verdict != RunVerdict::Hang,
        request,
        findings,
        allowed: 0,
        schedules: 1,
        outputs: Default::default(),
        uncompared: Vec::new(),
        notes: Vec::new(),
        tiles: 0,
        cycles: 0,
        wall_seconds: 0.0,
        host_seconds: HostSeconds::default(),
        tiles_per_second: 0.0,
        seed: 0,
        digest: "0".repeat(16),
        programs: Vec::new(),
        zones: Vec::new(),
        omitted_zones: 0,
        also_cores: None,
        compiled_by: None,
        printed: Vec::new(),
        replay: format!("tilewright run {operation} --shape {shape} --seed 0"),
    }
}

/// Runs programs one after the other, watched and recorded.
fn watch(device: &mut Device, programs: &[Program]) -> (Recorder, Vec<Finding>, Ending) {
    let mut recorder = Recorder::new(Limits::PAGE);
    let (mut findings, mut ending) = (Vec::new(), Ending::Completed);
    for program in programs {
        let mut session = Session::new(program, &Tools::all());
        recorder.begin(program);
        let observers: &mut [&mut dyn Observer] = &mut [&mut session, &mut recorder];
        let options = RunOptions { threads: 2, ..RunOptions::default() };
        let outcome = program.run(device, options, observers).expect("stacks");
        recorder.end(&outcome);
        findings.extend(session.findings(program, &outcome).iter().map(Finding::from));
        ending = outcome.ending;
    }
    (recorder, findings, ending)
}

fn draw(run: &mut Run, device: &Device, recorder: &Recorder, heat: &[(String, HeatMap)]) -> String {
    run.cycles = recorder.timelines().iter().map(|timeline| timeline.cycles).sum();
    let (architecture, l1_lowest) = (device.architecture(), device.l1_lowest());
    page(&Page { run, timelines: recorder.timelines(), heat, architecture, l1_lowest })
}

/// The page of an operation that is right.
fn sound(name: &str, shape: &str) -> String {
    let operation = tilewright_ops::find(name).expect("an operation");
    let mut device = Device::n150();
    let mut request = Request::new(shape.parse().expect("a shape"), Bfloat16);
    request.settings = operation.settings(request.format);
    let prepared = operation.prepare(&mut device, &request).expect("a program");
    let (recorder, findings, _) = watch(&mut device, &prepared.programs);
    let mut run = answer(name, shape, findings, RunVerdict::Pass);
    let mut heat = Vec::new();
    for expected in &prepared.outputs {
        let (name, shape) = (expected.name.to_owned(), &expected.tensor.shape);
        let values = expected.tensor.to_host(&mut device).expect("values");
        let exact = (expected.reference)();
        let judgement = judge_expected(expected, &values, &exact);
        run.outputs.insert(name.clone(), Output::new(shape, &judgement));
        heat.push((name, heat_map(&values.to_f32(), &exact, shape, 96)));
    }
    draw(&mut run, &device, &recorder, &heat)
}

/// The page of a kernel that waits for more pages than its buffer has.
fn deadlock() -> String {
    let faults = Faults { one_page_buffer: true, ..Faults::REPAIRED };
    let (mut device, program) = patient::published("40x213", faults);
    let (recorder, findings, ending) = watch(&mut device, &[program]);
    assert_eq!(ending, Ending::Stuck);
    let mut run = answer("published", "40x213", findings, RunVerdict::Hang);
    draw(&mut run, &device, &recorder, &[])
}

/// Findings name files from the root of the repository.
fn at_the_root() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::env::set_current_dir(root).expect("the root of the repository");
}

#[test]
fn a_page_is_complete_in_itself() {
    at_the_root();
    let page = deadlock();
    assert!(page.contains("starved-wait") && page.contains("is_stuck\":true"));
    for link in ["<link", " src=", "href=", "url(", "@import", "fetch("] {
        assert!(!page.contains(link), "{link}");
    }
    let addresses = page.matches("http").count();
    assert_eq!(addresses, 2, "the policy's header and the name of SVG: neither is fetched");
}

#[test]
fn no_text_of_a_run_is_markup() {
    let device = Device::n150();
    let mut run = answer("</script><b>", "1x1", Vec::new(), RunVerdict::Pass);
    let page = draw(&mut run, &device, &Recorder::new(Limits::PAGE), &[]);
    assert!(!page.contains("</script><b>"));
    assert_eq!(page.matches("</script>").count(), 2);
}

#[test]
fn a_run_on_all_cores_stays_below_three_megabytes() {
    let page = sound("layernorm-bw", "1x1x2048x512");
    assert!(page.contains("\"grain\":"), "lanes");
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
    assert!(page.len() > 200_000, "{} bytes: where is the run?", page.len());
    assert!(page.contains("\"tiles\":[{\"row\""), "elements of tiles");
    assert!(page.contains("DRAM bank 0"), "traffic");
}

/// Reports what went wrong, and by how much the page runs over, as attributes of the root.
const PROBE: &str = include_str!("probe.html");

/// The page in a frame of the size asked for, because no window of the browser is narrower than
/// 500 pixels; what the probe says is passed on.
fn framed(page: &str, window: Window) -> String {
    let page = page.replace("</body>", PROBE).replace('&', "&amp;").replace('"', "&quot;");
    let Window { width, height, .. } = window;
    format!(
        "<!doctype html><title>frame</title><body style=\"margin: 0\"><iframe style=\"border: 0; \
         width: {width}px; height: {height}px\" srcdoc=\"{page}\"></iframe><script>\
         onload = () => Object.assign(document.documentElement.dataset, \
         frames[0].document.documentElement.dataset);</script>"
    )
}

/// A window: its size, and whether its user likes it dark.
#[derive(Clone, Copy, Debug)]
struct Window {
    width: u32,
    height: u32,
    is_dark: bool,
}

/// A desk's and a pocket's.
const SIZES: [(u32, u32); 2] = [(1280, 900), (390, 844)];

/// The document after its script has run, and what the browser's console says.
fn browse(browser: &Path, name: &str, page: &str, window: Window) -> (String, String) {
    let Window { width, is_dark, .. } = window;
    let folder = format!("{name}-{width}-{}", if is_dark { "dark" } else { "light" });
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("page.html");
    std::fs::write(&file, framed(page, window)).expect("a page");
    let output = Command::new(browser)
        .args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
        ])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--enable-logging=stderr", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg("--window-size=1400,1000")
        .arg(format!("--blink-settings=preferredColorScheme={}", if is_dark { 0 } else { 1 }))
        .arg(format!("file://{}", file.display()))
        .output()
        .expect("the browser starts");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (text(output.stdout), text(output.stderr))
}

fn browser() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let all = std::env::split_paths(&folders);
    let all = all.flat_map(|folder| names.map(|name| folder.join(name)));
    all.into_iter().find(|path| path.is_file())
}

#[test]
fn a_browser_draws_it_without_an_error_and_without_running_over() {
    let Some(browser) = browser() else {
        skip!("there is no Chromium to draw the page with");
        return;
    };
    at_the_root();
    let pages = [("sound", sound("layernorm-bw", "1x1x2048x96")), ("deadlock", deadlock())];
    for (name, page) in &pages {
        for (width, height) in SIZES {
            let [light, dark] = [false, true]
                .map(|is_dark| look(&browser, (name, page), Window { width, height, is_dark }));
            assert_ne!(light, dark, "{name} has one face for day and night");
        }
    }
}

/// Holds a page to its window; gives the colour behind it.
fn look(browser: &Path, (name, page): (&str, &str), window: Window) -> String {
    let (document, console) = browse(browser, name, page, window);
    let says: Vec<&str> = console.lines().filter(|it| it.contains("CONSOLE")).collect();
    assert!(says.is_empty(), "{name} in {window:?}: {says:?}");
    let fact = |what: &str| {
        let head = document.split("<title>").next().unwrap_or_default();
        let (_, rest) = head.split_once(&format!("data-{what}=\"")).unwrap_or_default();
        rest.split('"').next().unwrap_or_default().to_owned()
    };
    assert_eq!(fact("drawn"), "yes", "{name} in {window:?} is not drawn");
    assert_eq!(fact("clicked"), "yes", "{name} in {window:?}: clicks");
    assert_eq!(fact("steps"), "", "{name} in {window:?}: what clicks do not do");
    let done: usize = fact("done").parse().unwrap_or(0);
    assert!(done >= 8, "{name} in {window:?}: {done} steps");
    assert_eq!(fact("stray"), "no", "{name} in {window:?}: something is shown as an object");
    assert_eq!(fact("wide"), window.width.to_string(), "{name} in {window:?}");
    assert_eq!(fact("over"), "0", "{name} runs over {window:?}");
    assert_eq!(fact("dark"), if window.is_dark { "yes" } else { "no" }, "{name} in {window:?}");
    if window.width >= 1280 {
        assert_eq!(fact("cut"), "0", "{name} in {window:?}: tables that must be scrolled");
    }
    assert_eq!(fact("found") != "0", name == "deadlock", "{name} in {window:?}");
    fact("back")
}
