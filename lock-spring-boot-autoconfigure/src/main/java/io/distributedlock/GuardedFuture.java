package io.distributedlock;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

/**
 * What the caller of a body with a plain future gets. A plain future calls nobody back,
 * so the release comes with the first look that finds it done: the caller's, or that of
 * one thread for all, which is there while there is something to look at.
 */
final class GuardedFuture<T extends @Nullable Object> implements Future<T> {

	private static final int LOOK_MILLIS = 100;

	private static final int IDLE_SECONDS = 5;

	/** The JDK's delayed executor starts a thread for each look on small machines. */
	private static final ScheduledThreadPoolExecutor LATER = new ScheduledThreadPoolExecutor(1,
			GuardedFuture::newThread);

	static {
		LATER.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
		LATER.allowCoreThreadTimeOut(true);
	}

	private final LeaseScope scope;

	private final Future<T> body;

	private final AtomicBoolean ended = new AtomicBoolean();

	private final CompletableFuture<@Nullable Void> released = new CompletableFuture<>();

	private GuardedFuture(LeaseScope scope, Future<T> body) {
		this.scope = scope;
		this.body = body;
	}

	static <T extends @Nullable Object> Future<T> of(LeaseScope scope, Future<T> body) {
		GuardedFuture<T> guarded = new GuardedFuture<>(scope, body);
		try {
			guarded.watch();
			return guarded;
		}
		catch (RuntimeException | Error ex) {
			Losses.suppress(ex, scope.endQuietly());
			throw ex;
		}
	}

	private void watch() {
		if (this.body.isDone()) {
			this.ended.set(true);
			settle(this.scope.endQuietly());
		}
		else {
			this.scope.lease().detach();
			lookLater();
		}
	}

	private void lookLater() {
		LATER.schedule(this::look, LOOK_MILLIS, TimeUnit.MILLISECONDS);
	}

	/** It asks futures of any caller, so it takes neither identity nor classes of one. */
	private static Thread newThread(Runnable task) {
		Thread thread = new Thread(null, task, "distributed-lock-future", 0, false);
		thread.setDaemon(true);
		thread.setContextClassLoader(GuardedFuture.class.getClassLoader());
		return thread;
	}

	private void look() {
		if (isDoneNow()) {
			end();
		}
		else {
			lookLater();
		}
	}

	/** A look that fails says nothing, and is no reason never to look again. */
	private boolean isDoneNow() {
		try {
			return this.body.isDone();
		}
		catch (RuntimeException | Error ex) {
			return false;
		}
	}

	private void end() {
		if (this.ended.compareAndSet(false, true)) {
			this.scope.endAsync().whenComplete((done, loss) -> settle(loss));
		}
	}

	private void settle(@Nullable Throwable loss) {
		if (loss != null) {
			this.released.completeExceptionally(Losses.told(loss, true));
		}
		else {
			this.released.complete(null);
		}
	}

	@Override
	public boolean cancel(boolean mayInterruptIfRunning) {
		boolean cancelled = this.body.cancel(mayInterruptIfRunning);
		if (this.body.isDone()) {
			end();
		}
		return cancelled;
	}

	@Override
	public boolean isCancelled() {
		return this.body.isCancelled();
	}

	@Override
	public boolean isDone() {
		if (this.body.isDone()) {
			end();
		}
		return this.released.isDone();
	}

	@Override
	public T get() throws InterruptedException, ExecutionException {
		return get(this.body::get);
	}

	@Override
	public T get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
		return this.<TimeoutException>get(() -> this.body.get(timeout, unit));
	}

	private <E extends Exception> T get(Getter<T, E> getter) throws InterruptedException, ExecutionException, E {
		T result;
		try {
			result = getter.get();
		}
		catch (ExecutionException | CancellationException ex) {
			end();
			Losses.suppress(ex, this.released.handle((done, loss) -> loss).get());
			throw ex;
		}
		end();
		this.released.get();
		return result;
	}

	/** Either way to get a result. */
	private interface Getter<T extends @Nullable Object, E extends Exception> {

		T get() throws InterruptedException, ExecutionException, E;

	}

}
