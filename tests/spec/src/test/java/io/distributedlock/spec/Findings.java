package io.distributedlock.spec;

import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The findings of TLC, read from the numbered messages of its tool mode.
 *
 * @param file where the output is kept
 * @param output all that TLC has printed, with the behaviour that violates a claim
 */
record Findings(Path file, String output) {

	private static final String COMPLETED = "2193";

	private static final String INVARIANT_VIOLATED = "2110";

	private static final String ACTION_PROPERTY_VIOLATED = "2112";

	private static final String TEMPORAL_PROPERTY_VIOLATED = "2116";

	private static final String STATES = "2199";

	private static final String ACTION = "2772";

	/** Return whether all states were explored and no claim was violated. */
	boolean isComplete() {
		return !messages(COMPLETED, "(No error has been found)").isEmpty();
	}

	/** The number of different states. */
	long states() {
		return messages(STATES, "(\\d+) distinct states found").stream()
			.mapToLong((found) -> Long.parseLong(found.group(1)))
			.max()
			.orElse(0);
	}

	/** The name of the violated invariant or property of steps, or an empty text. */
	String violated() {
		return messages(INVARIANT_VIOLATED + '|' + ACTION_PROPERTY_VIOLATED, "(\\w+) is violated").stream()
			.map((found) -> found.group(1))
			.findFirst()
			.orElse("");
	}

	/** Return whether a property of behaviours is violated; TLC prints no name of it. */
	boolean isTemporalPropertyViolated() {
		return !messages(TEMPORAL_PROPERTY_VIOLATED, "(violated)").isEmpty();
	}

	/** The actions of the model, or those of them that were never possible. */
	Set<String> actions(boolean impossible) {
		Set<String> actions = new LinkedHashSet<>();
		for (MatchResult found : messages(ACTION, "<(\\w+) [^>]*>: \\d+:(\\d+)")) {
			if (!impossible || found.group(2).equals("0")) {
				actions.add(found.group(1));
			}
		}
		return actions;
	}

	private List<MatchResult> messages(String codes, String text) {
		return Pattern.compile("@!@!@STARTMSG (?:" + codes + "):\\d @!@!@\\n[^@]*?" + text)
			.matcher(this.output)
			.results()
			.toList();
	}

	@Override
	public String toString() {
		return this.output.lines()
			.filter((line) -> !line.startsWith("@!@!@"))
			.limit(40)
			.collect(Collectors.joining("\n")) + "\nAll of it is in " + this.file;
	}

}
