package io.distributedlock.migration;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;

/**
 * The key of a lock that another library makes of the name, which is the class and the
 * method by default, and of expressions.
 */
final class MethodKey {

	private final @Nullable Expression name;

	private final List<Expression> keys;

	private final String separator;

	private MethodKey(@Nullable Expression name, List<Expression> keys, String separator) {
		this.name = "".equals(Constants.text(name)) ? null : name;
		this.keys = keys.stream().filter((key) -> !"".equals(Constants.text(key))).toList();
		this.separator = separator;
	}

	/** Read the attributes {@code name} and {@code keys}. */
	static MethodKey of(Attributes attributes, String separator) {
		return new MethodKey(attributes.get("name"), attributes.list("keys"), separator);
	}

	MethodKey and(List<Expression> more) {
		List<Expression> all = new ArrayList<>(this.keys);
		all.addAll(more);
		return new MethodKey(this.name, all, this.separator);
	}

	/**
	 * Set name and key. Without both, the lock is that of the method here as there.
	 */
	void set(LockAnnotation lock, J.MethodDeclaration method) {
		if (this.keys.isEmpty()) {
			if (this.name != null) {
				AnnotationMigration.nameAndKey(lock, this.name);
			}
			return;
		}
		if (this.name != null) {
			lock.expression("name", this.name);
		}
		else {
			lock.text("name", AnnotationMigration.qualifiedName(method));
		}
		AnnotationMigration.joinedKey(lock, this.keys, this.separator, method);
	}

}
