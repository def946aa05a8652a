package io.distributedlock.engine;

import java.util.List;

import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.engine.internal.instance.LockTerms;
import io.distributedlock.engine.internal.lease.Grant;
import io.distributedlock.engine.internal.line.KeyQueue;
import io.distributedlock.engine.internal.line.QueueIndex;
import io.distributedlock.store.LockKey;

/**
 * A grant that is held, valid until 100 and to be extended to 200.
 */
final class HeldGrant {

	private final LoneInstance instance = new LoneInstance(new PermissiveStore());

	final Grant grant;

	HeldGrant() {
		List<LockKey> keys = List.of(new LockKey("", "k"));
		LockTerms terms = LoneInstance.terms(LockRequest.of("k").renew(false));
		QueueIndex index = this.instance.engine.queues.index;
		this.grant = new KeyQueue(index, keys.get(0)).newGrant(null, terms);
		this.grant.ownedBy(null, null, 1);
		this.grant.begin(terms, 0, 0, 100);
	}

	/** Before, while and after the lease that was extended can be valid. */
	static int time(int at) {
		return 50 + 100 * at;
	}

	static LossReason reason(int number) {
		return LossReason.values()[number];
	}

	/** Let the timer fire, and return the reason of the loss that is told. */
	String fire(int at) {
		int before = this.instance.lost();
		this.grant.fire(time(at));
		return (this.instance.lost() > before) ? this.instance.toldReason().name() : "nothing";
	}

}
