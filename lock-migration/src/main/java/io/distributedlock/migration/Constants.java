package io.distributedlock.migration;

import org.jspecify.annotations.Nullable;
import org.openrewrite.Tree;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.Space;
import org.openrewrite.marker.Markers;

/** Constant expressions of a source, where their value can be seen in it. */
final class Constants {

	private Constants() {
	}

	/**
	 * Return the text that an expression is.
	 * @return the text, or {@code null} if it has a part that is no literal
	 */
	static @Nullable String text(@Nullable Expression expression) {
		if (expression instanceof J.Literal literal && literal.getValue() instanceof String text) {
			return text;
		}
		if (expression instanceof J.Parentheses<?> parentheses && parentheses.getTree() instanceof Expression inner) {
			return text(inner);
		}
		if (expression instanceof J.Binary sum && sum.getOperator() == J.Binary.Type.Addition) {
			String left = text(sum.getLeft());
			String right = text(sum.getRight());
			return (left == null || right == null) ? null : left + right;
		}
		return null;
	}

	/**
	 * Return the number that an expression is.
	 * @return the number, or {@code null} if it has a part that is no literal
	 */
	static @Nullable Long number(@Nullable Expression expression) {
		if (expression instanceof J.Literal literal && literal.getValue() instanceof Number number) {
			return number.longValue();
		}
		if (expression instanceof J.Parentheses<?> parentheses && parentheses.getTree() instanceof Expression inner) {
			return number(inner);
		}
		if (expression instanceof J.Unary unary && unary.getOperator() == J.Unary.Type.Negative) {
			Long number = number(unary.getExpression());
			return (number == null) ? null : Long.valueOf(-number);
		}
		return (expression instanceof J.Binary product) ? product(product) : null;
	}

	private static @Nullable Long product(J.Binary product) {
		Long left = number(product.getLeft());
		Long right = number(product.getRight());
		if (left == null || right == null || product.getOperator() != J.Binary.Type.Multiplication) {
			return null;
		}
		return left * right;
	}

	/** Return the simple name of a field, such as the constant of an enum. */
	static @Nullable String name(@Nullable Expression expression) {
		if (expression instanceof J.FieldAccess access) {
			return access.getSimpleName();
		}
		return (expression instanceof J.Identifier identifier) ? identifier.getSimpleName() : null;
	}

	/** Return the simple name of the type that a class literal has. */
	static @Nullable String typeName(Expression expression) {
		return (expression instanceof J.FieldAccess access) ? name(access.getTarget()) : null;
	}

	/** Return a literal of Java. */
	static J.Literal literal(String text) {
		String source = text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n").replace("\t", "\\t");
		return new J.Literal(Tree.randomId(), Space.EMPTY, Markers.EMPTY, text, '"' + source + '"', null,
				JavaType.Primitive.String);
	}

}
