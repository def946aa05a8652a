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
 * Replaces {@code @Lock4j}: its keys become one, and its milliseconds become durations.
 *
 * @since 0.1.0
 */
public final class MigrateLock4j extends Recipe {

	private static final String TYPE = "com.baomidou.lock.annotation.Lock4j";

	/** The expiry of Lock4j where nothing else is configured. */
	private static final String EXPIRE = "30s";

	@Override
	public String getDisplayName() {
		return "Replace `@Lock4j` by `@DistributedLock`";
	}

	@Override
	public String getDescription() {
		return "The keys are joined to one expression, `expire` becomes the `ttl`, `acquireTimeout` becomes `waitFor`, and "
				+ "a lock that is not released becomes `keepFor`. Strategies and executors are marked.";
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
			MethodKey.of(attributes, ".").set(lock, method);
			Amount expire = Amount.ofMillis(attributes.get("expire"));
			expire.set(lock, "ttl");
			Amount.ofMillis(attributes.get("acquireTimeout")).set(lock, "waitFor");
			if (attributes.is("autoRelease", false)) {
				lock.constant("whenBusy", Target.WHEN_BUSY, "THROW");
				keep(lock, expire);
			}
			remark(attributes, lock);
			return true;
		}

		private static void keep(LockAnnotation lock, Amount expire) {
			if (expire.isPresent()) {
				expire.set(lock, "keepFor");
			}
			else {
				lock.text("keepFor", EXPIRE).remark("keepFor is the default of lock4j.expire: check its value.");
			}
		}

		private static void remark(Attributes attributes, LockAnnotation lock) {
			remark(lock, "failStrategy", attributes.get("failStrategy"),
					"set a fallback or whenBusy, or make a LockFailureHandler of it.");
			remark(lock, "keyBuilderStrategy", attributes.get("keyBuilderStrategy"), "write its key as an expression.");
			remark(lock, "executor", attributes.get("executor"), "locks are in the store of the registry now.");
		}

		private static void remark(LockAnnotation lock, String attribute, @Nullable Expression value, String remedy) {
			if (value != null) {
				lock.remark("%s was %s: %s".formatted(attribute, Constants.typeName(value), remedy));
			}
		}

	}

}
