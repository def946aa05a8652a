package io.distributedlock.interceptor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;

import io.distributedlock.Lease;
import io.distributedlock.LockKeyException;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.WhenLost;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.Renewal;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.memory.MemoryLockStore;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Lazy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class LockInterceptorTests {

	private GuardedContext context;

	@AfterEach
	void close() {
		this.context.close();
	}

	private Guarded guarded() {
		this.context = GuardedContext.of(Guarded.class, Tenant.class);
		return this.context.bean(Guarded.class);
	}

	@Test
	void keyWhenParameterNamedIsItsValue() {
		assertThat(guarded().byName(new Order("7"))).containsExactly("7");
	}

	@Test
	void keyWhenPositionUsedIsThatArgument() {
		assertThat(guarded().byPosition("a", "b")).containsExactly("a-b");
	}

	@Test
	void keyWhenRootUsedKnowsTheCall() {
		assertThat(guarded().byRoot("x")).containsExactly("byRoot:Guarded:Guarded:byRoot:x");
	}

	@Test
	void keyWhenBeanUsedIsWhatTheBeanSays() {
		assertThat(guarded().byBean("x")).containsExactly("acme:x");
	}

	@Test
	void keyWhenPlaceholderInLiteralIsResolved() {
		this.context = new GuardedContext().property("tenant", "acme").start(Guarded.class, Tenant.class);
		assertThat(this.context.bean(Guarded.class).byPlaceholder(1)).containsExactly("acme-1");
	}

	@Test
	void keysWhenSeveralExpressionsAreSortedAndDistinct() {
		assertThat(guarded().several("b", "a", "b")).containsExactly("a", "b");
	}

	@Test
	void keysWhenExpressionYieldsCollectionAreItsElements() {
		assertThat(guarded().collection(List.of(3L, 1L, 2L))).containsExactly("1", "2", "3");
	}

	@Test
	void keysWhenExpressionYieldsArrayAreItsElements() {
		assertThat(guarded().array(new int[] { 2, 1 })).containsExactly("1", "2");
	}

	@Test
	void keysWhenOneIsBusyAreRolledBackAndTheBusyOneNamed() {
		Guarded guarded = guarded();
		try (Lease busy = this.context.holdElsewhere("", "b")) {
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> guarded.severalAtOnce("c", "b", "a"))
				.satisfies((ex) -> assertThat(ex.getKey()).isEqualTo("b"));
			assertThat(this.context.isLocked("a")).isFalse();
			assertThat(this.context.isLocked("c")).isFalse();
		}
	}

	@Test
	void keyWhenNullNamesMethodAndExpressionAndBodyDoesNotRun() {
		Guarded guarded = guarded();
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> guarded.byPosition(null, null))
			.withMessageContaining("null key")
			.withMessageContaining("Guarded.byPosition")
			.withMessageContaining("#p0");
		assertThat(guarded.calls()).isZero();
	}

	@Test
	void keyWhenOptionalIsEmptyIsNull() {
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> guarded().optional(Optional.empty()))
			.withMessageContaining("yields a null key");
	}

	@Test
	void keyWhenBlankIsRefused() {
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> guarded().byName(new Order(" ")))
			.withMessageContaining("blank key");
	}

	@Test
	void keyWhenElementIsNullIsRefused() {
		List<Long> ids = new ArrayList<>();
		ids.add(null);
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> guarded().collection(ids))
			.withMessageContaining("null key");
	}

	@Test
	void keyWhenCollectionIsEmptyIsRefused() {
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> guarded().collection(Set.of()))
			.withMessageContaining("empty collection");
	}

	@Test
	void keyWhenEvaluationFailsCarriesTheCause() {
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> guarded().byName(null))
			.withMessageContaining("#order.id")
			.havingCause();
	}

	@Test
	void keyWhenObjectHasNoTextOfItsOwnIsRefused() {
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> guarded().object(new Object()))
			.withMessageContaining("toString()");
	}

	@Test
	void keyWhenNoneIsTheMethodWithItsParameters() {
		assertThat(guarded().itself(1)).containsExactly(Guarded.class.getTypeName() + ".itself(int)");
	}

	@Test
	void nameWhenGivenIsTheNamespace() {
		this.context = new GuardedContext().property("ns", "orders").start(Guarded.class, Tenant.class);
		assertThat(this.context.bean(Guarded.class).named(1)).isEqualTo("orders");
	}

	@Test
	void conditionWhenFalseRunsWithoutLock() {
		Guarded guarded = guarded();
		assertThat(guarded.conditional(1)).isFalse();
		assertThat(guarded.conditional(20)).isTrue();
	}

	@Test
	void ttlWhenShortAndNotRenewedIsLost() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> guarded().outlivesItsLease("k"))
			.satisfies((ex) -> assertThat(ex.isBodyCompleted()).isTrue());
	}

	@Test
	void lossWhenIgnoredIsNotThrown() {
		assertThat(guarded().ignoresLoss("k")).isEqualTo("done");
	}

	@Test
	void lossWhenInterruptStopsTheBodyAndClearsTheFlag() {
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> guarded().interrupted("k"))
			.satisfies((ex) -> assertThat(ex.getSuppressed()).hasOnlyElementsOfType(LockLostException.class));
		assertThat(Thread.interrupted()).isFalse();
	}

	@Test
	void maxHoldWhenReachedLosesTheLease() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> guarded().held("k"));
	}

	@Test
	void keepForWhenMethodIsDoneSkipsTheNextCallAtOnce() {
		Guarded guarded = guarded();
		guarded.job();
		guarded.job();
		assertThat(guarded.calls()).isEqualTo(1);
		assertThat(this.context.isLocked("job", "nightly")).isTrue();
	}

	@Test
	void keepForWhenResultCannotBeEmptyThrows() {
		Guarded guarded = guarded();
		guarded.countedJob();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(guarded::countedJob);
	}

	@Test
	void bodyWhenItFailsWinsAndLossIsSuppressed() {
		assertThatIllegalStateException().isThrownBy(() -> guarded().failsAfterLoss("k"))
			.satisfies((ex) -> assertThat(ex.getSuppressed()).singleElement().isInstanceOf(LockLostException.class));
	}

	@Test
	void bodyWhenItEndsReleases() {
		Guarded guarded = guarded();
		guarded.byName(new Order("7"));
		assertThat(this.context.isLocked("7")).isFalse();
	}

	@Test
	void nestedWhenSameKeyEntersAgain() {
		this.context = GuardedContext.of(Guarded.class, Tenant.class, Outer.class);
		assertThat(this.context.bean(Outer.class).outer("k")).containsExactly("k");
	}

	@Test
	void profileWhenItNamesTheLockHasTheLastWord() {
		this.context = new GuardedContext()
			.profile("tuned", LockOptions.NONE.withWhenLost(WhenLost.IGNORE).withTtl(Duration.ofMillis(50)))
			.start(Guarded.class, Tenant.class);
		assertThat(this.context.bean(Guarded.class).tuned("k")).isEqualTo("done");
	}

	@Test
	void registryWhenNamedKeepsTheLock() {
		try (DefaultLockRegistry other = new DefaultLockRegistry(new MemoryLockStore())) {
			this.context = new GuardedContext()
				.customize((beans) -> beans.registerBean("otherRegistry", DefaultLockRegistry.class, () -> other))
				.start(OtherRegistry.class);
			assertThat(this.context.bean(OtherRegistry.class).guarded(this.context)).isFalse();
		}
	}

	record Order(String id) {
	}

	static class Tenant {

		public String id() {
			return "acme";
		}

	}

	static class Guarded {

		private int calls;

		int calls() {
			return this.calls;
		}

		private Collection<String> keys() {
			this.calls++;
			return Lease.current().orElseThrow().keys();
		}

		@DistributedLock("#order.id")
		public Collection<String> byName(Order order) {
			return keys();
		}

		@DistributedLock("#p0")
		public void optional(Optional<String> id) {
		}

		@DistributedLock(key = "#p1 == null ? #p0 : #p0 + '-' + #a1")
		public Collection<String> byPosition(String first, String second) {
			return keys();
		}

		@DistributedLock(key = "#root.methodName + ':' + #root.targetClass.simpleName + ':' "
				+ "+ #root.target.class.simpleName + ':' + #root.method.name + ':' + #root.args[0]")
		public Collection<String> byRoot(String argument) {
			return keys();
		}

		@DistributedLock(key = "@'lockInterceptorTests.Tenant'.id() + ':' + #id")
		public Collection<String> byBean(String id) {
			return keys();
		}

		@DistributedLock(key = "'${tenant:none}-' + #id")
		public Collection<String> byPlaceholder(int id) {
			return keys();
		}

		@DistributedLock(key = { "#from", "#to", "#again" })
		public Collection<String> several(String from, String to, String again) {
			return keys();
		}

		@DistributedLock(key = "{#from, #to, #last}", waitFor = "0")
		public void severalAtOnce(String from, String to, String last) {
			this.calls++;
		}

		@DistributedLock("#ids")
		public Collection<String> collection(Collection<Long> ids) {
			return keys();
		}

		@DistributedLock("#ids")
		public Collection<String> array(int[] ids) {
			return keys();
		}

		@DistributedLock("#value")
		public void object(Object value) {
			this.calls++;
		}

		@DistributedLock
		public Collection<String> itself(int argument) {
			return keys();
		}

		@DistributedLock(name = "${ns:none}", key = "#id")
		public String named(int id) {
			return Lease.current().orElseThrow().name();
		}

		@DistributedLock(key = "#amount", condition = "#amount > 10")
		public boolean conditional(int amount) {
			return Lease.current().isPresent();
		}

		@DistributedLock(key = "#key", ttl = "50ms", renew = Renewal.OFF)
		public String outlivesItsLease(String key) {
			return outlive();
		}

		@DistributedLock(key = "#key", ttl = "PT0.05S", renew = Renewal.OFF, whenLost = WhenLost.IGNORE)
		public String ignoresLoss(String key) {
			return outlive();
		}

		@DistributedLock(name = "tuned", key = "#key", ttl = "1h", renew = Renewal.OFF)
		public String tuned(String key) {
			return outlive();
		}

		@DistributedLock(key = "#key", ttl = "200", maxHold = "10ms")
		public String held(String key) {
			return outlive();
		}

		@DistributedLock(key = "#key", ttl = "50ms", renew = Renewal.OFF, whenLost = WhenLost.INTERRUPT)
		public void interrupted(String key) throws InterruptedException {
			new CountDownLatch(1).await();
		}

		@DistributedLock(key = "#key", ttl = "50ms", renew = Renewal.OFF)
		public void failsAfterLoss(String key) {
			outlive();
			throw new IllegalStateException("body");
		}

		private String outlive() {
			Lease lease = Lease.current().orElseThrow();
			Awaitility.await().until(() -> !lease.isHeld());
			return "done";
		}

		@DistributedLock(name = "job", key = "'nightly'", keepFor = "1m")
		public void job() {
			this.calls++;
		}

		@DistributedLock(name = "job", key = "'counted'", keepFor = "1m")
		public int countedJob() {
			return ++this.calls;
		}

	}

	static class Outer {

		@Autowired
		@Lazy
		private Guarded guarded;

		@DistributedLock(key = "#key", waitFor = "0")
		public Collection<String> outer(String key) {
			return new TreeSet<>(this.guarded.several(key, key, key));
		}

	}

	static class OtherRegistry {

		@DistributedLock(key = "'k'", registry = "otherRegistry")
		public boolean guarded(GuardedContext context) {
			return context.isLocked("k");
		}

	}

}
