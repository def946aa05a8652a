@file:Suppress("unused", "UNUSED_PARAMETER")

package io.distributedlock.kotlin

import io.distributedlock.LockNotAcquiredException
import io.distributedlock.LockRegistry
import io.distributedlock.LockRequest
import io.distributedlock.annotation.DistributedLock
import io.distributedlock.interceptor.InvalidLockDeclarationException
import kotlinx.coroutines.delay
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatExceptionOfType
import org.junit.jupiter.api.Test
import org.springframework.beans.factory.BeanCreationException
import kotlin.reflect.KClass

/**
 * The compiler appends to the name of a function that is internal, or has a value class.
 * Such a fallback was not found, and the remedy asked for the code already there.
 */
class FallbackMethodTests {

	private fun busy(test: suspend (Guarded) -> String): String = ValueClassBridgeTests.start(Guarded::class).use {
		it.getBean(LockRegistry::class.java).acquire(LockRequest.of("7")).use { _ ->
			runBlocking { test(it.getBean(Guarded::class.java)) }
		}
	}

	@Test
	fun fallbackWhenInternalIsCalled() {
		assertThat(busy { it.withInternal("7") }).isEqualTo("internal 7")
	}

	@Test
	fun fallbackWhenItHasAValueClassIsCalled() {
		assertThat(busy { it.withValueClass(OrderId("7")) }).isEqualTo("order OrderId(value=7)")
	}

	@Test
	fun fallbackWhenInternalWithAValueClassIsCalledWithTheException() {
		assertThat(busy { it.withInternalValueClass(OrderId("7")) }).isEqualTo("internal OrderId(value=7) 7")
	}

	@Test
	fun fallbackWhenInternalIsGuardedIsCalled() {
		assertThat(busy { it.internally(OrderId("7")) }).isEqualTo("order OrderId(value=7)")
	}

	@Test
	fun fallbackWhenItReturnsAValueClassIsCalled() {
		assertThat(busy { it.returning("7").value }).isEqualTo("returned 7")
	}

	@Test
	fun fallbackWhenSuspendingAndInternalSuspends() {
		assertThat(busy { it.suspendingInternal("7") }).isEqualTo("suspended 7")
	}

	@Test
	fun fallbackWhenSuspendingWithAValueClassSuspends() {
		assertThat(busy { it.suspending(OrderId("7")) }).isEqualTo("suspended OrderId(value=7) 7")
	}

	/** The order of the customer of the same value has the same types. */
	@Test
	fun fallbackWhenOverloadedByValueClassesIsThatOfTheSameOne() {
		assertThat(busy { it.overloaded(CustomerId("7")) }).isEqualTo("customer CustomerId(value=7)")
		assertThat(busy { it.overloaded("7") }).isEqualTo("text 7")
	}

	@Test
	fun fallbackWhenSeveralDifferInValueClassesOnlyIsRefused() {
		assertRefused(Ambiguous::class, "is one of several that differ only in value classes", "name of its own")
	}

	@Test
	fun fallbackWhenItDoesNotSuspendSaysWhatToAdd() {
		assertRefused(NotSuspending::class, "'instead' does not exist, does not fit",
			"Add a suspending function 'instead'")
	}

	private fun assertRefused(bean: KClass<*>, problem: String, remedy: String) {
		assertThatExceptionOfType(BeanCreationException::class.java)
			.isThrownBy { ValueClassBridgeTests.start(bean).close() }
			.satisfies({
				val refused = generateSequence<Throwable>(it) { ex -> ex.cause }
					.filterIsInstance<InvalidLockDeclarationException>().first()
				assertThat(refused.description).contains(problem)
				assertThat(refused.remedy).contains(remedy)
			})
	}

	open class Guarded {

		@DistributedLock(key = ["#id"], waitFor = "0", fallback = "instead")
		open fun withInternal(id: String): String = "locked"

		internal fun instead(id: String): String = "internal $id"

		@DistributedLock(key = ["#id"], waitFor = "0", fallback = "ofOrder")
		open fun withValueClass(id: OrderId): String = "locked"

		@DistributedLock(key = ["#id"], waitFor = "0", fallback = "ofOrder")
		internal open fun internally(id: OrderId): String = "locked"

		private fun ofOrder(id: OrderId): String = "order $id"

		@DistributedLock(key = ["#id"], waitFor = "0", fallback = "ofBusyOrder")
		open fun withInternalValueClass(id: OrderId): String = "locked"

		internal fun ofBusyOrder(id: OrderId, busy: LockNotAcquiredException): String = "internal $id ${busy.key}"

		@DistributedLock(key = ["#id"], waitFor = "0", fallback = "returned")
		open fun returning(id: String): OrderId = OrderId("locked")

		open fun returned(id: String): OrderId = OrderId("returned $id")

		@DistributedLock(key = ["#id"], waitFor = "0", fallback = "suspended")
		open suspend fun suspendingInternal(id: String): String = "locked"

		internal open suspend fun suspended(id: String): String {
			delay(1)
			return "suspended $id"
		}

		@DistributedLock(key = ["#id"], waitFor = "0", fallback = "suspendedOrder")
		open suspend fun suspending(id: OrderId): String = "locked"

		private suspend fun suspendedOrder(id: OrderId, busy: LockNotAcquiredException): String {
			delay(1)
			return "suspended $id ${busy.key}"
		}

		@DistributedLock(key = ["#id"], waitFor = "0", fallback = "of")
		open fun overloaded(id: CustomerId): String = "locked"

		@DistributedLock(key = ["#id"], waitFor = "0", fallback = "of")
		open fun overloaded(id: String): String = "locked"

		internal fun of(id: OrderId): String = "order $id"

		private fun of(id: CustomerId): String = "customer $id"

		internal fun of(id: String): String = "text $id"

	}

	open class Ambiguous {

		@DistributedLock(key = ["#id"], waitFor = "0", fallback = "instead")
		open fun guarded(id: OrderId): String = "locked"

		private fun instead(id: OrderId, busy: LockNotAcquiredException): String = "order"

		private fun instead(id: CustomerId, busy: LockNotAcquiredException): String = "customer"

	}

	open class NotSuspending {

		@DistributedLock(key = ["#id"], waitFor = "0", fallback = "instead")
		open suspend fun guarded(id: String): String = "locked"

		private fun instead(id: String): String = "not suspended"

	}

}
