//! What a host program asks for, call by call.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use tilewright_metal::{Architecture, Capture, Program, TensorRole};
use tilewright_run::record::{Failure, Printed, PrintedSource};
use tilewright_run::{Described, FrontEnd, Keep, LaunchCommand, Launches, Request, Witness};

use crate::buffers::{Buffers, HostBuffer, Mesh};
use crate::ended::LastWords;
use crate::grade::Grading;
use crate::launch::{self, Built};
use crate::message::{Allocate, Call, Line};
use crate::names;

/// Why a call has no answer.
pub(crate) enum Refusal {
    /// The host program is told, at the line of its call.
    ToHost(String),
    /// Nothing can go on.
    Failure(Failure),
    /// A launch did not complete: on a card the host program would wait for ever.
    Over,
}

impl From<String> for Refusal {
    fn from(why: String) -> Refusal {
        Refusal::ToHost(why)
    }
}

/// A host program under way.
pub(crate) struct HostSession<'a> {
    /// How launches are run.
    pub(crate) request: Request,
    /// The device that all launches run on.
    arch: Architecture,
    pub(crate) front: &'a Arc<dyn FrontEnd>,
    /// The program's source.
    pub(crate) source: &'a Path,
    /// The command that runs it again.
    pub(crate) command: LaunchCommand,
    /// Which launch is watched and captured; 1 is the first.
    pub(crate) chosen: u64,
    pub(crate) witness: Option<&'a mut dyn Witness>,
    /// What a witness made of the chosen launch.
    pub(crate) testimony: Vec<Vec<u8>>,
    /// Whether the host program prints what its kernels print.
    pub(crate) is_echoed: bool,
    pub(crate) is_captured: bool,
    pub(crate) capture: Option<Capture>,
    pub(crate) launches: Launches,
    pub(crate) grading: Grading,
    pub(crate) last_words: LastWords,
    meshes: BTreeMap<u64, Mesh>,
    buffers: Buffers,
    next: u64,
}

impl<'a> HostSession<'a> {
    pub(crate) fn new(
        request: Request,
        front: &'a Arc<dyn FrontEnd>,
        (source, command): (&'a Path, LaunchCommand),
    ) -> Result<HostSession<'a>, Failure> {
        Ok(HostSession {
            arch: request.architecture()?,
            request,
            front,
            source,
            command,
            chosen: 1,
            witness: None,
            testimony: Vec::new(),
            is_echoed: false,
            is_captured: false,
            capture: None,
            launches: Launches::default(),
            grading: Grading::default(),
            last_words: LastWords::default(),
            meshes: BTreeMap::new(),
            buffers: BTreeMap::new(),
            next: 1,
        })
    }

    /// The answer to a call; none to one that expects none.
    pub(crate) fn call(&mut self, call: Call, data: &[u8]) -> Result<Option<Vec<u8>>, Refusal> {
        let answer = match call {
            Call::Chip => chip(&self.arch),
            Call::Open { devices } => {
                let mesh = Mesh::new(&self.arch, devices)?;
                let id = self.fresh();
                self.meshes.insert(id, mesh);
                numbers([id])
            }
            Call::Close { mesh } => {
                self.meshes.remove(&mesh);
                self.buffers.retain(|_, buffer| buffer.mesh != mesh);
                Vec::new()
            }
            Call::Allocate(asked) => self.allocate(&asked)?,
            Call::Means { buffer, shape, format, is_tiled } => {
                let buffer = self.buffers.get_mut(&buffer).ok_or_else(|| gone(buffer))?;
                buffer.mean(&shape, &format, is_tiled)?;
                Vec::new()
            }
            Call::Free { buffer } => self.free(buffer)?,
            Call::Write { buffer, device } => {
                let (buffer, on) = self.buffer(buffer, device)?;
                buffer.is_result = false;
                buffer.write(device, on, data)?;
                Vec::new()
            }
            Call::Read { buffer, device } => self.read(buffer, device)?,
            Call::WriteL1 { mesh, core, address, .. } => {
                self.write_l1(mesh, (core, address), data)?
            }
            Call::ReadL1 { mesh, core, address, bytes } => {
                self.read_l1(mesh, (core, address), bytes)?
            }
            Call::Accessor { buffer, runtime } => {
                let buffer = self.buffers.get(&buffer).ok_or_else(|| gone(buffer))?;
                numbers(buffer.accessor_words(runtime))
            }
            Call::Kernel { folder, file, site } => {
                let sources = [Path::new(&site.file), self.source];
                launch::found(&folder, &file, sources.into_iter())?;
                Vec::new()
            }
            Call::Launch { mesh, device, site } => self.launch((mesh, device), &site, data)?,
            Call::Crash { signal, addresses } => {
                self.last_words.crash = Some((signal, addresses));
                return Ok(None);
            }
            Call::Stack { addresses, .. } => {
                self.last_words.stack = addresses;
                return Ok(None);
            }
            Call::Uncaught { what, file, line } => {
                let line = file.map(|file| Line { file, line });
                self.last_words.uncaught = Some((what, line));
                return Ok(None);
            }
        };
        Ok(Some(answer))
    }

