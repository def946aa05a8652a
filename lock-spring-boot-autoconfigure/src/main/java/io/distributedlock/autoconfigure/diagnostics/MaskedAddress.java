package io.distributedlock.autoconfigure.diagnostics;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Shows the address of a server without what is secret in it, also where it is none and
 * one has to see why. What may be a password is taken for one.
 */
public final class MaskedAddress {

	private static final String MASK = "****";

	private static final Pattern SCHEME = Pattern.compile("\\s*[a-zA-Z][a-zA-Z0-9+.-]*://");

	/** Host, port and database; what comes after that may be anything. */
	private static final Pattern SERVER = Pattern.compile("(\\[[^]]*]|[^:/?#]*)(:\\d*(?=$|/))?(/[^?#]*)?");

	private MaskedAddress() {
	}

	/**
	 * Mask several addresses.
	 * @param texts the addresses
	 * @return the same ones, without what may be secret
	 */
	public static List<String> of(List<String> texts) {
		return texts.stream().map(MaskedAddress::of).toList();
	}

	/**
	 * Mask an address.
	 * @param text the address
	 * @return the same one, without what may be secret
	 */
	public static String of(String text) {
		Matcher scheme = SCHEME.matcher(text);
		int from = scheme.lookingAt() ? scheme.end() : 0;
		int at = text.lastIndexOf('@');
		if (at < from) {
			return text.substring(0, from) + server(text.substring(from));
		}
		String login = text.substring(from, at);
		String user = login.substring(0, login.indexOf(':') + 1);
		return text.substring(0, from) + user + MASK + '@' + server(text.substring(at + 1));
	}

	private static String server(String text) {
		Matcher server = SERVER.matcher(text);
		int end = server.lookingAt() ? server.end() : 0;
		return (end == text.length()) ? text : text.substring(0, end + 1) + MASK;
	}

}
