package io.distributedlock.sample.page;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.sample.page.BoardView.StoryView;
import io.distributedlock.sample.sale.InstanceEvent;
import io.distributedlock.sample.sale.InstanceEvent.Kind;
import io.distributedlock.sample.sale.Report;
import io.distributedlock.sample.sale.SaleInstance;
import io.distributedlock.sample.sale.Sales;
import io.distributedlock.sample.sale.Tally;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.StaticListableBeanFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;

/** The requests that a page may make after a story, with a mock instance. */
class FaultsTests {

	private final SaleInstance instance = mock(SaleInstance.class);

	private final Sales sales = mock(Sales.class);

	private final CompletableFuture<String> next = new CompletableFuture<>();

	private final SaleBoard board = new SaleBoard() {

		@Override
		synchronized void story(StoryView told) {
			super.story(told);
			if (told.done() && !FaultsTests.this.next.isDone()) {
				FaultsTests.this.next.complete(told.steps().get(told.steps().size() - 1).text() + ": " + startNext());
			}
		}

	};

	private final Faults faults = new Faults(this.board, this.sales,
			new StaticListableBeanFactory().getBeanProvider(RedisServer.class));

	FaultsTests() {
		given(this.instance.number()).willReturn(1);
		given(this.sales.disturb(1)).willReturn(Optional.of(this.instance));
	}

	/** It was refused at times: the last sentence came before all was tidied up. */
	@Test
	void startWhenTheStoryBeforeHasEndedIsNotRefused() throws Exception {
		willAnswer((call) -> {
			report(Kind.HOLDING, 1);
			report(Kind.ACQUIRED, 2);
			report(Kind.RELEASED, 2);
			return null;
		}).given(this.instance).hold();
		this.faults.start(Fault.KILL, 1);
		assertThat(this.next.get()).endsWith("nothing had to be cleaned up: begun");
	}

	@Test
	void startWhenTheStoryBeforeWasBrokenOffIsNotRefused() throws Exception {
		willThrow(new IOException("gone")).given(this.instance).hold();
		this.faults.start(Fault.FREEZE, 1);
		assertThat(this.next.get()).isEqualTo("The fault was broken off: the sale may have ended: begun");
	}

	private String startNext() {
		try {
			this.faults.start(Fault.FREEZE, 1);
			return "begun";
		}
		catch (FaultRefusedException ex) {
			return String.valueOf(ex.getMessage());
		}
	}

	private void report(Kind kind, long token) {
		this.board.onReport(1, new Report(1, new Tally(0, 0, 0), List.of(new InstanceEvent(kind, 1, token, 1, ""))));
	}

}
