package io.distributedlock.autoconfigure;

import io.distributedlock.leader.LeaderElection;
import io.distributedlock.leader.LeaderElections;
import io.distributedlock.text.LockLog;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Starts the elections when all else is started, and stops them before anything else is
 * stopped, as the default phase does. So the work that a leader does finds its beans, and
 * another instance leads while this one still ends its web requests. A context that was
 * only stopped starts the elections again.
 */
final class LeaderLifecycle implements SmartLifecycle {

	private static final LockLog logger = LockLog.of(LeaderLifecycle.class);

	private final ListableBeanFactory beanFactory;

	private volatile boolean running;

	LeaderLifecycle(ListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	@Override
	public void start() {
		this.running = true;
		this.beanFactory.getBeansOfType(LeaderElection.class, false, true).values().forEach(LeaderElection::start);
	}

	/** Elections that were made in code are stopped as well. */
	@Override
	public void stop() {
		this.running = false;
		try {
			this.beanFactory.getBeansOfType(LeaderElections.class, false, true).values().forEach(LeaderElections::stop);
		}
		catch (RuntimeException ex) {
			logger.warn("Elections were not stopped", ex);
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

}
