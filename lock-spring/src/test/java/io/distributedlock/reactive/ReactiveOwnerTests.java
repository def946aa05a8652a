package io.distributedlock.reactive;

import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

class ReactiveOwnerTests {

	/** Each subscription that read was compared with all that had the lock. */
	@Test
	void subscriptionWithNothingAroundIsFoundWithoutComparing() {
		LockRegistry registry = mock(LockRegistry.class);
		when(registry.acquireAsync(any())).thenReturn(new CompletableFuture<>());
		new ReactiveLockTemplate(registry).execute(LockRequest.of("k"), (lease) -> Mono.empty()).subscribe();
		ArgumentCaptor<LockRequest> request = ArgumentCaptor.forClass(LockRequest.class);
		verify(registry).acquireAsync(request.capture());
		assertThat(request.getValue().owner()).isExactlyInstanceOf(Object.class);
	}

}
