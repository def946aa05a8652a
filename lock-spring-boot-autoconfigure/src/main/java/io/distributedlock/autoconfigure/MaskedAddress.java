package io.distributedlock.autoconfigure;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Shows the address of a server without its password, also where it is none and one has
 * to see why: all but the user that stands before the last {@code @} is hidden, and the
 * rest shown.
 */
final class MaskedAddress {

	private static final String MASK = "****";

	private static final Pattern SCHEME = Pattern.compile("\\s*[a-zA-Z][a-zA-Z0-9+.-]*://");

	private MaskedAddress() {
	}

	static List<String> of(List<String> texts) {
		return texts.stream().map(MaskedAddress::of).toList();
	}

	static String of(String text) {
		Matcher scheme = SCHEME.matcher(text);
		int from = scheme.lookingAt() ? scheme.end() : 0;
		int at = text.lastIndexOf('@');
		if (at < from) {
			return text;
		}
		String login = text.substring(from, at);
		String user = login.substring(0, login.indexOf(':') + 1);
		return text.substring(0, from) + user + MASK + '@' + text.substring(at + 1);
	}

}
