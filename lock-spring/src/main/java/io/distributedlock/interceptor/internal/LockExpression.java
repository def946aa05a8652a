package io.distributedlock.interceptor.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.distributedlock.LockKeyException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.MethodExecutor;
import org.springframework.expression.MethodResolver;
import org.springframework.expression.TypeConverter;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeConverter;

/**
 * An expression of a guarded method, parsed and checked once, evaluated for each call.
 * Most keys are a literal or a lone parameter, which need no evaluation.
 */
public final class LockExpression {

	private static final TypeConverter KEY_CONVERTER = new KeyTextConverter();

	private final String text;

	private final SpelExpression expression;

	private final MethodParameters parameters;

	/** The variables that it uses, with the index of the argument. */
	private final Map<String, Integer> variables;

	/** Has the resolvers of properties, methods, types and beans. */
	private final StandardEvaluationContext shared;

	private final @Nullable Object constant;

	private final int argument;

	/** The resolver for the texts of values, then those of the shared context. */
	private final List<MethodResolver> keyMethods;

	LockExpression(String text, SpelExpression expression, MethodParameters parameters, Map<String, Integer> variables,
			StandardEvaluationContext shared) {
		this.text = text;
		this.expression = expression;
		this.parameters = parameters;
		this.variables = variables;
		this.shared = shared;
		this.keyMethods = new ArrayList<>(shared.getMethodResolvers());
		this.keyMethods.add(0, LockExpression::textOf);
		SpelNode ast = expression.getAST();
		this.constant = (ast instanceof Literal) ? expression.getValue() : null;
		boolean alone = ast instanceof VariableReference && variables.size() == 1;
		this.argument = alone ? variables.values().iterator().next() : -1;
	}

	/**
	 * The expression as written.
	 * @return the text, placeholders resolved
	 */
	public String text() {
		return this.text;
	}

	/**
	 * Return whether the expression reads an argument by name or position. Access by the
	 * arguments of the root does not count.
	 * @param argument the index of the argument
	 * @return {@code true} if it uses the argument
	 */
	public boolean uses(int argument) {
		return this.variables.containsValue(argument);
	}

	/**
	 * The keys that the expression yields for a call.
	 * @param target the bean
	 * @param arguments the arguments of the call
	 * @return at least one key
	 * @throws LockKeyException if the value cannot be a key
	 */
	public List<String> keys(Object target, @Nullable Object[] arguments) {
		Object value = (this.argument >= 0) ? arguments[this.argument] : this.constant;
		if (this.argument < 0 && value == null) {
			value = evaluate(target, arguments, true);
		}
		boolean plain = value instanceof String text && !text.isBlank() && text.indexOf('@') < 0;
		return plain ? List.of((String) value) : KeyValues.keysOf(value, this);
	}

	/**
	 * Evaluate a condition.
	 * @param target the bean
	 * @param arguments the arguments of the call
	 * @return {@code true} to take the lock
	 * @throws LockKeyException if the value is neither true nor false
	 */
	public boolean isTrue(Object target, @Nullable Object[] arguments) {
		Object value = evaluate(target, arguments, false);
		if (value instanceof Boolean decided) {
			return decided;
		}
		throw failure(
				"must be true or false but is " + ((value != null) ? "a " + value.getClass().getTypeName() : null),
				null);
	}

	private @Nullable Object evaluate(Object target, @Nullable Object[] arguments, boolean key) {
		StandardEvaluationContext context = context(this.parameters.root(target, arguments));
		if (key) {
			context.setTypeConverter(KEY_CONVERTER);
			context.setMethodResolvers(this.keyMethods);
		}
		try {
			return this.expression.getValue(context);
		}
		catch (RuntimeException ex) {
			throw failure(ex);
		}
	}

	/** The context of a call. Shares the resolvers: copies would double the garbage. */
	private StandardEvaluationContext context(LockCallRoot root) {
		StandardEvaluationContext context = new ReadOnlyContext(root);
		context.setPropertyAccessors(this.shared.getPropertyAccessors());
		context.setIndexAccessors(this.shared.getIndexAccessors());
		context.setMethodResolvers(this.shared.getMethodResolvers());
		context.setConstructorResolvers(this.shared.getConstructorResolvers());
		context.setTypeLocator(this.shared.getTypeLocator());
		context.setTypeConverter(this.shared.getTypeConverter());
		context.setBeanResolver(Objects.requireNonNull(this.shared.getBeanResolver()));
		this.variables.forEach((name, index) -> context.setVariable(name, root.getArgs()[index]));
		return context;
	}

	/** The exception for a failed evaluation. A refused key keeps its message. */
	LockKeyException failure(RuntimeException ex) {
		return (ex instanceof LockKeyException refused) ? refused : (ex instanceof KeyText.Refused)
				? failure(String.valueOf(ex.getMessage()), null) : failure("failed: " + ex.getMessage(), ex);
	}

	/**
	 * Make the exception for a call that cannot be locked.
	 * @param problem the predicate of a sentence about the expression
	 * @param cause the failure of the evaluation
	 * @return the exception
	 */
	public LockKeyException failure(String problem, @Nullable Throwable cause) {
		return new LockKeyException(this.parameters.method(), this.text, problem, cause);
	}

	/** A context without assignments, which could change the arguments of the method. */
	private static final class ReadOnlyContext extends StandardEvaluationContext {

		private ReadOnlyContext(LockCallRoot root) {
			super(root);
		}

		@Override
		public boolean isAssignmentEnabled() {
			return false;
		}

	}

	/** Makes {@code toString()} in a key expression return the same text as a key has. */
	private static @Nullable MethodExecutor textOf(EvaluationContext context, Object target, String name,
			List<TypeDescriptor> arguments) {
		return (name.equals("toString") && arguments.isEmpty() && KeyText.isMade(target.getClass()))
				? (unused, value, none) -> new TypedValue(KeyText.of(value)) : null;
	}

	/**
	 * Makes the texts of values that a key expression joins to a text, or passes to a
	 * parameter that is a {@code String}. SpEL calls it for each such value, with any
	 * declared type.
	 */
	private static final class KeyTextConverter extends StandardTypeConverter {

		@Override
		public boolean canConvert(@Nullable TypeDescriptor from, TypeDescriptor to) {
			return (from != null && to.getType() == String.class
					&& (KeyText.isMade(from.getType()) || problemOf(from.getType()) != null))
					|| super.canConvert(from, to);
		}

		@Override
		public @Nullable Object convertValue(@Nullable Object value, @Nullable TypeDescriptor from, TypeDescriptor to) {
			if (value == null || to.getType() != String.class) {
				return super.convertValue(value, from, to);
			}
			String problem = problemOf(value.getClass());
			if (problem != null) {
				throw new KeyText.Refused(problem);
			}
			return KeyText.isMade(value.getClass()) ? KeyText.joined(value) : super.convertValue(value, from, to);
		}

		private static @Nullable String problemOf(Class<?> type) {
			return type.isArray() ? null : KeyValues.problemOf(type);
		}

	}

}
