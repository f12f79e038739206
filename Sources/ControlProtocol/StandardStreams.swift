import Glibc

/// Standard input, standard output and standard error of a program.
public enum StandardStreams {
    /// Opens /dev/null in place of each stream that is closed (`lightctl list >&-`): otherwise the next socket or file
    /// gets its number, and output for people is written into it. To be called before anything else is opened.
    ///
    /// Opened the wrong way round, so that reading closed input and writing closed output still fail with `EBADF`:
    /// input that nobody gave is not an empty one.
    public static func replaceClosed() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // Gets the lowest free number, which is this one. If it fails, the stream stays closed.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
