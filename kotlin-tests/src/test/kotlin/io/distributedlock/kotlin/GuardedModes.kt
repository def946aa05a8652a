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

/** Which of the guarded methods to call; a semaphore has two permits. */
enum class ModeCall { READ, WRITE, FAIR, PERMIT, PERMIT_OR_SKIP }

/** The same modes for each kind of result. */
open class ValueModes {

	@Autowired
	@Lazy
	private lateinit var self: ValueModes

	private fun body(work: Work): String {
		work.enter(Lease.current().orElse(null))
		work.nested?.let {
			self.invoke(it.mode, it.key, it.work)
			work.nestedDone.incrementAndGet()
		}
		return work.awaited().get()
	}

	@DistributedLock(key = ["#key"], mode = LockMode.READ, waitFor = "20s")
	open fun read(key: String, work: Work): String = body(work)

	@DistributedLock(key = ["#key"], mode = LockMode.WRITE, waitFor = "20s", whenBusy = WhenBusy.SKIP)
	open fun write(key: String, work: Work): Optional<String> = Optional.of(body(work))

	@DistributedLock(key = ["#key"], mode = LockMode.FAIR, waitFor = "20s")
	open fun fair(key: String, work: Work): String = body(work)

	@DistributedLock(name = "permits", key = ["#key"], mode = LockMode.SEMAPHORE, permits = 2, waitFor = "20s")
	open fun permit(key: String, work: Work): String = body(work)

	@DistributedLock(
		name = "permits",
		key = ["#key"],
		mode = LockMode.SEMAPHORE,
		permits = 2,
		waitFor = "0",
		whenBusy = WhenBusy.SKIP,
	)
	open fun permitOrSkip(key: String, work: Work): Optional<String> = Optional.of(body(work))

}

internal fun ValueModes.invoke(mode: ModeCall, key: String, work: Work): String? = when (mode) {
	ModeCall.READ -> read(key, work)
	ModeCall.WRITE -> write(key, work).orElse(null)
	ModeCall.FAIR -> fair(key, work)
	ModeCall.PERMIT -> permit(key, work)
	ModeCall.PERMIT_OR_SKIP -> permitOrSkip(key, work).orElse(null)
}

open class FutureModes {

	@Autowired
	@Lazy
	private lateinit var self: FutureModes

	private fun body(work: Work): CompletableFuture<String> {
		work.enter(Lease.current().orElse(null))
		val nested = work.nested ?: return work.awaited()
		return self.invoke(nested.mode, nested.key, nested.work).thenCompose {
			work.nestedDone.incrementAndGet()
			work.awaited()
		}
	}

	@DistributedLock(key = ["#key"], mode = LockMode.READ, waitFor = "20s")
	open fun read(key: String, work: Work): CompletableFuture<String> = body(work)

	@DistributedLock(key = ["#key"], mode = LockMode.WRITE, waitFor = "20s", whenBusy = WhenBusy.SKIP)
	open fun write(key: String, work: Work): CompletableFuture<Optional<String>> =
		body(work).thenApply { Optional.of(it) }

	@DistributedLock(key = ["#key"], mode = LockMode.FAIR, waitFor = "20s")
	open fun fair(key: String, work: Work): CompletableFuture<String> = body(work)

	@DistributedLock(name = "permits", key = ["#key"], mode = LockMode.SEMAPHORE, permits = 2, waitFor = "20s")
	open fun permit(key: String, work: Work): CompletableFuture<String> = body(work)

	@DistributedLock(
		name = "permits",
		key = ["#key"],
		mode = LockMode.SEMAPHORE,
		permits = 2,
		waitFor = "0",
		whenBusy = WhenBusy.SKIP,
	)
	open fun permitOrSkip(key: String, work: Work): CompletableFuture<Optional<String>> =
		body(work).thenApply { Optional.of(it) }

}

@Suppress("UNCHECKED_CAST")
internal fun FutureModes.invoke(mode: ModeCall, key: String, work: Work): CompletableFuture<String?> = when (mode) {
	ModeCall.READ -> read(key, work)
	ModeCall.WRITE -> write(key, work).thenApply { it.orElse(null) }
	ModeCall.FAIR -> fair(key, work)
	ModeCall.PERMIT -> permit(key, work)
	ModeCall.PERMIT_OR_SKIP -> permitOrSkip(key, work).thenApply { it.orElse(null) }
} as CompletableFuture<String?>

open class MonoModes {

	@Autowired
	@Lazy
	private lateinit var self: MonoModes

	private fun body(work: Work): Mono<String> = ReactiveLockTemplate.currentLease()
		.doOnNext { work.enter(it) }
		.then(Mono.defer { nested(work) })
		.then(Mono.fromFuture { work.awaited() })

	private fun nested(work: Work): Mono<String> {
		val nested = work.nested ?: return Mono.empty()
		return self.invoke(nested.mode, nested.key, nested.work).doOnSuccess { work.nestedDone.incrementAndGet() }
	}

	@DistributedLock(key = ["#key"], mode = LockMode.READ, waitFor = "20s")
	open fun read(key: String, work: Work): Mono<String> = body(work)

