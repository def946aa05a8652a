package io.distributedlock.kotlin

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.future.future
import org.springframework.beans.factory.getBean
import org.springframework.context.ApplicationContext
import org.springframework.transaction.reactive.executeAndAwait
import reactor.core.publisher.Flux
import reactor.core.publisher.Mono
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionException
import kotlin.concurrent.thread

/** How a call has ended; a result that is empty in its kind is {@code null}. */
internal class Outcome(val value: String?, failure: Throwable?) {

	val failure: Throwable? = if (failure is CompletionException) failure.cause else failure

}

/** A call under way, and the way its caller can end it. */
internal class Running(result: CompletableFuture<String?>, val cancel: () -> Unit = { result.cancel(true) }) {

	val outcome: CompletableFuture<Outcome> = result.handle { value, failure -> Outcome(value, failure) }

}

/** Turns a call into its outcome, for each kind of result. */
internal enum class ResultKind(
	val bean: Class<*>,
	/** Else the lock stays until the body has ended by itself, of which its caller's future knows nothing. */
	val cancelEndsBody: Boolean = true,
) {

	/** Its caller's only way to cancel is to interrupt the thread. */
	VALUE(GuardedValue::class.java) {

		override fun start(beans: ApplicationContext, call: Call, key: String, work: Work) =
			onThread { beans.getBean<GuardedValue>().invoke(call, key, work) }

		override fun startInTransaction(
			beans: ApplicationContext,
			database: Database,
			key: String,
			work: Work,
			after: () -> Unit,
		) = onThread {
			database.transaction.execute { beans.getBean<GuardedValue>().invoke(Call.PLAIN, key, work).also { after() } }
		}

	},

	FUTURE(GuardedFuture::class.java, cancelEndsBody = false) {

		override fun start(beans: ApplicationContext, call: Call, key: String, work: Work): Running {
			val returned = inThread { beans.getBean<GuardedFuture>().invoke(call, key, work) }.first
			return Running(returned.thenCompose { it.copy() }) { returned.join().cancel(true) }
		}

		override fun startInTransaction(
			beans: ApplicationContext,
			database: Database,
			key: String,
			work: Work,
			after: () -> Unit,
		) = onThread {
			database.transaction.execute { beans.getBean<GuardedFuture>().invoke(Call.PLAIN, key, work).join().also { after() } }
		}

	},

	MONO(GuardedMono::class.java) {

		override fun start(beans: ApplicationContext, call: Call, key: String, work: Work) =
			running(beans.getBean<GuardedMono>().invoke(call, key, work))

		override fun startInTransaction(
			beans: ApplicationContext,
			database: Database,
			key: String,
			work: Work,
			after: () -> Unit,
		) = running(
			database.operator.transactional(beans.getBean<GuardedMono>().invoke(Call.PLAIN, key, work).doOnSuccess { after() }),
		)

	},

	FLUX(GuardedFlux::class.java) {

		override fun start(beans: ApplicationContext, call: Call, key: String, work: Work) =
			running(joined(beans.getBean<GuardedFlux>().invoke(call, key, work)))

		override fun startInTransaction(
			beans: ApplicationContext,
			database: Database,
			key: String,
			work: Work,
			after: () -> Unit,
		) = running(
			joined(database.operator.transactional(beans.getBean<GuardedFlux>().invoke(Call.PLAIN, key, work).doOnComplete { after() })),
		)

		private fun joined(letters: Flux<String>): Mono<String> =
			letters.collectList().filter { it.isNotEmpty() }.map { it.joinToString("") }

	},

	SUSPEND(GuardedSuspend::class.java) {

		override fun start(beans: ApplicationContext, call: Call, key: String, work: Work) =
			inCoroutine { beans.getBean<GuardedSuspend>().invoke(call, key, work) }

		override fun startInTransaction(
			beans: ApplicationContext,
			database: Database,
			key: String,
			work: Work,
			after: () -> Unit,
		) = inCoroutine {
			database.operator.executeAndAwait { beans.getBean<GuardedSuspend>().invoke(Call.PLAIN, key, work).also { after() } }
		}

		private fun inCoroutine(body: suspend () -> String?) =
			Running(CoroutineScope(Dispatchers.Default).future { body() })

	};

	/** Call a guarded method and go on. */
	abstract fun start(beans: ApplicationContext, call: Call, key: String, work: Work): Running

	/**
	 * Call the plain method within a transaction that is open already, and do something after it has returned its
	 * result and before the commit.
	 */
	abstract fun startInTransaction(
		beans: ApplicationContext,
		database: Database,
		key: String,
		work: Work,
		after: () -> Unit,
	): Running

	fun onThread(body: () -> String?): Running {
		val (result, caller) = inThread(body)
		return Running(result) { caller.interrupt() }
	}

	fun <T> inThread(body: () -> T): Pair<CompletableFuture<T>, Thread> {
		val result = CompletableFuture<T>()
		val caller = thread {
			try {
				result.complete(body())
			} catch (ex: Throwable) {
				result.completeExceptionally(ex)
			}
		}
		return result to caller
	}

	fun running(mono: Mono<String>) = Running(mono.toFuture())

}
