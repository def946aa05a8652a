package io.distributedlock.kotlin

import io.distributedlock.Lease
import io.distributedlock.LockLostException
import io.distributedlock.LockNotAcquiredException
import io.distributedlock.LockProfiles
import io.distributedlock.LockRegistry
import io.distributedlock.LockRequest
import io.distributedlock.LockStoreException
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration
import io.distributedlock.engine.DefaultLockRegistry
import io.distributedlock.engine.EngineSettings
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.TestInstance
import org.junit.jupiter.api.Timeout
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.Arguments
import org.junit.jupiter.params.provider.MethodSource
import org.springframework.context.annotation.AnnotationConfigApplicationContext
import java.time.Duration
import java.util.concurrent.CancellationException
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.atomic.AtomicReference
import java.util.function.Supplier

/** Every scenario means the same for every kind of result on every store. */
@Timeout(60)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
internal class ScenarioTableIntegrationTests {

	private val memory = Instances("memory", MemoryScenarioStore())

	private val redis = Instances("redis", RedisScenarioStore())

	private val impatient = Instances("impatient redis", RedisScenarioStore(Duration.ofMillis(500)))

	@AfterAll
	fun close() = listOf(memory, redis, impatient).forEach { it.close() }

	fun cells(): List<Arguments> = Scenario.entries.flatMap { scenario ->
		ResultKind.entries.flatMap { kind -> instances(scenario).map { Arguments.of(scenario, kind, it) } }
	}

	/** A store that is to notice an outage soon takes a pause of the server for one. */
	private fun instances(scenario: Scenario) =
		listOf(memory, if (scenario == Scenario.OUTAGE) impatient else redis)

	@ParameterizedTest(name = "{0} of {1} on {2}", autoCloseArguments = false)
	@MethodSource("cells")
	fun scenarioWhenRunDoesWhatTheTableSays(scenario: Scenario, kind: ResultKind, instances: Instances) =
		scenario.check(Cell(kind, instances))

	/** What has to happen. */
	internal enum class Scenario(val check: Cell.() -> Unit) {

		SUCCESS({
			val running = start(Call.PLAIN)
			awaitEntered(running)
			assertThat(isFree()).isFalse()
			work.result.complete("done")
			assertThat(outcome(running).value).isEqualTo("done")
			assertThat(isFree()).isTrue()
		}),

		BUSY({
			holdElsewhere().use {
				val failure = outcome(start(Call.PLAIN)).failure
				assertThat(failure).isInstanceOf(LockNotAcquiredException::class.java)
				assertThat((failure as LockNotAcquiredException).key).isEqualTo(key)
			}
			assertThat(work.entered).hasValue(0)
			assertWorks()
		}),

		SKIP({
			holdElsewhere().use {
				val outcome = outcome(start(Call.SKIPPED))
				assertThat(outcome.failure).isNull()
				assertThat(outcome.value).isNull()
			}
			assertThat(work.entered).hasValue(0)
			work.result.complete("done")
			assertThat(outcome(start(Call.SKIPPED)).value).isEqualTo("done")
		}),

		FALLBACK({
			holdElsewhere().use { assertThat(outcome(start(Call.WITH_FALLBACK)).value).isEqualTo("instead") }
			assertThat(work.entered).hasValue(0)
			work.result.complete("done")
			assertThat(outcome(start(Call.WITH_FALLBACK)).value).isEqualTo("done")
		}),

		BODY_FAILS({
			val running = start(Call.PLAIN)
			awaitEntered(running)
			work.result.completeExceptionally(IllegalStateException("body"))
			assertThat(outcome(running).failure).isInstanceOf(IllegalStateException::class.java)
				.hasMessage("body")
				.hasNoSuppressedExceptions()
			assertThat(isFree()).isTrue()
		}),

		LOST({
			val running = start(Call.BRIEF)
			awaitEntered(running)
			steal()
			await().until { !work.lease!!.isHeld }
			assertThat(running.outcome).isNotDone()
			work.result.complete("done")
			val failure = outcome(running).failure
			assertThat(failure).isInstanceOf(LockLostException::class.java)
			assertThat((failure as LockLostException).isBodyCompleted).isTrue()
			assertThat(isFree()).isTrue()
		}),

		/** The caller goes at once. Its lock goes with the body, which a future's caller cannot end. */
		CANCELLED({
			val running = start(Call.PLAIN)
			awaitEntered(running)
			running.cancel()
			assertThat(outcome(running).failure)
				.isInstanceOfAny(CancellationException::class.java, InterruptedException::class.java)
			if (!kind.cancelEndsBody) {
				assertThat(isFree()).isFalse()
				work.result.complete("done")
			}
			await().until { isFree() && isFreeHere() }
			assertWorks()
		}),

