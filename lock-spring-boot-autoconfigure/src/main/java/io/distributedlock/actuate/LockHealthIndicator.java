package io.distributedlock.actuate;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.distributedlock.store.StoreNode;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * Whether locks can be had, and whether they are as safe as they look: the servers
 * answer, none may drop locks, their clocks are near that of this machine, and renewals
 * are confirmed in time. Sends one command to each server. Thread-safe.
 *
 * @since 0.1.0
 */
public final class LockHealthIndicator extends AbstractHealthIndicator {

	/** Locks can be had, but something has to be repaired. */
	public static final Status WARNING = new Status("WARNING", "Locks can be had, but something has to be repaired");

	/** Fencing tokens follow the clock of the server. */
	static final Duration MOST_SKEW = Duration.ofSeconds(1);

	private final LockSource source;

	private final Clock clock;

	/**
	 * Create an indicator.
	 * @param source the registry and its store
	 * @param clock the clock of this machine
	 */
	public LockHealthIndicator(LockSource source, Clock clock) {
		super("The health of the locks could not be checked");
		this.source = source;
		this.clock = clock;
	}

	@Override
	protected void doHealthCheck(Health.Builder health) {
		List<String> problems = new ArrayList<>();
		Map<String, Object> details = new LinkedHashMap<>();
		List<StoreNode> nodes = LocksReport.nodes(this.source.store());
		Instant now = this.clock.instant();
		nodes.forEach((node) -> details.put(node.name(), details(node, now, problems)));
		int held = this.source.statistics().held();
		int overdue = this.source.statistics().overdue();
		if (overdue > 0) {
			problems.add("%d of %d leases are more than half over without a renewal".formatted(overdue, held));
		}
		health.withDetail("nodes", details).withDetail("held", held).withDetail("overdueRenewals", overdue);
		if (!problems.isEmpty()) {
			health.withDetail("problems", problems);
		}
		health.status(!this.source.store().worksWith(nodes) ? Status.DOWN : problems.isEmpty() ? Status.UP : WARNING);
	}

	private static Map<String, Object> details(StoreNode node, Instant now, List<String> problems) {
		Map<String, Object> details = new LinkedHashMap<>();
		if (node.failure() != null) {
			details.put("failure", String.valueOf(node.failure().getMessage()));
			return details;
		}
		Duration took = (node.answeredIn() != null) ? node.answeredIn() : Duration.ZERO;
		details.put("answeredInMillis", LocksReport.millis(took));
		details.put("evictionPolicy", node.evictionPolicy().isEmpty() ? "unknown" : node.evictionPolicy());
		if (node.mayEvict()) {
			problems.add(
					"%s may drop locks that are held, since its eviction policy is %s: set maxmemory-policy to noeviction"
						.formatted(node.name(), node.evictionPolicy()));
		}
		if (node.time() != null) {
			Duration skew = Duration.between(now, node.time());
			details.put("clockSkewMillis", skew.toMillis());
			if (skew.abs().minus(took).compareTo(MOST_SKEW) > 0) {
				problems.add("the clock of %s is %d ms %s that of this machine: synchronize both".formatted(node.name(),
						skew.abs().toMillis(), skew.isNegative() ? "behind" : "ahead of"));
			}
		}
		return details;
	}

}
