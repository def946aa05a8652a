package io.distributedlock.compatibility;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;

import io.distributedlock.Lease;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockInspector;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.leader.LeaderElection;
import io.distributedlock.leader.LeaderElections;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.store.LockStore;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.StringUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The least that has to work on every supported Spring Boot.
 */
@ExtendWith(OutputCaptureExtension.class)
class CompatibilityTests {

	private static RedisServer server;

	private static ConfigurableApplicationContext context;

	@BeforeAll
	static void start() {
		server = RedisServers.start();
		context = run("--distributed-lock.locks.profiled.wait=0");
	}

	@AfterAll
	static void stop() {
		context.close();
		server.close();
	}

	@Test
	void versionWhenAskedIsTheOneToBeTested() {
		assertThat(SpringBootVersion.getVersion()).isEqualTo(System.getProperty("compatibility.spring-boot.version"));
	}

	/** Ordered before the Redis auto-configuration there would be none. */
	@Test
	void storeWhenRedisIsAutoConfiguredIsInRedis() {
		assertThat(context.getBean(LockStore.class)).isInstanceOf(RedisLockStore.class);
	}

	@Test
	void guardedMethodWhenHeldByAnotherThreadIsRefused() {
		Stock stock = context.getBean(Stock.class);
		LongSupplier otherThread = () -> CompletableFuture.supplyAsync(() -> stock.sell(() -> 0)).join();
		assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> stock.sell(otherThread))
			.withCauseInstanceOf(LockNotAcquiredException.class);
	}

	@Test
	void guardedMethodWhenFreeRunsWithALease() {
		assertThat(context.getBean(Stock.class).sell(() -> Lease.current().orElseThrow().fencingToken())).isPositive();
	}

	@Test
	void templateWhenCalledHoldsTheLock() {
		assertThat(context.getBean(LockTemplate.class).<String>execute("42", () -> "done")).isEqualTo("done");
	}

	@Test
	void electionThatIsABeanHasALeader() {
		Awaitility.await().until(context.getBean(LeaderElection.class)::isLeader);
	}

	@Test
	void startWhenAPropertyIsWrongSaysWhich(CapturedOutput output) {
		assertThatException().isThrownBy(() -> run("--distributed-lock.ttl=soon"));
		assertThat(output).contains("APPLICATION FAILED TO START", "Property: distributed-lock.ttl",
				"is not a valid duration");
	}

	/**
	 * The rest of a subscription can only be cut with the means of Jedis in each version.
	 */
	@Test
	void waiterWhenItSubscribesWithJedisIsWokenAndLeavesNoThread() {
		Set<Thread> before = Thread.getAllStackTraces().keySet();
		try (RedisServer own = RedisServers.start(); ConfigurableApplicationContext holder = run(own)) {
			ConfigurableApplicationContext waiter = run(own, "--spring.data.redis.client-type=jedis",
					"--distributed-lock.locks.profiled.wait=30s");
			assertThat(holder.getBean(Stock.class).sell(() -> waitUntilSubscribed(waiter.getBean(Stock.class), own)))
				.isZero();
			Awaitility.await().until(() -> waiter.getBean(Stock.class).sell(() -> 1) == 1);
			own.pause();
			waiter.close();
			Awaitility.await()
				.untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
					.filteredOn((thread) -> !before.contains(thread))
					.extracting(Thread::getName)
					.noneMatch((name) -> name.startsWith("distributed-lock-subscription")));
			own.resume();
		}
	}

	/** The details of the connection, which have the TLS, have moved. */
	@Test
	void locksUseJedisWhereTheApplicationUsesLettuce() {
		try (ConfigurableApplicationContext jedis = run("--distributed-lock.redis.driver=jedis",
				"--spring.data.redis.client-type=lettuce", "--spring.data.redis.client-name=beside")) {
			assertThat(jedis.getBean(Stock.class).sell(() -> 1)).isOne();
			assertThat(server.ask("CLIENT", "LIST").toString()).contains("name=beside")
				.satisfies((clients) -> assertThat(clients.lines().filter((client) -> client.contains("name=beside")))
					.noneMatch((client) -> client.contains("lettuce")));
		}
	}

	/**
	 * The nodes of a quorum need types of Spring Boot: connection details, SSL bundles.
	 */
	@Test
	void quorumWhenItHasAnSslBundleStarts(CapturedOutput output) {
		String[] quorum = { "--distributed-lock.store=redlock",
				"--distributed-lock.redlock.nodes=rediss://a.invalid,rediss://b.invalid,rediss://c.invalid",
				"--spring.ssl.bundle.pem.locks.options.enabled-protocols=TLSv1.3" };
		run(StringUtils.addStringToArray(quorum, "--distributed-lock.redlock.ssl.bundle=locks")).close();
		String[] unknown = StringUtils.addStringToArray(quorum, "--distributed-lock.redlock.ssl.bundle=other");
		assertThatException().isThrownBy(() -> run(unknown));
		assertThat(output).contains("Property: distributed-lock.redlock.ssl.bundle",
				"it names no SSL bundle; there are [locks]");
	}

	/** Annotations that differ by version tell which parameters may be left out. */
	@Test
	void endpointWhenAskedOverHttpShowsLocksAndTakesThemAway() throws Exception {
		try (ConfigurableApplicationContext web = run(WebApplicationType.SERVLET, server, "--server.port=0",
				"--spring.application.name=shop", "--management.endpoints.web.exposure.include=health,info,locks",
				"--management.endpoint.locks.access=unrestricted", "--management.endpoint.locks.show-keys=always",
				"--management.endpoint.health.show-components=always")) {
			LockRegistry registry = web.getBean(LockRegistry.class);
			registry.getLock("orders", "42").lock();
			String locks = "http://localhost:" + web.getEnvironment().getProperty("local.server.port") + "/actuator/";
			assertThat(get(locks + "locks")).contains("\"keys\":[\"42\"]", "\"name\":\"shop@",
					"\"ttl\":{\"value\":\"PT30S\",\"origin\":\"default\"}", "\"answeredInMillis\":");
			assertThat(get(locks + "locks/orders")).contains("\"held\":[{").doesNotContain("\"store\"");
			Awaitility.await()
				.untilAsserted(() -> assertThat(get(locks + "locks/orders?key=42")).contains("\"locked\":true",
						"\"instanceName\":\"shop@"));
			HttpRequest release = HttpRequest.newBuilder(URI.create(locks + "locks/orders"))
				.header("Content-Type", "application/json")
				.POST(HttpRequest.BodyPublishers.ofString("{\"key\":\"42\"}"))
				.build();
			assertThat(send(release)).isEqualTo("{\"released\":1}");
			assertThat(web.getBean(LockInspector.class).isLocked("orders", "42")).isFalse();
			assertThat(get(locks + "info")).contains("\"leader\":{\"invoices\":{");
			boolean hasHealth = !SpringBootVersion.getVersion().startsWith("3.");
			assertThat(get(locks + "health").contains("\"locks\"")).isEqualTo(hasHealth);
			assertThat(get(locks + "health").contains("\"leader\"")).isEqualTo(hasHealth);
		}
	}

	private static String get(String address) throws IOException, InterruptedException {
		return send(HttpRequest.newBuilder(URI.create(address)).build());
	}

	private static String send(HttpRequest request) throws IOException, InterruptedException {
		return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body();
	}

	private static long waitUntilSubscribed(Stock waiter, RedisServer server) {
		CompletableFuture.supplyAsync(() -> waiter.sell(() -> 0));
		Awaitility.await().until(() -> server.ask("PUBSUB", "CHANNELS").toString().contains("wake"));
		return 0;
	}

	private static ConfigurableApplicationContext run(String... more) {
		return run(server, more);
	}

	private static ConfigurableApplicationContext run(RedisServer redis, String... more) {
		return run(WebApplicationType.NONE, redis, more);
	}

	private static ConfigurableApplicationContext run(WebApplicationType type, RedisServer redis, String... more) {
		SpringApplication application = new SpringApplication(Shop.class);
		application.setWebApplicationType(type);
		application.setDefaultProperties(
				Map.of("spring.data.redis.host", redis.host(), "spring.data.redis.port", redis.port()));
		return application.run(more);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Shop {

		@Bean
		Stock stock() {
			return new Stock();
		}

		@Bean
		LeaderElection invoices(LeaderElections elections) {
			return elections.create("invoices");
		}

	}

	static class Stock {

		@DistributedLock(key = "'item'", name = "profiled")
		public long sell(LongSupplier body) {
			return body.getAsLong();
		}

	}

}
