package io.distributedlock.migration;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;

/**
 * The attributes that an annotation of another library has in the source. They keep in
 * mind which of them were read: the others have no place in {@code @DistributedLock}.
 */
final class Attributes {

	private final Map<String, Expression> values = new LinkedHashMap<>();

	private final Set<String> unread = new LinkedHashSet<>();

	Attributes(J.Annotation annotation) {
		List<Expression> arguments = annotation.getArguments();
		if (arguments != null) {
			arguments.forEach(this::add);
		}
		this.unread.addAll(this.values.keySet());
	}

	private void add(Expression argument) {
		if (argument instanceof J.Assignment assignment && assignment.getVariable() instanceof J.Identifier name) {
			this.values.put(name.getSimpleName(), assignment.getAssignment());
		}
		else if (!(argument instanceof J.Empty)) {
			this.values.put("value", argument);
		}
	}

	/** Return the names that were neither read nor dropped. */
	Set<String> unread() {
		return this.unread;
	}

	/** Leave an attribute out that has nothing to say here. */
	void drop(String name) {
		this.unread.remove(name);
	}

	@Nullable Expression get(String name) {
		this.unread.remove(name);
		return this.values.get(name);
	}

	/** Return the elements of an array, of which Java may leave out the braces. */
	List<Expression> list(String name) {
		Expression value = get(name);
		if (value instanceof J.NewArray array) {
			List<Expression> elements = array.getInitializer();
			return (elements == null) ? List.of()
					: elements.stream().filter((element) -> !(element instanceof J.Empty)).toList();
		}
		return (value == null) ? List.of() : List.of(value);
	}

	/** Return the name of a constant, as that of an enum, or {@code null} without one. */
	@Nullable String constant(String name) {
		return Constants.name(get(name));
	}

	boolean is(String name, boolean value) {
		return get(name) instanceof J.Literal literal && Boolean.valueOf(value).equals(literal.getValue());
	}

}
