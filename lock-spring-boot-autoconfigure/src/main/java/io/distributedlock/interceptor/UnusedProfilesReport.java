package io.distributedlock.interceptor;

import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.Supplier;

import io.distributedlock.LockProfiles;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
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

	private final BiFunction<String, Collection<String>, @Nullable String> nearest;

	/**
	 * Create a report.
	 * @param source the specifications of guarded methods
	 * @param profiles the configuration of the locks
	 * @param context the application context whose beans are guarded
	 * @param nearest finds the name that is meant by a misspelt one, or {@code null}
	 */
	public UnusedProfilesReport(Supplier<MethodLockSpecSource> source, Supplier<LockProfiles> profiles,
			ApplicationContext context, BiFunction<String, Collection<String>, @Nullable String> nearest) {
		this.source = source;
		this.profiles = profiles;
		this.context = context;
		this.nearest = nearest;
	}

	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		if (event.getApplicationContext() != this.context || !logger.isInfoEnabled()) {
			return;
		}
		Collection<MethodLockSpec> specs = this.source.get().specs();
		Set<String> used = new TreeSet<>();
		specs.forEach((spec) -> addNames(used, spec));
		Set<String> unused = new TreeSet<>(this.profiles.get().names());
		unused.removeAll(used);
		if (!specs.isEmpty() && !unused.isEmpty()) {
			logger.info(
					"No annotated method has a lock of the name %s, so distributed-lock.locks.* counts there only for locks of that name that the code asks for by LockRegistry, LockRequest and LockTemplate, and for beans that are created later. Is a name misspelt?%s"
						.formatted(unused, hints(unused, used)));
		}
	}

	private String hints(Set<String> unused, Set<String> used) {
		StringBuilder hints = new StringBuilder();
		for (String name : unused) {
			String meant = this.nearest.apply(name, used);
			if (meant != null) {
				hints.append(" Did you mean '%s' by '%s'?".formatted(meant, name));
			}
		}
		return hints.toString();
	}

	private static void addNames(Set<String> names, MethodLockSpec outermost) {
		for (MethodLockSpec spec = outermost; spec != null; spec = spec.inner()) {
			if (!spec.name().isEmpty()) {
				names.add(spec.name());
			}
		}
	}

}
