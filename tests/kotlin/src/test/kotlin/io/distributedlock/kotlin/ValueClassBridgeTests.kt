@file:Suppress("unused", "UNUSED_PARAMETER")

package io.distributedlock.kotlin

import io.distributedlock.Lease
import io.distributedlock.LockRegistry
import io.distributedlock.LockRequest
import io.distributedlock.annotation.DistributedLock
import io.distributedlock.annotation.FencingToken
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration
import io.distributedlock.interceptor.InvalidLockDeclarationException
import io.distributedlock.reactive.ReactiveLockTemplate
import kotlinx.coroutines.delay
import kotlinx.coroutines.reactor.awaitSingleOrNull
import kotlinx.coroutines.runBlocking
import org.aopalliance.intercept.MethodInterceptor
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatExceptionOfType
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.CsvSource
import org.junit.jupiter.params.provider.ValueSource
import org.springframework.aop.Advisor
import org.springframework.aop.support.DefaultPointcutAdvisor
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut
import org.springframework.beans.factory.BeanCreationException
import org.springframework.beans.factory.config.BeanDefinition
import org.springframework.context.annotation.AnnotationConfigApplicationContext
import org.springframework.core.env.MapPropertySource
import java.io.File
import java.net.URLClassLoader
import java.util.concurrent.CompletableFuture
import java.util.function.Supplier
import kotlin.reflect.KClass

@JvmInline
value class OrderId(val value: String)

@JvmInline
value class CustomerId(val value: String)

@JvmInline
value class Number(val value: Long)

@JvmInline
value class Anything(val value: Any)

/** Calls of the generic type. */
interface Handler<T> {

	fun handle(id: T): Any?

}

abstract class Template<T> {

	abstract fun handle(id: T): Any?

}

/** Marks functions that an advice surrounds. */
annotation class Advised

/**
 * Functions with a value class in their signature get another name from the compiler, and a bridge that callers of the
 * generic interface or superclass call. Such calls ran without the lock.
 */
class ValueClassBridgeTests {

	@ParameterizedTest
	@ValueSource(booleans = [true, false])
	fun callWhenFunctionIsAnnotatedTakesTheSameLock(proxyTargetClass: Boolean) {
		handler(OnFunction::class, proxyTargetClass) { handler: Handler<OrderId> ->
			assertThat(handler.handle(OrderId("7"))).isEqualTo("7")
		}
	}

	open class OnFunction : Handler<OrderId> {

		@DistributedLock(key = ["#id"])
		override fun handle(id: OrderId): Any? = locked()

	}

	@Test
	fun callWhenThroughTheSuperclassIsGuarded() {
		start(OnFunctionOfSuperclass::class).use {
			val handler: Template<OrderId> = it.getBean(OnFunctionOfSuperclass::class.java)
			assertThat(handler.handle(OrderId("7"))).isEqualTo("7")
		}
	}

	open class OnFunctionOfSuperclass : Template<OrderId>() {

		@DistributedLock(key = ["#id"])
		override fun handle(id: OrderId): Any? = locked()

	}

	@Test
	fun lockWhenItIsTheMethodItselfIsTheSameInBothWays() {
		handler(OnClass::class) { handler: Handler<OrderId> ->
			val through = handler.handle(OrderId("7"))
			assertThat(through).isNotNull().isEqualTo((handler as OnClass).handle(OrderId("7")))
		}
	}

	@DistributedLock
	open class OnClass : Handler<OrderId> {

		override fun handle(id: OrderId): Any? = locked()

	}

	@ParameterizedTest
	@ValueSource(booleans = [true, false])
	fun callWhenTheInterfaceIsAnnotatedIsGuarded(proxyTargetClass: Boolean) {
		handler(OfInterface::class, proxyTargetClass) { handler: Handler<OrderId> ->
			assertThat(handler.handle(OrderId("7"))).isEqualTo("interface")
		}
	}

	@DistributedLock("'interface'")
	interface AnnotatedHandler<T> : Handler<T> {

