package io.distributedlock.test.store;

import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.opentest4j.TestAbortedException;

/**
 * The part of keys and identities by which this JVM differs from earlier ones, so that a
 * run on a server that keeps its data meets no lock or ended request of theirs. Random;
 * each failure names it, and the system property {@value #PROPERTY} sets it, to repeat a
 * run on an empty server. Immutable.
 */
final class ContractRun implements TestExecutionExceptionHandler {

	static final String PROPERTY = "lock.contract.run";

	private static final int DIGITS = 7;

	private static final Pattern VALID = Pattern.compile("[0-9a-f]{" + DIGITS + "}");

	/** The run of this JVM. */
	static final ContractRun THIS = of(System.getProperty(PROPERTY));

	private final String digits;

	ContractRun() {
		this(THIS.digits);
	}

	private ContractRun(String digits) {
		this.digits = digits;
	}

	/**
	 * Return a run.
	 * @param chosen its digits, or {@code null} for random ones
	 * @throws IllegalArgumentException if these are no digits of a run
	 */
	static ContractRun of(@Nullable String chosen) {
		if (chosen == null) {
			int random = ThreadLocalRandom.current().nextInt(1 << (4 * DIGITS));
			return new ContractRun(Integer.toHexString(random | (1 << (4 * DIGITS))).substring(1));
		}
		if (!VALID.matcher(chosen).matches()) {
			throw new IllegalArgumentException(PROPERTY + " has to be " + DIGITS + " digits of 0-9 and a-f: " + chosen);
		}
		return new ContractRun(chosen);
	}

	/** Return a text for keys that no other run uses. */
	String key(Class<?> suite, int number) {
		return suite.getSimpleName() + "-" + this.digits + "-" + number;
	}

	/**
	 * Return the bits of an instance that no other run uses.
	 * @param first its first hexadecimal digit
	 * @param number the rest, of 32 bits
	 */
	long instance(int first, long number) {
		return ((long) first << (64 - 4)) | (Long.parseLong(this.digits, 16) << Integer.SIZE) | (number & 0xFFFF_FFFFL);
	}

	/** Add this run to the stack trace of a failure. */
	@Override
	public void handleTestExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
		if (!(failure instanceof TestAbortedException)) {
			failure.addSuppressed(new Note(this));
		}
		throw failure;
	}

	/** Return the property that makes this run again. */
	@Override
	public String toString() {
		return "-D" + PROPERTY + "=" + this.digits;
	}

	/** Names the run; has no stack trace. */
	private static final class Note extends Exception {

		private static final long serialVersionUID = 1L;

		Note(ContractRun run) {
			super("Keys and identities of this run: " + run, null, false, false);
		}

	}

}
