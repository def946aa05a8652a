package io.distributedlock.interceptor;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.Lease;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.LockUpgradeException;
import io.distributedlock.WhenBusy;
import io.distributedlock.WhenUnavailable;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.FencingToken;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Guarded methods whose locks are not exclusive; another thread competes for them. */
class LockInterceptorModeTests {

	private final GuardedContext context = new GuardedContext();

	@AfterEach
	void close() {
		this.context.close();
	}

	private Guarded guarded() {
		return this.context.start(Guarded.class).bean(Guarded.class);
	}

	/** The result of a call that another thread makes meanwhile. */
	private static <T> T meanwhile(Callable<T> call) throws Exception {
		FutureTask<T> task = new FutureTask<>(call);
		new Thread(task, "meanwhile").start();
		try {
			return task.get();
		}
		catch (ExecutionException ex) {
			throw (Exception) ex.getCause();
		}
	}

	@Test
	void readersWhenThereIsNoWriterRunAtOnce() throws Exception {
		Guarded guarded = guarded();
		assertThat(guarded.read("k", () -> meanwhile(() -> guarded.read("k", () -> "both")))).isEqualTo("both");
	}

	@Test
	void writerWhenThereIsAReaderIsBusy() throws Exception {
		Guarded guarded = guarded();
		String outcome = guarded.read("k", () -> {
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> meanwhile(() -> guarded.write("k", () -> "never")));
			return "read";
		});
		assertThat(outcome).isEqualTo("read");
		assertThat(guarded.write("k", () -> "written")).isEqualTo("written");
	}

	@Test
	void readerWhenThereIsAWriterIsBusy() throws Exception {
		Guarded guarded = guarded();
		guarded.write("k", () -> {
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> meanwhile(() -> guarded.read("k", () -> "never")));
			return "written";
		});
		assertThat(guarded.calls()).isEqualTo(1);
	}

	@Test
	void tokenWhenReadIsThatOfTheLastWriter() throws Exception {
		Guarded guarded = guarded();
		long written = guarded.writeToken("k", 0);
		long read = guarded.readToken("k", 0);
		assertThat(read).isEqualTo(written).isEqualTo(guarded.readToken("k", 0));
		assertThat(guarded.writeToken("k", 0)).isGreaterThan(written);
	}

	@Test
	void permitsWhenTakenLeaveTheOthersOut() throws Exception {
		Guarded guarded = guarded();
		assertThat(guarded.permit("k", () -> meanwhile(() -> guarded.permit("k", () -> {
			assertThat(meanwhile(() -> guarded.permitOrSkip("k"))).isEmpty();
			assertThat(meanwhile(() -> guarded.permitOrFallback("k"))).isEqualTo("instead");
			return "both";
		})))).isEqualTo("both");
		assertThat(guarded.permitOrSkip("k")).contains("body");
	}

	@Test
	void permitWhenReleasedGoesToTheNextWaiter() throws Exception {
		Guarded guarded = guarded();
		CompletableFuture<String> pending = new CompletableFuture<>();
		CompletableFuture<String> first = guarded.laterPermit("k", pending);
		CompletableFuture<String> second = guarded.laterPermit("k", new CompletableFuture<>());
		FutureTask<String> third = new FutureTask<>(() -> guarded.waitingPermit("k"));
		new Thread(third, "third").start();
		pending.complete("done");
		assertThat(first.join()).isEqualTo("done");
		assertThat(third.get()).isEqualTo("body");
		assertThat(second).isNotDone();
	}

	@Test
	void permitsWhenAProfileHasMoreLetMoreIn() throws Exception {
		this.context.profile("exports", LockOptions.NONE.withPermits(2));
		Guarded guarded = guarded();
		assertThat(guarded.export(() -> meanwhile(() -> guarded.export(() -> "both")))).isEqualTo("both");
	}

	@Test
	void permitsOfSeveralKeysAreTakenAllOrNone() throws Exception {
		Guarded guarded = guarded();
		guarded.permit("a", () -> meanwhile(() -> guarded.permit("a", () -> {
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> meanwhile(() -> guarded.permits("b", "a")))
				.satisfies((ex) -> assertThat(ex.getKey()).isEqualTo("a"));
			assertThat(this.context.isLocked("permits", "b")).isFalse();
			return "";
		})));
		assertThat(guarded.permits("b", "a")).isEqualTo("body");
	}

	@Test
	void permitWhenALockLivesThereIsNeitherBusyNorProceeds() {
		Guarded guarded = guarded();
		try (Lease lock = this.context.holdElsewhere("permits", "k")) {
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> guarded.permitOrProceed("k"))
				.satisfies((ex) -> assertThat(ex.getKind()).isEqualTo(LockStoreException.Kind.MISCONFIGURED));
		}
		assertThat(guarded.calls()).isZero();
	}

	@Test
	void holderWhenOfOneExclusiveModeEntersTheOthers() throws Exception {
		Guarded guarded = guarded();
		assertThat(guarded.exclusive("k", () -> guarded.fair("k", () -> guarded.write("k", () -> "all three"))))
			.isEqualTo("all three");
		assertThat(guarded.fair("k", () -> guarded.exclusive("k", () -> "both"))).isEqualTo("both");
		assertThat(guarded.read("k", () -> guarded.read("k", () -> "twice"))).isEqualTo("twice");
	}

	@Test
	void holderWhenItReadsAsWellKeepsReadersOutUntilItIsDone() throws Exception {
		Guarded guarded = guarded();
		String outcome = guarded.write("k", () -> {
			String read = guarded.read("k", () -> "downgraded");
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> meanwhile(() -> guarded.read("k", () -> "never")));
			return read;
		});
		assertThat(outcome).isEqualTo("downgraded");
		assertThat(this.context.isLocked("k")).isFalse();
	}

	@Test
	void holderWhenItGoesOnReadingLetsReadersIn() throws Exception {
		Guarded guarded = guarded();
		CompletableFuture<String> pending = new CompletableFuture<>();
		AtomicReference<CompletableFuture<String>> reading = new AtomicReference<>();
		guarded.write("k", () -> {
			reading.set(guarded.readLater("k", pending));
			return "written";
		});
		assertThat(meanwhile(() -> guarded.read("k", () -> "read"))).isEqualTo("read");
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> guarded.write("k", () -> "never"));
		pending.complete("done");
		assertThat(reading.get().join()).isEqualTo("done");
	}

	@Test
	void readerWhenItAsksToWriteIsRefusedAtOnce() throws Exception {
		Guarded guarded = guarded();
		guarded.read("k", () -> {
			assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(() -> guarded.patientWrite("k"));
			assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(() -> guarded.fair("k", () -> "never"));
			assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(() -> guarded.writeBoth("j", "k"));
			return "";
		});
		assertThat(guarded.calls()).isEqualTo(1);
		assertThat(this.context.isLocked("j")).isFalse();
		assertThat(this.context.isLocked("k")).isFalse();
	}

	@Test
	void upgradeWhenBusyIsTakenCareOfIsThrownAllTheSame() throws Exception {
		AtomicInteger asked = new AtomicInteger();
		Handler.asked = asked;
		this.context.customize((beans) -> beans.register(Handler.class));
		Guarded guarded = guarded();
		guarded.read("k", () -> {
			assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(() -> guarded.writeOrSkip("k"));
			assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(() -> guarded.writeOrFallback("k"));
			assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(() -> guarded.writeLater("k"));
			assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(() -> guarded.write("k", () -> "never"));
			return "";
		});
		assertThat(guarded.calls()).isEqualTo(1);
		assertThat(asked).hasValue(0);
	}

	@Test
	void upgradeWhenReactiveIsSignalledAndNotSkipped() {
		Guarded guarded = guarded();
		StepVerifier.create(guarded.readMono(guarded.writeMono()))
			.expectError(LockUpgradeException.class)
			.verify(Duration.ofSeconds(40));
		assertThat(this.context.isLocked("k")).isFalse();
	}

	@Test
	void fairWhenOthersWaitElsewhereComesAfterThem() throws Exception {
		Guarded guarded = guarded();
		List<String> order = new CopyOnWriteArrayList<>();
		LockRequest read = LockRequest.of("k").mode(LockMode.READ);
		Lease held = this.context.holdElsewhere(read);
		CompletableFuture<Void> earlier = this.context
			.waitElsewhere(LockRequest.of("k").mode(LockMode.FAIR).waitFor(Duration.ofSeconds(30)))
			.thenAccept((lease) -> {
				order.add("earlier");
				lease.close();
			});
		Awaitility.await().until(() -> !this.context.isFreeElsewhere(read));
		FutureTask<Boolean> later = new FutureTask<>(
				() -> guarded.patientFair("k", () -> String.valueOf(order.add("later"))) != null);
		new Thread(later, "later").start();
		held.close();
		assertThat(later.get()).isTrue();
		earlier.get();
		assertThat(order).containsExactly("earlier", "later");
	}

	@Configuration(proxyBeanMethods = false)
	static class Handler {

		private static AtomicInteger asked = new AtomicInteger();

		@Bean
		LockFailureHandler countAndSkip() {
			return (failure) -> {
				asked.incrementAndGet();
				return LockFailureDecision.result("handled");
			};
		}

	}

	static class Guarded {

		private final AtomicInteger calls = new AtomicInteger();

		int calls() {
			return this.calls.get();
		}

		private String body() {
			this.calls.incrementAndGet();
			return "body";
		}

		private String body(Callable<String> inside) throws Exception {
			this.calls.incrementAndGet();
			return inside.call();
		}

		@DistributedLock(key = "#key", mode = LockMode.READ, waitFor = "0")
		public String read(String key, Callable<String> inside) throws Exception {
			return body(inside);
		}

		@DistributedLock(key = "#key", mode = LockMode.READ, waitFor = "0")
		public CompletableFuture<String> readLater(String key, CompletableFuture<String> pending) {
			return pending;
		}

		@DistributedLock(key = "#key", mode = LockMode.EXCLUSIVE, waitFor = "0")
		public String write(String key, Callable<String> inside) throws Exception {
			return body(inside);
		}

		@DistributedLock(key = "#key", mode = LockMode.FAIR, waitFor = "0")
		public String fair(String key, Callable<String> inside) throws Exception {
			return body(inside);
		}

		@DistributedLock(key = "#key", waitFor = "0")
		public String exclusive(String key, Callable<String> inside) throws Exception {
			return body(inside);
		}

		@DistributedLock(key = "#key", mode = LockMode.FAIR, waitFor = "30s")
		public String patientFair(String key, Callable<String> inside) throws Exception {
			return body(inside);
		}

		@DistributedLock(key = "#key", mode = LockMode.EXCLUSIVE, waitFor = "1h")
		public String patientWrite(String key) {
			return body();
		}

		@DistributedLock(key = { "#one", "#other" }, mode = LockMode.EXCLUSIVE, waitFor = "1h")
		public String writeBoth(String one, String other) {
			return body();
		}

		@DistributedLock(key = "#key", mode = LockMode.EXCLUSIVE, whenBusy = WhenBusy.SKIP,
				whenUnavailable = WhenUnavailable.SKIP)
		public Optional<String> writeOrSkip(String key) {
			return Optional.of(body());
		}

		@DistributedLock(key = "#key", mode = LockMode.EXCLUSIVE, fallback = "instead")
		public String writeOrFallback(String key) {
			return body();
		}

		@DistributedLock(key = "#key", mode = LockMode.EXCLUSIVE)
		public CompletableFuture<String> writeLater(String key) {
			return CompletableFuture.completedFuture(body());
		}

		@DistributedLock(key = "#key", mode = LockMode.EXCLUSIVE)
		public long writeToken(String key, @FencingToken long token) {
			return token;
		}

		@DistributedLock(key = "#key", mode = LockMode.READ)
		public long readToken(String key, @FencingToken long token) {
			return token;
		}

		@DistributedLock(name = "permits", key = "#key", mode = LockMode.SEMAPHORE, permits = 2, waitFor = "0")
		public String permit(String key, Callable<String> inside) throws Exception {
			return body(inside);
		}

		@DistributedLock(name = "permits", key = { "#one", "#other" }, mode = LockMode.SEMAPHORE, permits = 2,
				waitFor = "0")
		public String permits(String one, String other) {
			return body();
		}

		@DistributedLock(name = "permits", key = "#key", mode = LockMode.SEMAPHORE, permits = 2, waitFor = "0",
				whenBusy = WhenBusy.SKIP)
		public Optional<String> permitOrSkip(String key) {
			return Optional.of(body());
		}

		@DistributedLock(name = "permits", key = "#key", mode = LockMode.SEMAPHORE, permits = 2, waitFor = "0",
				fallback = "instead")
		public String permitOrFallback(String key) {
			return body();
		}

		@DistributedLock(name = "permits", key = "#key", mode = LockMode.SEMAPHORE, permits = 2,
				whenUnavailable = WhenUnavailable.PROCEED)
		public String permitOrProceed(String key) {
			return body();
		}

		private String instead(String key) {
			return "instead";
		}

		@DistributedLock(name = "permits", key = "#key", mode = LockMode.SEMAPHORE, permits = 2, waitFor = "30s")
		public String waitingPermit(String key) {
			return body();
		}

		@DistributedLock(name = "permits", key = "#key", mode = LockMode.SEMAPHORE, permits = 2, waitFor = "0")
		public CompletableFuture<String> laterPermit(String key, CompletableFuture<String> pending) {
			return pending;
		}

		@DistributedLock(name = "exports", mode = LockMode.SEMAPHORE, permits = 1, waitFor = "0")
		public String export(Callable<String> inside) throws Exception {
			return body(inside);
		}

		@DistributedLock(key = "'k'", mode = LockMode.READ)
		public Mono<String> readMono(Mono<String> inside) {
			return inside;
		}

		@DistributedLock(key = "'k'", mode = LockMode.EXCLUSIVE, whenBusy = WhenBusy.SKIP)
		public Mono<String> writeMono() {
			return Mono.fromSupplier(this::body);
		}

	}

}
