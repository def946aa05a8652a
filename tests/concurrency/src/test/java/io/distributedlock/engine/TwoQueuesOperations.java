package io.distributedlock.engine;

import io.distributedlock.engine.internal.line.KeyQueue;
import io.distributedlock.engine.internal.line.Waiter;

/** The fault that must be found: two threads that find no queue make one each. */
public class TwoQueuesOperations extends QueueOperations {

	private volatile KeyQueue queue;

	@Override
	void enter(Waiter waiter) {
		KeyQueue found = this.queue;
		if (found == null || !found.enter(waiter)) {
			found = new KeyQueue(this.instance.engine.queues.index, waiter.keys.get(0));
			this.queue = found;
			found.enter(waiter);
		}
	}

}
