package io.distributedlock.kotlin

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.future.future
import org.springframework.context.ApplicationContext
import org.springframework.transaction.reactive.executeAndAwait
import reactor.core.publisher.Flux
import reactor.core.publisher.Mono
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionException
import kotlin.concurrent.thread

/** Which of the guarded methods to call. */
internal enum class Call { PLAIN, SKIPPED, WITH_FALLBACK, BRIEF }

/** How a call has ended; a result that is empty in its kind is {@code null}. */
internal class Outcome(val value: String?, failure: Throwable?) {

	val failure: Throwable? = if (failure is CompletionException) failure.cause else failure

}

/** A call under way, and what its caller can do to end it. */
internal class Running(result: CompletableFuture<String?>, val cancel: () -> Unit = { result.cancel(true) }) {

	val outcome: CompletableFuture<Outcome> = result.handle { value, failure -> Outcome(value, failure) }

}

/** From a call to its outcome, for each kind of result. */
internal enum class ResultKind(
	val bean: Class<*>,
	/** Else the lock stays until the body has ended by itself, of which its caller's future knows nothing. */
	val cancelEndsBody: Boolean = true,
) {

	/** Its caller's only way to cancel is to interrupt the thread. */
	VALUE(GuardedValue::class.java) {

		override fun start(beans: ApplicationContext, call: Call, key: String, work: Work) =
			onThread { invoke(beans, call, key, work) }

		override fun startInTransaction(
			beans: ApplicationContext,
			database: Database,
			key: String,
			work: Work,
			after: () -> Unit,
		) = onThread {
			database.transaction.execute { invoke(beans, Call.PLAIN, key, work).also { after() } }
		}

		private fun invoke(beans: ApplicationContext, call: Call, key: String, work: Work): String? {
			val bean = beans.getBean(GuardedValue::class.java)
			return when (call) {
				Call.PLAIN -> bean.plain(key, work)
				Call.SKIPPED -> bean.skipped(key, work).orElse(null)
				Call.WITH_FALLBACK -> bean.withFallback(key, work)
				Call.BRIEF -> bean.brief(key, work)
			}
		}

	},

	FUTURE(GuardedFuture::class.java, cancelEndsBody = false) {

		override fun start(beans: ApplicationContext, call: Call, key: String, work: Work): Running {
			val returned = CompletableFuture.supplyAsync { invoke(beans, call, key, work) }
			return Running(returned.thenCompose { it.copy() }) { returned.join().cancel(true) }
		}

		override fun startInTransaction(
			beans: ApplicationContext,
			database: Database,
			key: String,
			work: Work,
			after: () -> Unit,
		) = onThread {
			database.transaction.execute { invoke(beans, Call.PLAIN, key, work).join().also { after() } }
		}

		private fun invoke(
			beans: ApplicationContext,
			call: Call,
			key: String,
			work: Work,
		): CompletableFuture<String?> {
			val bean = beans.getBean(GuardedFuture::class.java)
			@Suppress("UNCHECKED_CAST")
			return when (call) {
				Call.PLAIN -> bean.plain(key, work)
				Call.SKIPPED -> bean.skipped(key, work).thenApply { it.orElse(null) }
				Call.WITH_FALLBACK -> bean.withFallback(key, work)
				Call.BRIEF -> bean.brief(key, work)
			} as CompletableFuture<String?>
		}

	},

	MONO(GuardedMono::class.java) {

		override fun start(beans: ApplicationContext, call: Call, key: String, work: Work) =
			running(invoke(beans, call, key, work))

		override fun startInTransaction(
			beans: ApplicationContext,
			database: Database,
			key: String,
			work: Work,
			after: () -> Unit,
		) = running(
			database.operator.transactional(invoke(beans, Call.PLAIN, key, work).doOnSuccess { after() }),
		)

		private fun invoke(beans: ApplicationContext, call: Call, key: String, work: Work): Mono<String> {
			val bean = beans.getBean(GuardedMono::class.java)
			return when (call) {
				Call.PLAIN -> bean.plain(key, work)
				Call.SKIPPED -> bean.skipped(key, work)
				Call.WITH_FALLBACK -> bean.withFallback(key, work)
				Call.BRIEF -> bean.brief(key, work)
			}
		}

	},

	FLUX(GuardedFlux::class.java) {

		override fun start(beans: ApplicationContext, call: Call, key: String, work: Work) =
			running(joined(invoke(beans, call, key, work)))

		override fun startInTransaction(
			beans: ApplicationContext,
			database: Database,
			key: String,
			work: Work,
			after: () -> Unit,
		) = running(
			joined(database.operator.transactional(invoke(beans, Call.PLAIN, key, work).doOnComplete { after() })),
		)

		private fun joined(letters: Flux<String>): Mono<String> =
			letters.collectList().filter { it.isNotEmpty() }.map { it.joinToString("") }

		private fun invoke(beans: ApplicationContext, call: Call, key: String, work: Work): Flux<String> {
			val bean = beans.getBean(GuardedFlux::class.java)
			return when (call) {
				Call.PLAIN -> bean.plain(key, work)
				Call.SKIPPED -> bean.skipped(key, work)
				Call.WITH_FALLBACK -> bean.withFallback(key, work)
				Call.BRIEF -> bean.brief(key, work)
			}
		}

	},

	SUSPEND(GuardedSuspend::class.java) {

		override fun start(beans: ApplicationContext, call: Call, key: String, work: Work) =
			inCoroutine { invoke(beans, call, key, work) }

		override fun startInTransaction(
			beans: ApplicationContext,
			database: Database,
			key: String,
			work: Work,
			after: () -> Unit,
		) = inCoroutine {
			database.operator.executeAndAwait { invoke(beans, Call.PLAIN, key, work).also { after() } }
		}

		private fun inCoroutine(body: suspend () -> String?) =
			Running(CoroutineScope(Dispatchers.Default).future { body() })

		private suspend fun invoke(beans: ApplicationContext, call: Call, key: String, work: Work): String? {
			val bean = beans.getBean(GuardedSuspend::class.java)
			return when (call) {
				Call.PLAIN -> bean.plain(key, work)
				Call.SKIPPED -> bean.skipped(key, work).orElse(null)
				Call.WITH_FALLBACK -> bean.withFallback(key, work)
				Call.BRIEF -> bean.brief(key, work)
			}
		}

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
		val task = CompletableFuture<String?>()
		val caller = thread {
			try {
				task.complete(body())
			} catch (ex: Throwable) {
				task.completeExceptionally(ex)
			}
		}
		return Running(task) { caller.interrupt() }
	}

	fun running(mono: Mono<String>) = Running(mono.toFuture())

}
