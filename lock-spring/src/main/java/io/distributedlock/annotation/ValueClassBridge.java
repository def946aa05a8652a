package io.distributedlock.annotation;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import kotlin.jvm.JvmClassMappingKt;
import kotlin.reflect.KClass;
import kotlin.reflect.KFunction;
import kotlin.reflect.KParameter;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * A bridge of the Kotlin compiler. A function that overrides a generic one, and has a
 * value class in its signature, gets a name of its own, such as
 * {@code handle-bWLJW6I(String)}. Callers of the generic type call the bridge,
 * {@code handle(Object)}, which takes the value out of its object. Spring looks for the
 * method of a bridge by the name of the bridge, so it does not find the function.
 *
 * @since 0.1.0
 */
public final class ValueClassBridge {

	private final Method bridge;

	private final List<Method> functions;

	/** The types of the parameters, as the source code of the function has them. */
	private final Class<?>[] types;

	private final Class<?> resultType;

	private ValueClassBridge(Method bridge, List<Method> functions, Class<?>[] types, Class<?> resultType) {
		this.bridge = bridge;
		this.functions = functions;
		this.types = types;
		this.resultType = resultType;
	}

	/**
	 * Find the bridge that a call runs.
	 * @param method the method that is called, maybe of an interface
	 * @param targetClass the class of the bean
	 * @return the bridge, or {@code null} if the call runs no such bridge
	 */
	public static @Nullable ValueClassBridge of(Method method, Class<?> targetClass) {
		Method bridge = ClassUtils.getMostSpecificMethod(method, targetClass);
		return bridge.isBridge() ? find(bridge, targetClass) : null;
	}

	/**
	 * Find the bridges that lead to a function.
	 * @param function any method
	 * @param targetClass the class of the bean
	 * @return the bridges; none for most methods
	 */
	public static List<ValueClassBridge> to(Method function, Class<?> targetClass) {
		int dash = function.getName().indexOf('-');
		if (dash < 0) {
			return List.of();
		}
		String name = function.getName().substring(0, dash);
		return Arrays.stream(ReflectionUtils.getAllDeclaredMethods(targetClass))
			.filter((method) -> method.isBridge() && method.getName().equals(name))
			.map((method) -> find(method, targetClass))
			.filter(Objects::nonNull)
			.filter((found) -> found.functions.contains(function))
			.toList();
	}

	private static @Nullable ValueClassBridge find(Method bridge, Class<?> targetClass) {
		Class<?> declaring = bridge.getDeclaringClass();
		List<Method> renamed = Arrays.stream(ReflectionUtils.getDeclaredMethods(declaring))
			.filter((method) -> isRenamed(method, bridge))
			.toList();
		return renamed.isEmpty() ? null
				: overridden(bridge).map((generic) -> of(bridge, generic))
					.map((found) -> found.leadingTo(renamed, targetClass))
					.filter((found) -> !found.functions.isEmpty())
					.findFirst()
					.orElse(null);
	}

	private static boolean isRenamed(Method method, Method bridge) {
		return method.getName().startsWith(bridge.getName() + "-") && !method.isSynthetic()
				&& !Modifier.isStatic(method.getModifiers())
				&& method.getParameterCount() == bridge.getParameterCount();
	}

	/**
	 * The generic methods of interfaces and superclasses for which the bridge is made.
	 */
	private static Stream<Method> overridden(Method bridge) {
		Class<?> declaring = bridge.getDeclaringClass();
		List<Class<?>> types = new ArrayList<>(List.of(ClassUtils.getAllInterfacesForClass(declaring)));
		for (Class<?> type = declaring.getSuperclass(); type != null; type = type.getSuperclass()) {
			types.add(type);
		}
		return types.stream()
			.map((type) -> ReflectionUtils.findMethod(type, bridge.getName(), bridge.getParameterTypes()))
			.filter(Objects::nonNull);
	}

	private static ValueClassBridge of(Method bridge, Method generic) {
		Class<?> declaring = bridge.getDeclaringClass();
		Class<?>[] types = new Class<?>[generic.getParameterCount()];
		Arrays.setAll(types, (index) -> ResolvableType.forMethodParameter(generic, index, declaring)
			.resolve(generic.getParameterTypes()[index]));
		return new ValueClassBridge(bridge, List.of(), types,
				ResolvableType.forMethodReturnType(generic, declaring).resolve(generic.getReturnType()));
	}

