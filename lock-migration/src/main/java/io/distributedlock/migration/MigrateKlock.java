package io.distributedlock.migration;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Preconditions;
import org.openrewrite.Recipe;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.AnnotationMatcher;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.RemoveAnnotationVisitor;
import org.openrewrite.java.search.UsesType;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.Statement;

/**
 * Replaces {@code @Klock} and {@code @KlockKey}: the type of the lock becomes a mode, and
 * keys become one. A lock that klock ran without, when it was busy, is marked.
 *
 * @since 0.1.0
 */
public final class MigrateKlock extends Recipe {

	private static final String PACKAGE = "org.springframework.boot.autoconfigure.klock.annotation.";

	private static final String TYPE = PACKAGE + "Klock";

	private static final String KEY = PACKAGE + "KlockKey";

	@Override
	public String getDisplayName() {
		return "Replace `@Klock` and `@KlockKey` by `@DistributedLock`";
	}

	@Override
	public String getDescription() {
		return "The keys are joined to one expression, `lockType` becomes the `mode`, `waitTime` and `leaseTime` become "
				+ "durations. The default strategy, to run without the lock when it is busy, is marked.";
	}

	@Override
	public TreeVisitor<?, ExecutionContext> getVisitor() {
		return Preconditions.check(new UsesType<>(TYPE, false), new Migration());
	}

	private static final class Migration extends AnnotationMigration {

		private static final AnnotationMatcher MATCHER = new AnnotationMatcher("@" + TYPE);

		private static final AnnotationMatcher KEY_MATCHER = new AnnotationMatcher("@" + KEY);

		/** A path of properties, which can stand behind the name of a parameter. */
		private static final Pattern PATH = Pattern.compile("[A-Za-z_][\\w.()]*");

		Migration() {
			super(List.of(TYPE));
		}

		@Override
		public J.MethodDeclaration visitMethodDeclaration(J.MethodDeclaration method, ExecutionContext context) {
			J.MethodDeclaration visited = super.visitMethodDeclaration(method, context);
			if (!isKlock(method) || isKlock(visited)) {
				return visited;
			}
			maybeRemoveImport(KEY);
			return (J.MethodDeclaration) new RemoveAnnotationVisitor(KEY_MATCHER).visitNonNull(visited, context,
					getCursor().getParentOrThrow());
		}

		private static boolean isKlock(J.MethodDeclaration method) {
			return method.getLeadingAnnotations().stream().anyMatch(MATCHER::matches);
		}

		@Override
		boolean convert(Attributes attributes, J.MethodDeclaration method, LockAnnotation lock) {
			List<Expression> keys = parameterKeys(method);
			if (keys == null) {
				lock.remark("a @KlockKey is more than a path of properties: write the key by hand.");
				return false;
			}
			MethodKey.of(attributes, "-").and(keys).set(lock, method);
			mode(attributes.constant("lockType"), lock);
			Amount.ofSeconds(attributes.get("leaseTime")).set(lock, "ttl");
			Amount.ofSeconds(attributes.get("waitTime")).set(lock, "waitFor");
			busy(attributes, lock);
			if ("NO_OPERATION".equals(attributes.constant("releaseTimeoutStrategy"))) {
				lock.constant("whenLost", Target.WHEN_LOST, "IGNORE");
			}
			return true;
		}

		/**
		 * Return the expressions of the parameters, or {@code null} if one cannot be
		 * written from outside of the parameter.
		 */
		private static @Nullable List<Expression> parameterKeys(J.MethodDeclaration method) {
			List<Expression> keys = new ArrayList<>();
			for (Statement statement : method.getParameters()) {
				if (statement instanceof J.VariableDeclarations parameter) {
					for (J.Annotation annotation : keysOf(parameter)) {
						if (!addKey(keys, annotation, parameter)) {
							return null;
						}
					}
				}
			}
			return keys;
		}

		/** They may stand behind a modifier, too. */
		private static List<J.Annotation> keysOf(J.VariableDeclarations parameter) {
			List<J.Annotation> found = new ArrayList<>();
			new JavaIsoVisitor<List<J.Annotation>>() {
				@Override
				public J.Annotation visitAnnotation(J.Annotation annotation, List<J.Annotation> annotations) {
					if (KEY_MATCHER.matches(annotation)) {
						annotations.add(annotation);
					}
					return annotation;
				}
			}.visit(parameter, found);
			return found;
		}

		private static boolean addKey(List<Expression> keys, J.Annotation annotation,
				J.VariableDeclarations parameter) {
			String name = "#" + parameter.getVariables().get(0).getSimpleName();
			Expression value = new Attributes(annotation).get("value");
			String path = Constants.text(value);
			if (value == null || "".equals(path)) {
				keys.add(Constants.literal(name));
				return true;
			}
			boolean simple = path != null && PATH.matcher(path).matches();
			if (simple) {
				keys.add(Constants.literal(name + "." + path));
			}
			return simple;
		}

		private static void mode(@Nullable String type, LockAnnotation lock) {
			if ("Fair".equals(type)) {
				lock.constant("mode", Target.MODE, "FAIR");
			}
			else if ("Read".equals(type)) {
				lock.constant("mode", Target.MODE, "READ");
			}
		}

		private static void busy(Attributes attributes, LockAnnotation lock) {
			String strategy = attributes.constant("lockTimeoutStrategy");
			Expression fallback = attributes.get("customLockTimeoutStrategy");
			if (fallback != null) {
				lock.expression("fallback", fallback);
			}
			else if (strategy == null || strategy.equals("NO_OPERATION")) {
				lock.remark("klock ran this method WITHOUT the lock when it stayed busy; it throws "
						+ "LockNotAcquiredException now.");
			}
			else if (strategy.equals("KEEP_ACQUIRE")) {
				lock.remark("klock went on waiting: set waitFor to the longest time that a caller may wait.");
			}
		}

	}

}
