@file:Suppress("unused", "UNUSED_PARAMETER")

package io.distributedlock.kotlin

import io.distributedlock.annotation.DistributedLock
import io.distributedlock.test.LockAssertions.assertThatMethod
import org.assertj.core.api.Assertions.assertThatIllegalArgumentException
import org.junit.jupiter.api.Test

/** Assertions did not find functions whose names the compiler extends. */
class GuardedMethodAssertTests {

	@Test
	fun methodWhenItHasAValueClassIsFoundAsItIsWritten() {
		ValueClassBridgeTests.start(Orders::class).use {
			val orders = it.getBean(Orders::class.java)
			assertThatMethod(orders, "ship").isGuardedBy("", "#id")
			assertThatMethod(orders, "ship", OrderId::class.java).isGuardedBy("", "#id")
			assertThatMethod(orders, "find", String::class.java, OrderId::class.java).isGuardedBy("", "#id")
			assertThatMethod(orders, "archive").isGuardedBy("archive", "#id")
			assertThatMethod(orders, "handle", OrderId::class.java).isGuardedBy("", "#id")
			assertThatMethod(orders, "size", OrderId::class.java).isNotGuarded()
		}
	}

	@Test
	fun methodWhenSeveralDifferInValueClassesOnlyIsRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy { assertThatMethod(Orders(), "cancel", OrderId::class.java) }
			.withMessageContaining("cancel-")
	}

	open class Orders : Handler<OrderId> {

		@DistributedLock(key = ["#id"])
		open fun ship(id: OrderId) = Unit

		@DistributedLock(key = ["#id"])
		open suspend fun find(shelf: String, id: OrderId): String? = null

		@DistributedLock(name = "archive", key = ["#id"])
		internal open fun archive(id: String) = Unit

		@DistributedLock(key = ["#id"])
		override fun handle(id: OrderId): Any? = null

		fun size(id: OrderId): Int = 0

		fun cancel(id: OrderId) = Unit

		fun cancel(id: CustomerId) = Unit

	}

}
