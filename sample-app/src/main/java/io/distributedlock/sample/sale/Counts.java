package io.distributedlock.sample.sale;

import java.util.concurrent.atomic.AtomicInteger;

import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/** Counts the buyers of an instance. */
@Component
@Profile("instance")
class Counts {

	final AtomicInteger shopping = new AtomicInteger();

	final AtomicInteger sold = new AtomicInteger();

	final AtomicInteger soldOut = new AtomicInteger();

	final AtomicInteger failed = new AtomicInteger();

	int shopping() {
		return this.shopping.get();
	}

	Tally tally() {
		return new Tally(this.sold.get(), this.soldOut.get(), this.failed.get());
	}

}
