package io.distributedlock.museum;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A test that notices a mutant.
 *
 * @param className the class; a contract is named by one of its implementations
 * @param methodName the method, which may be inherited
 */
record TestName(String className, String methodName) {

	private static final String PACKAGE = "io.distributedlock.";

	static TestName parse(String text) {
		String[] parts = text.split("#", -1);
		if (parts.length != 2) {
			throw new IllegalArgumentException("A test is written as package.Class#method: " + text);
		}
		return new TestName(PACKAGE + parts[0], parts[1]);
	}

	/** The method, wherever it is declared. */
	static Optional<Method> find(Class<?> type, String methodName) {
		return Stream.<Class<?>>iterate(type, (in) -> in != null, Class::getSuperclass)
			.flatMap((in) -> Stream.concat(Stream.of(in), Arrays.stream(in.getInterfaces())))
			.flatMap((in) -> Arrays.stream(in.getDeclaredMethods()))
			.filter((method) -> !method.isSynthetic() && method.getName().equals(methodName))
			.findFirst();
	}

	@Override
	public String toString() {
		return this.className.substring(PACKAGE.length()) + '#' + this.methodName;
	}

}
