package io.distributedlock.interceptor;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** Waits for code in coroutines. Kotlin is optional. */
interface CoroutineWatch {

	/** A watch without coroutines. */
	CoroutineWatch NOTHING = new CoroutineWatch() {
	};

	/**
	 * Watch the coroutines of a call or of a flow.
	 * @param value the continuation of a call, or a flow
	 * @return the replacement for it
	 */
	default @Nullable Object watched(@Nullable Object value) {
		return value;
	}

	/**
	 * The end of all code that runs. Called once no more code starts.
	 * @return completes when all known coroutines have completed
	 */
	default Mono<Void> ended() {
		return Mono.empty();
	}

}
