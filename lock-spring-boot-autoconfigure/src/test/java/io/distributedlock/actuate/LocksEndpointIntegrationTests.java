package io.distributedlock.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.redis.RedisStoreSettings;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Each operation of the endpoint, on a real Redis and two instances. */
@ExtendWith(OutputCaptureExtension.class)
class LocksEndpointIntegrationTests {

	/** A server that is well answers by then on a busy machine too. */
	private static final Duration PATIENT = Duration.ofSeconds(20);

	/** For the test of a server that does not answer. */
	private static final Duration IMPATIENT = Duration.ofSeconds(1);

	private static RedisServer server;

	private static LettuceConnectionFactory factory;

	private final List<AuditEvent> audit = new CopyOnWriteArrayList<>();

	private final DefaultLockRegistry registry = registry(PATIENT);

	private final DefaultLockRegistry other = registry(PATIENT);

	private final LocksEndpoint endpoint = endpoint(this.registry, Show.ALWAYS);

	@BeforeAll
	static void startServer() {
		server = RedisServers.start();
		factory = new LettuceConnectionFactory(server.host(), server.port());
		factory.afterPropertiesSet();
		factory.start();
	}

	@AfterAll
	static void stopServer() {
		factory.destroy();
		server.close();
	}

	@AfterEach
	void close() {
		this.registry.close();
		this.other.close();
		server.ask("FLUSHALL");
	}

	private static DefaultLockRegistry registry(Duration commandTimeout) {
		RedisStoreSettings settings = new RedisStoreSettings("lock:", Duration.ofSeconds(60), commandTimeout, true);
		return new DefaultLockRegistry(new RedisLockStore(factory, settings));
	}

	private LocksEndpoint endpoint(Show showKeys) {
		return endpoint(this.registry, showKeys);
	}

	private LocksEndpoint endpoint(DefaultLockRegistry registry, Show showKeys) {
		return new LocksEndpoint(List.of(source("registry", registry)),
				() -> Map.of("", Map.of("ttl", new LockSetting("PT30S", "default")), "orders",
						Map.of("ttl", new LockSetting("PT1M", "test"))),
				showKeys, Set.of(), (event) -> this.audit.add(((AuditApplicationEvent) event).getAuditEvent()));
	}

	private static LockSource source(String name, DefaultLockRegistry registry) {
		return new LockSource(name, registry, registry.store(), registry.statistics());
	}

	private static LockRequest orders(String key) {
		return LockRequest.of("orders", key).waitFor(Duration.ofSeconds(30));
	}

	@Test
	void overviewShowsWhatIsHeldAndWaitedForHere() {
		LeaseLock lock = this.registry.getLock("orders", "7");
		lock.lock();
		CompletableFuture<Lease> waiting = this.registry.acquireAsync(orders("7").waitFor(Duration.ofMinutes(1)))
			.toCompletableFuture();
		LocksDescriptor seen = this.endpoint.locks(SecurityContext.NONE);
		assertThat(seen.instances()).singleElement()
			.extracting(LocksDescriptor.Instance::registry, LocksDescriptor.Instance::instance)
			.containsExactly("registry", this.registry.instance());
		assertThat(seen.held()).singleElement().satisfies((held) -> {
			assertThat(held.lock())
				.isEqualTo(new LocksDescriptor.Lock("registry", "orders", List.of("7"), "exclusive"));
			assertThat(held.fencingToken()).isEqualTo(lock.lease().fencingToken());
			assertThat(held.remainingMillis()).isPositive();
			assertThat(held.owner().name()).isEqualTo("thread '" + Thread.currentThread().getName() + "'");
		});
		assertThat(seen.waiting()).singleElement().satisfies((caller) -> {
			assertThat(caller.lock().keys()).containsExactly("7");
			assertThat(caller.leftMillis()).isPositive();
		});
		assertThat(seen.profiles()).containsKeys("", "orders");
		assertThat(seen.nodes()).singleElement().satisfies((node) -> {
			assertThat(node.name()).isEqualTo(server.host() + ":" + server.port());
			assertThat(node.answeredInMillis()).isPositive();
			assertThat(node.failure()).isNull();
		});
		waiting.cancel(true);
		lock.unlock();
	}

	@Test
	void keysAreMaskedUnlessTheyAreToBeShown() {
		try (Lease lease = this.registry.acquire(orders("secret"))) {
			assertThat(lease.isHeld()).isTrue();
			assertThat(endpoint(Show.NEVER).locks(SecurityContext.NONE).held()).singleElement()
				.satisfies((held) -> assertThat(held.lock().keys()).containsExactly("******"));
			assertThat(endpoint(Show.WHEN_AUTHORIZED).locks(SecurityContext.NONE).toString()).doesNotContain("secret");
			assertThat(endpoint(Show.NEVER).lock("orders", null, null, SecurityContext.NONE).held()).hasSize(1)
				.noneMatch((held) -> held.toString().contains("secret"));
		}
	}

