@file:Suppress("unused", "UNUSED_PARAMETER")

package io.distributedlock.kotlin

import io.distributedlock.Lease
import io.distributedlock.LockMode
import io.distributedlock.WhenBusy
import io.distributedlock.annotation.DistributedLock
import io.distributedlock.reactive.ReactiveLockTemplate
import kotlinx.coroutines.future.await
import kotlinx.coroutines.reactor.awaitSingleOrNull
import org.springframework.beans.factory.annotation.Autowired
import org.springframework.context.annotation.Lazy
import reactor.core.publisher.Flux
import reactor.core.publisher.Mono
import java.util.Optional
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ExecutionException

/** The guarded method to call. */
internal enum class Call { PLAIN, SKIPPED, WITH_FALLBACK, BRIEF, READ, WRITE, FAIR, PERMIT, PERMIT_OR_SKIP }

/** Two permits for each key. */
@Target(AnnotationTarget.FUNCTION)
@DistributedLock(name = "permits", key = ["#key"], mode = LockMode.SEMAPHORE, permits = 2, waitFor = "20s")
annotation class TwoPermits

/** The same for callers that do not wait. */
@Target(AnnotationTarget.FUNCTION)
@DistributedLock(
	name = "permits",
	key = ["#key"],
	mode = LockMode.SEMAPHORE,
	permits = 2,
	waitFor = "0",
	whenBusy = WhenBusy.SKIP,
)
annotation class TwoPermitsOrSkip

/** The same guarded methods for each kind of result. */
open class GuardedValue {

	@Autowired
	@Lazy
	private lateinit var self: GuardedValue

	private fun body(work: Work): String {
		work.enter(Lease.current().orElse(null))
		work.nested?.let {
			self.invoke(it.call, it.key, it.work)
			work.nestedDone.incrementAndGet()
		}
		try {
			return work.awaited().get()
		} catch (ex: ExecutionException) {
			throw ex.cause!!
		}
	}

	@DistributedLock(key = ["#key"], waitFor = "0")
	open fun plain(key: String, work: Work): String = body(work)

	@DistributedLock(key = ["#key"], waitFor = "0", whenBusy = WhenBusy.SKIP)
	open fun skipped(key: String, work: Work): Optional<String> = Optional.of(body(work))

	@DistributedLock(key = ["#key"], waitFor = "0", fallback = "instead")
	open fun withFallback(key: String, work: Work): String = body(work)

	private fun instead(key: String, work: Work) = "instead"

	@DistributedLock(key = ["#key"], waitFor = "0", ttl = "4s")
	open fun brief(key: String, work: Work): String = body(work)

	@DistributedLock(key = ["#key"], mode = LockMode.READ, waitFor = "20s")
	open fun read(key: String, work: Work): String = body(work)

	@DistributedLock(key = ["#key"], mode = LockMode.EXCLUSIVE, waitFor = "20s", whenBusy = WhenBusy.SKIP)
	open fun write(key: String, work: Work): Optional<String> = Optional.of(body(work))

	@DistributedLock(key = ["#key"], mode = LockMode.FAIR, waitFor = "20s")
	open fun fair(key: String, work: Work): String = body(work)

	@TwoPermits
	open fun permit(key: String, work: Work): String = body(work)

	@TwoPermitsOrSkip
	open fun permitOrSkip(key: String, work: Work): Optional<String> = Optional.of(body(work))

}

internal fun GuardedValue.invoke(call: Call, key: String, work: Work): String? = when (call) {
	Call.PLAIN -> plain(key, work)
	Call.SKIPPED -> skipped(key, work).orElse(null)
	Call.WITH_FALLBACK -> withFallback(key, work)
	Call.BRIEF -> brief(key, work)
	Call.READ -> read(key, work)
	Call.WRITE -> write(key, work).orElse(null)
	Call.FAIR -> fair(key, work)
	Call.PERMIT -> permit(key, work)
	Call.PERMIT_OR_SKIP -> permitOrSkip(key, work).orElse(null)
}

open class GuardedFuture {

	@Autowired
	@Lazy
	private lateinit var self: GuardedFuture

	private fun body(work: Work): CompletableFuture<String> {
		work.enter(Lease.current().orElse(null))
		val nested = work.nested ?: return work.awaited()
		return self.invoke(nested.call, nested.key, nested.work).thenCompose {
			work.nestedDone.incrementAndGet()
			work.awaited()
		}
	}

	@DistributedLock(key = ["#key"], waitFor = "0")
	open fun plain(key: String, work: Work): CompletableFuture<String> = body(work)

	@DistributedLock(key = ["#key"], waitFor = "0", whenBusy = WhenBusy.SKIP)
	open fun skipped(key: String, work: Work): CompletableFuture<Optional<String>> =
		body(work).thenApply { Optional.of(it) }

	@DistributedLock(key = ["#key"], waitFor = "0", fallback = "instead")
	open fun withFallback(key: String, work: Work): CompletableFuture<String> = body(work)

