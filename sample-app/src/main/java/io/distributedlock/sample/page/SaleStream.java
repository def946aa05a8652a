package io.distributedlock.sample.page;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.sample.page.BoardView.Figures;
import io.distributedlock.sample.sale.FlashSaleProperties;
import io.distributedlock.sample.sale.SaleDatabases;
import io.distributedlock.sample.sale.Sales;
import io.distributedlock.sample.shop.Ledger;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.context.annotation.Profile;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * Sends the board to the browsers as server-sent events, ten times a second while
 * something happens. While no browser listens, the database is not asked.
 */
@Component
@Profile("!instance")
class SaleStream {

	private static final int PERIOD_MILLIS = 100;

	/** Longest silence; the message after it shows that the connection lives. */
	private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(10);

	private static final Log logger = LogFactory.getLog(SaleStream.class);

	private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor((task) -> {
		Thread thread = new Thread(task, "sale-stream");
		thread.setDaemon(true);
		return thread;
	});

	private final List<SseEmitter> browsers = new CopyOnWriteArrayList<>();

	private final SaleBoard board;

	private final Sales sales;

	private final SaleDatabases databases;

	private final boolean redis;

	private String sent = "";

	private long sentAtNanos;

	SaleStream(SaleBoard board, Sales sales, SaleDatabases databases, ObjectProvider<RedisServer> redis) {
		this.board = board;
		this.sales = sales;
		this.databases = databases;
		this.redis = redis.getIfAvailable() != null;
	}

	synchronized SseEmitter open() throws IOException {
		SseEmitter browser = new SseEmitter(0L);
		browser.onCompletion(() -> this.browsers.remove(browser));
		browser.onError((error) -> this.browsers.remove(browser));
		browser.send(this.board.everything(this.sales.isBusy(), this.redis));
		this.browsers.add(browser);
		return browser;
	}

	/** Start a timer, because each run of a scheduled task of Spring would be a trace. */
	@EventListener(ApplicationStartedEvent.class)
	void start() {
		this.timer.scheduleWithFixedDelay(this::tick, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
	}

	/**
	 * Log an exception, which would end the timer: the next tick may reach the database
	 * again.
	 */
	private void tick() {
		try {
			sendNews();
		}
		catch (RuntimeException ex) {
			logger.warn("The page was not told the news", ex);
		}
	}

	private synchronized void sendNews() {
		if (!this.browsers.isEmpty()) {
			this.board.selling().ifPresent((sale) -> this.board.figures(figures(sale)));
		}
		boolean busy = this.sales.isBusy();
		String state = busy + " " + this.board.version();
		BoardView news = this.board.news(busy, this.redis);
		if (!state.equals(this.sent) || System.nanoTime() - this.sentAtNanos > QUIET_NANOS) {
			this.sent = state;
			this.sentAtNanos = System.nanoTime();
			this.browsers.forEach((browser) -> send(browser, news));
		}
	}

	private Figures figures(FlashSaleProperties sale) {
		Ledger ledger = this.databases.ledger(sale);
		int orders = ledger.orders(sale.item());
		return new Figures(ledger.quantity(sale.item()), orders, Math.max(0, orders - sale.stock()),
				ledger.duplicateNumbers(sale.item()), String.valueOf(ledger.fence(sale.item())));
	}

	private void send(SseEmitter browser, BoardView view) {
		try {
			browser.send(view);
		}
		catch (IOException | IllegalStateException ex) {
			this.browsers.remove(browser);
		}
	}

	/** End all streams: an open one would delay the end of the server. */
	@EventListener(ContextClosedEvent.class)
	void close() {
		this.timer.shutdownNow();
		this.browsers.forEach(SseEmitter::complete);
	}

}
