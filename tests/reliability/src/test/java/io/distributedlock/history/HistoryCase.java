package io.distributedlock.history;

import java.util.EnumSet;
import java.util.Set;
import java.util.function.Consumer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A history made by hand, and the rules that refuse it.
 *
 * @param name the events in it, in words
 * @param rules none for one that is accepted
 * @param script makes it
 */
record HistoryCase(String name, Set<RuleName> rules, Consumer<Script> script) {

	static HistoryCase good(String name, Consumer<Script> script) {
		return new HistoryCase(name, Set.of(), script);
	}

	static HistoryCase bad(String name, RuleName rule, Consumer<Script> script) {
		return new HistoryCase(name, EnumSet.of(rule), script);
	}

	void check() {
		check(new Script());
	}

	void checkOfQuorum() {
		check(new Script().ofQuorum());
	}

	private void check(Script history) {
		this.script.accept(history);
		Report report = history.check();
		assertThat(report.counts().keySet()).as(report.toString()).isEqualTo(this.rules);
		assertThat(report.violations()).allSatisfy((violation) -> {
			assertThat(violation.key()).isEqualTo(Script.KEY);
			assertThat(violation.events()).isNotEmpty().allMatch((event) -> event != null);
		});
	}

	@Override
	public String toString() {
		return this.rules + " " + this.name;
	}

}