    /// Writes to L1 of every device of a mesh, where a buffer has it.
    fn write_l1(
        &mut self,
        mesh: u64,
        (core, address): ([u8; 2], u32),
        data: &[u8],
    ) -> Result<Vec<u8>, Refusal> {
        let id = self.in_l1(mesh, core, address, data.len() as u64)?;
        for device in 0..self.mesh(mesh)?.devices.len() {
            let (buffer, on) = self.buffer(id, device)?;
            buffer.is_result = false;
            buffer.write_l1(device, on, (core, address), data)?;
        }
        Ok(Vec::new())
    }

    /// Reads L1 of a mesh's first device, where a buffer has it.
    fn read_l1(
        &mut self,
        mesh: u64,
        (core, address): ([u8; 2], u32),
        bytes: u64,
    ) -> Result<Vec<u8>, Refusal> {
        let id = self.in_l1(mesh, core, address, bytes)?;
        let (buffer, on) = self.buffer(id, 0)?;
        let bytes = buffer.read_l1(on, (core, address), bytes)?;
        let (name, is_result) = (buffer.name.clone(), buffer.is_result);
        self.launches.read(&name, is_result);
        Ok(bytes)
    }

    fn fresh(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    fn mesh(&mut self, id: u64) -> Result<&mut Mesh, String> {
        self.meshes.get_mut(&id).ok_or_else(|| "the device is closed".to_owned())
    }

    /// A buffer and one of its devices.
    fn buffer(
        &mut self,
        id: u64,
        device: usize,
    ) -> Result<(&mut HostBuffer, &mut tilewright_metal::Device), String> {
        let buffer = self.buffers.get_mut(&id).ok_or_else(|| gone(id))?;
        let mesh = self.meshes.get_mut(&buffer.mesh).ok_or("the device is closed")?;
        let on = mesh.devices.get_mut(device).ok_or("there is no such device in the mesh")?;
        Ok((buffer, on))
    }

    /// The buffer that bytes of a core's L1 belong to.
    fn in_l1(&self, mesh: u64, core: [u8; 2], at: u32, bytes: u64) -> Result<u64, String> {
        let mut own = self.buffers.iter().filter(|(_, buffer)| buffer.mesh == mesh);
        let found = own.find(|(_, buffer)| buffer.has_in_l1(core, at, bytes));
        found.map(|(id, _)| *id).ok_or_else(|| {
            let [x, y] = core;
            format!(
                "{bytes} bytes of L1 at {at:#x} on core ({x},{y}) are not in a buffer: other L1 is \
                 not kept between programs"
            )
        })
    }

    fn allocate(&mut self, asked: &Allocate) -> Result<Vec<u8>, String> {
        let name = names::variable(&asked.site.file, asked.site.line);
        let is_taken = |name: &str| self.buffers.values().any(|it| it.name == name);
        let name = names::unique(name.as_deref().unwrap_or("buffer"), is_taken);
        let buffer = HostBuffer::allocate(self.mesh(asked.mesh)?, asked, name)?;
        let (id, pages) = (self.fresh(), &buffer.tensor.buffer);
        let (stride, bank_bytes) = (pages.page_stride, pages.bank_bytes());
        let answer = format!("{id} {} {stride} {bank_bytes} {}", buffer.address(), buffer.name);
        self.buffers.insert(id, buffer);
        Ok(answer.into_bytes())
    }

    fn free(&mut self, id: u64) -> Result<Vec<u8>, String> {
        let buffer = self.buffers.remove(&id).ok_or_else(|| gone(id))?;
        for device in &mut self.mesh(buffer.mesh)?.devices {
            device.free(&buffer.tensor.buffer).map_err(|error| error.to_string())?;
        }
        Ok(Vec::new())
    }

    fn read(&mut self, id: u64, device: usize) -> Result<Vec<u8>, String> {
        let (buffer, on) = self.buffer(id, device)?;
        let bytes = buffer.read(on)?;
        let (name, is_result) = (buffer.name.clone(), buffer.is_result);
        self.launches.read(&name, is_result);
        Ok(bytes)
    }

    /// Simulates a program on one device. The answer is what its kernels print.
    fn launch(
        &mut self,
        (mesh, device): (u64, usize),
        line: &Line,
        json: &[u8],
    ) -> Result<Vec<u8>, Refusal> {
        let built = Built::read(json)?;
        let named = self.named(mesh, &built);
        let request = self.request_for((mesh, device), built, &named)?;
        let number = self.launches.count + 1;
        let is_chosen = number == self.chosen;
        if is_chosen && self.is_captured {
            let capture = tilewright_run::capture(&request, self.front);
            self.capture = Some(capture.map_err(Refusal::Failure)?);
        }
        let request = self.grading.faulty(number, request);
        let mut lister = self.grading.lister();
        let lister = lister.as_mut().map(|lister| lister as &mut dyn Witness);
        let witness = self.witness.as_deref_mut().filter(|_| is_chosen);
        let outcome = match witness {
            Some(witness) => tilewright_run::run(&request, self.front, Some(witness)),
            None => tilewright_run::run(&request, self.front, lister),
        };
        let mut outcome = outcome.map_err(Refusal::Failure)?;
        let before = self.launches.is_over;
        let printed = printed(&outcome.run.printed, device);
        let at = format!("launch {number}, {}:{}", line.file, line.line);
        self.launches.add(outcome.run.clone(), &at, &named);
        self.grading.note(&outcome, before == self.launches.is_over);
        if is_chosen {
            self.testimony = std::mem::take(&mut outcome.testimony);
        }
        if self.launches.is_over {
            return Err(Refusal::Over);
        }
        let kept: BTreeMap<&str, &[u8]> =
            outcome.kept.iter().map(|kept| (kept.name.as_str(), kept.tensor.bytes())).collect();
        let on = self.meshes.get_mut(&mesh).and_then(|it| it.devices.get_mut(device));
        let on = on.ok_or_else(|| "the device is closed".to_owned())?;
        for buffer in self.buffers.values_mut().filter(|it| it.mesh == mesh) {
            let Some(bytes) = kept.get(buffer.name.as_str()) else { continue };
            let was_filled = buffer.filled[device];
            buffer.write(device, on, bytes)?;
            let is_named = named.contains(&buffer.name);
            buffer.filled[device] = was_filled || is_named;
            buffer.is_result |= is_named;
        }
        Ok(if self.is_echoed { printed.into_bytes() } else { Vec::new() })
    }

    /// Buffers of a mesh whose addresses a program has, or that its circular buffers lie in.
    fn named(&self, mesh: u64, built: &Built) -> BTreeSet<String> {
        let words: BTreeSet<u64> = built.words().collect();
        let placed: BTreeSet<&str> = built.placed_in().collect();
        let own = self.buffers.values().filter(|buffer| buffer.mesh == mesh);
        let is_named = |buffer: &&HostBuffer| {
            words.contains(&u64::from(buffer.address())) || placed.contains(buffer.name.as_str())
        };
        own.filter(is_named).map(|buffer| buffer.name.clone()).collect()
    }

    /// The request that simulates a program; refuses one that cannot run on the chip.
    fn request_for(
        &mut self,
        (mesh, device): (u64, usize),
        built: Built,
        named: &BTreeSet<String>,
    ) -> Result<Request, Refusal> {
        let name = self.source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let (mut tensors, mut contents, mut keep) = (Vec::new(), BTreeMap::new(), Vec::new());
        let devices = self.meshes.get_mut(&mesh).map(|mesh| &mut mesh.devices);
        let on = devices.and_then(|it| it.get_mut(device));
        let on = on.ok_or_else(|| "the device is closed".to_owned())?;
        for buffer in self.buffers.values().filter(|it| it.mesh == mesh) {
            let role = buffer.role(device, named.contains(&buffer.name));
            tensors.push(buffer.description(role, device));
            keep.push(Keep::tensor(&buffer.name));
            if role == TensorRole::Input {
                contents.insert(buffer.name.clone(), buffer.read(on)?);
            }
        }
        let description = built.description(&name, &tensors, self.source)?;
        // What is wrong with the program is the host's to hear, at the line of the launch.
        Program::new(description.clone(), on).map_err(|error| error.to_string())?;
        let command = self.command.clone();
        let described = Described { description, contents, command };
        let subject = Request::described(described).subject;
        Ok(Request { subject, keep, ..self.request.clone() })
    }
}

fn gone(buffer: u64) -> String {
    format!("buffer {buffer} has been deallocated")
}

fn numbers(all: impl IntoIterator<Item = u64>) -> Vec<u8> {
    let words: Vec<String> = all.into_iter().map(|word| word.to_string()).collect();
    words.join(" ").into_bytes()
}

/// The table of the chip that programs run on.
fn chip(arch: &Architecture) -> Vec<u8> {
    numbers([
        u64::from(arch.grid_columns),
        u64::from(arch.grid_rows),
        u64::from(arch.l1_bytes),
        u64::from(arch.l1_base),
        u64::from(arch.dram_banks),
        arch.dram_bank_bytes,
        u64::from(arch.l1_alignment),
        u64::from(arch.dram_read_alignment),
        u64::from(arch.semaphores),
        u64::from(arch.circular_buffers),
        u64::from(arch.tt_metal_arch),
    ])
}

/// What kernels print, with tt-metal's prefix: device, core and processor. Waypoints are no output
/// of a card.
fn printed(all: &[Printed], device: usize) -> String {
    let mut text = String::new();
    for said in all.iter().filter(|said| said.source != PrintedSource::Waypoint) {
        let (Some(core), Some(processor)) = (&said.core, &said.processor) else {
            text.push_str(&said.text);
            continue;
        };
        let core = core.trim_matches(['(', ')']);
        let (x, y) = core.split_once(',').unwrap_or((core, ""));
        let short = match processor.as_str() {
            "reader" => "NC",
            "writer" => "BR",
            "unpack" => "TR0",
            "math" => "TR1",
            "pack" => "TR2",
            other => other,
        };
        for line in said.text.lines() {
            let _ = writeln!(text, "{device}:(x={x},y={y}):{short}: {line}");
        }
    }
    text
}
