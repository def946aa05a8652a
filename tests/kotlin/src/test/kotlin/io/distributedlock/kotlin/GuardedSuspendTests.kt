package io.distributedlock.kotlin

import io.distributedlock.Lease
import io.distributedlock.LockLostException
import io.distributedlock.LockNotAcquiredException
import io.distributedlock.LockRegistry
import io.distributedlock.LockRequest
import io.distributedlock.WhenBusy
import io.distributedlock.WhenLost
import io.distributedlock.annotation.DistributedLock
import io.distributedlock.annotation.FencingToken
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration
import io.distributedlock.interceptor.InvalidLockDeclarationException
import io.distributedlock.interceptor.LockFailureDecision
import io.distributedlock.interceptor.LockFailureHandler
import io.distributedlock.memory.MemoryLockStore
import io.distributedlock.reactive.ReactiveLockTemplate
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.emptyFlow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.future.await
import kotlinx.coroutines.launch
import kotlinx.coroutines.reactor.awaitSingle
import kotlinx.coroutines.reactor.awaitSingleOrNull
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatExceptionOfType
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource
import org.springframework.beans.factory.BeanCreationException
import org.springframework.beans.factory.annotation.Autowired
import org.springframework.beans.factory.getBean
import org.springframework.context.annotation.AnnotationConfigApplicationContext
import org.springframework.context.annotation.Lazy
import org.springframework.core.env.MapPropertySource
import reactor.core.publisher.Mono
import java.time.Duration
import java.util.Optional
import java.util.concurrent.CompletableFuture
import java.util.concurrent.atomic.AtomicInteger
import java.util.function.Supplier

/** Suspending functions and flows take the same way as Reactor's types. */
internal class GuardedSuspendTests {

	private val context = start(Guarded::class.java)

	private val registry = context.getBean<LockRegistry>()

	private val locks = context.getBean<MemoryLockStore>().locks()

	private val guarded = context.getBean<Guarded>()

	@AfterEach
	fun close() = context.close()

	private fun isFree(key: String) =
		registry.tryAcquire(LockRequest.of(key).waitFor(Duration.ZERO)).map { it.close() }.isPresent

	private fun hold(key: String): Lease = registry.acquire(LockRequest.of(key))

	@Test
	fun suspendWhenCalledRunsUnderTheLock() = runBlocking<Unit> {
		assertThat(guarded.suspending("k")).isEqualTo("k")
		assertThat(isFree("k")).isTrue()
	}

	@Test
	fun suspendThatSetsItsLeaseAnewGoesOnWithThat() = runBlocking<Unit> {
		assertThat(guarded.extending("k")).isBetween(Duration.ofMinutes(2), Duration.ofMinutes(20))
		assertThat(isFree("k")).isTrue()
	}

	@Test
	fun suspendWhenItFailsReleasesAndFailsLikewise() = runBlocking<Unit> {
		val failure = runCatching { guarded.failing("k") }.exceptionOrNull()
		assertThat(failure).isInstanceOf(IllegalStateException::class.java).hasMessage("body")
		assertThat(isFree("k")).isTrue()
	}

	@Test
	fun suspendWhenCalledAtOnceExcludesItself() = runBlocking<Unit> {
		coroutineScope { repeat(50) { launch(Dispatchers.Default) { guarded.exclusive() } } }
		assertThat(guarded.most().get()).isEqualTo(1)
	}

	@Test
	fun suspendWhenBusyThrows() = runBlocking<Unit> {
		hold("k").use {
			assertThat(runCatching { guarded.suspending("k") }.exceptionOrNull())
				.isInstanceOf(LockNotAcquiredException::class.java)
		}
	}

	@Test
	fun suspendWhenBusyAndSkipDoesNothing() = runBlocking<Unit> {
		hold("k").use {
			guarded.skipped("k")
			assertThat(guarded.skippedOptional("k")).isEmpty()
		}
		assertThat(guarded.calls().get()).isZero()
	}

	@Test
	fun suspendWhenBusyAndSkipOfNullableIsNull() = runBlocking<Unit> {
		assertThat(guarded.skippedNullable("k")).isEqualTo("k")
		hold("k").use { assertThat(guarded.skippedNullable("k")).isNull() }
		assertThat(guarded.calls().get()).isEqualTo(1)
	}

