package io.distributedlock.interceptor.startup;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.LockProfiles;
import io.distributedlock.interceptor.MethodLockSpec;
import io.distributedlock.interceptor.MethodLockSpecSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;

/**
 * Logs, once the application context is refreshed, what the guarded methods that are then
 * known add up to. At DEBUG it lists each with the options that count after the
 * configuration was merged in. At INFO it names profiles of locks that no method has. At
 * WARN it names locks that {@linkplain LockConflicts contradict each other} or the
 * {@linkplain ScheduleCheck schedule} of their job.
 *
 * @since 0.1.0
 */
public final class GuardedMethodsReport implements ApplicationListener<ContextRefreshedEvent> {

	private static final Log logger = LogFactory.getLog(GuardedMethodsReport.class);

	private final Supplier<MethodLockSpecSource> source;

	private final Supplier<LockProfiles> profiles;

	private final ApplicationContext context;

	/**
	 * Create a report.
	 * @param source the specifications of guarded methods
	 * @param profiles the configuration of the locks
	 * @param context the application context whose beans are guarded
	 */
	public GuardedMethodsReport(Supplier<MethodLockSpecSource> source, Supplier<LockProfiles> profiles,
			ApplicationContext context) {
		this.source = source;
		this.profiles = profiles;
		this.context = context;
	}

	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		if (event.getApplicationContext() == this.context) {
			report(List.copyOf(this.source.get().specs()));
		}
	}

	private void report(List<MethodLockSpec> methods) {
		List<MethodLockSpec> locks = new ArrayList<>();
		for (MethodLockSpec outermost : methods) {
			for (MethodLockSpec lock = outermost; lock != null; lock = lock.inner()) {
				locks.add(lock);
			}
		}
		if (logger.isDebugEnabled()) {
			logger.debug("Methods guarded by a lock: %d".formatted(methods.size()) + methods.stream()
				.map(GuardedMethodsReport::describe)
				.sorted()
				.collect(Collectors.joining("\n\t", methods.isEmpty() ? "" : "\n\t", "")));
		}
		if (!locks.isEmpty()) {
			reportUnusedProfiles(locks);
		}
		LockConflicts.warn(locks);
		ScheduleCheck schedules = new ScheduleCheck(this.context.getEnvironment()::resolvePlaceholders);
		locks.forEach(schedules::check);
	}

	/**
	 * A profile that no annotated method has may be misspelt. It need not be, since
	 * requests name their lock at run time, and some beans are created later.
	 */
	private void reportUnusedProfiles(List<MethodLockSpec> locks) {
		Set<String> used = locks.stream()
			.map(MethodLockSpec::name)
			.filter((name) -> !name.isEmpty())
			.collect(Collectors.toCollection(TreeSet::new));
		Set<String> unused = new TreeSet<>(this.profiles.get().names());
		unused.removeAll(used);
		if (!unused.isEmpty()) {
			logger.info(
					"No annotated method has a lock of the name %s, so distributed-lock.locks.* counts there only for locks of that name that the code asks for by LockRegistry, LockRequest and LockTemplate, and for beans that are created later. Is a name misspelt? The names of annotated methods are %s"
						.formatted(unused, used));
		}
	}

	private static String describe(MethodLockSpec outermost) {
		if (outermost.inner() == null) {
			return outermost + ": " + describeLock(outermost);
		}
		StringBuilder text = new StringBuilder(outermost.toString()).append(":");
		for (MethodLockSpec lock = outermost; lock != null; lock = lock.inner()) {
			text.append("\n\t\t- ").append(describeLock(lock));
		}
		return text.toString();
	}

	/** Leaves out what is not set. */
	private static String describeLock(MethodLockSpec lock) {
		LockOptions options = lock.options();
		List<String> parts = new ArrayList<>();
		parts.add("key " + (lock.keyExpressions().isEmpty() ? "the method itself" : lock.keyExpressions()));
		addIfSet(parts, "name", lock.name().isEmpty() ? null : "'" + lock.name() + "'");
		addIfSet(parts, "mode", (options.mode() != LockMode.EXCLUSIVE) ? options.mode() : null);
		addIfSet(parts, "permits", options.permits());
		parts.add(
				"ttl %s %s".formatted(options.ttl(), Boolean.TRUE.equals(options.renew()) ? "renewed" : "not renewed"));
		addIfSet(parts, "maxHold", options.maxHold());
		addIfSet(parts, "keepFor", Duration.ZERO.equals(options.keepFor()) ? null : options.keepFor());
		addIfSet(parts, "wait", options.waitFor());
		addIfSet(parts, "whenBusy", options.whenBusy());
		addIfSet(parts, "fallback", lock.fallback());
		addIfSet(parts, "whenLost", options.whenLost());
		addIfSet(parts, "whenUnavailable", options.whenUnavailable());
		addIfSet(parts, "condition", lock.condition());
		addIfSet(parts, "registry", lock.registry().isEmpty() ? null : lock.registry());
		return String.join(", ", parts);
	}

	private static void addIfSet(List<String> parts, String attribute, @Nullable Object value) {
		if (value != null) {
			parts.add(attribute + " " + value);
		}
	}

}