	private fun instead(key: String, work: Work) = CompletableFuture.completedFuture("instead")

	@DistributedLock(key = ["#key"], waitFor = "0", ttl = "4s")
	open fun brief(key: String, work: Work): CompletableFuture<String> = body(work)

	@DistributedLock(key = ["#key"], mode = LockMode.READ, waitFor = "20s")
	open fun read(key: String, work: Work): CompletableFuture<String> = body(work)

	@DistributedLock(key = ["#key"], mode = LockMode.EXCLUSIVE, waitFor = "20s", whenBusy = WhenBusy.SKIP)
	open fun write(key: String, work: Work): CompletableFuture<Optional<String>> =
		body(work).thenApply { Optional.of(it) }

	@DistributedLock(key = ["#key"], mode = LockMode.FAIR, waitFor = "20s")
	open fun fair(key: String, work: Work): CompletableFuture<String> = body(work)

	@TwoPermits
	open fun permit(key: String, work: Work): CompletableFuture<String> = body(work)

	@TwoPermitsOrSkip
	open fun permitOrSkip(key: String, work: Work): CompletableFuture<Optional<String>> =
		body(work).thenApply { Optional.of(it) }

}

@Suppress("UNCHECKED_CAST")
internal fun GuardedFuture.invoke(call: Call, key: String, work: Work): CompletableFuture<String?> = when (call) {
	Call.PLAIN -> plain(key, work)
	Call.SKIPPED -> skipped(key, work).thenApply { it.orElse(null) }
	Call.WITH_FALLBACK -> withFallback(key, work)
	Call.BRIEF -> brief(key, work)
	Call.READ -> read(key, work)
	Call.WRITE -> write(key, work).thenApply { it.orElse(null) }
	Call.FAIR -> fair(key, work)
	Call.PERMIT -> permit(key, work)
	Call.PERMIT_OR_SKIP -> permitOrSkip(key, work).thenApply { it.orElse(null) }
} as CompletableFuture<String?>

open class GuardedMono {

	@Autowired
	@Lazy
	private lateinit var self: GuardedMono

	private fun body(work: Work): Mono<String> = ReactiveLockTemplate.currentLease()
		.doOnNext { work.enter(it) }
		.then(Mono.defer { nested(work) })
		.then(Mono.fromFuture { work.awaited() })

	private fun nested(work: Work): Mono<String> {
		val nested = work.nested ?: return Mono.empty()
		return self.invoke(nested.call, nested.key, nested.work).doOnSuccess { work.nestedDone.incrementAndGet() }
	}

	@DistributedLock(key = ["#key"], waitFor = "0")
	open fun plain(key: String, work: Work): Mono<String> = body(work)

	@DistributedLock(key = ["#key"], waitFor = "0", whenBusy = WhenBusy.SKIP)
	open fun skipped(key: String, work: Work): Mono<String> = body(work)

	@DistributedLock(key = ["#key"], waitFor = "0", fallback = "instead")
	open fun withFallback(key: String, work: Work): Mono<String> = body(work)

	private fun instead(key: String, work: Work) = Mono.just("instead")

	@DistributedLock(key = ["#key"], waitFor = "0", ttl = "4s")
	open fun brief(key: String, work: Work): Mono<String> = body(work)

	@DistributedLock(key = ["#key"], mode = LockMode.READ, waitFor = "20s")
	open fun read(key: String, work: Work): Mono<String> = body(work)

	@DistributedLock(key = ["#key"], mode = LockMode.EXCLUSIVE, waitFor = "20s", whenBusy = WhenBusy.SKIP)
	open fun write(key: String, work: Work): Mono<String> = body(work)

	@DistributedLock(key = ["#key"], mode = LockMode.FAIR, waitFor = "20s")
	open fun fair(key: String, work: Work): Mono<String> = body(work)

	@TwoPermits
	open fun permit(key: String, work: Work): Mono<String> = body(work)

	@TwoPermitsOrSkip
	open fun permitOrSkip(key: String, work: Work): Mono<String> = body(work)

}

internal fun GuardedMono.invoke(call: Call, key: String, work: Work): Mono<String> = when (call) {
	Call.PLAIN -> plain(key, work)
	Call.SKIPPED -> skipped(key, work)
	Call.WITH_FALLBACK -> withFallback(key, work)
	Call.BRIEF -> brief(key, work)
	Call.READ -> read(key, work)
	Call.WRITE -> write(key, work)
	Call.FAIR -> fair(key, work)
	Call.PERMIT -> permit(key, work)
	Call.PERMIT_OR_SKIP -> permitOrSkip(key, work)
}

/** Guarded methods that return one element for each letter. */
open class GuardedFlux {

	@Autowired
	@Lazy
	private lateinit var self: GuardedFlux

	private fun body(work: Work): Flux<String> = ReactiveLockTemplate.currentLease()
		.doOnNext { work.enter(it) }
		.thenMany(Flux.defer { nested(work) })
		.thenMany(Mono.fromFuture { work.awaited() })
		.flatMap { letters(it) }

