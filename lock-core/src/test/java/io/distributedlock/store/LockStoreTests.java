package io.distributedlock.store;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LockStoreTests {

	/** Calls the defaults of the interface; has no other methods. */
	private final LockStore store = (LockStore) Proxy.newProxyInstance(LockStore.class.getClassLoader(),
			new Class<?>[] { LockStore.class }, InvocationHandler::invokeDefault);

	/** It claimed all of them. */
	@Test
	void storeThatStatesNoCapabilitiesHasNone() {
		assertThat(this.store.capabilities()).isEmpty();
	}

	@Test
	void storeTakesNoLocksTogetherByDefault() {
		assertThat(this.store.takesTogether(List.of(new LockKey("", "a"), new LockKey("", "b")))).isFalse();
	}

}
