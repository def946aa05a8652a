package io.distributedlock.state;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.distributedlock.LockMode;
import io.distributedlock.Searches;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.WakeUpListener;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Owners that commit, in small worlds at random: a seed decides which statement of which
 * instance comes next, and how much time passes. The rows of the locks have the rules of
 * PostgreSQL: a check locks the row for its transaction, and what takes a lock from an
 * owner skips a row that is locked. Callers look at no lease, so nothing but the check
 * keeps a late one from its commit.
 */
class StateLockStoreCommitTests {

	private static final int WORLDS = 8_000;

	private static final LockKey KEY = new LockKey("", "a");

	@Test
	void updateWhenTheOwnerIsCheckedIsNeverLost() {
		int late = 0;
		for (int seed = 0; seed < Searches.share(WORLDS); seed++) {
			World world = new World(seed, Rules.ALL);
			world.run();
			assertThat(world.lost).as("lost updates of seed " + seed).isZero();
			late += world.late;
		}
		assertThat(late).as("commits after the end of the lease").isPositive();
	}

	/** The search finds it if one of the rules is left out. */
	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ALL")
	void updateWhenARuleIsMissingIsLost(Rules rules) {
		assertThat(IntStream.range(0, WORLDS).mapToObj((seed) -> new World(seed, rules)).anyMatch((world) -> {
			world.run();
			return world.lost > 0;
		})).isTrue();
	}

	/** The rules of the rows, and what is left out of them. */
	enum Rules {

		ALL, NO_CHECK, CHECK_OF_ANY_OWNER, CHECK_LOCKS_NOTHING, TAKEOVER_PASSES_CHECKS

	}

	/** Some instances with a caller or two each, and the database with their data. */
	private static final class World {

		private static final int STEPS = 400;

		private final Random random;

		private final Rules rules;

		private final List<Caller> callers = new ArrayList<>();

		/** The statements that were sent and not executed. */
		private final List<Runnable> sent = new ArrayList<>();

		private final Set<Caller> locking = new HashSet<>();

		private @Nullable String text;

		private List<RequestId> owners = List.of();

		private long micros = 1_000_000_000_999L;

		/** The number that the lock guards: each commit of a writer adds one. */
		private int register;

		private int lost;

		private int late;

		World(long seed, Rules rules) {
			this.random = new Random(seed);
			this.rules = rules;
			for (int i = 2 + this.random.nextInt(2); i > 0; i--) {
				Instance instance = new Instance(this);
				for (int j = 1 + this.random.nextInt(2); j > 0; j--) {
					this.callers.add(new Caller(this, instance, this.callers.size() + 1));
				}
			}
		}

		void run() {
			for (int step = 0; step < STEPS; step++) {
				int next = this.random.nextInt(20);
				if (next < 2) {
					this.micros += this.random.nextInt(120_000);
				}
				else if (next < 11 && !this.sent.isEmpty()) {
					this.sent.remove(this.random.nextInt(this.sent.size())).run();
				}
				else {
					this.callers.get(this.random.nextInt(this.callers.size())).step();
				}
			}
		}

		<T> CompletableFuture<T> send(Statement<T> statement) {
			CompletableFuture<T> answer = new CompletableFuture<>();
			this.sent.add(() -> answer.complete(statement.execute()));
			return answer;
		}

		boolean check(Caller caller) {
			if (this.rules == Rules.NO_CHECK) {
				return true;
			}
			boolean owns = this.rules == Rules.CHECK_OF_ANY_OWNER || this.owners.contains(caller.request);
			if (owns && this.rules != Rules.CHECK_LOCKS_NOTHING) {
				this.locking.add(caller);
			}
			return owns;
		}

		StateLockStore.Swap replace(StateLockStore.Replacement replacement) {
			StateLockStore.Expected expected = replacement.expected();
			long tardiness = this.micros - expected.micros();
			boolean inTime = expected.within().isZero()
					|| (tardiness >= 0 && tardiness <= expected.within().toNanos() / 1000);
			boolean isThere = (this.text != null) ? this.text.equals(expected.text()) : expected.text() == null;
			if (!inTime || !isThere) {
				return StateLockStore.Swap.refused(stored());
			}
			if (replacement.takes() && !this.locking.isEmpty() && this.rules != Rules.TAKEOVER_PASSES_CHECKS) {
				return StateLockStore.Swap.busy(stored());
			}
			this.text = replacement.row().text();
			this.owners = replacement.row().owners();
			return StateLockStore.Swap.done(stored());
		}

