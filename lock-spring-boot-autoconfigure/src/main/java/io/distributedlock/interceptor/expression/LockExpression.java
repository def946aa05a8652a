package io.distributedlock.interceptor.expression;

import java.util.Map;

import io.distributedlock.LockKeyException;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.BeanResolver;
import org.springframework.expression.Expression;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * An expression of a guarded method, parsed and checked once, evaluated for each call.
 */
public final class LockExpression {

	private final String text;

	private final Expression expression;

	private final Map<String, Integer> variables;

	private final BeanResolver beans;

	/**
	 * Create an expression.
	 * @param text what was written
	 * @param expression what was parsed
	 * @param variables the variables that it uses, with the index of the argument
	 * @param beans where {@code @bean} comes from
	 */
	LockExpression(String text, Expression expression, Map<String, Integer> variables, BeanResolver beans) {
		this.text = text;
		this.expression = expression;
		this.variables = variables;
		this.beans = beans;
	}

	/**
	 * What was written.
	 * @return the text, placeholders resolved
	 */
	public String text() {
		return this.text;
	}

	/**
	 * Whether it reads an argument by name or position.
	 * @param argument the index of the argument
	 * @return {@code false} also where it reads all arguments of the root
	 */
	public boolean uses(int argument) {
		return this.variables.containsValue(argument);
	}

	/** The key that every call yields, or {@code null} where that is up to the call. */
	@Nullable String literal() {
		boolean literal = this.expression instanceof SpelExpression parsed && parsed.getAST() instanceof Literal;
		return literal ? String.valueOf(this.expression.getValue()) : null;
	}

	/** What it yields as a key or as keys, no part of which is a trap as a text. */
	@Nullable Object evaluateKey(LockCallRoot root) {
		StandardEvaluationContext context = new StandardEvaluationContext(root);
		context.setTypeConverter(new KeyTextConverter((problem) -> failure(root, problem, null)));
		return evaluate(context, root);
	}

	private @Nullable Object evaluate(StandardEvaluationContext context, LockCallRoot root) {
		context.setBeanResolver(this.beans);
		this.variables.forEach((name, index) -> context.setVariable(name, root.getArgs()[index]));
		try {
			return this.expression.getValue(context);
		}
		catch (LockKeyException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			throw failure(root, "failed: " + ex.getMessage(), ex);
		}
	}

	/**
	 * Evaluate a condition.
	 * @param root the call
	 * @return what it yields
	 * @throws LockKeyException if that is neither true nor false
	 */
	public boolean isTrue(LockCallRoot root) {
		Object value = evaluate(new StandardEvaluationContext(root), root);
		if (value instanceof Boolean decided) {
			return decided;
		}
		throw failure(root,
				"must be true or false but is " + ((value != null) ? "a " + value.getClass().getTypeName() : null),
				null);
	}

	/**
	 * Make the exception for a call that cannot be locked.
	 * @param root the call
	 * @param problem what is wrong, as the rest of a sentence
	 * @param cause what was thrown below
	 * @return the exception
	 */
	public LockKeyException failure(LockCallRoot root, String problem, @Nullable Throwable cause) {
		return new LockKeyException(MethodNames.of(root.getTargetClass(), root.getMethod()), this.text, problem, cause);
	}

}
