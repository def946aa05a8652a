package io.distributedlock.annotation;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

import io.distributedlock.interceptor.InvalidLockDeclarationException;
import io.distributedlock.interceptor.LockDeclaration.TokenParameter;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.MethodParameter;
import org.springframework.core.annotation.AnnotatedMethod;

/**
 * Finds the parameters of a method that receive tokens, also those that an interface or
 * superclass annotates, and says which lock each belongs to.
 */
final class TokenParameterFinder {

	private static final Log logger = LogFactory.getLog(TokenParameterFinder.class);

	private final Method method;

	private final Class<?> targetClass;

	private final List<Found> found;

	TokenParameterFinder(Method method, Class<?> targetClass) {
		this.method = method;
		this.targetClass = targetClass;
		this.found = find(method);
	}

	private static List<Found> find(Method method) {
		List<Found> found = new ArrayList<>();
		for (MethodParameter parameter : new AnnotatedMethod(method).getMethodParameters()) {
			FencingToken token = parameter.getParameterAnnotation(FencingToken.class);
			if (token != null) {
				found.add(new Found(parameter.getParameterIndex(), token));
			}
		}
		return found;
	}

	/**
	 * Refuse tokens of a method that has no lock: the value that the caller passes would
	 * not be replaced. Called for every method of every bean, so it looks at the method
	 * only.
	 * @param method the method
	 * @param targetClass the class of the bean
	 */
	static void requireNone(Method method, Class<?> targetClass) {
		if (method.getParameterCount() > 0 && isAnnotated(method)) {
			throw new InvalidLockDeclarationException(targetClass, method,
					"it has no lock whose token its @FencingToken parameter could receive",
					"Annotate it with @DistributedLock, or remove @FencingToken");
		}
	}

	private static boolean isAnnotated(Method method) {
		try {
			return Arrays.stream(method.getParameterAnnotations())
				.flatMap(Arrays::stream)
				.anyMatch(FencingToken.class::isInstance);
		}
		catch (RuntimeException | LinkageError ex) {
			logger.debug("Cannot read the annotations of the parameters of " + method, ex);
			return false;
		}
	}

	/**
	 * The parameters that receive the token of a lock.
	 * @param lock one of the locks of the method
	 * @param all all of them
	 * @return its parameters
	 */
	List<TokenParameter> of(DistributedLock lock, List<DistributedLock> all) {
		List<TokenParameter> result = new ArrayList<>();
		for (Found parameter : this.found) {
			if (lockOf(parameter, all) == lock) {
				result.add(new TokenParameter(parameter.index(), parameter.token().key()));
			}
		}
		return result;
	}

	private @Nullable DistributedLock lockOf(Found parameter, List<DistributedLock> all) {
		FencingToken token = parameter.token();
		if (all.size() == 1 && token.name().isEmpty()) {
			return all.get(0);
		}
		List<DistributedLock> named = all.stream().filter((lock) -> lock.name().equals(token.name())).toList();
		if (named.size() != 1 || token.name().isEmpty()) {
			throw refusal(
					"its @FencingToken parameter %s has to name one of its locks but names %s".formatted(
							describe(parameter.index()),
							token.name().isEmpty() ? "none"
									: "'%s', of which there are %d".formatted(token.name(), named.size())),
					remedy(all));
		}
		return named.get(0);
	}

	private String describe(int index) {
		@Nullable String @Nullable [] names = new DefaultParameterNameDiscoverer().getParameterNames(this.method);
		return (index + 1) + ((names != null && names[index] != null) ? " ('%s')".formatted(names[index]) : "");
	}

	private static String remedy(List<DistributedLock> all) {
		List<String> names = all.stream().map(DistributedLock::name).filter((name) -> !name.isEmpty()).toList();
		List<String> unique = names.stream().filter((name) -> Collections.frequency(names, name) == 1).toList();
		return unique.isEmpty()
				? "Give each of its locks a name of its own, and name one as in @FencingToken(name = \"orders\")"
				: unique.stream()
					.map("@FencingToken(name = \"%s\")"::formatted)
					.collect(Collectors.joining(" or ", "Write ", ""));
	}

	private InvalidLockDeclarationException refusal(String problem, String remedy) {
		return new InvalidLockDeclarationException(this.targetClass, this.method, problem, remedy);
	}

	private record Found(int index, FencingToken token) {
	}

}
