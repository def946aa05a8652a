package io.distributedlock.interceptor;

import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.WhenBusy;
import io.distributedlock.WhenLost;
import io.distributedlock.WhenUnavailable;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.FencingToken;
import io.distributedlock.annotation.Renewal;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.memory.MemoryLockStore;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.AliasFor;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The examples of the reference documentation of the annotation. */
class AnnotationReferenceTests {

	private static final Order ORDER = new Order("7", "smith", false);

	private final GuardedContext context = new GuardedContext();

	@AfterEach
	void close() {
		this.context.close();
	}

	@Test
	void examplesWhenOnThePageAreInThisTest() throws IOException {
		assertThat(DocumentedExamples.of("annotation.md")).hasSizeGreaterThan(24)
			.allSatisfy((example) -> assertThat(DocumentedExamples.codeOf(AnnotationReferenceTests.class))
				.contains(example));
	}

	private Shop shop(LockOptions prices) {
		this.context.profile("prices", prices);
		return shop();
	}

	private Shop shop() {
		this.context.customize((beans) -> beans.registerBean("archiveLocks", LockRegistry.class,
				() -> new DefaultLockRegistry(new MemoryLockStore())));
		return this.context.start(Shop.class).bean(Shop.class);
	}

	private String lockedBy(Call call) throws Exception {
		Shop shop = shop();
		call.on(shop);
		return shop.locked();
	}

	@Test
	void composedAnnotation() throws Exception {
		assertThat(lockedBy((shop) -> shop.pay(ORDER))).isEqualTo("orders[7]");
	}

	@Test
	void repeatedAnnotation() throws Exception {
		assertThat(lockedBy((shop) -> shop.settle(ORDER))).isEqualTo("customers[smith]");
		try (Lease busy = this.context.holdElsewhere("customers", "smith")) {
			this.context.bean(Shop.class).settle(ORDER);
			assertThat(this.context.isLocked("orders", "7")).isFalse();
		}
	}

	@Test
	void keyOfParameter() throws Exception {
		assertThat(lockedBy((shop) -> shop.ship(ORDER))).isEqualTo("[7]");
	}

	@Test
	void keyOfLiteral() throws Exception {
		assertThat(lockedBy(Shop::reprice)).isEqualTo("[prices]");
	}

	@Test
	void keyOfMethod() throws Exception {
		assertThat(lockedBy(Shop::cleanUp)).isEqualTo("[" + Shop.class.getTypeName() + ".cleanUp()]");
	}

	@Test
	void keysOfSeveralExpressions() throws Exception {
		assertThat(lockedBy((shop) -> shop.transfer("b", "a"))).isEqualTo("accounts[a, b]");
	}

	@Test
	void keysOfCollection() throws Exception {
		assertThat(lockedBy((shop) -> shop.reserve(List.of(new Position("y"), new Position("x")))))
			.isEqualTo("items[x, y]");
	}

	@Test
	void name() throws Exception {
		assertThat(lockedBy((shop) -> shop.pack(ORDER))).isEqualTo("eu-orders[7]");
	}

	@Test
	void ttl() throws Exception {
		assertThat(lockedBy((shop) -> shop.bill(ORDER))).isEqualTo("[7]");
		assertThat(this.context.bean(Shop.class).remaining()).isBetween(5L, 10L);
	}

