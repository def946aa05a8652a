package io.distributedlock.kotlin

import io.distributedlock.LockLostException
import io.distributedlock.LockRegistry
import io.distributedlock.LockRequest
import io.distributedlock.WhenLost
import io.distributedlock.annotation.DistributedLock
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration
import io.distributedlock.memory.MemoryLockStore
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.DelicateCoroutinesApi
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.GlobalScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.Runnable
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOn
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.future.await
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test
import org.springframework.beans.factory.annotation.Autowired
import org.springframework.beans.factory.getBean
import org.springframework.context.annotation.AnnotationConfigApplicationContext
import org.springframework.context.annotation.Lazy
import org.springframework.core.env.MapPropertySource
import java.time.Duration
import java.util.concurrent.Callable
import java.util.concurrent.CancellationException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.RejectedExecutionException
import java.util.concurrent.atomic.AtomicBoolean
import kotlin.coroutines.ContinuationInterceptor
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.EmptyCoroutineContext

/** A coroutine that is cancelled has the lock until its code has come to an end. */
@OptIn(DelicateCoroutinesApi::class, ExperimentalCoroutinesApi::class)
internal class CancelledCoroutineTests {

	private val context = start()

	private val registry = context.getBean<LockRegistry>()

	private val locks = context.getBean<MemoryLockStore>().locks()

	private val guarded = context.getBean<Guarded>()

	@AfterEach
	fun close() {
		guarded.goOn().complete(null)
		context.close()
	}

	private fun isFree(key: String) =
		registry.tryAcquire(LockRequest.of(key).waitFor(Duration.ZERO)).map { it.close() }.isPresent

	/** For longer than a release takes that waits for nothing. */
	private fun staysTaken(key: String) =
		soon().during(Duration.ofMillis(300)).failFast("free too early", Callable { isFree(key) }).until { true }

	private fun call(context: CoroutineContext = Dispatchers.Default, body: suspend () -> Any?): Deferred<Any?> {
		val called = GlobalScope.async(context) { body() }
		guarded.inside().get()
		return called
	}

	private fun cancelAndWait(called: Deferred<Any?>) {
		called.cancel()
		soon().until { called.isCompleted }
	}

	private fun releasesWhenItGoesOn(called: Deferred<Any?>) {
		cancelAndWait(called)
		staysTaken("k")
		guarded.goOn().complete(null)
		soon().until { isFree("k") }
	}

	@Test
	fun cancelWhenCodeRunsReleasesAfterIt() = releasesWhenItGoesOn(call { guarded.running("k") })

	@Test
	fun cancelWhenFinallySuspendsReleasesAfterIt() = releasesWhenItGoesOn(call { guarded.cleaningUp("k") })

	@Test
	fun cancelWhenAChildRunsReleasesAfterIt() = releasesWhenItGoesOn(call { guarded.withChild("k") })

	@Test
	fun cancelWhenCodeRunsOnAnotherDispatcherReleasesAfterIt() = releasesWhenItGoesOn(call { guarded.onAnother("k") })

	@Test
	fun cancelWhenUnconfinedReleasesAfterIt() = releasesWhenItGoesOn(call(Dispatchers.Unconfined) { guarded.cleaningUp("k") })

	@Test
	fun cancelWhenNestedReleasesAfterTheInnerOne() = releasesWhenItGoesOn(call { guarded.outer("k", "other") })

	@Test
	fun cancelWhenEnteredAgainReleasesAfterTheInnerOne() = releasesWhenItGoesOn(call { guarded.outer("k", "k") })

	@Test
	fun cancelWhenThereAreTwoLocksReleasesBothAfterIt() {
		val called = call { guarded.two("k", "l") }
		cancelAndWait(called)
		staysTaken("k")
		staysTaken("l")
		guarded.goOn().complete(null)
		soon().until { isFree("k") && isFree("l") }
	}

	@Test
	fun cancelWhenItIsItsOwnReleasesAfterIt() = runBlocking<Unit> {
		val called = call { guarded.cancellingItself("k") }
		staysTaken("k")
		guarded.goOn().complete(null)
		soon().until { called.isCompleted }
		assertThat(called.getCompletionExceptionOrNull()).isInstanceOf(CancellationException::class.java)
		soon().until { isFree("k") }
	}

