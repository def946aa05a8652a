package io.distributedlock.interceptor;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** Sees to it that code in coroutines is waited for. Kotlin is optional. */
interface CoroutineWatch {

	/** Where there are no coroutines. */
	CoroutineWatch NOTHING = new CoroutineWatch() {

		@Override
		public @Nullable Object watched(@Nullable Object value) {
			return value;
		}

		@Override
		public Mono<Void> ended() {
			return Mono.empty();
		}

	};

	/**
	 * Let coroutines be known once they run.
	 * @param value the continuation of a call, or a flow
	 * @return what to use in its place
	 */
	@Nullable Object watched(@Nullable Object value);

	/**
	 * The end of all code that runs, asked for once no more is to start.
	 * @return completes when all coroutines have that are known
	 */
	Mono<Void> ended();

}
