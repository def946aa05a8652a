package io.distributedlock;

import java.nio.file.Files;
import java.time.Duration;

import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.memory.MemoryLockStore;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** An application without Spring takes locks with this module alone. */
class DefaultLockRegistryPlainJavaTests {

	private int stock = 1;

	private void sell() {
		this.stock--;
	}

	/** As on the page, but for the name of the item sold. */
	@Test
	void lockWhenThereIsNoSpringIsTaken() throws Exception {
		try (DefaultLockRegistry registry = new DefaultLockRegistry(new MemoryLockStore())) {
			LockTemplate locks = new LockTemplate(registry);
			locks.executeWithoutResult("order:42", this::sell);
			try (Lease lease = registry.acquire(LockRequest.of("order:42").waitFor(Duration.ofSeconds(2)))) {
				sell();
				lease.checkHeld();
			}
		}
		assertThat(this.stock).isEqualTo(-1);
		String page = Files.readString(Documents.file("api.md")).replaceAll("\\s+", "");
		String test = Files.readString(Documents.source(DefaultLockRegistryPlainJavaTests.class));
		String example = test.substring(test.indexOf("try (Default"), test.indexOf("\t\tassertThat(this.stock"));
		assertThat(page).contains(example.replaceAll("\\s+", ""));
	}

	@Test
	void classPathOfTheCoreHasNoSpring() {
		assertThatExceptionOfType(ClassNotFoundException.class)
			.isThrownBy(() -> Class.forName("org.springframework.core.SpringVersion"));
	}

}
