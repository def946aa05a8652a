package io.distributedlock.interceptor.expression;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpDec;
import org.springframework.expression.spel.ast.OpInc;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;

/**
 * Looks through a parsed expression for names that cannot exist, most of all a literal
 * without quotes, and says what to write instead. Collects the variables on the way.
 */
final class LockExpressionCheck {

	private static final Set<String> ROOT_PROPERTIES = Set.of("method", "methodName", "target", "targetClass", "args",
			"class");

	private static final Set<String> ROOT_METHODS = Set.of("getMethod", "getMethodName", "getTarget", "getTargetClass",
			"getArgs", "getClass", "toString", "hashCode", "equals");

	private static final Set<String> PREDEFINED = Set.of("root", "this");

	private static final String SYNTAX = "#'\"@{}+<>=!()";

	private final String text;

	private final MethodParameters parameters;

	private final BeanFactory beanFactory;

	private final Map<String, Integer> variables = new HashMap<>();

	LockExpressionCheck(String text, MethodParameters parameters, BeanFactory beanFactory) {
		this.text = text;
		this.parameters = parameters;
		this.beanFactory = beanFactory;
	}

	Map<String, Integer> variables() {
		return this.variables;
	}

	/** Refuse the first name that cannot exist. */
	void check(SpelNode ast) {
		check(ast, true, true);
	}

	/**
	 * Look through a part of the expression.
	 * @param node where to look
	 * @param rootKnown whether a bare name refers to {@link LockCallRoot} here, and not
	 * to the element of a projection or selection
	 * @param bare whether the node stands alone or first in its chain
	 */
	private void check(SpelNode node, boolean rootKnown, boolean bare) {
		checkName(node, rootKnown && bare);
		boolean inElement = node instanceof Projection || node instanceof Selection;
		int step = (node instanceof InlineMap) ? 2 : 1;
		for (int i = step - 1; i < node.getChildCount(); i += step) {
			SpelNode child = node.getChild(i);
			boolean literal = node instanceof Indexer && child instanceof PropertyOrFieldReference;
			boolean chained = node instanceof CompoundExpression && i > 0;
			if (!literal) {
				check(child, rootKnown && !inElement, !chained);
			}
		}
	}

	private void checkName(SpelNode node, boolean onRoot) {
		if (node instanceof Assign || node instanceof OpInc || node instanceof OpDec) {
			throw refusal("%s assigns a value, which could change what the method is called with"
				.formatted(node.toStringAST()), "Compare with ==, and call a method for what has to change");
		}
		if (node instanceof VariableReference) {
			checkVariable(node.toStringAST().substring(1));
		}
		if (node instanceof FunctionReference) {
			throw refusal("%s is not known".formatted(node.toStringAST()),
					"There are no functions: call a method of an argument or a bean");
		}
		if (node instanceof BeanReference bean && !this.beanFactory.containsBean(bean.getName())) {
			throw refusal("there is no bean named '%s'".formatted(bean.getName()),
					"Correct the name, or declare the bean");
		}
		if (onRoot && node instanceof PropertyOrFieldReference property
				&& !ROOT_PROPERTIES.contains(property.getName())) {
			throw refusal("'%s' is neither quoted nor a parameter".formatted(property.getName()),
					remedyForName(property.getName()));
		}
		if (onRoot && node instanceof MethodReference method && !ROOT_METHODS.contains(method.getName())) {
			throw refusal("'%s(…)' is not a method of #root".formatted(method.getName()),
					"Call a method of #root.target, an argument or a bean");
		}
	}

	private void checkVariable(String variable) {
		Integer index = this.parameters.indexOf(variable);
		if (index != null) {
			this.variables.put(variable, index);
		}
		else if (!PREDEFINED.contains(variable) && !this.parameters.areDiscovered()) {
			throw refusal("the parameter #%s is not known, because the class was compiled without parameter names"
				.formatted(variable), "Compile the class with -parameters, or use the position: #p0, #p1");
		}
		else if (!PREDEFINED.contains(variable)) {
			throw refusal("there is no parameter #%s".formatted(variable), remedyForParameter());
		}
	}

	private String remedyForName(String name) {
		return (this.parameters.indexOf(name) != null) ? "Refer to the parameter as #%s".formatted(name)
				: remedyForKey();
	}

	private String remedyForParameter() {
		return this.parameters.isEmpty() ? "The method has no parameters: use #root.target or a bean"
				: "Use one of " + this.parameters.variables();
	}

	/** To quote anything but a plain literal would make one lock for all calls. */
	String remedyForKey() {
		if (this.text.chars().noneMatch((c) -> SYNTAX.indexOf(c) >= 0)) {
			return "Refer to a parameter as in \"%s\"; if a literal is meant, quote it: \"'%s'\"".formatted(example(),
					this.text);
		}
		return "Quote only what is literal, refer to parameters with #, and join both with +, as in \"'order:' + %s\""
			.formatted(example());
	}

	String remedyForCondition() {
		return "Write a SpEL expression that is true or false, as in \"%s != null\"".formatted(example());
	}

	private String example() {
		return this.parameters.isEmpty() ? "#order.id" : this.parameters.variables().get(0);
	}

	private InvalidAttributeException refusal(String problem, String remedy) {
		return new InvalidAttributeException("in its lock expression \"%s\" %s".formatted(this.text, problem), remedy);
	}

}
