package io.distributedlock.autoconfigure;

import java.util.List;

import io.distributedlock.engine.DefaultLockRegistry;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;

/**
 * Closes the registries while the application shuts down: after the web server has
 * drained its requests, which may hold locks, and before the connection factory ends,
 * which the releases need. A context that is only stopped or paused keeps its registries,
 * because it may be started again and a closed registry cannot. That is also how Spring
 * goes through a checkpoint (CRaC, SnapStart): after it, several processes may go on from
 * one image, so the registries let go of what was held before. The context itself is
 * asked whether it closes: its events come late where an asynchronous multicaster
 * publishes them.
 */
final class LockShutdownLifecycle implements SmartLifecycle {

	/**
	 * Below the web servers' {@code DEFAULT_PHASE - 1024} and {@code - 2048}, far above
	 * the connection factories' 0. Higher phases stop first.
	 */
	static final int PHASE = DEFAULT_PHASE - 4096;

	private final List<DefaultLockRegistry> registries;

	private final ConfigurableApplicationContext context;

	private volatile boolean running;

	private volatile boolean stopped;

	LockShutdownLifecycle(List<DefaultLockRegistry> registries, ConfigurableApplicationContext context) {
		this.registries = registries;
		this.context = context;
	}

	@Override
	public void start() {
		if (this.stopped) {
			this.stopped = false;
			this.registries.forEach(DefaultLockRegistry::restored);
		}
		this.running = true;
	}

	@Override
	public void stop() {
		this.running = false;
		this.stopped = true;
		if (this.context.isClosed()) {
			this.registries.forEach(DefaultLockRegistry::close);
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
