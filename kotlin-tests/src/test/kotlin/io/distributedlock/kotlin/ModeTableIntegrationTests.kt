package io.distributedlock.kotlin

import io.distributedlock.Lease
import io.distributedlock.LockMode
import io.distributedlock.LockProfiles
import io.distributedlock.LockRegistry
import io.distributedlock.LockRequest
import io.distributedlock.LockUpgradeException
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration
import io.distributedlock.engine.DefaultLockRegistry
import io.distributedlock.engine.EngineSettings
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.awaitility.core.ConditionFactory
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.TestInstance
import org.junit.jupiter.api.Timeout
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.Arguments
import org.junit.jupiter.params.provider.MethodSource
import org.springframework.context.annotation.AnnotationConfigApplicationContext
import java.time.Duration
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger
import java.util.function.Supplier

/** Every mode means the same for every kind of result on every store. */
@Timeout(60)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
internal class ModeTableIntegrationTests {

	private val instances = listOf(Instances("memory", MemoryScenarioStore()), Instances("redis", RedisScenarioStore()))

	@AfterAll
	fun close() = instances.forEach { it.close() }

	fun cells(): List<Arguments> = Scenario.entries.flatMap { scenario ->
		ModeKind.entries.flatMap { kind -> instances.map { Arguments.of(scenario, kind, it) } }
	}

	@ParameterizedTest(name = "{0} of {1} on {2}", autoCloseArguments = false)
	@MethodSource("cells")
	fun modeWhenUsedDoesWhatTheTableSays(scenario: Scenario, kind: ModeKind, instances: Instances) =
		scenario.check(Cell(kind, instances))

	/** What has to happen. */
	internal enum class Scenario(val check: Cell.() -> Unit) {

		READERS_TOGETHER({
			val first = entered(ModeCall.READ)
			val second = entered(ModeCall.READ)
			assertThat(isFreeFor(LockMode.READ)).isTrue()
			assertThat(isFreeFor(LockMode.WRITE)).isFalse()
			first.end()
			assertThat(isFreeFor(LockMode.WRITE)).isFalse()
			second.end()
			assertThat(isFreeFor(LockMode.WRITE)).isTrue()
		}),

		WRITER_ALONE({
			val writer = entered(ModeCall.WRITE)
			assertThat(LockMode.entries.filter { it != LockMode.SEMAPHORE && isFreeFor(it) }).isEmpty()
			writer.end()
			assertThat(isFreeFor(LockMode.READ)).isTrue()
		}),

		WRITER_AFTER_READER({
			val reader = holdElsewhere(LockMode.READ)
			val writer = started(ModeCall.WRITE)
			awaitWaiting(LockMode.READ)
			assertThat(writer.work.entered).hasValue(0)
			reader.close()
			writer.awaitEntered()
			writer.end()
		}),

		READER_AFTER_WRITER({
			val writer = holdElsewhere(LockMode.WRITE)
			val reader = started(ModeCall.READ)
			assertThat(reader.work.entered).hasValue(0)
			writer.close()
			reader.awaitEntered()
			reader.end()
		}),

		FAIR_ALONE({
			val held = holdElsewhere(LockMode.FAIR)
			val fair = started(ModeCall.FAIR)
			assertThat(fair.work.entered).hasValue(0)
			held.close()
			fair.awaitEntered()
			assertThat(LockMode.entries.filter { it != LockMode.SEMAPHORE && isFreeFor(it) }).isEmpty()
			fair.end()
			assertThat(isFreeFor(LockMode.FAIR)).isTrue()
		}),

		PERMITS_FOR_TWO({
			val first = entered(ModeCall.PERMIT)
			val second = entered(ModeCall.PERMIT)
			val skipped = started(ModeCall.PERMIT_OR_SKIP)
			assertThat(skipped.outcome().failure).isNull()
			assertThat(skipped.outcome().value).isNull()
			assertThat(skipped.work.entered).hasValue(0)
			val third = started(ModeCall.PERMIT)
			first.end()
			third.awaitEntered()
			second.end()
			third.end()
			assertThat(isFreeFor(LockMode.SEMAPHORE)).isTrue()
		}),

