package io.distributedlock.autoconfigure;

import java.util.List;

import io.distributedlock.engine.DefaultLockRegistry;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;

/**
 * Closes the registries whose stores need beans of the application, while it shuts down:
 * just before the connection factories end, which the releases need. Those whose stores
 * are independent are closed later, by {@link RegistryClosing}. A context that is only
 * stopped or paused keeps its registries, because it may be started again and a closed
 * registry cannot. That is also how Spring goes through a checkpoint (CRaC, SnapStart):
 * after it, several processes may go on from one image, so the registries let go of what
 * was held before. The context itself is asked whether it closes: its events come late
 * where an asynchronous multicaster publishes them.
 */
final class LockShutdownLifecycle implements SmartLifecycle {

	/** Just above the connection factories' 0. Higher phases stop first. */
	static final int PHASE = 1;

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
			this.registries.stream()
				.filter((registry) -> !RegistryClosing.isIndependent(registry))
				.forEach((registry) -> RegistryClosing.close(registry::close));
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
