package io.distributedlock.interceptor;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.OpDivide;
import org.springframework.expression.spel.ast.OpMinus;
import org.springframework.expression.spel.ast.OpModulus;
import org.springframework.expression.spel.ast.OpMultiply;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.Selection;

/** What an expression is certain to yield, whatever the arguments are. */
final class LockExpressionResult {

	private LockExpressionResult() {
	}

	/** Half a sentence, or {@code null} if it may be a key. */
	static @Nullable String problemOfKey(SpelNode node) {
		if (!(node instanceof Literal literal)) {
			return null;
		}
		Object value = literal.getLiteralValue().getValue();
		if (value == null) {
			return "it yields a null key for each call";
		}
		return value.toString().isBlank() ? "it yields a blank key for each call" : null;
	}

	/**
	 * Half a sentence, or {@code null} if it may be true or false.
	 * @param node what was parsed
	 * @param type its type, where that is certain
	 */
	static @Nullable String problemOfCondition(SpelNode node, @Nullable Class<?> type) {
		if (node instanceof Literal literal && !(literal.getLiteralValue().getValue() instanceof Boolean)
				|| isNeverBoolean(node)) {
			return "it is neither true nor false";
		}
		if (type != null && type != boolean.class && !type.isAssignableFrom(Boolean.class)) {
			return "%s is a %s, which is neither true nor false".formatted(node.toStringAST(), type.getTypeName());
		}
		return null;
	}

	private static boolean isNeverBoolean(SpelNode node) {
		return node instanceof OpPlus || node instanceof OpMinus || node instanceof OpMultiply
				|| node instanceof OpDivide || node instanceof OpModulus || node instanceof InlineList
				|| node instanceof InlineMap || node instanceof Projection || node instanceof Selection;
	}

}
