package io.distributedlock.redis.internal.lettuce;

import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.distributedlock.redis.internal.driver.RedisErrors;
import io.distributedlock.redis.internal.driver.ScriptCall;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import org.jspecify.annotations.Nullable;

/**
 * A call on its way to a primary and its replicas.
 */
final class ReplicatedCall {

	private static final Pattern REDIRECTION = Pattern.compile("^(MOVED|ASK) \\d+ (\\S+:\\d+)");

	private static final int MOST_REDIRECTIONS = 5;

	private final ScriptCall call;

	private boolean bySource;

	private boolean asking;

	private int redirections;

	/** Host and port of a node of a cluster, else empty. */
	private String place;

	ReplicatedCall(ScriptCall call, String place) {
		this.call = call;
		this.place = place;
	}

	String place() {
		return this.place;
	}

	/** Return the call that gets the answer. */
	ScriptCall call() {
		return this.call;
	}

	CompletableFuture<Object> send(StatefulRedisConnection<byte[], byte[]> connection) {
		RedisAsyncCommands<byte[], byte[]> commands = connection.async();
		if (this.asking) {
			commands.asking();
		}
		byte[][] keys = this.call.keys;
		byte[][] args = this.call.args;
		RedisFuture<Object> answer = this.bySource
				? commands.eval(this.call.script.source, ScriptOutputType.MULTI, keys, args)
				: commands.evalsha(this.call.script.sha, ScriptOutputType.MULTI, keys, args);
		return answer.toCompletableFuture();
	}

	/**
	 * Return whether the server does not know the digest of the script. The script then
	 * has to be sent again as text, at most once.
	 */
	boolean isToBeSentAsText(@Nullable Throwable failure) {
		boolean first = failure != null && !this.bySource && RedisErrors.isNoScript(failure);
		this.bySource |= first;
		return first;
	}

	/**
	 * Return whether a node has named another one, which {@link #place()} returns then.
	 */
	boolean isRedirectedBy(Throwable failure) {
		Matcher matcher = REDIRECTION.matcher(String.valueOf(failure.getMessage()));
		if (!matcher.find() || ++this.redirections > MOST_REDIRECTIONS) {
			return false;
		}
		this.asking = matcher.group(1).equals("ASK");
		this.place = matcher.group(2);
		return true;
	}

}
