package io.distributedlock.sample.sale;

/** Watches the sale. Called on threads of the sale, which it must not hold up. */
public interface SaleObserver {

	/**
	 * The instances of a run are being started.
	 * @param sale the options
	 * @param lock {@code true} if purchases are locked
	 */
	void onStart(FlashSaleProperties sale, boolean lock);

	/** The buyers have begun to buy. */
	void onSelling();

	/**
	 * An instance has reported.
	 * @param instance its number
	 * @param report the report
	 */
	void onReport(int instance, Report report);

	/**
	 * A run has ended.
	 * @param result the result
	 */
	void onEnd(SaleResult result);

	/**
	 * A run has failed.
	 * @param reason the reason
	 */
	void onFailure(String reason);

}
