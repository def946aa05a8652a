package io.distributedlock.interceptor.expression;

import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.NativeDetector;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.spel.SpelCompilerMode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.util.StringUtils;

/** Parses expressions, and refuses those that could never work. */
public final class LockExpressionParser {

	private final SpelExpressionParser parser;

	private final BeanFactory beanFactory;

	private final BeanResolver beans;

	/**
	 * Create a parser.
	 * @param beanFactory where beans of expressions come from
	 * @param classLoader where compiled expressions are loaded
	 */
	public LockExpressionParser(BeanFactory beanFactory, @Nullable ClassLoader classLoader) {
		SpelCompilerMode mode = NativeDetector.inNativeImage() ? SpelCompilerMode.OFF : SpelCompilerMode.MIXED;
		this.parser = new SpelExpressionParser(new SpelParserConfiguration(mode, classLoader));
		this.beanFactory = beanFactory;
		this.beans = new BeanFactoryResolver(beanFactory);
	}

	/**
	 * Parse the expression of a key.
	 * @param text what was written
	 * @param names the parameters of the method
	 * @return the expression
	 * @throws InvalidAttributeException if it could never work
	 */
	public LockExpression parse(String text, ParameterNames names) {
		return parse(text, names, new LockExpressionHints(text, names).forKey());
	}

	/**
	 * Parse the expression of a condition.
	 * @param text what was written
	 * @param names the parameters of the method
	 * @return the expression
	 * @throws InvalidAttributeException if it could never work
	 */
	public LockExpression parseCondition(String text, ParameterNames names) {
		return parse(text, names, new LockExpressionHints(text, names).forCondition());
	}

	private LockExpression parse(String text, ParameterNames names, String remedy) {
		if (!StringUtils.hasText(text)) {
			throw new InvalidAttributeException("it has an empty lock expression",
					"Write a SpEL expression, or leave the key out to lock the method itself");
		}
		try {
			LockExpressionCheck check = new LockExpressionCheck(text, names, this.beanFactory);
			SpelExpression expression = parse(text, remedy);
			check.check(expression.getAST());
			return new LockExpression(text, expression, Map.copyOf(check.variables()), this.beans);
		}
		catch (StackOverflowError ex) {
			throw new InvalidAttributeException("its lock expression \"%s\" is nested too deeply".formatted(text),
					"Call a method of an argument or a bean instead", ex);
		}
	}

	private SpelExpression parse(String text, String remedy) {
		try {
			return this.parser.parseRaw(text);
		}
		// The parser fails with exceptions of other kinds too: it runs out of tokens at
		// "1e".
		catch (RuntimeException ex) {
			throw new InvalidAttributeException(
					"its lock expression \"%s\" cannot be parsed: %s".formatted(text, ex.getMessage()), remedy, ex);
		}
	}

}
