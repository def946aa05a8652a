package io.distributedlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.distributedlock.LockMode;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.WakeUpListener;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * A store with a connection factory of its own, and the shortest way to use it. Its user
 * has the documented permissions and no more.
 */
final class StoreUnderTest implements WakeUpListener, AutoCloseable {

	static final Duration TTL = Duration.ofSeconds(30);

	/** How long the engine waits for an answer where a test has only one try. */
	static final Duration PATIENCE = Duration.ofSeconds(10);

	static final RedisStoreSettings PATIENT = new RedisStoreSettings(RedisStoreSettings.DEFAULTS.keyPrefix(),
			RedisStoreSettings.DEFAULTS.tokenRetention(), PATIENCE, true);

	private static final AtomicLong SEQUENCE = new AtomicLong();

	final RedisConnectionFactory factory;

	final RedisLockStore store;

	final BlockingQueue<String> wakeUps = new LinkedBlockingQueue<>();

	final AtomicInteger wokenAll = new AtomicInteger();

	private final long instance = SEQUENCE.incrementAndGet();

	/** A store on a server with {@link LeastPrivilege#serverSettings()}. */
	StoreUnderTest(DriverUnderTest driver, RedisServer server) {
		this(driver.connect(LeastPrivilege.at(server)), driver.settings());
	}

	/** A store that uses the connection of the application. */
	static StoreUnderTest shared(DriverUnderTest driver, RedisServer server) {
		return new StoreUnderTest(driver.connect(LeastPrivilege.at(server)),
				RedisStoreSettings.DEFAULTS.withSharedConnection());
	}

	StoreUnderTest(DriverUnderTest driver, RedisServer server, String user, String password) {
		this(driver.connect(withUser(server, user, password)), RedisStoreSettings.DEFAULTS);
	}

	StoreUnderTest(RedisConnectionFactory factory, RedisStoreSettings settings) {
		this.factory = factory;
		this.store = new RedisLockStore(factory, settings);
		this.store.start(request().instance(), this);
	}

	private StoreUnderTest(RedisLockStore store) {
		this.factory = null;
		this.store = store;
		this.store.start(request().instance(), this);
	}

	/** A store that its maker closes. */
	static StoreUnderTest of(RedisLockStore store) {
		return new StoreUnderTest(store);
	}

	private static RedisStandaloneConfiguration withUser(RedisServer server, String user, String password) {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration(server.host(), server.port());
		configuration.setUsername(user);
		configuration.setPassword(password);
		return configuration;
	}

	static LockKey newKey() {
		return new LockKey("store", "key" + SEQUENCE.incrementAndGet());
	}

	/** Each in a place of its own, so that any of them may hold a lock together. */
	RequestId request() {
		long number = SEQUENCE.incrementAndGet();
		return RequestId.of(this.instance, (int) number & RequestId.LAST_PLACE, number, 0);
	}

	CompletableFuture<AcquireOutcome> acquire(LockKey key, RequestId request) {
		return this.store.acquire(new AcquireCommand(key, request, TTL, Duration.ZERO, Duration.ZERO));
	}

	CompletableFuture<AcquireOutcome> waitFor(LockKey key, RequestId request) {
		return this.store.acquire(new AcquireCommand(key, request, TTL, Duration.ZERO, Duration.ofSeconds(30)));
	}

	/** Wait as a request of its own. */
	CompletableFuture<AcquireOutcome> waitFor(LockMode mode, LockKey key) {
		return this.store.acquire(new AcquireCommand(List.of(key), request(), mode, 0, null, TTL, Duration.ZERO,
				Duration.ofSeconds(30), 0, false));
	}

	/** Wait once more to be given the lock; whether the next release does that. */
	boolean isNext(LockKey key, RequestId request) {
		AcquireOutcome outcome = this.store
			.acquire(new AcquireCommand(List.of(key), request, LockMode.EXCLUSIVE, 0, null, TTL, Duration.ZERO,
					Duration.ofSeconds(30), 0, false, 0, Duration.ofSeconds(1)))
			.join();
		return ((AcquireOutcome.Busy) outcome).next();
	}

	CompletableFuture<Ownership> release(LockKey key, RequestId request) {
		return this.store.release(new ReleaseCommand(key, request));
	}

	CompletableFuture<Ownership> renew(LockKey key, RequestId request) {
		return this.store.renew(List.of(new RenewCommand(key, request, TTL))).get(0);
	}

	String awaitWakeUp() throws InterruptedException {
		return this.wakeUps.poll(25, TimeUnit.SECONDS);
	}

	@Override
	public void wakeUp(String encodedKey) {
		this.wakeUps.add(encodedKey);
	}

	@Override
	public void wakeUpAll() {
		this.wokenAll.incrementAndGet();
	}

	@Override
	public void close() {
		this.store.close();
		DriverUnderTest.close(this.factory);
	}

}
