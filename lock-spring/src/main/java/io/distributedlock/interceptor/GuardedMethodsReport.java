package io.distributedlock.interceptor;

import java.util.Collection;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.LockProfiles;
import io.distributedlock.text.LockLog;

import org.springframework.aop.Advisor;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.Ordered;

/**
 * Logs the guarded methods that are known once the application context is refreshed. At
 * DEBUG it logs each lock with its options, the configuration included. At INFO it logs
 * the profiles of locks that no method has. At WARN it logs transactions that begin
 * before the lock is taken, and jobs whose lock outlasts their period.
 *
 * @since 0.1.0
 */
public final class GuardedMethodsReport implements ApplicationListener<ContextRefreshedEvent> {

	private static final LockLog logger = LockLog.of(GuardedMethodsReport.class);

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
			Collection<MethodLockSpec> methods = this.source.get().specs();
			if (logger.isDebugEnabled()) {
				logger.debug("Methods guarded by a lock: %d".formatted(methods.size()));
				methods.stream()
					.flatMap(GuardedMethodsReport::locks)
					.map(GuardedMethodsReport::describe)
					.forEach(logger::debug);
			}
			if (!methods.isEmpty()) {
				reportUnusedProfiles(methods);
				warnOfTransactionsAround();
				ScheduleCheck schedules = new ScheduleCheck(this.context.getEnvironment()::resolvePlaceholders);
				methods.stream().flatMap(GuardedMethodsReport::locks).forEach(schedules::check);
			}
		}
	}

	/** Warn of transactions around locks: their earlier reads may be out of date. */
	private void warnOfTransactionsAround() {
		Collection<Advisor> advisors = this.context.getBeansOfType(Advisor.class, true, false).values();
		for (Advisor lock : advisors) {
			for (Advisor advisor : advisors) {
				if (lock instanceof DistributedLockAdvisor own && advisor instanceof Ordered other
						&& advisor.getAdvice().getClass().getSimpleName().contains("TransactionInterceptor")
						&& other.getOrder() <= own.getOrder()) {
					logger.warn(
							"The order of transactions is %d, and that of locks %d, so a lock is taken inside the transaction and kept until it completes. Let distributed-lock.order be lower"
								.formatted(other.getOrder(), own.getOrder()));
				}
			}
		}
	}

	/**
	 * A profile that no annotated method has may be misspelt. It need not be, since
	 * requests name their lock at run time, and some beans are created later.
	 */
	private void reportUnusedProfiles(Collection<MethodLockSpec> methods) {
		Set<String> used = methods.stream()
			.flatMap(GuardedMethodsReport::locks)
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

	private static Stream<MethodLockSpec> locks(MethodLockSpec outermost) {
		return Stream.iterate(outermost, Objects::nonNull, MethodLockSpec::inner);
	}

	private static String describe(MethodLockSpec lock) {
		return "%s: key %s, name '%s', registry '%s', %s".formatted(lock,
				lock.keyExpressions().isEmpty() ? "the method itself" : lock.keyExpressions(), lock.name(),
				lock.registry(), lock.options());
	}

}
