package io.distributedlock.interceptor;

import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

import io.distributedlock.LockProfiles;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;

/**
 * Tells at INFO, once the application context is refreshed, which profiles have the name
 * of no annotated method. Such a profile may be misspelt; it need not be, since requests
 * name their lock at run time and some beans are created later. So it is no warning, and
 * nothing is said where no method is annotated at all.
 *
 * @since 0.1.0
 */
public final class UnusedProfilesReport implements ApplicationListener<ContextRefreshedEvent> {

	private static final Log logger = LogFactory.getLog(UnusedProfilesReport.class);

	private final Supplier<MethodLockSpecSource> source;

	private final Supplier<LockProfiles> profiles;

	private final ApplicationContext context;

	/**
	 * Create a report.
	 * @param source the specifications of guarded methods
	 * @param profiles the configuration of the locks
	 * @param context the application context whose beans are guarded
	 */
	public UnusedProfilesReport(Supplier<MethodLockSpecSource> source, Supplier<LockProfiles> profiles,
			ApplicationContext context) {
		this.source = source;
		this.profiles = profiles;
		this.context = context;
	}

	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		if (event.getApplicationContext() != this.context || !logger.isInfoEnabled()) {
			return;
		}
		Collection<MethodLockSpec> specs = this.source.get().specs();
		Set<String> unused = new TreeSet<>(this.profiles.get().names());
		specs.forEach((spec) -> removeNames(unused, spec));
		if (!specs.isEmpty() && !unused.isEmpty()) {
			logger.info("No annotated method has a lock of the name %s, so distributed-lock.locks.* counts there only for LockRequest and LockTemplate, and for beans that are created later. Is a name misspelt?"
				.formatted(unused));
		}
	}

	private static void removeNames(Set<String> names, MethodLockSpec outermost) {
		for (MethodLockSpec spec = outermost; spec != null; spec = spec.inner()) {
			names.remove(spec.name());
		}
	}

}