		override fun handle(id: T): Any?

	}

	open class OfInterface : AnnotatedHandler<OrderId> {

		override fun handle(id: OrderId): Any? = locked()

	}

	@ParameterizedTest
	@ValueSource(booleans = [true, false])
	fun callWhenTheInterfaceMethodIsAnnotatedIsGuarded(proxyTargetClass: Boolean) {
		start(OfInterfaceMethod::class, proxyTargetClass).use {
			@Suppress("UNCHECKED_CAST")
			val handler = it.getBean(AnnotatedMethod::class.java) as AnnotatedMethod<OrderId>
			val token = handler.handle(OrderId("7"), -1)
			assertThat(token).isGreaterThan(0)
		}
	}

	interface AnnotatedMethod<T> {

		@DistributedLock("#p0")
		fun handle(id: T, @FencingToken token: Long): Long

	}

	open class OfInterfaceMethod : AnnotatedMethod<OrderId> {

		override fun handle(id: OrderId, token: Long): Long {
			assertThat(locked()).isEqualTo("7")
			return token
		}

	}

	@Test
	fun callWhenTheSuperclassIsAnnotatedIsGuarded() {
		start(OfSuperclassMethod::class).use {
			val template: AnnotatedTemplate<OrderId> = it.getBean(OfSuperclassMethod::class.java)
			assertThat(template.handle(OrderId("7"))).isEqualTo("superclass")
		}
	}

	abstract class AnnotatedTemplate<T> {

		@DistributedLock("'superclass'")
		abstract fun handle(id: T): Any?

	}

	open class OfSuperclassMethod : AnnotatedTemplate<OrderId>() {

		override fun handle(id: OrderId): Any? = locked()

	}

	@Test
	fun callWhenASubclassOverridesTheFunctionIsGuarded() {
		handler(Subclass::class) { handler: Handler<OrderId> -> assertThat(handler.handle(OrderId("7"))).isEqualTo("sub 7") }
	}

	open class Subclass : OnFunction() {

		override fun handle(id: OrderId): Any? = "sub ${locked()}"

	}

	@Test
	fun callWhenTheValueIsAPrimitiveIsGuarded() {
		handler(OfNumber::class) { handler: Handler<Number> -> assertThat(handler.handle(Number(7))).isEqualTo("7 of 7") }
	}

	open class OfNumber : Handler<Number> {

		@DistributedLock(key = ["#id"])
		override fun handle(id: Number): Any? = "${locked()} of ${id.value}"

	}

	@Test
	fun callWhenTheValueCanBeNullIsGuarded() {
		handler(OfNullable::class) { handler: Handler<OrderId?> ->
			assertThat(handler.handle(OrderId("7"))).isEqualTo("7 of 7")
			assertThat(handler.handle(null)).isEqualTo("none of null")
		}
	}

	open class OfNullable : Handler<OrderId?> {

		@DistributedLock(key = ["#id ?: 'none'"])
		override fun handle(id: OrderId?): Any? = "${locked()} of ${id?.value}"

	}

	@Test
	fun callWhenTheValueIsAnyIsGuarded() {
		handler(OfAnything::class) { handler: Handler<Anything> ->
			assertThat(handler.handle(Anything("7"))).isEqualTo("7 of 7")
		}
	}

	open class OfAnything : Handler<Anything> {

		@DistributedLock(key = ["#id"])
		override fun handle(id: Anything): Any? = "${locked()} of ${id.value}"

	}

	@Test
	fun callWhenOtherFunctionsAreAlikeRunsTheRightOne() {
		handler(Overloaded::class) { handler: Handler<OrderId> ->
			assertThat(handler.handle(OrderId("7"))).isEqualTo("order 7")
			assertThat((handler as Overloaded).handle(CustomerId("7"))).isEqualTo("customer null")
		}
	}

	open class Overloaded : Handler<OrderId> {

