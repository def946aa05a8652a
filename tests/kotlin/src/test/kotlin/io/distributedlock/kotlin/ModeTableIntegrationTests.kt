package io.distributedlock.kotlin

import io.distributedlock.Lease
import io.distributedlock.LockMode
import io.distributedlock.LockRequest
import io.distributedlock.LockUpgradeException
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.TestInstance
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.Arguments
import org.junit.jupiter.params.provider.MethodSource

/** Every mode means the same for every kind of result on every store. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
internal class ModeTableIntegrationTests {

	private val instances = listOf(
		Instances("memory", MemoryScenarioStore()),
		Instances("redis", RedisScenarioStore()),
		Instances("postgresql", PostgresScenarioStore()),
	)

	@AfterAll
	fun close() = instances.forEach { it.close() }

	fun cells(): List<Arguments> = Scenario.entries.flatMap { scenario ->
		ResultKind.entries.flatMap { kind -> instances.map { Arguments.of(scenario, kind, it) } }
	}

	@ParameterizedTest(name = "{0} of {1} on {2}", autoCloseArguments = false)
	@MethodSource("cells")
	fun modeWhenUsedDoesWhatTheTableSays(scenario: Scenario, kind: ResultKind, instances: Instances) =
		scenario.check(ModeCell(kind, instances))

	/** The scenarios of the table, each with its check. */
	internal enum class Scenario(val check: ModeCell.() -> Unit) {

		READERS_TOGETHER({
			val first = entered(Call.READ)
			val second = entered(Call.READ)
			assertThat(isFreeFor(LockMode.READ)).isTrue()
			assertThat(isFreeFor(LockMode.EXCLUSIVE)).isFalse()
			first.end()
			assertThat(isFreeFor(LockMode.EXCLUSIVE)).isFalse()
			second.end()
			assertThat(isFreeFor(LockMode.EXCLUSIVE)).isTrue()
		}),

		WRITER_ALONE({
			val writer = entered(Call.WRITE)
			assertThat(LockMode.entries.filter { it != LockMode.SEMAPHORE && isFreeFor(it) }).isEmpty()
			writer.end()
			assertThat(isFreeFor(LockMode.READ)).isTrue()
		}),

		WRITER_AFTER_READER({
			val reader = holdElsewhere(LockMode.READ)
			val writer = started(Call.WRITE)
			awaitWaiting(LockMode.READ)
			assertThat(writer.work.entered).hasValue(0)
			reader.close()
			writer.awaitEntered()
			writer.end()
		}),

		READER_AFTER_WRITER({
			val writer = holdElsewhere(LockMode.EXCLUSIVE)
			val reader = started(Call.READ)
			assertThat(reader.work.entered).hasValue(0)
			writer.close()
			reader.awaitEntered()
			reader.end()
		}),

		FAIR_ALONE({
			val held = holdElsewhere(LockMode.FAIR)
			val fair = started(Call.FAIR)
			assertThat(fair.work.entered).hasValue(0)
			held.close()
			fair.awaitEntered()
			assertThat(LockMode.entries.filter { it != LockMode.SEMAPHORE && isFreeFor(it) }).isEmpty()
			fair.end()
			assertThat(isFreeFor(LockMode.FAIR)).isTrue()
		}),

		PERMITS_FOR_TWO({
			val first = entered(Call.PERMIT)
			val second = entered(Call.PERMIT)
			val skipped = started(Call.PERMIT_OR_SKIP)
			assertThat(skipped.outcome().failure).isNull()
			assertThat(skipped.outcome().value).isNull()
			assertThat(skipped.work.entered).hasValue(0)
			val third = started(Call.PERMIT)
			first.end()
			third.awaitEntered()
			second.end()
			third.end()
			assertThat(isFreeFor(LockMode.SEMAPHORE)).isTrue()
		}),

		/** A holder of a permit gets no second one by re-entry either. */
		PERMITS_NOT_RE_ENTRANT({
			val inner = Work.done("inner")
			val outer = entered(Call.PERMIT, Work(Work.Nested(key, inner, Call.PERMIT_OR_SKIP)))
			outer.awaitOrEnd { outer.work.nestedDone.get() == 1 }
			assertThat(inner.entered).hasValue(1)
			assertThat(inner.lease!!.fencingToken()).isNotEqualTo(outer.work.lease!!.fencingToken())
			outer.end()
		}),

		DOWNGRADE({
			val inner = Work.done("inner")
			val outer = entered(Call.WRITE, Work(Work.Nested(key, inner, Call.READ)))
			outer.awaitOrEnd { outer.work.nestedDone.get() == 1 }
			assertThat(inner.entered).hasValue(1)
			assertThat(isFreeFor(LockMode.READ)).isFalse()
			outer.end()
			assertThat(isFreeFor(LockMode.EXCLUSIVE)).isTrue()
		}),

		/** Neither waited for nor skipped as if it were busy. */
		UPGRADE({
			val inner = Work.done("inner")
			val outer = started(Call.READ, Work(Work.Nested(key, inner, Call.WRITE)))
			assertThat(outer.outcome().failure).isInstanceOf(LockUpgradeException::class.java)
			assertThat(inner.entered).hasValue(0)
			assertThat(isFreeFor(LockMode.EXCLUSIVE)).isTrue()
		}),

	}

	internal class ModeCell(kind: ResultKind, instances: Instances) : Cell(kind, instances) {

		fun entered(call: Call, work: Work = Work()) = started(call, work).apply { awaitEntered() }

		fun holdElsewhere(mode: LockMode): Lease = holdElsewhere(LockRequest.of(key).mode(mode))

		fun isFreeFor(mode: LockMode): Boolean {
			val request = LockRequest.of(key)
			return instances.isFree(
				if (mode == LockMode.SEMAPHORE) request.name("permits").permits(2) else request.mode(mode),
			)
		}

		/** A caller that comes now finds a request of another mode in line. */
		fun awaitWaiting(mode: LockMode) = soon().until { !isFreeFor(mode) }

	}

}
