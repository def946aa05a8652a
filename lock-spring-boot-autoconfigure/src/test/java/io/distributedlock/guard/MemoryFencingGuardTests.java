package io.distributedlock.guard;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class MemoryFencingGuardTests extends FencingGuardContractTests {

	private final MemoryFencingGuard guard = new MemoryFencingGuard();

	private final Map<String, Long> values = new ConcurrentHashMap<>();

	@Override
	void write(String resource, long token, long value) {
		this.guard.write(resource, token, () -> this.values.put(resource, value));
	}

	@Override
	@Nullable Long read(String resource) {
		return this.values.get(resource);
	}

	@Test
	void actionWhenItFailsLeavesTheFence() {
		assertThatIllegalStateException().isThrownBy(() -> this.guard.write("stock", 7, () -> {
			throw new IllegalStateException("action");
		}));
		write("stock", 6, 1);
		assertThat(read("stock")).isEqualTo(1);
	}

}
