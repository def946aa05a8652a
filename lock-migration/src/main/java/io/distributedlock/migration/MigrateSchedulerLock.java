package io.distributedlock.migration;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Preconditions;
import org.openrewrite.Recipe;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.search.UsesType;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;

/**
 * Replaces ShedLock's {@code @SchedulerLock}: a lock without renewal that is tried once,
 * and whose method is skipped while it is taken.
 *
 * @since 0.1.0
 */
public final class MigrateSchedulerLock extends Recipe {

	private static final String TYPE = "net.javacrumbs.shedlock.spring.annotation.SchedulerLock";

	@Override
	public String getDisplayName() {
		return "Replace `@SchedulerLock` by `@DistributedLock`";
	}

	@Override
	public String getDescription() {
		return "`lockAtMostFor` becomes the `ttl` without renewal, `lockAtLeastFor` becomes `keepFor`, and a busy lock is "
				+ "skipped where the result can be empty. A name with an expression becomes the key.";
	}

	@Override
	public TreeVisitor<?, ExecutionContext> getVisitor() {
		return Preconditions.check(new UsesType<>(TYPE, false), new Migration());
	}

	private static final class Migration extends AnnotationMigration {

		Migration() {
			super(List.of(TYPE));
		}

		@Override
		boolean convert(Attributes attributes, J.MethodDeclaration method, LockAnnotation lock) {
			if (!name(attributes.get("name"), method, lock)) {
				return false;
			}
			lock.expression("ttl", attributes.get("lockAtMostFor"))
				.constant("renew", Target.RENEWAL, "OFF")
				.text("waitFor", "0");
			skip(lock, method);
			lock.expression("keepFor", attributes.get("lockAtLeastFor"));
			return true;
		}

		private static boolean name(@Nullable Expression name, J.MethodDeclaration method, LockAnnotation lock) {
			if (name == null) {
				lock.remark("this lock has no name, so ShedLock takes it from elsewhere, or refuses each call.");
				return false;
			}
			String text = Constants.text(name);
			if (text == null || !text.contains("#{")) {
				nameAndKey(lock, name);
				return true;
			}
			String key = Spel.ofTemplate(text);
			if (key == null || Spel.usesRoot(key)) {
				lock.remark("the name is an expression on beans: write it as the key of a @DistributedLock.");
				return false;
			}
			lock.text("key", Spel.asOneKey(key, method));
			return true;
		}

	}

}
