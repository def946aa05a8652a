package io.distributedlock.migration;

import java.util.List;

import org.openrewrite.ExecutionContext;
import org.openrewrite.Preconditions;
import org.openrewrite.Recipe;
import org.openrewrite.SourceFile;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.JavaTemplate;
import org.openrewrite.java.JavaVisitor;
import org.openrewrite.java.MethodMatcher;
import org.openrewrite.java.search.UsesType;
import org.openrewrite.java.tree.J;

/**
 * Replaces ShedLock's {@code LockAssert} and {@code LockExtender} by the lease of the
 * guarded method.
 *
 * @since 0.1.0
 */
public final class MigrateLockAssert extends Recipe {

	private static final String ASSERT = "net.javacrumbs.shedlock.core.LockAssert";

	private static final String EXTENDER = "net.javacrumbs.shedlock.core.LockExtender";

	@Override
	public String getDisplayName() {
		return "Replace `LockAssert` and `LockExtender` by `Lease.current()`";
	}

	@Override
	public String getDescription() {
		return "`assertLocked` becomes `checkHeld`, and `extendActiveLock` becomes `extend` of the current lease. "
				+ "`LockAssert.TestHelper` is marked.";
	}

	@Override
	public TreeVisitor<?, ExecutionContext> getVisitor() {
		return Preconditions.check(new UsesType<>("net.javacrumbs.shedlock.core.*", false), new Migration());
	}

	private static final class Migration extends JavaVisitor<ExecutionContext> {

		private static final MethodMatcher ASSERT_LOCKED = new MethodMatcher(ASSERT + " assertLocked()");

		private static final MethodMatcher EXTEND = new MethodMatcher(EXTENDER + " extendActiveLock(..)");

		private static final MethodMatcher TEST_HELPER = new MethodMatcher(
				ASSERT + ".TestHelper makeAllAssertsPass(boolean)");

		@Override
		public boolean isAcceptable(SourceFile file, ExecutionContext context) {
			return file instanceof J.CompilationUnit;
		}

		@Override
		public J visitMethodInvocation(J.MethodInvocation call, ExecutionContext context) {
			J.MethodInvocation visited = (J.MethodInvocation) super.visitMethodInvocation(call, context);
			updateCursor(visited);
			if (ASSERT_LOCKED.matches(visited)) {
				return replace(visited, ASSERT, "Lease.current().orElseThrow().checkHeld()");
			}
			if (EXTEND.matches(visited)) {
				return replace(visited, EXTENDER,
						"Lease.current().orElseThrow().extend(#{any(java.time.Duration)}, #{any(java.time.Duration)})");
			}
			if (TEST_HELPER.matches(visited)) {
				return visited.withPrefix(Remarks.add(visited.getPrefix(), visited.getPrefix().getIndent(),
						List.of("outside a guarded method Lease.current() is empty: call the bean in this test.")));
			}
			return visited;
		}

		private J replace(J.MethodInvocation call, String owner, String code) {
			maybeRemoveImport(owner);
			maybeRemoveImport(owner + "." + call.getSimpleName());
			maybeAddImport(Target.LEASE, false);
			Object[] arguments = owner.equals(EXTENDER) ? call.getArguments().toArray() : new Object[0];
			return JavaTemplate.builder(code)
				.imports(Target.LEASE)
				.javaParser(Target.parser())
				.build()
				.apply(getCursor(), call.getCoordinates().replace(), arguments);
		}

	}

}
