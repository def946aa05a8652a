package io.distributedlock.kotlin

import io.distributedlock.LockLostException
import io.distributedlock.LockNotAcquiredException
import io.distributedlock.LockRequest
import io.distributedlock.LockStoreException
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.TestInstance
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.Arguments
import org.junit.jupiter.params.provider.MethodSource
import java.time.Duration
import java.util.concurrent.CancellationException
import java.util.concurrent.atomic.AtomicReference

/** Every scenario means the same for every kind of result on every store. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
internal class ScenarioTableIntegrationTests {

	private val memory = Instances("memory", MemoryScenarioStore())

	private val redis = Instances("redis", RedisScenarioStore())

	private val postgres = Instances("postgresql", PostgresScenarioStore())

	private val impatient = listOf(
		Instances("impatient redis", RedisScenarioStore(Duration.ofMillis(500))),
		Instances("impatient postgresql", PostgresScenarioStore(Duration.ofMillis(500))),
	)

	@AfterAll
	fun close() = (listOf(memory, redis, postgres) + impatient).forEach { it.close() }

	fun cells(): List<Arguments> = Scenario.entries.flatMap { scenario ->
		ResultKind.entries.flatMap { kind -> instances(scenario).map { Arguments.of(scenario, kind, it) } }
	}

	/** A store that is to notice an outage soon takes a pause of the server for one. */
	private fun instances(scenario: Scenario) =
		listOf(memory) + if (scenario == Scenario.OUTAGE) impatient else listOf(redis, postgres)

	@ParameterizedTest(name = "{0} of {1} on {2}", autoCloseArguments = false)
	@MethodSource("cells")
	fun scenarioWhenRunDoesWhatTheTableSays(scenario: Scenario, kind: ResultKind, instances: Instances) =
		scenario.check(ScenarioCell(kind, instances))

	/** The scenarios, each with its check. */
	internal enum class Scenario(val check: ScenarioCell.() -> Unit) {

		SUCCESS({
			val call = entered(Call.PLAIN)
			assertThat(isFree()).isFalse()
			call.end()
			assertThat(isFree()).isTrue()
		}),

		BUSY({
			val call = holdElsewhere().use { started(Call.PLAIN).apply { outcome() } }
			val failure = call.outcome().failure
			assertThat(failure).isInstanceOf(LockNotAcquiredException::class.java)
			assertThat((failure as LockNotAcquiredException).key).isEqualTo(key)
			assertThat(call.work.entered).hasValue(0)
			assertWorks()
		}),

		SKIP({
			val call = holdElsewhere().use { started(Call.SKIPPED).apply { outcome() } }
			assertThat(call.outcome().failure).isNull()
			assertThat(call.outcome().value).isNull()
			assertThat(call.work.entered).hasValue(0)
			started(Call.SKIPPED).end()
		}),

		FALLBACK({
			val call = holdElsewhere().use { started(Call.WITH_FALLBACK).apply { outcome() } }
			assertThat(call.outcome().value).isEqualTo("instead")
			assertThat(call.work.entered).hasValue(0)
			started(Call.WITH_FALLBACK).end()
		}),

		BODY_FAILS({
			val call = entered(Call.PLAIN)
			call.work.result.completeExceptionally(IllegalStateException("body"))
			assertThat(call.outcome().failure).isInstanceOf(IllegalStateException::class.java)
				.hasMessage("body")
				.hasNoSuppressedExceptions()
			assertThat(isFree()).isTrue()
		}),

		LOST({
			val call = entered(Call.BRIEF)
			steal()
			soon().until { !call.work.lease!!.isHeld }
			assertThat(call.isOver).isFalse()
			call.work.result.complete("done")
			val failure = call.outcome().failure
			assertThat(failure).isInstanceOf(LockLostException::class.java)
			assertThat((failure as LockLostException).isBodyCompleted).isTrue()
			assertThat(isFree()).isTrue()
		}),

		/** The caller goes at once. Its lock goes with the body, which a future's caller cannot end. */
		CANCELLED({
			val call = entered(Call.PLAIN)
			call.cancel()
			assertThat(call.outcome().failure)
				.isInstanceOfAny(CancellationException::class.java, InterruptedException::class.java)
			if (!kind.cancelEndsBody) {
				assertThat(isFree()).isFalse()
				call.work.result.complete("done")
			}
			soon().until { isFree() && isFreeHere() }
			assertWorks()
		}),

		RE_ENTRANT({
			val inner = Work.done("inner")
			val outer = started(Call.PLAIN, Work(Work.Nested(key, inner)))
			outer.awaitOrEnd { outer.work.nestedDone.get() == 1 }
			assertThat(inner.lease!!.fencingToken()).isEqualTo(outer.work.lease!!.fencingToken())
			assertThat(isFree()).isFalse()
			outer.end("outer")
			assertThat(isFree()).isTrue()
		}),

		NESTED_DIFFERENT_KEY({
			val other = "$key-other"
			val inner = Work()
			val outer = started(Call.PLAIN, Work(Work.Nested(other, inner)))
			outer.awaitOrEnd { inner.entered.get() == 1 }
			assertThat(listOf(isFree(), isFree(other))).containsOnly(false)
			inner.result.complete("inner")
			outer.awaitOrEnd { outer.work.nestedDone.get() == 1 }
			assertThat(listOf(isFree(), isFree(other))).containsExactly(false, true)
			outer.end("outer")
			assertThat(isFree()).isTrue()
		}),

		/** Kept until the commit, after the caller has got the result. */
		TRANSACTION_OPEN({
			val free = AtomicReference<Boolean>()
			inTransaction(Work()) { free.set(isFree()) }.end()
			assertThat(free.get()).isFalse()
			assertThat(isFree()).isTrue()
		}),

		/** An outage is not reported as busy, and nothing is left behind once the store is back. */
		OUTAGE({
			val call = duringOutage { started(Call.PLAIN).apply { outcome() } }
			val failure = call.outcome().failure
			assertThat(failure).isInstanceOf(LockStoreException::class.java)
			assertThat((failure as LockStoreException).kind).isEqualTo(LockStoreException.Kind.UNAVAILABLE)
			assertThat(call.work.entered).hasValue(0)
			soon().ignoreExceptions().until { isFree() }
			soon().untilAsserted { assertWorks() }
		}),

	}

	internal class ScenarioCell(kind: ResultKind, instances: Instances) : Cell(kind, instances) {

		fun entered(call: Call, work: Work = Work()) = started(call, work).apply { awaitEntered() }

		fun inTransaction(work: Work, after: () -> Unit) =
			Started(kind.startInTransaction(instances.here, instances.database, key, work, after), work)

		fun isFree(key: String = this.key): Boolean = instances.isFree(LockRequest.of(key))

		/** The end of a release is known here as well. */
		fun isFreeHere(): Boolean = instances.isFreeHere(LockRequest.of(key))

		fun steal() = instances.store.steal(key)

		fun <T> duringOutage(body: () -> T): T {
			instances.store.goDown()
			try {
				return body()
			} finally {
				instances.store.comeBack()
			}
		}

		/** An earlier failure does not matter to the next call. */
		fun assertWorks() = started(Call.PLAIN, Work.done("again")).end("again")

	}

}