	@Test
	fun timeoutWhenCodeRunsIsToldAtOnceAndReleasesAfterIt() = runBlocking<Unit> {
		// The first guarded call of all loads classes, maybe for longer than the time-out.
		withContext(Dispatchers.Default) { guarded.itsContext("k") }
		val failure = runCatching { withTimeout(3_000) { withContext(Dispatchers.Default) { guarded.running("k") } } }
		assertThat(failure.exceptionOrNull()).isInstanceOf(CancellationException::class.java)
		staysTaken("k")
		guarded.goOn().complete(null)
		soon().until { isFree("k") }
	}

	@Test
	fun cancelWhenItHasNotStartedReleasesAtOnce() {
		val later = ConcurrentLinkedQueue<Runnable>()
		val called = GlobalScope.async(AfterTheFirst { later.add(it) }) { guarded.running("k") }
		soon().until { later.size == 1 }
		assertThat(isFree("k")).isFalse()
		called.cancel()
		soon().until { isFree("k") }
		later.forEach { it.run() }
		assertThat(guarded.inside()).isNotDone()
		assertThat(isFree("k")).isTrue()
	}

	@Test
	fun failureWhenTheDispatcherRefusesIsToldAndReleases() {
		val refused = AtomicBoolean()
		val dispatcher = AfterTheFirst {
			if (refused.compareAndSet(false, true)) throw RejectedExecutionException("full")
			Dispatchers.Default.dispatch(EmptyCoroutineContext, it)
		}
		val called = GlobalScope.async(dispatcher) { guarded.running("k") }
		soon().until { called.isCompleted }
		soon().until { isFree("k") }
		assertThat(guarded.inside()).isNotDone()
	}

	@Test
	fun lossWhenInterruptingIsToldAtOnce() = runBlocking<Unit> {
		val called = call { guarded.interrupted("k") }
		assertThat(locks.remove("", "k")).isTrue()
		assertThat(runCatching { called.await() }.exceptionOrNull()).isInstanceOf(LockLostException::class.java)
		assertThat(guarded.goOn()).isNotDone()
	}

	@Test
	fun contextWhenGuardedIsTheCallers() = runBlocking<Unit> {
		val dispatcher = AfterTheFirst { Dispatchers.Default.dispatch(EmptyCoroutineContext, it) }
		val seen = GlobalScope.async(dispatcher + CoroutineName("mine")) { guarded.itsContext("k") }.await()
		assertThat(seen[ContinuationInterceptor]).isSameAs(dispatcher)
		assertThat(seen[CoroutineName]?.name).isEqualTo("mine")
	}

	@Test
	fun returnWhenACoroutineOfItsOwnGoesOnIsNotHeldBack() = runBlocking<Unit> {
		guarded.leavingOneBehind("k")
		assertThat(isFree("k")).isTrue()
	}

	@Test
	fun cancelWhenACoroutineOfItsOwnGoesOnReleases() {
		cancelAndWait(call { guarded.leavingOneBehindForever("k") })
		soon().until { isFree("k") }
		assertThat(guarded.goOn()).isNotDone()
	}

	@Test
	fun flowWhenCancelledReleasesAfterItsCode() = releasesWhenItGoesOn(call { guarded.flowing("k").toList() })

	@Test
	fun flowWhenCancelledOnAnotherDispatcherReleasesAfterItsCode() =
		releasesWhenItGoesOn(call { guarded.flowingOnAnother("k").toList() })

	@Test
	fun flowWhenCancelledAndFinallySuspendsReleasesAfterIt() =
		releasesWhenItGoesOn(call { guarded.flowCleaningUp("k").toList() })

	@Test
	fun flowWhenNestedReleasesAfterTheInnerOne() = releasesWhenItGoesOn(call { guarded.outerOfFlow("k", "other") })

