package io.distributedlock.kotlin

import io.distributedlock.Lease
import java.util.concurrent.CompletableFuture
import java.util.concurrent.atomic.AtomicInteger

/**
 * The body of a guarded method of a scenario, for every kind of result: it tells that it
 * was entered, calls a guarded method, and then waits for the result that the test hands
 * it.
 */
class Work internal constructor(internal val nested: Nested? = null) {

	internal class Nested(val key: String, val work: Work, val call: Call = Call.PLAIN)

	/** The body ends with it. */
	val result = CompletableFuture<String>()

	val entered = AtomicInteger()

	/** The nested call is over. */
	val nestedDone = AtomicInteger()

	@Volatile
	var lease: Lease? = null

	fun enter(lease: Lease?) {
		this.lease = lease
		entered.incrementAndGet()
	}

	/** A result that a caller may cancel without ending the body of another. */
	fun awaited(): CompletableFuture<String> = result.copy()

	companion object {

		fun done(result: String) = Work().apply { this.result.complete(result) }

	}

}
