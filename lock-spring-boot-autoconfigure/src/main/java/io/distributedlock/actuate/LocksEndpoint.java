package io.distributedlock.actuate;

import java.security.Principal;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import io.distributedlock.text.DisplayText;
import io.distributedlock.text.LockLog;

import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.context.ApplicationEventPublisher;

/**
 * The actuator endpoint of the locks. Its answers show one moment. Reading blocks until
 * the store answers. A force-release is a write operation, which needs the access
 * {@code unrestricted}, and is an audit event.
 *
 * @since 0.1.0
 */
@Endpoint(id = "locks", defaultAccess = Access.READ_ONLY)
@SuppressWarnings("deprecation") // Spring Boot 3.5 knows no other Nullable.
public final class LocksEndpoint {

	/** The type of the audit event of a force-release. */
	public static final String FORCE_RELEASE = "LOCK_FORCE_RELEASE";

	/** Path segment for locks without a name. */
	static final String NO_NAME = "-";

	private static final LockLog logger = LockLog.of(LocksEndpoint.class);

	private final List<LockSource> sources;

	private final Supplier<Map<String, Map<String, LockSetting>>> profiles;

	private final Show showKeys;

	private final Set<String> roles;

	private final ApplicationEventPublisher publisher;

	/**
	 * Create the endpoint.
	 * @param sources the registries, the usual one first
	 * @param profiles the settings in force by lock name
	 * @param showKeys the rule for showing keys
	 * @param roles the roles that see keys with {@link Show#WHEN_AUTHORIZED}
	 * @param publisher the publisher of audit events
	 */
	public LocksEndpoint(Collection<LockSource> sources, Supplier<Map<String, Map<String, LockSetting>>> profiles,
			Show showKeys, Set<String> roles, ApplicationEventPublisher publisher) {
		this.sources = List.copyOf(sources);
		this.profiles = profiles;
		this.showKeys = showKeys;
		this.roles = Set.copyOf(roles);
		this.publisher = publisher;
	}

	/**
	 * Report held locks, waiting callers and losses of this process, the profiles and the
	 * servers. Costs a command for each server.
	 * @param security the operator
	 * @return the report
	 */
	@ReadOperation
	public LocksDescriptor locks(SecurityContext security) {
		LocksReport report = report(security);
		return new LocksDescriptor(report.instances(), report.held((name) -> true), report.waiting((name) -> true),
				report.losses((name) -> true), this.profiles.get(), report.nodes());
	}

	/**
	 * Report the locks of one name, and for a key its holders in all processes. A key
	 * costs a command, and one more for each instance whose name is not known yet.
	 * @param name the name, or {@value #NO_NAME} for locks without one
	 * @param key the key to ask the store about
	 * @param registry the bean of the registry, where there are several
	 * @param security the operator
	 * @return the report
	 */
	@ReadOperation
	public LockDescriptor lock(@Selector String name, @org.springframework.lang.Nullable String key,
			@org.springframework.lang.Nullable String registry, SecurityContext security) {
		String wanted = NO_NAME.equals(name) ? "" : name;
		LocksReport report = report(security);
		Map<String, Map<String, LockSetting>> all = this.profiles.get();
		Map<String, LockSetting> profile = new LinkedHashMap<>(all.getOrDefault("", Map.of()));
		profile.putAll(all.getOrDefault(wanted, Map.of()));
		return new LockDescriptor(report.held(wanted::equals), report.waiting(wanted::equals),
				report.losses(wanted::equals), profile,
				(key != null) ? stored(source(registry), wanted, required(key)) : null);
	}

	private static LockDescriptor.Stored stored(LockSource source, String name, String key) {
		try {
			return LocksReport.stored(source.inspector().inspect(name, key));
		}
		catch (IllegalArgumentException | UnsupportedOperationException ex) {
			throw invalid(String.valueOf(ex.getMessage()));
		}
	}

	/**
	 * Take a lock away from its holders in all processes. Their code still runs.
	 * @param name the name, or {@value #NO_NAME} for locks without one
	 * @param key the key
	 * @param request the only request to take it from, as {@link #lock} shows it
	 * @param registry the bean of the registry, where there are several
	 * @param security the operator
	 * @return the number of holders that have lost it
	 */
	@WriteOperation
	public LockDescriptor.Released forceRelease(@Selector String name, String key,
			@org.springframework.lang.Nullable String request, @org.springframework.lang.Nullable String registry,
			SecurityContext security) {
		String wanted = NO_NAME.equals(name) ? "" : name;
		LockSource source = source(registry);
		Principal principal = security.getPrincipal();
		String operator = (principal != null) ? principal.getName() : "anonymous";
		DisplayText lock = DisplayText.lock(wanted, key);
		Map<String, Object> audited = new LinkedHashMap<>();
		audited.put("name", shown(wanted));
		audited.put("key", shown(required(key)));
		audited.put("request", (request != null) ? shown(request) : "all");
		try {
			int released = source.inspector().forceRelease(wanted, key, request);
			audited.put("released", released);
			logger.warn("Lock '%s' was taken away by '%s'; holders that have lost it: %d".formatted(lock, operator,
					released));
			return new LockDescriptor.Released(released);
		}
		catch (IllegalArgumentException | UnsupportedOperationException ex) {
			audited.put("failure", String.valueOf(ex.getMessage()));
			throw invalid(String.valueOf(ex.getMessage()));
		}
		catch (RuntimeException ex) {
			audited.put("failure", String.valueOf(ex.getMessage()));
			logger.warn("Lock '%s' could not be taken away by '%s', or it is not known whether it was".formatted(lock,
					operator), ex);
			throw ex;
		}
		finally {
			this.publisher.publishEvent(new AuditApplicationEvent(operator, FORCE_RELEASE, audited));
		}
	}

	/**
	 * Make a value short and printable: audit events go to logs, and repositories keep a
	 * thousand.
	 */
	private static String shown(String value) {
		return DisplayText.of(value).toString();
	}

	private LocksReport report(SecurityContext security) {
		return new LocksReport(this.sources, this.showKeys.isShown(security, this.roles));
	}

	private static String required(String key) {
		if (key.isBlank()) {
			throw invalid("The key of a lock must not be blank: give it as 'key', as callers of the lock write it");
		}
		return key;
	}

	private LockSource source(@org.springframework.lang.Nullable String registry) {
		return this.sources.stream()
			.filter((source) -> registry == null || source.name().equals(registry))
			.findFirst()
			.orElseThrow(() -> invalid(
					"There is no registry '%s', but %s: give one of these as 'registry', or leave it out for the first"
						.formatted(DisplayText.value(registry), this.sources.stream().map(LockSource::name).toList())));
	}

	private static InvalidEndpointRequestException invalid(String message) {
		return new InvalidEndpointRequestException(message, message);
	}

}
