package io.distributedlock.kotlin

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.future.future
import org.springframework.beans.factory.getBean
import org.springframework.context.ApplicationContext
import java.util.concurrent.CompletableFuture
import kotlin.concurrent.thread

/** From a call of a lock with a mode to its outcome, for each kind of result. */
internal enum class ModeKind(
	val bean: Class<*>,
	private val call: (ApplicationContext, ModeCall, String, Work) -> CompletableFuture<String?>,
) {

	VALUE(
		ValueModes::class.java,
		{ beans, mode, key, work -> onThread { beans.getBean<ValueModes>().invoke(mode, key, work) } },
	),

	FUTURE(
		FutureModes::class.java,
		{ beans, mode, key, work ->
			onThread { beans.getBean<FutureModes>().invoke(mode, key, work) }.thenCompose { it }
		},
	),

	MONO(
		MonoModes::class.java,
		{ beans, mode, key, work -> beans.getBean<MonoModes>().invoke(mode, key, work).toFuture() },
	),

	FLUX(
		FluxModes::class.java,
		{ beans, mode, key, work -> beans.getBean<FluxModes>().invoke(mode, key, work).singleOrEmpty().toFuture() },
	),

	SUSPEND(
		SuspendModes::class.java,
		{ beans, mode, key, work ->
			CoroutineScope(Dispatchers.Default).future { beans.getBean<SuspendModes>().invoke(mode, key, work) }
		},
	);

	fun start(beans: ApplicationContext, mode: ModeCall, key: String, work: Work) =
		Running(call(beans, mode, key, work))

}

private fun <T> onThread(call: () -> T): CompletableFuture<T> = CompletableFuture<T>().apply {
	thread {
		try {
			complete(call())
		} catch (ex: Throwable) {
			completeExceptionally(ex)
		}
	}
}