	@Test
	fun flowWhenThereAreTwoLocksReleasesBothAfterItsCode() {
		val called = call { guarded.twoOfFlow("k", "l").toList() }
		cancelAndWait(called)
		staysTaken("k")
		staysTaken("l")
		guarded.goOn().complete(null)
		soon().until { isFree("k") && isFree("l") }
	}

	@Test
	fun flowWhenNoMoreIsTakenReleasesAfterItsCode() {
		assertThat(runBlocking { guarded.flowCleaningUp("k").first() }).isEqualTo("k")
		staysTaken("k")
		guarded.goOn().complete(null)
		soon().until { isFree("k") }
	}

	/** Runs the first task of a caller as usual. */
	class AfterTheFirst(private val then: (Runnable) -> Unit) : CoroutineDispatcher() {

		private val first = AtomicBoolean()

		override fun dispatch(context: CoroutineContext, block: Runnable) =
			if (first.compareAndSet(false, true)) Dispatchers.Default.dispatch(context, block) else then(block)

	}

	open class Guarded {

		private val inside = CompletableFuture<Void>()

		private val goOn = CompletableFuture<Void>()

		@Autowired
		@Lazy
		private lateinit var self: Guarded

		open fun inside() = inside

		open fun goOn() = goOn

		private fun block() {
			inside.complete(null)
			goOn.join()
		}

		private suspend fun cleanUp(first: suspend () -> Unit = {}): Nothing {
			try {
				first()
				inside.complete(null)
				awaitCancellation()
			} finally {
				withContext(NonCancellable) { goOn.await() }
			}
		}

		@DistributedLock("#key")
		open suspend fun running(key: String) = block()

		@DistributedLock("#key")
		open suspend fun cleaningUp(key: String): String = cleanUp()

		@DistributedLock("#key")
		open suspend fun withChild(key: String): Unit = coroutineScope {
			launch(Dispatchers.IO) { block() }
			awaitCancellation()
		}

		@DistributedLock("#key")
		open suspend fun onAnother(key: String) = withContext(Dispatchers.IO) { block() }

		@DistributedLock("#key")
		open suspend fun outer(key: String, inner: String) = self.running(inner)

		@DistributedLock("#first")
		@DistributedLock("#second")
		open suspend fun two(first: String, second: String) = block()

		@DistributedLock("#key")
		open suspend fun cancellingItself(key: String) {
			currentCoroutineContext().cancel()
			block()
		}

		@DistributedLock(key = ["#key"], ttl = "4s", whenLost = WhenLost.INTERRUPT)
		open suspend fun interrupted(key: String) = block()

		@DistributedLock("#key")
		open suspend fun itsContext(key: String) = currentCoroutineContext()

		@DistributedLock("#key")
		open suspend fun leavingOneBehind(key: String) {
			GlobalScope.launch(currentCoroutineContext().minusKey(Job)) { goOn.await() }
		}

		@DistributedLock("#key")
		open suspend fun leavingOneBehindForever(key: String) {
			GlobalScope.launch(currentCoroutineContext().minusKey(Job)) { block() }
			awaitCancellation()
		}

		@DistributedLock("#key")
		open fun flowing(key: String): Flow<String> = flow {
			block()
			emit(key)
		}

		@DistributedLock("#key")
		open suspend fun outerOfFlow(key: String, inner: String) = self.flowingOnAnother(inner).toList()

		@DistributedLock("#first")
		@DistributedLock("#second")
		open fun twoOfFlow(first: String, second: String): Flow<String> = flow { block() }

		@DistributedLock("#key")
		open fun flowingOnAnother(key: String): Flow<String> = flow {
			block()
			emit(key)
		}.flowOn(Dispatchers.IO)

		@DistributedLock("#key")
		open fun flowCleaningUp(key: String): Flow<String> = flow {
			cleanUp { emit(key) }
		}

	}

	companion object {

		private fun start() = AnnotationConfigApplicationContext().apply {
			val properties = mapOf("distributed-lock.store" to "memory")
			environment.propertySources.addFirst(MapPropertySource("test", properties))
			register(DistributedLockAutoConfiguration::class.java, Guarded::class.java)
			refresh()
		}

	}

}
