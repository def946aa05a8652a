package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.function.BooleanSupplier;

import org.springframework.util.ClassUtils;

/** Makes sure that a proxy can get between the caller and a guarded method. */
final class ProxyCheck {

	private final BooleanSupplier proxyTargetClass;

	ProxyCheck(BooleanSupplier proxyTargetClass) {
		this.proxyTargetClass = proxyTargetClass;
	}

	void check(Method method, Class<?> targetClass) {
		int modifiers = method.getModifiers();
		if (Modifier.isPrivate(modifiers)) {
			throw refusal(targetClass, method, "it is private", "Make it public and call it through the bean");
		}
		if (Modifier.isStatic(modifiers)) {
			throw refusal(targetClass, method, "it is static", "Make it a method of the bean, or use LockTemplate");
		}
		if (isProxiedByInterface(method, targetClass)) {
			return;
		}
		if (Modifier.isFinal(modifiers)) {
			throw refusal(targetClass, method, "it is final", "Remove final (in Kotlin: open it), or use LockTemplate");
		}
		if (Modifier.isFinal(targetClass.getModifiers())) {
			throw refusal(targetClass, method, "its class is final",
					"Remove final (in Kotlin: open the class), or use LockTemplate");
		}
	}

	private boolean isProxiedByInterface(Method method, Class<?> targetClass) {
		if (Proxy.isProxyClass(targetClass) || targetClass.isHidden()) {
			return true;
		}
		return !this.proxyTargetClass.getAsBoolean()
				&& ClassUtils.getInterfaceMethodIfPossible(method, targetClass).getDeclaringClass().isInterface();
	}

	private static InvalidLockDeclarationException refusal(Class<?> targetClass, Method method, String problem,
			String remedy) {
		return new InvalidLockDeclarationException(targetClass, method, problem + ", so no proxy can guard it", remedy);
	}

}
