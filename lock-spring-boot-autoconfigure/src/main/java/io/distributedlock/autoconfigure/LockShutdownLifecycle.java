package io.distributedlock.autoconfigure;

import java.util.List;

import io.distributedlock.engine.DefaultLockRegistry;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;

/**
 * Closes the registries while the application shuts down: after the web server has
 * drained its requests, which may hold locks, and before the connection factory ends,
 * which the releases need. A context that is only stopped or paused keeps its registries,
 * because it may be started again and a closed registry cannot. The context itself is
 * asked which of them it is: its events come late where an asynchronous multicaster
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

	LockShutdownLifecycle(List<DefaultLockRegistry> registries, ConfigurableApplicationContext context) {
		this.registries = registries;
		this.context = context;
	}

	@Override
	public void start() {
		this.running = true;
	}

	@Override
	public void stop() {
		this.running = false;
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
