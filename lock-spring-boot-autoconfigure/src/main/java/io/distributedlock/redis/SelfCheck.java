package io.distributedlock.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.distributedlock.LockStoreException;
import io.distributedlock.redis.driver.RedisDriver;
import io.distributedlock.redis.driver.RedisErrors;
import io.distributedlock.redis.driver.RedisTarget;
import io.distributedlock.redis.driver.ScriptRunner;

/**
 * Checks whether locks can be kept at all: whether the server answers and is of the right
 * kind, which keys may go into one script, and whether the user may run every command, on
 * every primary. Harmless. Acquisitions wait for the check once it was asked for.
 * Thread-safe.
 */
final class SelfCheck implements AutoCloseable {

	/** How many keys tell a node of a cluster, which has not all of their slots. */
	private static final int LONE_CONTACTS = 8;

	private final RedisDriver driver;

	private final RedisStoreSettings settings;

	private final RedisSetup setup;

	private final KeyPlan plan;

	private final ScriptRunner runner;

	private final ScriptSender sender;

	private final PermissionGate gate = new PermissionGate(new RepeatedContact(this::contact), this::probe);

	SelfCheck(RedisDriver driver, RedisStoreSettings settings, RedisSetup setup, KeyPlan plan, ScriptRunner runner,
			ScriptSender sender) {
		this.driver = driver;
		this.settings = settings;
		this.setup = setup;
		this.plan = plan;
		this.runner = runner;
		this.sender = sender;
	}

	/** As {@link RedisLockStore#checkPermissions()}. */
	CompletableFuture<Void> run() {
		return this.gate.check();
	}

	/** Whether acquisitions need not wait for a check. */
	boolean isPassed() {
		return this.gate.isOpen();
	}

	/** Send an acquisition, after a check that is due. */
	<T> CompletableFuture<T> enter(Supplier<CompletableFuture<T>> acquisition) {
		return this.gate.enter(acquisition);
	}

	/**
	 * Completes when the server says anything, also that this is not allowed. Finds out
	 * on the way whether keys of different slots may go into one script.
	 */
	private CompletableFuture<?> contact() {
		CompletableFuture<Boolean> asked = this.plan.takesAllTogether()
				? Futures.orElse(contact(0, 1), RedisFailures::isCrossSlot, this::contactOneByOne) : contact(0);
		return asked.exceptionally((failure) -> {
			if (RedisErrors.refusal(failure) != null) {
				this.sender.met();
				return true;
			}
			throw new CompletionException(failure);
		});
	}

	/** A proxy answers for all keys, and a node of a cluster only for its own. */
	private CompletableFuture<Boolean> contactOneByOne() {
		return IntStream.range(0, LONE_CONTACTS)
			.mapToObj(this::contact)
			.reduce((one, other) -> one.thenCombine(other, Boolean::logicalAnd))
			.orElseThrow();
	}

	private CompletableFuture<Boolean> contact(int... numbers) {
		ScriptCommand command = ScriptCommands.contact(IntStream.of(numbers)
			.mapToObj((number) -> PermissionProbe.key(this.settings, number))
			.toArray(byte[][]::new));
		return this.runner.run(command.script(), command.keys(), command.args()).handle((answer, failure) -> {
			if (failure != null) {
				throw untried(RedisErrors.unwrapped(failure));
			}
			this.sender.met();
			return true;
		});
	}

	private void probe() {
		try {
			PermissionProbe.run(this.driver, this.settings, this.setup);
			if (this.plan.takesAllTogether() && ScatteredKeys.found(this.driver.factory(), this.settings)) {
				this.plan.scattered();
			}
		}
		catch (MissingPermissionsException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			throw untried(ex);
		}
	}

	private LockStoreException untried(Throwable failure) {
		this.plan.failed(failure);
		RedisTarget target = this.driver.target();
		boolean met = this.sender.isMet();
		LockStoreException unsuitable = (met && Unsuitability.mayFollowAnAnswer(failure)) ? null
				: UnsuitableServerException.of(this.setup, target.address(), target.sentinels(), failure);
		return (unsuitable != null) ? unsuitable
				: RedisFailures.isMisconfiguration(failure) ? RedisFailures.translate("try the permissions for",
						this.settings.keyPrefix() + '*', this.setup, met, failure)
						: RedisFailures.outage(this.setup, failure);
	}

	/** End a probe that is under way. Waits for it a moment. */
	@Override
	public void close() {
		this.gate.close();
	}

}
