package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.List;

import io.distributedlock.InvalidSettingException;
import io.distributedlock.LockOptions;
import io.distributedlock.autoconfigure.diagnostics.InvalidLockPropertyException;
import io.distributedlock.redis.RedisNodeAddress;
import io.distributedlock.redis.RedisQuorumNode;
import io.distributedlock.redis.RedisStoreSettings;
import io.distributedlock.redlock.RedlockLockStore;
import io.distributedlock.redlock.RedlockSettings;
import io.distributedlock.store.LockStore;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ResourceLoader;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Configuration of the store on independent servers. Their connections are no beans:
 * Spring Boot would then not configure the application's own Redis.
 */
@Configuration(proxyBeanMethods = false)
final class RedlockLockStoreConfiguration {

	private static final String NAME = "redlock";

	private static final String PREFIX = DistributedLockProperties.PREFIX + ".redlock.";

	private static final Duration SHORTEST_DEFAULT_DELAY = Duration.ofSeconds(30);

	@Bean
	LockStoreType distributedLockRedlockStoreType(DistributedLockProperties properties, ResourceLoader resources) {
		return new RedlockType(properties, resources.getClassLoader());
	}

	static Duration restartDelay(DistributedLockProperties properties) {
		String property = PREFIX + "restart-delay";
		Duration longest = longestTtl(properties);
		Duration delay = properties.redlock().restartDelay();
		PropertyRules.named(PREFIX, () -> {
			InvalidSettingException.requireRange("restartDelay", delay, Duration.ZERO, LockOptions.MAX_TTL);
			return "";
		});
		if (delay == null) {
			return (longest.compareTo(SHORTEST_DEFAULT_DELAY) > 0) ? longest : SHORTEST_DEFAULT_DELAY;
		}
		if (!delay.isZero() && delay.compareTo(longest) < 0) {
			throw new InvalidLockPropertyException(property, delay,
					"is shorter than the longest configured ttl, %s: a node that has forgotten a lock would count while "
						.formatted(InvalidSettingException.text(longest)) + "it is still held",
					"Leave it out, use at least %s, or 0 if two holders after the restart of a node do no harm"
						.formatted(InvalidSettingException.text(longest)),
					null);
		}
		return delay;
	}

	private static Duration longestTtl(DistributedLockProperties properties) {
		Duration longest = properties.ttl();
		for (DistributedLockProperties.Profile profile : properties.locks().values()) {
			Duration ttl = profile.ttl();
			longest = (ttl != null && ttl.compareTo(longest) > 0) ? ttl : longest;
		}
		return longest;
	}

	/** The store and its nodes. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnLockStore(NAME)
	@ConditionalOnClass({ RedisConnectionFactory.class, RedisQuorumNode.class, RedlockLockStore.class })
	static class StoreConfiguration {

		@Bean
		@ConditionalOnMissingBean(RedlockConnectionDetails.class)
		PropertiesRedlockConnectionDetails distributedLockConnectionDetails(DistributedLockProperties properties,
				ObjectProvider<SslBundles> bundles) {
			return new PropertiesRedlockConnectionDetails(properties.redlock(), bundles);
		}

		@Bean
		@ConditionalOnMissingBean(name = { LockBeanNames.STORE, LockBeanNames.REGISTRY })
		RedlockNodeSet distributedLockNodes(DistributedLockProperties properties, RedlockConnectionDetails details) {
			Duration restartDelay = restartDelay(properties);
			return RedlockNodeSet.of(details, (addresses) -> connect(addresses,
					RedisLockStoreConfiguration.StoreConfiguration.settings(properties), restartDelay));
		}

		@Bean
		@ConditionalOnMissingBean(name = { LockBeanNames.STORE, LockBeanNames.REGISTRY })
		RedlockLockStore distributedLockStore(DistributedLockProperties properties, RedlockNodeSet nodes) {
			return new RedlockLockStore(nodes.nodes(),
					PropertyRules.named(PREFIX, () -> new RedlockSettings(properties.redlock().nodeTimeout())));
		}

		private static List<RedisQuorumNode> connect(List<RedisNodeAddress> addresses, RedisStoreSettings settings,
				Duration restartDelay) {
			try {
				return RedisQuorumNode.connect(addresses, settings, restartDelay);
			}
			catch (IllegalStateException ex) {
				throw LockStoreTypes.missing(NAME, new LockStoreType.Missing(
						"there is no driver for its nodes: " + ex.getMessage(),
						"Add io.lettuce:lettuce-core, which spring-boot-starter-data-redis brings. The application's own "
								+ "connections stay with Jedis by spring.data.redis.client-type=jedis"));
			}
		}

	}

	private record RedlockType(DistributedLockProperties properties,
			@Nullable ClassLoader classLoader) implements LockStoreType {

		@Override
		public String name() {
			return NAME;
		}

		@Override
		public boolean includes(LockStore store) {
			return isPresent() && store instanceof RedlockLockStore;
		}

		private boolean isPresent() {
			return ClassUtils.isPresent("io.distributedlock.redlock.RedlockLockStore", this.classLoader);
		}

		@Override
		public Missing missing() {
			Missing library = RedisLockStoreConfiguration.missingLibrary(this.classLoader);
			if (library != null) {
				return library;
			}
			return isPresent() ? new Missing("another bean has its name", "Name that bean otherwise")
					: new Missing("lock-redlock is not on the class path",
							"Add io.distributedlock:lock-redlock, which lock-spring-boot-starter brings");
		}

		/**
		 * Refuse nodes only: other settings that are inherited cannot be set to nothing.
		 */
		@Override
		public void refuseWhenChosen(String chosen) {
			if (!this.properties.redlock().nodes().isEmpty()) {
				throw new InvalidLockPropertyException(PREFIX + "nodes", "****",
						"has no effect, since distributed-lock.store is " + chosen,
						"Set distributed-lock.store=redlock, or remove the nodes. Where they are inherited, as tests "
								+ "inherit them from the application, set distributed-lock.redlock.nodes to nothing",
						null);
			}
		}

	}

}
