package io.distributedlock.autoconfigure;

import java.io.File;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.reactive.ReactiveLockTemplate;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.mockingDetails;

class ReactiveLockConfigurationTests {

	private final ApplicationContextRunner memory = new ApplicationContextRunner()
		.withPropertyValues("distributed-lock.store=memory")
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class));

	@Test
	void templateWhenThereIsReactorIsThere() {
		this.memory.run((context) -> {
			ReactiveLockTemplate template = context.getBean("distributedLockReactiveTemplate",
					ReactiveLockTemplate.class);
			StepVerifier.create(template.execute("k", Mono.just("done")))
				.expectNext("done")
				.expectComplete()
				.verify(Duration.ofSeconds(20));
		});
	}

	@Test
	void templateWhenProfileInterruptsCancelsAtTheLoss() {
		this.memory
			.withPropertyValues("distributed-lock.locks.job.when-lost=interrupt", "distributed-lock.locks.job.ttl=50ms",
					"distributed-lock.locks.job.renew=false")
			.run((context) -> StepVerifier
				.create(context.getBean(ReactiveLockTemplate.class)
					.execute(LockRequest.of("job", "k"), (lease) -> Mono.never()))
				.expectError(LockLostException.class)
				.verify(Duration.ofSeconds(20)));
	}

	@Test
	void templateWhenApplicationHasItsOwnBacksOff() {
		this.memory
			.withBean("distributedLockReactiveTemplate", ReactiveLockTemplate.class,
					() -> mock(ReactiveLockTemplate.class))
			.run((context) -> assertThat(context).hasNotFailed()
				.getBean(ReactiveLockTemplate.class)
				.matches((template) -> mockingDetails(template).isMock()));
	}

	@Test
	void templateWhenThereIsNoReactorIsNotThere() {
		this.memory.withClassLoader(new FilteredClassLoader("reactor", "org.reactivestreams"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("distributedLockReactiveTemplate"));
	}

	@Test
	@SuppressWarnings("unchecked")
	void guardedMethodsWhenReactorIsNowhereOnTheClassPathRun() throws Exception {
		URL[] classPath = Arrays.stream(System.getProperty("surefire.test.class.path").split(File.pathSeparator))
			.filter((entry) -> !new File(entry).getName().matches("(reactor|reactive|lettuce).*"))
			.map(ReactiveLockConfigurationTests::url)
			.toArray(URL[]::new);
		try (URLClassLoader without = new URLClassLoader(classPath, ClassLoader.getPlatformClassLoader())) {
			Thread.currentThread().setContextClassLoader(without);
			Callable<String> application = (Callable<String>) without.loadClass(WithoutReactor.class.getName())
				.getDeclaredConstructor()
				.newInstance();
			assertThat(application.call()).isEqualTo("guarded");
		}
		finally {
			Thread.currentThread().setContextClassLoader(getClass().getClassLoader());
		}
	}

	private static URL url(String path) {
		try {
			return new File(path).toURI().toURL();
		}
		catch (MalformedURLException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** An application that has no Reactor. */
	public static final class WithoutReactor implements Callable<String> {

		@Override
		public String call() {
			try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
				context.getEnvironment()
					.getPropertySources()
					.addFirst(new MapPropertySource("test", Map.of("distributed-lock.store", "memory")));
				context.register(DistributedLockAutoConfiguration.class, Guarded.class);
				context.refresh();
				return context.getBean(Guarded.class).guarded().orElse("not guarded");
			}
		}

	}

	static class Guarded {

		@DistributedLock("'k'")
		public Optional<String> guarded() {
			return Lease.current().map((lease) -> "guarded");
		}

	}

}
