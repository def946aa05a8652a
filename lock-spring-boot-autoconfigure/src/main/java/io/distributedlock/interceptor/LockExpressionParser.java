package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.NativeDetector;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.spel.SpelCompilerMode;
import org.springframework.expression.spel.SpelNode;
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
		LockExpressionHints hints = new LockExpressionHints(text, names);
		Parsed parsed = parse(text, method, targetClass, names, hints.forKey());
		refuse(LockExpressionResult.problemOfKey(parsed.ast()), text, method, targetClass, hints.forKey());
		refuse(KeyTraps.problemOf(parsed.ast(), new LockExpressionTypes(method, targetClass, names)), text, method,
				targetClass, "Choose a key whose text is the same one on each instance");
		return parsed.expression();
	}

	LockExpression parseCondition(String text, Method method, Class<?> targetClass, ParameterNames names) {
		String remedy = new LockExpressionHints(text, names).forCondition();
		Parsed parsed = parse(text, method, targetClass, names, remedy);
		Class<?> type = new LockExpressionTypes(method, targetClass, names).typeOf(parsed.ast());
		refuse(LockExpressionResult.problemOfCondition(parsed.ast(), type), text, method, targetClass, remedy);
		return parsed.expression();
	}

	private static void refuse(@Nullable String problem, String text, Method method, Class<?> targetClass,
			String remedy) {
		if (problem != null) {
			throw new InvalidLockDeclarationException(targetClass, method,
					"in its lock expression \"%s\" %s".formatted(text, problem), remedy);
		}
	}

	private Parsed parse(String text, Method method, Class<?> targetClass, ParameterNames names, String remedy) {
		if (!StringUtils.hasText(text)) {
			throw new InvalidLockDeclarationException(targetClass, method, "it has an empty lock expression",
					"Write a SpEL expression, or leave the key out to lock the method itself");
		}
		try {
			return parseAndCheck(text, method, targetClass, names, remedy);
		}
		catch (StackOverflowError ex) {
			throw new InvalidLockDeclarationException(targetClass, method,
					"its lock expression \"%s\" is nested too deeply".formatted(text),
					"Call a method of an argument or a bean instead", ex);
		}
	}

	private Parsed parseAndCheck(String text, Method method, Class<?> targetClass, ParameterNames names,
			String remedy) {
		LockExpressionCheck check = new LockExpressionCheck(new LockExpressionHints(text, names),
				new LockExpressionTypes(method, targetClass, names), names, this.beanFactory);
		SpelExpression expression = parse(text, method, targetClass, remedy);
		LockExpressionCheck.Problem problem = check.problemOf(expression.getAST());
		if (problem != null) {
			refuse(problem.text(), text, method, targetClass, problem.remedy());
		}
		return new Parsed(new LockExpression(text, expression, Map.copyOf(check.variables()), this.beans),
				expression.getAST());
	}

	private SpelExpression parse(String text, Method method, Class<?> targetClass, String remedy) {
		try {
			return this.parser.parseRaw(text);
		}
		// Of the parser's own mistakes as well: it runs out of its tokens at "1e".
		catch (RuntimeException ex) {
			throw new InvalidLockDeclarationException(targetClass, method,
					"its lock expression \"%s\" cannot be parsed: %s".formatted(text, ex.getMessage()), remedy, ex);
		}
	}

	private record Parsed(LockExpression expression, SpelNode ast) {
	}

}