		@DistributedLock(key = ["#id"])
		override fun handle(id: OrderId): Any? = "order ${locked()}"

		open fun handle(id: CustomerId): Any? = "customer ${locked()}"

	}

	/** Spring calls the other function. A proxy of the interface does not meet the bridge. */
	@Test
	fun startWhenSpringMistakesTheFunctionIsRefused() {
		assertThatExceptionOfType(BeanCreationException::class.java).isThrownBy { start(Mistaken::class).close() }
			.havingRootCause()
			.isInstanceOf(InvalidLockDeclarationException::class.java)
			.withMessageContaining("a call of ${Mistaken::class.java.typeName}.handle(java.lang.Object) means")
		handler(Mistaken::class, false) { handler: Handler<OrderId> ->
			assertThat(handler.handle(OrderId("7"))).isEqualTo("order 7")
		}
	}

	open class Mistaken : Handler<OrderId> {

		@DistributedLock(key = ["#id"])
		override fun handle(id: OrderId): Any? = "order ${locked()}"

		open fun handle(id: String): Any? = "text ${locked()}"

	}

	/** Nothing else tells its functions apart: both are compiled to take a text. */
	@Test
	fun startWhenKotlinReflectIsMissingIsRefusedForFunctionsAlike() {
		val entries = System.getProperty("java.class.path").split(File.pathSeparator)
			.filterNot { it.contains("kotlin-reflect") }
			.map { File(it).toURI().toURL() }
		URLClassLoader(entries.toTypedArray(), ClassLoader.getPlatformClassLoader()).use {
			val thread = Thread.currentThread()
			val before = thread.contextClassLoader
			thread.contextClassLoader = it
			try {
				val failure = it.loadClass(WithoutKotlinReflect::class.java.name).getMethod("failure").invoke(null)
				assertThat(failure as String).contains("which function a call of", "Add kotlin-reflect")
			} finally {
				thread.contextClassLoader = before
			}
		}
	}

	object WithoutKotlinReflect {

		@JvmStatic
		fun failure() = try {
			start(Overloaded::class).close()
			""
		} catch (ex: BeanCreationException) {
			ex.message
		}

	}

	@Test
	fun callWhenThePlainFunctionIsGuardedTakesItsLock() {
		handler(PlainOverload::class) { handler: Handler<String> ->
			assertThat(handler.handle("7")).isEqualTo("text 7")
			assertThat((handler as PlainOverload).handle(CustomerId("7"))).isEqualTo("customer null")
		}
	}

	open class PlainOverload : Handler<String> {

		@DistributedLock(key = ["#id"])
		override fun handle(id: String): Any? = "text ${locked()}"

		open fun handle(id: CustomerId): Any? = "customer ${locked()}"

	}

	@ParameterizedTest
	@ValueSource(booleans = [true, false])
	fun callWhenItSuspendsIsGuarded(proxyTargetClass: Boolean) {
		start(Suspending::class, proxyTargetClass).use {
			@Suppress("UNCHECKED_CAST")
			val handler = it.getBean(SuspendingHandler::class.java) as SuspendingHandler<OrderId>
			assertThat(runBlocking { handler.handle(OrderId("7")) }).isEqualTo(OrderId("7"))
			assertThat(runBlocking { handler.find(OrderId("8")) }).isEqualTo("8")
		}
	}

	interface SuspendingHandler<T> {

		suspend fun handle(id: T): T

		suspend fun find(id: T): String?

	}

	open class Suspending : SuspendingHandler<OrderId> {

		@DistributedLock(key = ["#id"])
		override suspend fun handle(id: OrderId): OrderId {
			delay(1)
			return OrderId(lockedLater())
		}

		@DistributedLock(key = ["#id"])
		override suspend fun find(id: OrderId): String? = lockedLater()

	}

