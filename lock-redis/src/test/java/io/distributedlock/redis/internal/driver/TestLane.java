package io.distributedlock.redis.internal.driver;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * A lane whose server is here, and answers when it may.
 */
final class TestLane implements CallerLane {

	/** The keys of each command, in the order of the commands. */
	final List<Object> commands = Collections.synchronizedList(new ArrayList<>());

	private final Semaphore connections;

	private volatile Semaphore answers = new Semaphore(Integer.MAX_VALUE / 2);

	volatile boolean isInUse = true;

	/** Done before a caller hears that no connection is free. */
	volatile Runnable whenRefused = () -> {
	};

	private volatile boolean isLost;

	TestLane(int connections) {
		this.connections = new Semaphore(connections);
	}

	/** From now on nothing is answered. */
	void stop() {
		this.answers = new Semaphore(0);
	}

	/** The next commands are answered. */
	void answer(int count) {
		this.answers.release(count);
	}

	/** The next commands are not answered, and there are no connections afterwards. */
	void lose() {
		this.isLost = true;
		answer(Integer.MAX_VALUE / 2);
	}

	@Override
	public @Nullable Object run(Supplier<@Nullable NumberedCommand> command, long nanos) {
		if (Thread.currentThread().isInterrupted() || !this.connections.tryAcquire()) {
			this.whenRefused.run();
			return null;
		}
		try {
			NumberedCommand sent = command.get();
			return (sent != null) ? answerTo(sent) : null;
		}
		finally {
			if (!this.isLost) {
				this.connections.release();
			}
		}
	}

	private @Nullable Object answerTo(NumberedCommand sent) {
		byte[][] keys = List.of(sent.values()).subList(0, sent.keyCount()).toArray(byte[][]::new);
		this.commands.add(KeyCall.keys(keys));
		this.answers.acquireUninterruptibly();
		return this.isLost ? null : KeyCall.answer(keys);
	}

	@Override
	public boolean isInUse() {
		return this.isInUse && !this.isLost;
	}

	@Override
	public boolean wantsMore() {
		return false;
	}

	@Override
	public void open() {
		this.connections.release();
	}

}
