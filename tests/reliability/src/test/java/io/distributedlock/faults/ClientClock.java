package io.distributedlock.faults;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/**
 * The wall clock of other Java processes, which can be set while they run. An agent adds
 * the shift wherever Java code looks at the wall clock, the JDK's own code included:
 * {@link System#currentTimeMillis()}, everything in {@code java.time}, dates, calendars,
 * and waits until a point in time. {@link System#nanoTime()} goes on as it does when a
 * real clock is set; the locks can be made to see that it stood still, as on a machine
 * that was suspended. Needs nothing but the JDK. Not affected: native code, and a wait
 * until a point in time that has begun before the step.
 */
public final class ClientClock implements AutoCloseable {

	private static final String ENTRY = ShiftedClock.class.getName().replace('.', '/') + ".class";

	/** The same for all processes, so that it can be in an archive of classes. */
	private static final Path AGENT = writeAgent();

	private final Path directory;

	private final Path file;

	private Duration shift = Duration.ZERO;

	private Duration suspended = Duration.ZERO;

	public ClientClock() {
		try {
			this.directory = Files.createTempDirectory("client-clock");
			this.file = Files.write(this.directory.resolve("shift"), new byte[2 * Long.BYTES]);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Another process may write the same one at the same time. */
	private static Path writeAgent() {
		Attributes attributes = new Attributes();
		attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
		attributes.putValue("Premain-Class", ClockAgent.class.getName());
		attributes.putValue("Can-Retransform-Classes", "true");
		try {
			byte[] code = code();
			Path target = Files.createDirectories(Path.of("target").toAbsolutePath());
			Path jar = target
				.resolve("clock-agent-%08x.jar".formatted(31 * Arrays.hashCode(code) + attributes.hashCode()));
			if (!Files.exists(jar)) {
				Path fresh = Files.createTempFile(target, "clock-agent", ".new");
				writeAgent(fresh, attributes, code);
				Files.move(fresh, jar, StandardCopyOption.ATOMIC_MOVE);
			}
			return jar;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void writeAgent(Path jar, Attributes attributes, byte[] code) throws IOException {
		Manifest manifest = new Manifest();
		manifest.getMainAttributes().putAll(attributes);
		try (OutputStream file = Files.newOutputStream(jar);
				JarOutputStream out = new JarOutputStream(file, manifest)) {
			out.putNextEntry(new JarEntry(ENTRY));
			out.write(code);
		}
	}

	private static byte[] code() throws IOException {
		try (InputStream code = ClientClock.class.getClassLoader().getResourceAsStream(ENTRY)) {
			return code.readAllBytes();
		}
	}

	/**
	 * The options with which a process is started to have this clock.
	 * @return options of the JVM, besides those that every {@link OtherProcess} has
	 */
	public List<String> jvmOptions() {
		return List.of("-javaagent:" + AGENT + "=" + this.file);
	}

	/**
	 * Classes of the JDK see no others than those on this path. An archive of classes is
	 * for processes with the same path.
	 */
	static String bootClassPath() {
		return "-Xbootclasspath/a:" + AGENT;
	}

	/**
	 * Set the clock forward or back, for all processes that have it.
	 * @param step how far
	 */
	public synchronized void step(Duration step) {
		this.shift = this.shift.plus(step);
		write(0, this.shift.toMillis());
	}

	/**
	 * Let the monotonic clock of the locks not have counted for a while, which has to be
	 * over, and in which no process that has this clock has run.
	 * @param duration for how long
	 */
	public synchronized void suspended(Duration duration) {
		this.suspended = this.suspended.plus(duration);
		write(Long.BYTES, this.suspended.toNanos());
	}

	private void write(int index, long value) {
		try (FileChannel channel = FileChannel.open(this.file, StandardOpenOption.WRITE)) {
			channel.write(ByteBuffer.allocate(Long.BYTES).putLong(0, value), index);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * How far the clock is from the real one.
	 * @return positive where it is ahead
	 */
	public synchronized Duration shift() {
		return this.shift;
	}

	@Override
	public void close() {
		try {
			Files.deleteIfExists(this.file);
			Files.deleteIfExists(this.directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
