package io.distributedlock.engine.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BiFunction;

import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.state.OpenLock;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.Commands;
import io.distributedlock.store.ExtendCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RaiseCommand;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;

import static org.assertj.core.api.Assertions.assertThat;

/** A sequence of random commands to a lock table and to the real scripts. */
final class SimulationComparison {

	private static final List<LockKey> KEYS = List.of(new LockKey("", "a"), new LockKey("", "b"), new LockKey("", "c"));

	private static final int OPERATIONS = 150;

	private static final long START = 1_700_000_000_000_000L;

	private final long seed;

	private final SimulationScripts redis;

	private final SimulationScripts table;

	private final SplittableRandom random;

	/** {@code true} if a run has one key, which sees more of it than one of three. */
	private final boolean crowded;

	/** How far back a request may lie that comes again. */
	private final int memory;

	/** How often a lock is asked for in another way than alone, of a hundred times. */
	private final int variety;

	/** {@code true} if locks are semaphores most of the time. */
	private final boolean semaphores;

	/** {@code true} if it is a node of a quorum: requests have no successors there. */
	private final boolean retakes;

	/** Who has ever got each lock. */
	private final Map<LockKey, Set<RequestId>> owners = new HashMap<>();

	/** The command of each request, so that the request is repeated as it was. */
	private final Map<RequestId, AcquireCommand> commands = new HashMap<>();

	/** {@code true} if little time passes, so that the store still knows the waiters. */
	private final boolean hasty;

	private final List<RequestId> requests = new ArrayList<>();

	private final List<String> history = new ArrayList<>();

	private long micros = START;

	private long earliest = START;

	private long highest;

	private int looks;

	/** Those that found a lock busy and left word, lately. */
	private final List<RequestId> waiting = new ArrayList<>();

	/** Who got a lock last. */
	private RequestId granted;

	SimulationComparison(long seed, SimulationScripts redis, SimulationScripts table) {
		this.redis = redis;
		this.seed = seed;
		this.table = table;
		this.random = new SplittableRandom(seed);
		this.crowded = this.random.nextBoolean();
		this.memory = 4 + this.random.nextInt(2) * 30;
		this.hasty = this.random.nextBoolean();
		this.variety = this.random.nextInt(3) * 45;
		this.semaphores = this.random.nextInt(5) == 0;
		this.retakes = this.random.nextInt(3) == 0;
	}

	private void clear() {
		KEYS.forEach(this.redis::remove);
		this.redis.takeWakeUps();
	}

	void run() {
		clear();
		for (int i = 0; i < OPERATIONS; i++) {
			operate();
		}
	}

	/** More ask than there are places in the line, and then all are woken in turn. */
	void throng() {
		clear();
		ask(RequestId.of(1000, 0, 0, 0), Duration.ZERO);
		for (int i = 1; i <= 520; i++) {
			ask(RequestId.of(i, 0, i, 0), Duration.ofMinutes(1));
		}
		for (int i = 0; i < 520; i++) {
			RequestId owner = this.granted;
			same("release " + owner, (scripts, time) -> scripts.release(time, new ReleaseCommand(KEYS.get(0), owner)));
			ask(RequestId.of(1000, 0, i + 1, 0), Duration.ZERO);
		}
	}

	private void ask(RequestId request, Duration waiting) {
		acquire(new AcquireCommand(KEYS.get(0), request, Duration.ofSeconds(3), Duration.ZERO, waiting));
	}

