package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.asm.Type;
import org.springframework.util.ReflectionUtils;

/** Warns of calls that cannot pass the proxy, once for each class. */
final class SelfCallCheck {

	private static final Log logger = LogFactory.getLog(SelfCallCheck.class);

	private final Set<Class<?>> checked = ConcurrentHashMap.newKeySet();

	void check(Class<?> targetClass, MethodLockSpecSource source) {
		if (!this.checked.add(targetClass)) {
			return;
		}
		Set<String> guarded = guardedMethods(targetClass, source);
		for (Class<?> type = targetClass; type != null && type != Object.class; type = type.getSuperclass()) {
			String name = type.getName();
			SelfCalls.find(type, guarded).forEach((caller, called) -> warn(name + "." + caller, called));
		}
	}

	private static void warn(String caller, Set<String> called) {
		logger.warn(("%s calls %s of its own object. That does not pass the proxy, so the call takes no lock."
				+ " Call it through the bean, move it to another bean, or use LockTemplate")
			.formatted(caller, called));
	}

	private static Set<String> guardedMethods(Class<?> targetClass, MethodLockSpecSource source) {
		Set<String> guarded = new HashSet<>();
		for (Method method : ReflectionUtils.getUniqueDeclaredMethods(targetClass)) {
			if (source.getSpec(method, targetClass) != null) {
				guarded.add(method.getName() + Type.getMethodDescriptor(method));
			}
		}
		return guarded;
	}

}
