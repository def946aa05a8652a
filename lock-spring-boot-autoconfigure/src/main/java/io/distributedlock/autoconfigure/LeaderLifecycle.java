package io.distributedlock.autoconfigure;

import java.util.List;

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

	private volatile List<LeaderElection> started = List.of();

	private volatile boolean running;

	LeaderLifecycle(ListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	@Override
	public void start() {
		this.running = true;
		this.started = List.copyOf(this.beanFactory.getBeansOfType(LeaderElection.class, false, true).values());
		this.started.forEach(LeaderElection::start);
	}

	/**
	 * Stop the elections of this context together, also those that were made in code, and
	 * then the beans that were made by other elections, such as those of a parent.
	 */
	@Override
	public void stop() {
		this.running = false;
		logged(() -> this.beanFactory.getBeansOfType(LeaderElections.class, false, true)
			.values()
			.forEach(LeaderElections::stop));
		this.started.forEach((election) -> logged(election::stop));
	}

	private static void logged(Runnable stop) {
		try {
			stop.run();
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
