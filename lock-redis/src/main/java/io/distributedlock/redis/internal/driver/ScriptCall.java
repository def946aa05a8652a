package io.distributedlock.redis.internal.driver;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A script that a {@link ScriptRunner} runs, and the receiver of its answer.
 */
public interface ScriptCall {

	/** The script to run now: an answer may lead to another one. */
	Script script();

	/** The keys; in a cluster they have one hash slot. */
	byte[][] keys();

	/** The arguments. */
	byte[][] args();

	/** Return whether the answer is not waited for any more. */
	boolean isDone();

	/**
	 * Take the command that a driver is about to send. It is withdrawn when the call is
	 * cancelled, or at once if it was.
	 */
	void begin(Command command);

	/** Take the answer of the server: a number, or a list of numbers and bytes. */
	void answered(Object answer);

	/** Take a failure: the server refused, or there is no answer. */
	void failed(Throwable failure);

	/**
	 * Return the gathering of this call with others, or {@code null} if it goes alone.
	 */
	default @Nullable Gathering gathering() {
		return null;
	}

	/** As {@link java.util.concurrent.Future#cancel}. */
	boolean cancel(boolean mayInterruptIfRunning);

	/** Makes one call of several that have this gathering. */
	interface Gathering {

		/**
		 * Return a call that runs several calls, one after the other.
		 * @param calls at least two, in their order; each gets an answer or a failure of
		 * its own
		 */
		ScriptCall together(List<ScriptCall> calls);

	}

	/** A command that a driver sends. */
	interface Command {

		/** Do not send it if that was not done yet, and ignore its answer. */
		void withdraw();

	}

}
