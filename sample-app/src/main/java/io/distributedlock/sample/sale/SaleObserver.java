package io.distributedlock.sample.sale;

/** Watches the sale. Called on threads of the sale, which it must not hold up. */
public interface SaleObserver {

	/**
	 * The instances of a run are being started.
	 * @param sale the options
	 * @param lock whether purchases are locked
	 */
	void onStart(FlashSaleProperties sale, boolean lock);

	/** The buyers were let loose. */
	void onSelling();

	/**
	 * An instance told what it does.
	 * @param instance its number
	 * @param report what it does
	 */
	void onReport(int instance, Report report);

	/**
	 * A run has ended.
	 * @param result what came of it
	 */
	void onEnd(SaleResult result);

	/**
	 * A run has failed.
	 * @param reason why
	 */
	void onFailure(String reason);

}
