package io.distributedlock.interceptor.expression;

import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.NativeDetector;
import org.springframework.expression.spel.SpelCompilerMode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.util.StringUtils;

/** Parses expressions, and refuses those that could never work. */
public final class LockExpressionParser {

	private final SpelExpressionParser parser;

	private final BeanFactory beanFactory;

	/** Caches reflection for all expressions, as the contexts of Spring's caches do. */
	private final StandardEvaluationContext shared = new StandardEvaluationContext();

	/**
	 * Create a parser.
	 * @param beanFactory where beans of expressions come from
	 * @param classLoader where compiled expressions are loaded
	 */
	public LockExpressionParser(BeanFactory beanFactory, @Nullable ClassLoader classLoader) {
		SpelCompilerMode mode = NativeDetector.inNativeImage() ? SpelCompilerMode.OFF : SpelCompilerMode.MIXED;
		this.parser = new SpelExpressionParser(new SpelParserConfiguration(mode, classLoader));
		this.beanFactory = beanFactory;
		this.shared.setBeanResolver(new BeanFactoryResolver(beanFactory));
	}

	/**
	 * Parse the expression of a key.
	 * @param text the expression as written
	 * @param parameters the parameters of the method
	 * @return the expression
	 * @throws InvalidAttributeException if it could never work
	 */
	public LockExpression parse(String text, MethodParameters parameters) {
		LockExpressionCheck check = new LockExpressionCheck(text, parameters, this.beanFactory);
		return parse(text, parameters.method(), check, check.remedyForKey());
	}

	/**
	 * Parse the expression of a condition.
	 * @param text the expression as written
	 * @param parameters the parameters of the method
	 * @return the expression
	 * @throws InvalidAttributeException if it could never work
	 */
	public LockExpression parseCondition(String text, MethodParameters parameters) {
		LockExpressionCheck check = new LockExpressionCheck(text, parameters, this.beanFactory);
		return parse(text, parameters.method(), check, check.remedyForCondition());
	}

	private LockExpression parse(String text, String method, LockExpressionCheck check, String remedy) {
		if (!StringUtils.hasText(text)) {
			throw new InvalidAttributeException("it has an empty lock expression",
					"Write a SpEL expression, or leave the key out to lock the method itself");
		}
		try {
			SpelExpression expression = parse(text, remedy);
			check.check(expression.getAST());
			return new LockExpression(text, expression, method, Map.copyOf(check.variables()), this.shared);
		}
		catch (StackOverflowError ex) {
			throw new InvalidAttributeException("its lock expression \"%s\" is nested too deeply".formatted(text),
					"Call a method of an argument or a bean instead", ex);
		}
	}

	/** The parser fails with other exceptions, too: it runs out of tokens at "1e". */
	private SpelExpression parse(String text, String remedy) {
		try {
			return this.parser.parseRaw(text);
		}
		catch (RuntimeException ex) {
			throw new InvalidAttributeException(
					"its lock expression \"%s\" cannot be parsed: %s".formatted(text, ex.getMessage()), remedy, ex);
		}
	}

}
