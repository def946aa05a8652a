package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.NativeDetector;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelCompilerMode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.util.StringUtils;

/** Parses expressions, and refuses those that could never work. */
final class LockExpressionParser {

	private final SpelExpressionParser parser;

	private final BeanFactory beanFactory;

	private final BeanResolver beans;

	LockExpressionParser(BeanFactory beanFactory, @Nullable ClassLoader classLoader) {
		SpelCompilerMode mode = NativeDetector.inNativeImage() ? SpelCompilerMode.OFF : SpelCompilerMode.MIXED;
		this.parser = new SpelExpressionParser(new SpelParserConfiguration(mode, classLoader));
		this.beanFactory = beanFactory;
		this.beans = new BeanFactoryResolver(beanFactory);
	}

	LockExpression parse(String text, Method method, Class<?> targetClass, ParameterNames names) {
		if (!StringUtils.hasText(text)) {
			throw new InvalidLockDeclarationException(targetClass, method, "it has an empty lock expression",
					"Write a SpEL expression, or leave the key out to lock the method itself");
		}
		LockExpressionCheck check = new LockExpressionCheck(text, names, this.beanFactory);
		SpelExpression expression = parse(text, method, targetClass);
		LockExpressionCheck.Problem problem = check.problemOf(expression.getAST());
		if (problem != null) {
			throw new InvalidLockDeclarationException(targetClass, method,
					"in its lock expression \"%s\" %s".formatted(text, problem.text()), problem.remedy());
		}
		return new LockExpression(text, expression, Map.copyOf(check.variables()), this.beans);
	}

	private SpelExpression parse(String text, Method method, Class<?> targetClass) {
		try {
			return this.parser.parseRaw(text);
		}
		catch (ParseException | IllegalStateException ex) {
			throw new InvalidLockDeclarationException(targetClass, method,
					"its lock expression \"%s\" cannot be parsed: %s".formatted(text, ex.getMessage()),
					LockExpressionCheck.quotingRemedy(text), ex);
		}
	}

}
