package io.distributedlock.redis.driver;

/**
 * A script that a {@link ScriptRunner} runs, and what hears the answer.
 */
public interface ScriptCall {

	/** The script to run now: an answer may lead to another one. */
	RedisScript script();

	/** Its keys, in one hash slot. */
	byte[][] keys();

	/** Its arguments. */
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

	/** As {@link java.util.concurrent.Future#cancel}. */
	boolean cancel(boolean mayInterruptIfRunning);

	/** What a driver sends. */
	interface Command {

		/** Do not send it if that was not done yet, and forget its answer. */
		void withdraw();

	}

}