	private fun nested(work: Work): Flux<String> {
		val nested = work.nested ?: return Flux.empty()
		return self.invoke(nested.call, nested.key, nested.work).doOnComplete { work.nestedDone.incrementAndGet() }
	}

	@DistributedLock(key = ["#key"], waitFor = "0")
	open fun plain(key: String, work: Work): Flux<String> = body(work)

	@DistributedLock(key = ["#key"], waitFor = "0", whenBusy = WhenBusy.SKIP)
	open fun skipped(key: String, work: Work): Flux<String> = body(work)

	@DistributedLock(key = ["#key"], waitFor = "0", fallback = "instead")
	open fun withFallback(key: String, work: Work): Flux<String> = body(work)

	private fun instead(key: String, work: Work) = letters("instead")

	@DistributedLock(key = ["#key"], waitFor = "0", ttl = "4s")
	open fun brief(key: String, work: Work): Flux<String> = body(work)

	@DistributedLock(key = ["#key"], mode = LockMode.READ, waitFor = "20s")
	open fun read(key: String, work: Work): Flux<String> = body(work)

	@DistributedLock(key = ["#key"], mode = LockMode.EXCLUSIVE, waitFor = "20s", whenBusy = WhenBusy.SKIP)
	open fun write(key: String, work: Work): Flux<String> = body(work)

	@DistributedLock(key = ["#key"], mode = LockMode.FAIR, waitFor = "20s")
	open fun fair(key: String, work: Work): Flux<String> = body(work)

	@TwoPermits
	open fun permit(key: String, work: Work): Flux<String> = body(work)

	@TwoPermitsOrSkip
	open fun permitOrSkip(key: String, work: Work): Flux<String> = body(work)

	private fun letters(text: String): Flux<String> = Flux.fromIterable(text.map { it.toString() })

}

internal fun GuardedFlux.invoke(call: Call, key: String, work: Work): Flux<String> = when (call) {
	Call.PLAIN -> plain(key, work)
	Call.SKIPPED -> skipped(key, work)
	Call.WITH_FALLBACK -> withFallback(key, work)
	Call.BRIEF -> brief(key, work)
	Call.READ -> read(key, work)
	Call.WRITE -> write(key, work)
	Call.FAIR -> fair(key, work)
	Call.PERMIT -> permit(key, work)
	Call.PERMIT_OR_SKIP -> permitOrSkip(key, work)
}

open class GuardedSuspend {

	@Autowired
	@Lazy
	private lateinit var self: GuardedSuspend

	private suspend fun body(work: Work): String {
		work.enter(ReactiveLockTemplate.currentLease().awaitSingleOrNull())
		work.nested?.let {
			self.invoke(it.call, it.key, it.work)
			work.nestedDone.incrementAndGet()
		}
		return work.awaited().await()
	}

	@DistributedLock(key = ["#key"], waitFor = "0")
	open suspend fun plain(key: String, work: Work): String = body(work)

	@DistributedLock(key = ["#key"], waitFor = "0", whenBusy = WhenBusy.SKIP)
	open suspend fun skipped(key: String, work: Work): Optional<String> = Optional.of(body(work))

	@DistributedLock(key = ["#key"], waitFor = "0", fallback = "instead")
	open suspend fun withFallback(key: String, work: Work): String = body(work)

	private suspend fun instead(key: String, work: Work) = "instead"

	@DistributedLock(key = ["#key"], waitFor = "0", ttl = "4s")
	open suspend fun brief(key: String, work: Work): String = body(work)

	@DistributedLock(key = ["#key"], mode = LockMode.READ, waitFor = "20s")
	open suspend fun read(key: String, work: Work): String = body(work)

	@DistributedLock(key = ["#key"], mode = LockMode.EXCLUSIVE, waitFor = "20s", whenBusy = WhenBusy.SKIP)
	open suspend fun write(key: String, work: Work): Optional<String> = Optional.of(body(work))

	@DistributedLock(key = ["#key"], mode = LockMode.FAIR, waitFor = "20s")
	open suspend fun fair(key: String, work: Work): String = body(work)

	@TwoPermits
	open suspend fun permit(key: String, work: Work): String = body(work)

	@TwoPermitsOrSkip
	open suspend fun permitOrSkip(key: String, work: Work): Optional<String> = Optional.of(body(work))

}

internal suspend fun GuardedSuspend.invoke(call: Call, key: String, work: Work): String? = when (call) {
	Call.PLAIN -> plain(key, work)
	Call.SKIPPED -> skipped(key, work).orElse(null)
	Call.WITH_FALLBACK -> withFallback(key, work)
	Call.BRIEF -> brief(key, work)
	Call.READ -> read(key, work)
	Call.WRITE -> write(key, work).orElse(null)
	Call.FAIR -> fair(key, work)
	Call.PERMIT -> permit(key, work)
	Call.PERMIT_OR_SKIP -> permitOrSkip(key, work).orElse(null)
}
