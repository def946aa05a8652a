package io.distributedlock.migration;

import org.junit.jupiter.api.Test;

import static org.openrewrite.java.Assertions.java;

/**
 * A file that was migrated alone excluded no more what a file with the same keys did,
 * which had to stay on Redisson.
 */
class RedissonKeysTests extends RecipeTest {

	private static final String STAYS = "// TODO lock-migration: shop/%s.java may use this key too, and stays on Redisson: "
			+ "change both together.\n        ";

	private static final String KEYS = """
			package shop;

			class Keys {

			    static final String ORDER = "order:";

			    static String of(long id) {
			        return ORDER + id;
			    }

			}
			""";

	RedissonKeysTests() {
		super("FromRedisson");
	}

	@Test
	void fileWithAKeyOfOneThatStaysIsMarked() {
		String before = orders("\"order:\" + id");
		String other = refunds("Keys.of(id)");
		String after = before.replace("RLock lock", STAYS.formatted("Refunds") + "RLock lock");
		assertCompiles(KEYS, before, other);
		rewriteRun(java(KEYS), java(before, after), java(other, stays(other)));
		leaves(KEYS, after, stays(other));
	}

	@Test
	void fileWithOtherKeysIsMigrated() {
		String before = orders("\"order:\" + id");
		String other = refunds("\"refund:\" + id");
		assertCompiles(migrated(before), other);
		rewriteRun(java(before, migrated(before)), java(other, stays(other)));
	}

	@Test
	void fileThatSharesAKeyWithAMarkedOneIsMarked() {
		String before = orders("\"orders\"");
		String between = orders("\"refunds\"").replace("Orders", "Between")
			.replace("RLock lock", "redisson.getLock(\"orders\").unlock();\n        RLock lock");
		assertCompiles(before, between, refunds("\"refunds\""));
		rewriteRun(java(before, before.replace("RLock lock", STAYS.formatted("Between") + "RLock lock")),
				java(between,
						between.replace("RLock lock", STAYS.formatted("Refunds") + "RLock lock")
							.replace("redisson.getLock(\"orders\")",
									STAYS.formatted("Orders") + "redisson.getLock(\"orders\")")),
				java(refunds("\"refunds\""), stays(refunds("\"refunds\""))));
	}

	@Test
	void helperThatStaysHasTheKeysOfItsCallers() {
		String helper = """
				package shop;

				import org.redisson.api.RLock;
				import org.redisson.api.RedissonClient;

				class Locks {
				    RLock of(String key, RedissonClient redisson) {
				        return redisson.getLock(key);
				    }
				    void run(Locks locks, long id, RedissonClient redisson) {
				        locks.of("order:" + id, redisson).unlock();
				    }
				}
				""";
		String before = orders("\"order:\" + id");
		assertCompiles(before, helper);
		rewriteRun(java(before, before.replace("RLock lock", STAYS.formatted("Locks") + "RLock lock")),
				java(helper, (spec) -> spec.after((actual) -> actual)));
	}

	@Test
	void classThatOtherCodeConstructsStaysToo() {
		String caller = """
				package shop;

				import org.redisson.api.RedissonClient;

				class Configuration {
				    Refunds refunds(RedissonClient redisson) {
				        return new Refunds(redisson);
				    }
				}
				""";
		String before = orders("\"orders\"");
		String constructed = orders("\"orders\"").replace("Orders", "Refunds");
		assertCompiles(before, constructed, caller);
		rewriteRun(java(before, before.replace("RLock lock", STAYS.formatted("Refunds") + "RLock lock")),
				java(constructed, (spec) -> spec.after((actual) -> actual)), java(caller));
	}

	private static String orders(String key) {
		return """
				package shop;

				import org.redisson.api.RLock;
				import org.redisson.api.RedissonClient;

				class Orders {
				    private final RedissonClient redisson;
				    Orders(RedissonClient redisson) {
				        this.redisson = redisson;
				    }
				    void ship(long id) {
				        RLock lock = redisson.getLock(%s);
				        lock.lock();
				        lock.unlock();
				    }
				}
				""".formatted(key);
	}

	private static String migrated(String orders) {
		return orders
			.replace("import org.redisson.api.RLock;\nimport org.redisson.api.RedissonClient;",
					"import io.distributedlock.LeaseLock;\nimport io.distributedlock.LockRegistry;")
			.replace("RedissonClient redisson", "LockRegistry registry")
			.replace("this.redisson = redisson", "this.registry = registry")
			.replace("RLock lock = redisson", "LeaseLock lock = registry");
	}

	/** A file with a use that has no equal. */
	private static String refunds(String key) {
		return """
				package shop;

				import org.redisson.api.RLock;
				import org.redisson.api.RedissonClient;

				class Refunds {
				    private final RedissonClient redisson;
				    Refunds(RedissonClient redisson) {
				        this.redisson = redisson;
				    }
				    void refund(long id) {
				        RLock lock = redisson.getLock(%s);
				        lock.lock();
				        lock.unlock();
				        lock.forceUnlock();
				    }
				}
				""".formatted(key);
	}

	private static String stays(String refunds) {
		return refunds.replace("lock.force",
				"// TODO lock-migration: RLock.forceUnlock has no equal: LockInspector looks at locks, and may release them."
						+ "\n        lock.force");
	}

}
