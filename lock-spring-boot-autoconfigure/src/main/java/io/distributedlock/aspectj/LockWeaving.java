package io.distributedlock.aspectj;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.distributedlock.interceptor.LockInterceptor;
import org.jspecify.annotations.Nullable;

/**
 * The switch of an application context for woven methods: they take their locks, or run
 * as if they had not been woven. It is in effect from its creation until it is closed. If
 * a process has several contexts, the one that was created last decides, since woven code
 * does not know to which it belongs. Thread-safe.
 *
 * @since 0.1.0
 */
public final class LockWeaving implements AutoCloseable {

	private static final List<LockWeaving> OPEN = new ArrayList<>();

	private static volatile @Nullable LockWeaving latest;

	private final @Nullable Supplier<LockInterceptor> source;

	private volatile @Nullable LockInterceptor interceptor;

	private LockWeaving(@Nullable Supplier<LockInterceptor> source) {
		this.source = source;
		synchronized (OPEN) {
			OPEN.add(this);
			latest = this;
		}
	}

	/**
	 * Let woven methods take their locks.
	 * @param interceptor runs them, looked up by the first call
	 * @return open until it is closed
	 */
	public static LockWeaving active(Supplier<LockInterceptor> interceptor) {
		return new LockWeaving(interceptor);
	}

	/**
	 * Let woven methods run without any lock of theirs.
	 * @return open until it is closed
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
		LockInterceptor known = this.interceptor;
		if (known == null && this.source != null) {
			known = this.source.get();
			this.interceptor = known;
		}
		return known;
	}

	@Override
	public void close() {
		synchronized (OPEN) {
			OPEN.remove(this);
			latest = OPEN.isEmpty() ? null : OPEN.get(OPEN.size() - 1);
		}
	}

}
