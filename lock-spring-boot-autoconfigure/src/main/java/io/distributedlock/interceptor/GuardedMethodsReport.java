package io.distributedlock.interceptor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.interceptor.expression.MethodNames;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

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
		String method = MethodNames.of(outermost.targetClass(), outermost.method());
		if (outermost.inner() == null) {
			return method + ": " + describeLock(outermost);
		}
		StringBuilder text = new StringBuilder(method).append(":");
		for (MethodLockSpec spec = outermost; spec != null; spec = spec.inner()) {
			text.append("\n\t\t- ").append(describeLock(spec));
		}
		return text.toString();
	}

	/** What is not said of a lock is left out. */
	private static String describeLock(MethodLockSpec spec) {
		LockOptions options = spec.options();
		List<String> parts = new ArrayList<>();
		parts.add("key " + (spec.isKeyedByMethod() ? "the method itself" : spec.keyExpressions()));
		addIfSaid(parts, "name", spec.name().isEmpty() ? null : "'" + spec.name() + "'");
		addIfSaid(parts, "mode", (options.mode() != LockMode.EXCLUSIVE) ? options.mode() : null);
		addIfSaid(parts, "permits", options.permits());
		parts.add(
				"ttl %s %s".formatted(options.ttl(), Boolean.TRUE.equals(options.renew()) ? "renewed" : "not renewed"));
		addIfSaid(parts, "maxHold", options.maxHold());
		addIfSaid(parts, "keepFor", Duration.ZERO.equals(options.keepFor()) ? null : options.keepFor());
		addIfSaid(parts, "wait", options.waitFor());
		addIfSaid(parts, "whenBusy", options.whenBusy());
		addIfSaid(parts, "fallback", spec.fallbackName());
		addIfSaid(parts, "whenLost", options.whenLost());
		addIfSaid(parts, "whenUnavailable", options.whenUnavailable());
		addIfSaid(parts, "condition", spec.conditionText());
		addIfSaid(parts, "registry", spec.registry().isEmpty() ? null : spec.registry());
		return String.join(", ", parts);
	}

	private static void addIfSaid(List<String> parts, String attribute, @Nullable Object value) {
		if (value != null) {
			parts.add(attribute + " " + value);
		}
	}

}
