package io.distributedlock.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.history.Event.Mode;
import io.distributedlock.history.Event.Op;
import io.distributedlock.history.Event.Phase;

/** A history made by hand. Times are milliseconds, in any order. */
final class Script {

	/**
	 * Lease 1000 ms, poll 100, command 50, slack 20: bound of a wait 120, of a detection
	 * 403.
	 */
	static final Bounds BOUNDS = new Bounds(Duration.ofMillis(1000), Duration.ofMillis(100), Duration.ofMillis(50),
			Duration.ofMillis(20), true);

	static final String KEY = "k";

	final List<Event> events = new ArrayList<>();

	private Bounds bounds = BOUNDS;

	/** A majority of independent nodes decides. */
	Script ofQuorum() {
		this.bounds = BOUNDS.ofQuorum();
		return this;
	}

	/** A call of process {@code p-name} for the lock {@value #KEY}. */
	Actor actor(String name) {
		return new Actor(name, KEY, Mode.X, 1, 0);
	}

	Actor actor(String name, String key) {
		return new Actor(name, key, Mode.X, 1, 0);
	}

	Actor reader(String name) {
		return new Actor(name, KEY, Mode.R, 1, 0);
	}

	Actor permits(String name, int permits, int limit) {
		return new Actor(name, KEY, Mode.S, permits, limit);
	}

	Actor fair(String name) {
		return new Actor(name, KEY, Mode.F, 1, 0);
	}

	/** A fault that hits a key and a process. */
	Script fault(NemesisKind kind, String key, String proc, long begin, long end) {
		Event fault = Event.of(Op.NEMESIS, Phase.INVOKE, key)
			.by("nemesis", proc)
			.lease("fault" + this.events.size(), 0)
			.result(kind.name(), "");
		this.events.add(fault.at(ms(begin)));
		this.events.add(fault.as(Op.NEMESIS, Phase.OK).by("nemesis", proc).at(ms(end)));
		return this;
	}

	Script kill(String proc, long begin, long end) {
		return fault(NemesisKind.KILL, Event.ALL, proc, begin, end);
	}

	Script stop(String proc, long begin, long end) {
		return fault(NemesisKind.STOP, Event.ALL, proc, begin, end);
	}

	Script loss(String key, long begin, long end) {
		return fault(NemesisKind.LOSS, key, Event.ALL, begin, end);
	}

	Script outage(String proc, long begin, long end) {
		return fault(NemesisKind.OUTAGE, Event.ALL, proc, begin, end);
	}

	Script failover(long begin, long end) {
		return fault(NemesisKind.FAILOVER, KEY, Event.ALL, begin, end);
	}

	Script outageOf(String key, long begin, long end) {
		return fault(NemesisKind.OUTAGE, key, Event.ALL, begin, end);
	}

	/** Something unimportant happens elsewhere, so that time goes on. */
	Script nothingUntil(long t) {
		return fault(NemesisKind.NOISE, Event.ALL, Event.ALL, t, t);
	}

	/** The witness has taken a write. */
	Script accepted(long t, long token, long prev, long val) {
		return witnessed(t, Op.WRITE, Phase.OK, token, prev, val);
	}

	Script refused(long t, long token, long prev, long val) {
		return witnessed(t, Op.WRITE, Phase.FAIL, token, prev, val);
	}

	Script entered(long t, long token) {
		return witnessed(t, Op.ENTER, Phase.OK, token, 0, 0);
	}

	Script unfenced(long t, long prev, long val) {
		witnessed(t, Op.WRITE, Phase.OK, 1, prev, val);
		this.events.add(this.events.remove(this.events.size() - 1).result(Event.UNFENCED, ""));
		return this;
	}

	private Script witnessed(long t, Op op, Phase phase, long token, long prev, long val) {
		this.events.add(Event.of(op, phase, KEY).at(ms(t)).by(Witness.PROC, "").lease("r", token).values(prev, val));
		return this;
	}

	List<Event> inOrder() {
		this.events.sort(HistoryFile.ORDER);
		return this.events;
	}

	Report check() {
		return checked().finish();
	}

	HistoryChecker checked() {
		HistoryChecker checker = new HistoryChecker(this.bounds);
		inOrder().forEach(checker::accept);
		return checker;
	}

	private static long ms(long millis) {
		return millis * 1_000_000;
	}

	/** The steps of one request. */
	final class Actor {

		private final String name;

		private final String key;

		private final Mode mode;

		private final int permits;

		private final int limit;

		private String request;

		private String proc;

		/** The node whose line it stands in, if there are several. */
		private String node = "";

		private long token;

		private Actor(String name, String key, Mode mode, int permits, int limit) {
			this.name = name;
			this.request = name;
			this.proc = "p-" + name;
			this.key = key;
			this.mode = mode;
			this.permits = permits;
			this.limit = limit;
		}

		/** Use the request of another one, as a local hand-off does. */
		Actor as(String request) {
			this.request = request;
			return this;
		}

		/** Call in the process of another one. */
		Actor beside(String other) {
			this.proc = "p-" + other;
			return this;
		}

		/** The process asks for tokens by which its callers hand the lock on. */
		Actor hasTurn(long asked, long answered, long first, long last) {
			turn(asked, Phase.INVOKE, 0, 0);
			turn(answered, Phase.OK, first, last);
			return this;
		}

		private void turn(long t, Phase phase, long first, long last) {
			Script.this.events.add(Event.of(Op.TURN, phase, this.key)
				.at(ms(t))
				.by(this.proc, "main")
				.lease(this.proc + "-turn", first)
				.values(0, last));
		}

