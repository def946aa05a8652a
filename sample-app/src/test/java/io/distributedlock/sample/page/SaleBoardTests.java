package io.distributedlock.sample.page;

import java.time.Duration;

import io.distributedlock.sample.sale.FlashSaleProperties;
import io.distributedlock.sample.sale.Locks;
import io.distributedlock.sample.sale.SaleResult;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SaleBoardTests {

	private final SaleBoard board = new SaleBoard();

	/** The page had shown old numbers beside new ones, as if they were of one sale. */
	@Test
	void runWithoutLockWhenNextSaleIsWithLockOnlyIsEarlier() {
		FlashSaleProperties compared = sale();
		this.board.onStart(compared, false);
		this.board.onEnd(new SaleResult(false, 9, 9, 0, 4, 0, 0, 100));
		this.board.onStart(compared, true);
		assertThat(everything().without().earlier()).isFalse();
		this.board.onStart(sale(), true);
		assertThat(everything().without().earlier()).isTrue();
		assertThat(everything().with().earlier()).isFalse();
		this.board.onStart(sale(), false);
		assertThat(everything().without().earlier()).isFalse();
	}

	/** It stayed at 0 where no browser had watched the sale. */
	@Test
	void fenceWhenSaleHasEndedIsThatOfTheResult() {
		this.board.onStart(sale(), true);
		this.board.onEnd(new SaleResult(true, 9, 5, 0, 0, 0, 1_790_000_000_000_123L, 100));
		assertThat(everything().with().figures().fence()).isEqualTo("1790000000000123");
	}

	@Test
	void instanceWhenKilledHasLostTheLock() {
		this.board.onStart(sale(), true);
		this.board.killed(2);
		assertThat(everything().with().handOffs().lost()).isOne();
		assertThat(everything().with().instances().get(1).state()).isEqualTo("killed");
	}

	private BoardView everything() {
		return this.board.everything(true, true);
	}

	private static FlashSaleProperties sale() {
		return new FlashSaleProperties(false, 2, 8, 9, 5, "ticket", Locks.IN_REDIS, Duration.ZERO,
				Duration.ofMinutes(5), Duration.ofMinutes(10));
	}

}
