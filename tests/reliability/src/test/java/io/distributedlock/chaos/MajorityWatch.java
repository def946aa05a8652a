package io.distributedlock.chaos;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.history.Event;
import io.distributedlock.history.NemesisKind;
import io.distributedlock.history.PastFault;

/**
 * Sees which of several independent nodes stood still without a fault of the run. A
 * minority that does excuses nothing but want of permits, which need more nodes; but
 * together with those that a fault has struck there may be no majority left. Thread-safe.
 */
final class MajorityWatch implements ServerWatch.Judge {

	private final int nodes;

	private final List<String> permits;

	private final LongSupplier clock;

	private final Map<RedisServer, Long> heard = new HashMap<>();

	/** Nodes that are struck by faults, and when that began and will have healed. */
	private final List<Silence> struck = new ArrayList<>();

	private final List<Silence> unasked = new ArrayList<>();

	MajorityWatch(int nodes, List<String> permits, LongSupplier clock) {
		this.nodes = nodes;
		this.permits = permits;
		this.clock = clock;
	}

	@Override
	public synchronized void answered(RedisServer server, long sent, boolean isMaster) {
		long now = this.clock.getAsLong();
		Long before = this.heard.put(server, now);
		if (before != null && now - before > Pulse.LONGEST_PAUSE.toNanos()) {
			Silence silence = new Silence(server, before, now + RedlockFaults.RECOVERY.toNanos());
			if (this.struck.stream().noneMatch((other) -> other.server == server && other.overlaps(silence))) {
				this.unasked.add(silence);
			}
		}
	}

	/** A fault strikes nodes, from now on. */
	synchronized void struck(List<RedisServer> servers) {
		long now = this.clock.getAsLong();
		servers.forEach((server) -> this.struck.add(new Silence(server, now, Long.MAX_VALUE)));
	}

	/** The last fault is over, with the time to recover from it. */
	synchronized void healed() {
		long now = this.clock.getAsLong();
		this.struck.replaceAll((silence) -> (silence.end != Long.MAX_VALUE) ? silence
				: new Silence(silence.server, silence.begin, now));
	}

	@Override
	public synchronized List<PastFault> faults() {
		List<PastFault> faults = new ArrayList<>();
		for (Silence silence : this.unasked) {
			boolean few = 2 * silentWith(silence) > this.nodes;
			PastFault fault = new PastFault(NemesisKind.OUTAGE, Event.ALL, Event.ALL, "server-stood-still",
					silence.begin, silence.end);
			faults.addAll(few ? List.of(fault) : fault.of(this.permits));
		}
		return faults;
	}

	/** How many nodes were silent or struck while one of them was, with that one. */
	private int silentWith(Silence silence) {
		Set<RedisServer> silent = new HashSet<>();
		for (List<Silence> each : List.of(this.struck, this.unasked)) {
			each.stream().filter(silence::overlaps).forEach((other) -> silent.add(other.server));
		}
		return silent.size();
	}

	/** A server, and when it was silent and not yet recovered. */
	private record Silence(RedisServer server, long begin, long end) {

		private boolean overlaps(Silence other) {
			return this.begin <= other.end && other.begin <= this.end;
		}

	}

}
