package io.distributedlock.interceptor.expression;

/**
 * What to write instead of an expression that cannot work. To quote all of it is only
 * advice for a plain literal: of anything else it would make one lock for all calls.
 */
final class LockExpressionHints {

	private static final String SYNTAX = "#'\"@{}+<>=!()";

	private final String text;

	private final ParameterNames names;

	LockExpressionHints(String text, ParameterNames names) {
		this.text = text;
		this.names = names;
	}

	/** A name stands where a parameter or a literal is meant. */
	String forName(String name) {
		if (this.names.indexOf(name) != null) {
			return "Refer to the parameter as #%s".formatted(name);
		}
		return forKey();
	}

	String forKey() {
		if (isPlain()) {
			return "Refer to a parameter as in \"%s\"; if a literal is meant, quote it: \"'%s'\"".formatted(example(),
					this.text);
		}
		return "Quote only what is literal, refer to parameters with #, and join both with +, as in \"'order:' + %s\""
			.formatted(example());
	}

	String forCondition() {
		return "Write a SpEL expression that is true or false, as in \"%s != null\"".formatted(example());
	}

	String forParameter() {
		return this.names.isEmpty() ? "The method has no parameters: use #root.target or a bean"
				: "Use one of " + this.names.variables();
	}

	private boolean isPlain() {
		return this.text.chars().noneMatch((c) -> SYNTAX.indexOf(c) >= 0);
	}

	private String example() {
		return this.names.isEmpty() ? "#order.id" : this.names.variables().get(0);
	}

}
