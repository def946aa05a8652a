package io.distributedlock.faults;

import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.redis.RedisStoreSettings;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A Java process on the class path of the tests, which talks by lines. */
public class OtherProcess implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofMinutes(3);

	private final Process process;

	private final BufferedReader output;

	/** Lines that came before one that was waited for. */
	private final List<String> unread = new ArrayList<>();

	public OtherProcess(Class<?> main, String... arguments) throws IOException {
		this(List.of(), main, arguments);
	}

	public OtherProcess(List<String> jvmOptions, Class<?> main, String... arguments) throws IOException {
		List<String> command = new ArrayList<>(java());
		command.add(ClientClock.bootClassPath());
		command.addAll(ClassArchive.option());
		command.addAll(jvmOptions);
		command.addAll(List.of("-cp", ClassArchive.CLASS_PATH, main.getName()));
		command.addAll(List.of(arguments));
		this.process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
		this.output = new BufferedReader(new InputStreamReader(this.process.getInputStream(), StandardCharsets.UTF_8));
	}

	static List<String> java() {
		return List.of(ProcessHandle.current().info().command().orElse("java"), "-XX:+UseSerialGC",
				"-XX:TieredStopAtLevel=1");
	}

	/** Send an empty line. */
	public final void nudge() throws IOException {
		send("");
	}

	public final void send(String line) throws IOException {
		this.process.getOutputStream().write((line + '\n').getBytes(StandardCharsets.UTF_8));
		this.process.getOutputStream().flush();
	}

	public final long pid() {
		return this.process.pid();
	}

	/** Wait for a line as long as any step of a test may take. */
	public final String answer(String beginning) throws IOException {
		return answer(beginning, PATIENCE);
	}

	/**
	 * Wait for a line, unless it has come already, and return the rest of it. A process
	 * that hangs is killed, which ends the waiting.
	 */
	public final String answer(String beginning, Duration patience) throws IOException {
		AtomicBoolean killed = new AtomicBoolean();
		CompletableFuture<?> tooLate = CompletableFuture.runAsync(() -> {
			killed.set(true);
			this.process.destroyForcibly();
		}, CompletableFuture.delayedExecutor(patience.toMillis(), TimeUnit.MILLISECONDS));
		try {
			return read(beginning);
		}
		catch (EOFException ex) {
			throw new IOException(killed.get()
					? "The process was killed since it did not say '%s' within %s".formatted(beginning, patience)
					: "The process has ended", ex);
		}
		finally {
			tooLate.cancel(false);
		}
	}

	/** A registry in the process itself, with all defaults, on a server. */
	static DefaultLockRegistry registry(String host, String port) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(host, Integer.parseInt(port));
		factory.afterPropertiesSet();
		factory.start();
		return new DefaultLockRegistry(new RedisLockStore(factory, RedisStoreSettings.DEFAULTS), Instances.PATIENT,
				EngineSettings.DEFAULTS, null);
	}

	private String read(String beginning) throws IOException {
		for (String line : this.unread) {
			if (line.startsWith(beginning)) {
				this.unread.remove(line);
				return line.substring(beginning.length());
			}
		}
		for (String line = this.output.readLine(); line != null; line = this.output.readLine()) {
			if (line.startsWith(beginning)) {
				return line.substring(beginning.length());
			}
			this.unread.add(line);
		}
		throw new EOFException();
	}

	/** Kill the process, which is gone when this returns. */
	public final void kill() {
		this.process.destroyForcibly().onExit().join();
	}

	/** Stop the process as a long garbage collection or a suspended machine would. */
	public final void stop() {
		signal("STOP");
	}

	public final void resume() {
		signal("CONT");
	}

	private void signal(String name) {
		try {
			Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(this.process.pid())).start();
			if (kill.waitFor() != 0) {
				throw new IllegalStateException("kill -" + name + " failed");
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public final void close() {
		kill();
	}

}
