package io.distributedlock.redis.internal.driver;

import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Reads the texts of servers and drivers when a command fails, inside any wrapper.
 */
public final class RedisErrors {

	/**
	 * The regular expression for what stands before the code of an error. A code counts
	 * only there: the rest may quote the name of a user, a command or a key, and any of
	 * them may be called like a code. Redis before 7 begins the error of a script with
	 * its place, and that of a command in it with a hyphen. Spring Data Redis puts the
	 * errors of a cluster's nodes into one message with Jedis, of which the first counts.
	 */
	public static final String START = "^(?:Could not retrieve cluster information; CLUSTER NODES returned with error"
			+ "\\s+- \\S+ failed: )?(?:ERR |Error running script \\(call to \\w+\\): |@?user_script: ?\\d+: )*-?";

	/** The regular expression for the codes and texts of a missing permission. */
	public static final String REFUSAL = "NOPERM\\b|The user executing the script can't|ACL failure in script";

	private static final Pattern REFUSED = starting(REFUSAL);

	private RedisErrors() {
	}

	/**
	 * Return the failure inside a {@link CompletionException}, which a stage of a future
	 * adds.
	 */
	public static Throwable unwrapped(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	/** Return whether the server does not know a digest. */
	public static boolean isNoScript(Throwable failure) {
		return says(failure, "NOSCRIPT");
	}

	/** Return whether Jedis found a connection closed that it took for open. */
	public static boolean isDeadConnection(Throwable failure) {
		return says(failure, "Unexpected end of stream")
				|| causes(failure).anyMatch((cause) -> cause.getClass() == SocketException.class);
	}

	/**
	 * Return whether the server was silent for too long, also while a connection was set
	 * up.
	 */
	public static boolean isTimeout(Throwable failure) {
		return causes(failure)
			.anyMatch((cause) -> cause instanceof TimeoutException || cause instanceof SocketTimeoutException)
				|| says(failure, "Connection initialization timed out");
	}

	/** Return whether an answer has the shape or the number of another one. */
	static boolean isForeignAnswer(Throwable failure) {
		return causes(failure).anyMatch(ClassCastException.class::isInstance);
	}

	/**
	 * Return the text of a server that refused for want of a permission, or {@code null}.
	 */
	public static @Nullable String refusal(Throwable failure) {
		return said(REFUSED, failure);
	}

	/** Return whether the driver or the server does not know the operation. */
	public static boolean isUnsupported(Throwable failure) {
		return says(failure, "ERR unknown command")
				|| causes(failure).anyMatch(UnsupportedOperationException.class::isInstance);
	}

	/** Return a pattern for errors by their codes, or by the beginning of their texts. */
	public static Pattern starting(String codes) {
		return Pattern.compile(START + "(?:" + codes + ')');
	}

	/** Return whether a message begins with a text. */
	public static boolean says(Throwable failure, String text) {
		return messages(failure).anyMatch((message) -> message.startsWith(text));
	}

	private static Stream<String> messages(Throwable failure) {
		return causes(failure).map(Throwable::getMessage).filter(Objects::nonNull);
	}

	private static Stream<Throwable> causes(Throwable failure) {
		return Stream.iterate(failure, Objects::nonNull, Throwable::getCause);
	}

	/**
	 * Return the first message that matches, or {@code null}. The messages of a cluster's
	 * nodes are in suppressed exceptions, and count if all of them match.
	 */
	public static @Nullable String said(Pattern pattern, Throwable failure) {
		return causes(failure).flatMap((cause) -> Stream.of(cause.getMessage(), saidByAll(pattern, cause)))
			.filter((message) -> message != null && pattern.matcher(message).find())
			.findFirst()
			.orElse(null);
	}

	private static @Nullable String saidByAll(Pattern pattern, Throwable cause) {
		List<@Nullable String> said = Arrays.stream(cause.getSuppressed())
			.<@Nullable String>map((beside) -> said(pattern, beside))
			.toList();
		return (said.isEmpty() || said.contains(null)) ? null : said.get(0);
	}

	/**
	 * Return the first line of the deepest message, with that of a suppressed exception.
	 * Jedis has the system's text there, and so has Lettuce on a cluster, where more
	 * lines of the message repeat it.
	 */
	public static String deepestMessage(Throwable failure) {
		Throwable deepest = failure;
		while (deepest.getCause() != null) {
			deepest = deepest.getCause();
		}
		String message = String.valueOf((deepest.getMessage() != null) ? deepest.getMessage() : deepest)
			.split("\\R", 2)[0];
		Throwable[] beside = deepest.getSuppressed();
		return (beside.length == 0) ? message : message + " (" + deepestMessage(beside[0]) + ')';
	}

}
