package io.distributedlock.sample.sale;

import java.util.List;
import java.util.Locale;

/** The results of the runs, for humans. */
final class SaleTable {

	private SaleTable() {
	}

	static String of(List<SaleResult> results) {
		StringBuilder table = new StringBuilder();
		table.append(line("", "buyers", "orders", "stock", "oversold", "duplicate ids", "time"));
		results.forEach((result) -> table.append(row(result)));
		return table.toString();
	}

	private static String row(SaleResult result) {
		return line(result.lock() ? "with the lock" : "without a lock", result.buyers(), result.orders(),
				result.stock(), result.oversold(), result.duplicateIds(),
				String.format(Locale.ROOT, "%.1f s", result.millis() / 1000.0));
	}

	private static String line(Object... cells) {
		return String.format("%-15s %8s %8s %8s %9s %14s %9s%n", cells);
	}

}
