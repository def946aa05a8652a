package io.distributedlock.autoconfigure;

import java.util.function.Predicate;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Predicates of hints for a native image, which Spring 6 names otherwise. */
final class HintPredicates {

	private HintPredicates() {
	}

	static Predicate<RuntimeHints> onMethodInvocation(Class<?> type, String method) {
		Object invocation = call("onMethodInvocation", type, method);
		return cast((invocation != null) ? invocation : ofInvocation(call("onMethod", type, method)));
	}

	static Predicate<RuntimeHints> onFieldAccess(Class<?> type, String field) {
		Object access = call("onFieldAccess", type, field);
		return cast((access != null) ? access : call("onField", type, field));
	}

	private static Object call(String name, Class<?> type, String member) {
		Object all = RuntimeHintsPredicates.reflection();
		return ClassUtils.hasMethod(all.getClass(), name, Class.class, String.class) ? ReflectionUtils.invokeMethod(
				ClassUtils.getMethod(all.getClass(), name, Class.class, String.class), all, type, member) : null;
	}

	private static Object ofInvocation(Object predicate) {
		return ReflectionUtils.invokeMethod(ClassUtils.getMethod(predicate.getClass(), "invoke"), predicate);
	}

	@SuppressWarnings("unchecked")
	private static Predicate<RuntimeHints> cast(Object predicate) {
		return (Predicate<RuntimeHints>) predicate;
	}

}
