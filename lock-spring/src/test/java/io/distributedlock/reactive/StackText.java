package io.distributedlock.reactive;

import java.io.PrintWriter;
import java.io.StringWriter;

/** The stack of a failure as text. */
final class StackText {

	private StackText() {
	}

	static String of(Throwable failure) {
		StringWriter text = new StringWriter();
		failure.printStackTrace(new PrintWriter(text));
		return Thread.currentThread().getName() + ": " + text;
	}

}
