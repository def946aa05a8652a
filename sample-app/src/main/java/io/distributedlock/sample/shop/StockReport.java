package io.distributedlock.sample.shop;

import io.distributedlock.WhenUnavailable;
import io.distributedlock.annotation.DistributedLock;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.context.annotation.Profile;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Logs the stock once a minute. Each instance starts the job, one runs it. The lock is
 * kept for most of the period, and an instance that finds it taken skips the run. An
 * instance without Redis also skips it: the next run is soon enough.
 */
@Component
@EnableScheduling
@Profile("!instance")
class StockReport {

	private static final Log logger = LogFactory.getLog(StockReport.class);

	private final JdbcClient jdbc;

	StockReport(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	@Scheduled(fixedRateString = "${flash-sale.report-period:60s}",
			initialDelayString = "${flash-sale.report-delay:30s}")
	@DistributedLock(name = "stock-report", key = "'stock-report'", keepFor = "${flash-sale.report-keep-for:50s}",
			whenUnavailable = WhenUnavailable.SKIP)
	public void report() {
		logger.info("In stock: " + this.jdbc.sql("select item, quantity from stock order by item")
			.query((row, index) -> row.getInt("quantity") + " x " + row.getString("item"))
			.list());
	}

}
