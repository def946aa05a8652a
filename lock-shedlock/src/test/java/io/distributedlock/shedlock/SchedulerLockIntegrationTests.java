package io.distributedlock.shedlock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.distributedlock.LockInspection;
import io.distributedlock.engine.DefaultLockRegistry;
import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.core.LockExtender;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** ShedLock's annotation in two instances of an application, on Redis. */
class SchedulerLockIntegrationTests {

	private static final Runnable NOTHING = () -> {
	};

	private static final Consumer<String> NO_ACCOUNT = (id) -> {
	};

	private static RedisInstances redis;

	private DefaultLockRegistry registry;

	private AnnotationConfigApplicationContext here;

	private AnnotationConfigApplicationContext elsewhere;

	@BeforeAll
	static void startServer() {
		redis = new RedisInstances();
	}

	@AfterAll
	static void stopServer() {
		redis.close();
	}

	@BeforeEach
	void start() {
		redis.server.ask("FLUSHALL");
		this.registry = redis.registry();
		this.here = application(this.registry);
		this.elsewhere = application(redis.registry());
	}

	private static AnnotationConfigApplicationContext application(DefaultLockRegistry registry) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.register(Application.class, Jobs.class);
		context.registerBean(LockProvider.class, () -> new RegistryLockProvider(registry));
		context.refresh();
		return context;
	}

	@AfterEach
	void stop() {
		this.here.close();
		this.elsewhere.close();
	}

	private Jobs here() {
		return this.here.getBean(Jobs.class);
	}

	private Jobs elsewhere() {
		return this.elsewhere.getBean(Jobs.class);
	}

	/** ShedLock lets a thread that runs under a lock pass, whatever the application. */
	private static <T> T onAnotherThread(Supplier<T> call) {
		return CompletableFuture.supplyAsync(call).join();
	}

	private LockInspection inspect(String lock) {
		return this.registry.inspect("shedlock", lock);
	}

	@Test
	void jobRunsUnderItsLock() {
		assertThat(here().report(LockAssert::assertLocked)).contains("done");
		assertThat(inspect("report").isLocked()).isFalse();
	}

	@Test
	void jobWhileAnotherInstanceRunsItIsSkipped() {
		here().report(() -> assertThat(onAnotherThread(() -> elsewhere().report(NOTHING))).isEmpty());
		assertThat(elsewhere().report(NOTHING)).contains("done");
	}

	/** ShedLock sees to it, so the provider has no re-entrant locks. */
	@Test
	void jobWhenItCallsItselfRunsUnderOneLock() {
		here().report(() -> assertThat(here().report(NOTHING)).contains("done"));
		assertThat(inspect("report").isLocked()).isFalse();
	}

	@Test
	void jobWithLockAtLeastForIsSkippedAfterItsEnd() {
		assertThat(here().kept()).contains("done");
		assertThat(here().kept()).isEmpty();
		assertThat(elsewhere().kept()).isEmpty();
	}

	@Test
	void jobWhenItThrowsIsUnlocked() {
		assertThatIllegalStateException().isThrownBy(() -> here().report(() -> {
			throw new IllegalStateException("the job");
		})).withMessage("the job");
		assertThat(elsewhere().report(NOTHING)).contains("done");
	}

	@Test
	void jobWithoutLockAtMostForHasTheDefault() {
		here().report(() -> assertThat(inspect("report").holders()).singleElement()
			.satisfies((holder) -> assertThat(holder.remaining()).isBetween(Duration.ofMinutes(9),
					Duration.ofMinutes(10))));
	}

	@Test
	void jobExtendsItsLock() {
		here().report(() -> {
			LockExtender.extendActiveLock(Duration.ofHours(2), Duration.ofHours(1));
			assertThat(inspect("report").holders()).singleElement()
				.satisfies((holder) -> assertThat(holder.remaining()).isGreaterThan(Duration.ofHours(1)));
		});
		assertThat(elsewhere().report(NOTHING)).isEmpty();
	}

	@Test
	void jobWithAnExpressionAsItsNameLocksWhatItYields() {
		here().account("42", (id) -> {
			assertThat(inspect("account-42").isLocked()).isTrue();
			assertThat(onAnotherThread(() -> elsewhere().account("42", NO_ACCOUNT))).isEmpty();
			assertThat(onAnotherThread(() -> elsewhere().account("43", NO_ACCOUNT))).contains("done");
		});
	}

	@Configuration(proxyBeanMethods = false)
	@EnableSchedulerLock(defaultLockAtMostFor = "10m")
	static class Application {

	}

	static class Jobs {

		@SchedulerLock(name = "report")
		public Optional<String> report(Runnable body) {
			body.run();
			return Optional.of("done");
		}

		@SchedulerLock(name = "kept", lockAtLeastFor = "5m")
		public Optional<String> kept() {
			return Optional.of("done");
		}

		@SchedulerLock(name = "account-#{#id}")
		public Optional<String> account(String id, Consumer<String> body) {
			body.accept(id);
			return Optional.of("done");
		}

	}

}