	@Test
	void lockThatIsHeldElsewhereIsShownByItsNameAndKey() {
		this.other.announce("orders@elsewhere (1)");
		try (Lease lease = this.other.acquire(orders("7"))) {
			await().untilAsserted(() -> {
				LockDescriptor seen = this.endpoint.lock("orders", "7", null, SecurityContext.NONE);
				assertThat(seen.held()).isEmpty();
				assertThat(seen.profile().get("ttl").value()).isEqualTo("PT1M");
				assertThat(seen.store().locked()).isTrue();
				assertThat(seen.store().holders()).singleElement().satisfies((holder) -> {
					assertThat(holder.instance()).isEqualTo(this.other.instance());
					assertThat(holder.instanceName()).isEqualTo("orders@elsewhere (1)");
					assertThat(holder.fencingToken()).isGreaterThanOrEqualTo(lease.fencingToken());
					assertThat(holder.remainingMillis()).isPositive();
					assertThat(holder.permits()).isEqualTo(1);
				});
			});
		}
		assertThat(this.endpoint.lock("orders", "7", null, SecurityContext.NONE).store().locked()).isFalse();
	}

	@Test
	void lockWithoutANameIsThatOfADash() {
		LockRequest permits = LockRequest.of("7").mode(LockMode.SEMAPHORE).permits(3).take(2);
		try (Lease lease = this.other.acquire(permits)) {
			assertThat(lease.isHeld()).isTrue();
			LockDescriptor.Stored seen = this.endpoint.lock("-", "7", null, SecurityContext.NONE).store();
			assertThat(seen.mode()).isEqualTo("semaphore");
			assertThat(seen.permits()).isEqualTo(new LockDescriptor.Permits(3, 1));
			assertThat(seen.holders()).extracting(LockDescriptor.Holder::permits).containsExactly(2);
			assertThat(seen.more().holderCount()).isEqualTo(2);
		}
		assertThat(this.endpoint.lock("-", null, null, SecurityContext.NONE).store()).isNull();
	}

	@Test
	void lockThatIsTakenAwayGoesToTheNextWaiterAndIsAudited(CapturedOutput output) {
		Lease lease = this.other.acquire(orders("7").ttl(Duration.ofMinutes(5)));
		CompletableFuture<Lease> next = this.registry.acquireAsync(orders("7").waitFor(Duration.ofMinutes(1)))
			.toCompletableFuture();
		await().until(() -> this.other.inspect("orders", "7").waiting() == 1);
		String request = this.other.inspect("orders", "7").holders().get(0).request();
		assertThat(this.endpoint.forceRelease("orders", "7", request, null, SecurityContext.NONE).released())
			.isEqualTo(1);
		assertThat(next.join().fencingToken()).isGreaterThan(lease.fencingToken());
		next.join().close();
		assertThat(this.audit).singleElement().satisfies((event) -> {
			assertThat(event.getType()).isEqualTo(LocksEndpoint.FORCE_RELEASE);
			assertThat(event.getPrincipal()).isEqualTo("anonymous");
			assertThat(event.getData()).containsEntry("name", "orders")
				.containsEntry("key", "7")
				.containsEntry("request", request)
				.containsEntry("released", 1);
		});
		assertThat(output).contains("Lock 'orders:7' was taken away by 'anonymous'; holders that have lost it: 1");
		this.other.confirm();
		await().until(lease::isLost);
		LocksEndpoint ofHolder = new LocksEndpoint(List.of(source("it", this.other)), Map::of, Show.NEVER, Set.of(),
				(event) -> {
				});
		await().untilAsserted(() -> assertThat(ofHolder.locks(SecurityContext.NONE).losses()).singleElement()
			.satisfies((lost) -> assertThat(lost.reason()).isEqualTo("not_owner")));
	}

	/** A holder that waited for any lock listens, and need not renew to find out. */
	@Test
	void holderThatListensLosesTheLockAtOnce() {
		Lease before = this.registry.acquire(orders("7"));
		CompletableFuture<Lease> got = this.other
			.acquireAsync(orders("7").ttl(Duration.ofHours(1)).waitFor(Duration.ofMinutes(1)))
			.toCompletableFuture();
		await().until(() -> !((List<?>) server.ask("PUBSUB", "CHANNELS")).isEmpty());
		before.close();
		Lease lease = got.join();
		this.endpoint.forceRelease("orders", "7", null, null, SecurityContext.NONE);
		await().until(lease::isLost);
	}

