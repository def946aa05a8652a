package io.distributedlock.sample.sale;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/**
 * Standard input of an instance, with commands of the main process. It ends with the main
 * process, however that ends, and the instance ends with it.
 */
final class ParentLine {

	private final CountDownLatch go = new CountDownLatch(1);

	private final Runnable orphaned;

	private final Map<String, Runnable> commands;

	ParentLine(InputStream input, Runnable orphaned, Map<String, Runnable> commands) {
		this.orphaned = orphaned;
		this.commands = commands;
		Thread thread = new Thread(() -> listen(input), "parent-line");
		thread.setDaemon(true);
		thread.start();
	}

	void awaitGo() throws InterruptedException {
		this.go.await();
	}

	private void listen(InputStream input) {
		try (BufferedReader reader = new BufferedReader(new InputStreamReader(input, StandardCharsets.UTF_8))) {
			String line = reader.readLine();
			while (line != null) {
				if (line.equals(Protocol.GO)) {
					this.go.countDown();
				}
				this.commands.getOrDefault(line, () -> {
				}).run();
				line = reader.readLine();
			}
		}
		catch (IOException ignored) {
			// A broken input counts as its end.
		}
		this.orphaned.run();
	}

}
