package io.distributedlock.kotlin

import io.distributedlock.Lease
import io.distributedlock.LockProfiles
import io.distributedlock.LockRegistry
import io.distributedlock.LockRequest
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration
import io.distributedlock.engine.DefaultLockRegistry
import io.distributedlock.engine.EngineSettings
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.awaitility.core.ConditionFactory
import org.springframework.beans.factory.getBean
import org.springframework.context.annotation.AnnotationConfigApplicationContext
import java.time.Duration
import java.util.concurrent.atomic.AtomicInteger
import java.util.function.Supplier

/** An application with the guarded beans, and another one that competes with it. */
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

	fun isFree(request: LockRequest) = isFree(there, request)

	fun isFreeHere(request: LockRequest) = isFree(here.getBean<LockRegistry>(), request)

	private fun isFree(registry: LockRegistry, request: LockRequest) =
		registry.tryAcquire(request.waitFor(Duration.ZERO)).map { it.close() }.isPresent

	override fun close() {
		here.close()
		there.close()
		store.close()
	}

	override fun toString() = name

}

/** A kind of result on a store, with a key of its own. */
internal open class Cell(val kind: ResultKind, val instances: Instances) {

	val key = "key${KEYS.incrementAndGet()}"

	fun started(call: Call, work: Work = Work()) = Started(kind.start(instances.here, call, key, work), work)

	fun holdElsewhere(request: LockRequest = LockRequest.of(key)): Lease = instances.there.acquire(request)

	private companion object {

		val KEYS = AtomicInteger()

	}

}

/** A call under way. */
internal class Started(private val running: Running, val work: Work) {

	val isOver get() = running.outcome.isDone

	fun outcome(): Outcome = running.outcome.get()

	fun awaitEntered() = awaitOrEnd { work.entered.get() == 1 }

	/** A call that has ended too early tells why. */
	fun awaitOrEnd(condition: () -> Boolean) {
		soon().until { condition() || isOver }
		if (!condition()) {
			throw AssertionError("ended with " + outcome().value, outcome().failure)
		}
	}

	fun cancel() = running.cancel()

	fun end(result: String = "done") {
		work.result.complete(result)
		val outcome = outcome()
		assertThat(outcome.failure).isNull()
		assertThat(outcome.value).isEqualTo(result)
	}

}

/**
 * Waits for a condition that has to come true, without a bound on the speed of the
 * machine. There are many cells, and none has much to wait for.
 */
internal fun soon(): ConditionFactory =
	await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5)).atMost(Duration.ofMinutes(4))