		StateLockStore.Stored stored() {
			return new StateLockStore.Stored(this.text, this.micros);
		}

		/** Writers add to what they have read; readers rely on it. */
		void commit(Caller caller) {
			this.locking.remove(caller);
			this.lost += (this.register != caller.seen) ? 1 : 0;
			this.late += (this.micros > caller.validUntil) ? 1 : 0;
			this.register += (caller.mode == LockMode.READ) ? 0 : 1;
		}

	}

	/** A caller that acquires, reads, writes, commits and releases over and over. */
	private static final class Caller {

		private static final Duration TTL = Duration.ofMillis(100);

		private final World world;

		private final Instance instance;

		private final int number;

		private int requests;

		private RequestId request;

		private LockMode mode;

		private @Nullable CompletableFuture<AcquireOutcome> answer;

		private boolean holds;

		private long validUntil;

		/** The register as its transaction has read it, or -1 without one. */
		private int seen;

		private boolean checked;

		Caller(World world, Instance instance, int number) {
			this.world = world;
			this.instance = instance;
			this.number = number;
			begin();
		}

		private void begin() {
			this.request = RequestId.of(this.number, 0, ++this.requests, 0);
			this.mode = switch (this.world.random.nextInt(4)) {
				case 0 -> LockMode.FAIR;
				case 1 -> LockMode.READ;
				default -> LockMode.EXCLUSIVE;
			};
			this.holds = false;
			endTransaction();
		}

		private void endTransaction() {
			this.world.locking.remove(this);
			this.seen = -1;
			this.checked = false;
		}

		void step() {
			if (!this.holds) {
				attempt();
			}
			else if (this.world.random.nextInt(4) == 0) {
				renew();
			}
			else if (this.seen < 0) {
				readOrRelease();
			}
			else if (!this.checked) {
				check();
			}
			else {
				this.world.commit(this);
				endTransaction();
			}
		}

		private void attempt() {
			if (this.answer == null) {
				this.validUntil = this.world.micros + TTL.toMillis() * 1000;
				Duration waiting = Duration.ofMillis(this.world.random.nextInt(2) * 200);
				this.answer = this.instance.acquire(new AcquireCommand(List.of(KEY), this.request, this.mode, 0, null,
						TTL, Duration.ZERO, waiting, 0, false, 0));
			}
			else if (this.answer.isDone()) {
				this.holds = !this.answer.isCompletedExceptionally()
						&& this.answer.join() instanceof AcquireOutcome.Granted;
				this.answer = null;
				if (!this.holds && this.world.random.nextInt(4) == 0) {
					this.instance.abandon(new AbandonCommand(List.of(KEY), this.request));
					begin();
				}
			}
		}

		private void renew() {
			this.validUntil = this.world.micros + TTL.toMillis() * 1000;
			this.instance.renew(List.of(new RenewCommand(KEY, this.request, TTL)));
		}

		private void readOrRelease() {
			if (this.world.random.nextInt(3) > 0) {
				this.seen = this.world.register;
				return;
			}
			this.instance.release(new ReleaseCommand(KEY, this.request));
			begin();
		}

		private void check() {
			if (this.world.check(this)) {
				this.checked = true;
			}
			else {
				begin();
			}
		}

	}

	/** The store of an instance, which remembers what it has seen. */
	private static final class Instance extends StateLockStore {

		private static final Duration WITHIN = Duration.ofMillis(10);

		private final World world;

		private @Nullable Stored seen;

		Instance(World world) {
			super(Duration.ofSeconds(1));
			this.world = world;
		}

		@Override
		protected @Nullable Expected expect(LockKey key) {
			if (this.seen == null) {
				return null;
			}
			long time = this.world.micros - this.world.random.nextInt(12_000);
			return new Expected(this.seen.text(), Math.max(time, this.seen.micros()), WITHIN);
		}

		@Override
		protected CompletableFuture<Stored> read(LockKey key) {
			return this.world.send(() -> {
				this.seen = this.world.stored();
				return this.seen;
			});
		}

		@Override
		protected CompletableFuture<Swap> replace(Replacement replacement) {
			return this.world.send(() -> {
				Swap swap = this.world.replace(replacement);
				this.seen = swap.stored();
				return swap;
			});
		}

		@Override
		public void start(String instance, WakeUpListener listener) {
		}

		@Override
		public Duration commandTimeout() {
			return Duration.ofSeconds(1);
		}

		@Override
		public void close() {
		}

	}

	/** A step of the database. */
	private interface Statement<T> {

		T execute();

	}

}
