package io.distributedlock.migration;

import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.Flag;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;

/**
 * The values of variables, parameters and methods in all sources of a run: the
 * expressions that are assigned, passed and returned. Calls by reflection, and of an
 * interface in the place of its class, are not known.
 */
final class Values {

	/** Combinations of texts after which only their beginning counts. */
	private static final int MOST_TEXTS = 1_000;

	private final Map<String, Set<Expression>> values = new LinkedHashMap<>();

	void addVariable(JavaType.@Nullable Variable variable, @Nullable Expression value) {
		if (variable != null && value != null) {
			add(name(variable), value);
		}
	}

	void addReturn(JavaType.@Nullable Method method, @Nullable Expression value) {
		if (method != null && value != null) {
			add(name(method), value);
		}
	}

	void addArguments(JavaType.@Nullable Method method, List<Expression> arguments) {
		List<String> names = (method != null) ? method.getParameterNames() : List.of();
		for (int i = 0; method != null && i < Math.min(names.size(), arguments.size()); i++) {
			add(name(method) + "." + names.get(i), arguments.get(i));
		}
	}

	private void add(String name, Expression value) {
		this.values.computeIfAbsent(name, (key) -> new LinkedHashSet<>()).add(value);
	}

	private static String name(JavaType.Variable variable) {
		JavaType owner = variable.getOwner();
		return ((owner instanceof JavaType.Method method) ? name(method) : name(owner)) + "." + variable.getName();
	}

	private static String name(JavaType.Method method) {
		return name(method.getDeclaringType()) + "#" + method.getName() + "/" + method.getParameterTypes().size();
	}

	private static String name(@Nullable JavaType type) {
		return (type instanceof JavaType.FullyQualified named) ? named.getFullyQualifiedName() : String.valueOf(type);
	}

	/** Return the number that an expression always is, or {@code null}. */
	@Nullable Long number(Expression expression) {
		JavaType.Variable variable = variable(expression);
		Collection<Expression> all = (variable != null && variable.hasFlags(Flag.Final))
				? this.values.getOrDefault(name(variable), Set.of()) : Set.of();
		return Constants.number((all.size() == 1) ? all.iterator().next() : expression);
	}

	/** Return the texts that an expression may be; at least one. */
	Set<KnownText> texts(Expression expression) {
		return texts(expression, new HashSet<>());
	}

	private Set<KnownText> texts(Expression expression, Set<String> open) {
		Expression made = expression.unwrap();
		if (made instanceof J.Literal literal && literal.getValue() != null) {
			return Set.of(KnownText.of(literal.getValue().toString()));
		}
		if (made instanceof J.Binary sum && sum.getOperator() == J.Binary.Type.Addition) {
			return joined(sum, sum.getLeft(), sum.getRight(), open);
		}
		if (made instanceof J.Ternary choice) {
			return Stream.of(choice.getTruePart(), choice.getFalsePart())
				.flatMap((part) -> texts(part, open).stream())
				.collect(Collectors.toSet());
		}
		if (made instanceof J.MethodInvocation call) {
			return ofCall(call, open);
		}
		JavaType.Variable variable = variable(made);
		return (variable != null)
				? named(name(variable), isOwnedByMethod(variable) ? source(made) : name(variable), open)
				: unknown(made);
	}

	/** A name of a local variable says as much as code does. */
	private static boolean isOwnedByMethod(JavaType.Variable variable) {
		return variable.getOwner() instanceof JavaType.Method;
	}

	/** Return the variable that an expression names, or {@code null}. */
	static JavaType.@Nullable Variable variable(Expression expression) {
		Expression made = expression.unwrap();
		if (made instanceof J.FieldAccess access) {
			return access.getName().getFieldType();
		}
		return (made instanceof J.Identifier identifier) ? identifier.getFieldType() : null;
	}

	private Set<KnownText> joined(J whole, Expression left, Expression right, Set<String> open) {
		Set<KnownText> first = texts(left, open);
		Set<KnownText> second = first.stream().anyMatch(KnownText::whole) ? texts(right, open) : Set.of();
		boolean isShort = first.size() * second.size() > MOST_TEXTS;
		return first.stream()
			.flatMap((begin) -> (begin.whole() && !isShort) ? second.stream().map((end) -> joined(whole, begin, end))
					: Stream.of(KnownText.beginningWith(begin.begin(), source(whole))))
			.collect(Collectors.toSet());
	}

	private static KnownText joined(J whole, KnownText begin, KnownText end) {
		String text = begin.begin() + end.begin();
		return end.whole() ? KnownText.of(text) : KnownText.beginningWith(text, source(whole));
	}

	private Set<KnownText> ofCall(J.MethodInvocation call, Set<String> open) {
		JavaType.Method method = call.getMethodType();
		String type = (method != null) ? method.getDeclaringType().getFullyQualifiedName() : "";
		if (type.equals("java.lang.String") && call.getSelect() != null) {
			return switch (call.getSimpleName()) {
				case "concat" -> joined(call, call.getSelect(), call.getArguments().get(0), open);
				case "formatted" -> formatted(call, call.getSelect(), open);
				case "format" -> formatted(call, call.getArguments().get(0), open);
				default -> unknown(call);
			};
		}
		return (method == null || type.startsWith("java.")) ? unknown(call) : named(name(method), name(method), open);
	}

	private Set<KnownText> formatted(J.MethodInvocation call, Expression pattern, Set<String> open) {
		return texts(pattern, open).stream()
			.map((text) -> text.begin().contains("%")
					? KnownText.beginningWith(text.begin().substring(0, text.begin().indexOf('%')), source(call))
					: text)
			.collect(Collectors.toSet());
	}

	private Set<KnownText> named(String name, String source, Set<String> open) {
		Set<Expression> known = this.values.getOrDefault(name, Set.of());
		if (known.isEmpty() || !open.add(name)) {
			return Set.of(KnownText.beginningWith("", source));
		}
		Set<KnownText> texts = known.stream()
			.flatMap((value) -> texts(value, open).stream())
			.collect(Collectors.toSet());
		open.remove(name);
		return texts;
	}

	private static Set<KnownText> unknown(J made) {
		return Set.of(KnownText.beginningWith("", source(made)));
	}

	private static String source(J made) {
		return made.toString().replaceAll("\\s", "");
	}

}
