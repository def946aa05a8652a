package io.distributedlock.chaos;

import java.time.Duration;
import java.util.List;

import io.distributedlock.LockRequest;
import io.distributedlock.history.Attempt;
import io.distributedlock.history.Event.Mode;
import io.distributedlock.history.Recorder;

/**
 * The request of a worker, with its locks and their kind.
 *
 * @param keys the locks, in order
 * @param request the request
 * @param mode the kind of lock, as the history has it
 * @param permits how many permits a semaphore has
 */
record Wish(List<String> keys, LockRequest request, Mode mode, int permits) {

	String key() {
		return this.keys.get(0);
	}

	Wish waitFor(Duration wait) {
		return with(this.request.waitFor(wait));
	}

	Wish with(LockRequest request) {
		return new Wish(this.keys, request, this.mode, this.permits);
	}

	/**
	 * Record that it is asked for.
	 * @param divided whether the keys are taken one after the other
	 */
	List<Attempt> ask(Recorder recorder, boolean divided) {
		return this.keys.stream().map((key) -> {
			if (this.mode == Mode.S) {
				return recorder.acquirePermit(key, this.permits);
			}
			if (this.keys.size() == 1) {
				return recorder.acquire(key, this.mode, 1);
			}
			return divided ? recorder.acquireInTurn(key, this.mode) : recorder.acquireTogether(key, this.mode);
		}).toList();
	}

}
