//! System calls that a sandbox refuses to kernels, by name.

/// What a kernel does by a call, and the calls that do it.
const REFUSED: &[(&str, &[(i64, &str)])] = &[
    (
        "starts a process",
        &[
            #[cfg(target_arch = "x86_64")]
            (libc::SYS_fork, "fork"),
            #[cfg(target_arch = "x86_64")]
            (libc::SYS_vfork, "vfork"),
            (libc::SYS_clone, "fork"),
            (libc::SYS_clone3, "fork"),
            (libc::SYS_execve, "execve"),
            (libc::SYS_execveat, "execveat"),
            (libc::SYS_setsid, "setsid"),
            (libc::SYS_setpgid, "setpgid"),
            (libc::SYS_unshare, "unshare"),
            (libc::SYS_setns, "setns"),
        ],
    ),
    (
        "reaches for another process",
        &[
            (libc::SYS_kill, "kill"),
            (libc::SYS_tkill, "tkill"),
            (libc::SYS_tgkill, "tgkill"),
            (libc::SYS_rt_sigqueueinfo, "sigqueue"),
            (libc::SYS_rt_tgsigqueueinfo, "sigqueue"),
            (libc::SYS_pidfd_open, "pidfd_open"),
            (libc::SYS_pidfd_send_signal, "pidfd_send_signal"),
            (libc::SYS_pidfd_getfd, "pidfd_getfd"),
            (libc::SYS_ptrace, "ptrace"),
            (libc::SYS_process_vm_readv, "process_vm_readv"),
            (libc::SYS_process_vm_writev, "process_vm_writev"),
        ],
    ),
    (
        "uses the network",
        &[
            (libc::SYS_socket, "socket"),
            (libc::SYS_socketpair, "socketpair"),
            (libc::SYS_connect, "connect"),
            (libc::SYS_bind, "bind"),
            (libc::SYS_listen, "listen"),
            (libc::SYS_accept, "accept"),
            (libc::SYS_accept4, "accept4"),
        ],
    ),
    (
        "writes to the file system",
        &[
            #[cfg(target_arch = "x86_64")]
            (libc::SYS_open, "open"),
            #[cfg(target_arch = "x86_64")]
            (libc::SYS_creat, "creat"),
            #[cfg(target_arch = "x86_64")]
            (libc::SYS_unlink, "unlink"),
            #[cfg(target_arch = "x86_64")]
            (libc::SYS_rmdir, "rmdir"),
            #[cfg(target_arch = "x86_64")]
            (libc::SYS_mkdir, "mkdir"),
            #[cfg(target_arch = "x86_64")]
            (libc::SYS_rename, "rename"),
            #[cfg(target_arch = "x86_64")]
            (libc::SYS_link, "link"),
            #[cfg(target_arch = "x86_64")]
            (libc::SYS_symlink, "symlink"),
            #[cfg(target_arch = "x86_64")]
            (libc::SYS_mknod, "mknod"),
            #[cfg(target_arch = "x86_64")]
            (libc::SYS_chmod, "chmod"),
            #[cfg(target_arch = "x86_64")]
            (libc::SYS_chown, "chown"),
            (libc::SYS_openat, "open"),
            (libc::SYS_unlinkat, "unlink"),
            (libc::SYS_mkdirat, "mkdir"),
            (libc::SYS_renameat, "rename"),
            (libc::SYS_renameat2, "rename"),
            (libc::SYS_linkat, "link"),
            (libc::SYS_symlinkat, "symlink"),
            (libc::SYS_mknodat, "mknod"),
            (libc::SYS_fchmod, "fchmod"),
            (libc::SYS_fchmodat, "chmod"),
            (libc::SYS_fchownat, "chown"),
            (libc::SYS_fchown, "fchown"),
            (libc::SYS_truncate, "truncate"),
            (libc::SYS_utimensat, "utimensat"),
            (libc::SYS_mount, "mount"),
            (libc::SYS_umount2, "umount"),
            (libc::SYS_chroot, "chroot"),
        ],
    ),
    (
        "closes a file descriptor that is not its own",
        &[
            (libc::SYS_close, "close"),
            (libc::SYS_close_range, "close_range"),
            #[cfg(target_arch = "x86_64")]
            (libc::SYS_dup2, "dup2"),
            (libc::SYS_dup3, "dup3"),
        ],
    ),
    (
        "changes the limits of its process",
        &[(libc::SYS_prlimit64, "setrlimit"), (libc::SYS_setrlimit, "setrlimit")],
    ),
    (
        "makes a system call that kernels may not make",
        &[
            (libc::SYS_io_uring_setup, "io_uring_setup"),
            (libc::SYS_bpf, "bpf"),
            (libc::SYS_userfaultfd, "userfaultfd"),
            (libc::SYS_perf_event_open, "perf_event_open"),
            (libc::SYS_keyctl, "keyctl"),
            (libc::SYS_add_key, "add_key"),
            (libc::SYS_request_key, "request_key"),
            (libc::SYS_reboot, "reboot"),
            (libc::SYS_ioctl, "ioctl"),
        ],
    ),
];

/// The number of the call that a thread made when it was stopped.
#[cfg(target_arch = "x86_64")]
pub(super) fn refused(context: &libc::ucontext_t) -> i64 {
    context.uc_mcontext.gregs[libc::REG_RAX as usize]
}

#[cfg(target_arch = "aarch64")]
pub(super) fn refused(context: &libc::ucontext_t) -> i64 {
    context.uc_mcontext.regs[8] as i64
}

/// Has a refused call return that it is not permitted.
#[cfg(target_arch = "x86_64")]
pub(super) fn fail(context: &mut libc::ucontext_t) {
    context.uc_mcontext.gregs[libc::REG_RAX as usize] = -i64::from(libc::EPERM);
}

#[cfg(target_arch = "aarch64")]
pub(super) fn fail(context: &mut libc::ucontext_t) {
    context.uc_mcontext.regs[0] = (-i64::from(libc::EPERM)) as u64;
}

/// What a kernel does by a call that the C library makes with its locks held: nothing can be
/// allocated after it.
pub(super) fn under_lock(call: i64) -> Option<&'static str> {
    #[cfg(target_arch = "x86_64")]
    if [libc::SYS_fork, libc::SYS_vfork].contains(&call) {
        return Some("calls fork");
    }
    (call == libc::SYS_clone).then_some("calls fork")
}

/// What a kernel does by making a call.
pub(super) fn describe(call: i64) -> String {
    let found = REFUSED.iter().find_map(|(what, calls)| {
        let known = calls.iter().find(|(number, _)| *number == call);
        known.map(|(_, name)| format!("{what} (system call `{name}`)"))
    });
    found.unwrap_or_else(|| format!("makes system call {call}, which kernels may not make"))
}

#[cfg(test)]
mod tests {
    use super::describe;

    #[test]
    fn calls_have_names() {
        assert_eq!(describe(libc::SYS_execve), "starts a process (system call `execve`)");
        assert_eq!(describe(9999), "makes system call 9999, which kernels may not make");
    }
}
