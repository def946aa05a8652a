package io.distributedlock.engine.simulation;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.distributedlock.LockStoreException;
import io.distributedlock.ReplicasNotAcknowledgedException;
import io.distributedlock.state.WakeUp;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.ExtendCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewAnswers;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.StoreCapability;
import io.distributedlock.store.WakeUpListener;

/**
 * The way of one instance to the server and back: slow, with losses, repetitions and in
 * any order.
 */
final class SimulationLink implements LockStore {

	private static final Duration TIMEOUT = Duration.ofSeconds(1);

	/** A command that is sent again after a reconnect comes so late at most. */
	private static final long LATEST_NANOS = 8_000_000_000L;

	/** The effect of a broken connection. */
	enum Cut {

		/** Nothing. */
		NONE,

		/** Commands fail at once. */
		REFUSES,

		/** Commands do not arrive. */
		SWALLOWS_COMMANDS,

		/** Commands are applied, but not answered. */
		SWALLOWS_ANSWERS

	}

	private final SimulationWorld world;

	private final SimulationInstance instance;

	private final SimulationChance chance;

	private WakeUpListener listener;

	private Cut cut = Cut.NONE;

	/** The server that commands come to. */
	private SimulationPrimary primary;

	SimulationLink(SimulationWorld world, SimulationInstance instance) {
		this.world = world;
		this.instance = instance;
		this.chance = world.chance();
		this.primary = world.server();
	}

	void cut(Cut cut) {
		this.world.trace(() -> this.instance + " link " + cut);
		this.cut = cut;
		if (cut == Cut.NONE) {
			this.instance.after(latency(), () -> this.listener.wakeUpAll());
		}
		if (cut == Cut.REFUSES) {
			this.instance.after(0, () -> this.listener.wakeUpsLost());
		}
	}

	/** The primary was replaced, which is not noticed here yet. */
	void remainAt(SimulationPrimary former) {
		this.primary = former;
	}

	/** The connections are those to the new primary from here on. */
	void follow() {
		this.world.trace(() -> this.instance + " follows the new primary");
		this.primary = this.world.server();
		this.instance.after(0, () -> this.listener.wakeUpsLost());
		this.instance.after(latency(), () -> this.listener.wakeUpAll());
	}

	private long latency() {
		SimulationClimate climate = this.world.climate();
		return this.chance.of(climate.spike()) ? this.chance.millis(0, 2000) : this.chance.upTo(climate.latency());
	}

	private <T> CompletableFuture<T> send(Supplier<T> command) {
		SimulationClimate climate = this.world.climate();
		CompletableFuture<T> answer = new CompletableFuture<>();
		if (this.cut == Cut.REFUSES || this.chance.of(climate.refused())) {
			return fail(answer, LockStoreException.Kind.UNAVAILABLE);
		}
		if (this.chance.of(climate.misconfigured())) {
			return fail(answer, LockStoreException.Kind.MISCONFIGURED);
		}
		if (this.cut != Cut.SWALLOWS_COMMANDS && !this.chance.of(climate.requestLost())) {
			deliver(command, answer, latency());
		}
		if (this.chance.of(climate.repeated())) {
			deliver(command, answer, this.chance.upTo(this.chance.oneOf(LATEST_NANOS, LATEST_NANOS / 20)));
		}
		return answer;
	}

	private <T> CompletableFuture<T> fail(CompletableFuture<T> answer, LockStoreException.Kind kind) {
		LockStoreException failure = new LockStoreException(kind, "The simulated store is " + kind, null);
		if (this.chance.of(0.3)) {
			return CompletableFuture.failedFuture(failure);
		}
		this.instance.after(latency(), () -> answer.completeExceptionally(failure));
		return answer;
	}

	private <T> void deliver(Supplier<T> command, CompletableFuture<T> answer, long delay) {
		boolean withdrawn = this.chance.of(this.world.climate().withdrawn());
		this.world.scheduler().after(delay, () -> {
			if (answer.isCancelled() && withdrawn) {
				return;
			}
			T result;
			try {
				result = command.get();
			}
			catch (LockStoreException ex) {
				this.instance.after(latency(), () -> answer.completeExceptionally(ex));
				return;
			}
			if (this.cut != Cut.SWALLOWS_ANSWERS && !this.chance.of(this.world.climate().answerLost())) {
				this.instance.after(latency(), () -> answer.complete(result));
			}
		});
	}

	/** The server publishes. */
	void wakeUp(SimulationPrimary server, WakeUp wakeUp) {
		if (this.primary == server && this.cut == Cut.NONE && !this.chance.of(this.world.climate().wakeUpLost())) {
			this.instance.after(latency(), () -> wakeUp.tell(this.listener));
		}
	}

	@Override
	public Set<StoreCapability> capabilities() {
		return EnumSet.complementOf(EnumSet.of(StoreCapability.CALLER_THREAD));
	}

	@Override
	public boolean takesTogether(List<LockKey> keys) {
		return this.world.takesTogether();
	}

	@Override
	public CompletableFuture<AcquireOutcome> acquire(AcquireCommand command) {
		long sentAt = this.world.now();
		long sentNanos = this.instance.nanos();
		return send(() -> confirmed(
				this.world.tokens().answered(command, sentAt, sentNanos, this.primary.acquire(command))));
	}

	/** Replicas do not always know of a lock that the server has granted. */
	private AcquireOutcome confirmed(AcquireOutcome outcome) {
		if (outcome instanceof AcquireOutcome.Granted && this.chance.of(this.world.climate().unconfirmed())) {
			throw new ReplicasNotAcknowledgedException(1, 0, "No simulated replica has confirmed", null);
		}
		return outcome;
	}

	@Override
	public List<CompletableFuture<Ownership>> renew(List<RenewCommand> commands) {
		if (commands.size() > 1 && this.chance.of(0.5)) {
			// As in a cluster, where some may fail.
			return commands.stream().map((one) -> send(() -> this.primary.renew(List.of(one)).get(0))).toList();
		}
		return RenewAnswers.apart(send(() -> this.primary.renew(commands)), commands.size());
	}

	@Override
	public CompletableFuture<Ownership> extend(ExtendCommand command) {
		return send(() -> this.primary.extend(command));
	}

	@Override
	public CompletableFuture<Ownership> release(ReleaseCommand command) {
		return send(() -> this.primary.release(command));
	}

	@Override
	public CompletableFuture<Void> abandon(AbandonCommand command) {
		return send(() -> this.primary.abandon(command));
	}

	@Override
	public void start(String instance, WakeUpListener listener) {
		this.listener = listener;
		this.world.server().connect(instance, this);
	}

	@Override
	public Duration commandTimeout() {
		return TIMEOUT;
	}

	@Override
	public void close() {
		// There is nothing to free.
	}

}