	private ValueClassBridge leadingTo(List<Method> renamed, Class<?> targetClass) {
		List<Method> fitting = renamed.stream().filter(this::fits).toList();
		if (fitting.size() > 1) {
			List<Method> exact = fitting.stream().filter((method) -> SourceTypes.are(this.types, method)).toList();
			fitting = exact.isEmpty() ? fitting : exact;
		}
		List<Method> functions = fitting.stream()
			.map((method) -> ClassUtils.getMostSpecificMethod(method, targetClass))
			.toList();
		return new ValueClassBridge(this.bridge, functions, this.types, this.resultType);
	}

	/**
	 * Return whether a Kotlin function with these types, at least one of them a value
	 * class, may have been compiled to a method.
	 */
	private boolean fits(Method method) {
		boolean renames = isValueClass(this.resultType);
		for (int i = 0; i < this.types.length; i++) {
			Class<?> actual = method.getParameterTypes()[i];
			if (!ClassUtils.isAssignable(actual, this.types[i]) && !isUnboxed(this.types[i], actual)) {
				return false;
			}
			renames |= isValueClass(this.types[i]);
		}
		return renames;
	}

	private static boolean isUnboxed(Class<?> type, Class<?> actual) {
		Method unbox = (type != actual) ? ReflectionUtils.findMethod(type, "unbox-impl") : null;
		return unbox != null && unbox.getReturnType() == actual;
	}

	private static boolean isValueClass(Class<?> type) {
		return ReflectionUtils.findMethod(type, "unbox-impl") != null;
	}

	/**
	 * The bridge itself.
	 * @return the method that callers of the generic type call
	 */
	public Method bridge() {
		return this.bridge;
	}

	/**
	 * The methods to which the function may be compiled.
	 * @return one method of the target class; several if kotlin-reflect is missing and
	 * functions differ only in value classes that are compiled to the same type
	 */
	public List<Method> functions() {
		return this.functions;
	}

	/**
	 * The value classes in the signature.
	 * @return at least one
	 */
	public List<Class<?>> valueClasses() {
		return Stream.concat(Stream.of(this.types), Stream.of(this.resultType))
			.filter(ValueClassBridge::isValueClass)
			.distinct()
			.toList();
	}

	/**
	 * The arguments of the function.
	 * @param arguments the arguments of the bridge
	 * @return a copy, in which the values of value classes are without their objects
	 */
	public @Nullable Object[] unbox(@Nullable Object[] arguments) {
		@Nullable Object[] values = arguments.clone();
		Class<?>[] actual = this.functions.get(0).getParameterTypes();
		for (int i = 0; i < values.length; i++) {
			if (values[i] != null && isUnboxed(this.types[i], actual[i])) {
				values[i] = call(this.types[i], "unbox-impl", values[i]);
			}
		}
		return values;
	}

	/**
	 * The result of the bridge.
	 * @param result the result of the function
	 * @return the result, in its object if it is a value of a value class
	 */
	public @Nullable Object box(@Nullable Object result) {
		Class<?> actual = this.functions.get(0).getReturnType();
		return (result != null && isUnboxed(this.resultType, actual)) ? call(this.resultType, "box-impl", null, result)
				: result;
	}

	private static @Nullable Object call(Class<?> type, String name, @Nullable Object value, Object... arguments) {
		Method method = Arrays.stream(ReflectionUtils.getDeclaredMethods(type))
			.filter((candidate) -> candidate.getName().equals(name))
			.findFirst()
			.orElseThrow();
		ReflectionUtils.makeAccessible(method);
		return ReflectionUtils.invokeMethod(method, value, arguments);
	}

	/**
	 * The types in the source code. They distinguish functions that differ only in value
	 * classes. Known at run time only with kotlin-reflect.
	 */
	private static final class SourceTypes {

		private static final @Nullable Method FUNCTION_OF = functionOf();

		private static @Nullable Method functionOf() {
			try {
				return ClassUtils
					.forName("kotlin.reflect.jvm.ReflectJvmMapping", ValueClassBridge.class.getClassLoader())
					.getMethod("getKotlinFunction", Method.class);
			}
			catch (ReflectiveOperationException | LinkageError ex) {
				return null;
			}
		}

		static boolean are(Class<?>[] types, Method method) {
			return FUNCTION_OF != null
					&& ReflectionUtils.invokeMethod(FUNCTION_OF, null, method) instanceof KFunction<?> function
					&& function.getParameters()
						.stream()
						.filter((parameter) -> parameter.getKind() != KParameter.Kind.INSTANCE)
						.allMatch((parameter) -> is(types[parameter.getIndex() - 1], parameter));
		}

		private static boolean is(Class<?> type, KParameter parameter) {
			return !(parameter.getType().getClassifier() instanceof KClass<?> written)
					|| JvmClassMappingKt.getJavaObjectType(written) == ClassUtils.resolvePrimitiveIfNecessary(type);
		}

	}

}
