package io.distributedlock.embedded;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import org.jspecify.annotations.Nullable;

/**
 * Reservation of a port among all JVMs of one user on this machine. No other server gets
 * the port between its choice and its use, nor while its server is down. It is a lock on
 * one byte of a common file, so it ends with the JVM at the latest.
 */
final class PortReservation implements AutoCloseable {

	private static final Path FILE = Path.of(System.getProperty("java.io.tmpdir"),
			"embedded-redis-ports-" + System.getProperty("user.name"));

	private static @Nullable FileChannel channel;

	private final FileLock lock;

	private PortReservation(FileLock lock) {
		this.lock = lock;
	}

	/** Reserve a port; {@code null} if it is reserved already. */
	static @Nullable PortReservation of(int port) {
		try {
			FileLock lock = channel().tryLock(port, 1, false);
			return (lock != null) ? new PortReservation(lock) : null;
		}
		catch (OverlappingFileLockException ex) {
			return null;
		}
		catch (IOException ex) {
			throw new IllegalStateException("Reserving a port in " + FILE + " failed", ex);
		}
	}

	/**
	 * Return the common channel. It stays open: closing any channel to a file drops all
	 * locks of the process on that file.
	 */
	private static synchronized FileChannel channel() throws IOException {
		if (channel == null) {
			channel = FileChannel.open(FILE, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
		}
		return channel;
	}

	int port() {
		return (int) this.lock.position();
	}

	@Override
	public void close() {
		try {
			this.lock.release();
		}
		catch (IOException ex) {
			throw new IllegalStateException("Giving port " + port() + " back failed", ex);
		}
	}

}
