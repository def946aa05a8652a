package io.distributedlock.autoconfigure;

import java.util.List;

import io.distributedlock.engine.DefaultLockRegistry;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;

/**
 * Closes registries during the shutdown if their stores need beans of the application:
 * just before the connection factories end, which the releases need.
 * {@link RegistryClosing} closes registries with independent stores later.
 * <p>
 * A context that is only stopped or paused keeps its registries: it may be started again,
 * and a closed registry cannot. A checkpoint (CRaC, SnapStart) also stops and starts the
 * context. After it, several processes may go on from one image, so all leases from
 * before are lost. A shutdown is recognised by {@code isClosed()} of the context, since
 * an asynchronous multicaster publishes its events late.
 */
final class LockShutdownLifecycle implements SmartLifecycle {

	/** Just above the 0 of the connection factories. Higher phases stop first. */
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