	private void operate() {
		passTime();
		int choice = this.random.nextInt(100);
		if (choice < 40) {
			acquire();
		}
		else if (choice < 49) {
			renew();
		}
		else if (choice < 53) {
			extend();
		}
		else if (choice < 56) {
			raise();
		}
		else if (choice < 57) {
			setPermits();
		}
		else if (choice < 78) {
			List<LockKey> keys = keys();
			RequestId request = (this.granted != null && this.random.nextBoolean()) ? this.granted : request(false);
			RenewalMarks marks = anyMarks();
			same("release " + keys + " " + request + " " + marks,
					(scripts, time) -> scripts.release(time, new ReleaseCommand(keys, request, marks)));
		}
		else if (choice < 98) {
			List<LockKey> keys = keys();
			RequestId request = (this.random.nextInt(3) == 0) ? waiting() : request(true);
			if (!this.retakes && this.random.nextInt(3) == 0) {
				replace(keys, request);
				return;
			}
			Duration waiting = this.random.nextInt(4) == 0 ? millis(1, 5000) : Duration.ZERO;
			same("abandon " + keys + " " + request + " for " + waiting,
					(scripts, time) -> scripts.abandon(time, new AbandonCommand(keys, request, null, waiting)));
		}
		else {
			LockKey lost = KEYS.get(this.random.nextInt(KEYS.size()));
			same("lose " + lost, (scripts, time) -> {
				scripts.remove(lost);
				return true;
			});
		}
	}

	/** By one that is new, or that has asked or ended before. */
	private void replace(List<LockKey> keys, RequestId request) {
		RequestId ended = (this.granted != null && this.random.nextInt(3) > 0) ? this.granted : request;
		RequestId successor = (this.random.nextInt(3) == 0) ? waiting() : request(true);
		Duration waiting = millis(1, 5000);
		same("replace " + keys + " " + ended + " by " + successor + " for " + waiting,
				(scripts, time) -> scripts.abandon(time, new AbandonCommand(keys, ended, successor, waiting)));
		this.waiting.add(successor);
	}

	private void acquire() {
		RequestId request = (this.random.nextInt(3) == 0) ? waiting() : request(true);
		AcquireCommand known = this.commands.get(request);
		Duration waiting = this.random.nextInt(3) > 0 ? millis(1, 5000) : Duration.ZERO;
		if (known != null && this.random.nextInt(10) > 0) {
			acquire(new AcquireCommand(known.keys(), request, known.mode(), known.permits(), known.beside(),
					millis(10, 3000), known.keepFor(), waiting, this.highest, false, spareTokens(known.mode()),
					claim(known.mode()))
				.taking(known.take())
				.withLockDelay(known.lockDelay()));
			return;
		}
		// The first place is that of requests that want one lock alone.
		boolean plain = request.place() == 0;
		LockMode mode = (known != null) ? known.mode() : plain ? LockMode.EXCLUSIVE : mode();
		Duration keepFor = (mode.isExclusive() && this.random.nextInt(4) == 0) ? millis(1, 4000) : Duration.ZERO;
		int permits = (mode == LockMode.SEMAPHORE) ? 2 + this.random.nextInt(20) / 19 : 0;
		RequestId beside = (mode == LockMode.READ && this.random.nextInt(4) == 0) ? this.granted : null;
		List<LockKey> keys = plain ? keys().subList(0, 1) : keys();
		AcquireCommand command = new AcquireCommand(keys, request, mode, permits, beside, millis(10, 3000), keepFor,
				waiting, this.highest, false, spareTokens(mode), claim(mode))
			.taking((mode == LockMode.SEMAPHORE) ? 1 + this.random.nextInt(6) / 4 : 1)
			.withLockDelay((mode.isExclusive() && this.random.nextInt(4) == 0) ? millis(1, 4000) : Duration.ZERO);
		this.commands.put(request, command);
		acquire(command);
	}

	private int spareTokens(LockMode mode) {
		return (mode == LockMode.EXCLUSIVE && this.random.nextBoolean()) ? this.random.nextInt(100) : 0;
	}

	private Duration claim(LockMode mode) {
		return (mode == LockMode.EXCLUSIVE && this.random.nextBoolean()) ? millis(1, 1000) : Duration.ZERO;
	}

