package io.distributedlock.interceptor;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.distributedlock.Lease;
import io.distributedlock.LockOptions;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.memory.MemoryLocks;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.support.PropertySourcesPlaceholderConfigurer;
import org.springframework.core.env.MapPropertySource;

/** An application context whose beans are guarded, on locks that others share. */
public final class GuardedContext implements AutoCloseable {

	private final MemoryLocks locks = new MemoryLocks();

	private final DefaultLockRegistry registry = registry();

	private final DefaultLockRegistry elsewhere = registry();

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	private LockRegistry used = this.registry;

	private LockProfiles profiles = LockProfiles.DEFAULTS;

	private boolean proxyTargetClass = true;

	private boolean checked;

	private UnprotectedCallListener listener = (request, cause) -> {
	};

	/** A registry whose close does not wait for locks that a test left held. */
	private DefaultLockRegistry registry() {
		return new DefaultLockRegistry(new MemoryLockStore(this.locks), LockProfiles.DEFAULTS,
				EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO), (event) -> {
				});
	}

	public static GuardedContext of(Class<?>... beans) {
		return new GuardedContext().start(beans);
	}

	public GuardedContext jdkProxies() {
		this.proxyTargetClass = false;
		return this;
	}

	/** Run the checks and warnings of the start. */
	GuardedContext checked() {
		this.checked = true;
		return this;
	}

	GuardedContext listener(UnprotectedCallListener listener) {
		this.listener = listener;
		return this;
	}

	GuardedContext registry(LockRegistry registry) {
		this.used = registry;
		return this;
	}

	GuardedContext profile(String name, LockOptions options) {
		this.profiles = new LockProfiles(LockOptions.NONE, Map.of(name, options));
		return this;
	}

	GuardedContext global(LockOptions options) {
		this.profiles = new LockProfiles(options, Map.of());
		return this;
	}

	GuardedContext property(String name, String value) {
		this.context.getEnvironment().getPropertySources().addFirst(new MapPropertySource(name, Map.of(name, value)));
		return this;
	}

	GuardedContext customize(Consumer<AnnotationConfigApplicationContext> customizer) {
		customizer.accept(this.context);
		return this;
	}

	public GuardedContext start(Class<?>... beans) {
		this.context.registerBean(PropertySourcesPlaceholderConfigurer.class);
		this.context.registerBean("distributedLockRegistry", LockRegistry.class, () -> this.used,
				(definition) -> definition.setPrimary(true));
		MethodLockSpecSource source = MethodLockSpecSource.ofProxied(this.context.getDefaultListableBeanFactory(),
				() -> this.profiles);
		LockInterceptor interceptor = new LockInterceptor(source, this.context.getBeanFactory(), this.listener);
		this.context.registerBean(DistributedLockAdvisor.class,
				() -> new DistributedLockAdvisor(source, interceptor, DistributedLockAdvisor.DEFAULT_ORDER),
				(definition) -> definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE));
		if (this.checked) {
			this.context.registerBean(GuardedMethodsReport.class,
					() -> new GuardedMethodsReport(() -> source, () -> this.profiles, this.context));
		}
		AopConfigUtils.registerAutoProxyCreatorIfNecessary(this.context);
		if (this.proxyTargetClass) {
			AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(this.context);
		}
		this.context.register(beans);
		this.context.refresh();
		return this;
	}

	public <T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	public boolean isLocked(String name, String key) {
		return this.locks.isLocked(name, key);
	}

	public boolean isLocked(String key) {
		return isLocked("", key);
	}

	/** Take a lock without a name away from its holder, who finds out when it renews. */
	void steal(String key) {
		if (!this.locks.remove("", key)) {
			throw new IllegalStateException("Not locked: " + key);
		}
	}

	Lease holdElsewhere(String name, String... keys) {
		return this.elsewhere.acquire(LockRequest.ofAll(keys).name(name).waitFor(Duration.ZERO));
	}

	Lease holdElsewhere(LockRequest request) {
		return this.elsewhere.acquire(request.waitFor(Duration.ZERO));
	}

	boolean isFreeElsewhere(LockRequest request) {
		Optional<Lease> lease = this.elsewhere.tryAcquire(request.waitFor(Duration.ZERO));
		lease.ifPresent(Lease::close);
		return lease.isPresent();
	}

	CompletableFuture<Lease> waitElsewhere(LockRequest request) {
		return this.elsewhere.acquireAsync(request).toCompletableFuture();
	}

	@Override
	public void close() {
		this.context.close();
		this.registry.close();
		this.elsewhere.close();
	}

}
