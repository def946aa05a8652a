package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.distributedlock.annotation.ValueClassBridge;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.DefaultAdvisorChainFactory;
import org.springframework.aop.framework.ReflectiveMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

/**
 * The call of a bridge as a call of the function that it leads to. The advices inside the
 * lock are those of the function; the advices outside of it have run for the bridge.
 */
final class BridgedInvocation extends ReflectiveMethodInvocation {

	@SuppressWarnings("NullAway") // Spring does not say that arguments may be null
	private BridgedInvocation(Object proxy, Object target, Method function, @Nullable Object[] arguments,
			List<Object> inside) {
		super(proxy, target, function, arguments, target.getClass(), inside);
	}

	static MethodInvocation of(MethodInvocation invocation, ValueClassBridge bridge, LockInterceptor lock) {
		Object proxy = ((ProxyMethodInvocation) invocation).getProxy();
		if (!(proxy instanceof Advised advised)) {
			throw new IllegalStateException(
					"The advices of %s cannot be seen, because its proxy is opaque; the method was not run"
						.formatted(bridge.bridge()));
		}
		Object target = Objects.requireNonNull(invocation.getThis());
		Method function = bridge.functions().get(0);
		return new BridgedInvocation(proxy, target, function, bridge.unbox(invocation.getArguments()),
				inside(advised, function, target.getClass(), lock));
	}

	private static List<Object> inside(Advised advised, Method function, Class<?> targetClass, LockInterceptor lock) {
		List<Object> all = new DefaultAdvisorChainFactory().getInterceptorsAndDynamicInterceptionAdvice(advised,
				function, targetClass);
		List<Object> inside = new ArrayList<>(all.subList(all.indexOf(lock) + 1, all.size()));
		if (all.get(0) instanceof ExposeInvocationInterceptor exposing) {
			inside.add(0, exposing);
		}
		return inside;
	}

}