	@ParameterizedTest
	@ValueSource(booleans = [true, false])
	fun resultWhenItIsAValueKeepsItsClass(proxyTargetClass: Boolean) {
		start(Returning::class, proxyTargetClass).use {
			@Suppress("UNCHECKED_CAST")
			val source = it.getBean(Source::class.java) as Source<OrderId>
			val found: Any = source.find("7")
			assertThat(found).isEqualTo(OrderId("7"))
			assertThat(source.later(OrderId("7")).join()).isEqualTo(OrderId("7"))
		}
	}

	interface Source<T : Any> {

		fun find(key: String): T

		fun later(key: T): CompletableFuture<T>

	}

	open class Returning : Source<OrderId> {

		@DistributedLock(key = ["#key"])
		override fun find(key: String): OrderId = OrderId(locked()!!)

		@DistributedLock(key = ["#key"])
		override fun later(key: OrderId): CompletableFuture<OrderId> =
			CompletableFuture.completedFuture(OrderId(locked()!!))

	}

	@Test
	fun callWhenTheLockIsBusyFollowsThePolicy() {
		start(WithFallback::class).use {
			val source: Source<OrderId> = it.getBean(WithFallback::class.java)
			it.getBean(LockRegistry::class.java).acquire(LockRequest.of("7")).use {
				val found: Any = source.find("7")
				assertThat(found).isEqualTo(OrderId("instead"))
			}
		}
	}

	open class WithFallback : Source<OrderId> {

		@DistributedLock(key = ["#key"], waitFor = "0", fallback = "instead")
		override fun find(key: String): OrderId = OrderId(key)

		private fun instead(key: String): String = "instead"

		override fun later(key: OrderId): CompletableFuture<OrderId> = CompletableFuture.completedFuture(key)

	}

	/** Those of the function inside the lock, and each once. */
	@ParameterizedTest
	@CsvSource("true, false", "true, true", "false, true")
	fun adviceWhenTheFunctionHasOneRunsInsideTheLock(proxyTargetClass: Boolean, exposed: Boolean) {
		val calls = mutableListOf<String>()
		start(WithAdvice::class, proxyTargetClass) {
			val advice = MethodInterceptor { invocation ->
				calls += "${invocation.method.name.substringBefore('-')} ${locked()}"
				invocation.proceed()
			}
			val advisor = DefaultPointcutAdvisor(AnnotationMatchingPointcut(null, Advised::class.java, true), advice)
			registerBean("advice", Advisor::class.java, Supplier { advisor }, { definition ->
				definition.role = BeanDefinition.ROLE_INFRASTRUCTURE
			})
		}.use {
			@Suppress("UNCHECKED_CAST")
			val handler = it.getBean(Handler::class.java) as Handler<OrderId>
			assertThat(handler.handle(OrderId("7"))).isEqualTo("7")
			assertThat(calls).containsExactly("handle 7")
		}
	}

	open class WithAdvice : Handler<OrderId> {

		@Advised
		@DistributedLock(key = ["#id"])
		override fun handle(id: OrderId): Any? = locked()

	}

	private fun <T> handler(type: KClass<*>, proxyTargetClass: Boolean = true, test: (Handler<T>) -> Unit) =
		start(type, proxyTargetClass).use {
			@Suppress("UNCHECKED_CAST")
			test(it.getBean(Handler::class.java) as Handler<T>)
		}

	companion object {

		fun locked(): String? = Lease.current().map { it.key() }.orElse(null)

		suspend fun lockedLater(): String =
			ReactiveLockTemplate.currentLease().map { it.key() }.awaitSingleOrNull() ?: "without"

		fun start(
			bean: KClass<*>,
			proxyTargetClass: Boolean = true,
			more: AnnotationConfigApplicationContext.() -> Unit = {},
		) = AnnotationConfigApplicationContext().apply {
			val properties =
				mapOf("distributed-lock.store" to "memory", "spring.aop.proxy-target-class" to proxyTargetClass)
			environment.propertySources.addFirst(MapPropertySource("test", properties))
			register(DistributedLockAutoConfiguration::class.java, bean.java)
			more()
			refresh()
		}

	}

}
