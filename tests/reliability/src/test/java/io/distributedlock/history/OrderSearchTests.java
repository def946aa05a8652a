package io.distributedlock.history;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The verdict on exclusion, tokens and registers is that of a search through all orders,
 * on small random histories.
 */
class OrderSearchTests {

	private static final int SEEDS = 20_000;

	private static final Set<RuleName> RULES = EnumSet.of(RuleName.C1_EXCLUSION, RuleName.C2_TOKEN_ORDER,
			RuleName.C3_FENCED_REGISTER);

	@Test
	void verdictWhenHistoryIsRandomIsThatOfTheSearch() {
		int good = 0;
		Map<RuleName, Integer> bad = new EnumMap<>(RuleName.class);
		for (int seed = 0; seed < SEEDS; seed++) {
			Random random = new Random(seed);
			List<RandomHistory> histories = List.of(new RandomHistory("a", random), new RandomHistory("b", random));
			Report report = check(histories);
			for (RandomHistory history : histories) {
				Set<RuleName> broken = broken(report, history.key);
				boolean exists = new OrderSearch(history).exists();
				assertThat(broken.isEmpty()).as("seed %d, key %s, %s%n%s", seed, history.key, report, history)
					.isEqualTo(exists);
				good += exists ? 1 : 0;
				broken.forEach((rule) -> bad.merge(rule, 1, Integer::sum));
			}
		}
		assertThat(good).isGreaterThan(SEEDS / 2);
		assertThat(2 * SEEDS - good).isGreaterThan(SEEDS / 2);
		assertThat(bad.keySet()).isEqualTo(RULES);
		assertThat(bad.values()).allMatch((count) -> count > SEEDS / 10);
	}

	private static Report check(List<RandomHistory> histories) {
		List<Event> events = new ArrayList<>();
		histories.forEach((history) -> events.addAll(history.events()));
		events.sort(HistoryFile.ORDER);
		HistoryChecker checker = new HistoryChecker(Script.BOUNDS);
		events.forEach(checker::accept);
		return checker.finish();
	}

	private static Set<RuleName> broken(Report report, String key) {
		Set<RuleName> broken = EnumSet.noneOf(RuleName.class);
		report.violations()
			.stream()
			.filter((violation) -> violation.key().equals(key) && RULES.contains(violation.rule()))
			.forEach((violation) -> broken.add(violation.rule()));
		return broken;
	}

}
