package io.distributedlock.hostile;

import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** No thread of the library is left when the tests of a class are done. */
final class EngineThreads implements BeforeAllCallback, AfterAllCallback {

	private Set<Thread> before = Set.of();

	@Override
	public void beforeAll(ExtensionContext context) {
		this.before = Set.copyOf(Thread.getAllStackTraces().keySet());
	}

	@Override
	public void afterAll(ExtensionContext context) {
		await().untilAsserted(() -> assertThat(left()).isEmpty());
	}

	private List<String> left() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("distributed-lock") && !this.before.contains(thread))
			.map(Thread::getName)
			.toList();
	}

}