		Actor withToken(long token) {
			this.token = token;
			return this;
		}

		/** Ask, be answered, and believe until a time. */
		Actor holds(long asked, long answered, long token, long validUntil) {
			return asks(asked).gets(answered, token, validUntil);
		}

		Actor on(String node) {
			this.node = node;
			return this;
		}

		/** The request asks the store. */
		Actor isSent(long t) {
			return inLine(t, Op.QUEUE, Phase.INVOKE, 0);
		}

		/** The store says that it is in line, for a while. */
		Actor isInLine(long t, long until) {
			return inLine(t, Op.QUEUE, Phase.OK, until);
		}

		/** The same, with when it asked. */
		Actor isInLine(long asked, long t, long until) {
			isInLine(t, until);
			Script.this.events.add(Script.this.events.remove(Script.this.events.size() - 1).values(ms(asked), 0));
			return this;
		}

		/** The request has ended, and its instance waits on. */
		Actor isReplaced(long t, long until) {
			return inLine(t, Op.QUEUE, Phase.INFO, until);
		}

		Actor leaves(long t) {
			return inLine(t, Op.QUEUE, Phase.FAIL, 0);
		}

		Actor isServed(long t) {
			return inLine(t, Op.SERVE, Phase.OK, 0);
		}

		private Actor inLine(long t, Op op, Phase phase, long until) {
			add(t, op, phase, until, 0);
			Script.this.events.add(Script.this.events.remove(Script.this.events.size() - 1).result(this.node, ""));
			return this;
		}

		/** Ask for one of several locks that are taken in turn. */
		Actor asksInTurn(long t) {
			return asks(t, PendingRequest.DIVIDED);
		}

		/** Ask for one of several locks that are taken together. */
		Actor asksTogether(long t) {
			return asks(t, PendingRequest.TOGETHER);
		}

		private Actor asks(long t, String how) {
			asks(t);
			Script.this.events.add(Script.this.events.remove(Script.this.events.size() - 1).result(how, ""));
			return this;
		}

		Actor asks(long t) {
			add(t, Op.ACQUIRE, Phase.INVOKE, 0, 0);
			return this;
		}

		Actor gets(long t, long token, long validUntil) {
			this.token = token;
			add(t, Op.ACQUIRE, Phase.OK, validUntil, 0);
			return this;
		}

		/** The same for a process that had it when its image was made. */
		Actor goesOnWith(long t, long token, long validUntil) {
			gets(t, token, validUntil);
			Script.this.events.add(Script.this.events.remove(Script.this.events.size() - 1).result(Event.CLONED, ""));
			return this;
		}

		Actor isRefused(long t) {
			add(t, Op.ACQUIRE, Phase.FAIL, 0, 0);
			return this;
		}

		/** The request has the lock already, and the store was not asked. */
		Actor entersAgain(long t) {
			isRefused(t);
			Event refused = Script.this.events.remove(Script.this.events.size() - 1);
			Script.this.events.add(refused.result(Event.ENTERED_AGAIN, ""));
			return this;
		}

		Actor doesNotKnow(long t) {
			add(t, Op.ACQUIRE, Phase.INFO, 0, 0);
			return this;
		}

		Actor abandons(long t, long answered) {
			add(t, Op.ABANDON, Phase.INVOKE, 0, 0);
			add(answered, Op.ABANDON, Phase.OK, 0, 0);
			return this;
		}

		Actor renews(long t, long answered, long validUntil) {
			return startsRenewal(t).isRenewed(answered, validUntil);
		}

		Actor startsRenewal(long t) {
			add(t, Op.RENEW, Phase.INVOKE, 0, 0);
			return this;
		}

		Actor isRenewed(long t, long validUntil) {
			add(t, Op.RENEW, Phase.OK, validUntil, 0);
			return this;
		}

		Actor enters(long... times) {
			for (long t : times) {
				add(t, Op.ENTER, Phase.OK, 0, 0);
			}
			return this;
		}

		Actor exits(long... times) {
			for (long t : times) {
				add(t, Op.EXIT, Phase.OK, 0, 0);
			}
			return this;
		}

		Actor writes(long t, Phase answer) {
			add(t, Op.WRITE, Phase.INVOKE, 0, 0);
			if (answer != Phase.INVOKE) {
				add(t + 1, Op.WRITE, answer, 0, 0);
			}
			return this;
		}

		Actor isToldLost(long t) {
			add(t, Op.LOST, Phase.OK, 0, 0);
			return this;
		}

		Actor isToldLost(long t, String reason) {
			isToldLost(t);
			Script.this.events.add(Script.this.events.remove(Script.this.events.size() - 1).result(reason, ""));
			return this;
		}

		Actor releases(long t, long answered) {
			return releases(t, answered, Phase.OK);
		}

		Actor releases(long t, long answered, Phase answer) {
			add(t, Op.RELEASE, Phase.INVOKE, 0, 0);
			add(answered, Op.RELEASE, answer, 0, 0);
			return this;
		}

		Actor releasesButKeeps(long t, long answered, long until) {
			add(t, Op.RELEASE, Phase.INVOKE, 0, 0);
			add(answered, Op.RELEASE, Phase.OK, until, 0);
			return this;
		}

		private void add(long t, Op op, Phase phase, long validUntil, long prev) {
			Script.this.events.add(Event.of(op, phase, this.key)
				.at(ms(t))
				.by(this.proc, "main")
				.lease(this.request, this.token)
				.mode(this.mode, this.permits)
				.validUntil(ms(validUntil))
				.values(prev, this.limit));
		}

	}

}
