package io.distributedlock.chaos;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.history.Event;
import io.distributedlock.history.NemesisKind;
import io.distributedlock.history.PastFault;

/**
 * Notices when servers that replace each other fail without a fault of the run: their
 * master does not answer for a while, and is replaced for that. Thread-safe.
 */
final class ServerGroupWatch implements ServerWatch.Judge {

	private final List<RedisServer> servers;

	/** The locks that are on these servers; not asked before the end. */
	private final Supplier<? extends Collection<String>> keys;

	/** Grows when the run itself begins to replace a master, and when that is done. */
	private final IntSupplier asked;

	private final LongSupplier clock;

	private final Map<RedisServer, Answer> answers = new HashMap<>();

	private final List<PastFault> faults = new ArrayList<>();

	private RedisServer master;

	/** The time of the last answer of a master. */
	private long heard;

	/** The last time at which all servers answered and there was one master. */
	private long regular;

	private int askedBefore;

	ServerGroupWatch(List<RedisServer> servers, Supplier<? extends Collection<String>> keys, IntSupplier asked,
			LongSupplier clock) {
		this.servers = servers;
		this.keys = keys;
		this.asked = asked;
		this.clock = clock;
	}

	@Override
	public synchronized void answered(RedisServer server, long sent, boolean isMaster) {
		long now = this.clock.getAsLong();
		this.answers.put(server, new Answer(sent, isMaster));
		if (isMaster) {
			if (this.master != null && now - this.heard > Pulse.LONGEST_PAUSE.toNanos()) {
				add(NemesisKind.OUTAGE, "server-stood-still", this.heard, now);
			}
			this.heard = now;
		}
		if (isRegular(now)) {
			regular(now);
		}
	}

	/** Return whether each server has answered of late, and one of them is the master. */
	private boolean isRegular(long now) {
		return this.servers.stream().map(this.answers::get).allMatch((answer) -> answer != null && answer.isNew(now))
				&& this.answers.values().stream().filter(Answer::isMaster).count() == 1;
	}

	private void regular(long now) {
		RedisServer next = this.servers.stream()
			.filter((server) -> this.answers.get(server).isMaster)
			.findFirst()
			.orElseThrow();
		int askedNow = this.asked.getAsInt();
		boolean unasked = askedNow == this.askedBefore && askedNow % 2 == 0;
		if (this.master != null && next != this.master && unasked) {
			add(NemesisKind.OUTAGE, "", this.regular, now);
			add(NemesisKind.FAILOVER, "master-replaced-unasked", this.regular, now);
		}
		this.master = next;
		this.askedBefore = askedNow;
		this.regular = this.answers.values().stream().mapToLong(Answer::sent).min().orElseThrow();
	}

	private void add(NemesisKind kind, String description, long begin, long end) {
		this.faults.add(new PastFault(kind, Event.ALL, Event.ALL, description, begin, end));
	}

	@Override
	public synchronized List<PastFault> faults() {
		Collection<String> keys = this.faults.isEmpty() ? List.of() : this.keys.get();
		return this.faults.stream().flatMap((fault) -> fault.of(keys).stream()).toList();
	}

	/** The last answer of a server. */
	private record Answer(long sent, boolean isMaster) {

		private boolean isNew(long now) {
			return now - this.sent < Pulse.LONGEST_PAUSE.toNanos();
		}

	}

}
