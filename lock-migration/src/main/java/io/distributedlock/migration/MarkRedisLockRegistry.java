package io.distributedlock.migration;

import java.util.List;

import org.openrewrite.ExecutionContext;
import org.openrewrite.Preconditions;
import org.openrewrite.Recipe;
import org.openrewrite.SourceFile;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.search.UsesType;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.Statement;
import org.openrewrite.java.tree.TypeUtils;

/**
 * Marks where an application makes Spring Integration's {@code RedisLockRegistry}. It
 * changes no code: a bridge has the same interface.
 *
 * @since 0.1.0
 */
public final class MarkRedisLockRegistry extends Recipe {

	private static final String TYPE = "org.springframework.integration.redis.util.RedisLockRegistry";

	@Override
	public String getDisplayName() {
		return "Mark `RedisLockRegistry` of Spring Integration";
	}

	@Override
	public String getDescription() {
		return "Puts a comment where a `RedisLockRegistry` is made, and changes nothing else.";
	}

	@Override
	public TreeVisitor<?, ExecutionContext> getVisitor() {
		return Preconditions.check(new UsesType<>(TYPE, false), new Marking());
	}

	private static final class Marking extends JavaIsoVisitor<ExecutionContext> {

		private static final String REMARK = "a bridge puts Spring Integration's LockRegistry on the locks of this "
				+ "library; code that uses the interface stays.";

		@Override
		public boolean isAcceptable(SourceFile file, ExecutionContext context) {
			return file instanceof J.CompilationUnit;
		}

		@Override
		public Statement visitStatement(Statement statement, ExecutionContext context) {
			Statement visited = super.visitStatement(statement, context);
			if (!(getCursor().getParentTreeCursor().getValue() instanceof J.Block) || !makesRegistry(visited)) {
				return visited;
			}
			return visited
				.withPrefix(Remarks.add(visited.getPrefix(), visited.getPrefix().getIndent(), List.of(REMARK)));
		}

		/**
		 * Search the statement itself, not those within it, which are marked themselves.
		 */
		private boolean makesRegistry(Statement statement) {
			boolean[] found = { false };
			new JavaIsoVisitor<boolean[]>() {
				@Override
				public J.Block visitBlock(J.Block block, boolean[] result) {
					return block;
				}

				@Override
				public J.NewClass visitNewClass(J.NewClass made, boolean[] result) {
					result[0] |= TypeUtils.isOfClassType(made.getType(), TYPE);
					return super.visitNewClass(made, result);
				}
			}.visit(statement, found);
			return found[0];
		}

	}

}
