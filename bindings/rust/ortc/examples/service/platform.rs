// SPDX-License-Identifier: MIT
//! What the standard library does not have: signals, and whether a client is still there.

pub use own::{is_gone, wait_for_stop};

#[cfg(unix)]
mod own {
    use std::io::Read;
    use std::net::TcpStream;
    use std::os::raw::{c_int, c_void};
    use std::os::unix::io::{AsRawFd, IntoRawFd};
    use std::os::unix::net::UnixStream;
    use std::sync::atomic::{AtomicI32, Ordering};

    const SIGINT: c_int = 2;
    const SIGTERM: c_int = 15;
    const MSG_PEEK: c_int = 2;
    #[cfg(target_os = "linux")]
    const MSG_DONTWAIT: c_int = 0x40;
    #[cfg(not(target_os = "linux"))]
    const MSG_DONTWAIT: c_int = 0x80;

    extern "C" {
        fn signal(number: c_int, handler: extern "C" fn(c_int)) -> usize;
        fn write(file: c_int, bytes: *const c_void, count: usize) -> isize;
        fn recv(socket: c_int, bytes: *mut c_void, count: usize, flags: c_int) -> isize;
    }

    /// The end of the pipe that a signal writes to.
    static SIGNALS: AtomicI32 = AtomicI32::new(-1);

    extern "C" fn on_signal(_: c_int) {
        let byte = 0u8;
        // SAFETY: write may be called by a handler; the byte lives for the call.
        unsafe { write(SIGNALS.load(Ordering::Relaxed), (&byte as *const u8).cast(), 1) };
    }

    /// Sleeps until SIGTERM or SIGINT; `ready` is called when they would be heard.
    pub fn wait_for_stop(ready: impl FnOnce()) -> std::io::Result<()> {
        let (mut reader, writer) = UnixStream::pair()?;
        writer.set_nonblocking(true)?;
        SIGNALS.store(writer.into_raw_fd(), Ordering::Relaxed);
        for number in [SIGTERM, SIGINT] {
            // SAFETY: the handler only writes to the pipe, which stays open.
            unsafe { signal(number, on_signal) };
        }
        ready();
        reader.read_exact(&mut [0])
    }

    /// Whether the other end has closed the connection.
    pub fn is_gone(stream: &TcpStream) -> bool {
        let mut byte = 0u8;
        let place = (&mut byte as *mut u8).cast();
        // SAFETY: there is room for one byte, which is only looked at.
        unsafe { recv(stream.as_raw_fd(), place, 1, MSG_PEEK | MSG_DONTWAIT) == 0 }
    }
}

#[cfg(not(unix))]
mod own {
    pub fn wait_for_stop(ready: impl FnOnce()) -> std::io::Result<()> {
        ready();
        loop {
            std::thread::park();
        }
    }

    pub fn is_gone(_: &std::net::TcpStream) -> bool {
        false
    }
}
