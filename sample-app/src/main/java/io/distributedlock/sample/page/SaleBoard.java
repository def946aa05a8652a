package io.distributedlock.sample.page;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import io.distributedlock.embedded.PostgresServer;
import io.distributedlock.sample.page.BoardView.EventView;
import io.distributedlock.sample.page.BoardView.Figures;
import io.distributedlock.sample.page.BoardView.RunView;
import io.distributedlock.sample.page.BoardView.StoryView;
import io.distributedlock.sample.sale.FlashSaleProperties;
import io.distributedlock.sample.sale.Report;
import io.distributedlock.sample.sale.SaleObserver;
import io.distributedlock.sample.sale.SaleResult;
import org.jspecify.annotations.Nullable;

import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/**
 * Everything that the page shows, gathered from the sale and from the faults.
 * Thread-safe.
 */
@Component
@Profile("!instance")
class SaleBoard implements SaleObserver {

	/** Number of past events that a new browser gets. */
	private static final int REMEMBERED = 600;

	private static final boolean POSTGRES = PostgresServer.isAvailable();

	private final Deque<EventView> recent = new ArrayDeque<>();

	private final List<EventView> news = new ArrayList<>();

	private final List<Tap> taps = new CopyOnWriteArrayList<>();

	private @Nullable RunBoard without;

	private @Nullable RunBoard with;

	private @Nullable RunBoard current;

	private List<StoryView> story = List.of();

	private long version;

	@Override
	public synchronized void onStart(FlashSaleProperties sale, boolean lock) {
		RunBoard run = new RunBoard(sale);
		this.current = run;
		if (lock) {
			this.with = run;
			this.story = List.of();
			if (this.without != null && this.without.sale() != sale) {
				this.without.outdated();
			}
		}
		else {
			this.without = run;
			this.with = null;
		}
		this.version++;
	}

	@Override
	public synchronized void onSelling() {
		change(RunBoard::selling);
	}

	@Override
	public synchronized void onReport(int instance, Report report) {
		boolean lock = this.current == this.with;
		change((run) -> run.report(instance, report));
		List<EventView> events = report.events().stream().map((event) -> EventView.of(lock, instance, event)).toList();
		this.news.addAll(events);
		this.taps.forEach((tap) -> tap.add(events));
	}

	@Override
	public synchronized void onEnd(SaleResult result) {
		change((run) -> run.end(result));
	}

	@Override
	public synchronized void onFailure(String reason) {
		change((run) -> run.fail(reason));
	}

	synchronized void figures(Figures figures) {
		change((run) -> {
			if (run.isSelling()) {
				run.figures(figures);
			}
		});
	}

	synchronized void state(int instance, String state) {
		change((run) -> run.state(instance, state));
	}

	synchronized void killed(int instance) {
		change((run) -> run.killed(instance));
	}

	synchronized void story(StoryView told) {
		this.story = List.of(told);
		this.version++;
	}

	private void change(Consumer<RunBoard> change) {
		if (this.current != null) {
			change.accept(this.current);
			this.version++;
		}
	}

	/** Receive all events from now on, until the tap is closed. */
	Tap tap() {
		Tap tap = new Tap(this.taps::remove);
		this.taps.add(tap);
		return tap;
	}

	/** The options of the run in which buyers buy now. */
	synchronized Optional<FlashSaleProperties> selling() {
		return (this.current != null && this.current.isSelling()) ? Optional.of(this.current.sale()) : Optional.empty();
	}

	synchronized long version() {
		return this.version;
	}

	/** Return the content for a new browser. */
	synchronized BoardView everything(boolean busy, boolean redis) {
		return view(busy, redis, List.copyOf(this.recent));
	}

	/** Return the next content for all browsers, with the events since the last one. */
	synchronized BoardView news(boolean busy, boolean redis) {
		List<EventView> events = List.copyOf(this.news);
		this.news.clear();
		this.recent.addAll(events);
		while (this.recent.size() > REMEMBERED) {
			this.recent.remove();
		}
		return view(busy, redis, events);
	}

	private BoardView view(boolean busy, boolean redis, List<EventView> events) {
		return new BoardView(busy, redis, POSTGRES, view(this.without), view(this.with), events, this.story);
	}

	private static RunView view(@Nullable RunBoard run) {
		return (run != null) ? run.view() : RunView.none();
	}

}