		/** Not for who has one already either. */
		PERMITS_NOT_RE_ENTRANT({
			val inner = Work.done("inner")
			val outer = entered(ModeCall.PERMIT, Work(Work.Nested(key, inner, ModeCall.PERMIT_OR_SKIP)))
			outer.awaitOrEnd { outer.work.nestedDone.get() == 1 }
			assertThat(inner.entered).hasValue(1)
			assertThat(inner.lease!!.fencingToken()).isNotEqualTo(outer.work.lease!!.fencingToken())
			outer.end()
		}),

		DOWNGRADE({
			val inner = Work.done("inner")
			val outer = entered(ModeCall.WRITE, Work(Work.Nested(key, inner, ModeCall.READ)))
			outer.awaitOrEnd { outer.work.nestedDone.get() == 1 }
			assertThat(inner.entered).hasValue(1)
			assertThat(isFreeFor(LockMode.READ)).isFalse()
			outer.end()
			assertThat(isFreeFor(LockMode.WRITE)).isTrue()
		}),

		/** Neither waited for nor skipped as if it were busy. */
		UPGRADE({
			val inner = Work.done("inner")
			val outer = started(ModeCall.READ, Work(Work.Nested(key, inner, ModeCall.WRITE)))
			assertThat(outer.outcome().failure).isInstanceOf(LockUpgradeException::class.java)
			assertThat(inner.entered).hasValue(0)
			assertThat(isFreeFor(LockMode.WRITE)).isTrue()
		}),

	}

	/** One kind of result on one store, with a key of its own. */
	internal class Cell(private val kind: ModeKind, private val instances: Instances) {

		val key = "mode${KEYS.incrementAndGet()}"

		fun started(mode: ModeCall, work: Work = Work()) = Started(kind.start(instances.here, mode, key, work), work)

		fun entered(mode: ModeCall, work: Work = Work()) = started(mode, work).apply { awaitEntered() }

		fun holdElsewhere(mode: LockMode): Lease = instances.there.acquire(LockRequest.of(key).mode(mode))

		fun isFreeFor(mode: LockMode): Boolean {
			val request = LockRequest.of(key).waitFor(Duration.ZERO)
			val ofMode = if (mode == LockMode.SEMAPHORE) request.name("permits").permits(2) else request.mode(mode)
			return instances.there.tryAcquire(ofMode).map { it.close() }.isPresent
		}

		/** A caller that comes now finds a request of another mode in line. */
		fun awaitWaiting(mode: LockMode) = soon().until { !isFreeFor(mode) }

	}

	/** A call under way. */
	internal class Started(private val running: Running, val work: Work) {

		fun outcome(): Outcome = running.outcome.get(20, TimeUnit.SECONDS)

		fun awaitEntered() = awaitOrEnd { work.entered.get() == 1 }

		/** A call that has ended too early tells why. */
		fun awaitOrEnd(condition: () -> Boolean) {
			soon().until { condition() || running.outcome.isDone }
			if (!condition()) {
				throw AssertionError("ended with " + outcome().value, outcome().failure)
			}
		}

		fun end() {
			work.result.complete("done")
			val outcome = outcome()
			assertThat(outcome.failure).isNull()
			assertThat(outcome.value).isEqualTo("done")
		}

	}

	/** An application with guarded beans, and another that competes with it. */
	internal class Instances(private val name: String, private val store: ScenarioStore) : AutoCloseable {

		val here = AnnotationConfigApplicationContext().apply {
			registerBean("distributedLockRegistry", LockRegistry::class.java, Supplier<LockRegistry> { registry() })
			register(DistributedLockAutoConfiguration::class.java)
			ModeKind.entries.forEach { register(it.bean) }
			refresh()
		}

		val there = registry()

		private fun registry() = DefaultLockRegistry(
			store.create(),
			LockProfiles.DEFAULTS,
			EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO),
		) {}

		override fun close() {
			here.close()
			there.close()
			store.close()
		}

		override fun toString() = name

	}

	private companion object {

		val KEYS = AtomicInteger()

		/** There are many cells, and none has much to wait for. */
		fun soon(): ConditionFactory = await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5))

	}

}
