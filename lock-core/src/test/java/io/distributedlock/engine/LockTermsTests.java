package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.distributedlock.LockOptions;
import io.distributedlock.engine.internal.instance.LockTerms;
import io.distributedlock.memory.MemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** How often the options of a call are resolved. */
class LockTermsTests {

	private final DefaultLockRegistry registry = new DefaultLockRegistry(new MemoryLockStore());

	@AfterEach
	void close() {
		this.registry.close();
	}

	private LockTerms resolve(String name, int seconds) {
		return this.registry.resolve(name, LockOptions.NONE.withTtl(Duration.ofSeconds(seconds)));
	}

	/**
	 * Only those of the last call were known, so two methods in turn resolved each time.
	 */
	@Test
	void termsOfMethodsCalledInTurnAreResolvedOnce() {
		List<LockTerms> first = IntStream.range(1, 100).mapToObj((i) -> resolve("orders", i)).toList();
		List<LockTerms> second = IntStream.range(1, 100).mapToObj((i) -> resolve("orders", i)).toList();
		for (int i = 0; i < first.size(); i++) {
			assertThat(second.get(i)).isSameAs(first.get(i));
		}
	}

	/** Their hash codes are equal. */
	@Test
	void termsOfEqualHashCodesAreNotMixedUp() {
		assertThat("Aa").hasSameHashCodeAs("BB");
		assertThat(resolve("Aa", 5).name).isEqualTo("Aa");
		assertThat(resolve("BB", 5).name).isEqualTo("BB");
		assertThat(resolve("Aa", 5).name).isEqualTo("Aa");
	}

}
