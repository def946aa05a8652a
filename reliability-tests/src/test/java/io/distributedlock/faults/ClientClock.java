package io.distributedlock.faults;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/**
 * The wall clock of other Java processes, which can be set while they run. An agent adds
 * the shift wherever Java code looks at the wall clock, the JDK's own code included:
 * {@link System#currentTimeMillis()}, everything in {@code java.time}, dates, calendars,
 * and waits until a point in time. {@link System#nanoTime()} goes on as it does when a
 * real clock is set, but can be told that it has stood still. Needs nothing but the JDK.
 * Not seen: what native code does, and a wait until a point in time that has begun before
 * the step.
 */
public final class ClientClock implements AutoCloseable {

	private final Path directory;

	private final Path file;

	private final Path agent;

	private Duration shift = Duration.ZERO;

	private Duration suspended = Duration.ZERO;

	public ClientClock() {
		try {
			this.directory = Files.createTempDirectory("client-clock");
			this.file = Files.write(this.directory.resolve("shift"), new byte[2 * Long.BYTES]);
			this.agent = writeAgent(this.directory.resolve("clock-agent.jar"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Path writeAgent(Path jar) throws IOException {
		Manifest manifest = new Manifest();
		Attributes attributes = manifest.getMainAttributes();
		attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
		attributes.putValue("Premain-Class", ClockAgent.class.getName());
		attributes.putValue("Boot-Class-Path", jar.getFileName().toString());
		attributes.putValue("Can-Retransform-Classes", "true");
		String entry = ShiftedClock.class.getName().replace('.', '/') + ".class";
		try (OutputStream file = Files.newOutputStream(jar);
				JarOutputStream out = new JarOutputStream(file, manifest);
				InputStream code = ClientClock.class.getClassLoader().getResourceAsStream(entry)) {
			out.putNextEntry(new JarEntry(entry));
			Objects.requireNonNull(code).transferTo(out);
		}
		return jar;
	}

	/**
	 * What a process is started with to have this clock.
	 * @return options of the JVM
	 */
	public List<String> jvmOptions() {
		return List.of("-javaagent:" + this.agent + "=" + this.file);
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
	 * Let the monotonic clock not know of a time in which all these processes were
	 * stopped, as if the machine had been suspended.
	 * @param time how long they were stopped; called while they still are
	 */
	synchronized void suspended(Duration time) {
		this.suspended = this.suspended.plus(time);
		write(Long.BYTES, this.suspended.toNanos());
	}

	private void write(int position, long number) {
		ByteBuffer value = ByteBuffer.allocate(Long.BYTES).putLong(0, number);
		try (FileChannel channel = FileChannel.open(this.file, StandardOpenOption.WRITE)) {
			channel.write(value, position);
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
			Files.deleteIfExists(this.agent);
			Files.deleteIfExists(this.directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