	@Test
	fun functionWhenBusyAndSkipOfNullableIsNull() {
		assertThat(guarded.skippedNumber("k")).isEqualTo(7)
		hold("k").use { assertThat(guarded.skippedNumber("k")).isNull() }
	}

	@Test
	fun functionWhenBusyAndSkipOfNullableValueClassIsNull() {
		assertThat(guarded.skippedOrder("k")).isEqualTo(OrderId("k"))
		hold("k").use { assertThat(guarded.skippedOrder("k")).isNull() }
	}

	@Test
	fun suspendWhenBusyAndFallbackSuspendsThere() = runBlocking<Unit> {
		hold("k").use { assertThat(guarded.withFallback("k")).isEqualTo("instead of k: k") }
	}

	@Test
	fun suspendWhenBusyAndAHandlerHasAValueReturnsIt() = handledBy("instead") {
		assertThat(suspending("k")).isEqualTo("instead")
	}

	@Test
	fun suspendWhenBusyAndAHandlerHasAMonoWaitsForIt() = handledBy(Mono.delay(Duration.ofMillis(1)).map { "instead" }) {
		assertThat(suspending("k")).isEqualTo("instead")
	}

	@Test
	fun suspendWhenBusyAndAHandlerHasAValueForUnitIgnoresIt() = handledBy("instead") {
		val nothing: Any = unit("k")
		assertThat(nothing).isEqualTo(Unit)
		assertThat(calls().get()).isZero()
	}

	@Test
	fun suspendWhenBusyAndAHandlerHasAnotherTypeFails() = handledBy(7) {
		assertThat(runCatching { suspending("k") }.exceptionOrNull())
			.isInstanceOf(IllegalStateException::class.java)
			.hasMessageContaining("A LockFailureHandler returned 7")
			.hasMessageContaining("java.lang.String")
			.satisfies({ assertThat(it!!.suppressed).hasOnlyElementsOfType(LockNotAcquiredException::class.java) })
	}

	@Test
	fun suspendWhenBusyAndAHandlerHasANumberReturnsIt() = handledBy(7L) { assertThat(token("k", 0)).isEqualTo(7) }

	@Test
	fun flowWhenBusyAndAHandlerHasAValueEmitsIt() = handledBy("instead") {
		assertThat(flowing("k").toList()).containsExactly("instead")
		assertThat(suspendedFlow("k").toList()).containsExactly("instead")
	}

	@Test
	fun flowWhenBusyAndAHandlerHasAFlowEmitsItsElements() = handledBy(flowOf("a", "b")) {
		assertThat(flowing("k").toList()).containsExactly("a", "b")
		assertThat(suspendedFlow("k").toList()).containsExactly("a", "b")
	}

	@Test
	fun suspendWhenBusyShowsAHandlerNoContinuation() {
		val seen = mutableListOf<List<Any?>>()
		val handler = LockFailureHandler {
			seen.add(it.arguments())
			LockFailureDecision.result("instead")
		}
		handledBy(handler) { assertThat(suspending("k")).isEqualTo("instead") }
		assertThat(seen).containsExactly(listOf("k"))
	}

	/** Handlers are asked where nothing else is configured: the body is never run. */
	private fun handledBy(value: Any?, call: suspend Guarded.() -> Unit) =
		handledBy(LockFailureHandler { LockFailureDecision.result(value) }, call)

	private fun handledBy(handler: LockFailureHandler, call: suspend Guarded.() -> Unit) {
		val handling = start(Guarded::class.java, handler)
		handling.use {
			it.getBean<LockRegistry>().acquire(LockRequest.of("k")).use { _ ->
				runBlocking { handling.getBean<Guarded>().call() }
			}
		}
	}

	@Test
	fun suspendWhenNestedEntersAgain() = runBlocking<Unit> {
		assertThat(guarded.outer("k")).isEqualTo("k")
	}

	@Test
	fun suspendWhenTokenDeclaredReceivesIt() = runBlocking<Unit> {
		assertThat(guarded.token("k", 0)).isPositive()
	}

