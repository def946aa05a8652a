package io.distributedlock.store;

import java.time.Duration;

import io.distributedlock.Patience;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Checks every 10 ms, and at once, the condition that a test waits for, unless the test
 * says otherwise: Awaitility's own tenth of a second would be most of the time of the
 * suite. Registered for all tests of the module.
 */
public final class FrequentPolling implements BeforeAllCallback {

	@Override
	public void beforeAll(ExtensionContext context) {
		Awaitility.setDefaultPollDelay(Duration.ZERO);
		Awaitility.setDefaultPollInterval(Duration.ofMillis(10));
		Awaitility.setDefaultTimeout(Patience.CEILING);
	}

}
