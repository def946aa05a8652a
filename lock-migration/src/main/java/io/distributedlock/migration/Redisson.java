package io.distributedlock.migration;

import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeUtils;

/** The types and methods of Redisson's locks that have an equal here. */
enum Redisson {

	CLIENT("org.redisson.api.RedissonClient", Target.REGISTRY),

	LOCK("org.redisson.api.RLock", Target.LOCK),

	READ_WRITE_LOCK("org.redisson.api.RReadWriteLock", Target.READ_WRITE_LOCK);

	/** The methods that make a lock of a key. */
	static final Set<String> GETTERS = Set.of("getLock", "getFairLock", "getReadWriteLock");

	/** The other methods that make locks, and the way to have such locks here. */
	private static final Map<String, String> OTHER_GETTERS = Map.of("getMultiLock",
			"LockRequest.ofAll has several keys", "getRedLock", "that is the store redlock", "getFencedLock",
			"each Lease has a fencingToken", "getSpinLock", "use getLock", "getFencedSpinLock",
			"each Lease has a fencingToken");

	private static final Map<String, List<Integer>> METHODS = Map.of("lock", List.of(0, 2), "tryLock", List.of(0, 2, 3),
			"unlock", List.of(0), "lockInterruptibly", List.of(0), "isHeldByCurrentThread", List.of(0), "getName",
			List.of(0));

	private final String type;

	private final String target;

	Redisson(String type, String target) {
		this.type = type;
		this.target = target;
	}

	String type() {
		return this.type;
	}

	String target() {
		return this.target;
	}

	static @Nullable Redisson of(@Nullable JavaType type) {
		for (Redisson role : values()) {
			if (TypeUtils.isOfClassType(type, role.type)) {
				return role;
			}
		}
		return null;
	}

	static boolean makesLock(J.MethodInvocation call) {
		return GETTERS.contains(call.getSimpleName()) || OTHER_GETTERS.containsKey(call.getSimpleName());
	}

	/**
	 * Return the operand that says all, {@code lock.isHeldByCurrentThread()}, where both
	 * it and {@code lock.isLocked()} are asked for.
	 */
	static J.@Nullable MethodInvocation guard(J.Binary binary) {
		if (binary.getOperator() == J.Binary.Type.And && binary.getLeft() instanceof J.MethodInvocation left
				&& binary.getRight() instanceof J.MethodInvocation right && isOnSameLock(left, right)) {
			if (isCall(left, "isLocked") && isCall(right, "isHeldByCurrentThread")) {
				return right;
			}
			if (isCall(right, "isLocked") && isCall(left, "isHeldByCurrentThread")) {
				return left;
			}
		}
		return null;
	}

	private static boolean isCall(J.MethodInvocation call, String name) {
		return call.getSimpleName().equals(name) && arguments(call) == 0;
	}

	private static boolean isOnSameLock(J.MethodInvocation left, J.MethodInvocation right) {
		return left.getSelect() instanceof J.Identifier one && right.getSelect() instanceof J.Identifier other
				&& of(one.getType()) == LOCK && one.getSimpleName().equals(other.getSimpleName());
	}

	/** Return the number of arguments; Java's tree has an element for none. */
	static int arguments(J.MethodInvocation call) {
		List<Expression> arguments = call.getArguments();
		return (arguments.size() == 1 && arguments.get(0) instanceof J.Empty) ? 0 : arguments.size();
	}

	/**
	 * Return the lease time that a call of a lock has, or {@code null} if it has none.
	 */
	static @Nullable Expression lease(J.MethodInvocation call) {
		boolean waits = call.getSimpleName().equals("tryLock");
		boolean leases = waits ? arguments(call) == 3 : call.getSimpleName().equals("lock") && arguments(call) == 2;
		return leases ? call.getArguments().get(waits ? 1 : 0) : null;
	}

	/**
	 * Return a remark on a call that has no equal, or {@code null} if it has.
	 */
	@Nullable String remark(J.MethodInvocation call) {
		return switch (this) {
			case CLIENT -> ofClient(call);
			case LOCK -> ofLock(call);
			case READ_WRITE_LOCK -> Set.of("readLock", "writeLock").contains(call.getSimpleName()) ? null
					: "RReadWriteLock.%s has no equal.".formatted(call.getSimpleName());
		};
	}

	private static @Nullable String ofClient(J.MethodInvocation call) {
		String name = call.getSimpleName();
		if (GETTERS.contains(name)) {
			boolean isText = call.getArguments().size() == 1
					&& TypeUtils.isString(call.getArguments().get(0).getType());
			return isText ? null : "%s with options or a name that is no String has no equal.".formatted(name);
		}
		if (OTHER_GETTERS.containsKey(name)) {
			return "%s has no equal on the registry: %s.".formatted(name, OTHER_GETTERS.get(name));
		}
		return "the client does more than locks: add a field of type LockRegistry, and run this recipe again.";
	}

	private static @Nullable String ofLock(J.MethodInvocation call) {
		String name = call.getSimpleName();
		if (METHODS.getOrDefault(name, List.of()).contains(arguments(call))) {
			return null;
		}
		return name.endsWith("Async")
				? "RLock.%s has no equal: LockRegistry.acquireAsync waits for no thread.".formatted(name)
				: "RLock.%s has no equal: LockInspector looks at locks, and may release them.".formatted(name);
	}

}
