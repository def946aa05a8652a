package io.distributedlock.interceptor;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;
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
 * Looks through a parsed expression for names that will never be there, most of all the
 * text that somebody forgot to quote. Remembers the variables on the way.
 */
final class LockExpressionCheck {

	private static final Set<String> ROOT_PROPERTIES = Set.of("method", "methodName", "target", "targetClass", "args",
			"class");

	private static final Set<String> ROOT_METHODS = Set.of("getMethod", "getMethodName", "getTarget", "getTargetClass",
			"getArgs", "getClass", "toString", "hashCode", "equals");

	private static final Set<String> PREDEFINED = Set.of("root", "this");

	private final LockExpressionHints hints;

	private final LockExpressionTypes types;

	private final ParameterNames names;

	private final BeanFactory beanFactory;

	private final Map<String, Integer> variables = new HashMap<>();

	LockExpressionCheck(LockExpressionHints hints, LockExpressionTypes types, ParameterNames names,
			BeanFactory beanFactory) {
		this.hints = hints;
		this.types = types;
		this.names = names;
		this.beanFactory = beanFactory;
	}

	Map<String, Integer> variables() {
		return this.variables;
	}

	@Nullable Problem problemOf(SpelNode node) {
		return problemOf(node, true, true);
	}

	/**
	 * Find the first problem.
	 * @param node where to look
	 * @param rootKnown whether a bare name refers to {@link LockCallRoot} here, and not
	 * to the element of a projection or selection
	 * @param bare whether the node stands alone or first in its chain
	 * @return half a sentence, or {@code null}
	 */
	private @Nullable Problem problemOf(SpelNode node, boolean rootKnown, boolean bare) {
		Problem problem = problemOfName(node, rootKnown && bare);
		if (problem == null && node instanceof CompoundExpression) {
			problem = problemOfProperties(node);
		}
		boolean inElement = node instanceof Projection || node instanceof Selection;
		int step = (node instanceof InlineMap) ? 2 : 1;
		for (int i = step - 1; problem == null && i < node.getChildCount(); i += step) {
			SpelNode child = node.getChild(i);
			boolean literal = node instanceof Indexer && child instanceof PropertyOrFieldReference;
			boolean chained = node instanceof CompoundExpression && i > 0;
			if (!literal) {
				problem = problemOf(child, rootKnown && !inElement, !chained);
			}
		}
		return problem;
	}

	private @Nullable Problem problemOfProperties(SpelNode chain) {
		try {
			this.types.typeOf(chain);
			return null;
		}
		catch (InvalidAttributeException ex) {
			return new Problem(String.valueOf(ex.getMessage()), ex.getRemedy());
		}
	}

	private @Nullable Problem problemOfName(SpelNode node, boolean onRoot) {
		if (node instanceof Assign || node instanceof OpInc || node instanceof OpDec) {
			return new Problem("%s assigns a value, which could change what the method is called with"
				.formatted(node.toStringAST()), "Compare with ==, and call a method for what has to change");
		}
		if (node instanceof VariableReference) {
			return problemOfVariable(node.toStringAST().substring(1));
		}
		if (node instanceof FunctionReference) {
			return new Problem("%s is not known".formatted(node.toStringAST()),
					"There are no functions: call a method of an argument or a bean");
		}
		if (node instanceof BeanReference bean && !this.beanFactory.containsBean(bean.getName())) {
			return new Problem("there is no bean named '%s'".formatted(bean.getName()),
					"Correct the name, or declare the bean");
		}
		if (onRoot && node instanceof PropertyOrFieldReference property
				&& !ROOT_PROPERTIES.contains(property.getName())) {
			return new Problem("'%s' is neither quoted nor a parameter".formatted(property.getName()),
					this.hints.forName(property.getName()));
		}
		if (onRoot && node instanceof MethodReference method && !ROOT_METHODS.contains(method.getName())) {
			return new Problem("'%s(…)' is not a method of #root".formatted(method.getName()),
					"Call a method of #root.target, an argument or a bean");
		}
		return null;
	}

	private @Nullable Problem problemOfVariable(String variable) {
		if (PREDEFINED.contains(variable)) {
			return null;
		}
		Integer index = this.names.indexOf(variable);
		if (index != null) {
			this.variables.put(variable, index);
			return null;
		}
		if (!this.names.areDiscovered()) {
			return new Problem("the parameter #%s is not known, because the class was compiled without parameter names"
				.formatted(variable), "Compile the class with -parameters, or use the position: #p0, #p1");
		}
		return new Problem("there is no parameter #%s".formatted(variable), this.hints.forParameter());
	}

	/**
	 * Why an expression will never work.
	 *
	 * @param text half a sentence
	 * @param remedy what to do about it
	 */
	record Problem(String text, String remedy) {
	}

}
