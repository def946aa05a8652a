package io.distributedlock.aspectj;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.distributedlock.interceptor.LockInterceptor;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.function.SingletonSupplier;

/**
 * The switch of an application context for woven methods: they take their locks, or run
 * as if they had not been woven. It is in effect from its creation until it is closed. If
 * a process has several contexts, the one that was created last decides, since woven code
 * does not know to which it belongs. Thread-safe.
 * <p>
 * It is a post-processor, because it must exist before the first bean with woven methods
 * and be closed after the last.
 *
 * @since 0.1.0
 */
public final class LockWeaving implements BeanFactoryPostProcessor, AutoCloseable {

	private static final List<LockWeaving> OPEN = new ArrayList<>();

	private static volatile @Nullable LockWeaving latest;

	private final @Nullable Supplier<LockInterceptor> interceptor;

	private LockWeaving(@Nullable Supplier<LockInterceptor> interceptor) {
		this.interceptor = interceptor;
		synchronized (OPEN) {
			OPEN.add(this);
			latest = this;
		}
	}

	/**
	 * Let woven methods take their locks.
	 * @param interceptor runs them, looked up by the first call
	 * @return the switch, in effect until it is closed
	 */
	public static LockWeaving active(Supplier<LockInterceptor> interceptor) {
		return new LockWeaving(SingletonSupplier.of(interceptor));
	}

	/**
	 * Let woven methods run without any lock of theirs.
	 * @return the switch, in effect until it is closed
	 */
	public static LockWeaving passive() {
		return new LockWeaving(null);
	}

	/** The latest switch that is open, or {@code null} if there is none. */
	static @Nullable LockWeaving current() {
		return latest;
	}

	/** The interceptor of woven methods, or {@code null} if they run without a lock. */
	@Nullable LockInterceptor interceptor() {
		return (this.interceptor != null) ? this.interceptor.get() : null;
	}

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		// The creation of this bean has the effect.
	}

	@Override
	public void close() {
		synchronized (OPEN) {
			OPEN.remove(this);
			latest = OPEN.isEmpty() ? null : OPEN.get(OPEN.size() - 1);
		}
	}

}
