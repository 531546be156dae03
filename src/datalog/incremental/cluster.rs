//! Several processes, each with some workers, connected by TCP.
//!
//! Every process listens at its own address, connects to those before it in the list, and
//! makes sure that the others run the same program. A process that goes away in the middle
//! of the work is noticed by all others; they stop instead of waiting for it. The first
//! process is in the middle of it until it says that it has its answer ([`Completion`]).

use heddle_language::RuleSet;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use timely::communication::Hooks;
use timely::communication::allocator::ProcessBuilder;
use timely::communication::allocator::zero_copy::allocator::TcpBuilder;
use timely::communication::allocator::zero_copy::initialize::{
    CommsGuard, initialize_networking_from_sockets,
};
use timely::communication::allocator::zero_copy::stream::Stream;

/// How long to wait for the other processes to appear.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long to wait for the first words of a process that has appeared.
const SILENCE: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(20);

/// A process of a cluster that is connected to all others.
pub struct Cluster {
    process: usize,
    workers: NonZeroUsize,
    links: Vec<Option<Link>>,
    health: Arc<Health>,
}

/// Why a cluster did not come about or stopped working.
#[derive(Debug)]
pub enum ClusterError {
    /// There is no address for the process.
    NoSuchProcess {
        process: usize,
        processes: usize,
    },
    Listen {
        address: String,
        error: io::Error,
    },
    /// These addresses did not answer.
    Missing(Vec<String>),
    /// The process at the other end is not one of this cluster.
    Stranger {
        address: String,
        why: &'static str,
    },
    Lost(String),
}

impl fmt::Display for ClusterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClusterError::NoSuchProcess { process, processes } => write!(
                f,
                "there is no process {process}: {processes} hosts are processes 0 to {}",
                processes - 1
            ),
            ClusterError::Listen { address, error } => {
                write!(f, "cannot listen at `{address}`: {error}")
            }
            ClusterError::Missing(addresses) => write!(
                f,
                "waited {} s for the processes at {}",
                PATIENCE.as_secs(),
                addresses.join(", ")
            ),
            ClusterError::Stranger { address, why } => {
                write!(f, "the process at `{address}` {why}")
            }
            ClusterError::Lost(why) => f.write_str(why),
        }
    }
}

/// What a process says first.
#[derive(Clone, Copy, PartialEq)]
struct Greeting {
    process: u64,
    processes: u64,
    workers: u64,
    program: u64,
}

const MAGIC: &[u8; 8] = b"heddle 1";
const GREETING_LENGTH: usize = 8 + 4 * 8;

impl Greeting {
    fn to_bytes(self) -> [u8; GREETING_LENGTH] {
        let mut bytes = [0; GREETING_LENGTH];
        bytes[..8].copy_from_slice(MAGIC);
        let numbers = [self.process, self.processes, self.workers, self.program];
        for (chunk, number) in bytes[8..].chunks_exact_mut(8).zip(numbers) {
            chunk.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    fn from_bytes(bytes: &[u8; GREETING_LENGTH]) -> Option<Self> {
        let number = |position: usize| {
            let start = 8 + 8 * position;
            let chunk = bytes[start..start + 8].try_into().expect("eight bytes");
            u64::from_le_bytes(chunk)
        };
        (&bytes[..8] == MAGIC).then(|| Greeting {
            process: number(0),
            processes: number(1),
            workers: number(2),
            program: number(3),
        })
    }

    /// Whether the process that says `other` belongs to the same cluster.
    fn check(&self, other: &Greeting) -> Result<(), &'static str> {
        if other.processes != self.processes {
            Err("was started with another number of hosts")
        } else if other.workers != self.workers {
            Err("was started with another number of workers")
        } else if other.program != self.program {
            Err("was started with another rule file")
        } else if other.process == self.process || other.process >= self.processes {
            Err("has the wrong number")
        } else {
            Ok(())
        }
    }
}

impl Cluster {
    /// Waits for all processes of the list; this one is number `process`. All must have the
    /// same rules.
    pub fn connect(
        process: usize,
        addresses: &[String],
        workers: NonZeroUsize,
        rules: &RuleSet,
    ) -> Result<Cluster, ClusterError> {
        if process >= addresses.len() {
            return Err(ClusterError::NoSuchProcess {
                process,
                processes: addresses.len(),
            });
        }
        let greeting = Greeting {
            process: process as u64,
            processes: addresses.len() as u64,
            workers: workers.get() as u64,
            program: fingerprint(rules),
        };
        let listener = TcpListener::bind(&addresses[process]).and_then(|listener| {
            listener.set_nonblocking(true)?;
            Ok(listener)
        });
        let listener = listener.map_err(|error| ClusterError::Listen {
            address: addresses[process].clone(),
            error,
        })?;
        let sockets = meet(&greeting, &listener, addresses)?;
        let health = Arc::new(Health::default());
        let links = sockets.into_iter().enumerate().map(|(peer, socket)| {
            socket.map(|socket| Link {
                socket,
                peer,
                health: health.clone(),
                zeros: 0,
            })
        });
        Ok(Cluster {
            process,
            workers,
            links: links.collect(),
            health,
        })
    }