	/** A line break in the key or in the path used to write a line of its own. */
	@Test
	void forceReleaseWhenKeyIsHostileWritesOneShortLine(CapturedOutput output) {
		String hostile = "7\n2026-11-27 ERROR forged\u001B[2J\u2028\u202E" + "x".repeat(1_500_000);
		this.endpoint.forceRelease("orders\nERROR forged", hostile, null, null, SecurityContext.NONE);
		assertThat(output.toString().lines().filter((line) -> line.contains("taken away"))).singleElement()
			.asString()
			.contains("'orders\\u000AERROR forged:7\\u000A2026-11-27 ERROR forged\\u001B[2J\\u2028\\u202Exxx")
			.hasSizeLessThan(1_000);
		assertThat(output.toString().lines()).noneMatch((line) -> line.startsWith("2026-11-27 ERROR forged"));
		assertThat(this.audit).singleElement()
			.satisfies((event) -> assertThat(event.getData().get("key")).asString()
				.startsWith("7\\u000A2026")
				.hasSizeLessThan(5_000));
	}

	@Test
	void requestsThatCannotWorkAreRefused() {
		assertThatExceptionOfType(InvalidEndpointRequestException.class)
			.isThrownBy(() -> this.endpoint.lock("orders", " ", null, SecurityContext.NONE));
		assertThatExceptionOfType(InvalidEndpointRequestException.class)
			.isThrownBy(() -> this.endpoint.lock("orders", "7", "none", SecurityContext.NONE))
			.withMessageContaining("There is no registry 'none', but [registry]");
		assertThatExceptionOfType(InvalidEndpointRequestException.class)
			.isThrownBy(() -> this.endpoint.forceRelease("orders", "7", "me", null, SecurityContext.NONE))
			.withMessageContaining("32 hexadecimal digits");
		assertThat(this.audit).singleElement().satisfies((event) -> assertThat(event.getData()).containsKey("failure"));
	}

	/** The status was 400, and nothing said why. */
	@Test
	void requestsThatCannotWorkAreAnsweredWithTheRemedyOverHttp() {
		LocksEndpointWebExtension web = new LocksEndpointWebExtension(this.endpoint);
		assertThat(refusal(web.lock("orders", " ", null, SecurityContext.NONE))).contains("must not be blank",
				"give it as 'key'");
		assertThat(refusal(web.lock("orders", "7", "no\nne", SecurityContext.NONE)))
			.contains("no registry 'no\\u000Ane', but [registry]", "leave it out");
		assertThat(refusal(web.forceRelease("orders", null, null, null, SecurityContext.NONE)))
			.contains("must not be blank");
		assertThat(refusal(web.forceRelease("orders", "7", "x".repeat(100_000), null, SecurityContext.NONE)))
			.contains("32 hexadecimal digits", "as an inspection gives it")
			.hasSizeLessThan(500);
		assertThat(web.lock("orders", "7", null, SecurityContext.NONE)).satisfies((answer) -> {
			assertThat(answer.getStatus()).isEqualTo(200);
			assertThat(answer.getBody()).isInstanceOf(LockDescriptor.class);
		});
	}

	private static String refusal(WebEndpointResponse<OperationResponseBody> answer) {
		assertThat(answer.getStatus()).isEqualTo(400);
		return ((LocksEndpointWebExtension.Refusal) answer.getBody()).message();
	}

	@Test
	void lossesAreShownByTheirName() {
		Lease lease = this.registry.acquire(orders("7").ttl(Duration.ofMinutes(5)));
		this.endpoint.forceRelease("orders", "7", null, null, SecurityContext.NONE);
		this.registry.confirm();
		await().until(lease::isLost);
		await().untilAsserted(() -> assertThat(this.endpoint.lock("orders", null, null, SecurityContext.NONE).losses())
			.singleElement()
			.satisfies((lost) -> assertThat(lost.lock().name()).isEqualTo("orders")));
		assertThat(this.endpoint.lock("others", null, null, SecurityContext.NONE).losses()).isEmpty();
	}

	@Test
	void outageIsToldAndAudited() {
		try (DefaultLockRegistry impatient = registry(IMPATIENT)) {
			assertOutageIsToldAndAudited(endpoint(impatient, Show.ALWAYS));
		}
	}

	private void assertOutageIsToldAndAudited(LocksEndpoint endpoint) {
		server.pause();
		try {
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> endpoint.forceRelease("orders", "7", null, null, SecurityContext.NONE));
			assertThat(this.audit).singleElement()
				.satisfies((event) -> assertThat(event.getData()).containsKey("failure"));
			assertThat(endpoint.locks(SecurityContext.NONE).nodes()).singleElement()
				.satisfies((node) -> assertThat(node.failure()).isNotBlank());
		}
		finally {
			server.resume();
		}
	}

}
