package io.distributedlock.sample.sale;

/** What the main process and an instance say to each other, line by line. */
final class Protocol {

	/** Instance to main process: waiting for {@link #GO}. */
	static final String READY = "flash-sale-instance ready";

	/** Main process to instance: let the buyers loose. */
	static final String GO = "go";

	/** Instance to main process, followed by a {@link Tally}: all buyers are served. */
	static final String TALLY = "flash-sale-instance tally ";

	private Protocol() {
	}

}
