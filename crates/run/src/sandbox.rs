//! What kernels may not ask of the host: processes, signals, the network, and writing files.
//!
//! Two layers, each where the host has it. The filter of system calls (seccomp) stops the caller,
//! so that the attempt is known with its line; Landlock refuses whatever gets past it. Reading
//! files is allowed. What remains possible is listed in the book, docs/src/trust.md.

use std::collections::BTreeMap;
use std::fs;
use std::os::fd::RawFd;

use landlock::{ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetStatus, Scope};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

/// What of a sandbox the host has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Support {
    /// The filter of system calls.
    pub has_filter: bool,
    /// Landlock.
    pub has_landlock: bool,
}

/// What the host has; nothing is restricted by asking.
pub fn support() -> Support {
    let actions = fs::read_to_string("/proc/sys/kernel/seccomp/actions_avail");
    let has_filter = match actions {
        Ok(actions) => actions.split_whitespace().any(|action| action == "trap"),
        // Where this is not shown, the process's own state tells whether there are filters.
        Err(_) => fs::read_to_string("/proc/self/status").is_ok_and(|it| it.contains("Seccomp:")),
    };
    let ruleset = Ruleset::default().handle_access(AccessFs::from_write(ABI::V1));
    let created = ruleset.and_then(Ruleset::create);
    // Without Landlock it makes a ruleset of nothing, which has no descriptor.
    let has_landlock =
        created.is_ok_and(|created| Option::<std::os::fd::OwnedFd>::from(created).is_some());
    Support { has_filter, has_landlock }
}

/// Restricts this thread, and those it starts, for good. `channel` is the descriptor that kernels
/// may not close.
pub(crate) fn enter(channel: RawFd) -> Support {
    let has_landlock = forbid_by_landlock().unwrap_or(false);
    let has_filter = forbid_calls(channel).is_ok();
    Support { has_filter, has_landlock }
}

fn forbid_by_landlock() -> Result<bool, landlock::RulesetError> {
    let status = Ruleset::default()
        .handle_access(AccessFs::from_write(ABI::V3))?
        .handle_access(AccessNet::from_all(ABI::V4))?
        .scope(Scope::from_all(ABI::V6))?
        .create()?
        .restrict_self()?;
    Ok(status.ruleset != RulesetStatus::NotEnforced)
}

/// A condition on an argument of a call.
type Condition = (u8, SeccompCmpArgLen, SeccompCmpOp, u64);
type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Calls that nothing in a worker needs.
const NEVER: &[i64] = &[
    #[cfg(target_arch = "x86_64")]
    libc::SYS_fork,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_vfork,
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_setsid,
    libc::SYS_setpgid,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_kill,
    libc::SYS_tkill,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_send_signal,
    libc::SYS_pidfd_getfd,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_socket,
    libc::SYS_socketpair,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_creat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_unlink,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_rmdir,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_mkdir,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_rename,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_link,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_symlink,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_mknod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    libc::SYS_unlinkat,
    libc::SYS_mkdirat,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_linkat,
    libc::SYS_symlinkat,
    libc::SYS_mknodat,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_truncate,
    libc::SYS_utimensat,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_chroot,
    libc::SYS_setrlimit,
    libc::SYS_io_uring_setup,
    libc::SYS_bpf,
    libc::SYS_userfaultfd,
    libc::SYS_perf_event_open,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_reboot,
];

/// Newer forms of calls that are judged by their arguments, which a filter cannot read here: the
/// C library falls back to the older ones.
const ABSENT: &[i64] = &[libc::SYS_clone3, libc::SYS_openat2];

fn forbid_calls(channel: RawFd) -> Result<(), seccompiler::Error> {
    let arch: TargetArch = std::env::consts::ARCH.try_into()?;
    let absent: Rules = ABSENT.iter().map(|call| (*call, Vec::new())).collect();
    let absent = (absent, SeccompAction::Errno(libc::ENOSYS as u32));
    let stopped = (stopped(channel)?, SeccompAction::Trap);
    for (rules, action) in [absent, stopped] {
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, action, arch)?;
        let program: BpfProgram = filter.try_into()?;
        seccompiler::apply_filter(&program)?;
    }
    Ok(())
}

/// The calls that end a kernel's run.
fn stopped(channel: RawFd) -> Result<Rules, seccompiler::BackendError> {
    use SeccompCmpArgLen::{Dword, Qword};
    use SeccompCmpOp::{Eq, Ge, Le, MaskedEq, Ne};
    let mut rules: Rules = NEVER.iter().map(|call| (*call, Vec::new())).collect();
    let mut add = |call: i64, conditions: &[Condition]| {
        let conditions: Result<Vec<SeccompCondition>, _> = conditions
            .iter()
            .map(|(index, length, operator, value)| {
                SeccompCondition::new(*index, length.clone(), operator.clone(), *value)
            })
            .collect();
        rules.entry(call).or_default().push(SeccompRule::new(conditions?)?);
        Ok::<(), seccompiler::BackendError>(())
    };
    // A process, where a thread is allowed.
    add(libc::SYS_clone, &[(0, Qword, MaskedEq(libc::CLONE_THREAD as u64), 0)])?;
    for flag in [libc::O_WRONLY, libc::O_RDWR, libc::O_CREAT, libc::O_TRUNC] {
        let flag = flag as u64;
        add(libc::SYS_openat, &[(2, Dword, MaskedEq(flag), flag)])?;
        #[cfg(target_arch = "x86_64")]
        add(libc::SYS_open, &[(1, Dword, MaskedEq(flag), flag)])?;
    }
    // Signals to anybody else, and those that nobody can handle.
    let own = u64::from(std::process::id());
    add(libc::SYS_tgkill, &[(0, Dword, Ne, own)])?;
    for signal in [libc::SIGKILL, libc::SIGSTOP] {
        add(libc::SYS_tgkill, &[(2, Dword, Eq, signal as u64)])?;
    }
    // The standard streams, which are the supervisor's, and the way to it.
    for descriptor in [0, 1, 2, channel as u64] {
        add(libc::SYS_close, &[(0, Dword, Eq, descriptor)])?;
        let is_inside = [(0, Dword, Le, descriptor), (1, Dword, Ge, descriptor)];
        add(libc::SYS_close_range, &is_inside)?;
        #[cfg(target_arch = "x86_64")]
        add(libc::SYS_dup2, &[(1, Dword, Eq, descriptor)])?;
        add(libc::SYS_dup3, &[(1, Dword, Eq, descriptor)])?;
    }
    // Limits may be read.
    add(libc::SYS_prlimit64, &[(2, Qword, Ne, 0)])?;
    // Typing for the user.
    add(libc::SYS_ioctl, &[(1, Dword, Eq, libc::TIOCSTI)])?;
    Ok(rules)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_is_one_that_the_host_would_take() {
        let arch: TargetArch = std::env::consts::ARCH.try_into().expect("a host of ours");
        let rules = stopped(700).expect("rules that make sense");
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Trap, arch);
        let program: BpfProgram = filter.expect("a filter").try_into().expect("short enough");
        assert!(program.len() < 4096);
    }
}
