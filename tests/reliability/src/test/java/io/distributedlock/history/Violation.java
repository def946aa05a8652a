package io.distributedlock.history;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Something that must not happen, and did.
 *
 * @param rule the rule
 * @param key the lock
 * @param events the events involved, in order of time as far as known
 * @param sentence a description of the failure
 */
public record Violation(RuleName rule, String key, List<Event> events, String sentence) {

	@Override
	public String toString() {
		return "%s '%s': %s%n%s".formatted(this.rule, this.key, this.sentence,
				this.events.stream().map((event) -> "    " + event).collect(Collectors.joining("\n")));
	}

}
