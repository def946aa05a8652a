package io.distributedlock.migration;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.SourceFile;
import org.openrewrite.java.AnnotationMatcher;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeTree;
import org.openrewrite.java.tree.TypeUtils;

/**
 * Replaces annotations on methods by {@code @DistributedLock}. Those on types are left
 * and marked: a composed annotation has aliases that only a person can move.
 */
abstract class AnnotationMigration extends JavaIsoVisitor<ExecutionContext> {

	private final List<AnnotationMatcher> matchers;

	AnnotationMigration(List<String> types) {
		this.matchers = types.stream().map((type) -> new AnnotationMatcher("@" + type)).toList();
	}

	/** Templates are Java: other languages stay as they are. */
	@Override
	public boolean isAcceptable(SourceFile file, ExecutionContext context) {
		return file instanceof J.CompilationUnit unit && !hasOtherDistributedLock(unit);
	}

	/** Several libraries have a type of this simple name, which would be ambiguous. */
	private static boolean hasOtherDistributedLock(J.CompilationUnit unit) {
		Stream<String> imports = unit.getImports().stream().map(J.Import::getTypeName);
		Stream<String> declared = unit.getClasses().stream().map(J.ClassDeclaration::getSimpleName);
		return Stream.concat(imports, declared)
			.anyMatch((name) -> name.substring(name.lastIndexOf('.') + 1).equals("DistributedLock")
					&& !name.equals(Target.ANNOTATION));
	}

	@Override
	public J.Annotation visitAnnotation(J.Annotation annotation, ExecutionContext context) {
		J.Annotation visited = super.visitAnnotation(annotation, context);
		if (this.matchers.stream().noneMatch((matcher) -> matcher.matches(visited))) {
			return visited;
		}
		J owner = owner();
		LockAnnotation lock = new LockAnnotation();
		if (owner instanceof J.MethodDeclaration method) {
			Attributes attributes = new Attributes(visited);
			if (convert(attributes, method, lock)) {
				attributes.unread().forEach((name) -> lock.remark("the attribute " + name + " has no equal here."));
				removeImports(visited, lock);
				J.Annotation made = lock.replace(getCursor(), visited, this);
				return withRemarks(made, owner, lock);
			}
		}
		else {
			lock.remark("only annotations of methods are migrated; see docs/migration-recipes.md.");
		}
		return withRemarks(visited, owner, lock);
	}

	/**
	 * Convert an annotation.
	 * @param attributes the attributes that it has
	 * @param method the method that it is on
	 * @param lock takes the attributes of the new annotation, and remarks
	 * @return {@code false} to leave the old annotation, with the remarks
	 */
	abstract boolean convert(Attributes attributes, J.MethodDeclaration method, LockAnnotation lock);

	private J owner() {
		for (Iterator<Object> path = getCursor().getPath(); path.hasNext();) {
			Object found = path.next();
			if (found instanceof J.MethodDeclaration || found instanceof J.ClassDeclaration
					|| found instanceof J.VariableDeclarations) {
				return (J) found;
			}
		}
		throw new IllegalStateException("An annotation is on a method, a type or a variable");
	}

	/**
	 * A comment before the first annotation is read as one of the method, where it is
	 * found the next time.
	 */
	private static J.Annotation withRemarks(J.Annotation annotation, J owner, LockAnnotation lock) {
		List<String> remarks = lock.remarks()
			.stream()
			.filter((remark) -> !Remarks.contains(owner.getPrefix(), remark))
			.toList();
		return annotation.withPrefix(Remarks.add(annotation.getPrefix(), owner.getPrefix().getIndent(), remarks));
	}

	/**
	 * Removes imports of names that only the old annotation had, unless they are used.
	 */
	private void removeImports(J.Annotation annotation, LockAnnotation lock) {
		Set<String> kept = lock.names();
		new JavaIsoVisitor<AnnotationMigration>() {
			@Override
			public J.Identifier visitIdentifier(J.Identifier identifier, AnnotationMigration migration) {
				if (!kept.contains(identifier.getSimpleName())) {
					migration.removeImport(identifier);
				}
				return identifier;
			}
		}.visit(annotation, this);
	}

