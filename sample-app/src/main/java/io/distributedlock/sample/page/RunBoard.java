package io.distributedlock.sample.page;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.distributedlock.sample.page.BoardView.Figures;
import io.distributedlock.sample.page.BoardView.HandOffs;
import io.distributedlock.sample.page.BoardView.InstanceView;
import io.distributedlock.sample.page.BoardView.RunView;
import io.distributedlock.sample.sale.FlashSaleProperties;
import io.distributedlock.sample.sale.InstanceEvent;
import io.distributedlock.sample.sale.Report;
import io.distributedlock.sample.sale.SaleResult;
import io.distributedlock.sample.sale.Tally;

/** State of a run. Guarded by the monitor of its {@link SaleBoard}. */
final class RunBoard {

	private final FlashSaleProperties sale;

	private final long begunAtNanos = System.nanoTime();

	private final Map<Integer, InstanceView> instances = new TreeMap<>();

	private long sellingAtNanos = this.begunAtNanos;

	private String state = "starting";

	private String failure = "";

	private Figures figures;

	private HandOffs handOffs = HandOffs.NONE;

	private long millis;

	private boolean earlier;

	RunBoard(FlashSaleProperties sale) {
		this.sale = sale;
		this.figures = new Figures(sale.stock(), 0, 0, 0, "0");
		for (int number = 1; number <= sale.instances(); number++) {
			this.instances.put(number, new InstanceView(number, "starting", 0, 0, 0, 0));
		}
	}

	void selling() {
		this.state = "selling";
		this.sellingAtNanos = System.nanoTime();
		this.instances.keySet().forEach((number) -> state(number, "selling"));
	}

	void report(int number, Report report) {
		Tally tally = report.tally();
		report.events().forEach(this::count);
		this.instances.computeIfPresent(number, (key, view) -> new InstanceView(number, view.state(), report.shopping(),
				tally.sold(), tally.soldOut(), tally.failed()));
	}

	private void count(InstanceEvent event) {
		if (event.kind() == InstanceEvent.Kind.ACQUIRED) {
			this.handOffs = this.handOffs.plus(event.text());
		}
		else if (event.kind() == InstanceEvent.Kind.LOST) {
			this.handOffs = this.handOffs.plusLost();
		}
	}

	/**
	 * Count the loss: an instance that is killed while it holds the lock does not report
	 * it.
	 */
	void killed(int number) {
		state(number, "killed");
		this.handOffs = this.handOffs.plusLost();
	}

	void state(int number, String state) {
		this.instances.computeIfPresent(number, (key, view) -> new InstanceView(number, state,
				"killed".equals(state) ? 0 : view.shopping(), view.sold(), view.soldOut(), view.failed()));
	}

	void figures(Figures figures) {
		this.figures = figures;
		this.millis = (System.nanoTime() - this.sellingAtNanos) / 1_000_000;
	}

	void end(SaleResult result) {
		this.state = "done";
		this.figures = new Figures(result.stock(), result.orders(), result.oversold(), result.duplicateIds(),
				String.valueOf(result.fence()));
		this.millis = result.millis();
		this.instances.keySet().stream().toList().forEach(this::ended);
	}

	private void ended(int number) {
		this.instances.computeIfPresent(number, (key, view) -> new InstanceView(number,
				"killed".equals(view.state()) ? "killed" : "done", 0, view.sold(), view.soldOut(), view.failed()));
	}

	void fail(String reason) {
		this.state = "failed";
		this.failure = reason.lines().findFirst().orElse("");
	}

	/**
	 * Mark this run as earlier: another sale was started, which has no run on this side.
	 */
	void outdated() {
		this.earlier = true;
	}

	boolean isSelling() {
		return "selling".equals(this.state);
	}

	FlashSaleProperties sale() {
		return this.sale;
	}

	RunView view() {
		long shown = "starting".equals(this.state) ? (System.nanoTime() - this.begunAtNanos) / 1_000_000 : this.millis;
		return new RunView(this.state, this.earlier, this.sale.locks(), this.sale.buyers(), this.sale.stock(),
				this.sale.pace().toMillis(), this.figures, this.handOffs, shown, this.failure,
				List.copyOf(this.instances.values()));
	}

}