	@DistributedLock(key = ["#key"], mode = LockMode.WRITE, waitFor = "20s", whenBusy = WhenBusy.SKIP)
	open fun write(key: String, work: Work): Mono<String> = body(work)

	@DistributedLock(key = ["#key"], mode = LockMode.FAIR, waitFor = "20s")
	open fun fair(key: String, work: Work): Mono<String> = body(work)

	@DistributedLock(name = "permits", key = ["#key"], mode = LockMode.SEMAPHORE, permits = 2, waitFor = "20s")
	open fun permit(key: String, work: Work): Mono<String> = body(work)

	@DistributedLock(
		name = "permits",
		key = ["#key"],
		mode = LockMode.SEMAPHORE,
		permits = 2,
		waitFor = "0",
		whenBusy = WhenBusy.SKIP,
	)
	open fun permitOrSkip(key: String, work: Work): Mono<String> = body(work)

}

internal fun MonoModes.invoke(mode: ModeCall, key: String, work: Work): Mono<String> = when (mode) {
	ModeCall.READ -> read(key, work)
	ModeCall.WRITE -> write(key, work)
	ModeCall.FAIR -> fair(key, work)
	ModeCall.PERMIT -> permit(key, work)
	ModeCall.PERMIT_OR_SKIP -> permitOrSkip(key, work)
}

/** One element. */
open class FluxModes {

	@Autowired
	@Lazy
	private lateinit var self: FluxModes

	private fun body(work: Work): Flux<String> = ReactiveLockTemplate.currentLease()
		.doOnNext { work.enter(it) }
		.thenMany(Flux.defer { nested(work) })
		.thenMany(Mono.fromFuture { work.awaited() })

	private fun nested(work: Work): Flux<String> {
		val nested = work.nested ?: return Flux.empty()
		return self.invoke(nested.mode, nested.key, nested.work).doOnComplete { work.nestedDone.incrementAndGet() }
	}

	@DistributedLock(key = ["#key"], mode = LockMode.READ, waitFor = "20s")
	open fun read(key: String, work: Work): Flux<String> = body(work)

	@DistributedLock(key = ["#key"], mode = LockMode.WRITE, waitFor = "20s", whenBusy = WhenBusy.SKIP)
	open fun write(key: String, work: Work): Flux<String> = body(work)

	@DistributedLock(key = ["#key"], mode = LockMode.FAIR, waitFor = "20s")
	open fun fair(key: String, work: Work): Flux<String> = body(work)

	@DistributedLock(name = "permits", key = ["#key"], mode = LockMode.SEMAPHORE, permits = 2, waitFor = "20s")
	open fun permit(key: String, work: Work): Flux<String> = body(work)

	@DistributedLock(
		name = "permits",
		key = ["#key"],
		mode = LockMode.SEMAPHORE,
		permits = 2,
		waitFor = "0",
		whenBusy = WhenBusy.SKIP,
	)
	open fun permitOrSkip(key: String, work: Work): Flux<String> = body(work)

}

internal fun FluxModes.invoke(mode: ModeCall, key: String, work: Work): Flux<String> = when (mode) {
	ModeCall.READ -> read(key, work)
	ModeCall.WRITE -> write(key, work)
	ModeCall.FAIR -> fair(key, work)
	ModeCall.PERMIT -> permit(key, work)
	ModeCall.PERMIT_OR_SKIP -> permitOrSkip(key, work)
}

open class SuspendModes {

	@Autowired
	@Lazy
	private lateinit var self: SuspendModes

	private suspend fun body(work: Work): String {
		work.enter(ReactiveLockTemplate.currentLease().awaitSingleOrNull())
		work.nested?.let {
			self.invoke(it.mode, it.key, it.work)
			work.nestedDone.incrementAndGet()
		}
		return work.awaited().await()
	}

	@DistributedLock(key = ["#key"], mode = LockMode.READ, waitFor = "20s")
	open suspend fun read(key: String, work: Work): String = body(work)

	@DistributedLock(key = ["#key"], mode = LockMode.WRITE, waitFor = "20s", whenBusy = WhenBusy.SKIP)
	open suspend fun write(key: String, work: Work): Optional<String> = Optional.of(body(work))

	@DistributedLock(key = ["#key"], mode = LockMode.FAIR, waitFor = "20s")
	open suspend fun fair(key: String, work: Work): String = body(work)

	@DistributedLock(name = "permits", key = ["#key"], mode = LockMode.SEMAPHORE, permits = 2, waitFor = "20s")
	open suspend fun permit(key: String, work: Work): String = body(work)

	@DistributedLock(
		name = "permits",
		key = ["#key"],
		mode = LockMode.SEMAPHORE,
		permits = 2,
		waitFor = "0",
		whenBusy = WhenBusy.SKIP,
	)
	open suspend fun permitOrSkip(key: String, work: Work): Optional<String> = Optional.of(body(work))

}

internal suspend fun SuspendModes.invoke(mode: ModeCall, key: String, work: Work): String? = when (mode) {
	ModeCall.READ -> read(key, work)
	ModeCall.WRITE -> write(key, work).orElse(null)
	ModeCall.FAIR -> fair(key, work)
	ModeCall.PERMIT -> permit(key, work)
	ModeCall.PERMIT_OR_SKIP -> permitOrSkip(key, work).orElse(null)
}
