package io.distributedlock.redis.lettuce;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.distributedlock.redis.driver.RedisErrors;
import io.distributedlock.redis.driver.ScriptCall;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.protocol.AsyncCommand;
import org.jspecify.annotations.Nullable;

/**
 * A script on its way to the primary and its replicas.
 */
final class ReplicatedCall {

	private static final Pattern REDIRECTION = Pattern.compile("(MOVED|ASK) \\d+ (\\S+:\\d+)");

	private static final int MOST_REDIRECTIONS = 5;

	private final ScriptCall call;

	private boolean bySource;

	private boolean asking;

	private int redirections;

	/** Host and port of a node of a cluster. */
	private String place;

	ReplicatedCall(ScriptCall call, String place) {
		this.call = call;
		this.place = place;
	}

	String place() {
		return this.place;
	}

	/** What hears the answer. */
	ScriptCall call() {
		return this.call;
	}

	AsyncCommand<byte[], byte[], Object> send(StatefulRedisConnection<byte[], byte[]> connection) {
		if (this.asking) {
			connection.async().asking();
		}
		AsyncCommand<byte[], byte[], Object> command = new AsyncCommand<>(
				ScriptOutput.command(this.call, this.bySource));
		connection.dispatch(command);
		return command;
	}

	/** Whether to send it again as text, since the server does not know the digest. */
	boolean isToBeSentAsText(@Nullable Throwable failure) {
		boolean first = failure != null && !this.bySource && RedisErrors.isNoScript(failure);
		this.bySource |= first;
		return first;
	}

	/** Whether a node has named another one, which is its place now. */
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