	private LockMode mode() {
		if (this.semaphores && this.random.nextInt(20) > 0) {
			return LockMode.SEMAPHORE;
		}
		if (this.random.nextInt(100) >= this.variety) {
			return LockMode.EXCLUSIVE;
		}
		int choice = this.random.nextInt(20);
		return (choice < 9) ? LockMode.READ : (choice < 17) ? LockMode.FAIR : LockMode.SEMAPHORE;
	}

	private void acquire(AcquireCommand usual) {
		AcquireCommand command = (this.retakes && this.random.nextInt(4) == 0) ? Commands.retaking(usual) : usual;
		Object outcome = same(command.toString(), (scripts, time) -> {
			try {
				return scripts.acquire(time, command);
			}
			catch (LockStoreException ex) {
				return ex.getKind();
			}
		});
		this.waiting.remove(command.request());
		if (outcome instanceof AcquireOutcome.Granted) {
			this.granted = command.request();
			command.keys().forEach((key) -> assertThat(isExclusive(key, command)).as(this::description).isTrue());
		}
		else if (outcome instanceof AcquireOutcome.Busy && !command.waiting().isZero()) {
			this.waiting.add(command.request());
		}
	}

	/** Return whether all holders of the lock may have it together. */
	private boolean isExclusive(LockKey key, AcquireCommand command) {
		if (!(this.table instanceof SimulationTable known)) {
			return true;
		}
		OpenLock lock = OpenLock.of(known.table(), key, this.micros);
		int shared = lock.sharers().size();
		boolean repeated = !this.owners.computeIfAbsent(key, (missing) -> new HashSet<>()).add(command.request());
		return switch (command.mode()) {
			case SEMAPHORE -> lock.owner() == null && (repeated || lock.taken() <= lock.limit(command.permits()));
			case READ -> lock.owner() == null || command.beside() != null || repeated;
			default -> command.request().equals(lock.owner()) && (shared == 0 || repeated);
		};
	}

	/** Mostly of a semaphore; half of the time the number is removed. */
	private void setPermits() {
		LockKey key = KEYS.get(this.random.nextInt(this.crowded ? 1 : KEYS.size()));
		int permits = this.random.nextBoolean() ? this.random.nextInt(6) : 0;
		same("set the permits of " + key + " to " + permits, (scripts, time) -> scripts.setPermits(time, key, permits));
	}

	private void raise() {
		List<LockKey> keys = keys();
		RequestId request = (this.granted != null && this.random.nextInt(4) > 0) ? this.granted : request(false);
		long token = this.micros + this.random.nextLong(-1_000_000, 1_000_000);
		same("raise " + keys + " " + request + " to " + token,
				(scripts, time) -> scripts.raise(time, new RaiseCommand(keys, request, token)));
	}

	private void renew() {
		List<RenewCommand> commands = keys().stream()
			.map((key) -> new RenewCommand(key, request(false), millis(10, 3000), anyMarks()))
			.toList();
		same(commands.toString(), (scripts, time) -> scripts.renew(time, commands));
	}

	private void extend() {
		List<LockKey> keys = keys();
		RequestId request = (this.granted != null && this.random.nextInt(4) > 0) ? this.granted : request(false);
		Duration keepFor = switch (this.random.nextInt(4)) {
			case 0 -> Duration.ZERO;
			case 1 -> millis(1, 4000);
			default -> null;
		};
		ExtendCommand command = new ExtendCommand(keys, request, millis(10, 3000), keepFor,
				marks().with(1 + this.random.nextInt(3), 0));
		same(command.toString(), (scripts, time) -> scripts.extend(time, command));
	}

	/** Those of a handle now and then. */
	private RenewalMarks anyMarks() {
		return (this.random.nextInt(8) == 0) ? RenewalMarks.ANY : marks();
	}

	/** Some of three, so that they are often those of the renewal before. */
	private RenewalMarks marks() {
		RenewalMarks marks = RenewalMarks.NONE;
		for (int i = this.random.nextInt(6); i > 0; i--) {
			marks = marks.with(1 + this.random.nextInt(3), 0);
		}
		return marks;
	}

