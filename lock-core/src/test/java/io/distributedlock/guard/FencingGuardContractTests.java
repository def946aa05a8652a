package io.distributedlock.guard;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** The promises of every guard. */
public abstract class FencingGuardContractTests {

	private static final int WRITERS = 8;

	/** Write a number to a guarded resource. */
	protected abstract void write(String resource, long token, long value);

	/** Read it back. */
	protected abstract @Nullable Long read(String resource);

	@Test
	void writeWhenItIsTheFirstIsAccepted() {
		write("stock", 7, 1);
		assertThat(read("stock")).isEqualTo(1);
	}

	@Test
	void writeWhenTokenIsOlderIsRefusedAndChangesNothing() {
		write("stock", 7, 1);
		assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> write("stock", 6, 2))
			.withMessageContaining("'stock' refuses the fencing token 6")
			.satisfies((ex) -> {
				assertThat(ex.getResource()).isEqualTo("stock");
				assertThat(ex.getToken()).isEqualTo(6);
				assertThat(ex.getHighest()).hasValue(7);
			});
		assertThat(read("stock")).isEqualTo(1);
	}

	@Test
	void writeWhenTokenIsEqualIsAccepted() {
		write("stock", 7, 1);
		write("stock", 7, 2);
		assertThat(read("stock")).isEqualTo(2);
	}

	@Test
	void writeWhenTokenIsNewerIsAcceptedAndOlderOnesAreRefused() {
		write("stock", 7, 1);
		write("stock", 9, 2);
		assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> write("stock", 8, 3));
		assertThat(read("stock")).isEqualTo(2);
	}

	@Test
	void writeWhenTokenIsAsLargeAsTheyGetIsComparedExactly() {
		long largest = (1L << 53) - 1;
		write("stock", largest - 1, 1);
		write("stock", largest, 2);
		assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> write("stock", largest - 1, 3));
	}

	@Test
	void resourcesWhenDifferentHaveFencesOfTheirOwn() {
		write("stock", 7, 1);
		write("prices", 6, 2);
		assertThat(read("prices")).isEqualTo(2);
	}

	@ParameterizedTest
	@ValueSource(longs = { 0, -1 })
	void writeWhenTokenIsNoneIsRefused(long token) {
		assertThatIllegalArgumentException().isThrownBy(() -> write("stock", token, 1))
			.withMessageContaining("not the token of a lock");
	}

	@Test
	void resourceWhenBlankIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> write(" ", 1, 1));
	}

	@Test
	void writersWhenTheyMeetOnANewResourceNeverRefuseTheNewest() throws Exception {
		for (int round = 0; round < 50; round++) {
			String resource = "new-" + round;
			race((writer) -> write(resource, writer, writer));
			assertThat(read(resource)).isEqualTo(WRITERS);
		}
	}

	@Test
	void writersWhenConcurrentNeverGoBack() throws Exception {
		write("stock", 1, 0);
		race((writer) -> {
			long last = 0;
			for (int i = 0; i < 50; i++) {
				tryWrite("stock", i * WRITERS + writer);
				long seen = read("stock");
				assertThat(seen).isGreaterThanOrEqualTo(last);
				last = seen;
			}
		});
		assertThat(read("stock")).isEqualTo(50 * WRITERS);
	}

	private void tryWrite(String resource, long token) {
		try {
			write(resource, token, token);
		}
		catch (StaleTokenException ex) {
			assertThat(read(resource)).isGreaterThan(token);
		}
	}

	/** Writers from 1 to n, of which only the last may not be refused. */
	private void race(Writer writer) throws Exception {
		CyclicBarrier start = new CyclicBarrier(WRITERS);
		ExecutorService executor = Executors.newFixedThreadPool(WRITERS);
		try {
			List<Future<?>> writers = new ArrayList<>();
			for (int i = 1; i <= WRITERS; i++) {
				int number = i;
				writers.add(executor.submit(() -> {
					start.await();
					writeUnlessStale(writer, number);
					return null;
				}));
			}
			for (Future<?> future : writers) {
				future.get();
			}
		}
		finally {
			executor.shutdownNow();
		}
	}

	private static void writeUnlessStale(Writer writer, int number) {
		try {
			writer.run(number);
		}
		catch (StaleTokenException ex) {
			assertThat(number).isLessThan(WRITERS);
		}
	}

	private interface Writer {

		void run(int number);

	}

}
