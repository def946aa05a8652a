package io.distributedlock.migration;

import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Preconditions;
import org.openrewrite.Recipe;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.search.UsesType;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;

/**
 * Replaces {@code @Locked}, {@code @RedisLocked} and {@code @RedisMultiLocked} of
 * alturkovic's distributed-lock.
 *
 * @since 0.1.0
 */
public final class MigrateLocked extends Recipe {

	private static final String PACKAGE = "com.github.alturkovic.lock.";

	private static final List<String> TYPES = List.of(PACKAGE + "Locked", PACKAGE + "redis.alias.RedisLocked",
			PACKAGE + "redis.alias.RedisMultiLocked");

	@Override
	public String getDisplayName() {
		return "Replace `@Locked` and `@RedisLocked` by `@DistributedLock`";
	}

	@Override
	public String getDescription() {
		return "The prefix becomes the name, the expression the key, or several keys with `@RedisMultiLocked`. Without "
				+ "`refresh` the lock is not renewed, and a lock that is released by hand becomes `keepFor`.";
	}

	@Override
	public TreeVisitor<?, ExecutionContext> getVisitor() {
		return Preconditions.check(new UsesType<>(PACKAGE + ".*", false), new Migration());
	}

	private static final class Migration extends AnnotationMigration {

		private static final String METHOD = "#executionPath";

		private static final Set<String> REDIS = Set.of("Lock", "SimpleRedisLock", "MultiRedisLock");

		Migration() {
			super(TYPES);
		}

		@Override
		boolean convert(Attributes attributes, J.MethodDeclaration method, LockAnnotation lock) {
			String prefix = Constants.text(attributes.get("prefix"));
			if (!"".equals(prefix)) {
				lock.expression("name", attributes.get("prefix"));
			}
			key(attributes.get("expression"), method, lock);
			Amount expiration = interval(attributes.get("expiration"), lock);
			if (expiration != null) {
				expiration.set(lock, "ttl");
			}
			renewal(attributes.get("refresh"), lock);
			waiting(attributes, lock);
			busy(attributes, method, lock, expiration);
			store(attributes, lock);
			return true;
		}

		private static void key(@Nullable Expression expression, J.MethodDeclaration method, LockAnnotation lock) {
			String text = Constants.text(expression);
			if (METHOD.equals(text)) {
				return;
			}
			if (text == null) {
				lock.expression("key", expression);
				return;
			}
			lock.text("key", text.replace(METHOD, Spel.literal(qualifiedName(method))));
			if (Spel.usesRoot(text)) {
				lock.remark("a plain name in the key was a property of the bean: write #root.target before it.");
			}
		}

		/** Read an annotation {@code @Interval}; {@code null} without one. */
		private static @Nullable Amount interval(@Nullable Expression expression, LockAnnotation lock) {
			if (!(expression instanceof J.Annotation annotation)) {
				return null;
			}
			Attributes attributes = new Attributes(annotation);
			Expression value = attributes.get("value");
			String unit = attributes.constant("unit");
			String suffix = Durations.suffix((unit != null) ? unit : "MILLISECONDS");
			if (value == null || suffix == null) {
				lock.remark("an @Interval has another unit than those of TimeUnit: write its duration by hand.");
				return null;
			}
			return Amount.of(value, suffix);
		}

		private static void renewal(@Nullable Expression refresh, LockAnnotation lock) {
			Amount interval = interval(refresh, lock);
			if (interval == null || interval.isZeroOrLess()) {
				lock.constant("renew", Target.RENEWAL, "OFF");
			}
		}

		/** A pause that is not above zero means there that the lock is tried once. */
		private static void waiting(Attributes attributes, LockAnnotation lock) {
			Amount timeout = interval(attributes.get("timeout"), lock);
			Amount retry = interval(attributes.get("retry"), lock);
			if ((timeout != null && timeout.isZeroOrLess()) || (retry != null && retry.isZeroOrLess())) {
				lock.text("waitFor", "0");
			}
			else if (timeout != null) {
				timeout.set(lock, "waitFor");
			}
		}

		private static void busy(Attributes attributes, J.MethodDeclaration method, LockAnnotation lock,
				@Nullable Amount expiration) {
			boolean kept = attributes.is("manuallyReleased", true);
			if (attributes.is("throwing", false)) {
				skip(lock, method);
			}
			else if (kept) {
				lock.constant("whenBusy", Target.WHEN_BUSY, "THROW");
			}
			if (!kept) {
				return;
			}
			if (expiration != null) {
				expiration.set(lock, "keepFor");
			}
			else {
				lock.text("keepFor", "10s");
			}
			lock.remark("the lock was released by hand: it is free when keepFor is over now.");
		}

		private static void store(Attributes attributes, LockAnnotation lock) {
			attributes.drop("storeId");
			Expression type = attributes.get("type");
			String name = (type != null) ? Constants.typeName(type) : null;
			if (name != null && !REDIS.contains(name)) {
				lock.remark("the type was %s: locks are in the store of the registry now.".formatted(name));
			}
		}

	}

}