		RE_ENTRANT({
			val inner = Work.done("inner")
			val outer = Work(Work.Nested(key, inner))
			val running = start(Call.PLAIN, outer)
			awaitOrEnd(running) { outer.nestedDone.get() == 1 }
			assertThat(inner.lease!!.fencingToken()).isEqualTo(outer.lease!!.fencingToken())
			assertThat(isFree()).isFalse()
			outer.result.complete("outer")
			assertThat(outcome(running).value).isEqualTo("outer")
			assertThat(isFree()).isTrue()
		}),

		NESTED_DIFFERENT_KEY({
			val other = "$key-other"
			val inner = Work()
			val outer = Work(Work.Nested(other, inner))
			val running = start(Call.PLAIN, outer)
			awaitEntered(running, inner)
			assertThat(listOf(isFree(), isFree(other))).containsOnly(false)
			inner.result.complete("inner")
			awaitOrEnd(running) { outer.nestedDone.get() == 1 }
			assertThat(listOf(isFree(), isFree(other))).containsExactly(false, true)
			outer.result.complete("outer")
			assertThat(outcome(running).value).isEqualTo("outer")
			assertThat(isFree()).isTrue()
		}),

		/** Kept until the commit, after the caller has got the result. */
		TRANSACTION_OPEN({
			val free = AtomicReference<Boolean>()
			work.result.complete("done")
			assertThat(outcome(startInTransaction { free.set(isFree()) }).value).isEqualTo("done")
			assertThat(free.get()).isFalse()
			assertThat(isFree()).isTrue()
		}),

		/** Not told as busy, and nothing is left behind once the store is back. */
		OUTAGE({
			val failure = duringOutage { outcome(start(Call.PLAIN)).failure }
			assertThat(failure).isInstanceOf(LockStoreException::class.java)
			assertThat((failure as LockStoreException).kind).isEqualTo(LockStoreException.Kind.UNAVAILABLE)
			assertThat(work.entered).hasValue(0)
			await().ignoreExceptions().until { isFree() }
			await().untilAsserted { assertWorks() }
		}),

	}

	/** One kind of result on one store, with a key of its own. */
	internal class Cell(val kind: ResultKind, private val instances: Instances) {

		val key = "key${KEYS.incrementAndGet()}"

		val work = Work()

		fun start(call: Call, work: Work = this.work) = kind.start(instances.here, call, key, work)

		fun startInTransaction(after: () -> Unit) =
			kind.startInTransaction(instances.here, instances.database, key, work, after)

		fun outcome(running: Running): Outcome = running.outcome.get(20, TimeUnit.SECONDS)

		fun awaitEntered(running: Running, work: Work = this.work) = awaitOrEnd(running) { work.entered.get() == 1 }

		/** A call that has ended too early tells why. */
		fun awaitOrEnd(running: Running, condition: () -> Boolean) {
			await().until { condition() || running.outcome.isDone }
			if (!condition()) {
				throw AssertionError("ended with " + outcome(running).value, outcome(running).failure)
			}
		}

		fun holdElsewhere(): Lease = instances.there.acquire(LockRequest.of(key))

		fun isFree(key: String = this.key): Boolean = instances.isFree(key)

		/** The end of a release is known here as well. */
		fun isFreeHere(): Boolean = instances.isFreeHere(key)

		fun steal() = instances.store.steal(key)

		fun <T> duringOutage(body: () -> T): T {
			instances.store.goDown()
			try {
				return body()
			} finally {
				instances.store.comeBack()
			}
		}

		/** What went wrong before does not matter to the next call. */
		fun assertWorks() = assertThat(outcome(start(Call.PLAIN, Work.done("again"))).value).isEqualTo("again")

	}

	/** An application with guarded beans, and another that competes with it. */
	internal class Instances(private val name: String, val store: ScenarioStore) : AutoCloseable {

		val here = AnnotationConfigApplicationContext().apply {
			registerBean("distributedLockRegistry", LockRegistry::class.java, Supplier<LockRegistry> { registry() })
			register(DistributedLockAutoConfiguration::class.java)
			ResultKind.entries.forEach { register(it.bean) }
			refresh()
		}

		val there = registry()

		val database = Database()

		private fun registry() = DefaultLockRegistry(
			store.create(),
			LockProfiles.DEFAULTS,
			EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO),
		) {}

		fun isFree(key: String): Boolean = isFree(there, key)

		fun isFreeHere(key: String): Boolean = isFree(here.getBean(LockRegistry::class.java), key)

		private fun isFree(registry: LockRegistry, key: String) =
			registry.tryAcquire(LockRequest.of(key).waitFor(Duration.ZERO)).map { it.close() }.isPresent

		override fun close() {
			here.close()
			there.close()
			store.close()
		}

		override fun toString() = name

	}

	private companion object {

		val KEYS = AtomicInteger()

	}

}
