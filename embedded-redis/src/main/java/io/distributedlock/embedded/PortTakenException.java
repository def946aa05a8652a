package io.distributedlock.embedded;

/**
 * Another process took the port between choosing and binding it.
 */
final class PortTakenException extends IllegalStateException {

	PortTakenException(String message) {
		super(message);
	}

}
