package io.distributedlock.sample.page;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.sample.sale.FlashSaleProperties;
import io.distributedlock.sample.sale.Locks;
import io.distributedlock.sample.sale.SaleInstance;
import io.distributedlock.sample.sale.Sales;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/** Causes faults in instances that sell with the lock, one at a time. */
@Component
@Profile("!instance")
class Faults {

	private static final Log logger = LogFactory.getLog(Faults.class);

	private final SaleBoard board;

	private final Sales sales;

	private final ObjectProvider<RedisServer> redis;

	private final AtomicBoolean busy = new AtomicBoolean();

	Faults(SaleBoard board, Sales sales, ObjectProvider<RedisServer> redis) {
		this.board = board;
		this.sales = sales;
		this.redis = redis;
	}

	/**
	 * Begin a fault, which goes on by itself.
	 * @throws FaultRefusedException if it cannot be caused now
	 */
	void start(Fault fault, int number) {
		SaleInstance instance = this.sales.disturb(number)
			.orElseThrow(() -> new FaultRefusedException("Instance " + number + " does not sell with the lock now"));
		Locks locks = this.board.selling().map(FlashSaleProperties::locks).orElse(Locks.IN_REDIS);
		requirePossible(fault, instance, locks);
		if (!this.busy.compareAndSet(false, true)) {
			throw new FaultRefusedException("Another fault is going on");
		}
		Thread thread = new Thread(() -> run(fault, instance, locks), "fault");
		thread.setDaemon(true);
		thread.start();
	}

	private void requirePossible(Fault fault, SaleInstance instance, Locks locks) {
		if (locks == Locks.IN_DATABASE && (fault == Fault.CUT || fault == Fault.RESTART_REDIS)) {
			throw new FaultRefusedException("The locks of this sale are in the database, not in Redis");
		}
		if (fault == Fault.CUT && !instance.hasLink()
				|| fault == Fault.RESTART_REDIS && !this.redis.iterator().hasNext()) {
			throw new FaultRefusedException("The sample did not start this Redis, and leaves it alone");
		}
	}

	private void run(Fault fault, SaleInstance instance, Locks locks) {
		Story story = new Story(this.board, fault, instance.number());
		String end = "The fault was broken off: the sale may have ended";
		try (Tap tap = this.board.tap()) {
			FaultStory told = new FaultStory(this.board, instance, locks, story, tap);
			try {
				end = told.hold() ? run(fault, told)
						: "Instance %d did not get the lock any more: the sale is over".formatted(instance.number());
			}
			finally {
				told.tidyUp();
			}
		}
		catch (IOException | RuntimeException ex) {
			logger.warn("A fault was broken off: the sale may have ended", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		finally {
			// Before the end is shown: its reader may begin the next fault.
			this.busy.set(false);
			story.end(end);
		}
	}

	private String run(Fault fault, FaultStory story) throws IOException, InterruptedException {
		return switch (fault) {
			case FREEZE -> story.freeze();
			case KILL -> story.kill();
			case CUT -> story.cut();
			case RESTART_REDIS -> story.restart(this.redis.getObject());
		};
	}

}
