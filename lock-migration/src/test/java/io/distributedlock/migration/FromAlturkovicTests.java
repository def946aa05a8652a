package io.distributedlock.migration;

import org.junit.jupiter.api.Test;

class FromAlturkovicTests extends RecipeTest {

	private static final String ATTRIBUTES = """
				boolean manuallyReleased() default false;
				String storeId() default "";
				String prefix() default "";
				String expression() default "#executionPath";
				com.github.alturkovic.lock.Interval expiration() default @com.github.alturkovic.lock.Interval("1");
				com.github.alturkovic.lock.Interval timeout() default @com.github.alturkovic.lock.Interval("1");
				com.github.alturkovic.lock.Interval retry() default @com.github.alturkovic.lock.Interval("1");
				com.github.alturkovic.lock.Interval refresh() default @com.github.alturkovic.lock.Interval("1");
				boolean throwing() default true;
			}
			""";

	FromAlturkovicTests() {
		super("FromAlturkovic", """
				package com.github.alturkovic.lock;

				public @interface Interval {
					String value();
					java.util.concurrent.TimeUnit unit() default java.util.concurrent.TimeUnit.MILLISECONDS;
				}
				""", """
				package com.github.alturkovic.lock;

				public interface Lock {
				}
				""", """
				package com.github.alturkovic.lock.jdbc.impl;

				public class SimpleJdbcLock implements com.github.alturkovic.lock.Lock {
				}
				""", """
				package com.github.alturkovic.lock.redis.configuration;

				public @interface EnableRedisDistributedLock {
				}
				""", """
				package com.github.alturkovic.lock;

				public @interface Locked {
					Class<? extends Lock> type() default Lock.class;
				""" + ATTRIBUTES, """
				package com.github.alturkovic.lock.redis.alias;

				public @interface RedisLocked {
				""" + ATTRIBUTES, """
				package com.github.alturkovic.lock.redis.alias;

				public @interface RedisMultiLocked {
				""" + ATTRIBUTES);
	}

	@Test
	void prefixBecomesTheNameAndIntervalsDurations() {
		migrates(
				"""
						package shop;

						import java.util.concurrent.TimeUnit;

						import com.github.alturkovic.lock.Interval;
						import com.github.alturkovic.lock.redis.alias.RedisLocked;

						class Orders {

						    static final String WAIT = "3";

						    @RedisLocked(expression = "#id", prefix = "orders", expiration = @Interval(unit = TimeUnit.SECONDS, value = "60"), timeout = @Interval("1500"), refresh = @Interval("100"), retry = @Interval("20"), storeId = "x")
						    public void ship(long id) {
						    }

						    @RedisLocked(expression = "#id", expiration = @Interval("${lock.ttl}"), timeout = @Interval(value = WAIT, unit = TimeUnit.MINUTES), refresh = @Interval("0"))
						    public void pack(long id) {
						    }

						    @RedisLocked(retry = @Interval("0"))
						    public void bill() {
						    }

						}
						""",
				"""
						package shop;

						import io.distributedlock.annotation.DistributedLock;
						import io.distributedlock.annotation.Renewal;

						class Orders {

						    static final String WAIT = "3";

						    @DistributedLock(name = "orders", key = "#id", ttl = "1m", waitFor = "1500ms")
						    public void ship(long id) {
						    }

						    @DistributedLock(key = "#id", ttl = "${lock.ttl}ms", renew = Renewal.OFF, waitFor = WAIT + "m")
						    public void pack(long id) {
						    }

						    @DistributedLock(renew = Renewal.OFF, waitFor = "0")
						    public void bill() {
						    }

						}
						""");
	}

