package io.distributedlock.redis;

import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.distributedlock.redis.driver.DedicatedConnections;
import io.distributedlock.redis.driver.RedisScript;
import io.distributedlock.redis.driver.ScriptCall;
import org.jspecify.annotations.Nullable;

/**
 * An acquisition that is on its way to the primary and its replicas. One thread has it at
 * a time. Cancelling it withdraws it if it was not sent yet.
 */
final class AcknowledgedCall extends CompletableFuture<Object> implements ScriptCall {

	private static final Pattern REDIRECTION = Pattern.compile("(MOVED|ASK) \\d+ (\\S+:\\d+)");

	private static final int MOST_REDIRECTIONS = 5;

	private final RedisScript script;

	private final byte[][] keys;

	private final byte[][] args;

	private boolean bySource;

	private boolean asking;

	private int redirections;

	AcknowledgedCall(RedisScript script, byte[][] keys, byte[][] args) {
		this.script = script;
		this.keys = keys;
		this.args = args;
	}

	@Override
	public RedisScript script() {
		return this.script;
	}

	@Override
	public byte[][] keys() {
		return this.keys;
	}

	@Override
	public byte[][] args() {
		return this.args;
	}

	@Override
	public boolean isBySource() {
		return this.bySource;
	}

	void sendSource() {
		this.bySource = true;
	}

	@Override
	public boolean isAsking() {
		return this.asking;
	}

	/**
	 * Follow a redirection.
	 * @param failure what a node said
	 * @param connections where the nodes are
	 * @return where to go, or nothing if that is not what the node said
	 */
	@Nullable String redirected(Throwable failure, DedicatedConnections connections) {
		Matcher matcher = REDIRECTION.matcher(String.valueOf(failure.getMessage()));
		if (!matcher.find() || ++this.redirections > MOST_REDIRECTIONS) {
			return null;
		}
		this.asking = matcher.group(1).equals("ASK");
		String address = matcher.group(2);
		return this.asking ? address : connections.moved(this.keys[0], address);
	}

}
