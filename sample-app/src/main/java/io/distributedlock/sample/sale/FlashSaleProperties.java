package io.distributedlock.sample.sale;

import java.time.Duration;

import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Positive;
import jakarta.validation.constraints.PositiveOrZero;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * The options of the flash sale.
 *
 * @param run whether the sale runs when the application has started
 * @param instances how many processes sell
 * @param threads how many buyers of one instance buy at the same time
 * @param buyers how many purchases are tried in all
 * @param stock how many pieces there are
 * @param item what is sold
 * @param locks where the locks are kept
 * @param pace how long a payment takes, for slow motion
 * @param patience how long a buyer waits for the lock
 * @param timeout how long one run may take in all
 */
@Validated
@ConfigurationProperties("flash-sale")
public record FlashSaleProperties(@DefaultValue("true") boolean run, @DefaultValue("2") @Positive int instances,
		@DefaultValue("16") @Positive int threads, @DefaultValue("2000") @PositiveOrZero int buyers,
		@DefaultValue("500") @PositiveOrZero int stock, @DefaultValue("ticket") @NotBlank String item,
		@DefaultValue("in-redis") Locks locks, @DefaultValue("0s") Duration pace, @DefaultValue("5m") Duration patience,
		@DefaultValue("10m") Duration timeout) {

	/** The number of buyers of one instance; the first instances take the remainder. */
	int buyersOf(int instance) {
		return this.buyers / this.instances + ((instance < this.buyers % this.instances) ? 1 : 0);
	}

}
