package io.distributedlock.migration;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.ExecutionContext;
import org.openrewrite.java.JavaTemplate;
import org.openrewrite.java.JavaVisitor;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;

/**
 * A {@code @DistributedLock} in the making, with the remarks that belong to it. It is a
 * template with places for expressions: those of the old annotation are put there as they
 * are, so that constants stay constants.
 */
final class LockAnnotation {

	/** A text that no annotation has. */
	private static final Pattern PLACE = Pattern.compile("\u00a7(\\d+)\u00a7");

	private final List<String> attributes = new ArrayList<>();

	private final List<Expression> expressions = new ArrayList<>();

	private final Set<String> types = new LinkedHashSet<>(Set.of(Target.ANNOTATION));

	private final List<String> remarks = new ArrayList<>();

	/** Set an attribute to a text. */
	LockAnnotation text(String attribute, String text) {
		return expression(attribute, Constants.literal(text));
	}

	/** Set an attribute to an expression of type {@code String}; does nothing without. */
	LockAnnotation expression(String attribute, @Nullable Expression expression) {
		return (expression == null) ? this : code(attribute, place(expression));
	}

	/** Set an attribute to Java code, with {@link #place places} in it. */
	LockAnnotation code(String attribute, String code) {
		this.attributes.add(attribute + " = " + code);
		return this;
	}

	/** Return the code in the place of which an expression will be. */
	String place(Expression expression) {
		this.expressions.add(expression);
		return "\"\u00a7" + (this.expressions.size() - 1) + "\u00a7\"";
	}

	/** Set an attribute to a constant of an enum. */
	LockAnnotation constant(String attribute, String type, String constant) {
		this.types.add(type);
		return code(attribute, type.substring(type.lastIndexOf('.') + 1) + "." + constant);
	}

	LockAnnotation remark(String remark) {
		this.remarks.add(remark);
		return this;
	}

	List<String> remarks() {
		return this.remarks;
	}

	/** Return the names in the expressions that were put here. */
	Set<String> names() {
		Set<String> names = new HashSet<>();
		this.expressions.forEach((expression) -> new JavaVisitor<Set<String>>() {
			@Override
			public J visitIdentifier(J.Identifier identifier, Set<String> found) {
				found.add(identifier.getSimpleName());
				return identifier;
			}
		}.visit(expression, names));
		return names;
	}

	/**
	 * Make the annotation in the place of another one.
	 * @param cursor the place of the old one
	 * @param old the annotation to be replaced
	 * @param visitor adds the imports when it is done
	 * @return the annotation, without remarks
	 */
	J.Annotation replace(Cursor cursor, J.Annotation old, JavaVisitor<ExecutionContext> visitor) {
		String code = "@DistributedLock"
				+ (this.attributes.isEmpty() ? "" : "(" + String.join(", ", this.attributes) + ")");
		J.Annotation made = JavaTemplate.builder(code)
			.imports(this.types.toArray(String[]::new))
			.javaParser(Target.parser())
			.build()
			.apply(cursor, old.getCoordinates().replace());
		this.types.forEach((type) -> visitor.maybeAddImport(type, false));
		return (J.Annotation) new Filling().visitNonNull(made, this.expressions);
	}

	/** Puts the expressions into their places. */
	private static final class Filling extends JavaVisitor<List<Expression>> {

		@Override
		public J visitLiteral(J.Literal literal, List<Expression> expressions) {
			if (literal.getValue() instanceof String text) {
				Matcher place = PLACE.matcher(text);
				if (place.matches()) {
					return expressions.get(Integer.parseInt(place.group(1))).withPrefix(literal.getPrefix());
				}
			}
			return literal;
		}

	}

}
