package io.distributedlock.engine.internal.line;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The effects of a decision under a queue's monitor, which run after the monitor was
 * left: I/O, settling waiters, anything that may run code of users. They run in order.
 */
final class AfterUnlock {

	private @Nullable Runnable first;

	private @Nullable List<Runnable> more;

	void add(Runnable effect) {
		if (this.first == null) {
			this.first = effect;
			return;
		}
		if (this.more == null) {
			this.more = new ArrayList<>(3);
		}
		this.more.add(effect);
	}

	void run() {
		if (this.first != null) {
			this.first.run();
		}
		if (this.more != null) {
			this.more.forEach(Runnable::run);
		}
	}

}
