package io.distributedlock.reactive;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.Lease;
import io.distributedlock.LockRegistry;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/** A mock of the registry made an empty result, as if the body had had none. */
class ReactiveLockTemplateTests {

	private final LockRegistry registry = mock(LockRegistry.class);

	private final ReactiveLockTemplate template = new ReactiveLockTemplate(this.registry);

	private final AtomicInteger runs = new AtomicInteger();

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = "of the mock")
	void executeWhenTheRegistryIsAMockNamesTheRemedy(String stage) {
		if (stage == null) {
			given(this.registry.acquireAsync(any())).willReturn(null);
		}
		else {
			given(this.registry.acquireAsync(any())).willReturn(CompletableFuture.completedFuture((Lease) null));
		}
		assertThatIllegalStateException()
			.isThrownBy(() -> this.template.execute("k", Mono.fromSupplier(this.runs::incrementAndGet)).block())
			.withMessageContaining("returned no lease for")
			.withMessageContaining("@AutoConfigureTestLocks");
		assertThat(this.runs).hasValue(0);
	}

}
