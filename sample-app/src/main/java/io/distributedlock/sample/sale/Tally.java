package io.distributedlock.sample.sale;

import java.util.Arrays;

/**
 * Results of the buyers of one or more instances.
 *
 * @param sold how many got an order
 * @param soldOut how many found the item sold out
 * @param failed how many met an error
 */
public record Tally(int sold, int soldOut, int failed) {

	static final Tally NONE = new Tally(0, 0, 0);

	static Tally parse(String text) {
		int[] counts = Arrays.stream(text.split(" ")).mapToInt(Integer::parseInt).toArray();
		return new Tally(counts[0], counts[1], counts[2]);
	}

	String format() {
		return "%d %d %d".formatted(this.sold, this.soldOut, this.failed);
	}

	Tally plus(Tally other) {
		return new Tally(this.sold + other.sold, this.soldOut + other.soldOut, this.failed + other.failed);
	}

	int buyers() {
		return this.sold + this.soldOut + this.failed;
	}

}