	/** Mostly a little, now and then past the retention, or back. */
	private void passTime() {
		int choice = this.random.nextInt(100);
		long millis = (this.hasty && choice < 90) ? this.random.nextLong(4)
				: (choice < 60) ? this.random.nextLong(40) : (choice < 93) ? this.random.nextLong(1500)
						: (choice < 97) ? -this.random.nextLong(4000) : this.random.nextLong(30_000);
		boolean back = millis < 0;
		if (back && this.micros - this.earliest > SimulationScripts.RETENTION.toNanos() / 1000) {
			// Forgotten state does not come back, but it may be forgotten late.
			return;
		}
		if (back) {
			lookAtAll();
		}
		this.micros += millis * 1000 + this.random.nextLong(1000);
		this.earliest = Math.min(this.earliest, this.micros);
		if (back) {
			lookAtAll();
		}
		this.highest = this.random.nextInt(10) == 0 ? this.micros + this.random.nextLong(2_000_000) : 0;
	}

	/**
	 * Not every command has to write down that something is over, or was taken for less
	 * time than is left. That shows only when the clock goes back.
	 */
	private void lookAtAll() {
		RequestId other = RequestId.of(99, 0, ++this.looks, 0);
		same("look", (scripts, time) -> scripts.abandon(time, new AbandonCommand(KEYS, other)));
	}

	private List<LockKey> keys() {
		if (this.crowded) {
			return KEYS.subList(0, 1);
		}
		int set = this.random.nextInt(10);
		return (set < 6) ? KEYS.subList(set % 3, set % 3 + 1)
				: (set < 8) ? KEYS.subList(0, 2) : (set < 9) ? KEYS.subList(1, 3) : KEYS;
	}

	/** A request among the last that found a lock busy and wait, or a new one. */
	private RequestId waiting() {
		int known = this.waiting.size();
		return (known == 0) ? request(true) : this.waiting.get(known - 1 - this.random.nextInt(Math.min(known, 6)));
	}

	/** A recent one, or one from long ago, or a new one. */
	private RequestId request(boolean mayBeNew) {
		int known = this.requests.size();
		if (known == 0 || (mayBeNew && this.random.nextInt(3) == 0)) {
			this.requests.add(newRequest(known));
			return this.requests.get(known);
		}
		return (this.random.nextInt(5) == 0) ? this.requests.get(this.random.nextInt(known))
				: this.requests.get(known - 1 - this.random.nextInt(Math.min(known, this.memory)));
	}

	/** Few places, so that they are used again; now and then a twin of the last one. */
	private RequestId newRequest(int number) {
		if (number > 0 && this.random.nextInt(20) == 0) {
			RequestId last = this.requests.get(number - 1);
			return RequestId.of(last.instanceBits(), last.place(), last.number(), this.random.nextInt());
		}
		return RequestId.of(1 + this.random.nextInt(4), this.random.nextInt(3), number, this.random.nextInt());
	}

	private Duration millis(long from, long to) {
		return Duration.ofMillis(this.random.nextLong(from, to));
	}

	private Object same(String operation, BiFunction<SimulationScripts, Long, Object> command) {
		Object expected = command.apply(this.redis, this.micros);
		Object actual = command.apply(this.table, this.micros);
		this.history.add(this.micros / 1000 + " " + operation + " -> " + expected);
		assertThat(actual).as(this::description).isEqualTo(expected);
		assertThat(this.table.takeWakeUps()).as(this::description).isEqualTo(this.redis.takeWakeUps());
		return actual;
	}

	private String description() {
		return "repeat with -Dsimulation.seed=" + this.seed + "\n"
				+ String.join("\n", this.history.subList(Math.max(0, this.history.size() - 25), this.history.size()))
				+ "\n";
	}

}
