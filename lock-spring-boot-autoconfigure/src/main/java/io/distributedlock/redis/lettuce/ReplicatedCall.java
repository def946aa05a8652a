package io.distributedlock.redis.lettuce;

import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.distributedlock.redis.driver.RedisErrors;
import io.distributedlock.redis.driver.RedisScript;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.async.RedisAsyncCommands;
import org.jspecify.annotations.Nullable;

/**
 * A script on its way to the primary and its replicas. Cancelling it withdraws it if it
 * was not sent yet.
 */
final class ReplicatedCall extends CompletableFuture<Object> {

	private static final Pattern REDIRECTION = Pattern.compile("(MOVED|ASK) \\d+ (\\S+:\\d+)");

	private static final int MOST_REDIRECTIONS = 5;

	private final RedisScript script;

	private final byte[][] keys;

	private final byte[][] args;

	private boolean bySource;

	private boolean asking;

	private int redirections;

	ReplicatedCall(RedisScript script, byte[][] keys, byte[][] args) {
		this.script = script;
		this.keys = keys;
		this.args = args;
	}

	byte[] key() {
		return this.keys[0];
	}

	RedisFuture<Object> send(RedisAsyncCommands<byte[], byte[]> commands) {
		if (this.asking) {
			commands.asking();
		}
		return ScriptOutput.send(commands, this.script, this.bySource, this.keys, this.args);
	}

	/** Whether to send it again as text, since the server does not know the digest. */
	boolean isToBeSentAsText(@Nullable Throwable failure) {
		boolean first = failure != null && !this.bySource && RedisErrors.isNoScript(failure);
		this.bySource |= first;
		return first;
	}

	/**
	 * Follow a redirection.
	 * @param failure what the node said
	 * @return host and port of the node to send it to, or {@code null} if the node did
	 * not redirect
	 */
	@Nullable String redirected(Throwable failure) {
		Matcher matcher = REDIRECTION.matcher(String.valueOf(failure.getMessage()));
		if (!matcher.find() || ++this.redirections > MOST_REDIRECTIONS) {
			return null;
		}
		this.asking = matcher.group(1).equals("ASK");
		return matcher.group(2);
	}

}
