package io.distributedlock.ownaspect;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.BiConsumer;

import io.distributedlock.LockInspector;
import io.distributedlock.test.store.Patience;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A caller's transaction commits after the guarded method. The second caller reads before
 * that if the lock was released with the method.
 */
@SpringBootTest(classes = ShopApplication.class, webEnvironment = WebEnvironment.NONE)
class ReleaseBeforeCommitTests {

	@Autowired
	private Till till;

	@Autowired
	private TransactionTemplate transaction;

	@Autowired
	private LockInspector inspector;

	private final CountDownLatch firstHasSold = new CountDownLatch(1);

	private final CountDownLatch secondHasRead = new CountDownLatch(1);

	private final CountDownLatch firstHasCommitted = new CountDownLatch(1);

	@Test
	void saleWhenHomeMadeLockEndsBeforeTheCommitIsLost() {
		assertThat(leftOfTenAfterTwoSales(this.till::sellHomeMadeInTheCallersTransaction)).isEqualTo(9);
	}

	@Test
	void saleWhenLockIsKeptUntilTheCommitIsNotLost() {
		assertThat(leftOfTenAfterTwoSales(this.till::sell)).isEqualTo(8);
	}

	private int leftOfTenAfterTwoSales(BiConsumer<String, Runnable> sale) {
		this.till.restock("toy", 10);
		CompletableFuture<Void> second = CompletableFuture.runAsync(() -> second(sale));
		this.transaction.executeWithoutResult((status) -> {
			sale.accept("toy", () -> {
			});
			this.firstHasSold.countDown();
			Patience.await().until(() -> this.secondHasRead.getCount() == 0 || !this.inspector.waiting().isEmpty());
		});
		this.firstHasCommitted.countDown();
		assertThat(second).succeedsWithin(Patience.CEILING);
		return this.till.quantity("toy");
	}

	private void second(BiConsumer<String, Runnable> sale) {
		this.transaction.executeWithoutResult((status) -> {
			Latches.await(this.firstHasSold);
			sale.accept("toy", () -> {
				this.secondHasRead.countDown();
				Latches.await(this.firstHasCommitted);
			});
		});
	}

}
