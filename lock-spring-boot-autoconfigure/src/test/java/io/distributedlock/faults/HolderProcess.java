package io.distributedlock.faults;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.redis.RedisStoreSettings;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * An instance of an application in a process of its own, which holds a lock until it is
 * killed. It answers each line on its input with whether it believes to hold it.
 */
final class HolderProcess implements AutoCloseable {

	private final Process process;

	private final BufferedReader output;

	final long token;

	HolderProcess(String host, int port, String key, Duration ttl) throws IOException {
		this.process = new ProcessBuilder(ProcessHandle.current().info().command().orElse("java"), "-XX:+UseSerialGC",
				"-cp", System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
				HolderProcess.class.getName(), host, Integer.toString(port), key, ttl.toString())
			.redirectError(ProcessBuilder.Redirect.DISCARD)
			.start();
		this.output = new BufferedReader(new InputStreamReader(this.process.getInputStream(), StandardCharsets.UTF_8));
		this.token = Long.parseLong(answer("token "));
	}

	public static void main(String[] args) throws IOException {
		PrintStream out = System.out;
		System.setOut(System.err);
		LettuceConnectionFactory factory = new LettuceConnectionFactory(args[0], Integer.parseInt(args[1]));
		factory.afterPropertiesSet();
		factory.start();
		DefaultLockRegistry registry = new DefaultLockRegistry(
				new RedisLockStore(factory, RedisStoreSettings.DEFAULTS));
		Lease lease = registry.acquire(LockRequest.of(args[2]).ttl(Duration.parse(args[3])));
		lease.onLost(() -> out.println("lost"));
		out.println("token " + lease.fencingToken());
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		while (in.readLine() != null) {
			out.println("held " + lease.isHeld());
		}
		Runtime.getRuntime().halt(0);
	}

	/** Ask the process whether it believes to hold the lock. */
	boolean isHeld() throws IOException {
		this.process.getOutputStream().write('\n');
		this.process.getOutputStream().flush();
		return Boolean.parseBoolean(answer("held "));
	}

	/** Wait until the process has been told of its loss. */
	void awaitLost() throws IOException {
		answer("lost");
	}

	private String answer(String beginning) throws IOException {
		for (String line = this.output.readLine(); line != null; line = this.output.readLine()) {
			if (line.startsWith(beginning)) {
				return line.substring(beginning.length());
			}
		}
		throw new IOException("The process has ended");
	}

	void kill() {
		this.process.destroyForcibly();
	}

	/** Stop the process as a long garbage collection or a suspended machine would. */
	void stop() {
		signal("STOP");
	}

	void resume() {
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
	public void close() {
		kill();
	}

}
