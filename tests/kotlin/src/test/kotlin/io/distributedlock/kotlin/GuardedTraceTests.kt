package io.distributedlock.kotlin

import io.distributedlock.annotation.DistributedLock
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration
import io.distributedlock.event.LockObserver
import io.distributedlock.observation.MicrometerLockObserver
import io.micrometer.observation.Observation
import io.micrometer.observation.ObservationRegistry
import io.micrometer.tracing.handler.DefaultTracingObservationHandler
import io.micrometer.tracing.test.simple.SimpleSpan
import io.micrometer.tracing.test.simple.SimpleTracer
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.reactor.ReactorContext
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test
import org.springframework.beans.factory.getBean
import org.springframework.context.annotation.AnnotationConfigApplicationContext
import org.springframework.core.env.MapPropertySource
import reactor.util.context.Context
import java.util.function.Supplier

/** The wait and the hold of a coroutine belong to the observation in its Reactor context. */
internal class GuardedTraceTests {

	private val tracer = SimpleTracer()

	private val observations = ObservationRegistry.create().apply {
		observationConfig().observationHandler(DefaultTracingObservationHandler(tracer))
	}

	private val context = AnnotationConfigApplicationContext().apply {
		environment.propertySources.addFirst(MapPropertySource("test", mapOf("distributed-lock.store" to "memory")))
		registerBean("observer", LockObserver::class.java, Supplier { MicrometerLockObserver(observations) })
		register(DistributedLockAutoConfiguration::class.java, Guarded::class.java)
		refresh()
	}

	private val guarded = context.getBean<Guarded>()

	@AfterEach
	fun close() = context.close()

	@Test
	fun suspendWhenCalledIsTracedBelowTheCaller() = traced { assertThat(guarded.suspending("k")).isEqualTo("k") }

	@Test
	fun flowWhenCollectedIsTracedBelowTheCaller() = traced { assertThat(guarded.flow("k").toList()).hasSize(1) }

	private fun traced(call: suspend () -> Unit) {
		val caller = Observation.start("caller", observations)
		runBlocking(ReactorContext(Context.of("micrometer.observation", caller))) {
			withContext(Dispatchers.Default) { call() }
		}
		caller.stop()
		assertThat(ended("wait lock stock").parentId).isEqualTo(ended("caller").spanId)
		assertThat(ended("hold lock stock").parentId).isEqualTo(ended("caller").spanId)
	}

	private fun ended(name: String): SimpleSpan {
		soon().until { tracer.spans.any { it.name == name && it.endTimestamp.toEpochMilli() > 0 } }
		return tracer.spans.first { it.name == name }
	}

	open class Guarded {

		@DistributedLock(name = "stock", key = ["#key"])
		open suspend fun suspending(key: String): String {
			delay(1)
			return key
		}

		@DistributedLock(name = "stock", key = ["#key"])
		open fun flow(key: String): Flow<String> = flowOf(key)

	}

}
