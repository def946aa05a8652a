package io.distributedlock.sample.page;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.sample.page.BoardView.EventView;
import io.distributedlock.sample.sale.InstanceEvent.Kind;
import io.distributedlock.sample.sale.Locks;
import io.distributedlock.sample.sale.SaleInstance;

/**
 * A fault from its beginning to its end: meets the instance in the middle of a purchase,
 * and waits for the visible effects. The methods of the faults return the last sentence,
 * which is shown after {@link #tidyUp()}. Used by one thread.
 */
final class FaultStory {

	/** Several times the ttl of the lock {@code purchase}. */
	private static final Duration LONGEST = Duration.ofSeconds(30);

	private static final Duration SOON = Duration.ofSeconds(10);

	private final SaleBoard board;

	private final SaleInstance instance;

	private final Locks locks;

	private final Story story;

	private final Tap tap;

	private long token;

	FaultStory(SaleBoard board, SaleInstance instance, Locks locks, Story story, Tap tap) {
		this.board = board;
		this.instance = instance;
		this.locks = locks;
		this.story = story;
		this.tap = tap;
	}

	/**
	 * Wait until a buyer of the instance is in the middle of a purchase.
	 * @return {@code false} if no buyer gets there any more
	 */
	boolean hold() throws IOException, InterruptedException {
		this.story.tell("holds", "Waiting until %s has the lock".formatted(name()));
		this.instance.hold();
		Optional<EventView> holding = await((event) -> by(event, Kind.HOLDING), LONGEST);
		if (holding.isEmpty()) {
			this.instance.proceed();
			return false;
		}
		this.token = holding.get().number();
		this.story.tell("holds", "%s holds the lock with token %s. It has read the stock and not written it yet"
			.formatted(name(), Tokens.shortened(this.token)));
		return true;
	}

	String freeze() throws IOException, InterruptedException {
		this.instance.freeze(LONGEST);
		this.board.state(this.instance.number(), "frozen");
		this.story.fault("%s is frozen (SIGSTOP). It cannot renew its lease, and does not know that time passes"
			.formatted(name()));
		nextHolderSells();
		this.instance.thaw();
		this.board.state(this.instance.number(), "selling");
		this.story.tell("woke", "%s goes on (SIGCONT) where it stood: in the middle of the purchase".formatted(name()));
		tellLoss();
		staleWriteIsRefused();
		return "Nothing was sold twice";
	}

	String kill() throws InterruptedException {
		this.instance.kill();
		this.board.killed(this.instance.number());
		this.story.fault("%s is dead (SIGKILL), and all its buyers are gone. The database rolls its purchase back, "
			.formatted(name()) + "the lock stays taken until the lease runs out");
		nextHolderSells();
		return "No lock was left behind, and nothing had to be cleaned up";
	}

	String cut() throws IOException, InterruptedException {
		this.instance.cut();
		this.board.state(this.instance.number(), "cut");
		this.story.fault("%s cannot reach Redis any more. It runs, and still reaches the database".formatted(name()));
		tellLoss();
		nextHolderSells();
		staleWriteIsRefused();
		this.instance.reconnect();
		this.board.state(this.instance.number(), "selling");
		return "The connection is back. Nothing was sold twice";
	}

	String restart(RedisServer redis) throws IOException, InterruptedException {
		redis.kill();
		redis.deleteData();
		redis.start();
		this.story
			.fault("Redis was restarted without its data: it has forgotten that %s holds the lock".formatted(name()));
		nextHolderSells();
		tellLoss();
		staleWriteIsRefused();
		return "For a moment there were two holders. The larger token won, and nothing was sold twice";
	}

	/** Undo the effects that a story may have left when it was broken off. */
	void tidyUp() {
		try {
			this.instance.reconnect();
			this.instance.thaw();
			this.instance.proceed();
		}
		catch (IOException ignored) {
			// The instance is gone.
		}
	}

	private void tellLoss() throws InterruptedException {
		await((event) -> by(event, Kind.LOST) && event.number() == this.token, SOON).ifPresent((lost) -> this.story
			.tell("lost", "%s is notified that its lock is lost: %s".formatted(name(), Tokens.reason(lost.text()))));
	}

	private void nextHolderSells() throws InterruptedException {
		Optional<EventView> next = await((event) -> event.kind() == Kind.ACQUIRED && event.number() > this.token,
				LONGEST);
		if (next.isEmpty()) {
			return;
		}
		EventView holder = next.get();
		this.story.tell("next", "Instance %d is the next holder, with the larger token %s".formatted(holder.instance(),
				Tokens.shortened(holder.number())));
		await((event) -> event.kind() == Kind.RELEASED && event.number() >= holder.number(), SOON);
	}

	private void staleWriteIsRefused() throws IOException, InterruptedException {
		this.instance.proceed();
		await((event) -> by(event, Kind.REFUSED), SOON)
			.ifPresent((refused) -> this.story.tell("refused", refusal(refused.number())));
	}

	private String refusal(long old) {
		return switch (this.locks) {
			case IN_REDIS -> "%s writes with its old token %s. The database has seen a larger one, and refuses"
				.formatted(name(), Tokens.shortened(old));
			case IN_DATABASE ->
				("%s wants to commit its sale. It has lost the lock, so all that it wrote is rolled back. No token was "
						+ "compared")
					.formatted(name());
		};
	}

	private boolean by(EventView event, Kind kind) {
		return event.kind() == kind && event.instance() == this.instance.number();
	}

	private Optional<EventView> await(Predicate<EventView> wanted, Duration longest) throws InterruptedException {
		return this.tap.await(wanted, longest);
	}

	private String name() {
		return "Instance " + this.instance.number();
	}

}
