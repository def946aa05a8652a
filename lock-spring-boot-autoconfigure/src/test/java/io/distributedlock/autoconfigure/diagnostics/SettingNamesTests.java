package io.distributedlock.autoconfigure.diagnostics;

import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.LockOptions;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.autoconfigure.DistributedLockProperties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A setting of a lock has one name in the annotation, the request and the configuration.
 */
class SettingNamesTests {

	/** A name that Java reserves, so only the configuration can have it. */
	private static final String RESERVED = "wait";

	/** Attributes of the annotation that are no settings, such as the key. */
	private static final Set<String> OF_THE_ANNOTATION = Set.of("value", "key", "name", "condition", "fallback",
			"registry");

	private static final Set<String> OF_GUARDED_METHODS = Set.of("whenBusy", "whenUnavailable");

	/** Settings that are never common to all locks of an application. */
	private static final Set<String> OF_ONE_LOCK = Set.of("keepFor", "lockDelay", "mode", "permits", "take", "whenBusy",
			"whenLost");

	private final PropertyNames names = new PropertyNames(DistributedLockProperties.class, "distributed-lock");

	static Set<String> settings() {
		return components(LockOptions.class);
	}

	private static Set<String> components(Class<?> type) {
		return Arrays.stream(type.getRecordComponents())
			.map(RecordComponent::getName)
			.collect(Collectors.toCollection(TreeSet::new));
	}

	@Test
	void annotationHasTheNamesOfTheSettings() {
		assertThat(Arrays.stream(DistributedLock.class.getDeclaredMethods()).map(Method::getName))
			.filteredOn((attribute) -> !OF_THE_ANNOTATION.contains(attribute))
			.containsExactlyInAnyOrderElementsOf(settings());
	}

	@Test
	void requestHasTheNamesOfTheSettings() {
		Stream<String> methods = Arrays.stream(LockRequest.class.getDeclaredMethods())
			.filter((method) -> method.getParameterCount() == 1 && method.getReturnType() == LockRequest.class)
			.map(Method::getName);
		assertThat(methods).containsAll(without(OF_GUARDED_METHODS));
	}

	@Test
	void profileHasTheNamesOfTheSettings() {
		assertThat(components(DistributedLockProperties.Profile.class)).isEqualTo(settings());
	}

	@Test
	void propertiesOfAllLocksHaveTheNamesOfTheSettings() {
		assertThat(components(DistributedLockProperties.class)).containsAll(without(OF_ONE_LOCK))
			.doesNotContainAnyElementsOf(OF_ONE_LOCK);
	}

	private static Set<String> without(Set<String> others) {
		Set<String> rest = settings();
		rest.removeAll(others);
		return rest;
	}

	/** In dashes, and as the code has them. */
	@ParameterizedTest
	@MethodSource("settings")
	void nameOfTheCodeIsThatOfThePropertyOrNamesIt(String setting) {
		String dashed = DataObjectPropertyName.toDashedForm(setting);
		for (String prefix : OF_ONE_LOCK.contains(setting) ? new String[] { "distributed-lock.locks.stock." }
				: new String[] { "distributed-lock.", "distributed-lock.locks.stock." }) {
			Optional<String> hint = setting.startsWith(RESERVED) ? Optional.of(prefix + RESERVED) : Optional.empty();
			assertThat(this.names.nearest(ConfigurationPropertyName.of(prefix + dashed))).isEqualTo(hint);
			assertThat(this.names.nearest(ConfigurationPropertyName.adapt(prefix + setting, '.'))).isEqualTo(hint);
		}
	}

}