	private void removeImport(J.Identifier identifier) {
		JavaType.Variable field = identifier.getFieldType();
		JavaType.FullyQualified type = TypeUtils
			.asFullyQualified((field != null) ? field.getOwner() : identifier.getType());
		if (type != null) {
			String name = type.getFullyQualifiedName().replace('$', '.');
			maybeRemoveImport((field != null) ? name + "." + field.getName() : name);
		}
	}

	/** Return the class and name of a method, by which other libraries name its lock. */
	static String qualifiedName(J.MethodDeclaration method) {
		JavaType.Method type = method.getMethodType();
		String name = (type != null) ? type.getDeclaringType().getFullyQualifiedName().replace('$', '.') + "." : "";
		return name + method.getSimpleName();
	}

	/**
	 * Set the policy of a busy lock to a skip, which only some results allow.
	 */
	static void skip(LockAnnotation lock, J.MethodDeclaration method) {
		if (canBeEmpty(method.getReturnTypeExpression())) {
			lock.constant("whenBusy", Target.WHEN_BUSY, "SKIP");
		}
		else {
			lock.remark("the result cannot be empty, so a busy lock throws LockNotAcquiredException now, "
					+ "where null was returned.");
		}
	}

	private static boolean canBeEmpty(@Nullable TypeTree result) {
		JavaType type = (result != null) ? result.getType() : null;
		if (type == JavaType.Primitive.Void || TypeUtils.isOfClassType(type, "java.util.Optional")) {
			return true;
		}
		if (type instanceof JavaType.Parameterized future
				&& TypeUtils.isAssignableTo("java.util.concurrent.CompletionStage", type)) {
			JavaType value = future.getTypeParameters().get(0);
			return TypeUtils.isOfClassType(value, "java.lang.Void")
					|| TypeUtils.isOfClassType(value, "java.util.Optional");
		}
		return TypeUtils.isAssignableTo("org.reactivestreams.Publisher", type);
	}

	/**
	 * Set the namespace, and the key if the lock has that alone: the methods that name it
	 * exclude each other, which without a key they would not.
	 */
	static void nameAndKey(LockAnnotation lock, Expression name) {
		String text = Constants.text(name);
		lock.expression("name", name);
		if (text != null) {
			lock.text("key", Spel.literal(text));
		}
		else {
			lock.code("key", "\"'\" + " + lock.place(name) + " + \"'\"");
		}
	}

	/**
	 * Set the key to one expression that joins several.
	 */
	static void joinedKey(LockAnnotation lock, List<Expression> keys, String separator, J.MethodDeclaration method) {
		List<String> texts = keys.stream().map(Constants::text).toList();
		if (texts.stream().allMatch(Objects::nonNull)) {
			List<String> known = texts.stream().map(Objects::requireNonNull).toList();
			String joined = (known.size() == 1) ? Spel.asOneKey(known.get(0), method) : Spel.join(known, separator);
			lock.text("key", joined);
			if (Spel.usesRoot(joined)) {
				lock.remark("a plain name in the key was a property of the bean: write #root.target before it.");
			}
		}
		else if (keys.size() == 1) {
			lock.expression("key", keys.get(0));
		}
		else {
			lock.code("key", sum(lock, keys, separator));
		}
	}

	/** Return Java code that joins expressions, of which some are constants. */
	private static String sum(LockAnnotation lock, List<Expression> keys, String separator) {
		List<String> operands = new ArrayList<>();
		StringBuilder text = new StringBuilder();
		for (Expression key : keys) {
			text.append((key != keys.get(0)) ? " + " + Spel.literal(separator) + " + " : "");
			String known = Constants.text(key);
			if (known != null) {
				text.append(Spel.parenthesized(known));
			}
			else {
				operands.add(lock.place(Constants.literal(text + "(")));
				operands.add(lock.place(key));
				text = new StringBuilder(")");
			}
		}
		operands.add(lock.place(Constants.literal(text.toString())));
		return String.join(" + ", operands);
	}

}
