package io.distributedlock.sample.shop;

/**
 * Takes the money for a purchase. It lies between reading the stock and writing it, as
 * slow things do in real applications.
 */
@FunctionalInterface
public interface Payment {

	/**
	 * Take the money. An exception rolls the purchase back.
	 * @param buyer the buyer
	 */
	void take(String buyer);

}
