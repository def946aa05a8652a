package io.distributedlock.interceptor.internal;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.NativeDetector;
import org.springframework.expression.spel.SpelCompilerMode;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Operator;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.util.StringUtils;

/**
 * Parses expressions, and refuses those with a parameter that does not exist or with a
 * literal that is not quoted. The other mistakes are found by the call.
 */
public final class LockExpressionParser {

	private static final Set<String> ROOT_PROPERTIES = Set.of("method", "methodName", "target", "targetClass", "args",
			"class");

	private static final Set<String> PREDEFINED = Set.of("root", "this");

	private final SpelExpressionParser parser;

	/** Caches reflection for all expressions, as the contexts of Spring's caches do. */
	private final StandardEvaluationContext shared = new StandardEvaluationContext();

	/**
	 * Create a parser.
	 * @param beanFactory the source of beans in expressions
	 * @param classLoader the class loader for compiled expressions
	 */
	public LockExpressionParser(BeanFactory beanFactory, @Nullable ClassLoader classLoader) {
		SpelCompilerMode mode = NativeDetector.inNativeImage() ? SpelCompilerMode.OFF : SpelCompilerMode.MIXED;
		this.parser = new SpelExpressionParser(new SpelParserConfiguration(mode, classLoader));
		this.shared.setBeanResolver(new BeanFactoryResolver(beanFactory));
	}

	/**
	 * Parse an expression.
	 * @param text the expression as written
	 * @param parameters the parameters of the method
	 * @return the expression
	 * @throws InvalidAttributeException if it could never work
	 */
	public LockExpression parse(String text, MethodParameters parameters) {
		if (!StringUtils.hasText(text)) {
			throw new InvalidAttributeException("it has an empty lock expression",
					"Write a SpEL expression, or leave the key out to lock the method itself");
		}
		SpelExpression expression = parse(text, remedy(text, parameters));
		Map<String, Integer> variables = new HashMap<>();
		String problem = problem(expression.getAST(), true, parameters, variables);
		if (problem != null) {
			throw new InvalidAttributeException("in its lock expression \"%s\" %s".formatted(text, problem),
					remedy(text, parameters));
		}
		return new LockExpression(text, expression, parameters, Map.copyOf(variables), this.shared);
	}

	/** Parse a text. SpEL may also fail otherwise: it runs out of tokens at "1e". */
	private SpelExpression parse(String text, String remedy) {
		try {
			return this.parser.parseRaw(text);
		}
		catch (RuntimeException | StackOverflowError ex) {
			throw new InvalidAttributeException(
					"its lock expression \"%s\" cannot be parsed: %s".formatted(text, ex.getMessage()), remedy, ex);
		}
	}

	/**
	 * Find the first name that cannot exist. Collects the variables on the way.
	 * @param node the node to search
	 * @param onRoot {@code true} if a bare name here is certainly a property of the root
	 */
	private static @Nullable String problem(SpelNode node, boolean onRoot, MethodParameters parameters,
			Map<String, Integer> variables) {
		String problem = null;
		if (node instanceof VariableReference) {
			problem = use(node.toStringAST().substring(1), parameters, variables);
		}
		else if (onRoot && node instanceof PropertyOrFieldReference property
				&& !ROOT_PROPERTIES.contains(property.getName())) {
			problem = "'%s' is neither quoted nor a parameter".formatted(property.getName());
		}
		for (int i = 0; i < node.getChildCount() && problem == null; i++) {
			boolean first = node instanceof Operator || (node instanceof CompoundExpression && i == 0);
			problem = problem(node.getChild(i), onRoot && first, parameters, variables);
		}
		return problem;
	}

	private static @Nullable String use(String variable, MethodParameters parameters, Map<String, Integer> variables) {
		Integer index = parameters.indexOf(variable);
		if (index != null) {
			variables.put(variable, index);
		}
		return (index != null || PREDEFINED.contains(variable)) ? null : "there is no parameter #%s%s".formatted(
				variable,
				parameters.areNamed() ? "" : ", or the class was compiled without parameter names (-parameters)");
	}

	/**
	 * The remedy for a mistake. Only a plain literal may be quoted: a quoted expression
	 * would be one lock for all calls.
	 */
	private static String remedy(String text, MethodParameters parameters) {
		List<String> variables = parameters.variables();
		boolean literal = text.chars().allMatch((c) -> Character.isLetterOrDigit(c) || "-_:. ".indexOf(c) >= 0);
		String named = parameters.areNamed() ? "Refer to a parameter"
				: "Compile with parameter names (javac -parameters, as Spring Boot's parent does), or refer to a parameter";
		return "%s; %s".formatted(
				variables.isEmpty() ? "The method has no parameters to refer to"
						: "%s as one of %s".formatted(named, variables),
				literal ? "if a literal is meant, quote it: \"'%s'\"".formatted(text)
						: "quote only what is literal, and join with +, as in \"'order:' + #p0\"");
	}

}
