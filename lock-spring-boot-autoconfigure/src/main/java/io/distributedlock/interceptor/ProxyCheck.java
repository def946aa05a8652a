package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ClassUtils;

/** Makes sure that a proxy can get between the caller and a guarded method. */
final class ProxyCheck {

	private final BeanFactory beanFactory;

	ProxyCheck(BeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	void check(Method method, Class<?> targetClass) {
		int modifiers = method.getModifiers();
		boolean byInterface = isProxiedByInterface(method, targetClass);
		refuseIf(Modifier.isPrivate(modifiers), "it is private", "Make it public and call it through the bean", method,
				targetClass);
		refuseIf(Modifier.isStatic(modifiers), "it is static", "Make it a method of the bean, or use LockTemplate",
				method, targetClass);
		refuseIf(!byInterface && Modifier.isFinal(modifiers), "it is final",
				"Remove final (in Kotlin: open it), or use LockTemplate", method, targetClass);
		refuseIf(!byInterface && Modifier.isFinal(targetClass.getModifiers()), "its class is final",
				"Remove final (in Kotlin: open the class), or use LockTemplate", method, targetClass);
	}

	private boolean isProxiedByInterface(Method method, Class<?> targetClass) {
		if (Proxy.isProxyClass(targetClass) || targetClass.isHidden()) {
			return true;
		}
		return !isProxyTargetClass()
				&& ClassUtils.getInterfaceMethodIfPossible(method, targetClass).getDeclaringClass().isInterface();
	}

	private boolean isProxyTargetClass() {
		String creator = AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME;
		return !this.beanFactory.containsBean(creator)
				|| !(this.beanFactory.getBean(creator) instanceof ProxyConfig config) || config.isProxyTargetClass();
	}

	private static void refuseIf(boolean impossible, String problem, String remedy, Method method,
			Class<?> targetClass) {
		if (impossible) {
			throw new InvalidLockDeclarationException(targetClass, method, problem + ", so no proxy can guard it",
					remedy);
		}
	}

}
