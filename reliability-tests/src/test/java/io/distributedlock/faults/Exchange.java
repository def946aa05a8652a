package io.distributedlock.faults;

import java.nio.charset.StandardCharsets;
import java.util.function.Predicate;

/**
 * A command and its reply as they went over the wire, one character per byte.
 *
 * @param command the command, empty for what the server says unasked
 * @param reply the reply
 */
public record Exchange(String command, String reply) {

	static String text(byte[] message) {
		return new String(message, StandardCharsets.ISO_8859_1);
	}

	/**
	 * Recognizes exchanges by their command.
	 * @param text what the command has in it
	 * @return a predicate
	 */
	public static Predicate<Exchange> commandHas(String text) {
		return (exchange) -> exchange.command.contains(text);
	}

	/**
	 * Recognizes exchanges by their reply.
	 * @param text what the reply has in it
	 * @return a predicate
	 */
	public static Predicate<Exchange> replyHas(String text) {
		return (exchange) -> exchange.reply.contains(text);
	}

}
