package io.distributedlock.migration;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.Statement;
import org.openrewrite.java.tree.TypeUtils;

/** Key expressions of Spring's expression language, treated as texts. */
final class Spel {

	/** An operand that can stand beside a plus sign without parentheses. */
	private static final Pattern OPERAND = Pattern.compile("#[\\w.]+(?:\\(\\))?|'[^']*'");

	private static final Pattern TEXT = Pattern.compile("'[^']*'");

	/** Parts in which a plain name does not mean a property of the root object. */
	private static final Pattern NAMES_OF_THEIR_OWN = Pattern
		.compile("'[^']*'|\\bT\\([^)]*\\)|[!?^$]\\[[^]]*]|\\bnew\\s+[\\w.]+");

	private static final Pattern WORD = Pattern.compile("(?<![\\w#@.$])[A-Za-z_]\\w*");

	private static final List<String> OPERATORS = List.of("T", "true", "false", "null", "and", "or", "not", "eq", "ne",
			"lt", "le", "gt", "ge", "div", "mod", "instanceof", "matches", "between");

	private Spel() {
	}

	/** Return an expression that yields a text. */
	static String literal(String text) {
		return "'" + text.replace("'", "''") + "'";
	}

	static String parenthesized(String expression) {
		return OPERAND.matcher(expression.strip()).matches() ? expression.strip() : "(" + expression.strip() + ")";
	}

	/**
	 * Join expressions to one that yields a text: several ones of
	 * {@code @DistributedLock} would be several keys.
	 */
	static String join(List<String> expressions, String separator) {
		return expressions.stream()
			.map(Spel::parenthesized)
			.collect(Collectors.joining(" + " + literal(separator) + " + "));
	}

	/**
	 * Make one key of an argument that is a collection or an array, which
	 * {@code @DistributedLock} would take as several keys.
	 */
	static String asOneKey(String expression, J.MethodDeclaration method) {
		List<Statement> parameters = method.getParameters();
		for (int i = 0; i < parameters.size(); i++) {
			if (parameters.get(i) instanceof J.VariableDeclarations parameter && parameter.getType() != null
					&& List.of("#" + parameter.getVariables().get(0).getSimpleName(), "#p" + i, "#a" + i)
						.contains(expression.strip())) {
				return asText(expression.strip(), parameter.getType());
			}
		}
		return expression;
	}

	private static String asText(String expression, JavaType type) {
		if (type instanceof JavaType.Array) {
			return "T(java.util.Arrays).toString(" + expression + ")";
		}
		return TypeUtils.isAssignableTo("java.util.Collection", type) ? "'' + " + expression : expression;
	}

	/**
	 * Return whether a plain name stands where a property of the root object would: other
	 * libraries have other root objects.
	 */
	static boolean usesRoot(String expression) {
		Matcher word = WORD.matcher(NAMES_OF_THEIR_OWN.matcher(expression).replaceAll(" "));
		return word.results().anyMatch((found) -> !OPERATORS.contains(found.group()));
	}

	/**
	 * Turn a text with expressions, <code>order-#{#id}</code>, into one expression.
	 * @return the expression, or {@code null} if a brace is missing
	 */
	static @Nullable String ofTemplate(String template) {
		List<String> operands = new ArrayList<>();
		int end = 0;
		for (int begin = template.indexOf("#{"); begin >= 0; begin = template.indexOf("#{", end)) {
			addLiteral(operands, template.substring(end, begin));
			end = endOfExpression(template, begin + 2);
			if (end < 0) {
				return null;
			}
			operands.add(parenthesized(template.substring(begin + 2, end - 1)));
		}
		addLiteral(operands, template.substring(end));
		return (operands.size() == 1) ? operands.get(0) : sum(operands);
	}

	private static void addLiteral(List<String> operands, String text) {
		if (!text.isEmpty()) {
			operands.add(literal(text));
		}
	}

	/** Two numbers would be added up if no text came first. */
	private static String sum(List<String> operands) {
		String first = TEXT.matcher(operands.get(0)).matches() ? "" : "'' + ";
		return first + String.join(" + ", operands);
	}

	/** Return the place behind the brace, or a negative number if there is none. */
	private static int endOfExpression(String template, int begin) {
		int depth = 1;
		boolean quoted = false;
		for (int i = begin; i < template.length(); i++) {
			char letter = template.charAt(i);
			quoted ^= letter == '\'';
			if (!quoted && letter == '{') {
				depth++;
			}
			if (!quoted && letter == '}' && --depth == 0) {
				return i + 1;
			}
		}
		return -1;
	}

}