	@Test
	fun suspendWhenLostInterruptCancelsTheCoroutine() = runBlocking<Unit> {
		val call = async(Dispatchers.Default) { runCatching { guarded.interrupted("k") } }
		soon().until { guarded.calls().get() == 1 }
		assertThat(locks.remove("", "k")).isTrue()
		assertThat(call.await().exceptionOrNull()).isInstanceOf(LockLostException::class.java)
		assertThat(guarded.cancelled().get()).isTrue()
	}

	@Test
	fun suspendWhenCancelledReleases() = runBlocking<Unit> {
		val call = async(Dispatchers.Default) { guarded.forever("k") }
		soon().until { guarded.calls().get() == 1 }
		assertThat(isFree("k")).isFalse()
		call.cancel()
		soon().until { isFree("k") }
	}

	@Test
	fun suspendWhenCancelledWhileWaitingLeavesNothingBehind() = runBlocking<Unit> {
		hold("k").use {
			assertThat(runCatching { withTimeout(50) { guarded.waiting("k") } }.exceptionOrNull())
				.isInstanceOf(CancellationException::class.java)
		}
		soon().until { isFree("k") }
		assertThat(guarded.calls().get()).isZero()
	}

	@Test
	fun flowWhenCollectedRunsUnderTheLock() = runBlocking<Unit> {
		val flow = guarded.flowing("k")
		assertThat(guarded.calls().get()).isZero()
		assertThat(flow.toList()).containsExactly("k", "k", "k")
		assertThat(flow.take(1).toList()).containsExactly("k")
		soon().until { isFree("k") }
		assertThat(guarded.calls().get()).isEqualTo(2)
	}

	@Test
	fun flowWhenBusyAndSkipIsEmpty() = runBlocking<Unit> {
		hold("k").use { assertThat(guarded.skippedFlow("k").toList()).isEmpty() }
	}

	@Test
	fun flowWhenBusyAndFallbackIsTheFallbacks() = runBlocking<Unit> {
		hold("k").use { assertThat(guarded.flowWithFallback("k").toList()).containsExactly(7, 8) }
	}

	@Test
	fun flowWhenOfASuspendingFunctionIsGuarded() = runBlocking<Unit> {
		assertThat(guarded.suspendedFlow("k").toList()).containsExactly("k")
		assertThat(isFree("k")).isTrue()
	}

	@ParameterizedTest
	@ValueSource(classes = [SkippedString::class, SkippedInt::class, SkippedGeneric::class])
	fun skipWhenResultCannotBeEmptyStopsTheStart(bean: Class<*>) {
		assertThatExceptionOfType(BeanCreationException::class.java).isThrownBy { start(bean) }
			.withCauseInstanceOf(InvalidLockDeclarationException::class.java)
			.withStackTraceContaining("whenBusy is SKIP")
	}

	/** Refused even if all libraries are there: each step would be taken for a call. */
	@Test
	fun suspendWhenWovenStopsTheStart() {
		assertThatExceptionOfType(BeanCreationException::class.java)
			.isThrownBy { start(Guarded::class.java, advice = "aspectj") }
			.withCauseInstanceOf(InvalidLockDeclarationException::class.java)
			.withStackTraceContaining("it is a suspending function, which can be guarded by a proxy only")
			.withStackTraceContaining("Set distributed-lock.advice to proxy")
	}

	open class SkippedString {

		@DistributedLock(whenBusy = WhenBusy.SKIP)
		open suspend fun guarded() = "never empty"

	}

	open class SkippedInt {

		@DistributedLock(whenBusy = WhenBusy.SKIP)
		open fun guarded() = 7

	}

	open class SkippedGeneric<T> {

		@DistributedLock(whenBusy = WhenBusy.SKIP)
		open fun guarded(value: T) = value

	}

	open class Guarded {

		private val calls = AtomicInteger()

		private val inside = AtomicInteger()

		private val most = AtomicInteger()

		private val cancelled = CompletableFuture<Boolean>()

		@Autowired
		@Lazy
		private lateinit var self: Guarded

		open fun calls() = calls

		open fun most() = most

		open fun cancelled() = cancelled

		private suspend fun key(): String {
			calls.incrementAndGet()
			delay(1)
			return ReactiveLockTemplate.currentLease().map { it.key() }.awaitSingleOrNull() ?: "without"
		}

