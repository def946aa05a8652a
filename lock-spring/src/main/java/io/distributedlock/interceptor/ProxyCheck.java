package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.annotation.ValueClassBridge;
import io.distributedlock.interceptor.internal.MethodNames;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.util.ClassUtils;

/** Makes sure that a proxy can get between the caller and a guarded method. */
final class ProxyCheck {

	private final BeanFactory beanFactory;

	ProxyCheck(BeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	void check(Method method, Class<?> targetClass) {
		int modifiers = method.getModifiers();
		List<ValueClassBridge> bridges = ValueClassBridge.to(method, targetClass);
		boolean byInterface = Stream.concat(Stream.of(method), bridges.stream().map(ValueClassBridge::bridge))
			.anyMatch((called) -> isProxiedByInterface(called, targetClass));
		bridges.forEach((bridge) -> check(bridge, byInterface, method, targetClass));
		refuseIf(Modifier.isPrivate(modifiers), "it is private", "Make it public and call it through the bean", method,
				targetClass);
		refuseIf(Modifier.isStatic(modifiers), "it is static", "Make it a method of the bean, or use LockTemplate",
				method, targetClass);
		refuseIf(!byInterface && Modifier.isFinal(modifiers), "it is final",
				"Remove final (in Kotlin: open it), or use LockTemplate", method, targetClass);
		refuseIf(!byInterface && Modifier.isFinal(targetClass.getModifiers()), "its class is final",
				"Remove final (in Kotlin: open the class), or use LockTemplate", method, targetClass);
	}

	/** Check a bridge. Spring may take a method of the same name for its function. */
	private static void check(ValueClassBridge bridge, boolean byInterface, Method method, Class<?> targetClass) {
		String problem = "which function a call of %s means is not known"
			.formatted(MethodNames.of(targetClass, bridge.bridge()));
		Class<?>[] called = BridgeMethodResolver.findBridgedMethod(bridge.bridge()).getParameterTypes();
		refuseIf(!byInterface && !Arrays.equals(called, bridge.bridge().getParameterTypes()), problem,
				"Give the function of the same name without a value class another name", method, targetClass);
		refuseIf(bridge.functions().size() > 1, problem,
				"Add kotlin-reflect, or give the other functions of the same name another one", method, targetClass);
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
