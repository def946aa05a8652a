package io.distributedlock;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.distributedlock.text.DisplayText;

/**
 * The name of a lease for other processes: with it they {@linkplain LockRegistry#extend
 * extend} and {@linkplain LockRegistry#release release} the lock, and know its fencing
 * tokens. It is a key to the lock, not a proof that it is held: every process that has it
 * can release. Immutable.
 *
 * @param name the namespace of the keys, maybe empty
 * @param parts the requests that hold the keys: one, unless the store takes keys one by
 * one
 * @since 0.1.0
 */
public record LeaseHandle(String name, List<Part> parts) {

	private static final Pattern ESCAPE = Pattern.compile("~([0-9a-f]{4})");

	public LeaseHandle {
		parts = List.copyOf(parts);
		if (parts.isEmpty()) {
			throw new IllegalArgumentException("A handle needs at least one part");
		}
	}

	/**
	 * Read a handle.
	 * @param text the {@linkplain #toString() text form}
	 * @return the handle
	 * @throws IllegalArgumentException if the text is not that of a handle
	 */
	public static LeaseHandle parse(String text) {
		try {
			String[] fields = text.split(";", -1);
			return new LeaseHandle(unescaped(fields[0]), Arrays.stream(fields).skip(1).map(Part::parse).toList());
		}
		catch (RuntimeException ex) {
			throw new IllegalArgumentException("Not the text of a LeaseHandle, as its toString() gives it: '%s'"
				.formatted(DisplayText.value(String.valueOf(text))), ex);
		}
	}

	/**
	 * The text form, for a message or a column.
	 * @return ASCII without blanks; it grows with the keys
	 */
	@Override
	public String toString() {
		return this.parts.stream().map(Part::toString).collect(Collectors.joining(";", escaped(this.name) + ';', ""));
	}

	private static String escaped(String text) {
		return text.chars()
			.mapToObj((letter) -> (letter > ' ' && letter < '~' && letter != ';' && letter != ',')
					? String.valueOf((char) letter) : "~%04x".formatted(letter))
			.collect(Collectors.joining());
	}

	private static String unescaped(String text) {
		return ESCAPE.matcher(text)
			.replaceAll((found) -> Matcher.quoteReplacement("" + (char) Integer.parseInt(found.group(1), 16)));
	}

	/**
	 * A request that holds keys.
	 *
	 * @param request the id of the request, 32 hexadecimal digits in lower case, as in
	 * {@link LockInspection.Holder#request()}
	 * @param keys the keys, at least one
	 * @param fencingToken the token for all of them
	 */
	public record Part(String request, List<String> keys, long fencingToken) {

		public Part {
			keys = List.copyOf(keys);
			if (!request.matches("[0-9a-f]{32}") || keys.isEmpty()) {
				throw new IllegalArgumentException(
						"A part of a handle needs a request of 32 hexadecimal digits in lower case, and a key: '%s', %s"
							.formatted(DisplayText.value(request), keys));
			}
		}

		private static Part parse(String text) {
			List<String> fields = new ArrayList<>(List.of(text.split(",", -1)));
			return new Part(fields.remove(0), fields.stream().skip(1).map(LeaseHandle::unescaped).toList(),
					Long.parseLong(fields.get(0)));
		}

		@Override
		public String toString() {
			return this.keys.stream()
				.map(LeaseHandle::escaped)
				.collect(Collectors.joining(",", this.request + ',' + this.fencingToken + ',', ""));
		}

	}

}
