package io.distributedlock.shedlock;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.distributedlock.Documents;
import io.distributedlock.InvalidSettingException;
import io.distributedlock.LockRegistry;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The way from ShedLock's provider for Redis to this one, as docs/shedlock.md has it. */
class RolloutIntegrationTests {

	private static final Pattern BEAN = Pattern.compile("```java\n(@Bean\n.*?)```", Pattern.DOTALL);

	private static RedisInstances redis;

	private LockProvider old;

	private LockProvider both;

	private LockProvider next;

	@BeforeAll
	static void startServer() {
		redis = new RedisInstances();
	}

	@AfterAll
	static void stopServer() {
		redis.close();
	}

	@BeforeEach
	void deploy() {
		redis.server.ask("FLUSHALL");
		this.old = new RedisLockProvider(redis.factory);
		this.both = new FirstRelease().bothLocks(redis.factory, redis.registry());
		this.next = new RegistryLockProvider(redis.registry());
	}

	private static Optional<SimpleLock> lock(LockProvider provider, Duration atLeast) {
		return provider.lock(new LockConfiguration(Instant.now(), "report", Duration.ofHours(1), atLeast));
	}

	private static Optional<SimpleLock> lock(LockProvider provider) {
		return lock(provider, Duration.ZERO);
	}

	private static void assertExclude(LockProvider one, LockProvider another) {
		SimpleLock held = lock(one).orElseThrow();
		assertThat(lock(another)).isEmpty();
		held.unlock();
		SimpleLock afterwards = lock(another).orElseThrow();
		assertThat(lock(one)).isEmpty();
		afterwards.unlock();
		lock(one).orElseThrow().unlock();
	}

	/** Their keys differ. */
	@Test
	void oldAndNextProviderDoNotExcludeEachOther() {
		assertThat(lock(this.old)).isPresent();
		assertThat(lock(this.next)).isPresent();
	}

	@Test
	void firstReleaseAndTheOldProviderExcludeEachOther() {
		assertExclude(this.old, this.both);
	}

	@Test
	void firstReleaseAndTheNextProviderExcludeEachOther() {
		assertExclude(this.next, this.both);
	}

	@Test
	void instancesOfTheFirstReleaseExcludeEachOther() {
		assertExclude(this.both, new FirstRelease().bothLocks(redis.factory, redis.registry()));
	}

	@Test
	void firstReleaseKeepsBothLocksForLockAtLeastFor() {
		lock(this.both, Duration.ofMinutes(5)).orElseThrow().unlock();
		assertThat(lock(this.old)).isEmpty();
		assertThat(lock(this.next)).isEmpty();
	}

	@Test
	void firstReleaseWhenOneLockFailsReleasesTheOther() {
		LockConfiguration tooLong = new LockConfiguration(Instant.now(), "report", Duration.ofDays(366), Duration.ZERO);
		assertThatExceptionOfType(InvalidSettingException.class).isThrownBy(() -> this.both.lock(tooLong));
		assertThat(lock(this.old)).isPresent();
	}

	@Test
	void beanWhenOnThePageIsTheOneOfThisTest() throws IOException {
		Matcher bean = BEAN.matcher(Files.readString(Documents.file("shedlock.md")));
		assertThat(bean.find()).isTrue();
		String test = Files.readString(Documents.source(getClass()));
		assertThat(withoutSpace(test)).contains(withoutSpace(bean.group(1)));
	}

	private static String withoutSpace(String code) {
		return code.replaceAll("\\s", "");
	}

	@Configuration(proxyBeanMethods = false)
	static class FirstRelease {

		@Bean
		LockProvider bothLocks(RedisConnectionFactory redis, LockRegistry registry) {
			LockProvider old = new RedisLockProvider(redis);
			LockProvider next = new RegistryLockProvider(registry);
			return (configuration) -> {
				Optional<SimpleLock> first = old.lock(configuration);
				Optional<SimpleLock> second = Optional.empty();
				try {
					second = first.flatMap((lock) -> next.lock(configuration));
				}
				finally {
					if (second.isEmpty()) {
						first.ifPresent(SimpleLock::unlock);
					}
				}
				return second.map((lock) -> () -> {
					try {
						lock.unlock();
					}
					finally {
						first.get().unlock();
					}
				});
			};
		}

	}

}
