package io.distributedlock.redis.internal.driver;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A script that a {@link ScriptRunner} runs, and what hears the answer.
 */
public interface ScriptCall {

	/** The script to run now: an answer may lead to another one. */
	Script script();

	/** The keys, in one hash slot. */
	byte[][] keys();

	/** The arguments. */
	byte[][] args();

	/** Whether the answer is not waited for any more. */
	boolean isDone();

	/**
	 * A driver is about to send a command. It is withdrawn when the call is cancelled, or
	 * at once if it was.
	 */
	void begin(Command command);

	/** The server answered with a number or a list of numbers and bytes. */
	void answered(Object answer);

	/** The server refused, or there is no answer. */
	void failed(Throwable failure);

	/** What makes one call of this one and others, or {@code null} if it goes alone. */
	default @Nullable Gathering gathering() {
		return null;
	}

	/** As {@link java.util.concurrent.Future#cancel}. */
	boolean cancel(boolean mayInterruptIfRunning);

	/** Makes one call of several that have it. */
	interface Gathering {

		/**
		 * A call that does what several do, one after the other.
		 * @param calls at least two, in their order; each hears an answer or a failure of
		 * its own
		 */
		ScriptCall together(List<ScriptCall> calls);

	}

	/** What a driver sends. */
	interface Command {

		/** Do not send it if that was not done yet, and forget its answer. */
		void withdraw();

	}

}