	@Test
	void severalKeysStayOneExpression() {
		migrates("""
				package shop;

				import java.util.List;

				import com.github.alturkovic.lock.redis.alias.RedisMultiLocked;

				class Orders {

				    @RedisMultiLocked(prefix = "orders", expression = "#ids")
				    public void ship(List<Long> ids) {
				    }

				    @RedisMultiLocked(prefix = "", expression = "{#executionPath, 'all', region}")
				    public void pack() {
				    }

				}
				""",
				"""
						package shop;

						import io.distributedlock.annotation.DistributedLock;
						import io.distributedlock.annotation.Renewal;

						import java.util.List;

						class Orders {

						    @DistributedLock(name = "orders", key = "#ids", renew = Renewal.OFF)
						    public void ship(List<Long> ids) {
						    }

						    // TODO lock-migration: a plain name in the key was a property of the bean: write #root.target before it.
						    @DistributedLock(key = "{'shop.Orders.pack', 'all', region}", renew = Renewal.OFF)
						    public void pack() {
						    }

						}
						""");
	}

	@Test
	void busyLockIsSkippedWhereTheResultCanBeEmpty() {
		migrates("""
				package shop;

				import com.github.alturkovic.lock.Locked;
				import com.github.alturkovic.lock.jdbc.impl.SimpleJdbcLock;

				class Orders {

				    @Locked(throwing = false)
				    public void ship() {
				    }

				    @Locked(throwing = false, type = SimpleJdbcLock.class)
				    public String pack() {
				        return "";
				    }

				}
				""",
				"""
						package shop;

						import io.distributedlock.WhenBusy;
						import io.distributedlock.annotation.DistributedLock;
						import io.distributedlock.annotation.Renewal;

						class Orders {

						    @DistributedLock(renew = Renewal.OFF, whenBusy = WhenBusy.SKIP)
						    public void ship() {
						    }

						    // TODO lock-migration: the result cannot be empty, so a busy lock throws LockNotAcquiredException now, where null was returned.
						    // TODO lock-migration: the type was SimpleJdbcLock: locks are in the store of the registry now.
						    @DistributedLock(renew = Renewal.OFF)
						    public String pack() {
						        return "";
						    }

						}
						""");
	}

	@Test
	void lockThatIsReleasedByHandIsKeptAndMarked() {
		migrates("""
				package shop;

				import java.util.concurrent.TimeUnit;

				import com.github.alturkovic.lock.Interval;
				import com.github.alturkovic.lock.redis.alias.RedisLocked;

				class Orders {

				    @RedisLocked(manuallyReleased = true, expiration = @Interval(value = "5", unit = TimeUnit.HOURS))
				    public void ship() {
				    }

				    @RedisLocked(manuallyReleased = true, throwing = false)
				    public void pack() {
				    }

				}
				""", """
				package shop;

				import io.distributedlock.WhenBusy;
				import io.distributedlock.annotation.DistributedLock;
				import io.distributedlock.annotation.Renewal;

				class Orders {

				    // TODO lock-migration: the lock was released by hand: it is free when keepFor is over now.
				    @DistributedLock(ttl = "5h", renew = Renewal.OFF, whenBusy = WhenBusy.THROW, keepFor = "5h")
				    public void ship() {
				    }

				    // TODO lock-migration: the lock was released by hand: it is free when keepFor is over now.
				    @DistributedLock(renew = Renewal.OFF, whenBusy = WhenBusy.SKIP, keepFor = "10s")
				    public void pack() {
				    }

				}
				""");
	}

	@Test
	void configurationIsRemovedAndAClassMarked() {
		migrates("""
				package shop;

				import com.github.alturkovic.lock.Locked;
				import com.github.alturkovic.lock.redis.configuration.EnableRedisDistributedLock;

				@EnableRedisDistributedLock
				@Locked
				class Orders {
				}
				""", """
				package shop;

				import com.github.alturkovic.lock.Locked;

				// TODO lock-migration: only annotations of methods are migrated; see docs/migration-recipes.md.
				@Locked
				class Orders {
				}
				""");
	}

	@Test
	void codeWithoutItsLocksIsLeft() {
		leaves("""
				package shop;

				import com.github.alturkovic.lock.Lock;

				class Orders {

				    Lock lock;

				}
				""");
	}

}
