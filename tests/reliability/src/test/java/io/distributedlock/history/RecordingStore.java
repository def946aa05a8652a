package io.distributedlock.history;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RequestId;
import io.distributedlock.test.store.DelegatingLockStore;

/**
 * Records the renewals of leases, which happen out of sight of their holders. A holder
 * makes itself known with {@link #held}; its own record and the renewals by the engine
 * come together by lock and token. Everything else is passed on.
 */
public final class RecordingStore extends DelegatingLockStore {

	private static final int REMEMBERED = 20_000;

	private final Map<RequestId, Long> tokens = remembering();

	private final Map<Owner, Hold> holds = remembering();

	/**
	 * Record the renewals of a store.
	 * @param delegate the store
	 */
	public RecordingStore(LockStore delegate) {
		super(delegate);
	}

	/**
	 * A map that remembers ended requests for a while too, since a late renewal may
	 * follow.
	 */
	private static <K, V> Map<K, V> remembering() {
		return Collections.synchronizedMap(new LinkedHashMap<>() {

			@Override
			protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
				return size() > REMEMBERED;
			}

		});
	}

	/**
	 * Record the renewals of a lease from now on.
	 * @param hold the lease
	 */
	public void held(Hold hold) {
		this.holds.put(new Owner(hold.key(), hold.token()), hold);
	}

	@Override
	public CompletableFuture<AcquireOutcome> acquire(AcquireCommand command) {
		return super.acquire(command).thenApply((outcome) -> {
			if (outcome instanceof AcquireOutcome.Granted granted) {
				this.tokens.put(command.request(), granted.token());
			}
			return outcome;
		});
	}

	@Override
	public List<CompletableFuture<Ownership>> renew(List<RenewCommand> commands) {
		long sentAt = System.nanoTime();
		List<Hold> renewed = new ArrayList<>(commands.size());
		for (RenewCommand command : commands) {
			Long token = this.tokens.get(command.request());
			Hold hold = (token != null) ? this.holds.get(new Owner(command.key().key(), token)) : null;
			renewed.add(hold);
			if (hold != null) {
				hold.renewing();
			}
		}
		List<CompletableFuture<Ownership>> answers = new ArrayList<>(super.renew(commands));
		for (int i = 0; i < renewed.size(); i++) {
			Hold hold = renewed.get(i);
			RenewCommand command = commands.get(i);
			if (hold != null) {
				answers.set(i, answers.get(i).whenComplete((answer, ex) -> record(hold, command, sentAt, answer)));
			}
		}
		return answers;
	}

	private static void record(Hold hold, RenewCommand command, long sentAt, Ownership answer) {
		if (answer == null) {
			hold.renewalUnknown("no answer");
		}
		else if (answer == Ownership.HELD) {
			long ttl = command.ttl().toNanos();
			hold.renewed(sentAt + ttl - ttl / 100 - 2_000_000);
		}
		else {
			hold.notRenewed();
		}
	}

	private record Owner(String key, long token) {
	}

}