		@DistributedLock(key = ["#key"], waitFor = "0")
		open suspend fun suspending(key: String) = key()

		@DistributedLock(key = ["#key"], ttl = "1h")
		open suspend fun extending(key: String): Duration {
			val lease = ReactiveLockTemplate.currentLease().awaitSingle()
			lease.extendAsync(Duration.ofMinutes(20), null).await()
			return lease.remaining()
		}

		@DistributedLock("#key")
		open suspend fun failing(key: String): String {
			delay(1)
			throw IllegalStateException("body")
		}

		@DistributedLock(key = ["'exclusive'"], waitFor = "30s")
		open suspend fun exclusive() {
			most.accumulateAndGet(inside.incrementAndGet(), Math::max)
			delay(1)
			inside.decrementAndGet()
		}

		@DistributedLock(key = ["#key"], waitFor = "0", whenBusy = WhenBusy.SKIP)
		open suspend fun skipped(key: String) {
			key()
		}

		@DistributedLock(key = ["#key"], waitFor = "0", whenBusy = WhenBusy.SKIP)
		open suspend fun skippedOptional(key: String): Optional<String> = Optional.of(key())

		@DistributedLock(key = ["#key"], waitFor = "0", whenBusy = WhenBusy.SKIP)
		open suspend fun skippedNullable(key: String): String? = key()

		@DistributedLock(key = ["#key"], waitFor = "0", whenBusy = WhenBusy.SKIP)
		open fun skippedNumber(key: String): Int? = 6 + key.length

		@DistributedLock(key = ["#key"], waitFor = "0", whenBusy = WhenBusy.SKIP)
		open fun skippedOrder(key: String): OrderId? = OrderId(key)

		@DistributedLock(key = ["#key"], waitFor = "0")
		open suspend fun unit(key: String) {
			key()
		}

		@DistributedLock(key = ["#key"], waitFor = "0", fallback = "busy")
		open suspend fun withFallback(key: String) = key()

		@Suppress("unused")
		private suspend fun busy(key: String, busy: LockNotAcquiredException): String {
			delay(1)
			return "instead of $key: ${busy.key}"
		}

		@DistributedLock("#key")
		open suspend fun outer(key: String) = self.suspending(key)

		@DistributedLock(key = ["#key"], waitFor = "0")
		open suspend fun token(key: String, @FencingToken token: Long) = token

		@DistributedLock(key = ["#key"], ttl = "4s", whenLost = WhenLost.INTERRUPT)
		open suspend fun interrupted(key: String) {
			calls.incrementAndGet()
			try {
				awaitCancellation()
			} finally {
				cancelled.complete(true)
			}
		}

		@DistributedLock("#key")
		open suspend fun forever(key: String) {
			calls.incrementAndGet()
			awaitCancellation()
		}

		@DistributedLock(key = ["#key"], waitFor = "30s")
		open suspend fun waiting(key: String) = key()

		@DistributedLock(key = ["#key"], waitFor = "0")
		open fun flowing(key: String): Flow<String> = flow {
			val current = key()
			repeat(3) { emit(current) }
		}

		@DistributedLock(key = ["#key"], waitFor = "0", whenBusy = WhenBusy.SKIP)
		open fun skippedFlow(key: String): Flow<String> = flowOf(key)

		@DistributedLock(key = ["#key"], waitFor = "0", fallback = "busyFlow")
		open fun flowWithFallback(key: String): Flow<Int> = emptyFlow()

		@Suppress("unused", "UNUSED_PARAMETER")
		private fun busyFlow(key: String): Flow<Int> = flowOf(7, 8)

		@DistributedLock(key = ["#key"], waitFor = "0")
		open suspend fun suspendedFlow(key: String): Flow<String> = flowOf(key())

	}

	companion object {

		private fun start(bean: Class<*>, handler: LockFailureHandler? = null, advice: String = "proxy") =
			AnnotationConfigApplicationContext().apply {
				val properties = mapOf("distributed-lock.store" to "memory", "distributed-lock.advice" to advice)
				environment.propertySources.addFirst(MapPropertySource("test", properties))
				register(DistributedLockAutoConfiguration::class.java, bean)
				handler?.let { registerBean("handler", LockFailureHandler::class.java, Supplier { it }) }
				refresh()
			}

	}

}