    pub(super) fn health(&self) -> Arc<Health> {
        self.health.clone()
    }

    /// To say later that the work of the whole cluster is done.
    pub fn completion(&self) -> Completion {
        Completion(self.health.clone())
    }

    /// The makings of this process's workers.
    pub(super) fn into_builders(self) -> (Vec<TcpBuilder>, Connections) {
        let hooks = Hooks::default();
        let workers = self.workers.get();
        let (refill, spill) = (hooks.refill.clone(), hooks.spill.clone());
        let inner = ProcessBuilder::new_typed_vector(workers, refill, spill);
        let sockets = self.links.iter().flatten().map(|link| {
            let socket = link.socket.try_clone();
            socket.expect("a connection can have several owners")
        });
        let sockets = sockets.collect();
        let (builders, threads) =
            initialize_networking_from_sockets(inner, self.links, self.process, workers, hooks)
                .expect("a thread for each connection can be started");
        (builders, Connections { threads, sockets })
    }
}

/// What the first process says when it has its answer. If it ends without, so do the others,
/// in error.
pub struct Completion(Arc<Health>);

impl Completion {
    pub fn done(self) {
        self.0.done.store(true, Ordering::Relaxed);
    }
}

/// The connections to all other processes. Dropping it waits until all is said on both sides.
pub(super) struct Connections {
    threads: CommsGuard,
    sockets: Vec<TcpStream>,
}

impl Connections {
    /// Waits for nobody. The others notice, and so do the workers of this process; the threads
    /// of the connections cannot be stopped, they sleep.
    pub(super) fn break_off(self) {
        for socket in &self.sockets {
            // The peer may be gone already, which is as good.
            let _ = socket.shutdown(Shutdown::Both);
        }
        std::mem::forget(self.threads);
    }
}

/// The same number for the same rules, on every machine.
fn fingerprint(rules: &RuleSet) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    rules.to_string().hash(&mut hasher);
    hasher.finish()
}

/// Connects to the processes before this one and accepts those after it.
fn meet(
    greeting: &Greeting,
    listener: &TcpListener,
    addresses: &[String],
) -> Result<Vec<Option<TcpStream>>, ClusterError> {
    let own = greeting.process as usize;
    let mut sockets: Vec<Option<TcpStream>> = addresses.iter().map(|_| None).collect();
    let start = Instant::now();
    loop {
        for peer in 0..own {
            if sockets[peer].is_none()
                && let Ok(socket) = TcpStream::connect(&addresses[peer])
            {
                match exchange(greeting, socket) {
                    Ok((socket, other)) => {
                        check(greeting, &other, &addresses[peer])?;
                        sockets[peer] = Some(socket);
                    }
                    Err(why) => return Err(stranger(&addresses[peer], why)),
                }
            }
        }
        while let Ok((socket, address)) = listener.accept() {
            let address = address.to_string();
            // Whatever else looks in at this address is not our business.
            let Ok((socket, other)) = exchange(greeting, socket) else {
                continue;
            };
            check(greeting, &other, &address)?;
            sockets[other.process as usize] = Some(socket);
        }
        let missing = (0..addresses.len()).filter(|&peer| peer != own && sockets[peer].is_none());
        let missing: Vec<String> = missing.map(|peer| addresses[peer].clone()).collect();
        if missing.is_empty() {
            return Ok(sockets);
        }
        if start.elapsed() > PATIENCE {
            return Err(ClusterError::Missing(missing));
        }
        thread::sleep(PAUSE);
    }
}

