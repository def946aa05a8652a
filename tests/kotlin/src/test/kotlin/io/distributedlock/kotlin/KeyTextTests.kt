package io.distributedlock.kotlin

import io.distributedlock.Lease
import io.distributedlock.LockKeyException
import io.distributedlock.annotation.DistributedLock
import io.distributedlock.kotlin.ValueClassBridgeTests.Companion.start
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatExceptionOfType
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestInstance
import java.util.Optional

@JvmInline
value class Num(val value: Int)

@JvmInline
value class Tags(val value: Set<String>)

@JvmInline
value class Named(val value: String) {

	override fun toString() = "named $value"

}

data class Search(val text: String, val tags: Set<String>) {

	@Suppress("unused")
	val length = text.length

}

data class Line(val id: OrderId, val tags: Set<String>)

data class Labelled(val name: Named, val tags: Set<String>)

/** Equal values of Kotlin are equal keys, whatever they are in. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KeyTextTests {

	private val context = start(Guarded::class)

	private val guarded: Guarded = context.getBean(Guarded::class.java)

	@AfterAll
	fun close() = context.close()

	/** The object of a value class had another text than its value. */
	@Test
	fun valueClassIsItsValueWhereverItIs() {
		val order = listOf("7")
		assertThat(guarded.order(OrderId("7"))).isEqualTo(order)
		assertThat(guarded.orderOrNull(OrderId("7"))).isEqualTo(order)
		assertThat(guarded.orders(listOf(OrderId("7")))).isEqualTo(order)
		assertThat(guarded.orders(setOf(OrderId("7")))).isEqualTo(order)
		assertThat(guarded.any(arrayOf(OrderId("7")))).isEqualTo(order)
		assertThat(guarded.any(OrderId("7"))).isEqualTo(order)
		assertThat(guarded.any(Optional.of(OrderId("7")))).isEqualTo(order)
		assertThat(guarded.any(Named("7"))).isEqualTo(guarded.named(Named("7"))).isEqualTo(order)
		assertThat(guarded.any(mapOf(OrderId("7") to Num(1)))).containsExactly("{7=1}")
	}

	@Test
	fun valueClassOfANumberIsOneKeyWithAndWithoutNull() {
		assertThat(guarded.num(Num(7))).isEqualTo(guarded.numOrNull(Num(7))).containsExactly("7")
		assertThat(guarded.joined(Num(7))).isEqualTo(guarded.joinedOrNull(Num(7))).containsExactly("num:7")
		assertThat(guarded.text(Num(7))).isEqualTo(guarded.textOrNull(Num(7))).containsExactly("7")
		assertThat(guarded.unsigned(UInt.MAX_VALUE)).isEqualTo(guarded.any(listOf(UInt.MAX_VALUE)))
		assertThatExceptionOfType(LockKeyException::class.java).isThrownBy { guarded.numOrNull(null) }
			.withMessageContaining("yields a null key")
	}

	@Test
	fun valueClassOfASetIsAsManyKeysWhereverItIs() {
		val tags = Tags(setOf("b", "a"))
		assertThat(guarded.tags(tags)).isEqualTo(guarded.any(listOf(tags))).containsExactly("a", "b")
	}

	@Test
	fun dataClassHasOneTextWhateverTheOrderOfItsSet() {
		for (tags in listOf(linkedSetOf("a", "b"), linkedSetOf("b", "a"))) {
			val search = Search("x", tags)
			assertThat(guarded.any(search)).containsExactly("Search(text=x, tags=[a, b])")
			assertThat(guarded.joinedAny(search)).containsExactly("any:Search(text=x, tags=[a, b])")
			assertThat(guarded.joinedAny(mapOf("k" to search))).containsExactly("any:{k=Search(text=x, tags=[a, b])}")
		}
	}

	/** It was refused, since its text has the object of the value class in it. */
	@Test
	fun dataClassWithAValueClassHasOneTextWhateverTheOrderOfItsSet() {
		for (tags in listOf(linkedSetOf("a", "b"), linkedSetOf("b", "a"))) {
			assertThat(guarded.any(Line(OrderId("7"), tags))).containsExactly("Line(id=OrderId(value=7), tags=[a, b])")
		}
		assertThat(guarded.any(Line(OrderId("7"), setOf()))).containsExactly("Line(id=OrderId(value=7), tags=[])")
	}

	/** Its text cannot be put in order, since that is not one of fields. */
	@Test
	fun dataClassWhoseTextIsNotThatOfItsFieldsIsRefusedWithASet() {
		for (refused in listOf(Labelled(Named("7"), setOf("b", "a")), "x" to setOf("b", "a"))) {
			assertThatExceptionOfType(LockKeyException::class.java).isThrownBy { guarded.any(refused) }
				.withMessageContaining("whose text shows the order of a java.util.LinkedHashSet")
		}
	}

	@Suppress("UNUSED_PARAMETER")
	open class Guarded {

		@DistributedLock("#id")
		open fun order(id: OrderId) = keys()

		@DistributedLock("#id")
		open fun orderOrNull(id: OrderId?) = keys()

		@DistributedLock("#ids")
		open fun orders(ids: Collection<OrderId>) = keys()

		@DistributedLock("#name")
		open fun named(name: Named) = keys()

		@DistributedLock("#value")
		open fun any(value: Any) = keys()

		@DistributedLock("'any:' + #value")
		open fun joinedAny(value: Any) = keys()

		@DistributedLock("#num")
		open fun num(num: Num) = keys()

		@DistributedLock("#num")
		open fun numOrNull(num: Num?) = keys()

		@DistributedLock("'num:' + #num")
		open fun joined(num: Num) = keys()

		@DistributedLock("'num:' + #num")
		open fun joinedOrNull(num: Num?) = keys()

		@DistributedLock("#num.toString()")
		open fun text(num: Num) = keys()

		@DistributedLock("#num.toString()")
		open fun textOrNull(num: Num?) = keys()

		@DistributedLock("#value")
		open fun unsigned(value: UInt) = keys()

		@DistributedLock("#tags")
		open fun tags(tags: Tags) = keys()

		private fun keys(): List<String> = Lease.current().orElseThrow().keys()

	}

}
