package io.distributedlock.interceptor;

import java.util.Collection;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.distributedlock.LockOptions;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;

/**
 * Lists at DEBUG, once the application context is refreshed, every guarded method with
 * what counts for it after the configuration was merged in.
 *
 * @since 0.1.0
 */
public final class GuardedMethodsReport implements ApplicationListener<ContextRefreshedEvent> {

	private static final Log logger = LogFactory.getLog(GuardedMethodsReport.class);

	private final Supplier<MethodLockSpecSource> source;

	private final ApplicationContext context;

	/**
	 * Create a report.
	 * @param source the specifications of guarded methods
	 * @param context the application context whose beans are guarded
	 */
	public GuardedMethodsReport(Supplier<MethodLockSpecSource> source, ApplicationContext context) {
		this.source = source;
		this.context = context;
	}

	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		if (event.getApplicationContext() == this.context && logger.isDebugEnabled()) {
			Collection<MethodLockSpec> specs = this.source.get().specs();
			logger.debug("Methods guarded by a lock: %d".formatted(specs.size()) + specs.stream()
				.map(GuardedMethodsReport::describe)
				.sorted()
				.collect(Collectors.joining("\n\t", specs.isEmpty() ? "" : "\n\t", "")));
		}
	}

	private static String describe(MethodLockSpec outermost) {
		StringBuilder text = new StringBuilder(MethodNames.of(outermost.targetClass(), outermost.method()));
		for (MethodLockSpec spec = outermost; spec != null; spec = spec.inner()) {
			LockOptions options = spec.options();
			text.append(": key %s, name '%s', ttl %s %s, wait %s, whenBusy %s, whenLost %s, whenUnavailable %s"
				.formatted(spec.isKeyedByMethod() ? "the method itself" : spec.keyExpressions(), spec.name(),
						options.ttl(), Boolean.TRUE.equals(options.renew()) ? "renewed" : "not renewed",
						options.waitFor(), options.whenBusy(), options.whenLost(), options.whenUnavailable()));
		}
		return text.toString();
	}

}