fn check(greeting: &Greeting, other: &Greeting, address: &str) -> Result<(), ClusterError> {
    greeting.check(other).map_err(|why| stranger(address, why))
}

fn stranger(address: &str, why: &'static str) -> ClusterError {
    ClusterError::Stranger {
        address: address.to_string(),
        why,
    }
}

fn exchange(
    greeting: &Greeting,
    mut socket: TcpStream,
) -> Result<(TcpStream, Greeting), &'static str> {
    let mut talk = || -> io::Result<Option<Greeting>> {
        socket.set_nonblocking(false)?;
        socket.set_nodelay(true)?;
        socket.set_read_timeout(Some(SILENCE))?;
        socket.write_all(&greeting.to_bytes())?;
        let mut bytes = [0; GREETING_LENGTH];
        socket.read_exact(&mut bytes)?;
        socket.set_read_timeout(None)?;
        Ok(Greeting::from_bytes(&bytes))
    };
    match talk() {
        Ok(Some(other)) => Ok((socket, other)),
        Ok(None) => Err("does not speak heddle's language"),
        Err(_) => Err("does not answer"),
    }
}

/// Whether all workers are still at it.
#[derive(Default)]
pub(super) struct Health {
    lost: Mutex<Option<String>>,
    panicked: AtomicBool,
    done: AtomicBool,
}

impl Health {
    /// Which process has gone away and why, if one has.
    pub(super) fn lost(&self) -> Option<String> {
        let lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        lost.clone()
    }

    fn lose(&self, peer: usize, why: &str) {
        let mut lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        lost.get_or_insert_with(|| format!("lost the connection to process {peer}: {why}"));
    }

    /// Whether the first process, if this is it, has its answer.
    pub(super) fn done(&self) -> bool {
        self.done.load(Ordering::Relaxed)
    }

    pub(super) fn panicked(&self) -> bool {
        self.panicked.load(Ordering::Relaxed)
    }

    /// Goes off when it is dropped, unless it was disarmed.
    pub(super) fn alarm(self: &Arc<Self>) -> Alarm {
        Alarm(Some(self.clone()))
    }
}

pub(super) struct Alarm(Option<Arc<Health>>);

impl Alarm {
    pub(super) fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        if let Some(health) = &self.0 {
            health.panicked.store(true, Ordering::Relaxed);
        }
    }
}

/// A connection that reports when it breaks. Timely would panic in a thread of its own and
/// leave the workers waiting; instead, nothing more arrives here and the workers look at
/// [`Health`].
struct Link {
    socket: TcpStream,
    peer: usize,
    health: Arc<Health>,
    /// How many zeros have been read last. A peer that leaves in good order says so by a
    /// header of zeros.
    zeros: usize,
}

/// The length of timely's message headers: six numbers.
const HEADER_LENGTH: usize = 6 * 8;

impl Read for Link {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let why = match self.socket.read(buffer) {
                Ok(0) if self.zeros >= HEADER_LENGTH => return Ok(0),
                Ok(0) => "it has ended early".to_string(),
                Ok(count) => {
                    let zeros = buffer[..count].iter().rev().take_while(|&&byte| byte == 0);
                    let zeros = zeros.count();
                    self.zeros = if zeros == count {
                        self.zeros + zeros
                    } else {
                        zeros
                    };
                    return Ok(count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => error.to_string(),
            };
            self.health.lose(self.peer, &why);
            loop {
                thread::park();
            }
        }
    }
}

impl Write for Link {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match self.socket.write(buffer) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                self.health.lose(self.peer, &error.to_string());
                Ok(buffer.len())
            }
            result => result,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for Link {
    fn try_clone(&self) -> io::Result<Self> {
        Ok(Link {
            socket: self.socket.try_clone()?,
            peer: self.peer,
            health: self.health.clone(),
            zeros: 0,
        })
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.socket.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        // The peer may be gone already, which is as good.
        let _ = self.socket.shutdown(how);
        Ok(())
    }
}
