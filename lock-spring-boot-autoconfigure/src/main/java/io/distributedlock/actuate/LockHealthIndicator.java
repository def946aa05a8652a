package io.distributedlock.actuate;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.distributedlock.store.StoreMonitor;
import io.distributedlock.store.StoreNode;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * Health of the locks. It is down if too few servers answer. It is a {@link #WARNING} if
 * a server may evict locks or has another warning, if its clock differs from that of this
 * machine, or if renewals are overdue. Sends one command to each server. Thread-safe.
 *
 * @since 0.1.0
 */
public final class LockHealthIndicator extends AbstractHealthIndicator {

	/** Locks can be acquired, but something has to be repaired. */
	public static final Status WARNING = new Status("WARNING", "Locks can be had, but something has to be repaired");

	/**
	 * Largest difference of clocks without a warning. Fencing tokens follow the clock of
	 * the server.
	 */
	static final Duration MOST_SKEW = Duration.ofSeconds(1);

	/** The statuses from bad to good. Spring Boot's own order lacks the warning. */
	private static final List<Status> ORDER = List.of(Status.DOWN, WARNING, Status.UP);

	private final List<LockSource> sources;

	private final Clock clock;

	/**
	 * Create an indicator.
	 * @param sources the registries and their stores; with several, the health of each is
	 * a detail, and the worst status is that of all
	 * @param clock the clock of this machine
	 */
	public LockHealthIndicator(Collection<LockSource> sources, Clock clock) {
		super("The health of the locks could not be checked");
		this.sources = List.copyOf(sources);
		this.clock = clock;
	}

	@Override
	protected void doHealthCheck(Health.Builder health) {
		if (this.sources.size() == 1) {
			check(this.sources.get(0), health);
			return;
		}
		Map<String, Health> all = new LinkedHashMap<>();
		for (LockSource source : this.sources) {
			Health.Builder one = Health.unknown();
			check(source, one);
			all.put(source.name(), one.build());
		}
		health.status(all.values()
			.stream()
			.map(Health::getStatus)
			.min(Comparator.comparingInt(ORDER::indexOf))
			.orElse(Status.UP));
		all.forEach((name, one) -> health.withDetail(name, described(one)));
	}

	/** Return status and details, as Spring Boot shows those of a component. */
	private static Map<String, Object> described(Health health) {
		Map<String, Object> described = new LinkedHashMap<>();
		described.put("status", health.getStatus().getCode());
		described.put("details", health.getDetails());
		return described;
	}

	private void check(LockSource source, Health.Builder health) {
		List<String> problems = new ArrayList<>();
		Map<String, Object> details = new LinkedHashMap<>();
		List<StoreNode> nodes = LocksReport.nodes(source.store());
		Instant now = this.clock.instant();
		nodes.forEach((node) -> details.put(node.name(), details(node, now, problems)));
		int held = source.statistics().held();
		int overdue = source.statistics().overdue();
		if (overdue > 0) {
			problems.add("%d of %d leases are more than half over without a renewal".formatted(overdue, held));
		}
		health.withDetail("nodes", details).withDetail("held", held).withDetail("overdueRenewals", overdue);
		if (!problems.isEmpty()) {
			health.withDetail("problems", problems);
		}
		StoreMonitor monitor = source.store().monitor();
		boolean works = monitor == null || monitor.worksWith(nodes);
		health.status(!works ? Status.DOWN : problems.isEmpty() ? Status.UP : WARNING);
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
		node.warnings().forEach((warning) -> problems.add(node.name() + ": " + warning));
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