	@Test
	void waitForNothing() {
		Shop shop = shop();
		try (Lease busy = this.context.holdElsewhere("", "7")) {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> shop.cancel(ORDER));
		}
	}

	@Test
	void renewOff() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> shop().glance(ORDER));
	}

	@Test
	void maxHold() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> shop().hang(ORDER));
	}

	@Test
	void keepFor() {
		Shop shop = shop();
		shop.report();
		shop.report();
		assertThat(shop.reports()).isEqualTo(1);
	}

	@Test
	void modesReadAndWrite() {
		Shop shop = shop(LockOptions.NONE.withWaitFor(Duration.ZERO));
		try (Lease reader = this.context.holdElsewhere(LockRequest.of("prices", "x").mode(LockMode.READ))) {
			assertThat(shop.quote("x")).isEqualTo(BigDecimal.ONE);
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> shop.discount("x", BigDecimal.TEN));
		}
	}

	@Test
	void modeFair() throws Exception {
		assertThat(lockedBy((shop) -> shop.draw("hamlet"))).isEqualTo("seats[hamlet]");
	}

	@Test
	void modeSemaphore() {
		Shop shop = shop();
		LockRequest permit = LockRequest.of("exports", "pdf").permits(3);
		try (Lease one = this.context.holdElsewhere(permit); Lease two = this.context.holdElsewhere(permit)) {
			assertThat(shop.export(ORDER)).contains("done");
			try (Lease three = this.context.holdElsewhere(permit)) {
				assertThat(shop.export(ORDER)).isEmpty();
			}
		}
	}

	@Test
	void whenBusySkip() {
		Shop shop = shop();
		assertThat(shop.reindex()).contains("done");
		try (Lease busy = this.context.holdElsewhere("", "index")) {
			assertThat(shop.reindex()).isEmpty();
		}
	}

	@Test
	void fallback() {
		Shop shop = shop();
		assertThat(shop.price("x")).isEqualTo("new");
		try (Lease busy = this.context.holdElsewhere("", "x")) {
			assertThat(shop.price("x")).isEqualTo("last, x is busy");
		}
	}

	@Test
	void whenLostInterrupt() {
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> shop().copy(ORDER));
	}

	@Test
	void whenUnavailableProceed() {
		this.context.registry(new BrokenRegistry(LockStoreException.Kind.UNAVAILABLE));
		assertThat(shop().warmUp()).isEqualTo("unprotected");
	}

	@Test
	void condition() {
		Shop shop = shop();
		assertThat(shop.deliver(ORDER)).isFalse();
		assertThat(shop.deliver(new Order("7", "smith", true))).isTrue();
	}

	@Test
	void registry() throws Exception {
		try (Lease busy = shop().leaseOfRegistry(this.context, "7")) {
			this.context.bean(Shop.class).archive(ORDER);
		}
		assertThat(this.context.bean(Shop.class).locked()).isEqualTo("[7]");
	}

	@Test
	void fencingToken() {
		Shop shop = shop();
		assertThat(shop.restock("x", 0)).isLessThan(shop.restock("x", 0));
	}

	@Test
	void fencingTokenOfOneKey() throws Exception {
		assertThat(lockedBy((shop) -> shop.move("a", "b", 0, 0))).isEqualTo("accounts[a, b]");
		assertThat(this.context.bean(Shop.class).tokens()).allMatch((token) -> token > 0);
	}

	@Test
	void fencingTokenOfOneLock() throws Exception {
		assertThat(lockedBy((shop) -> shop.refund(ORDER, 0))).isEqualTo("customers[smith]");
		assertThat(this.context.bean(Shop.class).tokens()).allMatch((token) -> token > 0);
	}

	@Test
	void handler() {
		this.context.customize((beans) -> beans.register(Policy.class));
		Shop shop = shop();
		try (Lease busy = this.context.holdElsewhere("refresh-prices", "7")) {
			shop.refresh(ORDER);
		}
		try (Lease busy = this.context.holdElsewhere("", "7")) {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> shop.cancel(ORDER));
		}
		assertThat(shop.locked()).isNull();
	}

	private interface Call {

		void on(Shop shop) throws Exception;

	}

	record Order(String id, String customer, boolean express) {
	}

	record Position(String item) {
	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(name = "orders", ttl = "10s")
	@interface OrderLock {

		@AliasFor(annotation = DistributedLock.class, attribute = "key")
		String[] value();

	}

	@Configuration(proxyBeanMethods = false)
	static class Policy {

		@Bean
		LockFailureHandler skipRefreshes() {
			return (failure) -> failure.isBusy() && failure.request().name().startsWith("refresh-")
					? LockFailureDecision.skip() : LockFailureDecision.defer();
		}

	}

	static class Shop {

		private String locked;

		private long remaining;

		private int reports;

		private List<Long> tokens = List.of();

		String locked() {
			return this.locked;
		}

		long remaining() {
			return this.remaining;
		}

		int reports() {
			return this.reports;
		}

		List<Long> tokens() {
			return this.tokens;
		}

		/** The same key in the other registry is another lock. */
		Lease leaseOfRegistry(GuardedContext context, String key) {
			return context.holdElsewhere("", key);
		}

		private void note() {
			Lease lease = Lease.current().orElseThrow();
			this.locked = lease.name() + lease.keys();
			this.remaining = lease.remaining().toSeconds();
		}

		private void outlive() {
			Lease lease = Lease.current().orElseThrow();
			Awaitility.await().until(() -> !lease.isHeld());
		}

		@DistributedLock(name = "refresh-prices", key = "#order.id", waitFor = "0")
		public void refresh(Order order) {
			note();
		}

		@OrderLock("#order.id")
		public void pay(Order order) {
			note();
		}

		@DistributedLock(name = "orders", key = "#order.id")
		@DistributedLock(name = "customers", key = "#order.customer", waitFor = "0", whenBusy = WhenBusy.SKIP)
		public void settle(Order order) {
			note();
		}

		@DistributedLock("#order.id")
		public void ship(Order order) {
			note();
		}

		@DistributedLock("'prices'")
		public void reprice() {
			note();
		}

		@DistributedLock
		public void cleanUp() {
			note();
		}

		@DistributedLock(name = "accounts", key = { "#from", "#to" })
		public void transfer(String from, String to) {
			note();
		}

		@DistributedLock(name = "items", key = "#cart.![item]")
		public void reserve(List<Position> cart) {
			note();
		}

		@DistributedLock(name = "${shop.region:eu}-orders", key = "#order.id")
		public void pack(Order order) {
			note();
		}

		@DistributedLock(key = "#order.id", ttl = "10s")
		public void bill(Order order) {
			note();
		}

		@DistributedLock(key = "#order.id", waitFor = "0")
		public void cancel(Order order) {
			note();
		}

		@DistributedLock(key = "#order.id", ttl = "50ms", renew = Renewal.OFF)
		public void glance(Order order) {
			outlive();
		}

		@DistributedLock(key = "#order.id", ttl = "200ms", maxHold = "50ms")
		public void hang(Order order) {
			outlive();
		}

		@Scheduled(cron = "0 * * * * *")
		@DistributedLock(name = "report", keepFor = "50s")
		public void report() {
			this.reports++;
		}

		@DistributedLock(name = "prices", key = "#item", mode = LockMode.READ)
		public BigDecimal quote(String item) {
			return BigDecimal.ONE;
		}

		@DistributedLock(name = "prices", key = "#item")
		public void discount(String item, BigDecimal price) {
			note();
		}

		@DistributedLock(name = "seats", key = "#show", mode = LockMode.FAIR)
		public void draw(String show) {
			note();
		}

		@DistributedLock(name = "exports", key = "'pdf'", mode = LockMode.SEMAPHORE, permits = 3, waitFor = "0",
				whenBusy = WhenBusy.SKIP)
		public Optional<String> export(Order order) {
			return Optional.of("done");
		}

		@DistributedLock(key = "'index'", waitFor = "0", whenBusy = WhenBusy.SKIP)
		public Optional<String> reindex() {
			return Optional.of("done");
		}

		@DistributedLock(key = "#item", waitFor = "0", fallback = "lastPrice")
		public String price(String item) {
			return "new";
		}

		private String lastPrice(String item, LockNotAcquiredException busy) {
			return "last, " + busy.getKey() + " is busy";
		}

		@DistributedLock(key = "#order.id", ttl = "50ms", renew = Renewal.OFF, whenLost = WhenLost.INTERRUPT)
		public void copy(Order order) throws InterruptedException {
			new CountDownLatch(1).await();
		}

		@DistributedLock(key = "'cache'", whenUnavailable = WhenUnavailable.PROCEED)
		public String warmUp() {
			return Lease.current().isPresent() ? "protected" : "unprotected";
		}

		@DistributedLock(key = "#order.id", condition = "#order.express")
		public boolean deliver(Order order) {
			return Lease.current().isPresent();
		}

		@DistributedLock(key = "#order.id", registry = "archiveLocks")
		public void archive(Order order) {
			note();
		}

		@DistributedLock(name = "stock", key = "#item")
		public long restock(String item, @FencingToken long token) {
			return token;
		}

		@DistributedLock(name = "accounts", key = { "#from", "#to" })
		public void move(String from, String to, @FencingToken("#from") long ofFrom, @FencingToken("#to") long ofTo) {
			note();
			this.tokens = List.of(ofFrom, ofTo);
		}

		@DistributedLock(name = "orders", key = "#order.id")
		@DistributedLock(name = "customers", key = "#order.customer")
		public void refund(Order order, @FencingToken(name = "orders") long token) {
			note();
			this.tokens = List.of(token);
		}

	}

}
