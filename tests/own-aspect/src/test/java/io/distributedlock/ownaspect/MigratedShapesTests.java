package io.distributedlock.ownaspect;

import java.util.List;

import io.distributedlock.Lease;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.test.AutoConfigureTestLocks;
import io.distributedlock.test.TestLocks;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Migrated methods lock the keys of before, and behave as the page says while another
 * instance has the lock. Profiles shorten the waits of the annotated methods.
 */
@SpringBootTest(classes = { ShopApplication.class, MigratedShapes.class }, webEnvironment = WebEnvironment.NONE,
		properties = { "distributed-lock.locks.orders.wait=0", "distributed-lock.locks.order.wait=0",
				"distributed-lock.locks.stock.wait=0", "distributed-lock.locks.invoice.wait=0" })
@AutoConfigureTestLocks
class MigratedShapesTests {

	private static final MigratedShapes.Order ORDER = new MigratedShapes.Order("7");

	@Autowired
	private MigratedShapes shapes;

	@Autowired
	private TestLocks locks;

	@Test
	void lockOfRedissonWhenBusyIsNotTaken() throws InterruptedException {
		assertThat(this.shapes.shipByHand("1")).isEqualTo("shipped 1");
		this.locks.hold("orders", "1");
		assertThat(this.shapes.shipByHand("1")).isEqualTo("busy");
		assertThat(this.shapes.shipByHand("2")).isEqualTo("shipped 2");
	}

	@Test
	void methodWithTheOldAndTheNewLockTakesTheNewOne() {
		assertThat(this.shapes.ship("1")).isEqualTo("shipped 1");
		this.locks.hold("orders", "1");
		assertBusy(() -> this.shapes.ship("1"));
	}

	@Test
	void multiLockOfRedissonIsOneLeaseOnSortedKeys() {
		assertThat(this.shapes.transfer("b", "a")).containsExactly("a", "b");
	}

	@Test
	void keysOfLock4jAreOneKey() {
		assertThat(this.shapes.pay("smith", "7")).isEqualTo("order[smith.7]");
		this.locks.hold("order", "smith.7");
		assertBusy(() -> this.shapes.pay("smith", "7"));
	}

	@Test
	void lockOfLock4jThatIsNotReleasedIsKeptAndThrows() {
		assertThat(this.shapes.send("110")).isEqualTo("sms[110]");
		assertBusy(() -> this.shapes.send("110"));
		assertThat(this.shapes.send("112")).isEqualTo("sms[112]");
	}

	@Test
	void keysOfKlockAreOneKeyAndItsStrategyIsTheFallback() {
		assertThat(this.shapes.reserve("toy", ORDER)).isEqualTo("stock[toy-7]");
		this.locks.hold("stock", "toy-7");
		assertThat(this.shapes.reserve("toy", ORDER)).isEqualTo("no toy for 7");
	}

	@Test
	void listOfAlturkovicIsSeveralKeysAndSkips() {
		assertThat(this.shapes.bill(List.of("2", "1"))).hasValue("invoice[1, 2]");
		this.locks.hold("invoice", "2");
		assertThat(this.shapes.bill(List.of("2", "3"))).isEmpty();
		assertThat(this.shapes.bill(List.of("1", "3"))).isPresent();
	}

	@Test
	void jobOfLocksmithWhenBusyIsSkipped() {
		int before = this.shapes.reports();
		Lease other = this.locks.hold("daily-report", "all");
		this.shapes.report();
		assertThat(this.shapes.reports()).isEqualTo(before);
		other.close();
		this.shapes.report();
		assertThat(this.shapes.reports()).isEqualTo(before + 1);
	}

	@Test
	void nameAloneLocksTheMethod() {
		assertThat(this.shapes.importPrices())
			.isEqualTo("import[" + MigratedShapes.class.getName() + ".importPrices()]");
		this.locks.hold("import", MigratedShapes.class.getName() + ".importPrices()");
		assertBusy(this.shapes::importPrices);
		assertThat(this.shapes.importStock()).isNotEmpty();
	}

	@Test
	void nameWithACommonKeyLocksBothMethods() {
		this.locks.hold("export", "all");
		assertBusy(this.shapes::exportPrices);
		assertBusy(this.shapes::exportStock);
	}

	private static void assertBusy(Runnable call) {
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(call::run);
	}

}
