package io.distributedlock.modulith;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.test.store.Patience;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.modulith.events.IncompleteEventPublications;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two instances with one database and one Redis resubmit publications whose listeners
 * have failed.
 */
class ResubmissionIntegrationTests {

	private static final List<Long> ORDERS = List.of(1L, 2L, 3L);

	private static final Duration AGE = Duration.ofMinutes(11);

	private static final RedisServer SERVER = RedisServers.start();

	private final String database = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

	private final Carrier carrier = new Carrier();

	private final ObservedPublications publications = new ObservedPublications(
			() -> this.carrier.orders().size() >= ORDERS.size());

	private final List<ConfigurableApplicationContext> instances = new ArrayList<>();

	@AfterAll
	static void stopServer() {
		SERVER.close();
	}

	/** The listeners of another instance have failed some time ago. */
	@BeforeEach
	void leavePublications() {
		SERVER.ask("FLUSHALL");
		ConfigurableApplicationContext failing = start(Clock.offset(Clock.systemUTC(), AGE.negated()));
		ORDERS.forEach(failing.getBean(Orders.class)::place);
		Patience.await().until(() -> count(failing, "FAILED") == ORDERS.size());
		failing.close();
		this.instances.clear();
		this.carrier.open();
		start(Clock.systemUTC());
		start(Clock.systemUTC());
	}

	@AfterEach
	void stopInstances() {
		this.carrier.deliver();
		this.instances.forEach(ConfigurableApplicationContext::close);
	}

	@Test
	void listenersWhenBothInstancesResubmitRunOnce() throws InterruptedException {
		atOnce((instance) -> instance.getBean(Resubmission.class).resubmit());
		endListeners();
		assertThat(this.carrier.orders()).containsExactlyInAnyOrderElementsOf(ORDERS);
		assertThat(count(this.instances.get(0), "COMPLETED")).isEqualTo(ORDERS.size());
	}

	/** The control. */
	@Test
	void listenersWithoutTheLockRunTwice() throws InterruptedException {
		atOnce(ResubmissionIntegrationTests::resubmitWithoutLock);
		endListeners();
		assertThat(this.carrier.orders()).containsExactlyInAnyOrderElementsOf(twice());
	}

	@Test
	void listenersWhenTheSecondInstanceIsLateRunOnce() throws InterruptedException {
		oneAfterTheOther((instance) -> instance.getBean(Resubmission.class).resubmit());
		endListeners();
		assertThat(this.carrier.orders()).containsExactlyInAnyOrderElementsOf(ORDERS);
	}

	/** The control: the listeners run when the method has returned. */
	@Test
	void listenersWhenTheLockIsNotKeptRunTwice() throws InterruptedException {
		oneAfterTheOther((instance) -> instance.getBean(ReleasedResubmission.class).resubmit());
		endListeners();
		assertThat(this.carrier.orders()).containsExactlyInAnyOrderElementsOf(twice());
	}

	/** The lock does not change that: publications are at-least-once. */
	@Test
	void listenersWhenTheirCompletionIsLostRunAgain() throws InterruptedException {
		this.publications.done();
		this.publications.loseCompletion(true);
		this.instances.get(0).getBean(Resubmission.class).resubmit();
		end(this.instances.get(0));
		assertThat(this.carrier.orders()).containsExactlyInAnyOrderElementsOf(ORDERS);
		this.publications.loseCompletion(false);
		this.instances.get(1).getBean(Resubmission.class).resubmit();
		assertThat(this.carrier.orders()).as("within keepFor").hasSameSizeAs(ORDERS);
		// The time of the next run has come.
		SERVER.ask("FLUSHALL");
		this.instances.get(1).getBean(Resubmission.class).resubmit();
		end(this.instances.get(1));
		assertThat(this.carrier.orders()).containsExactlyInAnyOrderElementsOf(twice());
	}

	private ConfigurableApplicationContext start(Clock clock) {
		ConfigurableApplicationContext instance = new SpringApplicationBuilder(Application.class)
			.properties("spring.datasource.url=" + this.database, "spring.data.redis.host=" + SERVER.host(),
					"spring.data.redis.port=" + SERVER.port())
			.initializers((context) -> {
				context.getBeanFactory().registerSingleton("clock", clock);
				context.getBeanFactory().registerSingleton("carrier", this.carrier);
				context.getBeanFactory().addBeanPostProcessor(this.publications);
			})
			.run();
		this.instances.add(instance);
		// Connects: that may take longer than a job waits for an answer.
		instance.getBean(LockRegistry.class).acquire(LockRequest.of("warm-up").waitFor(Patience.CEILING)).close();
		return instance;
	}

	private void atOnce(Consumer<ApplicationContext> resubmission) {
		List<CompletableFuture<Void>> calls = this.instances.stream()
			.map((instance) -> CompletableFuture.runAsync(() -> {
				resubmission.accept(instance);
				this.publications.done();
			}, (call) -> new Thread(call).start()))
			.toList();
		calls.forEach(CompletableFuture::join);
	}

	/** The listeners that the first one starts run when the second one resubmits. */
	private void oneAfterTheOther(Consumer<ApplicationContext> resubmission) {
		this.publications.done();
		for (ApplicationContext instance : this.instances) {
			resubmission.accept(instance);
			Patience.await().until(() -> this.carrier.orders().size() >= ORDERS.size());
		}
	}

	private static void resubmitWithoutLock(ApplicationContext instance) {
		instance.getBean(IncompleteEventPublications.class)
			.resubmitIncompletePublicationsOlderThan(Duration.ofMinutes(10));
	}

	/** All that were started have ended then. */
	private void endListeners() throws InterruptedException {
		for (ApplicationContext instance : this.instances) {
			end(instance);
		}
	}

	private void end(ApplicationContext instance) throws InterruptedException {
		this.carrier.deliver();
		ThreadPoolExecutor threads = instance.getBean(ThreadPoolTaskExecutor.class).getThreadPoolExecutor();
		threads.shutdown();
		assertThat(threads.awaitTermination(Patience.CEILING.toSeconds(), TimeUnit.SECONDS)).isTrue();
	}

	private static List<Long> twice() {
		return ORDERS.stream().flatMap((order) -> List.of(order, order).stream()).toList();
	}

	private static int count(ApplicationContext instance, String status) {
		return instance.getBean(JdbcTemplate.class)
			.queryForObject("SELECT COUNT(*) FROM event_publication WHERE status = ?", Integer.class, status);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Orders.class, Shipping.class, Resubmission.class, ReleasedResubmission.class })
	static class Application {

	}

}
