package io.distributedlock.sample.sale;

/** Lines that the main process and an instance send to each other. */
final class Protocol {

	/** Instance to main process: waiting for {@link #GO}. */
	static final String READY = "flash-sale-instance ready";

	/** Main process to instance: let the buyers begin. */
	static final String GO = "go";

	/** Main process to instance: stop the next buyer who pays, and report it. */
	static final String HOLD = "hold";

	/** Main process to instance: let the stopped buyer go on. */
	static final String PROCEED = "proceed";

	/** Instance to main process, followed by a {@link Report} in JSON. */
	static final String REPORT = "flash-sale-instance report ";

	/** Instance to main process, followed by a {@link Tally}: all buyers are served. */
	static final String TALLY = "flash-sale-instance tally ";

	private Protocol() {
	}

}
