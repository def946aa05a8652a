package io.distributedlock.sample.sale;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * An instance in a process of its own. Its output is printed here too, and is part of the
 * message when it fails.
 */
final class InstanceProcess implements AutoCloseable {

	private static final int REMEMBERED_LINES = 60;

	private final String name;

	private final Process process;

	private final CompletableFuture<String> ready = new CompletableFuture<>();

	private final CompletableFuture<Tally> tally = new CompletableFuture<>();

	private final Deque<String> lastLines = new ArrayDeque<>();

	private final Consumer<Report> reports;

	private InstanceProcess(String name, Process process, Consumer<Report> reports) {
		this.name = name;
		this.process = process;
		this.reports = reports;
	}

	static InstanceProcess start(String name, ProcessBuilder command, Consumer<Report> reports) throws IOException {
		Process process = command.redirectErrorStream(true).start();
		InstanceProcess instance = new InstanceProcess(name, process, reports);
		Thread thread = new Thread(instance::read, name + "-output");
		thread.setDaemon(true);
		thread.start();
		return instance;
	}

	void awaitReady(long nanos) throws InterruptedException {
		await(this.ready, nanos);
	}

	void say(String command) throws IOException {
		this.process.getOutputStream().write((command + "\n").getBytes(StandardCharsets.UTF_8));
		this.process.getOutputStream().flush();
	}

	/**
	 * Stop all threads of the process. They go on after a time, even if this process has
	 * died by then.
	 */
	void freeze(Duration longest) throws IOException {
		new ProcessBuilder("/bin/sh", "-c", "kill -STOP \"$0\" && sleep \"$1\" && kill -CONT \"$0\"",
				String.valueOf(pid()), String.valueOf(longest.toSeconds()))
			.start();
	}

	void thaw() throws IOException {
		new ProcessBuilder("/bin/sh", "-c", "kill -CONT \"$0\"", String.valueOf(pid())).start();
	}

	Tally awaitTally(long nanos) throws InterruptedException {
		return await(this.tally, nanos);
	}

	long pid() {
		return this.process.pid();
	}

	boolean isAlive() {
		return this.process.isAlive();
	}

	private <T> T await(CompletableFuture<T> future, long nanos) throws InterruptedException {
		try {
			return future.get(nanos, TimeUnit.NANOSECONDS);
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException(failure("ended early"), ex.getCause());
		}
		catch (TimeoutException ex) {
			throw new IllegalStateException(failure("did not answer in time"), ex);
		}
	}

	private String failure(String what) {
		synchronized (this.lastLines) {
			return "%s (process %d) %s:%n%s".formatted(this.name, pid(), what, String.join("\n", this.lastLines));
		}
	}

	private void read() {
		try (BufferedReader reader = this.process.inputReader()) {
			String line = reader.readLine();
			while (line != null) {
				accept(line);
				line = reader.readLine();
			}
			fail(new IllegalStateException("End of output"));
		}
		catch (IOException | RuntimeException ex) {
			fail(ex);
		}
	}

	private void accept(String line) {
		if (line.equals(Protocol.READY)) {
			this.ready.complete(line);
		}
		else if (line.startsWith(Protocol.REPORT)) {
			this.reports.accept(Report.parse(line.substring(Protocol.REPORT.length())));
		}
		else if (line.startsWith(Protocol.TALLY)) {
			this.tally.complete(Tally.parse(line.substring(Protocol.TALLY.length())));
		}
		else {
			System.out.println("[" + this.name + "] " + line);
			remember(line);
		}
	}

	private void remember(String line) {
		synchronized (this.lastLines) {
			this.lastLines.add(line);
			if (this.lastLines.size() > REMEMBERED_LINES) {
				this.lastLines.remove();
			}
		}
	}

	private void fail(Exception ex) {
		this.ready.completeExceptionally(ex);
		this.tally.completeExceptionally(ex);
	}

	/** End the process at once; after its tally it has nothing left to do. */
	@Override
	public void close() {
		this.process.destroyForcibly();
		this.process.onExit().join();
	}

}
