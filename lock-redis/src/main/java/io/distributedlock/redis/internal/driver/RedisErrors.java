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
 * Reads what servers and drivers say when a command fails, whatever a driver has put
 * around it.
 */
public final class RedisErrors {

	private static final Pattern REFUSED = Pattern
		.compile("\\bNOPERM\\b|user executing the script can't|ACL failure in script");

	private RedisErrors() {
	}

	/** What a stage of a future has put into a {@link CompletionException}. */
	public static Throwable unwrapped(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	/** Whether the server does not know a digest. */
	public static boolean isNoScript(Throwable failure) {
		return says(failure, "NOSCRIPT");
	}

	/** Whether Jedis found a connection closed that it took for open. */
	public static boolean isDeadConnection(Throwable failure) {
		return says(failure, "Unexpected end of stream")
				|| causes(failure).anyMatch((cause) -> cause.getClass() == SocketException.class);
	}

	/** Whether the server said nothing for too long, be it while it was connected to. */
	public static boolean isTimeout(Throwable failure) {
		return causes(failure)
			.anyMatch((cause) -> cause instanceof TimeoutException || cause instanceof SocketTimeoutException)
				|| says(failure, "Connection initialization timed out");
	}

	/** Whether the answer had the shape of another one, or the number. */
	static boolean isForeignAnswer(Throwable failure) {
		return causes(failure).anyMatch(ClassCastException.class::isInstance);
	}

	/** What the server said when it refused for want of a permission. */
	public static @Nullable String refusal(Throwable failure) {
		return said(REFUSED, failure);
	}

	/** Whether neither the driver nor the server knows what was asked for. */
	public static boolean isUnsupported(Throwable failure) {
		return says(failure, "ERR unknown command")
				|| causes(failure).anyMatch(UnsupportedOperationException.class::isInstance);
	}

	/** Whether a message begins with a text. */
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
	 * The first message that has it. What the nodes of a cluster have said is beside the
	 * chain of causes, and counts if all of them say it.
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
	 * Jedis has what the system said beside the chain of causes, and so has Lettuce on a
	 * cluster, where the message repeats it in more lines.
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
