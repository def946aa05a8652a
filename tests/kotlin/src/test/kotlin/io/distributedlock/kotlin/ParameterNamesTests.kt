package io.distributedlock.kotlin

import io.distributedlock.annotation.DistributedLock
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

/** Names in a key that only a generic declaration has stopped the start. */
class ParameterNamesTests {

	@Test
	fun nameWhenGenericInterfaceIsAnnotatedIsFoundBehindABridge() {
		ValueClassBridgeTests.start(OrderStore::class).use {
			@Suppress("UNCHECKED_CAST")
			val store = it.getBean(Store::class.java) as Store<OrderId>
			assertThat(store.put(OrderId("7"), "a")).isEqualTo("7-a")
			assertThat(it.getBean(OrderStore::class.java).put(OrderId("7"), "a")).isEqualTo("7-a")
		}
	}

	@Test
	fun nameWhenSuspendingFunctionIsDeclaredGenericIsFound() {
		ValueClassBridgeTests.start(SuspendingTextStore::class).use {
			val store: SuspendingStore<String> = it.getBean(SuspendingTextStore::class.java)
			assertThat(runBlocking { store.put("7", "a") }).isEqualTo("7-a")
		}
	}

	interface Store<T> {

		@DistributedLock(key = ["#document + '-' + #shelf"])
		fun put(document: T, shelf: String): String?

	}

	/** Swaps the names. */
	open class OrderStore : Store<OrderId> {

		@Suppress("PARAMETER_NAME_CHANGED_ON_OVERRIDE")
		override fun put(shelf: OrderId, document: String): String? = ValueClassBridgeTests.locked()

	}

	interface SuspendingStore<T> {

		@DistributedLock(key = ["#document + '-' + #shelf"])
		suspend fun put(document: T, shelf: String): String?

	}

	open class SuspendingTextStore : SuspendingStore<String> {

		@Suppress("PARAMETER_NAME_CHANGED_ON_OVERRIDE")
		override suspend fun put(shelf: String, document: String): String? = ValueClassBridgeTests.lockedLater()

	}

}
