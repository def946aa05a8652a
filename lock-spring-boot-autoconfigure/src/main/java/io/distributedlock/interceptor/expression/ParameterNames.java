package io.distributedlock.interceptor.expression;

import java.lang.reflect.Method;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;

/**
 * The variables by which expressions reach the arguments: {@code p0}, {@code a0} and the
 * names of the parameters, both in the target class and where the lock is declared.
 */
public final class ParameterNames {

	private static final ParameterNameDiscoverer DISCOVERER = new DefaultParameterNameDiscoverer();

	private final Map<String, Integer> indexes = new LinkedHashMap<>();

	private final boolean discovered;

	/**
	 * Find the names.
	 * @param method the method of the target class
	 * @param declared the method that carries the declaration, if that is another one
	 */
	public ParameterNames(Method method, @Nullable Method declared) {
		int count = method.getParameterCount();
		for (int index = 0; index < count; index++) {
			this.indexes.put("p" + index, index);
			this.indexes.put("a" + index, index);
		}
		boolean found = add(method) || count == 0;
		if (declared != null && !declared.equals(method) && declared.getParameterCount() == count) {
			found |= add(declared);
		}
		this.discovered = found;
	}

	private boolean add(Method method) {
		@Nullable String @Nullable [] names = DISCOVERER.getParameterNames(method);
		if (names == null) {
			return false;
		}
		for (int index = 0; index < names.length; index++) {
			if (names[index] != null) {
				this.indexes.putIfAbsent(names[index], index);
			}
		}
		return true;
	}

	/**
	 * The argument that a variable stands for.
	 * @param variable the name without its sign
	 * @return its index, or {@code null} if there is no such variable
	 */
	public @Nullable Integer indexOf(String variable) {
		return this.indexes.get(variable);
	}

	/** As one refers to them, those with a meaning first. */
	List<String> variables() {
		return this.indexes.keySet()
			.stream()
			.sorted(Comparator.comparing(this::isPosition))
			.map((name) -> "#" + name)
			.toList();
	}

	private boolean isPosition(String name) {
		Integer index = this.indexes.get(name);
		return name.equals("p" + index) || name.equals("a" + index);
	}

	boolean isEmpty() {
		return this.indexes.isEmpty();
	}

	/**
	 * Whether names other than positions are known.
	 * @return {@code false} if the class was compiled without them
	 */
	boolean areDiscovered() {
		return this.discovered;
	}

}
