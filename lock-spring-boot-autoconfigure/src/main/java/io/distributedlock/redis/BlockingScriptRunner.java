package io.distributedlock.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisScriptingCommands;
import org.springframework.data.redis.connection.ReturnType;

/**
 * Runs scripts with any driver, on a few threads of its own because the driver blocks.
 */
final class BlockingScriptRunner implements ScriptRunner {

	private static final int MAX_THREADS = 4;

	private final RedisConnectionFactory factory;

	private final ThreadPoolExecutor threads = DaemonThreads.pool("redis", MAX_THREADS);

	BlockingScriptRunner(RedisConnectionFactory factory) {
		this.factory = factory;
	}

	@Override
	public CompletableFuture<Object> run(LockScript script, byte[][] keys, byte[][] args) {
		Call call = new Call(script, keys.length, joined(keys, args));
		try {
			this.threads.execute(call);
		}
		catch (RejectedExecutionException ex) {
			call.completeExceptionally(ex);
		}
		return call;
	}

	private static byte[][] joined(byte[][] keys, byte[][] args) {
		byte[][] joined = new byte[keys.length + args.length][];
		System.arraycopy(keys, 0, joined, 0, keys.length);
		System.arraycopy(args, 0, joined, keys.length, args.length);
		return joined;
	}

	@Override
	public void warmUp() {
		this.threads.execute(() -> {
			try {
				this.factory.getConnection().close();
			}
			catch (RuntimeException ignored) {
				// The first command will tell.
			}
		});
	}

	@Override
	public void close() {
		this.threads.shutdown();
	}

	/** One script on its way. */
	private final class Call extends CompletableFuture<Object> implements Runnable {

		private final LockScript script;

		private final int keyCount;

		private final byte[][] keysAndArgs;

		Call(LockScript script, int keyCount, byte[][] keysAndArgs) {
			this.script = script;
			this.keyCount = keyCount;
			this.keysAndArgs = keysAndArgs;
		}

		@Override
		public void run() {
			if (isDone()) {
				return;
			}
			Object answer;
			try (RedisConnection connection = BlockingScriptRunner.this.factory.getConnection()) {
				answer = evaluate(connection.scriptingCommands());
			}
			catch (Throwable ex) {
				completeExceptionally(ex);
				return;
			}
			complete(answer);
		}

		private @Nullable Object evaluate(RedisScriptingCommands commands) {
			ReturnType type = this.script.answersWithList() ? ReturnType.MULTI : ReturnType.INTEGER;
			try {
				return commands.evalSha(this.script.sha(), type, this.keyCount, this.keysAndArgs);
			}
			catch (RuntimeException ex) {
				if (!RedisFailures.isNoScript(ex)) {
					throw ex;
				}
				return commands.eval(this.script.source(), type, this.keyCount, this.keysAndArgs);
			}
		}

		@Override
		public boolean cancel(boolean mayInterruptIfRunning) {
			boolean cancelled = super.cancel(mayInterruptIfRunning);
			BlockingScriptRunner.this.threads.remove(this);
			return cancelled;
		}

	}

}
